/* `beryl-tce mp2|ccd|ccsd MOLECULE.xyz`. */
#ifndef BERYL_TCE_METHOD_RUN_H
#define BERYL_TCE_METHOD_RUN_H

#include "support/base/status.h"
#include "tce/cli/tce_options.h"

#include <mpi.h>

/* Runs the self-consistent field and the method, under one mode or several; prints as it
 * goes and writes the files asked for. Collective over comm, which is all processes.
 * Errors: those of every part; STATUS_PROTOCOL if results depend on the mode; the same on
 * every process.
 * *exit_status  2 for bad usage or input, of which nothing is written; 1 if the calculation
 *               failed: its --json tells why */
enum status method_run(const struct tce_options *options, MPI_Comm comm, int *exit_status);

#endif
