/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that the workers of a node share. Threads that all take at the same time take each task once, from the
 * tasklets of a queue and from windows of waiting tasks. (`golden_simulations.txt` has the order.) */
#include "sched/pool/queues/tasklets.h"
#include "sched/pool/shared/node_queue.h"
#include "sched/pool/shared/steal_window.h"
#include "support/base/random.h"
#include "tests/check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The workers of a node and their memory. */
enum { NODE_CASE_WORKERS = 6, NODE_CASE_WORDS = 4000 };

struct node_case {
    int64_t words[NODE_CASE_WORDS];
    int64_t first[NODE_CASE_WORKERS + 1];
    struct taskpool_comm comms[NODE_CASE_WORKERS]; /* of workers 8, 9, ... */
};

static bool node_case_swap(struct taskpool_comm *comm, int64_t position, int64_t expected,
                           int64_t desired)
{
    return __atomic_compare_exchange_n(&comm->node_words[position], &expected, desired, false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Zeroed before. n_words  NODE_CASE_WORKERS: of each */
static void node_case_init(struct node_case *node, const int64_t *n_words)
{
    static const struct taskpool_comm_functions functions = {.word_swap = node_case_swap};
    static const int ranks[NODE_CASE_WORKERS] = {8, 9, 10, 11, 12, 13};
    for (int i = 0; i < NODE_CASE_WORKERS; i++) {
        node->first[i + 1] = node->first[i] + n_words[i];
        node->comms[i] = (struct taskpool_comm){.functions = &functions,
                                                .rank = ranks[i],
                                                .size = 20,
                                                .node_ranks = ranks,
                                                .n_node_ranks = NODE_CASE_WORKERS,
                                                .node_words = node->words,
                                                .node_first = node->first,
                                                .random = (uint64_t)i};
    }
    assert_true(node->first[NODE_CASE_WORKERS] <= NODE_CASE_WORDS);
}

/* Runs f on n items, each in a thread. */
static void run_threads(void *(*f)(void *), void *items, int n, size_t item_size)
{
    pthread_t threads[NODE_CASE_WORKERS];
    for (int i = 0; i < n; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, f, (char *)items + (size_t)i * item_size), 0);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

/* --- the queue --- */

TEST(tasklets_of_the_largest_pool)
{
    for (int skew = 0; skew < 2; skew++)
        for (int64_t n = 1; n <= 70; n++) {
            int64_t last = 0;
            assert_int_equal(tasklets_count(TASKPOOL_MAX_TASKS, n), n);
            for (int64_t i = 1; i <= n; i++) {
                assert_true(tasklets_border(TASKPOOL_MAX_TASKS, n, skew, i) > last);
                last = tasklets_border(TASKPOOL_MAX_TASKS, n, skew, i);
            }
            assert_int_equal(last, TASKPOOL_MAX_TASKS);
        }
}

enum { N_MEMBERS = 4, N_QUEUED = 97, MAX_TASK = 2 * N_QUEUED, N_ITERATIONS = 50 };

/* A group of all workers of a node but the first two. */
struct group {
    struct node_case node;
    struct node_queue queues[N_MEMBERS];
    atomic_int n_taken[MAX_TASK]; /* of each task */
    pthread_barrier_t barrier;
};

struct member {
    struct group *group;
    int number;
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

/* Returns the number of tasks. */
static int64_t take(struct group *group, int member)
{
    struct task_ranges tasks = {0};
    int64_t n = 0, n_moved;
    check_ok(node_queue_take(&group->queues[member], &tasks, &n_moved));
    for (int64_t i = 0; i < tasks.n; i++)
        for (int64_t t = tasks.list[i].first; t < tasks.list[i].last; t += tasks.list[i].step, n++)
            atomic_fetch_add(&group->n_taken[t], 1);
    task_ranges_fini(&tasks);
    return n;
}

/* Takes until nothing is left, in each iteration. */
static void *run_member(void *argument)
{
    struct member *self = argument;
    struct group *group = self->group;
    for (int iteration = 0; iteration < N_ITERATIONS; iteration++) {
        if (iteration > 0)
            node_queue_begin(&group->queues[self->number]);
        pthread_barrier_wait(&group->barrier);
        while (take(group, self->number) > 0) {
        }
        pthread_barrier_wait(&group->barrier);
    }
    return NULL;
}

TEST(threads_take_every_tasklet_once)
{
    const struct node_queue_rules rules[] = {{.tasklets = 9}, {.tasklets = 9, .line = true}};
    for (int r = 0; r < 2; r++) {
        struct group *group = make_group(&rules[r], (const int64_t[]){30, 1, 26, 40});
        struct member members[N_MEMBERS];
        pthread_barrier_init(&group->barrier, NULL, N_MEMBERS);
        for (int m = 0; m < N_MEMBERS; m++)
            members[m] = (struct member){.group = group, .number = m};
        run_threads(run_member, members, N_MEMBERS, sizeof members[0]);
        int n_tasks = 0;
        for (int task = 0; task < MAX_TASK; task++) {
            assert_true(group->n_taken[task] == 0 || group->n_taken[task] == N_ITERATIONS);
            n_tasks += group->n_taken[task] > 0;
        }
        assert_int_equal(n_tasks, N_QUEUED);
        pthread_barrier_destroy(&group->barrier);
        for (int m = 0; m < N_MEMBERS; m++)
            node_queue_fini(&group->queues[m]);
        free(group);
    }
}

/* --- windows --- */

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

TEST(threads_take_each_task_of_windows_once)
{
    struct crowd crowd = {.windows = make_windows(), .n_taken = calloc(N_ALL, 1), .n_left = N_ALL};
    struct crowd_member members[NODE_CASE_WORKERS];
    for (int i = 0; i < NODE_CASE_WORKERS; i++) {
        members[i] = (struct crowd_member){.crowd = &crowd, .number = i};
        random_stream_init(&members[i].random, 7, (uint64_t)i);
    }
    run_threads(run_crowd_member, members, NODE_CASE_WORKERS, sizeof members[0]);
    for (int64_t task = 0; task < N_ALL; task++)
        assert_int_equal(crowd.n_taken[task], 1);
    for (int i = 0; i < NODE_CASE_WORKERS; i++)
        crowd.n_thefts -= (long)steal_window_count_thefts(&crowd.windows->each[i]);
    assert_int_equal(crowd.n_thefts, 0);
    free((void *)crowd.n_taken);
    free(crowd.windows);
}
