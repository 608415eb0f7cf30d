/* SPDX-License-Identifier: BSD-3-Clause */
/* The timeline of a run: bins of any width hold all time, lanes and samples stay within their
 * bounds, and the timeline of a simulated pool agrees with its statistics. */
#include "sched/pool/pool_timeline.h"
#include "sched/pool/trace/timeline.h"
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

static double sum_bins(const struct timeline *timeline, enum trace_use use)
{
    double sum_s = 0;
    for (int i = 0; i < TIMELINE_BINS; i++)
        sum_s += timeline->sums.run.use_s[i][use];
    return sum_s;
}

static struct timeline *make_timeline(int64_t n_workers)
{
    const struct trace_shape shape = {.n_lanes = n_workers, .n = n_workers, .n_threads = 1};
    struct timeline *timeline = timeline_create(&shape);
    assert_non_null(timeline);
    return timeline;
}

static void add_time(struct timeline *timeline, int64_t lane, enum trace_use use, double from_s,
                     double to_s, int n_tasks)
{
    const struct trace_span span = {from_s, to_s, TRACE_UNTIMED, n_tasks, (int32_t)use};
    timeline_add(timeline, lane, &span);
}

static void add_task(struct timeline *timeline, int64_t worker, int64_t task, double from_s,
                     double to_s)
{
    const struct trace_span span = {from_s, to_s, task, 1, TRACE_TASK};
    timeline_add(timeline, worker, &span);
}

TEST(bins_widen_and_keep_all_time)
{
    struct timeline *timeline = make_timeline(2);
    const double ends_s[] = {1e-7, 3e-6, 4e-4, 0.02, 1, 1234};
    double from_s = 0;
    for (int i = 0; i < 6; i++) {
        add_time(timeline, 0, i % 2 ? TRACE_SEARCH : TRACE_TASK, from_s, ends_s[i], 0);
        from_s = ends_s[i];
        assert_true(TIMELINE_BINS * timeline->sums.run.bin_s >= from_s);
        check_close(sum_bins(timeline, TRACE_TASK) + sum_bins(timeline, TRACE_SEARCH), from_s,
                    1e-12 * from_s);
    }
    /* Half of them at least are in use. */
    assert_true(TIMELINE_BINS * timeline->sums.run.bin_s < 2 * 1234);
    /* The next iteration continues after this one. */
    timeline->makespan_s = 1234;
    timeline_begin(timeline, 5000);
    add_time(timeline, 1, TRACE_TASK, 5000, 5006, 1);
    int bin = (int)(1237 / timeline->sums.run.bin_s);
    assert_true(timeline->sums.run.use_s[bin][TRACE_TASK] > 0);
    /* The last iteration alone has finer bins. */
    check_close(timeline->sums.last.bin_s, 0x1p-5, 0);
    check_close(timeline->sums.last.use_s[3][TRACE_TASK], 0x1p-5, 1e-15);
    free(timeline);
}

TEST(lanes_are_bounded_and_lose_no_task)
{
    struct timeline *timeline = make_timeline(1);
    const int64_t n = 10000;
    for (int64_t i = 0; i < n; i++) {
        double from_s = 1e-3 * (double)i;
        add_time(timeline, 0, TRACE_SEARCH, from_s, from_s + 1e-4, 0);
        timeline_add_steals(timeline, 0, from_s + 1e-4, 1);
        add_task(timeline, 0, i, from_s + 1e-4, from_s + 1e-3);
    }
    const struct timeline_lane *lane = &timeline->lanes[0];
    int64_t n_tasks = 0;
    double past_s = 0;
    assert_in_range(lane->n_spans, 2, TIMELINE_SPANS);
    for (int64_t i = 0; i < lane->n_spans; i++) {
        assert_true(lane->spans[i].from_s >= past_s && lane->spans[i].to_s > lane->spans[i].from_s);
        past_s = lane->spans[i].to_s;
        n_tasks += lane->spans[i].n_tasks;
    }
    assert_int_equal(n_tasks, n);
    check_close(past_s, 10, 1e-9);
    assert_int_equal(lane->n_steals, n);
    int64_t n_kept = (n + lane->steal_step - 1) / lane->steal_step;
    assert_in_range(n_kept, TIMELINE_STEALS / 2, TIMELINE_STEALS);
    for (int64_t i = 0; i < n_kept; i++)
        check_close(lane->steals_s[i], 1e-3 * (double)(i * lane->steal_step) + 1e-4, 1e-9);
    free(timeline);
}

/* A wait of a second, then many tasks with polls in between, each much shorter than can be shown.
 */
TEST(merged_spans_show_what_took_most_of_their_time)
{
    struct timeline *timeline = make_timeline(1);
    add_time(timeline, 0, TRACE_SEARCH, 0, 1, 0);
    for (int i = 0; i < 10000; i++) {
        double from_s = 1 + 1e-3 * i;
        add_time(timeline, 0, TRACE_COMMUNICATION, from_s, from_s + 4e-4, 0);
        add_task(timeline, 0, i, from_s + 4e-4, from_s + 1e-3);
    }
    add_time(timeline, 0, TRACE_SEARCH, 11, 12, 0);
    const struct timeline_lane *lane = &timeline->lanes[0];
    double use_s[TIMELINE_USES] = {0};
    for (int64_t i = 0; i < lane->n_spans; i++)
        use_s[lane->spans[i].use] += lane->spans[i].to_s - lane->spans[i].from_s;
    check_close(use_s[TRACE_SEARCH], 2, 2 * lane->resolution_s);
    check_close(use_s[TRACE_TASK], 10, 2 * lane->resolution_s);
    assert_true(lane->resolution_s < 0.1);
    free(timeline);
}

TEST(few_spans_are_kept_as_they_are)
{
    struct timeline *timeline = make_timeline(1);
    for (int i = 0; i < TIMELINE_SPANS; i++)
        add_task(timeline, 0, i, i, i + 1);
    assert_int_equal(timeline->lanes[0].n_spans, TIMELINE_SPANS);
    check_close(timeline->lanes[0].resolution_s, 0, 0);
    check_close(timeline->lanes[0].spans[17].from_s, 17, 0);
    free(timeline);
}

/* Simulated null tasks take no time: many can run before the clock has moved. */
TEST(many_tasks_that_take_no_time_are_merged)
{
    struct timeline *timeline = make_timeline(1);
    const int n = 10 * TIMELINE_SPANS;
    for (int i = 0; i < n; i++)
        add_task(timeline, 0, i, 0, 0);
    add_task(timeline, 0, n, 0, 1);
    const struct timeline_lane *lane = &timeline->lanes[0];
    int64_t n_tasks = 0;
    for (int64_t i = 0; i < lane->n_spans; i++)
        n_tasks += lane->spans[i].n_tasks;
    assert_int_equal(n_tasks, n + 1);
    check_close(lane->spans[lane->n_spans - 1].to_s, 1, 0);
    free(timeline);
}

TEST(a_sample_is_the_same_in_any_order)
{
    struct timeline *up = make_timeline(1), *down = make_timeline(1);
    const int64_t n = 20000;
    for (int64_t i = 0; i < n; i++) {
        add_task(up, 0, i, 0, 1e-3 * (double)(i + 1));
        add_task(down, 0, n - 1 - i, 0, 1e-3 * (double)(n - i));
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

TEST(durations_lie_in_their_bins)
{
    const double durations_s[] = {1.5e-9, 1e-6, 0.75, 0.875, 1, 1.1249, 1.125, 1000};
    for (size_t i = 0; i < sizeof durations_s / sizeof durations_s[0]; i++) {
        struct timeline *timeline = make_timeline(1);
        add_task(timeline, 0, 0, 0, durations_s[i]);
        int bin = 0;
        while (timeline->sums.durations[bin] == 0)
            bin++;
        assert_true(timeline_duration(bin) <= durations_s[i]);
        assert_true(durations_s[i] < timeline_duration(bin + 1));
        free(timeline);
    }
}

/* --- a pool --- */

static double time_of(int64_t task, const void *record, const void *context)
{
    (void)record;
    (void)context;
    return 1e-3 * (double)(1 + task % 7);
}

static double cost_of(int64_t task, void *context)
{
    (void)context;
    return (double)(1 + task % 7);
}

static double sum_array(const json_t *object, const char *key)
{
    const json_t *array = json_object_get(object, key);
    double sum = 0;
    for (size_t i = 0; i < json_array_size(array); i++)
        sum += json_number_value(json_array_get(array, i));
    return sum;
}

/* Seconds in one use according to the bins; all but the last are full. */
static double seconds_of(const json_t *utilisation, const char *key, double n_workers)
{
    const json_t *bins = json_object_get(utilisation, key);
    double bin_s = json_number_value(json_object_get(utilisation, "bin_seconds")), sum = 0;
    double end_s = json_number_value(json_object_get(utilisation, "seconds"));
    for (size_t i = 0; i < json_array_size(bins); i++) {
        double width_s = fmin(bin_s, end_s - (double)i * bin_s);
        sum += json_number_value(json_array_get(bins, i)) * width_s * n_workers;
    }
    return sum;
}

static void check_lanes(const json_t *lanes, double makespan_s)
{
    assert_in_range(json_array_size(lanes), TIMELINE_LANES / 2 + 1, TIMELINE_LANES);
    for (size_t i = 0; i < json_array_size(lanes); i++) {
        const json_t *lane = json_array_get(lanes, i);
        size_t n = json_array_size(json_object_get(lane, "to_seconds"));
        double end_s =
            json_number_value(json_array_get(json_object_get(lane, "to_seconds"), n - 1));
        assert_int_equal(strlen(json_string_value(json_object_get(lane, "uses"))), n);
        assert_true(end_s <= makespan_s + 1e-9);
    }
}

TEST(a_simulated_pool_agrees_with_its_statistics)
{
    enum { n_workers = 40, n_tasks = 5000, n_iterations = 3 };
    struct taskpool_machine machine = {
        .n_workers = n_workers, .latency_s = 1e-5, .overhead_s = 1e-6, .time = time_of};
    struct taskpool_problem problem = {.n_tasks = n_tasks, .cost = cost_of};
    struct taskpool_settings settings;
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    settings.mode = "steal";
    settings.keep_timeline = true;
    check_ok(taskpool_simulate(&problem, &settings, &machine, &pool));
    double task_s = 0, search_s = 0, communication_s = 0, seconds = 0;
    for (int i = 0; i < n_iterations; i++) {
        if (i > 0)
            check_ok(taskpool_restore(pool));
        check_ok(taskpool_run(pool));
        const struct taskpool_iteration *iteration = taskpool_statistics(pool, i);
        task_s += iteration->task_s;
        search_s += iteration->search_s;
        communication_s += iteration->communication_s;
        seconds += iteration->makespan_s;
    }
    json_t *timeline;
    check_ok(pool_timeline(pool, &timeline));
    const struct taskpool_iteration *last = taskpool_statistics(pool, n_iterations - 1);
    const json_t *utilisation = json_object_get(timeline, "utilisation");
    check_close(json_number_value(json_object_get(utilisation, "seconds")), seconds, 1e-12);
    check_close(seconds_of(utilisation, "task", n_workers), task_s, 1e-9);
    check_close(seconds_of(utilisation, "search", n_workers), search_s, 1e-9);
    check_close(seconds_of(utilisation, "communication", n_workers), communication_s, 1e-9);
    utilisation = json_object_get(timeline, "last_utilisation");
    check_close(json_number_value(json_object_get(utilisation, "seconds")), last->makespan_s, 0);
    check_close(seconds_of(utilisation, "task", n_workers), last->task_s, 1e-9);
    check_close(seconds_of(utilisation, "search", n_workers), last->search_s, 1e-9);
    check_close(sum_array(json_object_get(timeline, "durations"), "tasks"), n_tasks, 0);
    check_lanes(json_object_get(timeline, "lanes"), last->makespan_s);
    const json_t *sample = json_object_get(timeline, "sample"), *loads;
    check_close(sum_array(sample, "seconds"), 1e-3 * sum_array(sample, "cost"), 1e-12);
    loads = json_object_get(timeline, "loads");
    assert_int_equal(json_array_size(json_object_get(loads, "seconds")), n_workers);
    check_close(sum_array(loads, "seconds"), last->task_s, 1e-9);
    check_close(json_number_value(json_array_get(json_object_get(loads, "seconds"), 0)),
                last->load_max, 1e-12);
    json_decref(timeline);
    taskpool_destroy(pool);
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
