#include "sched/pool/trace/trace_lanes.h"

#include "support/base/array.h"
#include "support/base/clock.h"
#include "support/base/die.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
        trace->logs[i].limit = limit < TRACE_MAX_LANE_RECORDS ? limit : TRACE_MAX_LANE_RECORDS;
    }
    trace->rest = (struct trace_log){0};
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
