/* The log of one worker for --trace: spans of its time, and its messages.
 *
 * A span is appended where a driver adds to the worker's statistics, and the same number of
 * seconds, so that both agree. The memory of a log is bounded: spans and messages that do not fit
 * are only counted, with their seconds. Times are the driver's, in seconds. */
#ifndef BERYL_SCHED_TRACE_LOG_H
#define BERYL_SCHED_TRACE_LOG_H

#include <stdbool.h>
#include <stdint.h>

/* Uses of a worker's time: the fields of struct statistics_worker, in its order. */
enum trace_use {
    TRACE_TASK,
    TRACE_IDLE,
    TRACE_SEARCH,
    TRACE_SCHEDULER,
    TRACE_COMMUNICATION,
    TRACE_BALANCE,
    TRACE_N_USES,
    TRACE_ITERATION = TRACE_N_USES, /* encloses the spans of an iteration but those of balancing */
};

/* Spans of one worker do not overlap, except that an iteration contains others. */
struct trace_span {
    double begin_s, end_s;
    int64_t number; /* the (first) task, -1 if it has no number; the iteration */
    int32_t n;      /* tasks; of an iteration the number of its pool, in the order of creation */
    int32_t use;    /* enum trace_use, or TRACE_ITERATION */
};

/* The last two have no other end: a request to the shared counter, and for a simulated transfer of
 * a block of data. */
enum trace_message_kind { TRACE_SENT, TRACE_RECEIVED, TRACE_COUNTER_REQUEST, TRACE_BLOCK_TRANSFER };

struct trace_message {
    double time_s;
    uint64_t id;     /* the same at both ends; a hash, of another message with probability 2^-64 */
    int32_t peer;    /* worker at the other end */
    int32_t n_tasks; /* that arrived with it, at the receiver */
    uint32_t size;   /* bytes */
    int16_t kind;    /* enum trace_message_kind */
    int16_t stolen;  /* at the receiver: it ends a steal that succeeded */
};

struct trace_sum {
    int64_t n; /* spans */
    double time_s;
};

/* Zero-initialised: everything is dropped. */
struct trace_log {
    int64_t limit; /* spans, and messages, at most */
    struct trace_span *spans;
    struct trace_message *messages;
    int64_t n_spans, span_capacity;
    int64_t n_messages, message_capacity;
    struct trace_sum recorded[TRACE_N_USES], dropped[TRACE_N_USES];
    int64_t n_dropped_messages;
};

void trace_log_fini(struct trace_log *log);

/* Appends a span. One that continues the last of the same use extends it. */
void trace_log_span(struct trace_log *log, enum trace_use use, double begin_s, double end_s);

/* Appends tasks, their use set. Those that follow one another without a gap and take less than
 * 10 us together become one span.
 * polled_s  of their time, in polls from inside them: becomes communication, at the end */
void trace_log_tasks(struct trace_log *log, const struct trace_span *tasks, double polled_s);

void trace_log_message(struct trace_log *log, const struct trace_message *message);

/* Appends an iteration that took elapsed_s on this worker, and its wait for the others, which the
 * statistics count as idle: at the end up to now_s, and what is then left of it at the begin, where
 * the worker was in the barrier.
 * iteration  its number, pool and begin */
void trace_log_end(struct trace_log *log, const struct trace_span *iteration, double elapsed_s,
                   double makespan_s, double now_s);

/* The id of a message: number is its position in the order of those from `from` to `to` in a
 * pool. */
uint64_t trace_message_id(int pool, int from, int to, uint64_t number);

#endif
