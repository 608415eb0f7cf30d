/* Traces of the pools of a program (taskpool/taskpool.h): what programs of the project need
 * besides. */
#ifndef BERYL_SCHED_TRACE_H
#define BERYL_SCHED_TRACE_H

#include "support/base/status.h"
#include "taskpool/taskpool.h"

#include <mpi.h>

/* Bytes of a path, and that of trace.json; NULL without settings->trace_folder, or if it is too
 * long, which taskpool_trace_start refuses. */
enum { TRACE_PATH = 4096 };
const char *trace_json_path(const struct taskpool_settings *settings, char path[TRACE_PATH]);

/* Makes the folder of a part that taskpool_trace_write will be called with, so that one that cannot
 * be made is found before the run. Collective over the comm of taskpool_trace_start; NULL is fine.
 * Errors: STATUS_IO, naming the folder; the
 * same on every process. */
enum status trace_prepare(struct taskpool_trace *trace, MPI_Comm comm, const char *part);

/* Adds up what all processes recorded so far, for trace_to_json (trace_report.h) before the trace
 * is written. Collective over the comm of taskpool_trace_start; NULL is fine. */
void trace_sum(struct taskpool_trace *trace, MPI_Comm comm);

#endif
