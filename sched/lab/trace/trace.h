/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces of the pools of a program: what programs of the project need in addition to
 * taskpool/taskpool.h. */
#pragma once

#include "support/base/status.h"
#include "taskpool/taskpool.h"

#include <mpi.h>

struct json_t; /* jansson.h */

/* The path of trace.json. NULL without settings->trace_folder, or if the path has TRACE_PATH bytes
 * or more; taskpool_trace_start refuses such a path. */
enum { TRACE_PATH = 4096 };
const char *trace_json_path(const struct taskpool_settings *settings, char path[TRACE_PATH]);

/* Sums the totals of all processes, for trace_to_json before the trace is written. Collective over
 * the comm of taskpool_trace_start; NULL is fine. */
void trace_sum(struct taskpool_trace *trace, MPI_Comm comm);

/* --- the report: the kept and dropped records of all processes, after trace_sum or
 * taskpool_trace_write; not collective --- */

/* Prints a line or two; nothing for NULL. */
void trace_print(const struct taskpool_trace *trace);

/* Prints these lines from the JSON of trace_to_json. */
void trace_print_json(const struct json_t *trace);

/* The key "trace" of results (RESULTS.md), or JSON's null for NULL. The caller owns it. NULL when
 * out of memory, and for a trace that could not be written. */
struct json_t *trace_to_json(const struct taskpool_trace *trace);
