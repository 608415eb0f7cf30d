/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of waiting tasks in the memory of a node: by hand, and with threads that all open, take and
 * steal at the same time. */
#include "sched/pool/shared/steal_window.h"
#include "support/base/random.h"
#include "tests/cases/node_memory_case.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct windows {
    struct node_case node;
    struct steal_window each[NODE_CASE_WORKERS];
};

static struct windows *make_windows(void)
{
    struct windows *windows = calloc(1, sizeof *windows);
    struct taskpool_problem problem = {.n_tasks = 1};
    const struct taskpool_mode_setup setup = {.problem = &problem};
    int64_t n_words[NODE_CASE_WORKERS];
    for (int i = 0; i < NODE_CASE_WORKERS; i++)
        n_words[i] = taskpool_stealing_node_words(&setup, NULL);
    node_case_init(&windows->node, n_words);
    for (int i = 0; i < NODE_CASE_WORKERS; i++)
        steal_window_init(&windows->each[i], &windows->node.comms[i]);
    return windows;
}

static void expect_range(struct taskpool_range range, int64_t first, int64_t n, int64_t step)
{
    assert_int_equal(range.first, first);
    assert_int_equal(taskpool_range_count(&range), n);
    assert_true(n == 1 || range.step == step);
}

/* Tasks 10, 12, 14, 16; 5; 20 to 24. */
static const struct steal_window_part ten_tasks = {
    .n_tasks = 10, .n = 3, .ranges = {{10, 17, 2}, {5, 6, 1}, {20, 25, 1}}};

TEST(the_worker_takes_from_the_front_and_others_from_the_back)
{
    struct windows *windows = make_windows();
    struct steal_window *own = &windows->each[2], *thief = &windows->each[5];
    struct steal_window_part part;
    struct taskpool_range range;
    assert_int_equal(steal_window_find(thief), -1);
    assert_false(steal_window_take(own, 1, &range));
    assert_false(steal_window_steal(thief, 2, 0, 1, &part));
    steal_window_open(own, &ten_tasks, true);
    assert_true(steal_window_has_all(thief, 2) && !steal_window_has_all(thief, 3));
    assert_int_equal(steal_window_find(thief), 2);
    assert_int_equal(steal_window_find(own), -1);

    assert_true(steal_window_take(own, 3, &range));
    expect_range(range, 10, 3, 2);
    assert_true(steal_window_steal(thief, 2, 0, 1, &part)); /* 4 of 7 */
    assert_int_equal(part.n_tasks, 4);
    assert_int_equal(part.n, 1);
    expect_range(part.ranges[0], 21, 4, 1);
    assert_true(steal_window_steal(thief, 2, 1, 2, &part));
    assert_int_equal(part.n, 2);
    expect_range(part.ranges[0], 5, 1, 1);
    expect_range(part.ranges[1], 20, 1, 1);
    assert_int_equal(steal_window_n_tasks(own), 1);
    assert_true(steal_window_take(own, 3, &range));
    expect_range(range, 16, 1, 1);
    assert_false(steal_window_take(own, 3, &range));
    assert_int_equal(steal_window_count_thefts(own), 2);
    assert_int_equal(steal_window_count_thefts(own), 0);

    steal_window_open(own, &ten_tasks, false);
    assert_false(steal_window_has_all(thief, 2));
    assert_true(steal_window_take(own, 1, &range));
    steal_window_close(own, &part);
    assert_int_equal(part.n_tasks, 9);
    expect_range(part.ranges[0], 12, 3, 2);
    expect_range(part.ranges[2], 20, 5, 1);
    steal_window_close(own, &part);
    assert_int_equal(part.n + part.n_tasks, 0);
    free(windows);
}

TEST(alone_or_without_memory_there_is_no_window)
{
    struct steal_window window;
    struct taskpool_comm comm = {.n_node_ranks = 3};
    steal_window_init(&window, &comm);
    assert_null(window.comm);
    assert_int_equal(steal_window_n_tasks(&window) + steal_window_count_thefts(&window), 0);
    int64_t word = 0;
    comm = (struct taskpool_comm){.n_node_ranks = 1, .node_words = &word};
    steal_window_init(&window, &comm);
    assert_null(window.comm);
}

/* --- threads --- */

enum { N_LISTS = 2000, LIST_TASKS = 40, N_ALL = N_LISTS * LIST_TASKS * NODE_CASE_WORKERS };

struct crowd {
    struct windows *windows;
    atomic_char *n_taken; /* N_ALL */
    atomic_long n_left;
    atomic_long n_thefts; /* by thieves less those that victims counted */
};

struct crowd_member {
    struct crowd *crowd;
    int number;
    struct random_stream random;
    int n_opened;
};

static void note_range(struct crowd *crowd, struct taskpool_range range)
{
    for (int64_t task = range.first; task < range.last; task += range.step)
        atomic_fetch_add(&crowd->n_taken[task], 1);
    atomic_fetch_sub(&crowd->n_left, (long)taskpool_range_count(&range));
}

static void open_next_list(struct crowd_member *self, struct steal_window *own)
{
    struct steal_window_part part = {.n_tasks = LIST_TASKS, .n = 1};
    int64_t list = (int64_t)self->number * N_LISTS + self->n_opened++;
    int64_t task = list * LIST_TASKS, n = 1 + (int64_t)random_below(&self->random, 4);
    part.ranges[0] = (struct taskpool_range){task, task + n, 1};
    for (int64_t i = n; i < LIST_TASKS; i += n) {
        n = 1 + (int64_t)random_below(&self->random, 2 * LIST_TASKS / STEAL_WINDOW_RANGES);
        if (n > LIST_TASKS - i || part.n == STEAL_WINDOW_RANGES - 1)
            n = LIST_TASKS - i;
        part.ranges[part.n++] = (struct taskpool_range){task + i, task + i + n, 1};
    }
    steal_window_open(own, &part, true);
}

static void *run_crowd_member(void *argument)
{
    struct crowd_member *self = argument;
    struct crowd *crowd = self->crowd;
    struct steal_window *own = &crowd->windows->each[self->number];
    struct steal_window_part part;
    struct taskpool_range range;
    while (atomic_load(&crowd->n_left) > 0) {
        int64_t n = 1 + (int64_t)random_below(&self->random, 5);
        bool closes = random_below(&self->random, 50) == 0;
        int mate = steal_window_find(own);
        if (mate >= 0 && random_below(&self->random, 3) == 0 &&
            steal_window_steal(own, mate, n % 4, 1, &part)) {
            atomic_fetch_add(&crowd->n_thefts, 1);
            for (int i = 0; i < part.n; i++)
                note_range(crowd, part.ranges[i]);
        }
        if (closes) {
            steal_window_close(own, &part);
            for (int i = 0; i < part.n; i++)
                note_range(crowd, part.ranges[i]);
        } else if (steal_window_take(own, n, &range)) {
            note_range(crowd, range);
        } else if (self->n_opened < N_LISTS) {
            open_next_list(self, own);
        }
        atomic_fetch_sub(&crowd->n_thefts, (long)steal_window_count_thefts(own));
    }
    return NULL;
}

TEST(threads_take_each_task_once)
{
    struct crowd crowd = {.windows = make_windows(), .n_taken = calloc(N_ALL, 1), .n_left = N_ALL};
    struct crowd_member members[NODE_CASE_WORKERS];
    pthread_t threads[NODE_CASE_WORKERS];
    for (int i = 0; i < NODE_CASE_WORKERS; i++) {
        members[i] = (struct crowd_member){.crowd = &crowd, .number = i};
        random_stream_init(&members[i].random, 7, (uint64_t)i);
        assert_int_equal(pthread_create(&threads[i], NULL, run_crowd_member, &members[i]), 0);
    }
    for (int i = 0; i < NODE_CASE_WORKERS; i++)
        pthread_join(threads[i], NULL);
    for (int64_t task = 0; task < N_ALL; task++)
        assert_int_equal(crowd.n_taken[task], 1);
    for (int i = 0; i < NODE_CASE_WORKERS; i++)
        crowd.n_thefts -= (long)steal_window_count_thefts(&crowd.windows->each[i]);
    assert_int_equal(crowd.n_thefts, 0);
    free((void *)crowd.n_taken);
    free(crowd.windows);
}
