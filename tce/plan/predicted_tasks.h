/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks of a plan before anything is allocated: how many, and what each will cost. */
#pragma once

#include "support/base/status.h"
#include "tce/plan/plan.h"

#include <mpi.h>
#include <stdint.h>

struct predicted_tasks {
    int64_t n;    /* of all steps */
    double flops; /* useful ones */
};

/* Not collective; the same on every process. Errors: STATUS_NO_MEMORY, STATUS_LIMIT. */
enum status predicted_tasks_count(const struct plan *plan, struct predicted_tasks *tasks);

/* Seconds on the processes of comm, of tasks divided evenly: of an iteration, and of what is computed once, before and
 * after the iterations. */
struct predicted_seconds {
    double iteration, once;
};

/* The times that tasks are expected to take (contraction_task_seconds), of many a sample, at the speed at
 * which each process multiplies blocks for a quarter of a second. Collective. Errors: STATUS_NO_MEMORY,
 * STATUS_LIMIT; the same everywhere. */
enum status predicted_tasks_seconds(const struct plan *plan, MPI_Comm comm,
                                    struct predicted_seconds *seconds);

/* Writes the predicted seconds of every task, step after step, as
 * profile_write does. Collective. Errors: as profile_write. */
enum status predicted_tasks_write(const struct plan *plan, MPI_Comm comm, const char *path);
