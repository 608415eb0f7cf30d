/* Task pools: many independent tasks, executed by all processes under a
 * scheduling mode chosen per run. What applications include.
 *
 *     struct taskpool_problem problem = {.n_tasks = T, .run = my_task, .context = &mine};
 *     taskpool_create(MPI_COMM_WORLD, &problem, &settings, &pool);
 *     while (iterating) {
 *         taskpool_run(pool);      // collective: returns when all tasks ran
 *         taskpool_restore(pool);  // collective: seeds the next iteration
 *     }
 *     taskpool_destroy(pool);
 *
 * The pool of a static problem is the IDs [0, n_tasks), kept as ranges, so that
 * 2e10 tasks cost a few words. */
#ifndef BERYL_SCHED_TASKPOOL_H
#define BERYL_SCHED_TASKPOOL_H

#include "sched/history.h"
#include "sched/statistics.h"
#include "support/options.h"
#include "support/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct taskpool;

/* The largest number of tasks in a pool: sums of it with the chunks that all
 * workers may have asked for still fit into 64 bits. */
#define TASKPOOL_MAX_TASKS (INT64_C(1) << 62)

/* What is to be done. */
struct taskpool_problem {
    int64_t n_tasks; /* in [0, TASKPOOL_MAX_TASKS] */
    /* Does one task, alone on this worker. A failure is kept, no further task
     * runs on this worker, and taskpool_run returns it everywhere. */
    enum status (*run)(int64_t task, void *context);
    /* Worker in [0, n_workers) that owns the task's data, for --seeding owner;
     * or NULL. The same on every process. */
    int (*owner)(int64_t task, int n_workers, void *context);
    /* Cost known beforehand, any unit, > 0 and finite, for --seeding cost; or
     * NULL. The same on every process. */
    double (*cost)(int64_t task, void *context);
    void *context; /* borrowed */
};

/* What each worker starts with: blocks of equal numbers of tasks; tasks rank,
 * rank + size, ...; the tasks whose data it owns; blocks of equal predicted cost. */
enum taskpool_seeding { SEEDING_BLOCK, SEEDING_CYCLIC, SEEDING_OWNER, SEEDING_COST };

/* How it is to be done: filled from the command line by the rows below. */
struct taskpool_settings {
    int mode;           /* index into taskpool_mode_names */
    int seeding;        /* enum taskpool_seeding */
    int64_t poll_every; /* tasks between looks for messages */
    int64_t chunk;      /* tasks handed out together; 0: the mode's default */
    bool guided;        /* counter: chunks shrink as the pool empties */
    int64_t seed;       /* every random choice derives from it */
    bool keep_history;  /* set by the program: time every task, see taskpool_history */
};

/* Rows for options_parse over a struct taskpool_settings. */
extern const struct option_row taskpool_option_rows[];
extern const size_t taskpool_n_option_rows;

/* "static,counter,...": the modes that exist. */
extern const char *const taskpool_mode_names;

/* Creates a pool over a duplicate of comm. Collective.
 * problem and settings are copied, the context borrowed.
 * Errors: STATUS_USAGE (the mode or seeding cannot do what is asked: the
 * message says why), STATUS_LIMIT (n_tasks), STATUS_NO_MEMORY; the same on
 * every process. */
enum status taskpool_create(MPI_Comm comm, const struct taskpool_problem *problem,
                            const struct taskpool_settings *settings, struct taskpool **pool);

/* Collective; NULL is fine. */
void taskpool_destroy(struct taskpool *pool);

/* One iteration: every task of the pool runs exactly once, somewhere.
 * Collective; returns the first failure, by rank, of any task, on every process;
 * the pool may be restored and run again after a failure. */
enum status taskpool_run(struct taskpool *pool);

/* Prepares the next iteration from what the mode retained. Collective; to be
 * called between two runs. */
enum status taskpool_restore(struct taskpool *pool);

/* From inside a long task: answers other workers' messages. Costs a few ns
 * when the mode exchanges none while tasks run. */
void taskpool_poll(struct taskpool *pool);

/* Fraction, in [0, 1], of the tasks known to be done by this worker's view of
 * the iteration in progress, for progress bars. Does not communicate. */
double taskpool_progress(const struct taskpool *pool);

/* Iterations run so far, and the figures of one of them, the same on every
 * process; valid until the next run. Do not communicate. */
int64_t taskpool_n_iterations(const struct taskpool *pool);
const struct statistics_iteration *taskpool_statistics(const struct taskpool *pool,
                                                       int64_t iteration);

/* Writes the figures of every worker in every iteration so far, a row each, as
 * CSV with a header. Collective; rank 0 writes.
 * Errors: STATUS_IO, STATUS_NO_MEMORY; the same on every process. */
enum status taskpool_write_statistics(const struct taskpool *pool, const char *path);

/* The tasks that this process ran in the last iteration, in the order in which
 * they ran; empty unless settings.keep_history. Valid until the next run. */
const struct history *taskpool_history(const struct taskpool *pool);

#endif
