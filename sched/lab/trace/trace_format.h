/* SPDX-License-Identifier: BSD-3-Clause */
/* The two formats in which process 0 writes a trace, lane by lane. Not collective. */
#pragma once

#include "sched/lab/trace/trace_lane.h"
#include "support/base/status.h"

#include <stdio.h>

/* trace.json: Chrome's trace event format, which ui.perfetto.dev and chrome://tracing open. It is
 * written event by event, because a large one would not fit into memory as a value of JSON.
 *
 * Lanes are threads of process 1. A span is a complete event ("X") whose category is the use of
 * the time; a message is a flow from its sender ("s") to its receiver ("f"), of category steal or
 * message; a request to the shared counter, or for a block, is an instant event ("i"). Times are in
 * microseconds, with nanoseconds. Source: the document Trace Event Format of the Catapult project.
 */

/* Begins with the names of the recorded lanes. Errors of writing are left to ferror. */
void trace_json_begin(const struct taskpool_trace *trace, FILE *file);
void trace_json_lane(const struct trace_lane *lane, FILE *file);

/* Ends with otherData, which is as trace_to_json. Errors: STATUS_NO_MEMORY. */
enum status trace_json_end(const struct taskpool_trace *trace, FILE *file);

/* traces.otf2: Open Trace Format 2, which Vampir, Scalasca and otf2-print read.
 *
 * A lane is a location; a use of time is a region, which is entered with the number of its task as
 * an attribute; a message is sent and received in the communicator "messages" or "steals", its tag
 * the same at both ends; a request is a region that takes no time. Times are
 * in nanoseconds.
 * Source: the manual of OTF2 3.0. */

struct trace_otf2;

/* Whether the folder traces in this folder, if there is one, has only what an older trace left.
 * Errors: STATUS_IO, naming it. */
enum status trace_otf2_check(const char *folder);

/* Begins traces.otf2, traces.def and the folder traces, in a temporary folder in output->folder.
 * Errors: STATUS_NO_MEMORY, STATUS_IO, STATUS_LIBRARY. */
enum status trace_otf2_create(const struct trace_output *output, struct trace_otf2 **writer);

/* To be called for all recorded lanes, in their order. A failure is reported by
 * trace_otf2_finish. */
void trace_otf2_lane(struct trace_otf2 *writer, const struct trace_lane *lane);

/* Writes the definitions: the files are complete. Errors: STATUS_LIBRARY. */
enum status trace_otf2_finish(struct trace_otf2 *writer);

/* Puts the files into output->folder, in the place of older ones. Errors: STATUS_IO. */
enum status trace_otf2_publish(struct trace_otf2 *writer);

/* Removes what was not published. NULL is fine. */
void trace_otf2_destroy(struct trace_otf2 *writer);
