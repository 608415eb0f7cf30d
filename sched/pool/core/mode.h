/* A scheduling mode: a state machine for one worker, as a table of functions.
 *
 * A driver calls, for each worker,
 *
 *     init, seed
 *     for each iteration:
 *         next until TASKPOOL_MODE_DONE; after every TASKPOOL_MODE_RUN finished for each of its
 * tasks restore until TASKPOOL_MODE_DONE, unless it was the last fini
 *
 * and in between, also while the tasks of a TASKPOOL_MODE_RUN run,
 *
 *     receive   for each message that arrived
 *     sent      when the bulk of a message that it sent is free again
 *     fetched   for the answer of the shared counter
 *     add       for each task that the body of a task adds to a dynamic pool
 *
 * The life of a call: the driver calls next; the mode takes tasks from its state, or records
 * messages with comm.h, and returns at once; the driver then sends the recorded messages, and
 * runs the tasks or waits. The next event (a message, an answer, the time of taskpool_comm_wake)
 * changes the state, and the driver calls next again.
 *
 * Calls for one worker never overlap, whatever the number of its threads, except next_local;
 * calls for different workers may. A mode communicates only through comm.h, never waits, and
 * keeps everything in its state, no global variables: the simulator runs 10^5 workers in one
 * process. */
#ifndef BERYL_SCHED_MODE_H
#define BERYL_SCHED_MODE_H

#include "sched/pool/core/comm.h"
#include "sched/pool/core/problem.h"
#include "sched/pool/core/seeding.h"
#include "sched/pool/core/settings.h"
#include "sched/pool/queues/task_ranges.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* First kinds of messages of the protocols that one mode may combine. */
enum { STEALING_FIRST_KIND = 0, BALANCER_FIRST_KIND = 16 };

/* The next step of a worker. TASKPOOL_MODE_SEARCH and TASKPOOL_MODE_WAIT do the same, wait for the
 * next event; they differ in the statistics alone: the time counts as search or as idle. */
enum taskpool_mode_step {
    TASKPOOL_MODE_RUN,    /* run these tasks, all of them, in order; there may be none */
    TASKPOOL_MODE_SEARCH, /* wait: tasks have been requested, or are about to be */
    TASKPOOL_MODE_WAIT,   /* wait: there is nothing to request, the others have to finish */
    TASKPOOL_MODE_DONE,   /* this phase is finished: no task, message or answer will come to this
                           * worker;   bulk that it sent may still be on its way */
};

/* The arguments of next and next_local, and the tasks of TASKPOOL_MODE_RUN.
 *
 * The driver polls for messages every n tasks: --poll-every, or as many fewer as take about
 * 0.1 ms, down to one (poll_interval.h). Two consequences matter to a mode:
 * n_wanted        the tasks left until the next poll. A range of more is run with polls in
 *                 between, but no thief can get any of it any more, so a mode that shares its
 *                 tasks returns n_wanted at most.
 * tasks_are_long  the driver polls after every single task, because each takes 0.1 ms or
 *                 more. Such tasks are worth a message, and worth being timed, one by one: the
 *                 modes that steal share all of them but the one that runs, and those that
 *                 remember what ran note its duration. */
struct taskpool_mode_work {
    int64_t n_wanted;            /* in, >= 1 */
    bool tasks_are_long;         /* in */
    struct taskpool_range range; /* out: the tasks; in a dynamic pool not set */
    void *record;                /* in: room for a record, to be filled; NULL in a static pool */
};

/* Data that the workers of a pool share; outlives their states. */
struct taskpool_mode_setup {
    const struct taskpool_problem *problem;
    const struct taskpool_settings *settings;
    const struct taskpool_seeding *seeding; /* NULL unless the mode is seeded and the pool static */
    const int64_t *speed_sums;              /* of --speeds, see speeds_sum; NULL: all are equal */
};

struct taskpool_mode {
    const char *name; /* lower case: the value of --sched */
    const char *help; /* a line for lists of modes, without a full stop */

    /* The options that it reads besides the common ones, ending with NULL; NULL for none. */
    struct taskpool_mode_options *const *options;

    size_t state_size; /* bytes of one worker's state, zeroed before init */
    bool seeded;       /* whether it starts from setup->seeding, in a static pool */
    bool is_bound;     /* knows all durations: simulated only, seeded by seeding_longest_init, and
                        * not one of the modes that are listed or that "all" stands for */
    bool prefers_cost; /* from --seeding cost where costs are predicted, instead of block */
    size_t task_bytes; /* memory of a worker for each of its tasks, at most, besides ranges */

    /* Prepares a state. Both arguments are borrowed until fini.
     * Errors: STATUS_USAGE, STATUS_NO_MEMORY; fini is then not called. */
    enum status (*init)(void *state, const struct taskpool_mode_setup *setup,
                        struct taskpool_comm *comm);
    void (*fini)(void *state); /* NULL if nothing is owned */

    /* Takes this worker's tasks of the first iteration from the seeding; NULL if it starts
     * without tasks. Errors: STATUS_NO_MEMORY. */
    enum status (*seed)(void *state);

    /* Fills *work on TASKPOOL_MODE_RUN, with a range of any length or with one record. On a worker
     * of several threads it may be called again before the tasks of an earlier TASKPOOL_MODE_RUN
     * have finished. After TASKPOOL_MODE_SEARCH and TASKPOOL_MODE_WAIT it is called again after
     * the next event. */
    enum taskpool_mode_step (*next)(void *state, struct taskpool_mode_work *work);

    /* A fast path of next without the driver's lock, for tasks that the worker holds itself;
     * false if there are none, next is then called. Unlike all others it may be called at the
     * same time as receive and sent, but not after TASKPOOL_MODE_SEARCH or TASKPOOL_MODE_WAIT, when
     * tasks may be arriving. NULL: none. */
    bool (*next_local)(void *state, struct taskpool_mode_work *work);

    /* Adds a task to a dynamic pool; initial: before the iteration. Also called
     * between TASKPOOL_MODE_RUN and finished. NULL: the mode is for static pools only.
     * Errors: STATUS_LIMIT, STATUS_NO_MEMORY. */
    enum status (*add)(void *state, const void *record, bool initial);

    /* A message from a worker arrived; its bytes are valid, and aligned for any
     * type, until return. Tasks that find no room are lost, and that is reported
     * (taskpool_comm_report). NULL: the mode sends none. */
    void (*receive)(void *state, int from, const void *message, size_t size);

    /* The message with this token is completed: its bulk is no longer read and may be freed or
     * changed. NULL: the mode sends none with bulk. */
    void (*sent)(void *state, int64_t token);

    /* Simulated, and unless --progress says otherwise: whether a thread of its own serves this
     * worker's messages, as where the mode was published; the answer never changes. NULL: none
     * has one. thread_help says which workers have one, for the log. */
    bool (*has_thread)(const void *state);
    const char *thread_help;

    /* The answer to taskpool_comm_fetch_add. NULL: the mode does not use the counter. */
    void (*fetched)(void *state, int64_t value);

    /* A task of a static pool ended, or was skipped after a failure (time_s 0). NULL: not
     * needed; the driver then does not time single tasks. */
    void (*finished)(void *state, int64_t task, double time_s);

    /* Prepares the next iteration; called again after events until TASKPOOL_MODE_DONE.
     * Returns TASKPOOL_MODE_WAIT or TASKPOOL_MODE_DONE. A failure is reported
     * (taskpool_comm_report) and ends with TASKPOOL_MODE_DONE too, because other workers may wait
     * for messages of this one. */
    enum taskpool_mode_step (*restore)(void *state);

    /* The fraction of the iteration that is done, in [0, 1], as far as this worker knows: of
     * the pool's tasks those run or handed out, or of its own if it knows of no others.
     * n_run  tasks that ran on it in this iteration */
    double (*progress)(const void *state, int64_t n_run);

    /* Writes a line, at most size bytes, about where the state machine stands, for the report of
     * --watchdog. The state is a copy, made while the worker may be changing it: numbers in it may
     * be torn, and only pointers that init has set for good may be followed. Called by another
     * thread. NULL: nothing to say. */
    void (*describe)(const void *state, char *text, size_t size);
};

#endif
