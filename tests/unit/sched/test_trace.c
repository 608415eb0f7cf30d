/* SPDX-License-Identifier: BSD-3-Clause */
/* The log of a worker, and which workers have one. */
#include "sched/lab/trace/trace_files.h"
#include "tests/check.h"

static void add_span(struct trace_log *log, enum trace_use use, double begin_s, double end_s)
{
    trace_log_span(log, &(struct trace_span){begin_s, end_s, .use = (int32_t)use});
}

static void add_task(struct trace_log *log, double begin_s, double end_s, int64_t number)
{
    trace_log_span(log, &(struct trace_span){begin_s, end_s, number, .n = 1, .use = TRACE_TASK});
}

TEST(spans_are_joined)
{
    struct trace_log log = {.limit = 10};
    add_span(&log, TRACE_SEARCH, 0, 1);
    add_span(&log, TRACE_SEARCH, 1, 2); /* continues */
    add_span(&log, TRACE_IDLE, 2, 2);   /* no time */
    add_span(&log, TRACE_IDLE, 2, 3);   /* another use */
    add_span(&log, TRACE_IDLE, 3.5, 4); /* after a gap */
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

/* A worker that left the barrier late has waited there, and waits less at the end. */
TEST(wait_of_an_iteration)
{
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

/* All threads of a worker, or none. */
TEST(sample_of_lanes)
{
    static const int64_t rows[][2] = {{1, 1},    {2, 1},      {1023, 1},       {1024, 1}, {1025, 1},
                                      {2048, 1}, {163840, 1}, {2147483647, 1}, {3000, 3}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct trace_shape shape = {.n_lanes = rows[r][0], .n_threads = rows[r][1]};
        int64_t n = trace_n_recorded(&shape), last = -1;
        assert_in_range(n, shape.n_lanes < 1024 ? shape.n_lanes : 512, 1024);
        for (int64_t i = 0; i < n; i++) {
            int64_t lane = trace_recorded_lane(&shape, i);
            assert_true(lane > last && lane < shape.n_lanes);
            assert_int_equal(lane % shape.n_threads, i % shape.n_threads);
            assert_int_equal(trace_index_of_lane(&shape, lane), i);
            if (last >= 0 && lane > last + 1)
                assert_int_equal(trace_index_of_lane(&shape, lane - 1), -1);
            last = lane;
        }
    }
    struct trace_shape shape = {.n_lanes = 20000, .n_threads = 10000};
    assert_int_equal(trace_n_recorded(&shape), 10000);
    assert_int_equal(trace_index_of_lane(&shape, 9999), 9999);
    assert_int_equal(trace_index_of_lane(&shape, 10000), -1);
}

TEST(sent_messages_of_steals)
{
    int64_t ids[] = {3, 8};
    struct trace_message messages[] = {{.id = 8, .kind = TRACE_SENT},
                                       {.id = 4, .kind = TRACE_SENT}};
    struct trace_lane lane = {.messages = messages, .n_messages = 2};
    trace_lane_sort(&lane, &(struct trace_steals){.ids = ids, .n = 2});
    assert_int_equal(messages[0].id, 4);
    assert_false(messages[0].stolen);
    assert_true(messages[1].stolen);
}
