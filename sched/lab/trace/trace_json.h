/* trace.json: Chrome's trace event format, which ui.perfetto.dev and chrome://tracing open. It is
 * written event by event, because a large one would not fit into memory as a value of JSON.
 *
 * Lanes are threads of process 1. A span is a complete event ("X") whose category is the use of
 * the time; a message is a flow from its sender ("s") to its receiver ("f"), of category steal or
 * message; a request to the shared counter, or for a block, is an instant event ("i"). Times are in
 * microseconds, with nanoseconds. Source: the document Trace Event Format of the Catapult project.
 */
#ifndef BERYL_SCHED_TRACE_JSON_H
#define BERYL_SCHED_TRACE_JSON_H

#include "sched/lab/trace/trace_lane.h"
#include "support/base/status.h"

#include <stdio.h>

/* Begins with the names of the recorded lanes. Errors of writing are left to ferror. */
void trace_json_begin(const struct taskpool_trace *trace, FILE *file);
void trace_json_lane(const struct trace_lane *lane, FILE *file);

/* Ends with otherData, which is as trace_to_json. Errors: STATUS_NO_MEMORY. */
enum status trace_json_end(const struct taskpool_trace *trace, FILE *file);

#endif
