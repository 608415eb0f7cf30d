/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/trace/trace_log.h"

#include "support/base/array.h"
#include "support/base/clock.h"
#include "support/base/die.h"
#include "support/base/random.h"

#include <math.h>
#include <stdlib.h>

/* Tasks in a span shorter than this cannot be distinguished in a picture. */
#define SHORT_TASKS_S 1e-5

void trace_log_fini(struct trace_log *log)
{
    free(log->spans);
    free(log->messages);
    *log = (struct trace_log){0};
}

/* Appends unless the log is full, or the memory. */
static bool append_span(struct trace_log *log, const struct trace_span *span)
{
    if (log->n_spans >= log->limit ||
        array_reserve(&log->spans, log->n_spans + 1, &log->span_capacity, sizeof *log->spans) !=
            STATUS_OK)
        return false;
    log->spans[log->n_spans++] = *span;
    return true;
}

/* A span that continues the last one extends it, where that is allowed. */
static void place_span(struct trace_log *log, const struct trace_span *span, bool extends)
{
    double time_s = span->end_s - span->begin_s;
    if (extends) {
        struct trace_span *last = &log->spans[log->n_spans - 1];
        last->end_s = span->end_s;
        last->n += span->n;
        log->recorded.time_s[span->use] += time_s;
        return;
    }
    struct trace_tally *tally = append_span(log, span) ? &log->recorded : &log->dropped;
    tally->n[span->use]++;
    tally->time_s[span->use] += time_s;
}

/* The last span, if this one has the same use and begins at its end. */
static const struct trace_span *continued_span(const struct trace_log *log,
                                               const struct trace_span *span)
{
    const struct trace_span *last = log->n_spans > 0 ? &log->spans[log->n_spans - 1] : NULL;
    return last && last->use == span->use && last->end_s == span->begin_s ? last : NULL;
}

void trace_log_span(struct trace_log *log, enum trace_use use, double begin_s, double end_s)
{
    const struct trace_span span = {.begin_s = begin_s, .end_s = end_s, .use = (int32_t)use};
    if (end_s > begin_s)
        place_span(log, &span, continued_span(log, &span) != NULL);
}

void trace_log_tasks(struct trace_log *log, const struct trace_span *tasks, double polled_s)
{
    struct trace_span span = *tasks;
    span.use = TRACE_TASK;
    span.end_s -= polled_s;
    const struct trace_span *last = continued_span(log, &span);
    place_span(log, &span, last && span.end_s - last->begin_s < SHORT_TASKS_S);
    trace_log_span(log, TRACE_COMMUNICATION, span.end_s, tasks->end_s);
}

void trace_log_message(struct trace_log *log, const struct trace_message *message)
{
    if (log->n_messages >= log->limit ||
        array_reserve(&log->messages, log->n_messages + 1, &log->message_capacity,
                      sizeof *log->messages) != STATUS_OK)
        log->n_dropped_messages++;
    else
        log->messages[log->n_messages++] = *message;
}

void trace_log_end(struct trace_log *log, const struct trace_span *iteration, double elapsed_s,
                   double makespan_s, double now_s)
{
    double start_s = iteration->begin_s, end_s = start_s + elapsed_s,
           wait_s = makespan_s - elapsed_s;
    double after_s = fmin(wait_s, fmax(0, now_s - end_s));
    double before_s = wait_s - after_s;
    struct trace_span span = *iteration;
    span.begin_s = start_s - before_s;
    span.end_s = end_s + after_s;
    span.use = TRACE_ITERATION;
    trace_log_span(log, TRACE_IDLE, end_s, span.end_s);
    trace_log_span(log, TRACE_IDLE, span.begin_s, start_s);
    append_span(log, &span);
}

uint64_t trace_message_id(int pool, int from, int to, uint64_t number)
{
    uint64_t way = (uint64_t)(uint32_t)from << 32 | (uint32_t)to;
    return random_mix(random_mix(way + random_mix((uint64_t)pool)) + number);
}

/* --- lanes --- */

static int64_t n_recorded_workers(const struct trace_shape *shape)
{
    int64_t n = shape->n_lanes / shape->n_threads, most = TRACE_MAX_LANES / shape->n_threads;
    return n <= most ? n : most > 1 ? most : 1;
}

static int64_t recorded_worker(const struct trace_shape *shape, int64_t i)
{
    int64_t n = n_recorded_workers(shape);
    return (i * (shape->n_lanes / shape->n_threads) + n - 1) / n;
}

int64_t trace_n_recorded(const struct trace_shape *shape)
{
    return n_recorded_workers(shape) * shape->n_threads;
}

int64_t trace_recorded_lane(const struct trace_shape *shape, int64_t i)
{
    return recorded_worker(shape, i / shape->n_threads) * shape->n_threads + i % shape->n_threads;
}

int64_t trace_index_of_lane(const struct trace_shape *shape, int64_t lane)
{
    int64_t worker = lane / shape->n_threads;
    int64_t i = worker * n_recorded_workers(shape) / (shape->n_lanes / shape->n_threads);
    return recorded_worker(shape, i) == worker ? i * shape->n_threads + lane % shape->n_threads
                                               : -1;
}

void trace_forget(struct taskpool_trace *trace)
{
    int64_t limit = trace->n_logs > 0 ? TRACE_MAX_RECORDS / trace_n_recorded(&trace->shape) : 0;
    for (int64_t i = 0; i < trace->n_logs; i++) {
        trace_log_fini(&trace->logs[i]);
        trace->logs[i].limit = limit;
    }
    trace->rest = (struct trace_log){0};
}

void trace_fini(struct taskpool_trace *trace)
{
    trace_forget(trace);
    free(trace->logs);
    free(trace->log_of_lane);
    free(trace->modes);
}

static void create_logs(struct taskpool_trace *trace, const struct trace_shape *shape)
{
    trace->shape = *shape;
    trace->log_of_lane = malloc((size_t)shape->n * sizeof *trace->log_of_lane);
    trace->logs = calloc((size_t)trace_n_recorded(shape), sizeof *trace->logs);
    if (!trace->logs || !trace->log_of_lane)
        die_no_memory("no memory for the trace of %lld workers", (long long)shape->n);
    for (int64_t i = 0; i < shape->n; i++)
        trace->log_of_lane[i] =
            trace_index_of_lane(shape, shape->first + i) >= 0 ? (int32_t)trace->n_logs++ : -1;
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

void trace_end_iteration(struct taskpool_trace *trace, const struct trace_span *iteration,
                         const struct statistics_worker *workers, double makespan_s)
{
    double now_s = trace->shape.is_simulated ? INFINITY : clock_now_s();
    for (int64_t i = 0; i < trace->shape.n; i++)
        trace_log_end(trace_log_of(trace, i), iteration, workers[i].elapsed_s, makespan_s, now_s);
}
