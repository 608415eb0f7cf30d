/* SPDX-License-Identifier: BSD-3-Clause */
/* A lane as it is written: its log in the order of time; and where it is written. Not collective.
 */
#pragma once

#include "sched/pool/trace/trace_log.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The trace of a program and its files: taskpool_trace_start makes it, and settings->trace is its
 * first member. */
struct trace_output {
    struct taskpool_trace trace;
    const char *root;      /* the folder of --trace, borrowed */
    char folder[PATH_MAX]; /* where the files are: that, or one in it */
    char **made;           /* n_made: folders that this process made */
    int64_t n_made, made_capacity;
    bool is_lost;         /* taskpool_trace_write has failed */
    struct trace_log all; /* totals of all processes, after trace_sum or taskpool_trace_write */
};

static inline const struct trace_output *trace_output_of(const struct taskpool_trace *trace)
{
    return (const struct trace_output *)trace;
}

struct trace_lane {
    const struct taskpool_trace *trace;
    int64_t index;            /* among the recorded lanes */
    int64_t number;           /* among all */
    struct trace_span *spans; /* n_spans; an iteration precedes what it contains */
    struct trace_message *messages;
    int64_t n_spans, n_messages;
};

/* The ids of the messages that ended steals. */
struct trace_steals {
    uint64_t *ids; /* n, owned by the caller */
    int64_t n;
};

void trace_steals_sort(struct trace_steals *steals);

/* Sorts both lists, and marks with `stolen` what was sent to end a steal.
 * steals  sorted */
void trace_lane_sort(struct trace_lane *lane, const struct trace_steals *steals);

/* "worker 7", "worker 3.1" for the second thread of a worker of several. */
void trace_lane_name(const struct taskpool_trace *trace, int64_t lane, char *name, size_t size);

/* The number of the worker at the other end of a message among those recorded; -1: it is not. */
int64_t trace_lane_peer(const struct trace_lane *lane, const struct trace_message *message);

/* A time of the trace in nanoseconds. */
int64_t trace_ns(double time_s);

/* The lane as a sequence of events in the order of time: each span is entered and left, and
 * messages come where they were sent or received. */
struct trace_visitor {
    void (*enter)(void *context, int64_t time_ns, const struct trace_span *span);
    void (*leave)(void *context, int64_t time_ns, const struct trace_span *span);
    void (*message)(void *context, int64_t time_ns, const struct trace_message *message);
    void *context;
};

void trace_lane_visit(const struct trace_lane *lane, const struct trace_visitor *visitor);

/* "counter request", "block transfer", "steal from memory"; NULL for messages with two ends. */
const char *trace_request_name(int kind);

/* "task", "search", ..., "iteration". */
const char *trace_use_name(int use);
