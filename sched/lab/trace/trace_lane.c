/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/trace/trace_files.h"

#include "support/base/array.h"

#include <math.h>
#include <stdlib.h>

static int compare_spans(const void *left, const void *right)
{
    const struct trace_span *a = left, *b = right;
    if (a->begin_s != b->begin_s)
        return a->begin_s < b->begin_s ? -1 : 1;
    if (a->use != b->use && (a->use == TRACE_ITERATION || b->use == TRACE_ITERATION))
        return a->use == TRACE_ITERATION ? -1 : 1;
    if (a->end_s != b->end_s)
        return a->end_s < b->end_s ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static int compare_messages(const void *left, const void *right)
{
    const struct trace_message *a = left, *b = right;
    if (a->time_s != b->time_s)
        return a->time_s < b->time_s ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

void trace_lane_sort(struct trace_lane *lane, const struct trace_steals *steals)
{
    if (lane->n_spans > 0)
        qsort(lane->spans, (size_t)lane->n_spans, sizeof *lane->spans, compare_spans);
    if (lane->n_messages > 0)
        qsort(lane->messages, (size_t)lane->n_messages, sizeof *lane->messages, compare_messages);
    for (int64_t i = 0; i < lane->n_messages && steals->n > 0; i++) {
        struct trace_message *message = &lane->messages[i];
        if (message->kind == TRACE_SENT)
            message->stolen = bsearch(&message->id, steals->ids, (size_t)steals->n,
                                      sizeof *steals->ids, array_ascending) != NULL;
    }
}

void trace_lane_name(const struct taskpool_trace *trace, int64_t lane, char *name, size_t size)
{
    int64_t n_threads = trace->shape.n_threads;
    if (n_threads > 1)
        snprintf(name, size, "worker %lld.%lld", (long long)(lane / n_threads),
                 (long long)(lane % n_threads));
    else
        snprintf(name, size, "worker %lld", (long long)lane);
}

int64_t trace_lane_peer(const struct trace_lane *lane, const struct trace_message *message)
{
    const struct trace_shape *shape = &lane->trace->shape;
    int64_t index = trace_index_of_lane(shape, (int64_t)message->peer * shape->n_threads);
    return index < 0 ? -1 : index / shape->n_threads;
}

int64_t trace_ns(double time_s)
{
    return time_s > 0 ? (int64_t)llround(1e9 * time_s) : 0;
}

const char *trace_request_name(int kind)
{
    static const char *const names[] = {[TRACE_COUNTER_REQUEST] = "counter request",
                                        [TRACE_BLOCK_TRANSFER] = "block transfer",
                                        [TRACE_MEMORY_STEAL] = "steal from memory"};
    return names[kind];
}
