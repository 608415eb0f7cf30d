/* SPDX-License-Identifier: BSD-3-Clause */
/* The time for the data of a set of tasks, against a sum over all of its accesses; what a thief gets; the
 * best placement so far, and when tasks leave it; the order of tasks by their data. */
#include "sched/pool/balancing/best_makespan.h"
#include "sched/pool/balancing/data_spread.h"
#include "sched/pool/core/seeding.h"
#include "sched/pool/data/data_load.h"
#include "sched/pool/protocols/data_share.h"
#include "support/base/random.h"
#include "tests/check.h"

enum { N_TASKS = 40, N_BLOCKS = 12, N_WORKERS = 4, EACH = 3, KEPT = 1000 };

struct loaded_pool {
    struct taskpool_data data;
    struct taskpool_data_block blocks[N_BLOCKS];
    struct taskpool_data_access accesses[EACH * N_TASKS];
    int64_t first[N_TASKS + 1];
    struct taskpool_data_costs costs;
};

static void draw_loaded(struct loaded_pool *pool, struct random_stream *random)
{
    *pool = (struct loaded_pool){.data = {.n_blocks = N_BLOCKS, .n_tasks = N_TASKS}};
    pool->data.blocks = pool->blocks;
    pool->data.accesses = pool->accesses;
    pool->data.first = pool->first;
    for (int i = 0; i < N_BLOCKS; i++)
        pool->blocks[i] = (struct taskpool_data_block){
            .bytes = 1 + (int64_t)random_below(random, 2 * KEPT), .owner = i};
    for (int i = 0; i < EACH * N_TASKS; i++)
        pool->accesses[i] =
            (struct taskpool_data_access){.block = (int64_t)random_below(random, N_BLOCKS),
                                          .writes = random_below(random, 4) == 0};
    for (int i = 0; i <= N_TASKS; i++)
        pool->first[i] = EACH * i;
    pool->costs = (struct taskpool_data_costs){.data = &pool->data,
                                               .node_size = 2,
                                               .latency_s = 2,
                                               .node_latency_s = 1,
                                               .bandwidth = 100,
                                               .node_bandwidth = 1000,
                                               .overhead_s = 0.5,
                                               .cache_bytes = KEPT};
}

/* The sum, by the definition. */
static double slow_seconds(const struct loaded_pool *pool, const bool *is_in, int worker)
{
    bool counted[2 * N_BLOCKS] = {false};
    double seconds = 0;
    for (int i = 0; i < EACH * N_TASKS; i++) {
        const struct taskpool_data_access *access = &pool->accesses[i];
        const struct taskpool_data_block *block = &pool->blocks[access->block];
        int owner = (int)(block->owner % N_WORKERS);
        bool *is_counted = &counted[2 * access->block + access->writes];
        if (!is_in[i / EACH] || owner == worker || (block->bytes <= KEPT && *is_counted))
            continue;
        *is_counted = true;
        bool near = owner / 2 == worker / 2;
        seconds += 1 + (near ? 2 : 4) + (double)block->bytes / (near ? 1000 : 100);
    }
    return seconds;
}

static void test_seconds_are_those_of_all_accesses(void **state)
{
    (void)state;
    struct random_stream random;
    struct loaded_pool pool;
    random_stream_init(&random, 3, 0);
    draw_loaded(&pool, &random);
    for (int worker = 0; worker < N_WORKERS; worker++) {
        bool is_in[N_TASKS] = {false};
        struct data_load load;
        data_load_init(&load, &pool.costs, worker, N_WORKERS);
        for (int i = 0; i < 500; i++) {
            int task = (int)random_below(&random, N_TASKS);
            (is_in[task] ? data_load_leave : data_load_join)(&load, task);
            is_in[task] = !is_in[task];
            check_close(load.seconds, slow_seconds(&pool, is_in, worker), 1e-9);
        }
        data_load_clear(&load);
        assert_true(load.seconds == 0 && load.kept.n_ids == 0);
        data_load_fini(&load);
    }
}

/* For tasks whose accesses all differ. */
static void test_joining_and_leaving_are_foreseen(void **state)
{
    (void)state;
    struct random_stream random;
    struct loaded_pool pool;
    struct data_load load;
    random_stream_init(&random, 4, 0);
    draw_loaded(&pool, &random);
    for (int i = 0; i < EACH * N_TASKS; i++)
        pool.accesses[i].block = (pool.accesses[i].block / EACH * EACH + i) % N_BLOCKS;
    data_load_init(&load, &pool.costs, 1, N_WORKERS);
    for (int task = 0; task < N_TASKS; task++) {
        double before = load.seconds, expected = data_load_of_joining(&load, task);
        data_load_join(&load, task);
        check_close(load.seconds - before, expected, 1e-9);
        check_close(data_load_of_leaving(&load, task), expected, 1e-9);
    }
    data_load_fini(&load);
}

/* However many tasks leave, a noted access is made: no task that joins adds it. */
static void test_noted_accesses_stay(void **state)
{
    (void)state;
    struct random_stream random;
    struct loaded_pool pool;
    struct data_load load;
    random_stream_init(&random, 5, 0);
    draw_loaded(&pool, &random);
    for (int i = 0; i < N_BLOCKS; i++)
        pool.blocks[i].bytes = KEPT;
    data_load_init(&load, &pool.costs, 1, N_WORKERS);
    for (int64_t id = 0; id < 2 * N_BLOCKS; id++)
        data_load_note(&load, id);
    for (int task = 0; task < N_TASKS; task++) {
        data_load_leave(&load, task);
        for (int other = 0; other < N_TASKS; other++)
            check_close(data_load_of_joining(&load, other), 0, 0);
    }
    data_load_fini(&load);
}

static void test_tasks_return_to_the_best_placement(void **state)
{
    (void)state;
    struct best_makespan best = {0};
    assert_int_equal(best_makespan_next(&best, 10, 0), BEST_MOVE);
    assert_true(best_makespan_accepts(&best, 8));
    assert_int_equal(best_makespan_next(&best, 9, 0), BEST_MOVE); /* less than before */
    assert_true(best_makespan_accepts(&best, 7));
    assert_int_equal(best_makespan_next(&best, 9.5, 0), BEST_RETURN);
    assert_int_equal(best_makespan_next(&best, 9.1, 0), BEST_KEEP); /* waits after a failure */
    assert_int_equal(best_makespan_next(&best, 9.1, 0), BEST_MOVE);
    assert_true(best_makespan_accepts(&best, 6));
    assert_int_equal(best_makespan_next(&best, 12, 0), BEST_RETURN);
    for (int i = 0; i < 3; i++)
        assert_int_equal(best_makespan_next(&best, 9, 0), BEST_KEEP);
    assert_int_equal(best_makespan_next(&best, 9, 0), BEST_MOVE);
    assert_false(best_makespan_accepts(&best, 8.99)); /* too little: the placement stays */
    assert_int_equal(best_makespan_next(&best, 20, 0), BEST_RETURN); /* what was stolen? */
    assert_int_equal(best_makespan_next(&best, 20, 0), BEST_MOVE);   /* no, it takes as long now */
    assert_false(best_makespan_accepts(&best, 19.9));
    assert_int_equal(best_makespan_next(&best, 20.1, 0), BEST_MOVE);
}

static void test_what_was_best_ages_with_drift(void **state)
{
    (void)state;
    struct best_makespan best = {0};
    assert_int_equal(best_makespan_next(&best, 10, 0.1), BEST_MOVE);
    assert_true(best_makespan_accepts(&best, 8));
    assert_int_equal(best_makespan_next(&best, 10.8, 0.1), BEST_MOVE); /* below 11 */
    assert_true(best_makespan_accepts(&best, 8));
    assert_int_equal(best_makespan_next(&best, 12.1, 0.1), BEST_RETURN); /* above 11.88 */
}

/* A trial that was to take 8 took 10: the next one is believed to take 10/8 of what it promises. */
static void test_trials_without_a_gain_make_others_less_likely(void **state)
{
    (void)state;
    const double errors[] = {0, 0.1};
    for (int e = 0; e < 2; e++) {
        struct best_makespan best = {0};
        best_makespan_next(&best, 10, 0);
        assert_true(best_makespan_accepts(&best, 8));
        assert_int_equal(best_makespan_next(&best, 10, 0), BEST_MOVE);
        assert_false(best_makespan_accepts(&best, 8));
        best_makespan_next(&best, 10, errors[e]);
        assert_true(best_makespan_accepts(&best, 8) ==
                    (e > 0)); /* drift may have been the reason */
        if (e > 0)
            continue;
        best_makespan_next(&best, 10, 0);
        assert_true(best_makespan_accepts(&best, 7.9));
        assert_int_equal(best_makespan_next(&best, 9, 0), BEST_MOVE);
        assert_true(best.excess == 1.25); /* as before: it gained */
    }
}

/* The first iteration took 8. */
static void test_the_start_takes_the_place_of_longer_placements(void **state)
{
    (void)state;
    struct best_makespan best = {.start_s = 8};
    assert_int_equal(best_makespan_next(&best, 10, 0), BEST_MOVE);
    assert_true(best_makespan_accepts(&best, 7));
    assert_int_equal(best_makespan_next(&best, 9.5, 0), BEST_MOVE); /* the best placement */
    assert_false(best_makespan_accepts(&best, 8.5));                /* longer than the start */
    assert_true(best.is_start);
    assert_int_equal(best_makespan_next(&best, 8.2, 0), BEST_TRY);
    assert_true(best_makespan_accepts(&best, 7));
    assert_int_equal(best_makespan_next(&best, 12, 0), BEST_START); /* a failure: one waits */
    assert_int_equal(best_makespan_next(&best, 8.1, 0), BEST_START);
    assert_int_equal(best_makespan_next(&best, 9.45, 0), BEST_RETURN); /* no better any more */
    assert_int_equal(best_makespan_next(&best, 9.5, 0), BEST_MOVE);
    assert_int_equal(best_makespan_stay(&best, BEST_MOVE), BEST_KEEP);
}

static void test_nothing_to_move_after_a_start_is_another_start(void **state)
{
    (void)state;
    struct best_makespan best = {.start_s = 8, .least_s = 10, .is_start = true};
    assert_int_equal(best_makespan_next(&best, 8, 0), BEST_TRY);
    assert_int_equal(best_makespan_stay(&best, BEST_TRY), BEST_START);
    assert_int_equal(best_makespan_stay(&best, BEST_RETURN), BEST_RETURN);
}

/* --- the order of tasks --- */

/* Worker 0 has tasks 0 to 5: 1, 3 and 5 read a block of worker 1, the others one of its own. */
static void test_tasks_follow_the_one_that_brings_their_data(void **state)
{
    (void)state;
    static const int64_t expected[] = {1, 3, 5, 0, 2};
    struct taskpool_data_block blocks[] = {{.bytes = 100, .owner = 0}, {.bytes = 100, .owner = 1}};
    struct taskpool_data_access accesses[] = {{0, false}, {1, false}, {0, false},
                                              {1, false}, {0, false}, {1, false}};
    int64_t first[] = {0, 1, 2, 3, 4, 5, 6};
    struct taskpool_data data = {
        .n_blocks = 2, .blocks = blocks, .n_tasks = 6, .first = first, .accesses = accesses};
    struct taskpool_data_costs costs = {.data = &data, .latency_s = 1, .cache_bytes = 100};
    struct taskpool_comm comm = {.size = N_WORKERS};
    struct data_placement placement;
    costs.node_latency_s = 1;
    data_placement_init(&placement, NULL, &comm, &costs, NULL);
    for (int64_t task = 0; task < 6; task++)
        data_placement_take(&placement, task, 1);
    data_placement_give(&placement, 4);
    data_spread_tasks(&placement);
    assert_int_equal(placement.tasks.n, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(placement.tasks.list[i].task, expected[i]);
    data_placement_fini(&placement);
}

/* Task 1 brings block 1 in a second, which 1e17 seconds for block 0 do not show; task 2 needs it, too. */
static void test_no_task_is_lost_in_rounding(void **state)
{
    (void)state;
    struct taskpool_data_block blocks[] = {{.bytes = 100000000000000000, .owner = 1},
                                           {.bytes = 1, .owner = 1}};
    struct taskpool_data_access accesses[] = {{0, false}, {1, false}, {1, false}};
    int64_t first[] = {0, 1, 2, 3};
    struct taskpool_data data = {
        .n_blocks = 2, .blocks = blocks, .n_tasks = 3, .first = first, .accesses = accesses};
    struct taskpool_data_costs costs = {
        .data = &data, .node_bandwidth = 1, .cache_bytes = INT64_MAX};
    struct taskpool_comm comm = {.size = N_WORKERS};
    struct data_placement placement;
    data_placement_init(&placement, NULL, &comm, &costs, NULL);
    for (int64_t task = 0; task < 3; task++)
        data_placement_take(&placement, task, 1);
    data_spread_tasks(&placement);
    assert_int_equal(placement.tasks.n, 3);
    data_placement_fini(&placement);
}

/* Every task that is not gone, once. */
static void test_spread_tasks_are_those_that_were_listed(void **state)
{
    (void)state;
    struct random_stream random;
    random_stream_init(&random, 6, 0);
    for (int repeat = 0; repeat < 100; repeat++) {
        struct loaded_pool pool;
        struct taskpool_comm comm = {.rank = repeat % N_WORKERS, .size = N_WORKERS};
        struct data_placement placement;
        int n_expected[N_TASKS] = {0}, n_found[N_TASKS] = {0};
        draw_loaded(&pool, &random);
        data_placement_init(&placement, NULL, &comm, &pool.costs, NULL);
        for (int64_t task = 0; task < N_TASKS; task++)
            data_placement_take(&placement, task, random_unit(&random));
        for (int64_t task = 0; task < N_TASKS; task++) {
            n_expected[task] = random_below(&random, 3) > 0;
            if (!n_expected[task])
                data_placement_give(&placement, task);
        }
        data_spread_tasks(&placement);
        for (int64_t i = 0; i < placement.tasks.n; i++)
            n_found[placement.tasks.list[i].task]++;
        assert_memory_equal(n_found, n_expected, sizeof n_found);
        data_placement_fini(&placement);
    }
}

/* --- thieves --- */

static double cost_of_odd(int64_t task, void *context)
{
    (void)context;
    return (double)(task % 2);
}

/* The share given away of four waiting tasks, of costs 0, 1, 0 and 1 and without time for data, after
 * n_ran others. */
static int64_t share_after(int64_t n_ran)
{
    struct loaded_pool pool;
    struct random_stream random;
    struct data_share share;
    random_stream_init(&random, 9, 0);
    draw_loaded(&pool, &random);
    pool.costs = (struct taskpool_data_costs){.data = &pool.data, .node_size = 2};
    struct taskpool_problem problem = {
        .n_tasks = N_TASKS, .cost = cost_of_odd, .data_costs = &pool.costs};
    check_ok(data_share_init(&share, &problem, 0, N_WORKERS));
    for (int64_t task = 0; task < n_ran; task++)
        data_share_ran(&share, task, 0.5);
    for (int64_t task = 0; task < 4; task++)
        share.tasks[task] = task;
    struct data_share_request request = {
        .thief = 1, .victim_speed = 1, .thief_speed = 1, .n_waiting = 4, .n_listed = 4};
    int64_t n = data_share_of(&share, &request);
    data_share_fini(&share);
    return n;
}

/* As if none had run: nothing is known of how long the others take. */
static void test_tasks_of_no_cost_show_no_durations(void **state)
{
    (void)state;
    assert_int_equal(share_after(0), 0);
    assert_int_equal(share_after(1), 0);
    assert_int_equal(share_after(2), 2);
}

/* Both tasks of worker 0 read a block of its own, which takes 3 s to bring. Here, at a fifth of the speed, a
 * task takes 1 s: two have ended before the thief has one. */
static void test_durations_here_are_those_at_this_speed(void **state)
{
    (void)state;
    struct taskpool_data_block block = {.bytes = 1};
    struct taskpool_data_access accesses[] = {{0, false}, {0, false}};
    int64_t first[] = {0, 1, 2};
    struct taskpool_data data = {
        .n_blocks = 1, .blocks = &block, .n_tasks = 2, .first = first, .accesses = accesses};
    struct taskpool_data_costs costs = {.data = &data, .overhead_s = 1.5};
    struct taskpool_problem problem = {.n_tasks = 2, .data_costs = &costs};
    struct taskpool_seeding seeding = {
        .rule = TASKPOOL_SEEDING_BLOCK, .n_tasks = 2, .n_workers = N_WORKERS};
    struct taskpool_mode_setup setup = {.problem = &problem, .seeding = &seeding};
    struct taskpool_comm comm = {.size = N_WORKERS};
    struct data_share_request request = {
        .thief = 1, .victim_speed = 0.2, .thief_speed = 1, .n_waiting = 2, .n_listed = 2};
    struct data_share share;
    struct data_placement placement;
    check_ok(data_share_init(&share, &problem, 0, N_WORKERS));
    data_share_ran(&share, 0, 1);
    for (int64_t task = 0; task < 2; task++)
        share.tasks[task] = task;
    assert_int_equal(data_share_of(&share, &request), 0);
    costs.overhead_s = 0.5;
    assert_int_equal(data_share_of(&share, &request), 1);
    data_placement_init(&placement, &setup, &comm, &costs, &share);
    data_placement_seed(&placement, 0.2);
    check_close(placement.work, 0.2 * (double)placement.n_tasks, 1e-12);
    assert_true(placement.n_tasks > 0);
    data_placement_fini(&placement);
    data_share_fini(&share);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seconds_are_those_of_all_accesses),
        cmocka_unit_test(test_joining_and_leaving_are_foreseen),
        cmocka_unit_test(test_noted_accesses_stay),
        cmocka_unit_test(test_tasks_of_no_cost_show_no_durations),
        cmocka_unit_test(test_tasks_return_to_the_best_placement),
        cmocka_unit_test(test_what_was_best_ages_with_drift),
        cmocka_unit_test(test_trials_without_a_gain_make_others_less_likely),
        cmocka_unit_test(test_the_start_takes_the_place_of_longer_placements),
        cmocka_unit_test(test_nothing_to_move_after_a_start_is_another_start),
        cmocka_unit_test(test_tasks_follow_the_one_that_brings_their_data),
        cmocka_unit_test(test_no_task_is_lost_in_rounding),
        cmocka_unit_test(test_spread_tasks_are_those_that_were_listed),
        cmocka_unit_test(test_durations_here_are_those_at_this_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
