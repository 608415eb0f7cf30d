/* SPDX-License-Identifier: BSD-3-Clause */
/* The log of a worker, and its events in the order of time. */
#include "sched/lab/trace/trace_lane.h"
#include "tests/check.h"

#include <string.h>

static struct trace_span tasks_of(double begin_s, double end_s, int64_t number)
{
    return (struct trace_span){.begin_s = begin_s, .end_s = end_s, .number = number, .n = 1};
}

static void add_task(struct trace_log *log, double begin_s, double end_s, int64_t number)
{
    struct trace_span task = tasks_of(begin_s, end_s, number);
    trace_log_tasks(log, &task, 0);
}

static void test_spans_are_joined(void **state)
{
    (void)state;
    struct trace_log log = {.limit = 10};
    trace_log_span(&log, TRACE_SEARCH, 0, 1);
    trace_log_span(&log, TRACE_SEARCH, 1, 2); /* continues */
    trace_log_span(&log, TRACE_IDLE, 2, 2);   /* no time */
    trace_log_span(&log, TRACE_IDLE, 2, 3);   /* another use */
    trace_log_span(&log, TRACE_IDLE, 3.5, 4); /* after a gap */
    add_task(&log, 4, 4 + 4e-6, 7);
    add_task(&log, 4 + 4e-6, 4 + 8e-6, 8); /* short */
    add_task(&log, 4 + 8e-6, 5, 9);        /* long */
    assert_int_equal(log.n_spans, 5);
    check_close(log.spans[0].end_s, 2, 0);
    assert_int_equal(log.spans[3].n, 2);
    assert_int_equal(log.spans[3].number, 7);
    assert_int_equal(log.spans[4].number, 9);
    check_close(log.recorded.time_s[TRACE_TASK], 1, 1e-12);
    check_close(log.recorded.time_s[TRACE_IDLE], 1.5, 1e-12);
    trace_log_fini(&log);
}

/* Polls from inside a task are communication behind it. */
static void test_polls_inside_a_task(void **state)
{
    (void)state;
    struct trace_log log = {.limit = 10};
    struct trace_span task = tasks_of(1, 2, 3);
    trace_log_tasks(&log, &task, 0.25);
    assert_int_equal(log.n_spans, 2);
    check_close(log.spans[0].end_s, 1.75, 0);
    assert_int_equal(log.spans[1].use, TRACE_COMMUNICATION);
    check_close(log.spans[1].end_s, 2, 0);
    trace_log_fini(&log);
}

static void test_full_log(void **state)
{
    (void)state;
    struct trace_log log = {.limit = 2};
    for (int i = 0; i < 5; i++) {
        add_task(&log, i, i + 0.5, i);
        trace_log_message(&log, &(struct trace_message){.time_s = i});
    }
    assert_int_equal(log.n_spans, 2);
    assert_int_equal(log.dropped.n[TRACE_TASK], 3);
    check_close(log.dropped.time_s[TRACE_TASK], 1.5, 1e-15);
    assert_int_equal(log.n_messages, 2);
    assert_int_equal(log.n_dropped_messages, 3);
    trace_log_fini(&log);
}

/* A worker that left the barrier late has waited there, and waits less at the end. */
static void test_wait_of_an_iteration(void **state)
{
    (void)state;
    struct trace_log log = {.limit = 10};
    trace_log_end(&log, &(struct trace_span){.begin_s = 10, .number = 4, .n = 1}, 2, 3, 12.25);
    assert_int_equal(log.n_spans, 3);
    check_close(log.spans[0].begin_s, 12, 0);
    check_close(log.spans[0].end_s, 12.25, 0);
    check_close(log.spans[1].begin_s, 9.25, 0);
    check_close(log.spans[1].end_s, 10, 0);
    assert_int_equal(log.spans[2].use, TRACE_ITERATION);
    check_close(log.spans[2].begin_s, 9.25, 0);
    check_close(log.spans[2].end_s, 12.25, 0);
    check_close(log.recorded.time_s[TRACE_IDLE], 1, 0);
    trace_log_fini(&log);
}

static void test_sample_of_lanes(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 2, 1023, 1024, 1025, 1500, 2048, 163840, 2147483647};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        struct trace_shape shape = {.n_lanes = sizes[s], .n_threads = 1};
        int64_t n = trace_n_recorded(&shape), last = -1;
        assert_int_equal(n, sizes[s] < 1024 ? sizes[s] : 1024);
        for (int64_t i = 0; i < n; i++) {
            int64_t lane = trace_recorded_lane(&shape, i);
            assert_true(lane > last && lane < sizes[s]);
            assert_int_equal(trace_index_of_lane(&shape, lane), i);
            if (last >= 0 && lane > last + 1)
                assert_int_equal(trace_index_of_lane(&shape, lane - 1), -1);
            last = lane;
        }
    }
}

/* All threads of a worker, or none. */
static void test_sample_of_threads(void **state)
{
    (void)state;
    struct trace_shape shape = {.n_lanes = 3000, .n_threads = 3};
    assert_int_equal(trace_n_recorded(&shape), 1023);
    for (int64_t i = 0; i < 1023; i++) {
        int64_t lane = trace_recorded_lane(&shape, i);
        assert_int_equal(lane % 3, i % 3);
        assert_int_equal(trace_index_of_lane(&shape, lane), i);
    }
    shape = (struct trace_shape){.n_lanes = 20000, .n_threads = 10000};
    assert_int_equal(trace_n_recorded(&shape), 10000);
    assert_int_equal(trace_index_of_lane(&shape, 9999), 9999);
    assert_int_equal(trace_index_of_lane(&shape, 10000), -1);
}

struct story {
    char text[256];
};

static void tell(struct story *story, char what, int64_t time_ns)
{
    size_t length = strlen(story->text);
    snprintf(story->text + length, sizeof story->text - length, "%c%lld ", what,
             (long long)time_ns);
}

static void on_enter(void *context, int64_t time_ns, const struct trace_span *span)
{
    tell(context,
         span->use == TRACE_ITERATION ? 'I'
         : span->use == TRACE_TASK    ? 'T'
                                      : 'S',
         time_ns);
}

static void on_leave(void *context, int64_t time_ns, const struct trace_span *span)
{
    tell(context,
         span->use == TRACE_ITERATION ? 'i'
         : span->use == TRACE_TASK    ? 't'
                                      : 's',
         time_ns);
}

static void on_message(void *context, int64_t time_ns, const struct trace_message *message)
{
    (void)message;
    tell(context, 'm', time_ns);
}

static void test_events_in_the_order_of_time(void **state)
{
    (void)state;
    struct trace_span spans[] = {
        {.begin_s = 2e-9, .end_s = 5e-9, .use = TRACE_SEARCH},
        {.begin_s = 1e-9, .end_s = 2e-9, .use = TRACE_TASK},
        {.begin_s = 5e-9, .end_s = 7e-9, .use = TRACE_TASK},
        {.begin_s = 1e-9, .end_s = 7e-9, .use = TRACE_ITERATION},
        {.begin_s = 9e-9, .end_s = 10e-9, .use = TRACE_BALANCE},
    };
    struct trace_message messages[] = {{.time_s = 8e-9}, {.time_s = 5e-9}, {.time_s = 3e-9}};
    struct trace_lane lane = {.spans = spans, .n_spans = 5, .messages = messages, .n_messages = 3};
    struct story story = {""};
    const struct trace_visitor visitor = {on_enter, on_leave, on_message, &story};
    trace_lane_sort(&lane, &(struct trace_steals){0});
    trace_lane_visit(&lane, &visitor);
    assert_string_equal(story.text, "I1 T1 t2 S2 m3 m5 s5 T5 t7 i7 m8 S9 s10 ");
}

static void test_sent_messages_of_steals(void **state)
{
    (void)state;
    uint64_t ids[] = {3, 8};
    struct trace_message messages[] = {{.id = 8, .kind = TRACE_SENT},
                                       {.id = 4, .kind = TRACE_SENT}};
    struct trace_lane lane = {.messages = messages, .n_messages = 2};
    trace_lane_sort(&lane, &(struct trace_steals){.ids = ids, .n = 2});
    assert_int_equal(messages[0].id, 4);
    assert_false(messages[0].stolen);
    assert_true(messages[1].stolen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spans_are_joined),
        cmocka_unit_test(test_polls_inside_a_task),
        cmocka_unit_test(test_full_log),
        cmocka_unit_test(test_wait_of_an_iteration),
        cmocka_unit_test(test_sample_of_lanes),
        cmocka_unit_test(test_sample_of_threads),
        cmocka_unit_test(test_events_in_the_order_of_time),
        cmocka_unit_test(test_sent_messages_of_steals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
