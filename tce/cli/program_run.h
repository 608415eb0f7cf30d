/* `beryl-tce run FILE.tce`. */
#ifndef BERYL_TCE_PROGRAM_RUN_H
#define BERYL_TCE_PROGRAM_RUN_H

#include "support/base/status.h"
#include "tce/cli/tce_options.h"

#include <mpi.h>

/* Counts tasks, explains, or runs the program as often and under as many modes as the
 * options say; prints as it goes and writes the files asked for. Collective over comm, which
 * is all processes. Errors: those of every part; STATUS_PROTOCOL if results depend on the
 * mode, STATUS_NUMERIC if --verify finds a wrong one; the same on every process.
 * *exit_status  2 for bad usage or input, of which nothing is written; 1 for a later failure */
enum status program_run(const struct tce_options *options, MPI_Comm comm, int *exit_status);

#endif
