/* The files that a run leaves: --json, --report, --write-profile. */
#ifndef BERYL_HF_HF_OUTPUTS_H
#define BERYL_HF_HF_OUTPUTS_H

#include "hf/cli/hf_options.h"
#include "hf/cli/hf_result.h"
#include "support/base/status.h"

#include <mpi.h>

/* Finds out before the work what would prevent its result from being kept: a path that
 * cannot be written, or that would destroy an input or another output. The checkpoint's
 * is among them. Collective. Errors: STATUS_USAGE, STATUS_IO; the same everywhere. */
enum status hf_outputs_check(const struct hf_options *options, MPI_Comm comm);

/* Writes what was asked for. If the run failed with nothing to show, only --json, which tells
 * of every failure, also that of another output. Collective.
 * outcome  status and error are those of the run, and become those of the first failure
 * Returns outcome->status, the text being that of its failure. Errors beside the run's:
 * STATUS_IO, STATUS_NO_MEMORY, STATUS_LIMIT; the same everywhere. */
enum status hf_outputs_write(struct hf_outcome *outcome, MPI_Comm comm);

#endif
