/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of mode dtree has the paper's shape, and its grants follow the paper's
 * formula: workers of one process take turns, and every message is checked. */
#include "sched/pool/core/speeds.h"
#include "sched/pool/modes/dtree_shape.h"
#include "sched/pool/modes/modes.h"
#include "support/base/random.h"
#include "taskpool/mode.h"
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_WORKERS = 64 };

/* --- the shape --- */

/* The example of the paper's figure 1. */
TEST(shape_of_32_nodes_with_fan_out_16)
{
    const struct dtree_shape shape = {.n_nodes = 32, .fan_out = 16};
    struct dtree_node root = dtree_root(&shape);
    assert_int_equal(root.n_children, 2);
    assert_int_equal(root.weight, 32);
    struct dtree_node left = dtree_child(&shape, &root, 0), right = dtree_child(&shape, &root, 1);
    assert_int_equal(left.n_children, 15);
    assert_int_equal(right.n_children, 14);
    assert_int_equal(dtree_weight(&shape, 0, 1), 1);
    assert_int_equal(left.weight, 16);
    assert_int_equal(right.weight, 15);
    for (int i = 0; i < 15; i++) {
        struct dtree_node leaf = dtree_child(&shape, &left, i);
        assert_int_equal(leaf.n_children, 0);
        assert_int_equal(leaf.rank, 2 + i);
        assert_int_equal(leaf.weight, 1);
    }
}

static int visit(const struct dtree_shape *shape, const struct dtree_node *node, int *parents)
{
    int n_nodes = 1, height = 0;
    int64_t before = 1;
    assert_true(node->n_children <= shape->fan_out);
    for (int i = 0; i < node->n_children; i++) {
        struct dtree_node child = dtree_child(shape, node, i);
        assert_int_equal(child.parent, node->rank);
        assert_int_equal(child.rank, node->rank + n_nodes);
        assert_int_equal(child.before, before);
        assert_int_equal(child.weight, child.n_nodes);
        for (int rank = child.rank; rank < child.rank + child.n_nodes; rank++)
            assert_int_equal(dtree_child_towards(node, rank), i);
        struct dtree_node found = dtree_descendant(shape, dtree_root(shape), child.rank);
        assert_int_equal(found.rank, child.rank);
        assert_int_equal(found.n_nodes, child.n_nodes);
        assert_int_equal(found.n_children, child.n_children);
        assert_int_equal(found.parent, child.parent);
        assert_int_equal(found.index, child.index);
        assert_int_equal(found.weight, child.weight);
        assert_int_equal(found.before, child.before);
        assert_int_equal(parents[child.rank], -1);
        parents[child.rank] = node->rank;
        int child_height = visit(shape, &child, parents);
        height = child_height >= height ? child_height + 1 : height;
        n_nodes += child.n_nodes;
        before += child.weight;
    }
    assert_int_equal(n_nodes, node->n_nodes);
    return height;
}

TEST(every_node_has_one_parent)
{
    for (int n_nodes = 1; n_nodes <= 200; n_nodes++)
        for (int fan_out = 1; fan_out <= 20; fan_out++) {
            const struct dtree_shape shape = {.n_nodes = n_nodes, .fan_out = fan_out};
            struct dtree_node root = dtree_root(&shape);
            int parents[200];
            for (int i = 0; i < n_nodes; i++)
                parents[i] = -1;
            int height = visit(&shape, &root, parents);
            for (int i = 1; i < n_nodes; i++)
                assert_true(parents[i] >= 0);
            int least = 0;
            for (int capacity = 1; capacity < n_nodes; capacity = 1 + fan_out * capacity)
                least++;
            assert_int_equal(height, least);
        }
}

TEST(fractions_follow_the_speeds)
{
    double speeds[32];
    for (int i = 0; i < 32; i++)
        speeds[i] = i == 0 ? 5 : i < 17 ? 2 : 1;
    int64_t *sums;
    check_ok(speeds_sum(speeds, 32, &sums));
    const struct dtree_shape shape = {.n_nodes = 32, .fan_out = 16, .speed_sums = sums};
    struct dtree_node root = dtree_root(&shape);
    struct dtree_node left = dtree_child(&shape, &root, 0), right = dtree_child(&shape, &root, 1);
    double all = 5 + 16 * 2 + 15 * 1;
    check_close((double)dtree_weight(&shape, 0, 1) / (double)root.weight, 5 / all, 1e-8);
    check_close((double)left.weight / (double)root.weight, 32 / all, 1e-8);
    check_close((double)right.weight / (double)root.weight, 15 / all, 1e-8);
    assert_int_equal(dtree_weight(&shape, 0, 1) + left.weight + right.weight, root.weight);
    free(sums);
}

/* --- the grants --- */

struct note {
    int from, to;
    size_t size;
    int64_t words[2];
};

struct fake_worker {
    struct taskpool_comm comm; /* first */
    struct fake_world *world;
    struct dtree_node node;
    void *state;
    struct taskpool_range given; /* before the iteration, by the formula */
    int64_t buffer_last;         /* of the tasks in its buffer, the end */
    int n_runs;                  /* ranges that it was given to run */
    bool busy, done;
};

/* The mode's options, and the settings that they give. */
struct dtree_case {
    int fan_out;
    double first_share, drain;
    int64_t min_grant;
};

struct fake_world {
    const struct taskpool_mode *dtree; /* found once: the search compares names */
    struct taskpool_mode_setup setup;
    struct taskpool_problem problem;
    struct dtree_case options;
    struct taskpool_settings settings;
    struct dtree_shape shape;
    struct random_stream random;
    struct fake_worker workers[MAX_WORKERS];
    int n_workers;
    struct note notes[4 * MAX_WORKERS]; /* on their way */
    int n_notes;
    int64_t n_grants, n_run;
};

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A range taken from the front of a worker's buffer has the size that the
 * formula gives. */
static void check_grant(const struct fake_worker *worker, int64_t weight, int64_t first,
                        int64_t last)
{
    const struct dtree_case *options = &worker->world->options;
    int64_t left = worker->buffer_last - first;
    int64_t part =
        (int64_t)(options->drain * ((double)weight / (double)worker->node.weight) * (double)left);
    int64_t wanted = part > options->min_grant ? part : options->min_grant;
    assert_int_equal(last - first, smaller(wanted, left));
}

static void fake_send(struct taskpool_comm *comm, int to,
                      const struct taskpool_comm_message *message)
{
    struct fake_worker *worker = (struct fake_worker *)comm;
    struct fake_world *world = worker->world;
    struct note note = {.from = comm->rank, .to = to, .size = message->head_size};
    assert_null(message->bulk);
    assert_true(note.size == 8 || note.size == 16);
    memcpy(note.words, message->head, note.size);
    if (note.size == 16) {
        const struct dtree_node *child = &world->workers[to].node;
        assert_int_equal(child->parent, comm->rank);
        if (note.words[0] < note.words[1])
            check_grant(worker, child->weight, note.words[0], note.words[1]);
        world->n_grants++;
    } else {
        assert_int_equal(worker->node.parent, to);
    }
    assert_true(world->n_notes < 4 * MAX_WORKERS);
    world->notes[world->n_notes++] = note;
}

static const struct taskpool_comm_functions fake_functions = {.send = fake_send};

/* The first range is the worker's own part of the first distribution, if it has
 * one; a leaf's that and the others are whole grants. */
static void check_range(struct fake_worker *worker, struct taskpool_range range)
{
    const struct fake_world *world = worker->world;
    int64_t given = worker->given.last - worker->given.first;
    int64_t own = given;
    if (worker->node.n_children > 0)
        own = (int64_t)(world->options.first_share * (double)given) *
              dtree_weight(&world->shape, worker->node.rank, 1) / worker->node.weight;
    if (worker->n_runs++ == 0 && own > 0) {
        assert_int_equal(range.first, worker->given.first);
        assert_int_equal(range.last - range.first, own);
    } else if (worker->node.n_children > 0) {
        check_grant(worker, dtree_weight(&world->shape, worker->node.rank, 1), range.first,
                    range.last);
    } else {
        assert_int_equal(range.last, worker->buffer_last);
    }
}

static void go_on(struct fake_worker *worker)
{
    struct taskpool_mode_work work = {.n_wanted = INT64_MAX};
    enum taskpool_mode_step step = worker->world->dtree->next(worker->state, &work);
    worker->busy = step == TASKPOOL_MODE_RUN;
    worker->done = step == TASKPOOL_MODE_DONE;
    if (!worker->busy)
        return;
    check_range(worker, work.range);
    worker->world->n_run += work.range.last - work.range.first;
}

static void deliver(struct fake_world *world, int i)
{
    struct note note = world->notes[i];
    struct fake_worker *worker = &world->workers[note.to];
    world->notes[i] = world->notes[--world->n_notes];
    assert_false(worker->done);
    if (note.size == 16 && note.words[0] < note.words[1])
        worker->buffer_last = note.words[1];
    world->dtree->receive(worker->state, note.from, note.words, note.size);
    if (!worker->busy)
        go_on(worker);
}

static bool all_done(const struct fake_world *world)
{
    for (int i = 0; i < world->n_workers; i++)
        if (!world->workers[i].done)
            return false;
    return true;
}

static void run_iteration(struct fake_world *world)
{
    int64_t n = world->problem.n_tasks, n_first = 0;
    world->n_run = world->n_grants = 0;
    for (int i = 0; i < world->n_workers; i++) {
        struct fake_worker *worker = &world->workers[i];
        worker->done = false;
        worker->n_runs = 0;
        worker->buffer_last = worker->given.last;
        if (worker->node.n_children == 0)
            n_first += worker->given.last - worker->given.first;
    }
    if (world->options.first_share == 0)
        assert_int_equal(n_first, world->n_workers == 1 ? n : 0);
    for (int i = 0; i < world->n_workers; i++)
        go_on(&world->workers[i]);
    while (!all_done(world)) {
        int i = (int)random_below(&world->random, (uint64_t)world->n_workers);
        if (world->n_notes > 0 && random_below(&world->random, 2))
            deliver(world, (int)random_below(&world->random, (uint64_t)world->n_notes));
        else if (world->workers[i].busy)
            go_on(&world->workers[i]);
    }
    assert_int_equal(world->n_notes, 0);
    assert_int_equal(world->n_run, n);
}

/* The share of each subtree in the first distribution, from the root down in
 * integers. */
static void give(struct fake_world *world, const struct dtree_node *node, int64_t first,
                 int64_t last)
{
    world->workers[node->rank].node = *node;
    world->workers[node->rank].given = (struct taskpool_range){first, last, 1};
    int64_t n = (int64_t)(world->options.first_share * (double)(last - first));
    for (int i = 0; i < node->n_children; i++) {
        struct dtree_node child = dtree_child(&world->shape, node, i);
        give(world, &child, first + n * child.before / node->weight,
             first + n * (child.before + child.weight) / node->weight);
    }
}

static struct taskpool_settings case_settings(const struct dtree_case *options)
{
    struct taskpool_settings settings;
    char value[4][32];
    taskpool_settings_default(&settings);
    settings.mode = "dtree";
    snprintf(value[0], sizeof value[0], "%d", options->fan_out);
    snprintf(value[1], sizeof value[1], "%.17g", options->first_share);
    snprintf(value[2], sizeof value[2], "%.17g", options->drain);
    snprintf(value[3], sizeof value[3], "%lld", (long long)options->min_grant);
    check_ok(taskpool_settings_set(&settings, "fan-out", value[0]));
    check_ok(taskpool_settings_set(&settings, "first-share", value[1]));
    check_ok(taskpool_settings_set(&settings, "drain", value[2]));
    check_ok(taskpool_settings_set(&settings, "min-grant", value[3]));
    return settings;
}

static void run_world(int n_workers, int64_t n_tasks, const struct dtree_case *options,
                      const int64_t *speed_sums)
{
    const struct taskpool_mode *dtree = mode_find("dtree");
    static struct fake_world world;
    world = (struct fake_world){
        .dtree = dtree, .problem = {.n_tasks = n_tasks}, .n_workers = n_workers};
    world.options = *options;
    world.settings = case_settings(options);
    world.setup = (struct taskpool_mode_setup){
        .problem = &world.problem, .settings = &world.settings, .speed_sums = speed_sums};
    random_stream_init(&world.random, (uint64_t)n_tasks, (uint64_t)n_workers);
    world.shape = (struct dtree_shape){
        .n_nodes = n_workers, .fan_out = options->fan_out, .speed_sums = speed_sums};
    struct dtree_node root = dtree_root(&world.shape);
    give(&world, &root, 0, n_tasks);
    for (int i = 0; i < n_workers; i++) {
        struct fake_worker *worker = &world.workers[i];
        worker->world = &world;
        worker->comm =
            (struct taskpool_comm){.functions = &fake_functions, .rank = i, .size = n_workers};
        worker->state = calloc(1, dtree->state_size);
        check_ok(dtree->init(worker->state, &world.setup, &worker->comm));
    }
    for (int iteration = 0; iteration < 3; iteration++) {
        run_iteration(&world);
        assert_true(dtree->progress(world.workers[0].state, 0) == 1);
        for (int i = 0; i < n_workers; i++)
            assert_int_equal(dtree->restore(world.workers[i].state), TASKPOOL_MODE_DONE);
    }
    for (int i = 0; i < n_workers; i++) {
        dtree->fini(world.workers[i].state);
        free(world.workers[i].state);
    }
}

TEST(grants_follow_the_formula)
{
    const int n_workers[] = {1, 2, 3, 7, 32, 64};
    const int64_t n_tasks[] = {0, 1, 5, 100, 100000};
    const int fan_outs[] = {1, 2, 3, 16, 256};
    const double first_shares[] = {0, 0.2, 0.7, 1};
    const double drains[] = {0.1, 0.5, 1};
    for (size_t w = 0; w < 6; w++)
        for (size_t t = 0; t < 5; t++)
            for (size_t f = 0; f < 5; f++)
                for (size_t s = 0; s < 4; s++)
                    for (size_t d = 0; d < 3; d++) {
                        struct dtree_case options = {.fan_out = fan_outs[f],
                                                     .first_share = first_shares[s],
                                                     .drain = drains[d],
                                                     .min_grant = s == 1 ? 4 : 1};
                        run_world(n_workers[w], n_tasks[t], &options, NULL);
                    }
}

TEST(grants_with_speeds)
{
    double speeds[MAX_WORKERS];
    for (int i = 0; i < MAX_WORKERS; i++)
        speeds[i] = 1 << i % 4;
    int64_t *sums;
    check_ok(speeds_sum(speeds, MAX_WORKERS, &sums));
    struct dtree_case options = {.first_share = 0.2, .drain = 0.5, .min_grant = 1};
    for (options.fan_out = 1; options.fan_out <= 20; options.fan_out++)
        run_world(MAX_WORKERS, 12345, &options, sums);
    free(sums);
}

TEST(largest_pool)
{
    struct dtree_case options = {.fan_out = 1, .first_share = 1, .drain = 1, .min_grant = 1};
    struct taskpool_settings settings = case_settings(&options);
    const struct taskpool_mode *dtree = mode_find("dtree");
    struct taskpool_problem problem = {.n_tasks = TASKPOOL_MAX_TASKS};
    struct taskpool_mode_setup setup = {.problem = &problem, .settings = &settings};
    int64_t next_task = 0;
    for (int i = 0; i < 3; i++) {
        struct taskpool_comm comm = {.functions = &fake_functions, .rank = i, .size = 3};
        struct taskpool_mode_work work = {.n_wanted = INT64_MAX};
        void *worker = calloc(1, dtree->state_size);
        check_ok(dtree->init(worker, &setup, &comm));
        assert_int_equal(dtree->next(worker, &work), TASKPOOL_MODE_RUN);
        assert_int_equal(work.range.first, next_task);
        next_task = work.range.last;
        dtree->fini(worker);
        free(worker);
    }
    assert_int_equal(next_task, TASKPOOL_MAX_TASKS);
}

/* --- in simulation --- */

static double one_millisecond(int64_t task, const void *record, const void *context)
{
    (void)task;
    (void)record;
    (void)context;
    return 1e-3;
}

TEST(a_slow_worker_is_relieved)
{
    double speeds[16];
    for (int i = 0; i < 16; i++)
        speeds[i] = i == 5 ? 1 / 3.0 : 1;
    struct taskpool_problem problem = {.n_tasks = 1600};
    struct taskpool_machine machine = {
        .n_workers = 16, .latency_s = 1e-5, .speeds = speeds, .time = one_millisecond};
    struct taskpool_settings settings;
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    check_ok(taskpool_settings_set(&settings, "fan-out", "4"));
    settings.mode = "dtree";
    check_ok(taskpool_simulate(&problem, &settings, &machine, &pool));
    check_ok(taskpool_run(pool));
    /* static: 100 tasks in 0.3 s; ideal: 1600 tasks at 15.33 per ms, 0.104 s */
    assert_true(taskpool_statistics(pool, 0)->makespan_s < 0.15);
    taskpool_destroy(pool);
}

/* Seconds of a tree of 64 workers with a fan-out of 4. */
static double seconds_with_progress(int progress)
{
    struct taskpool_problem problem = {.n_tasks = 640};
    struct taskpool_machine machine = {.n_workers = 64, .latency_s = 1e-6, .time = one_millisecond};
    struct taskpool_settings settings;
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    check_ok(taskpool_settings_set(&settings, "fan-out", "4"));
    settings.mode = "dtree";
    settings.progress = progress;
    check_ok(taskpool_simulate(&problem, &settings, &machine, &pool));
    check_ok(taskpool_run(pool));
    double makespan_s = taskpool_statistics(pool, 0)->makespan_s;
    taskpool_destroy(pool);
    return makespan_s;
}

/* Leaves get no message while they run tasks, so that parents' threads are all that matter. */
TEST(simulated_parents_have_a_thread_unless_told_otherwise)
{
    struct taskpool_settings settings;
    taskpool_settings_default(&settings);
    double seconds = seconds_with_progress(settings.progress);
    assert_true(seconds == seconds_with_progress(TASKPOOL_PROGRESS_THREAD));
    assert_true(seconds_with_progress(TASKPOOL_PROGRESS_POLL) > 1.2 * seconds);
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
