/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/trace/trace_lane.h"

#include <math.h>
#include <stdio.h>
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

static int compare_steal_ids(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

void trace_steals_sort(struct trace_steals *steals)
{
    if (steals->n > 0)
        qsort(steals->ids, (size_t)steals->n, sizeof *steals->ids, compare_steal_ids);
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
                                      sizeof *steals->ids, compare_steal_ids) != NULL;
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

/* Position of a visit. */
struct trace_walk {
    const struct trace_lane *lane;
    const struct trace_visitor *visitor;
    const struct trace_span *open[2]; /* an iteration, and a span in it */
    int64_t end_ns[2];                /* theirs */
    int n_open;
    int64_t next_message;
};

static void visit_messages(struct trace_walk *walk, int64_t until_ns)
{
    const struct trace_lane *lane = walk->lane;
    for (; walk->next_message < lane->n_messages; walk->next_message++) {
        const struct trace_message *message = &lane->messages[walk->next_message];
        int64_t time_ns = trace_ns(message->time_s);
        if (time_ns > until_ns)
            break;
        walk->visitor->message(walk->visitor->context, time_ns, message);
    }
}

/* Leaves the spans that ended by this time, and all but the outer `stay` regardless. */
static void leave_spans(struct trace_walk *walk, int64_t until_ns, int stay)
{
    while (walk->n_open > 0 &&
           (walk->n_open > stay || walk->end_ns[walk->n_open - 1] <= until_ns)) {
        int last = --walk->n_open;
        int64_t end_ns = walk->end_ns[last] < until_ns ? walk->end_ns[last] : until_ns;
        visit_messages(walk, end_ns);
        walk->visitor->leave(walk->visitor->context, end_ns, walk->open[last]);
    }
}

void trace_lane_visit(const struct trace_lane *lane, const struct trace_visitor *visitor)
{
    struct trace_walk walk = {.lane = lane, .visitor = visitor};
    for (int64_t i = 0; i < lane->n_spans; i++) {
        const struct trace_span *span = &lane->spans[i];
        int64_t begin_ns = trace_ns(span->begin_s);
        leave_spans(&walk, begin_ns, span->use == TRACE_ITERATION ? 0 : 1);
        visit_messages(&walk, begin_ns);
        int64_t end_ns = trace_ns(span->end_s);
        if (walk.n_open > 0 && end_ns > walk.end_ns[0])
            end_ns = walk.end_ns[0];
        visitor->enter(visitor->context, begin_ns, span);
        walk.open[walk.n_open] = span;
        walk.end_ns[walk.n_open++] = end_ns;
    }
    leave_spans(&walk, INT64_MAX, 0);
    visit_messages(&walk, INT64_MAX);
}

const char *trace_use_name(int use)
{
    static const char *const names[] = {"task",          "idle",    "search",   "scheduler",
                                        "communication", "balance", "iteration"};
    return names[use];
}

const char *trace_request_name(int kind)
{
    static const char *const names[] = {[TRACE_COUNTER_REQUEST] = "counter request",
                                        [TRACE_BLOCK_TRANSFER] = "block transfer",
                                        [TRACE_MEMORY_STEAL] = "steal from memory"};
    return names[kind];
}
