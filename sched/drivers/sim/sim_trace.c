#include "sched/drivers/sim/driver_sim_private.h"

static struct trace_log *log_of(struct sim_worker *worker, const struct sim_thread *thread)
{
    const struct driver_sim *sim = worker->sim;
    int64_t lane = (int64_t)worker->comm.rank * sim->n_threads + (thread - sim_threads(worker));
    return &sim->logs[lane];
}

/* Where messages are recorded: on the thread that calls the mode. What the progress thread does
 * counts for the first. */
static struct trace_log *message_log(struct sim_worker *worker)
{
    return log_of(worker, worker->serving ? sim_threads(worker) : worker->caller);
}

void sim_trace_span_always(struct sim_worker *worker, const struct sim_thread *thread,
                           enum trace_use use, double begin_s, double end_s)
{
    trace_log_span(log_of(worker, thread), use, begin_s, end_s);
}

void sim_trace_task(struct sim_worker *worker, int64_t task, double begin_s, double end_s)
{
    const struct trace_span span = {
        .begin_s = begin_s, .end_s = end_s, .number = worker->record ? -1 : task, .n = 1};
    trace_log_tasks(log_of(worker, worker->caller), &span, 0);
}

void sim_trace_sent(struct sim_worker *worker, int to, size_t size)
{
    const struct driver_sim *sim = worker->sim;
    const struct trace_message message = {
        .time_s = comm_now(&worker->comm),
        .id = trace_message_id(sim->trace_pool, worker->comm.rank, to, sim->events.n_added - 1),
        .peer = to,
        .size = (uint32_t)size,
        .kind = TRACE_SENT};
    trace_log_message(message_log(worker), &message);
}

void sim_trace_request(struct sim_worker *worker, enum trace_message_kind kind, size_t size)
{
    const struct trace_message message = {
        .time_s = comm_now(&worker->comm), .size = (uint32_t)size, .kind = (int16_t)kind};
    trace_log_message(message_log(worker), &message);
}

static size_t size_of_event(const struct event *event)
{
    const struct sim_message *message = event->what;
    return event->size > 0 ? (size_t)event->size : (size_t)message->head_size + message->bulk_size;
}

void sim_trace_receive(struct sim_worker *worker, const struct event *event,
                       struct trace_message *message)
{
    *message = (struct trace_message){.time_s = comm_now(&worker->comm),
                                      .id = trace_message_id(worker->sim->trace_pool, event->from,
                                                             worker->comm.rank, event->order),
                                      .peer = event->from,
                                      .size = (uint32_t)size_of_event(event),
                                      .kind = TRACE_RECEIVED};
}

void sim_trace_received(struct sim_worker *worker, struct trace_message *message,
                        const struct comm_counts *before)
{
    const struct comm_counts *now = &worker->comm.counts;
    message->n_tasks = (int32_t)(now->tasks_moved - before->tasks_moved);
    message->stolen = now->steals_successful > before->steals_successful;
    trace_log_message(message_log(worker), message);
}

void sim_trace_start(struct driver_sim *sim)
{
    for (int64_t i = 0; i < (int64_t)sim->n_workers * sim->n_threads; i++)
        sim->logs[i].start_s = sim->start_s;
}

void sim_trace_balance(struct driver_sim *sim)
{
    for (int i = 0; i < sim->n_workers; i++) {
        struct sim_worker *worker = sim_worker(sim, i);
        const struct sim_thread *thread = sim_threads(worker);
        sim_trace_span_always(worker, thread, TRACE_BALANCE, sim->start_s, thread->clock_s);
    }
}
