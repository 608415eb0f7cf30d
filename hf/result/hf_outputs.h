/* SPDX-License-Identifier: BSD-3-Clause */
/* The output files of a run: --json, --report, --write-profile; --checkpoint and --trace are checked with them. */
#pragma once

#include "hf/result/hf_qcschema.h"
#include "support/base/status.h"
#include "support/io/output_file.h"

#include <mpi.h>

/* Checks before the work that its results can be kept: refuses a path that cannot be written,
 * or that would destroy an input or another output, the checkpoint included.
 * other_output, other_input  of a method beyond Hartree-Fock; paths NULL: none
 * Collective. Errors: STATUS_USAGE, STATUS_IO; the same everywhere. */
enum status hf_outputs_check(const struct hf_settings *settings, const struct hf_files *files,
                             struct output other_output, const char *other_input, MPI_Comm comm);

/* Writes the files that the outcome names, the result first: a disk may have no room for all. After
 * a failed run only --json is written; it records every failure, and is written again after a
 * failure to write another output. Collective over the calculation's communicator.
 * outcome  status and error of the run; the first failure here replaces them
 * Returns outcome->status, with the text of its failure. Errors in addition to the run's:
 * STATUS_IO, STATUS_NO_MEMORY, STATUS_LIMIT; the same everywhere. */
enum status hf_outputs_write(struct hf_outcome *outcome);
