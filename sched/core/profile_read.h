/* Task durations from file: what profile_write wrote, or anybody else. */
#ifndef BERYL_SCHED_PROFILE_READ_H
#define BERYL_SCHED_PROFILE_READ_H

#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct profile {
    int64_t n;
    double *seconds; /* n, finite and not below 0 */
    int64_t *tasks;  /* n, their numbers, ascending; NULL: not asked for */
};

/* Reads the seconds of every task. Collective over comm; rank 0 reads.
 * path      ending in .npy: a one-dimensional NumPy array of doubles, the lowest byte first;
 *           otherwise CSV with the header `task,seconds`
 * numbered  whether the numbers of the tasks are wanted: for a CSV in their order. If not,
 *           tasks count from 0 in the order of the rows
 * profile   out; to be freed with profile_fini
 * Errors: STATUS_IO, STATUS_INPUT (names the line of a CSV), STATUS_NO_MEMORY,
 * STATUS_LIMIT (2^31 tasks or more); the same on every process. */
enum status profile_read(MPI_Comm comm, const char *path, bool numbered, struct profile *profile);
void profile_fini(struct profile *profile);

#endif
