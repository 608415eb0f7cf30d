/* SPDX-License-Identifier: BSD-3-Clause */
/* The timeline of a run: bins of any width hold all time, lanes and samples stay within their
 * bounds, and the timeline of a simulated pool agrees with its statistics. */
#include "sched/pool/core/statistics.h"
#include "sched/pool/pool_timeline.h"
#include "sched/pool/trace/timeline.h"
#include "support/base/random.h"
#include "taskpool/simulation.h"
#include "tests/cases/pool_cases.h"

static struct timeline *make_timeline(int64_t n_workers)
{
    const struct trace_shape shape = {.n_lanes = n_workers, .n = n_workers, .n_threads = 1};
    struct timeline *timeline = timeline_create(&shape);
    assert_non_null(timeline);
    return timeline;
}

static void add_time(struct timeline *timeline, int64_t lane, enum trace_use use, double from_s,
                     double to_s)
{
    const struct trace_span span = {from_s, to_s, TRACE_UNTIMED, use == TRACE_TASK, (int32_t)use};
    timeline_add(timeline, lane, &span);
}

static void add_task(struct timeline *timeline, int64_t task, double from_s, double to_s)
{
    const struct trace_span span = {from_s, to_s, task, 1, TRACE_TASK};
    timeline_add(timeline, 0, &span);
}

/* Spans follow one another, hold all tasks and all seconds of each use, and show the use with the most. */
static void check_lane(const struct timeline_lane *lane, int64_t n_tasks, const double *use_s)
{
    double past_s = 0, sums_s[TIMELINE_USES] = {0};
    assert_in_range(lane->n_spans, 0, TIMELINE_SPANS);
    for (int64_t i = 0; i < lane->n_spans; i++) {
        const struct timeline_span *span = &lane->spans[i];
        assert_true(span->from_s >= past_s && span->to_s >= span->from_s);
        past_s = span->to_s;
        n_tasks -= span->n_tasks;
        for (int use = 0; use < TIMELINE_USES; use++) {
            sums_s[use] += span->use_s[use];
            assert_true(span->use_s[use] <= span->use_s[span->use]);
        }
    }
    assert_int_equal(n_tasks, 0);
    for (int use = 0; use < TIMELINE_USES; use++)
        check_close(sums_s[use], use_s[use], 1e-9 * (1 + use_s[use]));
}

/* Spans of random uses, from 1 ns to 1 s long, with gaps. At least half of the bins are in use. */
TEST(bins_and_lanes_keep_all_time)
{
    struct random_stream random;
    random_stream_init(&random, 1, 0);
    for (int n = 1; n <= 100000; n *= 10) {
        struct timeline *timeline = make_timeline(1);
        double now_s = 0, use_s[TIMELINE_USES] = {0};
        int64_t n_tasks = 0;
        for (int i = 0; i < n; i++) {
            enum trace_use use = (enum trace_use)random_below(&random, TIMELINE_USES);
            double begin_s = now_s + (i % 10 == 9 ? 1e-3 : 0);
            now_s = begin_s + pow(10, -9 * random_unit(&random));
            add_time(timeline, 0, use, begin_s, now_s);
            use_s[use] += now_s - begin_s;
            n_tasks += use == TRACE_TASK;
            assert_true(TIMELINE_BINS * timeline->sums.run.bin_s >= now_s);
        }
        assert_true(n == 1 || TIMELINE_BINS * timeline->sums.run.bin_s < 2 * now_s);
        for (int use = 0; use < TIMELINE_USES; use++) {
            double sum_s = 0;
            for (int bin = 0; bin < TIMELINE_BINS; bin++)
                sum_s += timeline->sums.run.use_s[bin][use];
            check_close(sum_s, use_s[use], 1e-9 * now_s);
        }
        use_s[TRACE_IDLE] = 0; /* lanes have gaps instead */
        check_lane(&timeline->lanes[0], n_tasks, use_s);
        free(timeline);
    }
}

/* A wait, then n tasks with polls and steals in between, and a wait. Spans that are too many are merged;
 * simulated null tasks take no time, so many can run before the clock has moved. */
TEST(lanes_are_bounded)
{
    static const struct {
        int64_t n;
        double wait_s, poll_s, task_s, most_resolution_s;
    } rows[] = {
        {TIMELINE_SPANS, 0, 0, 1, 0}, /* kept as they are */
        {10000, 1, 4e-4, 6e-4, 0.1},  /* each much shorter than can be shown */
        {10 * TIMELINE_SPANS, 0, 0, 0, 1},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct timeline *timeline = make_timeline(1);
        const struct timeline_lane *lane = &timeline->lanes[0];
        double now_s = rows[r].wait_s, shown_s[TIMELINE_USES] = {0}, n = (double)rows[r].n;
        if (now_s > 0)
            add_time(timeline, 0, TRACE_SEARCH, 0, now_s);
        for (int64_t i = 0; i < rows[r].n; i++) {
            double begin_s = now_s + rows[r].poll_s;
            if (rows[r].poll_s > 0)
                add_time(timeline, 0, TRACE_COMMUNICATION, now_s, begin_s);
            timeline_add_steals(timeline, 0, begin_s, 1);
            now_s = begin_s + rows[r].task_s;
            add_task(timeline, i, begin_s, now_s);
        }
        if (rows[r].wait_s > 0)
            add_time(timeline, 0, TRACE_SEARCH, now_s, now_s + rows[r].wait_s);
        check_lane(lane, rows[r].n,
                   (double[TIMELINE_USES]){[TRACE_TASK] = n * rows[r].task_s,
                                           [TRACE_SEARCH] = 2 * rows[r].wait_s,
                                           [TRACE_COMMUNICATION] = n * rows[r].poll_s});
        assert_true(lane->resolution_s <= rows[r].most_resolution_s);
        for (int64_t i = 0; i < lane->n_spans; i++)
            shown_s[lane->spans[i].use] += lane->spans[i].to_s - lane->spans[i].from_s;
        check_close(shown_s[TRACE_SEARCH], 2 * rows[r].wait_s, 2 * lane->resolution_s);
        check_close(shown_s[TRACE_TASK], n * (rows[r].poll_s + rows[r].task_s),
                    2 * lane->resolution_s);
        if (r == 0)
            assert_int_equal(lane->n_spans, TIMELINE_SPANS);
        assert_int_equal(lane->n_steals, rows[r].n);
        int64_t n_kept = (rows[r].n + lane->steal_step - 1) / lane->steal_step;
        assert_in_range(n_kept, TIMELINE_STEALS / 2, TIMELINE_STEALS);
        for (int64_t i = 0; i < n_kept; i++)
            check_close(lane->steals_s[i],
                        rows[r].wait_s + rows[r].poll_s +
                            (double)(i * lane->steal_step) * (rows[r].poll_s + rows[r].task_s),
                        1e-9);
        free(timeline);
    }
}

TEST(a_sample_is_the_same_in_any_order)
{
    struct timeline *up = make_timeline(1), *down = make_timeline(1);
    const int64_t n = 20000;
    for (int64_t i = 0; i < n; i++) {
        add_task(up, i, 0, 1e-3 * (double)(i + 1));
        add_task(down, n - 1 - i, 0, 1e-3 * (double)(n - i));
    }
    assert_in_range(up->n_sample, TIMELINE_SAMPLE / 4, TIMELINE_SAMPLE);
    assert_int_equal(up->n_sample, down->n_sample);
    for (int64_t i = 0; i < up->n_sample; i++) {
        const struct timeline_task *other = &down->sample[up->n_sample - 1 - i];
        assert_int_equal(up->sample[i].task, other->task);
        check_close(up->sample[i].time_s, other->time_s, 0);
    }
    assert_memory_equal(up->sums.durations, down->sums.durations, sizeof up->sums.durations);
    free(up);
    free(down);
}

/* Also at the edges of bins. */
TEST(durations_lie_in_their_bins)
{
    const double durations_s[] = {1.5e-9, 1e-6, 0.75, 0.875, 1, 1.1249, 1.125, 1000};
    for (int i = 0; i < 8; i++) {
        struct timeline *timeline = make_timeline(1);
        int bin = 0;
        add_task(timeline, 0, 0, durations_s[i]);
        while (timeline->sums.durations[bin] == 0)
            bin++;
        assert_true(timeline_duration(bin) <= durations_s[i] &&
                    durations_s[i] < timeline_duration(bin + 1));
        free(timeline);
    }
}

/* --- a pool --- */

enum { N_WORKERS = 40, N_TASKS = 5000, N_ITERATIONS = 3 };

static double time_of(int64_t task, const void *record, const void *context)
{
    (void)record, (void)context;
    return 1e-3 * (double)(1 + task % 7);
}

static double cost_of(int64_t task, void *context)
{
    (void)context;
    return (double)(1 + task % 7);
}

static double sum_array(const json_t *array)
{
    double sum = 0;
    for (size_t i = 0; i < json_array_size(array); i++)
        sum += json_number_value(json_array_get(array, i));
    return sum;
}

/* The seconds of each use in the bins are those of the statistics; all bins but the last are full. */
static void check_bins(const json_t *utilisation, const struct taskpool_iteration *sum)
{
    const double expected_s[] = {sum->task_s, sum->search_s, sum->communication_s};
    const json_t *bins[3];
    double bin_s, end_s;
    assert_int_equal(json_unpack((json_t *)utilisation, "{sF sF so so so}", "bin_seconds", &bin_s,
                                 "seconds", &end_s, "task", &bins[0], "search", &bins[1],
                                 "communication", &bins[2]),
                     0);
    check_close(end_s, sum->makespan_s, 1e-12);
    for (int use = 0; use < 3; use++) {
        size_t n = json_array_size(bins[use]);
        double last = json_number_value(json_array_get(bins[use], n - 1));
        double full_s = (sum_array(bins[use]) - last) * bin_s;
        check_close((full_s + last * (end_s - (double)(n - 1) * bin_s)) * N_WORKERS,
                    expected_s[use], 1e-9);
    }
}

static void check_durations(const json_t *edges, const json_t *tasks)
{
    assert_int_equal(json_array_size(edges), json_array_size(tasks) + 1);
    for (size_t i = 0; i < json_array_size(tasks); i++) {
        double low_s = json_number_value(json_array_get(edges, i));
        double high_s = json_number_value(json_array_get(edges, i + 1));
        json_int_t n = json_integer_value(json_array_get(tasks, i));
        for (int task = 0; task < N_TASKS; task++)
            n -= low_s <= time_of(task, NULL, NULL) && time_of(task, NULL, NULL) < high_s;
        assert_int_equal(n, 0);
    }
    check_close(sum_array(tasks), N_TASKS, 0);
}

TEST(a_simulated_pool_agrees_with_its_statistics)
{
    const struct taskpool_machine machine = {
        .n_workers = N_WORKERS, .latency_s = 1e-5, .overhead_s = 1e-6, .time = time_of};
    const struct taskpool_problem problem = {.n_tasks = N_TASKS, .cost = cost_of};
    struct taskpool_settings settings = pool_case_settings("--sched=steal");
    struct taskpool_iteration sum = {0}, last = {0};
    struct taskpool *pool;
    json_t *timeline;
    const json_t *all_bins, *last_bins, *edges, *tasks, *lanes, *seconds, *costs, *loads;
    settings.keep_timeline = true;
    check_ok(taskpool_simulate(&problem, &settings, &machine, &pool));
    for (int i = 0; i < N_ITERATIONS; i++) {
        if (i > 0)
            check_ok(taskpool_restore(pool));
        check_ok(taskpool_run(pool));
        last = *taskpool_statistics(pool, i);
        statistics_add(&sum, &last);
    }
    check_ok(pool_timeline(pool, &timeline));
    taskpool_destroy(pool);
    assert_int_equal(json_unpack(timeline, "{so so s{so so} so s{so so} s{so}}", "utilisation",
                                 &all_bins, "last_utilisation", &last_bins, "durations",
                                 "edges_seconds", &edges, "tasks", &tasks, "lanes", &lanes,
                                 "sample", "seconds", &seconds, "cost", &costs, "loads", "seconds",
                                 &loads),
                     0);
    check_bins(all_bins, &sum);
    check_bins(last_bins, &last);
    check_durations(edges, tasks);
    assert_in_range(json_array_size(lanes), TIMELINE_LANES / 2 + 1, TIMELINE_LANES);
    for (size_t i = 0; i < json_array_size(lanes); i++) {
        const json_t *lane = json_array_get(lanes, i), *ends = json_object_get(lane, "to_seconds");
        size_t n = json_array_size(ends);
        assert_int_equal(strlen(json_string_value(json_object_get(lane, "uses"))), n);
        assert_true(json_number_value(json_array_get(ends, n - 1)) <= last.makespan_s + 1e-9);
    }
    check_close(sum_array(seconds), 1e-3 * sum_array(costs), 1e-12);
    assert_int_equal(json_array_size(loads), N_WORKERS);
    check_close(sum_array(loads), last.task_s, 1e-9);
    check_close(json_number_value(json_array_get(loads, 0)), last.load_max, 1e-12);
    json_decref(timeline);
}

TEST_SETUP(check_begin_mpi)
TEST_TEARDOWN(check_end_mpi)
