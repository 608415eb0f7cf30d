#include "sched/pool/trace/trace_log.h"

#include "support/base/array.h"
#include "support/base/random.h"

#include <math.h>
#include <stdlib.h>

/* Tasks in one span of less cannot be told apart in a picture. */
#define SHORT_TASKS_S 1e-5

void trace_log_fini(struct trace_log *log)
{
    free(log->spans);
    free(log->messages);
    *log = (struct trace_log){0};
}

/* Appends unless the log is full, or the memory. */
static bool append_span(struct trace_log *log, const struct trace_span *span)
{
    if (log->n_spans >= log->limit ||
        array_reserve(&log->spans, log->n_spans + 1, &log->span_capacity, sizeof *log->spans) !=
            STATUS_OK)
        return false;
    log->spans[log->n_spans++] = *span;
    return true;
}

/* A span that continues the last one extends it, where that is allowed. */
static void place_span(struct trace_log *log, const struct trace_span *span, bool extends)
{
    double time_s = span->end_s - span->begin_s;
    if (extends) {
        struct trace_span *last = &log->spans[log->n_spans - 1];
        last->end_s = span->end_s;
        last->n += span->n;
        log->recorded[span->use].time_s += time_s;
        return;
    }
    struct trace_sum *sum =
        append_span(log, span) ? &log->recorded[span->use] : &log->dropped[span->use];
    sum->n++;
    sum->time_s += time_s;
}

/* The last span, if this one has the same use and begins at its end. */
static const struct trace_span *continued_span(const struct trace_log *log,
                                               const struct trace_span *span)
{
    const struct trace_span *last = log->n_spans > 0 ? &log->spans[log->n_spans - 1] : NULL;
    return last && last->use == span->use && last->end_s == span->begin_s ? last : NULL;
}

void trace_log_span(struct trace_log *log, enum trace_use use, double begin_s, double end_s)
{
    const struct trace_span span = {.begin_s = begin_s, .end_s = end_s, .use = (int32_t)use};
    if (end_s > begin_s)
        place_span(log, &span, continued_span(log, &span) != NULL);
}

void trace_log_tasks(struct trace_log *log, const struct trace_span *tasks, double polled_s)
{
    struct trace_span span = *tasks;
    span.use = TRACE_TASK;
    span.end_s -= polled_s;
    const struct trace_span *last = continued_span(log, &span);
    place_span(log, &span, last && span.end_s - last->begin_s < SHORT_TASKS_S);
    trace_log_span(log, TRACE_COMMUNICATION, span.end_s, tasks->end_s);
}

void trace_log_message(struct trace_log *log, const struct trace_message *message)
{
    if (log->n_messages >= log->limit ||
        array_reserve(&log->messages, log->n_messages + 1, &log->message_capacity,
                      sizeof *log->messages) != STATUS_OK)
        log->n_dropped_messages++;
    else
        log->messages[log->n_messages++] = *message;
}

void trace_log_end(struct trace_log *log, const struct trace_span *iteration, double elapsed_s,
                   double makespan_s, double now_s)
{
    double start_s = iteration->begin_s, end_s = start_s + elapsed_s,
           wait_s = makespan_s - elapsed_s;
    double after_s = fmin(wait_s, fmax(0, now_s - end_s));
    double before_s = wait_s - after_s;
    struct trace_span span = *iteration;
    span.begin_s = start_s - before_s;
    span.end_s = end_s + after_s;
    span.use = TRACE_ITERATION;
    trace_log_span(log, TRACE_IDLE, end_s, span.end_s);
    trace_log_span(log, TRACE_IDLE, span.begin_s, start_s);
    append_span(log, &span);
}

uint64_t trace_message_id(int pool, int from, int to, uint64_t number)
{
    uint64_t way = (uint64_t)(uint32_t)from << 32 | (uint32_t)to;
    return random_mix(random_mix(way + random_mix((uint64_t)pool)) + number);
}
