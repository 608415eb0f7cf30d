/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a profile, a file of task durations as profile_write writes it. */
#ifndef BERYL_SCHED_PROFILE_READ_H
#define BERYL_SCHED_PROFILE_READ_H

#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct profile {
    int64_t n;
    double *seconds; /* n, finite and not below 0 */
    int64_t *tasks;  /* n, their numbers, ascending; NULL: not requested */
};

/* Reads the seconds of every task. Collective over comm; rank 0 reads.
 * path      ending in .npy: a one-dimensional NumPy array of doubles, the lowest byte first;
 *           otherwise CSV with the header `task,seconds`, a row for each task
 * numbered  fill profile->tasks; the rows of a CSV must then ascend. If false,
 *           tasks count from 0 in the order of the rows
 * profile   out; to be freed with profile_fini
 * Errors: STATUS_IO, STATUS_INPUT (names the line of a CSV), STATUS_NO_MEMORY,
 * STATUS_LIMIT (2^31 tasks or more); the same on every process. */
enum status profile_read(MPI_Comm comm, const char *path, bool numbered, struct profile *profile);
void profile_fini(struct profile *profile);

#endif
