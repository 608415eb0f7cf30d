/* SPDX-License-Identifier: BSD-3-Clause */
/* `beryl-tce run FILE.tce`. */
#pragma once

#include "support/base/status.h"
#include "tce/cli/tce_options.h"

#include <mpi.h>
#include <stdbool.h>

/* Counts tasks, prints the plan, or runs the program as often and under as many modes as the
 * options say; prints its progress and writes the files asked for. Collective over comm, which
 * is all processes. Errors: of any part; STATUS_PROTOCOL if results depend on the
 * mode, STATUS_NUMERIC if --verify finds a wrong one; the same on every process.
 * *accepted  set once all input was accepted (application.h). Bad input leaves no file, another
 *            failure the --json with what was completed. */
enum status program_run(const struct tce_options *options, MPI_Comm comm, bool *accepted);
