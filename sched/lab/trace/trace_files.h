/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a trace, which process 0 writes lane by lane in two formats. Not collective. */
#pragma once

#include "sched/pool/trace/trace_log.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>

/* The trace of a program and its files: taskpool_trace_start makes it, and settings->trace is its
 * first member. */
struct trace_output {
    struct taskpool_trace trace;
    const char *root;      /* the folder of --trace, borrowed */
    char folder[PATH_MAX]; /* where the files are: that, or one in it */
    bool made_root;
    bool is_lost;                         /* taskpool_trace_write has failed */
    double begin_s;                       /* zero_s since 1970 (UTC), of a real run */
    struct trace_tally recorded, dropped; /* of all processes, after trace_sum or _write */
};

static inline const struct trace_output *trace_output_of(const struct taskpool_trace *trace)
{
    return (const struct trace_output *)trace;
}

/* A lane as it is written: its log in the order of time. */
struct trace_lane {
    const struct taskpool_trace *trace;
    int64_t index;            /* among the recorded lanes */
    struct trace_span *spans; /* n_spans; an iteration precedes its spans */
    struct trace_message *messages;
    int64_t n_spans, n_messages;
};

/* The ids of the messages that ended steals, ascending (array_ascending). */
struct trace_steals {
    int64_t *ids; /* n */
    int64_t n;
};

/* Sorts both lists, and marks with `stolen` what was sent to end a steal. */
void trace_lane_sort(struct trace_lane *lane, const struct trace_steals *steals);

/* "worker 7", "worker 3.1" for the second thread of a worker of several. */
void trace_lane_name(const struct taskpool_trace *trace, int64_t lane, char *name, size_t size);

/* The number of the worker at the other end of a message among those recorded; -1: it is not. */
int64_t trace_lane_peer(const struct trace_lane *lane, const struct trace_message *message);

/* A time of the trace in nanoseconds. */
int64_t trace_ns(double time_s);

/* "counter request", "block transfer", "steal from memory"; NULL for messages with two ends. */
const char *trace_request_name(int kind);

/* --- trace.json: Chrome's trace event format, which ui.perfetto.dev and chrome://tracing open ---
 *
 * It is written event by event, because a large one would not fit into memory as a value of JSON.
 * Lanes are threads of process 1. A span is a complete event ("X") whose category is the use of
 * the time; a message is a flow from its sender ("s") to its receiver ("f"), of category steal or
 * message; a request to the shared counter, or for a block, is an instant event ("i"). Times are in
 * microseconds, with nanoseconds. A real run has the date of its begin as metadata.
 * Source: the document Trace Event Format of the Catapult project. */

/* Begins with the names of the recorded lanes. Errors of writing are left to ferror. */
void trace_json_begin(const struct taskpool_trace *trace, FILE *file);
void trace_json_lane(const struct trace_lane *lane, FILE *file);

/* Ends with otherData, which is as trace_to_json. */
void trace_json_end(const struct taskpool_trace *trace, FILE *file);

/* --- traces.otf2: Open Trace Format 2, which Vampir, Scalasca and otf2-print read ---
 *
 * A lane is a location; a use of time is a region, which is entered with the number of its task as
 * an attribute; a message is sent and received in the communicator "messages" or "steals", its tag
 * the same at both ends; a request is a region that takes no time. Times are
 * in nanoseconds. A real run has the date of its begin, and OTF2's own identifier; a simulated one
 * has neither: equal runs write equal bytes. Source: the manual of OTF2 3.0. */

struct trace_otf2;

/* Begins traces.otf2, traces.def and the folder traces in a folder, which is borrowed.
 * Errors: STATUS_NO_MEMORY, STATUS_LIBRARY; *writer is NULL then. */
enum status trace_otf2_create(const struct taskpool_trace *trace, const char *folder,
                              struct trace_otf2 **writer);

/* To be called for all recorded lanes, in their order. A failure is reported by
 * trace_otf2_close. */
void trace_otf2_lane(struct trace_otf2 *writer, const struct trace_lane *lane);

/* Writes the definitions, and frees the writer: the files are complete. Errors: STATUS_LIBRARY. */
enum status trace_otf2_close(struct trace_otf2 *writer);
