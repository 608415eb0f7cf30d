/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects the blocks of data that tasks read and write, and writes them to files next to a profile
 * (task_data.h). */
#pragma once

#include "sched/pool/core/task_data.h"
#include "support/base/status.h"

#include <mpi.h>

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
