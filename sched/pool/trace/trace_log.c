/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/trace/trace_log.h"

#include "support/base/array.h"
#include "support/base/die.h"

#include <math.h>
#include <stdlib.h>

/* Tasks in a span shorter than this cannot be distinguished in a picture. */
#define SHORT_TASKS_S 1e-5

const char *trace_use_name(int use)
{
    static const char *const names[] = {"task",          "idle",    "search",   "scheduler",
                                        "communication", "balance", "iteration"};
    return names[use];
}

void trace_log_fini(struct trace_log *log)
{
    free(log->spans);
    free(log->messages);
    *log = (struct trace_log){0};
}

/* Appends unless the log is full, or the memory. */
static bool append_span(struct trace_log *log, const struct trace_span *span)
{
    if (log->n_spans == log->limit ||
        array_reserve(&log->spans, log->n_spans + 1, &log->span_capacity, sizeof *log->spans) !=
            STATUS_OK)
        return false;
    log->spans[log->n_spans++] = *span;
    return true;
}

static bool continues_span(const struct trace_span *last, const struct trace_span *span)
{
    return last->use == span->use && last->end_s == span->begin_s &&
           (span->use != TRACE_TASK || span->end_s - last->begin_s < SHORT_TASKS_S);
}

void trace_log_span(struct trace_log *log, const struct trace_span *span)
{
    struct trace_span *last = log->n_spans > 0 ? &log->spans[log->n_spans - 1] : NULL;
    struct trace_tally *tally = &log->recorded;
    if (!(span->end_s > span->begin_s) && span->use != TRACE_TASK)
        return;
    if (last && continues_span(last, span)) {
        last->end_s = span->end_s;
        last->n += span->n;
    } else {
        tally = append_span(log, span) ? &log->recorded : &log->dropped;
        tally->spans++;
    }
    tally->time_s[span->use] += span->end_s - span->begin_s;
}

void trace_log_message(struct trace_log *log, const struct trace_message *message)
{
    if (log->n_messages == log->limit ||
        array_reserve(&log->messages, log->n_messages + 1, &log->message_capacity,
                      sizeof *log->messages) != STATUS_OK) {
        log->dropped.messages++;
        return;
    }
    log->messages[log->n_messages++] = *message;
    log->recorded.messages++;
}

void trace_log_end(struct trace_log *log, const struct trace_span *iteration, double elapsed_s,
                   double makespan_s, double now_s)
{
    double start_s = iteration->begin_s, end_s = start_s + elapsed_s,
           wait_s = makespan_s - elapsed_s;
    double after_s = fmin(wait_s, fmax(0, now_s - end_s));
    struct trace_span span = *iteration;
    span.begin_s = start_s - (wait_s - after_s);
    span.end_s = end_s + after_s;
    span.use = TRACE_ITERATION;
    trace_log_span(log,
                   &(struct trace_span){.begin_s = end_s, .end_s = span.end_s, .use = TRACE_IDLE});
    trace_log_span(
        log, &(struct trace_span){.begin_s = span.begin_s, .end_s = start_s, .use = TRACE_IDLE});
    append_span(log, &span);
}

/* --- lanes --- */

static int64_t step_of_workers(const struct trace_shape *shape)
{
    int64_t at_most = TRACE_MAX_LANES / shape->n_threads;
    return trace_step(shape->n_lanes / shape->n_threads, at_most > 1 ? at_most : 1);
}

int64_t trace_n_recorded(const struct trace_shape *shape)
{
    int64_t n_workers = shape->n_lanes / shape->n_threads;
    return trace_step(n_workers, step_of_workers(shape)) * shape->n_threads;
}

int64_t trace_recorded_lane(const struct trace_shape *shape, int64_t i)
{
    int64_t n_threads = shape->n_threads;
    return i / n_threads * step_of_workers(shape) * n_threads + i % n_threads;
}

int64_t trace_index_of_lane(const struct trace_shape *shape, int64_t lane)
{
    int64_t n_threads = shape->n_threads, worker = lane / n_threads, step = step_of_workers(shape);
    return worker % step == 0 ? worker / step * n_threads + lane % n_threads : -1;
}

struct trace_log *trace_log_of(struct taskpool_trace *trace, int64_t lane)
{
    int64_t index = trace_index_of_lane(&trace->shape, trace->shape.first + lane);
    return index < 0 ? &trace->rest : &trace->logs[index - trace->first_log];
}

void trace_forget(struct taskpool_trace *trace)
{
    for (int64_t i = 0; i < trace->n_logs; i++) {
        trace_log_fini(&trace->logs[i]);
        trace->logs[i].limit =
            TRACE_MAX_BYTES / 2 / TRACE_RECORD_BYTES / trace_n_recorded(&trace->shape);
    }
    trace->rest = (struct trace_log){0};
}

void trace_fini(struct taskpool_trace *trace)
{
    trace_forget(trace);
    free(trace->logs);
    free(trace->modes);
}

static void create_logs(struct taskpool_trace *trace, const struct trace_shape *shape)
{
    trace->shape = *shape;
    for (int64_t i = shape->n - 1; i >= 0; i--) {
        int64_t index = trace_index_of_lane(shape, shape->first + i);
        trace->n_logs += index >= 0;
        trace->first_log = index >= 0 ? index : trace->first_log;
    }
    trace->logs = calloc((size_t)(trace->n_logs + 1), sizeof *trace->logs);
    if (!trace->logs)
        die_no_memory("no memory for the trace of %lld workers", (long long)shape->n);
    trace_forget(trace);
    if (shape->is_simulated)
        trace->zero_s = 0;
}

enum status trace_join(struct taskpool_trace *trace, const struct trace_shape *shape,
                       const char *mode)
{
    if (!trace->logs)
        create_logs(trace, shape);
    const struct trace_shape *other = &trace->shape;
    if (other->n_lanes != shape->n_lanes || other->n_threads != shape->n_threads ||
        other->is_simulated != shape->is_simulated)
        return FAIL(STATUS_USAGE, "the pools of a trace must have the same workers");
    if (array_reserve(&trace->modes, trace->n_pools + 1, &trace->pool_capacity,
                      sizeof *trace->modes) != STATUS_OK)
        die_no_memory("no memory for the names of %lld pools", (long long)trace->n_pools);
    trace->modes[trace->n_pools++] = mode;
    return STATUS_OK;
}
