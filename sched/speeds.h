/* The file of --speeds: the relative speed of each worker. */
#ifndef BERYL_SCHED_SPEEDS_H
#define BERYL_SCHED_SPEEDS_H

#include "support/status.h"

#include <mpi.h>

/* Reads n_workers numbers > 0, separated by white space or line ends; what
 * follows a # is a comment. Collective over comm; rank 0 reads.
 * speeds  out, n_workers, owned by the caller
 * Errors: STATUS_IO, STATUS_INPUT (names the line), STATUS_NO_MEMORY; the same
 * on every process. */
enum status speeds_read(MPI_Comm comm, const char *path, int n_workers, double **speeds);

#endif
