/* SPDX-License-Identifier: BSD-3-Clause */
/* The logs of workers for --trace: spans of their time, and their messages.
 *
 * A lane is a worker, or a thread of a simulated one. All pools of a program append to the same
 * logs, one for each lane that is recorded. A trace is bounded by TRACE_MAX_BYTES of its files;
 * each recorded lane has its share, first come, first kept. Spans and messages without room or
 * of lanes that are not recorded are only counted, with their seconds. Times are the driver's, in
 * seconds. */
#pragma once

#include "sched/pool/core/statistics.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Upper bounds: of the files of a trace, as much as ui.perfetto.dev opens with ease; of the bytes
 * of a span or message in them, both formats together; of recorded lanes. */
enum { TRACE_MAX_BYTES = 200000000, TRACE_RECORD_BYTES = 250, TRACE_MAX_LANES = 1024 };

/* Uses of a worker's time: the fields of struct statistics_worker, in its order. */
enum trace_use {
    TRACE_TASK,
    TRACE_IDLE,
    TRACE_SEARCH,
    TRACE_SCHEDULER,
    TRACE_COMMUNICATION,
    TRACE_BALANCE,
    TRACE_N_USES,
    TRACE_ITERATION = TRACE_N_USES, /* encloses an iteration's spans, without balancing */
};

/* "task", "idle", ..., "iteration". */
const char *trace_use_name(int use);

/* Numbers of tasks without one: added tasks; tasks that were not timed one by one. */
enum { TRACE_UNNUMBERED = -1, TRACE_UNTIMED = -2 };

/* Spans of one worker do not overlap, except that an iteration contains others. */
struct trace_span {
    double begin_s, end_s;
    int64_t number; /* the (first) task; the iteration */
    int32_t n;      /* tasks; of an iteration the number of its pool, in the order of creation */
    int32_t use;    /* enum trace_use, or TRACE_ITERATION */
};

/* The last three have no other end: a request to the shared counter, one for a simulated transfer
 * of a block of data, and a steal from the memory of the node, without a message. */
enum trace_message_kind {
    TRACE_SENT,
    TRACE_RECEIVED,
    TRACE_COUNTER_REQUEST,
    TRACE_BLOCK_TRANSFER,
    TRACE_MEMORY_STEAL,
};

struct trace_message {
    double time_s;
    uint64_t id;     /* the same at both ends; a hash, of another message with probability 2^-64 */
    int32_t peer;    /* worker at the other end */
    int32_t n_tasks; /* that arrived with it, at the receiver */
    uint32_t size;   /* bytes */
    int16_t kind;    /* enum trace_message_kind */
    int16_t stolen;  /* at the receiver: it ends a steal that succeeded */
};

/* Without iterations; all doubles, to be summed at once. */
struct trace_tally {
    double spans, messages, time_s[TRACE_N_USES];
};

/* Zero-initialised: everything is dropped. */
struct trace_log {
    int64_t limit; /* of the spans, and of the messages: a thread of its own may append these */
    struct trace_span *spans;
    struct trace_message *messages;
    int64_t n_spans, span_capacity;
    int64_t n_messages, message_capacity;
    struct trace_tally recorded, dropped;
};

void trace_log_fini(struct trace_log *log);

/* Appends a span of time. One that continues the last of the same use extends it; tasks do while
 * they take less than 10 us together. */
void trace_log_span(struct trace_log *log, const struct trace_span *span);

void trace_log_message(struct trace_log *log, const struct trace_message *message);

/* Appends an iteration that took elapsed_s on this worker, and its wait for the others, which the
 * statistics count as idle: at the end up to now_s, and what is then left of it at the begin, where
 * the worker was in the barrier.
 * iteration  its number, pool and begin */
void trace_log_end(struct trace_log *log, const struct trace_span *iteration, double elapsed_s,
                   double makespan_s, double now_s);

/* --- the logs of all lanes --- */

struct trace_shape {
    int64_t n_lanes;   /* of all processes */
    int64_t first, n;  /* lanes of this process: [first, first + n) */
    int n_threads;     /* lanes of a worker */
    bool is_simulated; /* simulated times, else clock times */
};

/* Records of all pools of a program on this process. sched/lab/trace writes them. */
struct taskpool_trace {
    double zero_s; /* the clock's time at which the trace begins; 0 if simulated */
    struct trace_shape shape;
    struct trace_log *logs; /* n_logs: of the recorded lanes; NULL before the first pool */
    struct trace_log rest;  /* of the lanes that are not: one, which stays in the cache */
    int64_t n_logs;
    int64_t first_log;  /* global number of logs[0] */
    const char **modes; /* n_pools: of each pool */
    int64_t n_pools, pool_capacity;
};

/* Registers a pool. Its number is trace->n_pools - 1 until the next one.
 * mode  its name, borrowed
 * Errors: STATUS_USAGE (the pools of a trace have the same workers). Ends the program when out of
 * memory. */
enum status trace_join(struct taskpool_trace *trace, const struct trace_shape *shape,
                       const char *mode);

/* The log of a lane of this process. */
struct trace_log *trace_log_of(struct taskpool_trace *trace, int64_t lane);

/* Empties the logs; frees all that the trace holds. */
void trace_forget(struct taskpool_trace *trace);
void trace_fini(struct taskpool_trace *trace);

/* Every k-th of n items is shown, from the first on: the least k for at most this many. */
static inline int64_t trace_step(int64_t n, int64_t at_most)
{
    return (n + at_most - 1) / at_most;
}

/* Lanes that are recorded: all threads of every k-th worker; their numbers, ascending. */
int64_t trace_n_recorded(const struct trace_shape *shape);
int64_t trace_recorded_lane(const struct trace_shape *shape, int64_t i);

/* The i of a lane; -1: it is not recorded. */
int64_t trace_index_of_lane(const struct trace_shape *shape, int64_t lane);
