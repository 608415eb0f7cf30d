/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that hold for every trace: it agrees with the statistics. */
#pragma once

#include "sched/lab/trace/trace.h"
#include "sched/lab/trace/trace_files.h"
#include "sched/pool/core/statistics.h"
#include "tests/check.h"

#include <stdbool.h>
#include <string.h>

/* Sums over the spans and messages of a process's lanes. All are doubles, so that MPI can add
 * them up at once. */
struct trace_totals {
    double time_s[TRACE_N_USES];    /* of the spans */
    double counted_s[TRACE_N_USES]; /* recorded and dropped, by the logs' own account */
    double tasks, iterations;
    double sent, sent_bytes, received, steals, tasks_moved;
    double dropped; /* spans and messages */
};

enum { TRACE_TOTALS = sizeof(struct trace_totals) / sizeof(double) };

/* A trace that is not written. */
static inline struct taskpool_trace *trace_case_create(void)
{
    struct trace_output *output = calloc(1, sizeof *output);
    assert_non_null(output);
    return &output->trace;
}

/* Logs that soon are full. */
static inline void trace_case_limit(struct taskpool_trace *trace, int64_t limit)
{
    for (int64_t i = 0; i < trace->shape.n; i++)
        trace->logs[i].limit = limit;
}

static inline void trace_case_add_message(struct trace_totals *totals,
                                          const struct trace_message *message)
{
    if (message->kind == TRACE_RECEIVED) {
        totals->received++;
        totals->steals += message->stolen;
        totals->tasks_moved += message->n_tasks;
    } else if (message->kind == TRACE_MEMORY_STEAL) {
        totals->steals++;
        totals->tasks_moved += message->n_tasks;
    } else {
        totals->sent++;
        totals->sent_bytes += message->size;
    }
}

static inline void trace_case_add_log(struct trace_totals *totals, const struct trace_log *log)
{
    for (int64_t i = 0; i < log->n_spans; i++) {
        const struct trace_span *span = &log->spans[i];
        if (span->use == TRACE_ITERATION) {
            totals->iterations++;
            continue;
        }
        totals->time_s[span->use] += span->end_s - span->begin_s;
        totals->tasks += span->use == TRACE_TASK ? span->n : 0;
    }
    for (int64_t i = 0; i < log->n_messages; i++)
        trace_case_add_message(totals, &log->messages[i]);
    totals->dropped += log->dropped.spans + log->dropped.messages;
    for (int use = 0; use < TRACE_N_USES; use++)
        totals->counted_s[use] += log->recorded.time_s[use] + log->dropped.time_s[use];
}

static inline struct trace_totals trace_case_totals(const struct taskpool_trace *trace)
{
    struct trace_totals totals = {0};
    for (int64_t i = 0; i < trace->shape.n; i++)
        trace_case_add_log(&totals, &trace->logs[i]);
    return totals;
}

/* Whether the spans of a lane follow one another, and lie in an iteration unless its own found no
 * room. */
static inline bool trace_case_is_ordered(const struct taskpool_trace *trace,
                                         const struct trace_log *log)
{
    struct trace_span *spans = malloc((size_t)(log->n_spans + 1) * sizeof *spans);
    assert_non_null(spans);
    if (log->n_spans > 0)
        memcpy(spans, log->spans, (size_t)log->n_spans * sizeof *spans);
    struct trace_lane lane = {.trace = trace, .spans = spans, .n_spans = log->n_spans};
    trace_lane_sort(&lane, &(struct trace_steals){0});
    double end_s = 0, iteration_end_s = 0;
    bool ordered = true;
    for (int64_t i = 0; i < lane.n_spans; i++) {
        const struct trace_span *span = &spans[i];
        if (span->use == TRACE_ITERATION)
            iteration_end_s = span->end_s;
        else if (span->use != TRACE_BALANCE && log->n_spans + log->n_messages < log->limit)
            ordered = ordered && span->end_s <= iteration_end_s + 1e-9;
        ordered = ordered && span->begin_s <= span->end_s && span->begin_s >= end_s - 1e-9;
        end_s = span->use == TRACE_ITERATION ? end_s : span->end_s;
    }
    free(spans);
    return ordered;
}

/* Whether totals of all workers agree with their statistics, the sum of all iterations, to 1 ns
 * for each task; else *why names the difference. balance_s is not compared: statistics have the
 * slowest worker's. */
static inline bool trace_case_agrees(const struct trace_totals *totals,
                                     const struct taskpool_iteration *sum, char *why, size_t size)
{
    const double expected_s[] = {sum->task_s, sum->idle_s, sum->search_s, sum->scheduler_s,
                                 sum->communication_s};
    double tolerance_s = 1e-9 * (double)(sum->tasks + 1);
    double steals = sum->steals_successful.mean * (double)sum->n_workers;
    bool whole = totals->dropped == 0;
    for (int use = 0; use < TRACE_BALANCE; use++) {
        double found_s = whole ? totals->time_s[use] : totals->counted_s[use];
        if (fabs(found_s - expected_s[use]) <= tolerance_s &&
            fabs(totals->counted_s[use] - expected_s[use]) <= tolerance_s)
            continue;
        snprintf(why, size, "the trace has %.12f s of %s, the statistics %.12f s", found_s,
                 trace_use_name(use), expected_s[use]);
        return false;
    }
    if (!whole || ((int64_t)totals->tasks == sum->tasks && (int64_t)totals->sent == sum->messages &&
                   (int64_t)totals->sent_bytes == sum->bytes &&
                   fabs(totals->steals - steals) < 1e-6 * (1 + steals) &&
                   (int64_t)totals->tasks_moved <= sum->tasks_moved))
        return true;
    snprintf(why, size,
             "the trace has %.0f tasks, %.0f messages of %.0f bytes, %.0f steals; the statistics "
             "%lld, %lld, %lld, %.3f",
             totals->tasks, totals->sent, totals->sent_bytes, totals->steals, (long long)sum->tasks,
             (long long)sum->messages, (long long)sum->bytes, steals);
    return false;
}
