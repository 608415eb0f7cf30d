/* SPDX-License-Identifier: BSD-3-Clause */
/* Learned speeds: the parts against slow references, and modes on simulated workers that they learn
 * to know. */
#include "sched/pool/balancing/expected_work.h"
#include "sched/pool/core/speed_partners.h"
#include "sched/pool/core/speed_sums.h"
#include "sched/pool/queues/speed_classes.h"
#include "sched/pool/queues/watched_tasks.h"
#include "support/base/random.h"
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"
#include "tests/cases/late_iterations.h"
#include "tests/check.h"

#include <math.h>

/* --- parts --- */

enum { N_RECEIVERS = 23, N_GIVEN = 500 };

/* Each task to the receiver that ends it first, of all. */
static void test_tasks_go_where_they_end_first(void **state)
{
    (void)state;
    struct random_stream random;
    struct receiver receivers[N_RECEIVERS];
    struct speed_class classes[N_RECEIVERS];
    double free_s[N_RECEIVERS], speed[N_RECEIVERS];
    random_stream_init(&random, 1, 0);
    for (int i = 0; i < N_RECEIVERS; i++) {
        speed[i] = 1 + (double)random_below(&random, 4);
        free_s[i] = (double)random_below(&random, 8);
        receivers[i] = (struct receiver){.speed = speed[i], .free_s = free_s[i], .id = i};
    }
    int64_t n_classes = speed_classes_init(receivers, N_RECEIVERS, classes);
    assert_int_equal(n_classes, 4);
    for (int task = 0; task < N_GIVEN; task++) {
        double work = random_unit(&random), best_s = INFINITY;
        for (int i = 0; i < N_RECEIVERS; i++)
            best_s = fmin(best_s, free_s[i] + work / speed[i]);
        struct speed_class *first = speed_classes_find(classes, n_classes, work);
        int64_t id = first->heap->id;
        assert_true(first->heap->free_s == free_s[id]);
        assert_true(free_s[id] + work / speed[id] == best_s);
        free_s[id] = best_s;
        speed_class_load(first, best_s);
    }
}

static void test_slopes_are_those_of_noise(void **state)
{
    (void)state;
    struct random_stream random;
    struct speed_sums sums = {0};
    struct prediction prediction = {0};
    random_stream_init(&random, 2, 0);
    for (int i = 0; i < 10000; i++) {
        double task = random_unit(&random);
        repeat_sums_add(&sums.stayed, 1 + task, 1 + task);
        /* As much noise as there is difference: half of a deviation is to be expected again. */
        repeat_sums_add(&sums.moved, 1 + task + random_unit(&random),
                        1 + task + random_unit(&random));
    }
    prediction_update(&prediction, &sums);
    check_close(prediction.stays, 1, 1e-9);
    check_close(prediction.moves, 0.5, 0.03);
    check_close(prediction.mean, 1.75, 0.02);
}

/* The slope of tasks that moved in an earlier phase, where none moved in this one. */
static void test_slope_of_moves_is_remembered(void **state)
{
    (void)state;
    struct random_stream random;
    struct speed_sums moved = {0}, stayed = {0};
    struct prediction prediction = {0};
    random_stream_init(&random, 6, 0);
    for (int i = 0; i < 1000; i++) {
        double task = 1 + random_unit(&random);
        repeat_sums_add(&moved.moved, task, 1 + random_unit(&random));
        repeat_sums_add(&stayed.stayed, task, task);
    }
    prediction_update(&prediction, &stayed);
    check_close(prediction.moves, 1, 1e-9); /* nothing moved yet: as those that stay */
    prediction_update(&prediction, &moved);
    prediction_remember(&prediction, &moved);
    prediction_update(&prediction, &stayed);
    check_close(prediction.stays, 1, 1e-9);
    check_close(prediction.moves, 0, 0.1);
}

/* Where durations are noise and no worker seems slow, tasks that move are expected to differ the more. */
static void test_moves_are_trusted_less_before_there_are_any(void **state)
{
    (void)state;
    struct random_stream random;
    struct speed_sums all = {0};
    struct prediction prediction = {.imbalance = 0.4};
    random_stream_init(&random, 8, 0);
    for (int i = 0; i < 10000; i++) {
        double task = random_unit(&random);
        repeat_sums_add(&all.stayed, task + random_unit(&random), task + random_unit(&random));
    }
    prediction_update(&prediction, &all);
    check_close(prediction.stays, 0.5, 0.05);
    check_close(prediction.moves, prediction.stays * prediction.stays, 1e-9);
    prediction.imbalance = 0.6;
    prediction_update(&prediction, &all);
    check_close(prediction.moves, prediction.stays, 1e-9);
}

/* Logarithms of ratios of durations to costs: errors that last, or change, and noise. */
static struct deviation_powers powers_of(double lasts, double changes, double noise)
{
    struct random_stream random;
    struct speed_sums sums = {0};
    struct prediction prediction = {0};
    random_stream_init(&random, 7, 0);
    for (int i = 0; i < 10000; i++) {
        double error = lasts * random_unit(&random);
        double x = error + noise * random_unit(&random), y = error + noise * random_unit(&random);
        y += changes * random_unit(&random);
        deviation_sums_add(i % 2 ? &sums.stayed_deviations : &sums.moved_deviations, 1, x, y);
    }
    prediction_update(&prediction, &sums);
    return prediction.powers;
}

static void test_durations_count_as_their_noise_allows(void **state)
{
    (void)state;
    struct deviation_powers powers = powers_of(1, 0, 1);
    check_close(powers.stays, 0.5, 0.03);
    check_close(powers.moves, 0.5, 0.03);
    check_close(powers.log_unit, 1, 0.02);
    assert_true(powers.workers == 1); /* of no worker anything is known */
    assert_true(powers_of(1, 0, 0).moves == 1);
    assert_true(powers_of(0, 1, 0).moves == 1);        /* drift is no noise */
    check_close(powers_of(1, 1, 1).moves, 0.67, 0.03); /* of three parts one */
    assert_true(powers_of(0, 0, 1).moves < 0.1);       /* never 0 */
}

/* 40 moved tasks, 10 changed speeds: a fourth of the evidence goes by chance. */
static void test_speeds_explain_more_than_chance_where_noise_is_not_known(void **state)
{
    (void)state;
    struct speed_sums all = {.n_evidence = 80, .n_changed = 10, .squares = 6};
    assert_false(speed_sums_explain(&all, 7.9, 2));
    assert_true(speed_sums_explain(&all, 8.1, 2));
    assert_true(speed_sums_explain(&all, 7.9, 8)); /* enough tasks stayed */
    all.n_changed = 1;
    assert_true(speed_sums_explain(&all, 6.2, 2)); /* one that is slow */
    all = (struct speed_sums){.n_evidence = 80, .n_changed = 10, .squares = 2};
    assert_true(speed_sums_explain(&all, 2.5, 2)); /* no more noise than is assumed without any */
    all = (struct speed_sums){.n_evidence = 50, .n_changed = 10, .squares = 6};
    assert_true(speed_sums_explain(&all, 7, 2)); /* few are left */
}

/* A task that stayed, and the sums of the logarithms of such tasks. */
static void add_stayed(struct speed_sums *sums, double x, double y)
{
    repeat_sums_add(&sums->stayed, x, y);
    sums->noise += x * log(x / y) * log(x / y);
    sums->noise_weight += x;
}

/* Tasks of 0.6 and 3.4 s, mean 2, that take 0.5 or 1 s more or less, and one in ten more or less. */
static void test_noise_is_of_seconds_or_of_fractions(void **state)
{
    (void)state;
    struct speed_sums quiet = {0}, few = {0}, many = {0}, fractions = {0};
    for (int i = 0; i < 400; i++) {
        double work = i % 2 ? 3.4 : 0.6, sign = i % 4 < 2 ? 1 : -1;
        add_stayed(&quiet, work, work);
        add_stayed(&many, work, work + sign / 2);
        add_stayed(&fractions, work, work * exp(sign / 10));
        if (i < 4)
            add_stayed(&few, work, i == 2 ? 0.001 : work + sign);
    }
    check_close(speed_sums_noise(&quiet, 2), 0, 1e-12);
    check_close(speed_sums_noise(&many, 2), 0.25 / 4, 1e-9);
    check_close(speed_sums_noise(&fractions, 2), 0.01, 1e-9);
    double n = (4 * 2 + 4 * 2 + 1 + 1 - 0.6 + 0.001 - 1) / 2 / 2;
    double squares = (1 + 1 + 0.599 * 0.599 + 1) / 4;
    check_close(speed_sums_noise(&few, 2), (squares + 4 * SPEED_UNKNOWN_NOISE) / (n + 4), 1e-9);
    assert_true(speed_sums_noise(&(struct speed_sums){0}, 0) == SPEED_UNKNOWN_NOISE);
}

static double cost_of_number(int64_t task, void *context)
{
    (void)context;
    return (double)task;
}

/* Tasks 1, 4, 16 took the squares of their costs; task 0 has none. Half of a logarithm is noise, but not of the
 * mean of all. */
static void test_expected_work_is_between_cost_and_duration(void **state)
{
    (void)state;
    static const double times[] = {1, 4, 16}, expected[] = {1, 8, 64};
    struct taskpool_problem problem = {.cost = cost_of_number};
    struct deviation_powers powers = {.stays = 0.5, .moves = 0.5, .workers = 1};
    struct expected_work work;
    struct duration_bins bins = {0};
    double sum = 3, weight = 0, mean = 0, extra = 0;
    expected_work_init(&work, &problem);
    check_ok(duration_bins_add(&bins, 0, 3));
    for (int i = 0; i < 3; i++) {
        check_ok(duration_bins_add(&bins, (int64_t)times[i], times[i] * times[i]));
        mean += times[i] * times[i] * log(times[i]);
        weight += times[i] * times[i];
        sum += expected[i];
    }
    check_ok(expected_work_predict(&work, &deviation_powers_none, &bins));
    check_close(bins.load_s, 276, 1e-9);
    check_ok(expected_work_predict(&work, &powers, &bins));
    assert_true(bins.n_tasks == 4 && bins.entries[3].task == 16);
    check_close(bins.load_s, sum, 1e-9);
    for (int i = 0; i < 3; i++) {
        extra += expected[i] * (exp(mean / weight / 2) - 1);
        check_close(expected_work_deviation(&work, expected[i], times[i]), log(times[i]), 1e-9);
    }
    check_close(work.extra, extra, 1e-9);
    duration_bins_fini(&bins);
}

enum { N_PREDICTED = 20, N_COSTED = 64 };

/* The speeds found by costs that are wrong at random: worker 7 is slow. */
static void speeds_by_costs(double slow, double error, double *logarithms)
{
    struct random_stream random;
    struct cost_evidence evidence[N_COSTED] = {0};
    struct speed_sums sums = {0};
    random_stream_init(&random, 3, 0);
    for (int worker = 0; worker < N_COSTED; worker++) {
        evidence[worker].least_error = evidence[worker].doubt = INFINITY;
        for (int i = 0; i < N_PREDICTED; i++) {
            double cost = 1 + random_unit(&random);
            double time_s = cost * exp(error * (random_unit(&random) - 0.5));
            cost_evidence_add(&evidence[worker], cost, worker == 7 ? time_s / slow : time_s);
        }
        cost_evidence_sum(&evidence[worker], &sums, true);
    }
    for (int worker = 0; worker < N_COSTED; worker++)
        logarithms[worker] = cost_evidence_speed(&evidence[worker], &sums, 0, 20);
}

static void test_costs_show_who_is_slow(void **state)
{
    (void)state;
    double logarithms[N_COSTED];
    const double errors[] = {0, 0.5};
    for (int e = 0; e < 2; e++) {
        speeds_by_costs(0.2, errors[e], logarithms);
        for (int worker = 0; worker < N_COSTED; worker++)
            check_close(logarithms[worker], worker == 7 ? log(0.2) : 0, 0.1);
        /* Within what predictions are wrong by. */
        speeds_by_costs(errors[e] > 0 ? 0.9 : 1, errors[e], logarithms);
        for (int worker = 0; worker < N_COSTED; worker++)
            assert_true(logarithms[worker] == 0);
    }
}

/* A worker that got no task in an iteration is as slow as before. */
static void test_costs_of_earlier_phases_are_remembered(void **state)
{
    (void)state;
    struct cost_evidence slow = {.least_error = INFINITY, .doubt = INFINITY};
    struct speed_sums sums = {0};
    for (int i = 0; i < N_PREDICTED; i++)
        cost_evidence_add(&slow, 1, 5);
    cost_evidence_sum(&slow, &sums, false);
    sums.ratios = 0; /* as if all others ran a unit of cost in a second, and were many */
    double logarithm = cost_evidence_speed(&slow, &sums, 0, 20);
    check_close(logarithm, log(0.2), 1e-12);
    cost_evidence_begin(&slow);
    assert_true(cost_evidence_speed(&slow, &sums, 0, 20) == logarithm);
}

/* For real, a task without work takes some time, too. */
static void test_costs_of_nothing_show_nothing(void **state)
{
    (void)state;
    struct cost_evidence evidence = {.least_error = INFINITY, .doubt = INFINITY};
    struct speed_sums sums = {0};
    cost_evidence_add(&evidence, 0, 1e-7);
    cost_evidence_add(&evidence, 1, 1);
    cost_evidence_sum(&evidence, &sums, true);
    assert_true(sums.ratios == 0 && sums.scatter == 0 && sums.cost_weight == 1);
    assert_true(cost_evidence_speed(&evidence, &sums, 0, 20) == 0);
}

static void test_the_worker_of_most_evidence_is_the_unusual_one(void **state)
{
    (void)state;
    struct speed_partners slow = {0}, usual = {0};
    double n, change;
    for (int i = 0; i < 3; i++)
        speed_partner_add_evidence(speed_partners_add(&slow, 1 + i), -1.6, 2);
    speed_partner_add_evidence(speed_partners_add(&usual, 0), 1.6, 2);
    speed_partner_add_evidence(speed_partners_add(&usual, 4), 0, 6);
    double slow_gain = speed_partners_gain(&slow, &n, &change);
    check_close(change, -1.6, 1e-12);
    double usual_gain = speed_partners_gain(&usual, &n, &change);
    check_close(change, 0.4, 1e-12);
    speed_partners_find(&usual, 0)->gain[1] = slow_gain;
    for (int i = 0; i < 3; i++)
        slow.list[i].gain[1] = usual_gain;
    assert_true(speed_partners_exceeds(&slow, 1, slow_gain, -1.6));
    assert_false(speed_partners_exceeds(&usual, 1, usual_gain, 0.4));
    speed_partners_fini(&slow);
    speed_partners_fini(&usual);
}

static void test_tasks_that_moved_are_not_own_ones(void **state)
{
    (void)state;
    struct watched_tasks watched = {0};
    struct duration_bins bins = {0};
    for (int64_t task = 0; task < 100; task++)
        check_ok(duration_bins_add(&bins, task, 1 + (double)(task % 7)));
    check_ok(watched_tasks_add(&watched, 5, 3, 2));
    check_ok(watched_tasks_add(&watched, 6, 3, -1));
    assert_true(watched_tasks_may_have(&watched, 5));
    assert_false(watched_tasks_may_have(&watched, 7));
    watched_tasks_remove(&watched, 5);
    assert_false(watched_tasks_may_have(&watched, 5));
    check_ok(watched_tasks_add(&watched, 5, 3, 2));
    check_ok(watched_tasks_add_own(&watched, &bins, 1000, 0));
    assert_int_equal(watched.n, 100);
    for (int64_t task = 0; task < 100; task++)
        assert_int_equal(watched_tasks_find(&watched, task)->from, task == 5   ? 2
                                                                   : task == 6 ? -1
                                                                               : 0);
    assert_null(watched_tasks_find(&watched, 100));
    watched_tasks_fini(&watched);
    duration_bins_fini(&bins);
}

/* --- modes --- */

enum { N_WORKERS = 32, N_TASKS = 20 * N_WORKERS, N_ITERATIONS = 6 };

static int n_iteration; /* of the pool that is simulated */

static double mixed_time(int64_t task, const void *record, const void *context)
{
    const double *noise = context;
    struct random_stream random;
    (void)record;
    random_stream_init(&random, 4, (uint64_t)task);
    double time_s = 0.01 * (1 + random_unit(&random));
    random_stream_init(&random, (uint64_t)(5 + n_iteration), (uint64_t)task);
    return time_s * (1 + *noise * (random_unit(&random) - 0.5));
}

static double cost_of_mixed(int64_t task, void *context)
{
    const double no_noise = 0;
    (void)context;
    return mixed_time(task, NULL, &no_noise);
}

/* Simulated iterations. */
struct speeds_case {
    const char *mode;
    const double *speeds; /* NULL: all 1 */
    bool costs;
    double noise;
    int slow_iterations; /* after which all workers have speed 1; 0: never */
    int n_iterations;
};

/* Makespans to the work over the speeds. */
static void simulate_case(const struct speeds_case *c, double ratios[])
{
    double speeds[N_WORKERS], work = 0;
    for (int64_t task = 0; task < N_TASKS; task++)
        work += cost_of_mixed(task, NULL);
    for (int i = 0; i < N_WORKERS; i++)
        speeds[i] = c->speeds ? c->speeds[i] : 1;
    struct taskpool_problem problem = {.n_tasks = N_TASKS, .cost = c->costs ? cost_of_mixed : NULL};
    struct taskpool_machine machine = {.n_workers = N_WORKERS,
                                       .latency_s = 1e-5,
                                       .latency_spread_s = 1e-5,
                                       .speeds = speeds,
                                       .time = mixed_time,
                                       .context = &c->noise};
    struct taskpool_settings settings;
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    settings.mode = c->mode;
    check_ok(taskpool_simulate(&problem, &settings, &machine, &pool));
    for (n_iteration = 0; n_iteration < c->n_iterations; n_iteration++) {
        double sum = 0;
        if (n_iteration > 0)
            check_ok(taskpool_restore(pool));
        for (int i = 0; i < N_WORKERS; i++) {
            if (c->slow_iterations > 0 && n_iteration >= c->slow_iterations)
                speeds[i] = 1;
            sum += speeds[i];
        }
        check_ok(taskpool_run(pool));
        ratios[n_iteration] = taskpool_statistics(pool, n_iteration)->makespan_s / (work / sum);
    }
    taskpool_destroy(pool);
}

/* The ratio of the last iteration. */
static double simulate(const char *mode, const double *speeds, bool costs, double noise)
{
    double ratios[N_ITERATIONS];
    const struct speeds_case c = {.mode = mode,
                                  .speeds = speeds,
                                  .costs = costs,
                                  .noise = noise,
                                  .n_iterations = N_ITERATIONS};
    simulate_case(&c, ratios);
    return ratios[N_ITERATIONS - 1];
}

static void test_modes_learn_speeds(void **state)
{
    (void)state;
    double one[N_WORKERS], half[N_WORKERS];
    for (int i = 0; i < N_WORKERS; i++) {
        one[i] = i == 13 ? 0.2 : 1;
        half[i] = i % 2 ? 0.5 : 1;
    }
    const char *const modes[] = {"auto", "persist"};
    for (int m = 0; m < 2; m++) {
        assert_true(simulate(modes[m], one, true, 0) < 1.03);
        assert_true(simulate(modes[m], half, true, 0) < 1.03);
        assert_true(simulate(modes[m], one, false, 0) < 1.1);
        assert_true(simulate(modes[m], half, false, 0) < 1.1);
    }
}

/* Workers that count as too slow for any task cannot show that they are fast again; where they are not, a
 * task is hardly ever wasted on them. */
static void test_workers_that_were_interrupted_are_used_again(void **state)
{
    (void)state;
    enum { N = 16 };
    double speeds[N_WORKERS], ratios[N];
    for (int i = 0; i < N_WORKERS; i++)
        speeds[i] = i % 8 == 5 ? 0.03 : 1;
    const char *const modes[] = {"auto", "persist", "diffusion"};
    for (int m = 0; m < 3; m++)
        for (int costs = 0; costs < 2; costs++) {
            struct speeds_case c = {.mode = modes[m],
                                    .speeds = speeds,
                                    .costs = costs,
                                    .slow_iterations = 2,
                                    .n_iterations = N};
            simulate_case(&c, ratios);
            assert_true(ratios[N - 1] < (m < 2 ? 1.03 : 1.1));
            if (!costs)
                continue;
            int n_wasted = 0;
            c.slow_iterations = 0;
            simulate_case(&c, ratios);
            for (int i = 3; i < N; i++)
                n_wasted += ratios[i] > (m < 2 ? 1.1 : 1.15); /* diffusion ends at 1.1 without */
            assert_in_range(n_wasted, 0, 3);
        }
}

/* Seeds of durations. */
static double exponential_time(int64_t task, const void *record, const void *context)
{
    const uint64_t *seed = context;
    struct random_stream random;
    (void)record;
    random_stream_init(&random, *seed, (uint64_t)task);
    return -0.01 * log(1 - random_unit(&random));
}

/* Workers that are left without a task have none to be tried elsewhere. */
static void test_few_tasks_on_workers_of_unknown_speeds(void **state)
{
    (void)state;
    enum { N = 256 };
    static const double kinds[] = {0.03, 0.25, 1, 10};
    double speeds[N];
    struct random_stream random;
    random_stream_init(&random, 9, 0);
    for (int i = 0; i < N; i++)
        speeds[i] = kinds[random_below(&random, 4)];
    for (uint64_t seed = 0; seed < 8; seed++) {
        struct taskpool_problem problem = {.n_tasks = 3 * N + 5};
        struct taskpool_machine machine = {.n_workers = N,
                                           .latency_s = 1e-5,
                                           .speeds = speeds,
                                           .time = exponential_time,
                                           .context = &seed};
        struct taskpool_settings settings;
        struct taskpool *pool;
        taskpool_settings_default(&settings);
        settings.mode = "auto";
        check_ok(taskpool_simulate(&problem, &settings, &machine, &pool));
        for (int i = 0; i < 8; i++) {
            if (i > 0)
                check_ok(taskpool_restore(pool));
            check_ok(taskpool_run(pool));
            assert_true(taskpool_statistics(pool, i)->makespan_s > 0);
        }
        taskpool_destroy(pool);
    }
}

static double even_time(int64_t task, const void *record, const void *context)
{
    struct random_stream random;
    (void)record;
    random_stream_init(&random, *(const uint64_t *)context, (uint64_t)task);
    return 0.02 + 0.004 * (random_unit(&random) - 0.5);
}

/* Interruptions make a task of 20 ms up to 15 ms longer, and the slow worker makes it 80 ms longer, which is no chance. */
static void test_a_slow_worker_is_found_among_interruptions(void **state)
{
    (void)state;
    enum { N = 32, N_SEEDS = 20, N_LAST = 5 };
    double sum_s = 0;
    struct taskpool_noise noise;
    check_ok(taskpool_noise_init_periodic(&noise, 0.05, 0.015));
    for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
        double speeds[N];
        for (uint64_t i = 0; i < N; i++)
            speeds[i] = i == 7 * seed % N ? 0.2 : 1;
        struct taskpool_machine machine = {.n_workers = N,
                                           .latency_s = 1e-5,
                                           .speeds = speeds,
                                           .noise = &noise,
                                           .time = even_time,
                                           .context = &seed};
        sum_s += late_seconds("auto", INT64_C(2) * N, seed, &machine, N_LAST);
    }
    taskpool_noise_fini(&noise);
    double mean_s = sum_s / (N_SEEDS * (N_LAST - 2));
    assert_true(mean_s < 0.1); /* 0.2 with two tasks, 0.1 with one on the slow worker */
}

/* Tasks that take other times in each iteration are no reason to move them. */
static void test_noise_is_not_speed(void **state)
{
    (void)state;
    double untouched = simulate("static", NULL, false, 0.6);
    assert_true(simulate("auto", NULL, false, 0.6) < 1.02 * untouched);
    assert_true(simulate("persist", NULL, false, 0.6) < 1.02 * untouched);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tasks_go_where_they_end_first),
        cmocka_unit_test(test_slopes_are_those_of_noise),
        cmocka_unit_test(test_slope_of_moves_is_remembered),
        cmocka_unit_test(test_moves_are_trusted_less_before_there_are_any),
        cmocka_unit_test(test_durations_count_as_their_noise_allows),
        cmocka_unit_test(test_speeds_explain_more_than_chance_where_noise_is_not_known),
        cmocka_unit_test(test_noise_is_of_seconds_or_of_fractions),
        cmocka_unit_test(test_expected_work_is_between_cost_and_duration),
        cmocka_unit_test(test_costs_show_who_is_slow),
        cmocka_unit_test(test_costs_of_earlier_phases_are_remembered),
        cmocka_unit_test(test_costs_of_nothing_show_nothing),
        cmocka_unit_test(test_the_worker_of_most_evidence_is_the_unusual_one),
        cmocka_unit_test(test_tasks_that_moved_are_not_own_ones),
        cmocka_unit_test(test_modes_learn_speeds),
        cmocka_unit_test(test_workers_that_were_interrupted_are_used_again),
        cmocka_unit_test(test_few_tasks_on_workers_of_unknown_speeds),
        cmocka_unit_test(test_a_slow_worker_is_found_among_interruptions),
        cmocka_unit_test(test_noise_is_not_speed),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
