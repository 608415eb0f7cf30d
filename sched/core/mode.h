/* A scheduling mode: a state machine for one worker, as a table of functions.
 *
 * A driver calls, for each worker,
 *
 *     init, seed
 *     for each iteration:
 *         next until MODE_DONE; after every MODE_RUN finished for each of its tasks
 *         restore until MODE_DONE, unless it was the last
 *     fini
 *
 * and receive, sent and fetched whenever there is something to tell, also
 * between MODE_RUN and finished. Calls for one worker never overlap, whatever
 * the number of its threads; calls for different workers may. A mode acts on
 * the world only through comm.h, never waits, and keeps all that it knows in
 * its state: a simulated driver runs 10^5 workers in one process. */
#ifndef BERYL_SCHED_MODE_H
#define BERYL_SCHED_MODE_H

#include "sched/core/comm.h"
#include "sched/core/problem.h"
#include "sched/core/seeding.h"
#include "sched/core/settings.h"
#include "sched/queues/task_ranges.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* First kinds of messages of the protocols that one mode may combine. */
enum { STEALING_FIRST_KIND = 0, BALANCER_FIRST_KIND = 16 };

/* What a worker is to do now. */
enum mode_step {
    MODE_RUN,    /* these tasks, all of them, in order; there may be none */
    MODE_SEARCH, /* wait for the next event; work is being looked for */
    MODE_WAIT,   /* wait for the next event; nothing to look for */
    MODE_DONE,   /* nothing any more: no task, message or answer will come to this
                  * worker in this phase; bulk it sent may still be on its way */
};

/* What MODE_RUN comes with. */
struct mode_work {
    int64_t n_wanted;        /* in: tasks the driver runs before it looks for messages, >= 1 */
    bool are_long;           /* in: of late it looked after each, because they take so long */
    struct task_range range; /* out: the tasks; in a dynamic pool not set */
    void *record;            /* in: room for a record, to be filled; NULL in a static pool */
};

/* What the workers of a pool have in common; outlives their states. */
struct mode_setup {
    const struct taskpool_problem *problem;
    const struct taskpool_settings *settings;
    const struct seeding *seeding; /* NULL if the mode does not ask for it */
    const int64_t *speed_sums;     /* of --speeds, see speeds_sum; NULL: all are equal */
};

struct mode {
    const char *name; /* lower case: the value of --sched */
    const char *help; /* a line for lists of modes, without a full stop */

    /* What it reads of the settings, ending with NULL; NULL for nothing but the common ones. */
    struct mode_options *const *options;

    size_t state_size; /* bytes of one worker's state, zeroed before init */
    bool seeded;       /* whether it starts from setup->seeding, in a static pool */
    bool prefers_cost; /* from --seeding cost where costs are predicted, instead of block */
    size_t task_bytes; /* a worker holds for each of its tasks, at most, besides ranges */

    /* Prepares a state. Both arguments are borrowed until fini.
     * Errors: STATUS_USAGE, STATUS_NO_MEMORY; fini is then not called. */
    enum status (*init)(void *state, const struct mode_setup *setup, struct comm *comm);
    void (*fini)(void *state); /* NULL if nothing is owned */

    /* Gives this worker its tasks for the first iteration; NULL if it has none
     * beforehand. Errors: STATUS_NO_MEMORY. */
    enum status (*seed)(void *state);

    /* Fills *work on MODE_RUN: with a range of any length, though one longer
     * than wanted cannot be divided any more, or with one record. With several
     * executors it may be called again before the tasks of an earlier MODE_RUN
     * have finished. After MODE_SEARCH and MODE_WAIT it is called again when
     * something has happened. */
    enum mode_step (*next)(void *state, struct mode_work *work);

    /* The same for tasks that the worker can have at once, false if there are
     * none. Unlike all others it may be called at the same time as receive and
     * sent, but not after MODE_SEARCH or MODE_WAIT, when tasks may be coming in.
     * NULL: there is no such way. */
    bool (*next_local)(void *state, struct mode_work *work);

    /* Adds a task to a dynamic pool; initial: before the iteration. Also called
     * between MODE_RUN and finished. NULL: the mode is for static pools only.
     * Errors: STATUS_LIMIT, STATUS_NO_MEMORY. */
    enum status (*add)(void *state, const void *record, bool initial);

    /* A message from a worker arrived; its bytes are valid, and aligned for any
     * type, until return. NULL: the mode sends none. */
    void (*receive)(void *state, int from, const void *message, size_t size);

    /* The bulk of a message is no longer read. NULL: the mode sends none. */
    void (*sent)(void *state, int64_t token);

    /* The answer to comm_fetch_add. NULL: the mode does not use the counter. */
    void (*fetched)(void *state, int64_t value);

    /* A task of a static pool ended, or was passed over after a failure (time_s
     * 0). NULL: the mode need not know, and tasks need not be timed one by one. */
    void (*finished)(void *state, int64_t task, double time_s);

    /* Prepares the next iteration; called again after events until MODE_DONE.
     * Returns MODE_WAIT or MODE_DONE. Whatever it needs that it cannot have ends
     * the program. */
    enum mode_step (*restore)(void *state);

    /* How far the iteration is, in [0, 1], as far as this worker knows: of the
     * pool's tasks the fraction done or handed out, or of its own if it knows of
     * no others; n_run tasks have run on it in this iteration. */
    double (*progress)(const void *state, int64_t n_run);
};

#endif
