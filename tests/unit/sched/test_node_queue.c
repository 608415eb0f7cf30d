/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasklets of a node's queue hold every task; they are taken once each, also by members that take them at
 * the same time, in the order of locality or of a plain queue. */
#include "sched/pool/queues/tasklets.h"
#include "sched/pool/shared/node_queue.h"
#include "tests/cases/node_memory_case.h"
#include "tests/check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* --- tasklets --- */

/* With equal sizes they differ by one at most; skewed ones fall from twice the average to one task. */
TEST(tasklets_hold_every_task)
{
    const int64_t n_tasks[] = {1, 2, 7, 64, 1000, TASKPOOL_MAX_TASKS};
    for (int skew = 0; skew < 2; skew++)
        for (size_t t = 0; t < sizeof n_tasks / sizeof n_tasks[0]; t++)
            for (int64_t wanted = 1; wanted <= 70; wanted++) {
                int64_t n = tasklets_count(n_tasks[t], wanted), last = 0;
                double mean = (double)n_tasks[t] / (double)n;
                assert_int_equal(n, wanted < n_tasks[t] ? wanted : n_tasks[t]);
                for (int64_t i = 1; i <= n; i++) {
                    int64_t border = tasklets_border(n_tasks[t], n, skew, i), size = border - last;
                    double line = n > 1 ? (double)(i - 1) / (double)(n - 1) : 0.5;
                    double expected = skew ? 2 * mean - 1 - 2 * (mean - 1) * line : mean;
                    assert_true(size >= 1);
                    check_close((double)size, expected, 1.01 + 1e-12 * mean);
                    last = border;
                }
                assert_int_equal(last, n_tasks[t]);
            }
}

/* --- the queue --- */

enum { N_MEMBERS = 4, N_QUEUED = 97, MAX_TASK = 2 * N_QUEUED };

/* A group of all workers of a node but the first two. */
struct group {
    struct node_case node;
    struct node_queue queues[N_MEMBERS];
    atomic_int n_taken[MAX_TASK]; /* of each task */
    pthread_barrier_t barrier;
};

/* Members with these numbers of tasks, in ranges of up to three with gaps of one between them. */
static struct group *make_group(const struct node_queue_rules *rules, const int64_t *n_tasks)
{
    struct group *group = calloc(1, sizeof *group);
    struct task_ranges ranges[N_MEMBERS] = {0};
    int64_t task = 0, n_words[NODE_CASE_WORKERS] = {1, 1};
    for (int m = 0; m < N_MEMBERS; m++) {
        for (int64_t i = 0; i < n_tasks[m]; i += 3) {
            int64_t n = n_tasks[m] - i < 3 ? n_tasks[m] - i : 3;
            struct taskpool_range range = {task, task + n, 1};
            check_ok(task_ranges_add_range(&ranges[m], range));
            task += n + 1;
        }
        n_words[2 + m] = node_queue_n_words(rules, n_tasks[m], ranges[m].n);
    }
    node_case_init(&group->node, n_words);
    for (int m = 0; m < N_MEMBERS; m++) {
        check_ok(node_queue_init(&group->queues[m], &group->node.comms[2 + m], rules, 2, N_MEMBERS,
                                 &ranges[m]));
        task_ranges_fini(&ranges[m]);
    }
    return group;
}

static void destroy_group(struct group *group)
{
    for (int m = 0; m < N_MEMBERS; m++)
        node_queue_fini(&group->queues[m]);
    free(group);
}

/* The number of tasks; the first one, and those moved. */
static int64_t take(struct group *group, int member, int64_t *task, int64_t *n_moved)
{
    struct task_ranges tasks = {0};
    int64_t n = 0;
    check_ok(node_queue_take(&group->queues[member], &tasks, n_moved));
    *task = tasks.n > 0 ? tasks.list[0].first : -1;
    for (int64_t i = 0; i < tasks.n; i++)
        for (int64_t t = tasks.list[i].first; t < tasks.list[i].last; t += tasks.list[i].step, n++)
            atomic_fetch_add(&group->n_taken[t], 1);
    task_ranges_fini(&tasks);
    return n;
}

static void expect_take(struct group *group, int member, int64_t task, int64_t n_moved)
{
    int64_t found, moved;
    assert_int_equal(take(group, member, &found, &moved), task >= 0);
    assert_int_equal(found, task);
    assert_int_equal(moved, n_moved);
}

static void begin_next(struct group *group)
{
    for (int m = N_MEMBERS - 1; m >= 0; m--)
        node_queue_begin(&group->queues[m]);
}

TEST(members_prefer_what_they_ran_last)
{
    const struct node_queue_rules rules = {.tasklets = 100};
    /* Tasks 0, 1; 3, 4, 5, 7, 8, 9; none; 11, 12, 13, 15. */
    struct group *group = make_group(&rules, (const int64_t[]){2, 6, 0, 4});
    /* Its own in their order, then the last one of the longest list. */
    const int64_t first[] = {0, 1, 9, 8}, middle[] = {3, 4, 5, 7};
    for (int i = 0; i < 4; i++)
        expect_take(group, 0, first[i], i >= 2);
    for (int i = 0; i < 4; i++)
        expect_take(group, 1, middle[i], 0);
    check_close(node_queue_fraction_taken(&group->queues[2]), 8 / 12.0, 1e-12);
    expect_take(group, 2, 15, 1);
    for (int64_t task = 11; task < 14; task++)
        expect_take(group, 3, task, 0);
    for (int m = 0; m < N_MEMBERS; m++)
        expect_take(group, m, -1, 0);

    begin_next(group);
    assert_int_equal(node_queue_n_tasks(&group->queues[1]), 12);
    for (int i = 0; i < 4; i++)
        expect_take(group, 0, first[i], 0);
    expect_take(group, 2, 15, 0);
    expect_take(group, 2, 7, 1); /* of members 1 and 3 the one with more left */
    destroy_group(group);
}

struct member {
    struct group *group;
    int number;
};

enum { N_ITERATIONS = 50 };

/* Takes until nothing is left, at the same time as the others, in each iteration. */
static void *run_member(void *argument)
{
    struct member *self = argument;
    struct group *group = self->group;
    int64_t task, n_moved;
    for (int iteration = 0; iteration < N_ITERATIONS; iteration++) {
        if (iteration > 0)
            node_queue_begin(&group->queues[self->number]);
        pthread_barrier_wait(&group->barrier);
        while (take(group, self->number, &task, &n_moved) > 0) {
        }
        pthread_barrier_wait(&group->barrier);
    }
    return NULL;
}

TEST(threads_take_every_task_once)
{
    const struct node_queue_rules rules[] = {{.tasklets = 9}, {.tasklets = 9, .line = true}};
    for (int r = 0; r < 2; r++) {
        struct group *group = make_group(&rules[r], (const int64_t[]){30, 1, 26, 40});
        pthread_t threads[N_MEMBERS];
        struct member members[N_MEMBERS];
        pthread_barrier_init(&group->barrier, NULL, N_MEMBERS);
        for (int m = 0; m < N_MEMBERS; m++) {
            members[m] = (struct member){.group = group, .number = m};
            assert_int_equal(pthread_create(&threads[m], NULL, run_member, &members[m]), 0);
        }
        for (int m = 0; m < N_MEMBERS; m++)
            pthread_join(threads[m], NULL);
        int n_tasks = 0;
        for (int task = 0; task < MAX_TASK; task++) {
            assert_true(group->n_taken[task] == 0 || group->n_taken[task] == N_ITERATIONS);
            n_tasks += group->n_taken[task] > 0;
        }
        assert_int_equal(n_tasks, N_QUEUED);
        pthread_barrier_destroy(&group->barrier);
        destroy_group(group);
    }
}
