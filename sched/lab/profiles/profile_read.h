/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a profile, a file of task durations as profile_write writes it. */
#pragma once

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

/* Durations of a pool with mostly null tasks: those on file, and one duration for all others. */
struct sparse_profile {
    struct profile profile; /* of the others; owned */
    int64_t n_tasks;
    double null_s;
    uint64_t *blocks; /* a bit for each block of 64 tasks: whether one of them is on file */
};

/* n_tasks  of the pool, more than any number on file
 * Collective over comm. Errors: those of profile_read, STATUS_INPUT (a number beyond the
 * pool's), STATUS_NO_MEMORY; the same on every process. */
enum status sparse_profile_init(struct sparse_profile *sparse, MPI_Comm comm, const char *path,
                                int64_t n_tasks, double null_s);
void sparse_profile_fini(struct sparse_profile *sparse);

double sparse_profile_seconds(const struct sparse_profile *sparse, int64_t task);

/* Whether none of the tasks [first, last) is on file. */
bool sparse_profile_are_null(const struct sparse_profile *sparse, int64_t first, int64_t last);
