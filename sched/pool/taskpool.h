/* Task pools: many independent tasks, executed by all processes under a
 * scheduling mode chosen per run. The header that applications include.
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

#include "sched/pool/core/history.h"
#include "sched/pool/core/problem.h"
#include "sched/pool/core/settings.h"
#include "sched/pool/core/statistics.h"
#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct taskpool;
struct json_t;           /* jansson.h */
struct taskpool_machine; /* sched/pool/drivers/sim/machine.h */
struct taskpool_mode;    /* sched/pool/core/mode.h */

/* The names of all scheduling modes: "static,counter,...". Valid until one is registered. */
const char *taskpool_mode_names(void);

/* Adds a mode of the program's own, before settings are made; it must outlive all pools. The
 * same modes in the same order on every process. sched/pool/core/mode.h describes how to write one.
 * Errors: STATUS_USAGE (its name or an option's is taken or no name, a function is missing, an
 * option is ill-described), STATUS_LIMIT (too many modes or options). */
enum status taskpool_register_mode(const struct taskpool_mode *mode);

/* The defaults of all options. */
void taskpool_settings_default(struct taskpool_settings *settings);

/* Sets an option by its name on the command line, without the dashes: ("steal", "2").
 * value  as typed; kept, not copied, where it is a text. "true" sets a flag, "false" clears it
 * Errors: STATUS_USAGE, naming the option and the values that it takes. */
enum status taskpool_settings_set(struct taskpool_settings *settings, const char *option,
                                  const char *value);

/* The thread level to request from MPI_Init_thread before such pools are created. A progress
 * thread needs the highest; over TCP, Open MPI offers windows, which the modes over the shared
 * counter need, only at the lowest, and as Debian configures it only with `mpirun --mca osc ^ucx`.
 */
int taskpool_thread_level(const struct taskpool_settings *settings);

/* Creates a pool over a duplicate of comm. Collective.
 * problem and settings are copied, the context borrowed.
 * Errors: STATUS_USAGE (the mode or seeding does not fit the problem: the
 * message says why), STATUS_LIMIT (n_tasks, owners), STATUS_NO_MEMORY; the same on
 * every process. */
enum status taskpool_create(MPI_Comm comm, const struct taskpool_problem *problem,
                            const struct taskpool_settings *settings, struct taskpool **pool);

/* Creates a pool whose workers are machine->n_workers simulated ones, in this
 * process alone. Everything else is as with taskpool_create; times are those of
 * the machine. Not collective.
 * machine  borrowed until destruction
 * problem->run may be NULL: then tasks only take simulated time
 * Errors: as taskpool_create; STATUS_NO_MEMORY also where the workers would not fit.
 * taskpool_run and taskpool_restore may also fail with STATUS_LIMIT, where tasks end after 10^9 s,
 * and with STATUS_PROTOCOL, which would be an error in the mode. */
enum status taskpool_simulate(const struct taskpool_problem *problem,
                              const struct taskpool_settings *settings,
                              const struct taskpool_machine *machine, struct taskpool **pool);

/* Memory of a process for each task that it runs, in bytes: data of the mode and the history.
 * All modes also hold ranges of tasks, which are few as long as neighbours stay
 * together. Not collective. */
int64_t taskpool_task_bytes(const struct taskpool_settings *settings);

/* Collective; NULL is fine. */
void taskpool_destroy(struct taskpool *pool);

/* Adds a task to a dynamic pool: before a run to this process, or from the body
 * of a task. The record is copied. Tasks added before a run are added again by
 * taskpool_restore. Not collective.
 * Errors: STATUS_LIMIT (--deque), STATUS_NO_MEMORY. */
enum status taskpool_add(struct taskpool *pool, const void *record);

/* One iteration: every task of the pool runs exactly once, somewhere. No task starts before all
 * processes have called this, and none returns before all tasks have ended.
 * Collective; returns the first failure, by rank, of any task, on every process,
 * or STATUS_NO_MEMORY for statistics or history, or STATUS_PROTOCOL when the mode lost
 * tasks or ran some twice, or STATUS_LIMIT (--deque) or STATUS_NO_MEMORY when a worker could not
 * keep its tasks: then no task ran if that was in taskpool_restore. After the failure of a task
 * the pool may be restored and run again, after others it may only be destroyed. */
enum status taskpool_run(struct taskpool *pool);

/* Prepares the next iteration: seeds it anew or, in some modes, by where the tasks ran and how
 * long they took. Collective; to be called between two runs. Over MPI the failure of a worker is
 * returned by the next taskpool_run, whose synchronisation agrees on it; simulated, by this call.
 */
enum status taskpool_restore(struct taskpool *pool);

/* From inside a long task: answers other workers' messages. Costs a few ns
 * when the mode exchanges none while tasks run. */
void taskpool_poll(struct taskpool *pool);

/* The fraction of the current iteration that is done, as far as this worker knows: of the
 * pool's tasks or, in modes without knowledge of the others', of its own. For
 * progress bars. Does not communicate. */
double taskpool_progress(const struct taskpool *pool);

/* Iterations run so far, and the statistics of one of them, in an array with those of the
 * others; the same on every process, valid until the next run. Do not communicate. With
 * settings.keep_iterations only of the last ones, each in a place of its own. */
int64_t taskpool_n_iterations(const struct taskpool *pool);
const struct taskpool_iteration *taskpool_statistics(const struct taskpool *pool,
                                                     int64_t iteration);

/* Writes the statistics of every worker in every iteration so far, a row each, as
 * CSV with a header. Collective; rank 0 writes. Not with settings.keep_iterations.
 * Errors: STATUS_IO, STATUS_NO_MEMORY, STATUS_LIMIT; the same on every process. */
enum status taskpool_write_statistics(const struct taskpool *pool, const char *path);

/* The course of the last iteration, as the key `timeline` of a result, on process 0 of the pool;
 * NULL elsewhere, and without settings.keep_timeline or an iteration. The caller owns it.
 * Collective. Errors: STATUS_NO_MEMORY, STATUS_LIMIT; the same on every process. */
enum status taskpool_timeline(const struct taskpool *pool, struct json_t **timeline);

/* The tasks that this process ran without failure in the last iteration, in the order
 * in which they ended; empty unless settings.keep_history. Valid until the next run. */
const struct taskpool_history *taskpool_history(const struct taskpool *pool);

#endif
