/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/trace/recorder.h"

#include "support/base/die.h"

#include <stdlib.h>

static struct trace_log *log_of_lane(const struct recorder *recorder, int64_t lane)
{
    return trace_log_of(recorder->trace, lane);
}

static enum status join_trace(struct recorder *recorder, const struct trace_shape *shape,
                              const char *mode)
{
    size_t n = (size_t)shape->n_lanes;
    TRY(trace_join(recorder->trace, shape, mode));
    recorder->pool = (int)recorder->trace->n_pools - 1;
    if (shape->is_simulated)
        return STATUS_OK;
    recorder->n_sent = calloc(2 * n, sizeof *recorder->n_sent);
    if (!recorder->n_sent)
        die_no_memory("no memory for the trace of messages of %zu workers", n);
    recorder->n_received = recorder->n_sent + n;
    return STATUS_OK;
}

enum status recorder_create(const struct taskpool_settings *settings,
                            const struct trace_shape *shape, const char *mode,
                            struct recorder **out)
{
    *out = NULL;
    if (!settings->trace && !settings->keep_timeline)
        return STATUS_OK;
    struct recorder *recorder = calloc(1, sizeof *recorder);
    if (!recorder)
        die_no_memory("no memory for the course of an iteration");
    *recorder = (struct recorder){.trace = settings->trace, .first = shape->first};
    if (settings->keep_timeline) {
        recorder->timeline = timeline_create(shape);
        if (!recorder->timeline)
            die_no_memory("no memory for the course of an iteration");
    }
    enum status status = recorder->trace ? join_trace(recorder, shape, mode) : STATUS_OK;
    if (status == STATUS_OK)
        *out = recorder;
    else
        recorder_destroy(recorder);
    return status;
}

void recorder_destroy(struct recorder *recorder)
{
    if (!recorder)
        return;
    free(recorder->timeline);
    free(recorder->n_sent);
    free(recorder);
}

void recorder_begin(struct recorder *recorder, double start_s)
{
    if (!recorder)
        return;
    recorder->start_s = start_s;
    if (recorder->timeline)
        recorder->timeline->zero_s = start_s;
}

void recorder_end(struct recorder *recorder, int64_t iteration,
                  const struct statistics_worker *workers, double makespan_s)
{
    const struct trace_span span = {
        .begin_s = recorder->start_s, .number = iteration, .n = recorder->pool};
    if (recorder->trace)
        trace_end_iteration(recorder->trace, &span, workers, makespan_s);
}

/* --- time --- */

void recorder_span(struct recorder *recorder, int64_t lane, const struct trace_span *span,
                   double polled_s)
{
    if (recorder->timeline)
        timeline_add(recorder->timeline, recorder->first + lane, span, polled_s);
    if (recorder->trace && span->use == TRACE_TASK)
        trace_log_tasks(log_of_lane(recorder, lane), span, polled_s);
    else if (recorder->trace)
        trace_log_span(log_of_lane(recorder, lane), (enum trace_use)span->use, span->begin_s,
                       span->end_s);
}

void recorder_task(struct recorder *recorder, int64_t lane, const struct trace_span *task,
                   double polled_s)
{
    if (recorder->timeline)
        timeline_count_task(recorder->timeline, task->number,
                            task->end_s - task->begin_s - polled_s);
    recorder_span(recorder, lane, task, polled_s);
}

void recorder_balance(struct recorder *recorder, int64_t lane, double from_s, double to_s)
{
    if (recorder && recorder->trace)
        trace_log_span(log_of_lane(recorder, lane), TRACE_BALANCE, from_s, to_s);
}

/* --- messages --- */

void recorder_sent(struct recorder *recorder, int64_t lane, struct taskpool_comm *comm, int to,
                   size_t size, uint64_t order)
{
    if (!recorder || !recorder->trace)
        return;
    uint64_t number = recorder->n_sent ? recorder->n_sent[to]++ : order;
    const struct trace_message message = {
        .time_s = taskpool_comm_now(comm),
        .id = trace_message_id(recorder->pool, comm->rank, to, number),
        .peer = to,
        .size = (uint32_t)size,
        .kind = TRACE_SENT};
    trace_log_message(log_of_lane(recorder, lane), &message);
}

void recorder_request(struct recorder *recorder, int64_t lane, struct taskpool_comm *comm,
                      enum trace_message_kind kind, size_t size)
{
    if (!recorder || !recorder->trace)
        return;
    const struct trace_message message = {
        .time_s = taskpool_comm_now(comm), .size = (uint32_t)size, .kind = (int16_t)kind};
    trace_log_message(log_of_lane(recorder, lane), &message);
}

/* Appends a message with which n_steals stolen batches came. */
static void add_arrival(struct recorder *recorder, int64_t lane,
                        const struct trace_message *message, int64_t n_steals)
{
    if (recorder->timeline)
        timeline_add_steals(recorder->timeline, recorder->first + lane, message->time_s, n_steals);
    if (recorder->trace)
        trace_log_message(log_of_lane(recorder, lane), message);
}

void recorder_decided(struct recorder *recorder, int64_t lane, struct taskpool_comm *comm,
                      const struct taskpool_comm_counts *before)
{
    int64_t n_steals = comm->counts.steals_successful - before->steals_successful;
    if (!recorder || n_steals == 0)
        return;
    const struct trace_message message = {
        .time_s = taskpool_comm_now(comm),
        .n_tasks = (int32_t)(comm->counts.tasks_moved - before->tasks_moved),
        .kind = TRACE_MEMORY_STEAL};
    add_arrival(recorder, lane, &message, n_steals);
}

struct recorder_message recorder_receive(struct recorder *recorder, struct taskpool_comm *comm,
                                         int from, size_t size, uint64_t order)
{
    if (!recorder)
        return (struct recorder_message){0};
    uint64_t number = recorder->n_received ? recorder->n_received[from]++ : order;
    return (struct recorder_message){
        .message = {.time_s = taskpool_comm_now(comm),
                    .id = trace_message_id(recorder->pool, from, comm->rank, number),
                    .peer = from,
                    .size = (uint32_t)size,
                    .kind = TRACE_RECEIVED},
        .before = comm->counts};
}

void recorder_received(struct recorder *recorder, int64_t lane, struct taskpool_comm *comm,
                       struct recorder_message *received)
{
    struct trace_message *message = &received->message;
    int64_t n_steals = comm->counts.steals_successful - received->before.steals_successful;
    message->n_tasks = (int32_t)(comm->counts.tasks_moved - received->before.tasks_moved);
    message->stolen = n_steals > 0;
    if (recorder)
        add_arrival(recorder, lane, message, n_steals);
}
