/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/trace/recorder.h"

#include "support/base/clock.h"
#include "support/base/die.h"
#include "support/base/random.h"

#include <math.h>
#include <stdlib.h>

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
    if (settings->keep_timeline)
        recorder->timeline = timeline_create(shape);
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
        timeline_begin(recorder->timeline, start_s);
}

void recorder_end(struct recorder *recorder, int64_t iteration,
                  const struct statistics_worker *workers, double makespan_s)
{
    if (recorder && recorder->timeline)
        recorder->timeline->makespan_s = makespan_s;
    if (!recorder || !recorder->trace)
        return;
    const struct trace_span span = {
        .begin_s = recorder->start_s, .number = iteration, .n = recorder->pool};
    const struct trace_shape *shape = &recorder->trace->shape;
    double now_s = shape->is_simulated ? INFINITY : clock_now_s();
    for (int64_t i = 0; i < shape->n; i++)
        trace_log_end(trace_log_of(recorder->trace, i), &span, workers[i].elapsed_s, makespan_s,
                      now_s);
}

void recorder_span(struct recorder *recorder, int64_t lane, const struct trace_span *span)
{
    if (recorder && recorder->timeline)
        timeline_add(recorder->timeline, recorder->first + lane, span);
    if (recorder && recorder->trace)
        trace_log_span(trace_log_of(recorder->trace, lane), span);
}

/* --- messages --- */

/* order  its position in the order of messages from `from` to `to` in the pool */
static uint64_t hash_message(const struct recorder *recorder, int from, int to, uint64_t order)
{
    uint64_t way = (uint64_t)(uint32_t)from << 32 | (uint32_t)to;
    return random_mix(random_mix(way + random_mix((uint64_t)recorder->pool)) + order);
}

void recorder_message(struct recorder *recorder, int64_t lane, struct taskpool_comm *comm,
                      struct trace_message message)
{
    if (!recorder || !recorder->trace)
        return;
    message.time_s = taskpool_comm_now(comm);
    if (message.kind == TRACE_SENT)
        message.id = hash_message(recorder, comm->rank, message.peer,
                                  recorder->n_sent ? recorder->n_sent[message.peer]++ : message.id);
    trace_log_message(trace_log_of(recorder->trace, lane), &message);
}

void recorder_arrived(struct recorder *recorder, int64_t lane, struct taskpool_comm *comm,
                      struct trace_message message, const struct taskpool_comm_counts *before)
{
    int64_t n_steals = comm->counts.steals_successful - before->steals_successful;
    bool is_received = message.kind == TRACE_RECEIVED;
    if (!recorder || (!is_received && n_steals == 0))
        return;
    message.n_tasks = (int32_t)(comm->counts.tasks_moved - before->tasks_moved);
    message.stolen = n_steals > 0;
    if (is_received)
        message.id =
            hash_message(recorder, message.peer, comm->rank,
                         recorder->n_received ? recorder->n_received[message.peer]++ : message.id);
    else
        message.time_s = taskpool_comm_now(comm);
    if (recorder->timeline)
        timeline_add_steals(recorder->timeline, recorder->first + lane, message.time_s, n_steals);
    if (recorder->trace)
        trace_log_message(trace_log_of(recorder->trace, lane), &message);
}
