/* SPDX-License-Identifier: BSD-3-Clause */
/* Scheduling modes of a program's own: the table of functions that a mode is, what a mode can do,
 * and the options that it reads. The header of people who write a mode; C and C++.
 *
 * A mode is a state machine for one worker. A driver, over MPI or simulated, calls for each worker
 *
 *     init, seed
 *     for each iteration:
 *         next, until it returns TASKPOOL_MODE_DONE;
 *             finished, after each task of a TASKPOOL_MODE_RUN
 *         restore, until it returns TASKPOOL_MODE_DONE; not after the last iteration
 *     fini
 *
 * and in between, also while the tasks of a TASKPOOL_MODE_RUN run,
 *
 *     receive   for each message that arrived
 *     sent      when the bulk of a message that it sent is free again
 *     fetched   for the answer of the shared counter
 *     add       for each task that the body of a task adds to a dynamic pool
 *
 * The life of a call: the driver calls next; the mode takes tasks from its state, or records
 * messages with taskpool_comm_send, and returns at once; the driver then sends the recorded
 * messages, and runs the tasks or waits. The next event (a message, the end of a bulk, an
 * answer, the time of taskpool_comm_wake) changes the state, and the driver calls next again.
 *
 * Calls for one worker never overlap, even if it has several threads; only next_local may overlap.
 * Calls for different workers may overlap. A mode communicates only through struct taskpool_comm,
 * never waits, calls no MPI, and keeps everything in its state, no global variables: the simulator
 * runs 10^5 workers in one process. Functions that return int return an enum taskpool_status. */
#ifndef TASKPOOL_MODE_H
#define TASKPOOL_MODE_H

#include "taskpool/comm.h"
#include "taskpool/option.h"
#include "taskpool/taskpool.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* --- Tasks --- */

/* The tasks first, first + step, ... < last: `last` is excluded; step >= 1. Empty if
 * first >= last. */
struct taskpool_range {
    int64_t first;
    int64_t last;
    int64_t step;
};

/* The number of tasks in a range. */
int64_t taskpool_range_count(const struct taskpool_range *range);

/* Part `part` of [0, n_tasks) cut into n_parts blocks whose sizes differ by one
 * at most, the larger ones first, as --seeding block does. 0 <= part < n_parts. */
struct taskpool_range taskpool_range_block(int64_t n_tasks, int64_t n_parts, int64_t part);

/* The inverse: the part that contains a task of [0, n_tasks). */
int64_t taskpool_range_block_of(int64_t n_tasks, int64_t n_parts, int64_t task);

/* The seeding: the tasks that each worker starts with. */
struct taskpool_seeding;

/* The worker's tasks are the ranges [0, taskpool_seeding_n_ranges); ranges may be empty. Under
 * --seeding owner `worker` must be one of this process. */
int64_t taskpool_seeding_n_ranges(const struct taskpool_seeding *seeding, int worker);
struct taskpool_range taskpool_seeding_range(const struct taskpool_seeding *seeding, int worker,
                                             int64_t i);

/* --- Options --- */

/* A table of options that one mode or several read. */
struct taskpool_mode_options {
    const struct taskpool_option *rows; /* offsets are in a struct of `size` bytes, zeroed before
                                         * the defaults are stored */
    size_t n_rows;
    size_t size; /* 0: the rows fill fields of struct taskpool_settings itself */

    /* Refuses values that the rows cannot describe, before anything runs; NULL: no check.
     * Errors: TASKPOOL_STATUS_USAGE. */
    int (*check)(const struct taskpool_settings *settings);

    size_t place;       /* in of_modes; set when a mode with these options is registered */
    bool is_registered; /* likewise */
};

/* The options of all rows of an array, with the size as above. In C. */
#define TASKPOOL_MODE_OPTIONS(rows_, size_)                                                        \
    {                                                                                              \
        .rows = rows_, .n_rows = sizeof(rows_) / sizeof((rows_)[0]), .size = size_                 \
    }

/* The struct that options of size > 0 filled. Borrowed from the settings. */
static inline const void *taskpool_settings_of(const struct taskpool_settings *settings,
                                               const struct taskpool_mode_options *options)
{
    return settings->of_modes.bytes + options->place;
}

/* --seeding, --chunk, --speeds: over the fields of these names; to be listed by modes that read
 * them. */
extern struct taskpool_mode_options taskpool_seeding_options, taskpool_chunk_options,
    taskpool_speeds_options;

/* --- The table of a mode --- */

/* The next step of a worker. TASKPOOL_MODE_SEARCH and TASKPOOL_MODE_WAIT do the same, wait for the
 * next event; they differ in the statistics alone: the time counts as search or as idle. */
enum taskpool_mode_step {
    TASKPOOL_MODE_RUN,    /* run these tasks, all of them, in order; there may be none */
    TASKPOOL_MODE_SEARCH, /* wait: tasks have been requested, or are about to be */
    TASKPOOL_MODE_WAIT,   /* wait: there is nothing to request, the others have to finish */
    TASKPOOL_MODE_DONE    /* this phase is finished: no task, message or answer will come to this
                           * worker; bulk that it sent may still be on its way */
};

/* The arguments of next and next_local, and the tasks of TASKPOOL_MODE_RUN.
 *
 * The driver polls for messages every n tasks: --poll-every, or as many fewer as take about
 * 0.1 ms, down to one. Two consequences matter to a mode:
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
    const int64_t *speed_sums; /* of --speeds: the size + 1 exclusive prefix sums of the workers'
                                * speeds, in units of 2^-30 of the largest; NULL: all are equal */
    /* Tasks wait for blocks of data (struct taskpool_machine): a task's duration depends on its
     * node. */
    bool tasks_wait;
};

/* Required: name, help, init, next, restore, progress. Other members may be NULL, 0 or false. */
struct taskpool_mode {
    const char *name; /* lower case: the value of --sched */
    const char *help; /* a line for lists of modes, without a full stop */

    /* The options that it reads besides the common ones, ending with NULL; NULL for none. */
    struct taskpool_mode_options *const *options;

    size_t state_size;   /* bytes of one worker's state, zeroed before init */
    bool seeded;         /* whether it starts from setup->seeding, in a static pool */
    bool is_bound;       /* knows all durations: simulated only, and not one of the modes that are
                        * listed or that "all" stands for */
    const char *dynamic; /* the mode that runs dynamic pools in its place; NULL: none does */
    size_t task_bytes;   /* memory of a worker for each of its tasks, at most, besides ranges */

    /* The rule that --seeding by-mode stands for, enum taskpool_seeding_rule; the same on every
     * process. NULL: TASKPOOL_SEEDING_BLOCK. */
    int (*seeding)(const struct taskpool_problem *problem);

    /* The number of words that a worker has in the memory of its node (taskpool_comm_word); asked
     * before init, the same for the same arguments. NULL: the mode uses no such memory. */
    int64_t (*node_words)(const struct taskpool_mode_setup *setup,
                          const struct taskpool_comm *comm);

    /* Prepares a state. Both arguments are borrowed until fini.
     * Errors: TASKPOOL_STATUS_USAGE, TASKPOOL_STATUS_NO_MEMORY; fini is then not called. */
    int (*init)(void *state, const struct taskpool_mode_setup *setup, struct taskpool_comm *comm);
    void (*fini)(void *state); /* NULL if nothing is owned */

    /* Takes this worker's tasks of the first iteration from the seeding, in a static pool; NULL if
     * it starts without tasks. Errors: TASKPOOL_STATUS_NO_MEMORY. */
    int (*seed)(void *state);

    /* Fills *work on TASKPOOL_MODE_RUN, with one record or with a range of any length; a mode whose
     * tasks others may take returns n_wanted at most. On a worker
     * of several threads it may be called again before the tasks of an earlier TASKPOOL_MODE_RUN
     * have finished. After TASKPOOL_MODE_SEARCH and TASKPOOL_MODE_WAIT it is called again after
     * the next event. */
    enum taskpool_mode_step (*next)(void *state, struct taskpool_mode_work *work);

    /* A fast path of next without the driver's lock, for tasks that the worker holds itself.
     * Returns false without such tasks; the driver then calls next. It may overlap receive and
     * sent, no other function. Not called after TASKPOOL_MODE_SEARCH or TASKPOOL_MODE_WAIT, when
     * tasks may be arriving. NULL: none. */
    bool (*next_local)(void *state, struct taskpool_mode_work *work);

    /* Adds a task to a dynamic pool; initial: before the iteration. Also called
     * while a task runs. NULL: the mode is for static pools only.
     * Errors: TASKPOOL_STATUS_LIMIT, TASKPOOL_STATUS_NO_MEMORY. */
    int (*add)(void *state, const void *record, bool initial);

    /* A message from a worker arrived; its bytes are valid, and aligned for any
     * type, until return. Tasks that find no room are lost, and that is reported
     * (taskpool_comm_report). NULL: the mode sends none. */
    void (*receive)(void *state, int from, const void *message, size_t size);

    /* The message with this token is completed: its bulk is no longer read and may be freed or
     * changed. Independent of its arrival: before or after the receiver's receive.
     * NULL: the mode sends none with bulk. */
    void (*sent)(void *state, int64_t token);

    /* Simulated, and unless --progress says otherwise: whether a thread of its own serves this
     * worker's messages, as in the mode's publication; constant for a worker. NULL: none has one.
     * thread_help says which workers have one, for the log. */
    bool (*has_thread)(const void *state);
    const char *thread_help;

    /* The answer to taskpool_comm_fetch_add. NULL: the mode does not use the counter. */
    void (*fetched)(void *state, int64_t value);

    /* A task of a static pool ended, or was skipped after a failure (time_s below 0: not known).
     * What it waited for blocks of data is part of its time. NULL: not
     * needed; the driver then does not time single tasks. */
    void (*finished)(void *state, int64_t task, double time_s);

    /* Prepares the next iteration; called again after events until TASKPOOL_MODE_DONE. No message
     * of another worker that prepares it arrives before the first of these calls.
     * Returns TASKPOOL_MODE_WAIT or TASKPOOL_MODE_DONE. A failure is reported
     * (taskpool_comm_report) and ends with TASKPOOL_MODE_DONE too, because other workers may wait
     * for messages of this one. */
    enum taskpool_mode_step (*restore)(void *state);

    /* The fraction of the iteration that is done, in [0, 1], as far as this worker knows: of
     * the pool's tasks those run or handed out, or of its own if it knows of no others.
     * n_run  tasks that ran on it in this iteration */
    double (*progress)(const void *state, int64_t n_run);

    /* Says what the mode has chosen for the iteration to come, after seed or restore, and why: the
     * same on all workers. NULL: it has no choice. */
    void (*explain)(const void *state, struct taskpool_choice *choice);

    /* Writes a line, at most size bytes, about where the state machine stands, for the report of
     * --watchdog. The state is a copy, made while the worker may be changing it: numbers in it may
     * be torn, and only pointers that init has set for good may be followed. Called by another
     * thread. NULL: nothing to say. */
    void (*describe)(const void *state, char *text, size_t size);
};

/* --- Work stealing, for modes that balance by it --- */

/* The queue of a worker's tasks and the detection of the iteration's end, as in mode steal.
 * Requests of other workers take half of the queue while the worker runs the rest. Opaque; a mode's
 * state begins with one. The functions below whose first argument is a state can stand in the
 * mode's table, or be called from functions that do. Its messages begin with an int32_t in
 * [0, TASKPOOL_STEALING_KINDS); the mode's own messages begin with another number. */
enum { TASKPOOL_STEALING_KINDS = 16 };
struct taskpool_stealing {
    union {
        unsigned char bytes[1024];
        long double alignment;
    } inside;
};

/* --steal, --victim, --termination, --deque, --as-published: to be listed by such a mode,
 * with taskpool_chunk_options. */
extern struct taskpool_mode_options taskpool_stealing_options;

/* For init; setup and comm are borrowed. Errors: TASKPOOL_STATUS_USAGE (--steal),
 * TASKPOOL_STATUS_NO_MEMORY. */
int taskpool_stealing_init(struct taskpool_stealing *stealing,
                           const struct taskpool_mode_setup *setup, struct taskpool_comm *comm);

/* For restore: begins an iteration, without tasks. In a dynamic pool add keeps copies of the
 * initial records, and restore adds the copies again after this call. */
void taskpool_stealing_begin(struct taskpool_stealing *stealing);

/* Adds the tasks of a range to this worker's queue; between begin, or init, and the first next.
 * Errors: TASKPOOL_STATUS_NO_MEMORY, TASKPOOL_STATUS_LIMIT (--deque). */
int taskpool_stealing_push(struct taskpool_stealing *stealing, struct taskpool_range range);

void taskpool_stealing_fini(void *state);
int taskpool_stealing_seed(void *state); /* pushes this worker's part of the seeding */
enum taskpool_mode_step taskpool_stealing_next(void *state, struct taskpool_mode_work *work);
bool taskpool_stealing_next_local(void *state, struct taskpool_mode_work *work);
int taskpool_stealing_add(void *state, const void *record, bool initial);
void taskpool_stealing_receive(void *state, int from, const void *message, size_t size);
void taskpool_stealing_sent(void *state, int64_t token);
double taskpool_stealing_progress(const void *state, int64_t n_run);
void taskpool_stealing_describe(const void *state, char *text, size_t size);

/* For node_words: long tasks then wait where others of the node can take them without an answer. */
int64_t taskpool_stealing_node_words(const struct taskpool_mode_setup *setup,
                                     const struct taskpool_comm *comm);

/* --- Termination detection, for modes that move tasks in messages of their own --- */

/* Finds that no worker has work and no message with work is on its way, by waves over a tree of all
 * workers. Opaque; part of a mode's state. Work travels in transfers, each the answer to a request;
 * the other answer is a refusal. A worker has one request under way at most. */
struct taskpool_termination {
    union {
        unsigned char bytes[512];
        long double alignment;
    } inside;
};

enum taskpool_termination_event {
    TASKPOOL_TERMINATION_SENT_TRANSFER,
    TASKPOOL_TERMINATION_RECEIVED_TRANSFER,
    TASKPOOL_TERMINATION_SENT_REQUEST,
    TASKPOOL_TERMINATION_RECEIVED_REQUEST,
    TASKPOOL_TERMINATION_SENT_REFUSAL,
    TASKPOOL_TERMINATION_RECEIVED_REFUSAL
};

/* kind  the int32_t that its messages begin with, unlike any other message of the mode
 * comm  borrowed */
void taskpool_termination_init(struct taskpool_termination *termination, struct taskpool_comm *comm,
                               int32_t kind);

/* Begins an iteration; no message of the last one is on its way. */
void taskpool_termination_begin(struct taskpool_termination *termination);

/* Notes an event: to be called at each of these, sends before or after taskpool_comm_send. */
void taskpool_termination_count(struct taskpool_termination *termination,
                                enum taskpool_termination_event event);

/* This worker has no work now. To be called after every event while that is so. */
void taskpool_termination_without_work(struct taskpool_termination *termination);

/* A message of the kind arrived.
 * without_work  this worker has no work now */
void taskpool_termination_receive(struct taskpool_termination *termination, const void *message,
                                  bool without_work);

/* Whether no work will arrive any more: a worker then sends no requests and refuses requests of
 * others. */
bool taskpool_termination_is_closed(const struct taskpool_termination *termination);

/* Whether no message of the kind will arrive either: next returns TASKPOOL_MODE_DONE. */
bool taskpool_termination_is_finished(const struct taskpool_termination *termination);

/* --- Registration --- */

/* Adds a mode, before settings are made; it and its options must exist until the end of the
 * program. The same modes in the same order on every process.
 * Errors: TASKPOOL_STATUS_USAGE (NULL, its name or an option's is taken or no name, a function is
 * missing, an option is ill-described), TASKPOOL_STATUS_LIMIT (too many modes or options); nothing
 * is changed then. */
int taskpool_register_mode(const struct taskpool_mode *mode);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
