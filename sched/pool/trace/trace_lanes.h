/* The logs of this process's workers, which all pools of a program share. A lane is a worker, or a
 * thread of a simulated one. */
#ifndef BERYL_SCHED_TRACE_LANES_H
#define BERYL_SCHED_TRACE_LANES_H

#include "sched/pool/core/statistics.h"
#include "sched/pool/trace/trace_log.h"
#include "support/base/status.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* Lanes that are recorded, at most: of more a sample of workers, evenly spread, with all of their
 * threads. Records of all of them, at most, spans and messages each, and of one. */
enum { TRACE_MAX_LANES = 1024, TRACE_MAX_RECORDS = 1 << 22, TRACE_MAX_LANE_RECORDS = 1 << 20 };

struct trace_shape {
    int64_t n_lanes;   /* of all processes */
    int64_t first, n;  /* of these, those of this process */
    int n_threads;     /* lanes of a worker */
    bool is_simulated; /* times are those of the simulation, else of the clock */
};

struct taskpool_trace {
    const char *root;      /* the folder of --trace, borrowed */
    char folder[PATH_MAX]; /* where the files are: that, or one in it */
    double zero_s;         /* the clock's time at which the trace begins; 0 if simulated */
    struct trace_shape shape;
    struct trace_log *logs; /* n_logs: of the recorded lanes; NULL before the first pool */
    int32_t *log_of_lane;   /* shape.n: its number; -1: the lane is not recorded */
    struct trace_log rest;  /* of the lanes that are not: one, which stays in the cache */
    int64_t n_logs;
    const char **modes; /* n_pools: of each pool */
    int64_t n_pools, pool_capacity;
    char **made; /* n_made: folders that this process made */
    int64_t n_made, made_capacity;
    bool is_lost;         /* taskpool_trace_write has failed */
    struct trace_log all; /* what all processes recorded and dropped, after taskpool_trace_write */
};

/* Registers a pool. Its number is trace->n_pools - 1 until the next one.
 * mode  its name, borrowed
 * Errors: STATUS_USAGE (the pools of a trace have the same workers). Ends the program when out of
 * memory. */
enum status trace_join(struct taskpool_trace *trace, const struct trace_shape *shape,
                       const char *mode);

static inline struct trace_log *trace_log_of(struct taskpool_trace *trace, int64_t lane)
{
    int32_t number = trace->log_of_lane[lane];
    return number < 0 ? &trace->rest : &trace->logs[number];
}

/* Empties the logs. */
void trace_forget(struct taskpool_trace *trace);

/* Appends the end of an iteration to the logs.
 * iteration   its number, pool and begin
 * workers     shape.n, as the driver left them
 * makespan_s  of all processes */
void trace_end_iteration(struct taskpool_trace *trace, const struct trace_span *iteration,
                         const struct statistics_worker *workers, double makespan_s);

/* Lanes that are recorded, one worker's after the other's; their numbers, ascending. */
int64_t trace_n_recorded(const struct trace_shape *shape);
int64_t trace_recorded_lane(const struct trace_shape *shape, int64_t i);

/* The i of a lane; -1: it is not recorded. */
int64_t trace_index_of_lane(const struct trace_shape *shape, int64_t lane);

#endif
