/* A timeline of what the workers of all pools of a program do, --trace.
 *
 *     taskpool_trace_start(comm, &settings);         // before the pools; without
 * settings.trace_folder it
 *     ... pools made with these settings    // and all that follows have no effect
 *     taskpool_trace_write(settings.trace, comm, NULL);
 *     taskpool_trace_destroy(settings.trace); */
#ifndef BERYL_SCHED_TRACE_H
#define BERYL_SCHED_TRACE_H

#include "sched/pool/core/settings.h"
#include "support/base/status.h"

#include <mpi.h>

struct taskpool_trace;
struct json_t; /* jansson.h */

/* Bytes of a path, and that of trace.json; NULL without settings->trace_folder, or if it is too
 * long, which taskpool_trace_start refuses. */
enum { TRACE_PATH = 4096 };
const char *trace_json_path(const struct taskpool_settings *settings, char path[TRACE_PATH]);

/* Sets settings->trace, where a folder is named. Collective over comm, whose processes are those
 * of the pools.
 * Errors: STATUS_IO (the folder cannot be written to), naming it; the same on every process. */
enum status taskpool_trace_start(MPI_Comm comm, struct taskpool_settings *settings);

/* Makes the folder of a part that taskpool_trace_write will be called with, so that one that cannot
 * be made is found before the run. Collective over the comm of taskpool_trace_start; NULL is fine.
 * Errors: as above. */
enum status trace_prepare(struct taskpool_trace *trace, MPI_Comm comm, const char *part);

/* Discards all records and starts again at time 0. Collective over the comm of
 * taskpool_trace_start, as taskpool_trace_write is; NULL is fine. */
void taskpool_trace_restart(struct taskpool_trace *trace, MPI_Comm comm);

/* Sums the totals of all processes, for trace_to_json before the trace is written. Collective over
 * the comm of taskpool_trace_start; NULL is fine. */
void trace_sum(struct taskpool_trace *trace, MPI_Comm comm);

/* Writes trace.json, in Chrome's format, and traces.otf2 with its folder, OTF2, of what was
 * recorded so far; those of an earlier run are replaced, or stay if this fails, which then leaves
 * nothing. More may be recorded only after taskpool_trace_restart. NULL is fine.
 * part  a folder for them in that of the trace; NULL: that itself
 * Errors: STATUS_IO, STATUS_LIBRARY; the same on every process. */
enum status taskpool_trace_write(struct taskpool_trace *trace, MPI_Comm comm, const char *part);

/* Also removes the folders that it made, if empty. Not collective; NULL is fine. */
void taskpool_trace_destroy(struct taskpool_trace *trace);

/* --- the report: what a trace holds and what it left out, of all processes, after trace_sum or
 * taskpool_trace_write; not collective --- */

/* Prints a line or two; nothing for NULL. */
void trace_print(const struct taskpool_trace *trace);

/* Prints these lines from the JSON of trace_to_json. */
void trace_print_json(const struct json_t *trace);

/* The key "trace" of results (RESULTS.md), or JSON's null for NULL. The caller owns it. NULL when
 * out of memory, and for a trace that could not be written. */
struct json_t *trace_to_json(const struct taskpool_trace *trace);

#endif
