/* SPDX-License-Identifier: BSD-3-Clause */
/* The one stream of events that the driver of a pool reports: iterations, spans of time, messages.
 * Two consumers keep what they need of it: the logs of the program's trace (trace_log.h) complete
 * stretches of chosen lanes, for --trace; the timeline of the pool (timeline.h) sums over all lanes
 * and the whole run, for --json and --report. Lanes number the workers, or their threads, of
 * this process. Times are the driver's, in seconds. Not collective. A NULL recorder
 * records nothing.
 *
 * With --progress thread, calls for messages and recorder_begin require the driver's lock; all
 * others are made by the worker itself. */
#pragma once

#include "sched/pool/trace/timeline.h"
#include "sched/pool/trace/trace_log.h"
#include "taskpool/mode.h"
#include "taskpool/taskpool.h"

struct recorder {
    struct timeline *timeline;    /* owned; NULL: settings.keep_timeline is not set */
    struct taskpool_trace *trace; /* borrowed; NULL: there is no --trace */
    int pool;                     /* its number in the trace */
    int64_t first;                /* lane of this process, among all */
    double start_s;               /* of the iteration */
    /* Messages to and from each worker so far, by which those over MPI, which keeps their order,
     * are known at both ends; NULL in simulations and without a trace. */
    uint64_t *n_sent, *n_received;
};

/* Joins the trace of the settings. *recorder is NULL where they want neither consumer.
 * mode  its name, borrowed
 * Errors: as trace_join. Ends the program when out of memory. */
enum status recorder_create(const struct taskpool_settings *settings,
                            const struct trace_shape *shape, const char *mode,
                            struct recorder **recorder);
void recorder_destroy(struct recorder *recorder);

/* An iteration began at this time on all workers of this process, and ended.
 * workers     of this process, as the driver left them
 * makespan_s  of all processes */
void recorder_begin(struct recorder *recorder, double start_s);
void recorder_end(struct recorder *recorder, int64_t iteration,
                  const struct statistics_worker *workers, double makespan_s);

/* A worker spent a time in one use, to be added to its statistics; tasks ended at its end. */
void recorder_span(struct recorder *recorder, int64_t lane, const struct trace_span *span);

/* A worker sent a message, or asks for something. The recorder sets time_s and id.
 * message  its kind, peer and size; id, if simulated: a number that no other message has */
void recorder_message(struct recorder *recorder, int64_t lane, struct taskpool_comm *comm,
                      struct trace_message message);

/* The mode of a worker received a message, or has decided and may have stolen from the memory of
 * its node meanwhile.
 * message  as of recorder_message; time_s, if received
 * before   the worker's counts before the mode was called */
void recorder_arrived(struct recorder *recorder, int64_t lane, struct taskpool_comm *comm,
                      struct trace_message message, const struct taskpool_comm_counts *before);
