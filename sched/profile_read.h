/* Task durations from file: what profile_write wrote, or anybody else. */
#ifndef BERYL_SCHED_PROFILE_READ_H
#define BERYL_SCHED_PROFILE_READ_H

#include "support/status.h"

#include <mpi.h>
#include <stdint.h>

/* Reads the seconds of every task. Collective over comm; rank 0 reads.
 * path     ending in .npy: a one-dimensional NumPy array of doubles, the lowest
 *          byte first; otherwise CSV with the header `task,seconds`, whose
 *          tasks count from 0 in the order of the rows
 * seconds  out, n_tasks numbers, finite and not below 0; to be freed with free
 * Errors: STATUS_IO, STATUS_INPUT (names the line of a CSV), STATUS_NO_MEMORY,
 * STATUS_LIMIT (2^31 tasks or more); the same on every process. */
enum status profile_read(MPI_Comm comm, const char *path, double **seconds, int64_t *n_tasks);

#endif
