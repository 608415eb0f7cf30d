/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of beryl-hf, from options to result. */
#pragma once

#include "hf/cli/hf_options.h"
#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>

/* Counts tasks, predicts the run, times Fock builds, or runs the SCF, as the options say; prints its
 * progress and writes the files asked for. Collective over comm, which is all processes. Errors: those
 * of every part; the same on every process.
 * *accepted  set once all input was accepted (application.h). Before that a failure of the input
 *            leaves no file; a failed calculation leaves a --json that says why. */
enum status hf_run(const struct hf_options *options, MPI_Comm comm, bool *accepted);
