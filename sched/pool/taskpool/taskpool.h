/* SPDX-License-Identifier: BSD-3-Clause */
/* Task pools: many independent tasks, executed by all processes of an MPI communicator under a
 * scheduling mode chosen per run. The header of programs that run pools; C and C++.
 *
 *     struct taskpool_problem problem = {.n_tasks = T, .run = my_task, .context = &mine};
 *     taskpool_create(MPI_COMM_WORLD, &problem, &settings, &pool);
 *     while (iterating) {
 *         taskpool_run(pool);      // collective: returns when all tasks ran
 *         taskpool_restore(pool);  // collective: seeds the next iteration
 *     }
 *     taskpool_destroy(pool);
 *
 * Errors   Functions that can fail return an enum taskpool_status as an int, and
 *          taskpool_error_text() then says what is wrong and what to do. A call that does not
 *          fit the state of the pool, an argument that is NULL or out of range, and processes that
 *          disagree on a problem or its settings are TASKPOOL_STATUS_USAGE; the pool stays as it
 *          was. Collective functions return the same status on every process, except where a
 *          process refuses a call from inside one of its tasks.
 * MPI      The program initialises and finalises MPI; pools live in between. Pools communicate over
 *          duplicates of their communicator, which may be any but an intercommunicator.
 *          Several pools may exist at the same time, on the same or on different communicators.
 *          Those that share processes are run one after another. A task may create and run pools of
 *          its own process (MPI_COMM_SELF, or simulated), but no pools of several processes.
 *          Pools set MPI_ERRORS_ARE_FATAL on their own duplicate of the communicator; the
 *          program's handler has no effect there. A failure inside MPI ends the program, as does
 *          a lack of a few kilobytes of memory or a mode that breaks its protocol.
 * Threads  A program calls all functions from one thread, the one that initialised MPI unless it
 *          asked for more; its tasks run on that thread. Settings with a progress thread or a
 *          watchdog start threads of the library's own, which call only functions of modes.
 *          Inside a task, of its own pool, only taskpool_add, taskpool_poll,
 *          taskpool_progress and the functions that return texts, statistics
 *          or names may be called; the others return TASKPOOL_STATUS_USAGE. A task must not wait
 *          for another task, and threads that it starts must not call these functions. */
#ifndef TASKPOOL_TASKPOOL_H
#define TASKPOOL_TASKPOOL_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The version of this header; programs built with another major or minor one are to be rebuilt. */
#define TASKPOOL_VERSION_MAJOR 0
#define TASKPOOL_VERSION_MINOR 2
#define TASKPOOL_VERSION_PATCH 0

/* The version of the library: "0.2.0". */
const char *taskpool_version(void);

/* --- Errors --- */

enum taskpool_status {
    TASKPOOL_STATUS_OK,
    TASKPOOL_STATUS_USAGE,         /* an invalid call, argument or setting */
    TASKPOOL_STATUS_INPUT,         /* the contents of a file */
    TASKPOOL_STATUS_IO,            /* a file cannot be read or written */
    TASKPOOL_STATUS_LIMIT,         /* a count or a bound, such as --deque, is exceeded */
    TASKPOOL_STATUS_NO_MEMORY,     /* refused by the system, or more than is available */
    TASKPOOL_STATUS_NOT_CONVERGED, /* for tasks: not returned by the library itself */
    TASKPOOL_STATUS_NUMERIC,       /* for tasks, too */
    TASKPOOL_STATUS_LIBRARY,       /* a library that this one calls has failed */
    TASKPOOL_STATUS_PROTOCOL       /* a scheduling mode lost tasks or messages */
};

/* The text of the last failure on this process, "" if there was none. Valid until the next. */
const char *taskpool_error_text(void);

/* "bad usage", "not enough memory", ... */
const char *taskpool_status_words(int status);

/* Records the text of a failure and returns its status; for tasks:
 *     return taskpool_fail(TASKPOOL_STATUS_NUMERIC, "task 17: 0 / 0"); */
int taskpool_fail(int status, const char *text);

/* --- Tasks --- */

/* The largest number of tasks in a pool: its sum with the chunks that all workers may have
 * requested still fits into 64 bits. */
#define TASKPOOL_MAX_TASKS (INT64_C(1) << 62)

/* The largest size of a record. */
#define TASKPOOL_MAX_RECORD_SIZE ((size_t)1 << 30)

/* The work of a pool. A static pool is the IDs [0, n_tasks), kept as ranges, so that 2e10 tasks
 * cost a few words. A dynamic one (record_size > 0) begins with the records that taskpool_add put
 * into it before the run, and grows by those that its tasks add; n_tasks is then 0. Members
 * that are not used are 0 or NULL. All processes pass equal values; pointers may differ. */
struct taskpool_problem {
    int64_t n_tasks; /* in [0, TASKPOOL_MAX_TASKS] */
    /* Runs one task; a worker runs one at a time. Any value but 0 is a failure: this worker runs
     * no further task, others run those that they hold, and taskpool_run returns the value on
     * every process. */
    int (*run)(int64_t task, void *context);
    /* The worker in [0, n_workers) that owns the task's data, for --seeding owner;
     * or NULL. The same on every process. */
    int (*owner)(int64_t task, int n_workers, void *context);
    /* The predicted cost of a task, in any unit, > 0 and finite, for --seeding cost; or
     * NULL. The same on every process. */
    double (*cost)(int64_t task, void *context);
    /* Tasks use one core all the time that they take, by this thread: where several workers share a
     * core (over MPI, all on one node), seconds in which others had it are idle time, in
     * statistics, history, traces and modes, so that efficiency is at most cores over workers.
     * Otherwise tasks take wall time, such as those that sleep in transfers. No effect in dynamic
     * pools. */
    bool computes;
    /* Tasks keep data where they ran, for instance results that the next iteration needs, and take
     * longer anywhere else. After a pool's first iteration modes that remember where tasks ran
     * (retentive, persist, auto) then go without thefts, and move tasks between iterations only
     * where the largest load exceeds the best possible by a tenth. The first iteration's durations,
     * of tasks that found nothing yet, do not count. No effect in dynamic pools. */
    bool tasks_keep_data;

    /* Called on each process after its last task, also where a task failed, before any process
     * leaves taskpool_run: completes what the tasks left under way (for instance by
     * MPI_Win_flush_all), so that one synchronisation ends that and the iteration. Fails as a task
     * does, unless one failed before it. NULL: no-op. */
    int (*finish)(void *context);

    /* Called on each process over and over while it waits for tasks, also where the mode gives it
     * none: for communication of the program's own, such as receiving what tasks elsewhere send.
     * Where processes share cores also at the end, about once a millisecond, while others still run
     * tasks. It must be short and not wait, and of the pool's functions it may call
     * taskpool_progress alone. NULL: no-op. */
    void (*idle)(void *context);

    size_t record_size; /* bytes of a dynamic pool's task; 0: the pool is static */
    /* Runs the task of a record, which it may change; see run. */
    int (*run_record)(void *record, void *context);

    void *context; /* borrowed */
};

/* --- Settings --- */

/* The tasks that a worker starts with. */
enum taskpool_seeding_rule {
    TASKPOOL_SEEDING_BLOCK,   /* a block of as many consecutive tasks as the others have */
    TASKPOOL_SEEDING_CYCLIC,  /* rank, rank + size, ... */
    TASKPOOL_SEEDING_OWNER,   /* those whose data it owns, by problem.owner */
    TASKPOOL_SEEDING_COST,    /* a block of as much predicted cost as the others have */
    TASKPOOL_SEEDING_BY_MODE, /* what the mode prefers, by default a block */
    TASKPOOL_SEEDING_LONGEST  /* the longest first, by known durations: mode lpt's, not an option */
};

/* Poll for messages between tasks, or receive them in a thread, which takes
 * MPI_THREAD_MULTIPLE. By mode: poll, but simulated workers have a thread where their mode says so
 * (mode.h, has_thread). */
enum taskpool_progress_rule {
    TASKPOOL_PROGRESS_BY_MODE,
    TASKPOOL_PROGRESS_POLL,
    TASKPOOL_PROGRESS_THREAD
};

struct taskpool_trace;

/* Settings common to all modes, followed by those that only some modes read. Filled by
 * taskpool_settings_default, then taskpool_settings_set or assignments. Plain data: copies are
 * independent, but share the texts that they point to. The same on every process. */
struct taskpool_settings {
    const char *mode;        /* one of taskpool_mode_names */
    int seeding;             /* enum taskpool_seeding_rule */
    int progress;            /* enum taskpool_progress_rule */
    int64_t poll_every;      /* tasks between two polls, at most; >= 1 */
    int64_t seed;            /* every random choice derives from it; >= 0 */
    int64_t chunk;           /* tasks handed out together; 0: the mode's default */
    const char *speeds;      /* file of relative speeds, one per worker; NULL or "": all 1 */
    double watchdog_s;       /* over MPI: most time without a finished task; 0: no watchdog */
    bool keep_history;       /* time every task, see taskpool_history */
    bool keep_timeline;      /* record the course of an iteration for beryl-sched's pages */
    int64_t keep_iterations; /* most recent iterations whose statistics are kept, some 500 bytes
                              * each and more where workers are simulated; 0: all */

    const char *trace_folder; /* NULL: no trace. taskpool_trace_start reads it and sets the next */
    struct taskpool_trace *trace; /* of the pools of the program, borrowed; NULL: none */

    size_t n_of_modes; /* bytes of of_modes with defaults; modes registered later have none */
    union {
        unsigned char bytes[1024]; /* read with taskpool_settings_of (mode.h) */
        long double alignment;
    } of_modes;
};

/* The defaults of all options. */
void taskpool_settings_default(struct taskpool_settings *settings);

/* Sets an option by its name on the command line of beryl-sched, without the dashes:
 * ("steal", "2").
 * value  as typed; "true" or NULL sets a flag, "false" clears it. A text is borrowed: it must
 *        outlive the settings, their copies and all pools created with them
 * Errors: TASKPOOL_STATUS_USAGE, naming the option and the values that it takes; the contents of a
 * text, as of "steal" or "speeds", are checked by taskpool_create. */
int taskpool_settings_set(struct taskpool_settings *settings, const char *option,
                          const char *value);

/* The names of all scheduling modes: "static,counter,...". Valid until one is registered. */
const char *taskpool_mode_names(void);

/* The level to request from MPI_Init_thread for pools with these settings: MPI_THREAD_MULTIPLE
 * with a progress thread, else MPI_THREAD_SINGLE. Over TCP, Open MPI has windows, which modes with
 * the shared counter need, only at the latter, and as Debian configures it only with
 * `mpirun --mca osc ^ucx`. */
int taskpool_thread_level(const struct taskpool_settings *settings);

/* --- Pools --- */

struct taskpool;

/* Creates a pool over a duplicate of comm. Collective over comm; one reduction makes sure that all
 * processes ask for the same.
 * problem and settings are copied, the context borrowed.
 * pool  out; NULL after a failure
 * Errors: TASKPOOL_STATUS_USAGE (the mode or seeding does not fit the problem, or costs differ
 * between processes: the message says why), TASKPOOL_STATUS_LIMIT (n_tasks, record_size, owners),
 * TASKPOOL_STATUS_NO_MEMORY, TASKPOOL_STATUS_IO and TASKPOOL_STATUS_INPUT (the file of speeds).
 * Three errors are returned without agreement:
 * MPI is not initialised, comm is MPI_COMM_NULL, comm is an intercommunicator. */
int taskpool_create(MPI_Comm comm, const struct taskpool_problem *problem,
                    const struct taskpool_settings *settings, struct taskpool **pool);

/* Collective; NULL is fine. Inside one of its own tasks it has no effect, and taskpool_run returns
 * TASKPOOL_STATUS_USAGE after the tasks. */
void taskpool_destroy(struct taskpool *pool);

/* Adds a task to a dynamic pool: to this process, before the first run or between taskpool_restore
 * and the next run; or from the body of a task. The record is copied. Tasks added outside tasks
 * start every later iteration, too; those added by tasks last for one. Not collective.
 * Errors: TASKPOOL_STATUS_USAGE (the pool is static; after a run without taskpool_restore),
 * TASKPOOL_STATUS_LIMIT (--deque), TASKPOOL_STATUS_NO_MEMORY. */
int taskpool_add(struct taskpool *pool, const void *record);

/* One iteration: every task of the pool runs exactly once, somewhere. No task starts before all
 * processes have called this, and none returns before all tasks have ended.
 * Collective. Errors, the same on every process:
 *     status of a task           the first failure, by rank; the pool may be restored and run again
 *     TASKPOOL_STATUS_USAGE      called from a task, or twice without taskpool_restore: nothing
 *                                ran, the pool is as before; or a task called taskpool_destroy
 * and those after which the caller can only destroy the pool (taskpool_restore refuses it for sure
 * only after TASKPOOL_STATUS_PROTOCOL):
 *     TASKPOOL_STATUS_LIMIT      a worker could not store its tasks (--deque)
 *     TASKPOOL_STATUS_NO_MEMORY  the same for lack of memory, or none for statistics or history
 *     TASKPOOL_STATUS_PROTOCOL   the mode lost tasks, or ran some twice
 * Where a worker could not store tasks in taskpool_restore, none ran. */
int taskpool_run(struct taskpool *pool);

/* Prepares the next iteration: seeds it anew or, in some modes, by where the tasks ran and how
 * long they took. No effect where it is prepared already. Collective; to be called between two
 * runs. Over MPI a worker's failure is returned by the next taskpool_run, which synchronises
 * anyway; simulated, by this call. Errors: TASKPOOL_STATUS_USAGE (from a
 * task, or after the mode has failed). */
int taskpool_restore(struct taskpool *pool);

/* Inside a long task: answers other workers' messages, which are otherwise answered between two
 * tasks. Recommended every 0.1 ms or so in tasks longer than a few ms; results are right without
 * it, but other workers wait. Costs a few ns where the mode exchanges no messages while tasks run.
 * Outside tasks a no-op. */
void taskpool_poll(struct taskpool *pool);

/* The fraction of the current iteration that is done, as far as this worker knows: of the
 * pool's tasks or, in modes without knowledge of the others', of its own. For
 * progress bars. Does not communicate. */
double taskpool_progress(const struct taskpool *pool);

/* Memory of a process for each task that it runs, in bytes: data of the mode and the history.
 * All modes also hold ranges of tasks, which are few as long as neighbours stay
 * together. Not collective. */
int64_t taskpool_task_bytes(const struct taskpool_settings *settings);

/* --- What an iteration took --- */

/* Over the workers. */
struct taskpool_spread {
    double mean;
    double sd; /* standard deviation of the population: divided by the number of workers */
};

/* The choice that a mode made for an iteration, in a text that changes only with the choice, and
 * the measurements that it follows from. Empty: the mode has no choice. */
struct taskpool_choice {
    char what[96];
    char why[160];
};

/* All workers in one iteration. Seconds, messages, bytes and tasks are sums over the workers unless
 * it says otherwise. A worker's time, from the start of an iteration until the last worker
 * is done (the makespan), is divided so that
 *     task + search + idle + scheduler + communication = makespan
 *   task           in the bodies of tasks
 *   search         without a task while the mode searches for one, for instance
 *                  while a request to a victim or to the shared counter is out
 *   idle           without a task and not searching, including the wait at the end and, on one
 *                  node, that for a core which other workers have, at the start or while tasks
 *                  compute
 *   scheduler      in the mode, choosing tasks; where that takes some ns a
 *                  task it is measured once per poll and otherwise counts
 *                  as task, because reading the clock would take longer
 *   communication  sending messages; polling for messages and answering them
 *                  between tasks */
struct taskpool_iteration {
    int64_t iteration; /* from 0 */
    int64_t n_workers;
    int64_t tasks;
    double makespan_s;
    double task_s;
    double idle_s;
    double search_s;
    double scheduler_s;
    double communication_s;
    double balance_s; /* in the taskpool_restore before it, of the slowest worker; not part of the
                       * makespan */
    double load_mean; /* seconds in tasks, of a worker */
    double load_max;
    double imbalance;  /* load_max / load_mean - 1; 0 without load */
    double efficiency; /* task_s / (n_workers x makespan_s); 1 without time */
    struct taskpool_spread steals_attempted;
    struct taskpool_spread steals_successful;
    int64_t tasks_moved;
    int64_t messages;
    int64_t bytes;
    struct taskpool_choice choice;
};

/* The number of iterations run so far, and the statistics of one iteration, identical on every
 * process. The statistics of all iterations are one array, valid until the next run. With
 * settings.keep_iterations only the most recent iterations are kept, not as one array; NULL for an
 * iteration that is not kept. Do not communicate. */
int64_t taskpool_n_iterations(const struct taskpool *pool);
const struct taskpool_iteration *taskpool_statistics(const struct taskpool *pool,
                                                     int64_t iteration);

/* Writes the statistics of every worker in every iteration so far, a row each, as
 * CSV with a header. Collective; rank 0 writes.
 * Errors: TASKPOOL_STATUS_USAGE (with settings.keep_iterations), TASKPOOL_STATUS_IO,
 * TASKPOOL_STATUS_NO_MEMORY, TASKPOOL_STATUS_LIMIT; the same on every process. */
int taskpool_write_statistics(const struct taskpool *pool, const char *path);

/* The tasks of an iteration: task, worker and seconds, one entry per task that ran without failure.
 * The cost grows with the tasks that run, not with the tasks of the pool. Simulated seconds exclude
 * the wait for data. */
struct taskpool_history_entry {
    int64_t task;
    float time_s; /* float: two runs of a task differ by more than its precision */
    int32_t worker;
};

struct taskpool_history {
    struct taskpool_history_entry *entries; /* n_entries, in the order in which they ended */
    int64_t n_entries;
    int64_t capacity;
};

/* The tasks that this process ran without failure in the last iteration; empty unless
 * settings.keep_history. Valid until the next run. */
const struct taskpool_history *taskpool_history(const struct taskpool *pool);

/* --- Traces --- */

/* A timeline of what the workers of all pools of a program do:
 *
 *     settings.trace_folder = "trace";
 *     taskpool_trace_start(comm, &settings);         // before the pools; without a folder this
 *     ... pools made with these settings             // and all that follows have no effect
 *     taskpool_trace_write(settings.trace, comm, NULL);
 *     taskpool_trace_destroy(settings.trace);
 *
 * Sets settings->trace. Collective over comm, with the same processes as the pools.
 * Errors: TASKPOOL_STATUS_IO (the folder cannot be written to), naming it; the same on every
 * process. */
int taskpool_trace_start(MPI_Comm comm, struct taskpool_settings *settings);

/* Forgets what was recorded so far, and begins the time anew. Collective over the comm of
 * taskpool_trace_start; NULL is fine. */
void taskpool_trace_restart(struct taskpool_trace *trace, MPI_Comm comm);

/* Writes what was recorded so far as trace.json, in Chrome's format, and as traces.otf2 with its
 * folder, in OTF2: at most 200 MB together, the first of each worker; what is left out is counted.
 * Files of a real run contain its date; equal simulated runs write identical files. Replaces the
 * files of an earlier run. A failure leaves the earlier files unchanged, and no partial file.
 * More may be recorded only after taskpool_trace_restart.
 * Collective over the comm of taskpool_trace_start; NULL is fine.
 * part  subfolder of the trace's folder for the files; NULL: the trace's folder itself
 * Errors: TASKPOOL_STATUS_IO, TASKPOOL_STATUS_LIBRARY; the same on every process. */
int taskpool_trace_write(struct taskpool_trace *trace, MPI_Comm comm, const char *part);

/* Folders that were made and are empty are removed too. Not collective; NULL is fine. */
void taskpool_trace_destroy(struct taskpool_trace *trace);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
