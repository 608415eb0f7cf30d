#include "sched/drivers/mpi/mpi_trace.h"

#include "sched/trace/trace_lanes.h"
#include "support/base/clock.h"
#include "support/base/die.h"

#include <stdlib.h>

struct mpi_trace *mpi_trace_create(struct trace *trace, const struct comm *comm)
{
    if (!trace)
        return NULL;
    size_t n = (size_t)comm->size;
    struct mpi_trace *made = calloc(1, sizeof *made);
    uint64_t *counts = calloc(2 * n, sizeof *counts);
    if (!made || !counts)
        die_no_memory("no memory for the trace of messages of %zu workers", n);
    *made = (struct mpi_trace){.log = trace->logs,
                               .comm = comm,
                               .pool = (int)trace->n_pools - 1,
                               .n_sent = counts,
                               .n_received = counts + n};
    return made;
}

void mpi_trace_destroy(struct mpi_trace *trace)
{
    if (trace)
        free(trace->n_sent);
    free(trace);
}

void mpi_trace_sent(struct mpi_trace *trace, int to, size_t size)
{
    uint64_t number = trace->n_sent[to]++;
    const struct trace_message message = {
        .time_s = clock_now_s(),
        .id = trace_message_id(trace->pool, trace->comm->rank, to, number),
        .peer = to,
        .size = (uint32_t)size,
        .kind = TRACE_SENT};
    trace_log_message(trace->log, &message);
}

void mpi_trace_counter_request(struct mpi_trace *trace, size_t size)
{
    const struct trace_message message = {
        .time_s = clock_now_s(), .size = (uint32_t)size, .kind = TRACE_COUNTER_REQUEST};
    trace_log_message(trace->log, &message);
}

void mpi_trace_receive(struct mpi_trace *trace, int from, size_t size)
{
    uint64_t number = trace->n_received[from]++;
    trace->before = trace->comm->counts;
    trace->received =
        (struct trace_message){.time_s = clock_now_s(),
                               .id = trace_message_id(trace->pool, from, trace->comm->rank, number),
                               .peer = from,
                               .size = (uint32_t)size,
                               .kind = TRACE_RECEIVED};
}

void mpi_trace_received(struct mpi_trace *trace)
{
    const struct comm_counts *now = &trace->comm->counts, *before = &trace->before;
    trace->received.n_tasks = (int32_t)(now->tasks_moved - before->tasks_moved);
    trace->received.stolen = now->steals_successful > before->steals_successful;
    trace_log_message(trace->log, &trace->received);
}
