/* The tasks of a pool, as the application describes them. */
#ifndef BERYL_SCHED_PROBLEM_H
#define BERYL_SCHED_PROBLEM_H

#include "support/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* The largest number of tasks in a pool: its sum with the chunks that all
 * workers may have requested still fits into 64 bits. */
#define TASKPOOL_MAX_TASKS (INT64_C(1) << 62)

/* The work of a pool. A static pool is n_tasks numbered tasks. A dynamic one
 * (record_size > 0) begins with the records that taskpool_add put into it before
 * the run, and grows by those that its tasks add; n_tasks is then 0. */
struct taskpool_problem {
    int64_t n_tasks; /* in [0, TASKPOOL_MAX_TASKS] */
    /* Runs one task; a worker runs one at a time. After a failure no further task
     * runs on this worker, and taskpool_run returns the failure on every process. */
    enum status (*run)(int64_t task, void *context);
    /* The worker in [0, n_workers) that owns the task's data, for --seeding owner;
     * or NULL. The same on every process. */
    int (*owner)(int64_t task, int n_workers, void *context);
    /* The predicted cost of a task, in any unit, > 0 and finite, for --seeding cost; or
     * NULL. The same on every process. */
    double (*cost)(int64_t task, void *context);

    /* Called on each process after its last task, before any process leaves taskpool_run: completes
     * what the tasks left underway, such as one-sided operations, so that their end and that of the
     * iteration are one synchronisation. A failure is that of a task. NULL: nothing. */
    enum status (*finish)(void *context);

    size_t record_size; /* bytes of a dynamic pool's task; 0: the pool is static */
    /* Runs the task of a record, which it may change; see run. */
    enum status (*run_record)(void *record, void *context);

    void *context; /* borrowed */
};

#endif
