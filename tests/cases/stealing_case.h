/* SPDX-License-Identifier: BSD-3-Clause */
/* Workers that steal, as tests see them: by hand, their messages waiting in a list
 * until the test delivers them, and in simulation. */
#pragma once

#include "sched/pool/modes/modes.h"
#include "sched/pool/protocols/stealing.h"
#include "taskpool/simulation.h"
#include "tests/cases/pool_cases.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

/* --- by hand --- */

struct message {
    int from, to;
    int64_t token;
    const void *bulk; /* read only on delivery */
    size_t head_size, bulk_size;
    char head[64];
};

struct hand_worker {
    struct taskpool_comm comm; /* first */
    struct stealing *stealing; /* the mode's state, which begins with it */
};

/* Queued messages between the workers, which a test delivers. */
static struct message messages[64];
static int n_messages;
static struct hand_worker workers[16];
static const struct taskpool_mode *mode;
static struct taskpool_problem problem;
static struct taskpool_settings settings;
static struct taskpool_mode_setup setup = {.problem = &problem, .settings = &settings};

static inline void hand_send(struct taskpool_comm *comm, int to,
                             const struct taskpool_comm_message *message)
{
    struct message queued = {.from = comm->rank,
                             .to = to,
                             .token = message->token,
                             .bulk = message->bulk,
                             .head_size = message->head_size,
                             .bulk_size = message->bulk ? message->bulk_size : 0};
    assert_true(to != comm->rank && to >= 0 && to < comm->size);
    if (*(const int32_t *)message->head == STEALING_TERMINATION)
        return; /* termination detection is not tested here */
    assert_true(message->head_size <= sizeof queued.head && n_messages < 64);
    memcpy(queued.head, message->head, message->head_size);
    messages[n_messages++] = queued;
}

/* The clock stands still until a test sets it. */
static double hand_clock_s;
static double hand_wake_s; /* delay of the last wake-up that a worker requested */

static inline double hand_now(struct taskpool_comm *comm)
{
    (void)comm;
    return hand_clock_s;
}

static inline void hand_wake(struct taskpool_comm *comm, double delay_s)
{
    (void)comm;
    hand_wake_s = delay_s;
}

static const struct taskpool_comm_functions hand_functions = {
    .now = hand_now, .send = hand_send, .wake = hand_wake};

/* So many workers without a task, in nodes of four. */
static inline void hire(int n, const char *command_line)
{
    static const int ranks[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    settings = pool_case_settings(command_line);
    mode = mode_find(settings.mode);
    problem = (struct taskpool_problem){0};
    n_messages = 0;
    for (int i = 0; i < n; i++) {
        workers[i].comm = (struct taskpool_comm){.functions = &hand_functions,
                                                 .rank = i,
                                                 .size = n,
                                                 .node_ranks = ranks + i / 4 * 4,
                                                 .n_node_ranks = n < 4 ? n : 4};
        comm_seed_random(&workers[i].comm, 1, (uint64_t)i);
        workers[i].stealing = calloc(1, mode->state_size);
        check_ok(mode->init(workers[i].stealing, &setup, &workers[i].comm));
    }
}

static inline void dismiss(int n)
{
    for (int i = 0; i < n; i++) {
        mode->fini(workers[i].stealing);
        free(workers[i].stealing);
    }
}

/* Gives a worker the tasks 0, 10, 20, ..., in ranges of so many. */
static inline void load(int worker, int64_t n_tasks, int64_t n_per_range)
{
    struct task_ranges ranges = {0};
    struct taskpool_range list[256];
    for (int64_t i = 0; i < n_tasks; i += n_per_range)
        list[ranges.n++] = (struct taskpool_range){10 * i, 10 * (i + n_per_range), 10};
    ranges.list = list;
    check_ok(stealing_push(workers[worker].stealing, &ranges));
}

static inline enum taskpool_mode_step next(int worker, int64_t n_wanted,
                                           struct taskpool_range *range)
{
    struct taskpool_mode_work work = {.n_wanted = n_wanted};
    enum taskpool_mode_step step = taskpool_stealing_next(workers[worker].stealing, &work);
    *range = step == TASKPOOL_MODE_RUN ? work.range : (struct taskpool_range){0, 0, 1};
    return step;
}

/* A thief's request reaches the victim. */
static inline void request(int thief, int victim)
{
    _Alignas(8) int32_t kind = STEALING_REQUEST;
    taskpool_stealing_receive(workers[victim].stealing, thief, &kind, sizeof kind);
}

static inline void deliver(int i)
{
    struct message message = messages[i];
    _Alignas(16) char bytes[4096];
    messages[i] = messages[--n_messages];
    assert_true(message.head_size + message.bulk_size <= sizeof bytes);
    memcpy(bytes, message.head, message.head_size);
    if (message.bulk)
        memcpy(bytes + message.head_size, message.bulk, message.bulk_size);
    taskpool_stealing_receive(workers[message.to].stealing, message.from, bytes,
                              message.head_size + message.bulk_size);
    if (message.bulk)
        taskpool_stealing_sent(workers[message.from].stealing, message.token);
}

/* How many tasks a request of thief 1 to worker 0 moves, 0 for a refusal. */
static inline int64_t steal(void)
{
    struct task_deque *deque = &workers[1].stealing->deque;
    int64_t n_before = task_deque_n_tasks(deque);
    assert_int_equal(n_messages, 0);
    request(1, 0);
    assert_int_equal(n_messages, 1);
    assert_int_equal(messages[0].to, 1);
    deliver(0);
    return task_deque_n_tasks(deque) - n_before;
}

/* --- in simulation --- */

enum { MAX_TASKS = 20000 };

/* Observations of a simulated run. */
struct run {
    int n_workers;
    int64_t n_tasks;
    int64_t n_messages; /* seen so far */
    int n_runs[MAX_TASKS];
    int worker[MAX_TASKS]; /* that ran it in this iteration */
    struct taskpool_iteration figures;
};

/* From 1 to 100 units, in no order, and the first tenth of the tasks five times
 * longer. */
static inline double uneven(int64_t task, const void *record, const void *context)
{
    const struct run *run = context;
    (void)record;
    return 1e-4 * (double)(1 + task * 7919 % 100) * (task < run->n_tasks / 10 ? 5 : 1);
}

static inline int count_run(int64_t task, void *context)
{
    struct run *run = context;
    run->n_runs[task]++;
    return STATUS_OK;
}

/* The first message of all: its sender has run all that it was seeded with. */
static inline void watch(int from, int to, const void *message, size_t size, void *context)
{
    struct run *run = context;
    (void)to;
    (void)message;
    (void)size;
    if (run->n_messages++ > 0)
        return;
    struct taskpool_range range = taskpool_range_block(run->n_tasks, run->n_workers, from);
    for (int64_t task = range.first; task < range.last; task++)
        assert_int_equal(run->n_runs[task], 1);
}

static inline struct taskpool *simulate(struct run *run, const char *command_line,
                                        struct taskpool_machine *machine)
{
    struct taskpool_settings chosen = pool_case_settings(command_line);
    struct taskpool_problem work = {.n_tasks = run->n_tasks, .run = count_run, .context = run};
    struct taskpool *pool;
    chosen.keep_history = true;
    machine->n_workers = run->n_workers;
    machine->observe = watch;
    machine->context = machine->observer = run;
    check_ok(taskpool_simulate(&work, &chosen, machine, &pool));
    return pool;
}

static inline void iterate(struct run *run, struct taskpool *pool, int iteration)
{
    if (iteration > 0)
        check_ok(taskpool_restore(pool));
    check_ok(taskpool_run(pool));
    run->figures = *taskpool_statistics(pool, iteration);
    const struct taskpool_history *history = taskpool_history(pool);
    assert_int_equal(history->n_entries, run->n_tasks);
    for (int64_t i = 0; i < history->n_entries; i++)
        run->worker[history->entries[i].task] = history->entries[i].worker;
    for (int64_t task = 0; task < run->n_tasks; task++)
        assert_int_equal(run->n_runs[task], iteration + 1);
}
