/* What a trace holds and what it left out, of all processes; after trace_sum or
 * taskpool_trace_write. Not collective. */
#ifndef BERYL_SCHED_TRACE_REPORT_H
#define BERYL_SCHED_TRACE_REPORT_H

#include "sched/pool/trace/trace.h"

#include <jansson.h>

/* A line or two; NULL prints nothing. */
void trace_print(const struct taskpool_trace *trace);

/* The same of what trace_to_json made of it. */
void trace_print_json(const json_t *trace);

/* The key "trace" of results (RESULTS.md), or JSON's null for NULL. The caller owns it. NULL when
 * out of memory, and for a trace that could not be written. */
json_t *trace_to_json(const struct taskpool_trace *trace);

#endif
