/* SPDX-License-Identifier: BSD-3-Clause */
/* Records the activity of this process's workers for the driver of a pool: in the logs of the
 * program's trace (trace_log.h), in the timeline of the pool (timeline.h), or in both. A worker's
 * lane is its number, or that of its thread, among those of this process. Times are the driver's,
 * in seconds. Not collective. Without a recorder, NULL, all but those of spans and tasks have no
 * effect.
 *
 * With --progress thread, message calls require the driver's lock; all others are made by the
 * worker itself. */
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

/* Joins the trace of the settings. *recorder is NULL where they want neither.
 * mode  its name, borrowed
 * Errors: those of trace_join. Ends the program when out of memory. */
enum status recorder_create(const struct taskpool_settings *settings,
                            const struct trace_shape *shape, const char *mode,
                            struct recorder **recorder);
void recorder_destroy(struct recorder *recorder); /* NULL is fine */

/* An iteration began at this time on all workers of this process, and ended.
 * workers     those of this process, as the driver left them
 * makespan_s  of all processes */
void recorder_begin(struct recorder *recorder, double start_s);
void recorder_end(struct recorder *recorder, int64_t iteration,
                  const struct statistics_worker *workers, double makespan_s);

/* A worker spent a time in one use, to be added to its statistics.
 * span      its number is -1; of tasks that were not timed one by one, n is how many ended
 * polled_s  of these, in polls for messages from inside them */
void recorder_span(struct recorder *recorder, int64_t lane, const struct trace_span *span,
                   double polled_s);

/* Records a task that was timed by itself, as recorder_span; its number is -1 if it has none. */
void recorder_task(struct recorder *recorder, int64_t lane, const struct trace_span *task,
                   double polled_s);

/* Balancing between iterations. */
void recorder_balance(struct recorder *recorder, int64_t lane, double from_s, double to_s);

/* A worker sent a message, or asks for something.
 * comm   its own
 * order  simulated: a number that no other message has */
void recorder_sent(struct recorder *recorder, int64_t lane, struct taskpool_comm *comm, int to,
                   size_t size, uint64_t order);
void recorder_request(struct recorder *recorder, int64_t lane, struct taskpool_comm *comm,
                      enum trace_message_kind kind, size_t size);

/* A worker's mode has decided: records what it has stolen from the memory of its node meanwhile.
 * before  its counts before */
void recorder_decided(struct recorder *recorder, int64_t lane, struct taskpool_comm *comm,
                      const struct taskpool_comm_counts *before);

/* A message that the mode of a worker receives, from before it does so. */
struct recorder_message {
    struct trace_message message;
    struct taskpool_comm_counts before; /* show afterwards whether tasks came with it */
};

struct recorder_message recorder_receive(struct recorder *recorder, struct taskpool_comm *comm,
                                         int from, size_t size, uint64_t order);
void recorder_received(struct recorder *recorder, int64_t lane, struct taskpool_comm *comm,
                       struct recorder_message *received);
