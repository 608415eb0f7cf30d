/* SPDX-License-Identifier: BSD-3-Clause */
/* `beryl-tce METHOD MOLECULE.xyz`, and `beryl-tce run FILE.tce MOLECULE.xyz`. */
#pragma once

#include "support/base/status.h"
#include "tce/cli/tce_options.h"

#include <mpi.h>
#include <stdbool.h>

/* Runs the SCF and the method, under one mode or several; prints its progress and writes the
 * files asked for. Collective over comm, which is all processes.
 * Errors: of any part; STATUS_PROTOCOL if results depend on the mode; the same on
 * every process.
 * *accepted  set once all input was accepted (application.h). Before that a failure of the input
 *            leaves no file; a failed calculation leaves a --json that says why. */
enum status method_run(const struct tce_options *options, MPI_Comm comm, bool *accepted);
