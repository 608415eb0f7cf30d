/* SPDX-License-Identifier: BSD-3-Clause */
/* Error rates of comparisons over several rounds: a mode compared with itself differs in 5 of 100
 * comparisons at most, one that takes 1.10 times as long is found in 90 of 100 with 10 rounds, on a
 * machine that is noisy, stalls and becomes slower, from round to round and within a round.
 *
 *   test_comparison [COMPARISONS]   100 of each kind, or more */
#include "sched/lab/comparison/comparison.h"
#include "sched/lab/comparison/taskpool_compare.h"
#include "support/base/random.h"
#include "taskpool/simulation.h"
#include "tests/check.h"

#include <string.h>

enum { N_ROUNDS = 10, N_SEEDS = 15 };

static int n_comparisons = 100;

/* --- bookkeeping --- */

static void run_round(struct comparison *comparison, int position, const char *mode,
                      const double *seconds, int n)
{
    if (position == comparison->n)
        comparison_add(comparison, mode);
    comparison_begin(comparison, position);
    for (int i = 0; i < n; i++)
        comparison_note(comparison, position, seconds[i]);
    check_ok(comparison_end(comparison, position));
}

/* Two modes whose every round takes these times. */
static struct comparison constant_rounds(int64_t n_rounds, double first_s, double second_s)
{
    struct comparison comparison = {0};
    for (int64_t round = 0; round < n_rounds; round++) {
        run_round(&comparison, 0, "static", &first_s, 1);
        run_round(&comparison, 1, "static", &second_s, 1);
    }
    check_ok(comparison_analyse(&comparison));
    return comparison;
}

TEST(iterations_that_count)
{
    struct comparison comparison = {0};
    const double seconds[] = {100, 50, 1, 2, 6};
    const double expected[] = {100, 50, 1, 1.5, 3};
    for (int n = 1; n <= 5; n++)
        run_round(&comparison, 0, "static", seconds, n);
    for (int n = 0; n < 5; n++)
        check_close(comparison.modes[0].round_s[n], expected[n], 1e-15);
    check_ok(comparison_analyse(&comparison));
    check_close(comparison.modes[0].first_quartile_s, 1.5, 1e-15);
    check_close(comparison.modes[0].median_s.value, 3, 1e-15);
    check_close(comparison.modes[0].third_quartile_s, 50, 1e-15);
    comparison_fini(&comparison);
}

TEST(rounds_needed)
{
    assert_int_equal(comparison_rounds_needed(2), 7);
    assert_int_equal(comparison_rounds_needed(9), 10);
    for (int64_t n = 6; n <= 7; n++) {
        struct comparison comparison = constant_rounds(n, 1, 0.25);
        assert_int_equal(comparison.modes[1].verdict,
                         n == 7 ? COMPARISON_FASTER : COMPARISON_NOT_DISTINGUISHABLE);
        check_close(comparison.modes[1].ratio.value, 0.25, 1e-15);
        comparison_fini(&comparison);
    }
}

struct printed {
    char lines[8][160];
    int n;
};

static void keep_line(const char *line, void *to)
{
    struct printed *printed = to;
    assert_in_range(printed->n, 0, 7);
    assert_null(strchr(line, '\n'));
    strcpy(printed->lines[printed->n++], line);
}

/* Simulated times may be zero, and without noise they are equal. Rows keep their columns. */
TEST(verdicts_are_printed)
{
    static const struct {
        double first_s, second_s;
        enum comparison_verdict verdict;
        const char *word;
    } rows[] = {
        {0, 0, COMPARISON_NOT_DISTINGUISHABLE, "not distinguishable"},
        {1, 1, COMPARISON_NOT_DISTINGUISHABLE, "not distinguishable"},
        {0, 1, COMPARISON_SLOWER, "slower"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct printed printed = {0};
        struct comparison comparison = constant_rounds(20, rows[i].first_s, rows[i].second_s);
        const struct comparison_mode *mode = &comparison.modes[1];
        assert_true(mode->round_s[0] == rows[i].second_s);
        assert_true(mode->median_s.value == rows[i].second_s);
        assert_int_equal(mode->verdict, rows[i].verdict);
        if (i < 2)
            assert_true(mode->ratio.low == 1 && mode->ratio.value == 1 && mode->ratio.high == 1);
        comparison_print(&comparison, keep_line, &printed);
        assert_int_equal(printed.n, 7);
        const char *verdict = strstr(printed.lines[4], "verdict");
        assert_non_null(verdict);
        assert_non_null(strstr(printed.lines[6], "static#2"));
        assert_string_equal(printed.lines[6] + (verdict - printed.lines[4]), rows[i].word);
        comparison_fini(&comparison);
    }
}

/* --- orders --- */

TEST(each_order_of_real_rounds_is_as_frequent)
{
    for (int64_t seed = 1; seed <= 3; seed++) {
        struct comparison comparison = {.seed = seed};
        int n_orders = 0, n[27] = {0}, order[COMPARISON_MODES_MAX];
        for (int m = 0; m < 3; m++)
            comparison_add(&comparison, "static");
        for (int64_t round = 0; round < 600; round++) {
            comparison_draw_order(&comparison, round, order);
            assert_true(order[0] != order[1] && order[0] != order[2] && order[1] != order[2]);
            n_orders += n[9 * order[0] + 3 * order[1] + order[2]]++ == 0;
        }
        assert_int_equal(n_orders, 6);
        for (int i = 0; i < 27; i++) /* more than 4 standard deviations */
            assert_true(n[i] == 0 || (n[i] >= 100 - 40 && n[i] <= 100 + 40));
        comparison.simulated = true;
        comparison_draw_order(&comparison, seed, order);
        assert_true(order[0] == 0 && order[1] == 1 && order[2] == 2);
        comparison_fini(&comparison);
    }
}

/* --- noise --- */

static double draw_gauss(struct random_stream *random)
{
    double radius = sqrt(-2 * log(1 - random_unit(random)));
    return radius * cos(2 * acos(-1) * random_unit(random));
}

/* The factor of a run's time: 3.5 % of noise, and in one of fifty a stall of 20 % on average. */
static double draw_factor(struct random_stream *random)
{
    double factor = exp(0.035 * draw_gauss(random));
    return random_unit(random) < 0.02 ? factor * (1 - 0.2 * log(1 - random_unit(random))) : factor;
}

/* 2 % more from round to round, which differ by 5 %. */
static double draw_drift(struct random_stream *random, int64_t round)
{
    return 1 + 0.02 * (double)round + 0.05 * draw_gauss(random);
}

/* Compares n_modes: all but the first take `ratio` times as long, and each takes `delay` longer
 * than the one that ran before it. Returns how many are called different. */
static int compare_drawn_modes(int n_modes, double ratio, double delay, uint64_t seed)
{
    struct comparison comparison = {.seed = (int64_t)seed};
    struct random_stream random;
    random_stream_init(&random, seed, 0);
    for (int m = 0; m < n_modes; m++)
        comparison_add(&comparison, "static");
    for (int64_t round = 0; round < N_ROUNDS; round++) {
        int order[COMPARISON_MODES_MAX];
        double drift = draw_drift(&random, round);
        comparison_draw_order(&comparison, round, order);
        for (int i = 0; i < n_modes; i++) {
            double factor = draw_factor(&random) * (order[i] == 0 ? 1 : ratio) * (1 + delay * i);
            run_round(&comparison, order[i], "static", (double[]){drift * factor}, 1);
        }
    }
    check_ok(comparison_analyse(&comparison));
    int n_different = 0;
    for (int m = 1; m < n_modes; m++)
        n_different += comparison.modes[m].verdict == COMPARISON_SLOWER ||
                       (ratio == 1 && comparison.modes[m].verdict == COMPARISON_FASTER);
    comparison_fini(&comparison);
    return n_different;
}

TEST(drawn_times_have_the_error_rates)
{
    const struct {
        int n_modes;
        double ratio, delay;
        int n, least, most; /* comparisons that call a mode different */
    } rows[] = {
        {2, 1, 0, n_comparisons, 0, n_comparisons * 5 / 100},
        {9, 1, 0, n_comparisons / 4, 0, n_comparisons / 4 * 5 / 100 + 1},
        {2, 1, 0.06, n_comparisons, 0, n_comparisons * 5 / 100},
        {2, 1.1, 0, n_comparisons, n_comparisons * 90 / 100, n_comparisons},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int n_different = 0;
        for (int n = 0; n < rows[i].n; n++)
            n_different += compare_drawn_modes(rows[i].n_modes, rows[i].ratio, rows[i].delay,
                                               (uint64_t)n + 1) > 0;
        printf("%d modes, ratio %.2f, delay %.2f: different in %d of %d\n", rows[i].n_modes,
               rows[i].ratio, rows[i].delay, n_different, rows[i].n);
        assert_in_range(n_different, rows[i].least, rows[i].most);
    }
}

/* --- random modes --- */

/* Simulated tasks whose durations depend on the round alone. */
static int64_t drawn_round;

static double drawn_time(int64_t task, const void *record, const void *context)
{
    struct random_stream random;
    (void)record, (void)context;
    random_stream_init(&random, (uint64_t)drawn_round, (uint64_t)task);
    return -1e-3 * log(1 - random_unit(&random));
}

static int prepare_drawn(struct taskpool *pool, int mode, int64_t round, int64_t iteration,
                         void *context)
{
    (void)pool, (void)mode, (void)iteration, (void)context;
    drawn_round = round;
    return STATUS_OK;
}

/* All modes share the tasks of a round: only a mode's random choices make its copies differ. */
TEST(copies_choose_differently)
{
    /* Nodes of one worker: within a node thieves of all copies find the same victim. */
    const struct taskpool_machine machine = {
        .n_workers = 8, .node_size = 1, .latency_s = 1e-5, .time = drawn_time};
    const struct taskpool_problem problem = {.n_tasks = 400};
    const struct taskpool_comparison plan = {.modes = "steal,steal,static,static",
                                             .n_rounds = N_SEEDS,
                                             .n_iterations = 1,
                                             .prepare = prepare_drawn,
                                             .machine = &machine};
    struct taskpool_settings settings;
    struct comparison comparison;
    taskpool_settings_default(&settings);
    check_ok(comparison_of_pools(MPI_COMM_SELF, &problem, &settings, &plan, &comparison));
    const struct comparison_mode *modes = comparison.modes;
    assert_true(modes[1].ratio.low < 1 && modes[1].ratio.high > 1);
    assert_memory_equal(modes[2].round_s, modes[3].round_s, N_SEEDS * sizeof(double));
    comparison_fini(&comparison);
}

TEST(what_is_no_comparison_is_refused)
{
    const struct taskpool_machine machine = {.n_workers = 4, .time = drawn_time};
    const struct taskpool_problem problem = {.n_tasks = 40};
    const struct taskpool_comparison bad[] = {
        {.modes = "static,nonsense", .n_rounds = 2, .n_iterations = 1},
        {.modes = "static,steal", .n_rounds = 1, .n_iterations = 1},
        {.modes = "static,steal", .n_rounds = 1001, .n_iterations = 1},
        {.modes = "static,steal", .n_rounds = 2, .n_iterations = 0}};
    struct taskpool_settings settings;
    taskpool_settings_default(&settings);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct taskpool_comparison plan = bad[i];
        struct comparison comparison;
        plan.machine = &machine;
        check_status(STATUS_USAGE,
                     comparison_of_pools(MPI_COMM_SELF, &problem, &settings, &plan, &comparison));
        comparison_fini(&comparison);
    }
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)

int main(int argc, char **argv)
{
    if (argc > 1)
        n_comparisons = atoi(argv[1]);
    return check_run(argc, argv);
}
