/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles, files of task durations (--profile, --write-profile), and the tables beside them of the
 * blocks of data that tasks read and write (task_data.h). Loads that vt recorded are translated by
 * the program beryl-vt. */
#pragma once

#include "sched/pool/core/history.h"
#include "sched/pool/core/task_data.h"
#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* --- names --- */

/* Whether the name ends so. */
bool profile_has_ending(const char *path, const char *ending);

/* Refuses a name of JSON of vt, with the command that translates it. NULL is fine.
 * Errors: STATUS_USAGE. */
enum status profile_check_input(const char *path);

/* Whether the value of --write-profile ends in .csv or .npy, or is a device or pipe under /dev. Of
 * JSON of vt the message says how to translate to it. NULL is fine.
 * Errors: STATUS_USAGE. */
enum status profile_check_name(const char *path);

/* --- durations, read --- */

struct profile {
    int64_t n, n_iterations;
    double *seconds;  /* n_iterations x n, finite and not below 0; 0: not in the iteration */
    int64_t *tasks;   /* n numbers, ascending */
    int64_t *workers; /* n, where each task ran in its first iteration; NULL: not on file */
    double null_s;    /* of null tasks */
    uint64_t *blocks; /* a bit for each 64 tasks: whether one is on file; NULL: no null tasks */
};

/* Reads the seconds of every task. Collective over comm; rank 0 reads.
 * path     ending in .npy: a one-dimensional NumPy array of doubles, the lowest byte first, of
 *          tasks from 0 on; otherwise CSV with the header `task,seconds` or
 *          `task,seconds,iteration,worker`, a row for each task (of each iteration), in any order
 * profile  out; to be freed with profile_fini
 * Errors: STATUS_IO, STATUS_INPUT (names the line of a CSV), STATUS_NO_MEMORY,
 * STATUS_LIMIT (2^31 durations or more); the same on every process. */
enum status profile_read(MPI_Comm comm, const char *path, struct profile *profile);
void profile_fini(struct profile *profile);

/* Seconds of a task, by its position from 0, or by its number where there are null tasks, in an
 * iteration: iterations beyond the last on file repeat it. */
double profile_seconds(const struct profile *profile, int64_t iteration, int64_t task);

/* Extends the profile to a pool of n_all tasks. Tasks on file keep their numbers; all others become
 * null tasks of null_s seconds.
 * path  for messages
 * Errors: STATUS_INPUT (n_all is too small, or workers are on file), STATUS_NO_MEMORY. */
enum status profile_add_null_tasks(struct profile *profile, const char *path, int64_t n_all,
                                   double null_s);

/* Whether all tasks [first, last) are null tasks. */
bool profile_are_null(const struct profile *profile, int64_t first, int64_t last);

/* --- durations, written --- */

/* Writes the seconds of every task in the processes' histories, in the order
 * of task IDs. Collective; rank 0 collects and writes.
 * path     ending in .npy: a one-dimensional NumPy array of doubles, the
 *          seconds; otherwise CSV with the header `task,seconds`
 * Errors: STATUS_IO, STATUS_NO_MEMORY, STATUS_LIMIT (2^31 entries or more);
 * the same on every process. */
enum status profile_write(MPI_Comm comm, const struct taskpool_history *history, const char *path);

/* Prints the rows task,seconds,iteration,worker of an iteration; iteration 0 begins with the
 * header. Collective; rank 0 collects and prints.
 * stream  on rank 0
 * Errors: STATUS_NO_MEMORY, STATUS_LIMIT; the same on every process. */
enum status profile_print_iteration(MPI_Comm comm, const struct taskpool_history *history,
                                    int64_t iteration, FILE *stream);

/* --- blocks, read; not collective --- */

/* The table of blocks, as task data without tasks.
 * Errors: STATUS_IO, STATUS_INPUT (names the line), STATUS_NO_MEMORY; *data is then NULL. */
enum status task_data_read_sizes(const char *path, struct taskpool_data **data);

/* Adds the table of accesses.
 * data     with its blocks
 * profile  its tasks are those that may occur; data counts them as the profile does, from 0 on
 * Errors: as above; data can then only be destroyed. */
enum status task_data_read_accesses(const char *path, const struct profile *profile,
                                    struct taskpool_data *data);

/* Whether the profile has a table of accesses, X.blocks.csv next to X.csv. */
bool task_data_is_beside(const char *path);

/* Reads both tables of a profile. Errors: as above; *data is then NULL. */
enum status task_data_read(const char *path, const struct profile *profile,
                           struct taskpool_data **data);

/* --- blocks, written --- */

struct data_record;

/* The accesses of the tasks known to this process. Zero-initialised is empty. */
struct data_records {
    struct data_record *list; /* n */
    int64_t n, capacity;
    int64_t first_of_task; /* of the task that records are added for now */
    bool too_many;         /* there were more than are kept; the list is then empty */
};

/* Upper bound on the accesses of all processes together, of 40 bytes each. */
enum { DATA_RECORDS_MAX = 1 << 24 };

/* Further records are of this task, for which this is called once. */
void data_records_begin_task(struct data_records *records);

/* The task reads or writes a block. Its numbers and owner are the same for all tasks; what a task
 * does again with the same block is not counted. Errors: STATUS_NO_MEMORY. */
enum status data_records_add(struct data_records *records, int64_t task, bool writes,
                             int64_t number, struct taskpool_data_block block);

void data_records_fini(struct data_records *records);

/* Removes the files beside an older profile of this name, which are not of the one that is written
 * now, where they are such tables; for profiles without data, from one process. */
void task_data_remove(const char *profile);

/* Writes the two files beside the profile, the tasks ascending, the accesses of each in the order
 * in which they were added; nothing if the profile can have none. Where there are too many they are
 * not written, older files removed, and the log says so. Collective; rank 0 collects and writes.
 * Each task is with one process. Errors: STATUS_IO, STATUS_NO_MEMORY; the same on every process. */
enum status task_data_write(MPI_Comm comm, struct data_records *records, const char *profile);
