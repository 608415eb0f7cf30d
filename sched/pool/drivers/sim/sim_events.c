/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/sim/driver_sim_private.h"
#include "support/base/array.h"
#include "support/base/die.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- messages --- */

/* The message as its receiver sees it: bulk is read only now. */
static const void *assemble(struct driver_sim *sim, const struct event *event, size_t *size)
{
    const struct sim_message *message = event->what;
    *size = (size_t)event->size;
    if (event->size > 0)
        return event->bytes;
    *size = message->head_size + message->bulk_size;
    if (array_reserve(&sim->incoming, (int64_t)*size, &sim->incoming_capacity, 1) != STATUS_OK)
        die_no_memory("no memory for a message of %zu bytes", *size);
    memcpy(sim->incoming, message->head, message->head_size);
    if (message->bulk)
        memcpy((char *)sim->incoming + message->head_size, message->bulk, message->bulk_size);
    return sim->incoming;
}

static void complete_message(struct sim_worker *worker, int from, struct sim_message *message)
{
    if (message->bulk)
        event_queue_add(&worker->sim->events,
                        (struct event){.kind = EVENT_SENT,
                                       .time_s = taskpool_comm_now(&worker->comm),
                                       .worker = from,
                                       .value = message->token});
    free(message);
}

static void receive_message(struct sim_worker *worker, const struct event *event)
{
    struct driver_sim *sim = worker->sim;
    const struct taskpool_comm_counts before = worker->comm.counts;
    size_t size;
    sim_spend_overhead(worker);
    const void *bytes = assemble(sim, event, &size);
    const struct trace_message message = {.time_s = taskpool_comm_now(&worker->comm),
                                          .id = event->order,
                                          .kind = TRACE_RECEIVED,
                                          .peer = event->from,
                                          .size = (uint32_t)size};
    sim->mode->receive(worker->state, event->from, bytes, size);
    if (event->size == 0)
        complete_message(worker, event->from, event->what);
    recorder_arrived(sim->driver.records.recorder, sim_message_lane(worker), &worker->comm, message,
                     &before);
}

static void receive_queued(struct sim_worker *worker)
{
    while (worker->first) {
        struct event event = sim_take_queued(worker);
        receive_message(worker, &event);
    }
}

/* Delivery by the progress thread: while it is busy, messages wait. The mode answers in the state
 * that the worker has now; the answers leave when the thread is free. */
static void serve_message(struct sim_worker *worker, const struct event *event)
{
    struct driver_sim *sim = worker->sim;
    double *free_s =
        sim->servers ? &sim->servers[worker->comm.rank / sim->node_size] : &worker->free_s;
    worker->serving = true;
    worker->serving_s = fmax(event->time_s, *free_s);
    receive_message(worker, event);
    worker->serving = false;
    *free_s = worker->serving_s;
    if (worker->n_waiting > 0)
        sim_proceed_waiting(worker, worker->serving_s);
}

bool sim_has_progress_thread(const struct sim_worker *worker)
{
    const struct driver_sim *sim = worker->sim;
    int progress = sim->setup->settings->progress;
    if (progress == TASKPOOL_PROGRESS_BY_MODE && sim->mode->has_thread)
        return sim->mode->has_thread(worker->state);
    return progress == TASKPOOL_PROGRESS_THREAD;
}

/* A thread that waits becomes the caller, its clock at the time of an event; false if none waits. */
static bool wake_waiting(struct sim_worker *worker, double time_s)
{
    if (worker->n_waiting == 0)
        return false;
    struct sim_thread *thread = sim_threads(worker);
    while (thread->doing != WAITING)
        thread++;
    worker->caller = thread;
    sim_stop_waiting(worker, thread, time_s);
    return true;
}

static void take_message(struct sim_worker *worker, const struct event *event)
{
    struct driver_sim *sim = worker->sim;
    bool by_thread = sim_has_progress_thread(worker);
    if (worker->n_active == 0) {
        sim->n_lost++;
        if (event->size == 0)
            free(event->what);
    } else if (by_thread && (sim->servers || worker->n_waiting == 0)) {
        serve_message(worker, event);
    } else if (wake_waiting(worker, event->time_s)) {
        receive_message(worker, event);
        sim_proceed_waiting(worker, worker->caller->clock_s);
    } else {
        sim_queue_message(worker, event);
    }
}

/* --- all events --- */

/* The counter's side of taskpool_comm_fetch_add: one request after another. */
static void answer_fetch(struct driver_sim *sim, const struct event *event)
{
    sim->counter_free_s = fmax(event->time_s, sim->counter_free_s) + sim->machine->counter_s;
    double latency_s = sim_latency(sim, 0, event->worker, sizeof sim->counter);
    event_queue_add(&sim->events, (struct event){.kind = EVENT_FETCHED,
                                                 .time_s = sim->counter_free_s + latency_s,
                                                 .worker = event->worker,
                                                 .value = sim->counter});
    sim->counter += event->value;
}

/* ran  some of them were not null */
static void go_on_after_tasks(struct sim_worker *worker, bool ran)
{
    double time_s = worker->caller->clock_s;
    if (sim_polls_now(worker, ran))
        receive_queued(worker);
    sim_proceed(worker);
    /* A thread that waits delivers what came while tasks ran without polls. */
    if (worker->first && wake_waiting(worker, time_s)) {
        receive_queued(worker);
        sim_proceed_waiting(worker, worker->caller->clock_s);
    }
}

static void end_tasks_at(struct sim_worker *worker, const struct event *event)
{
    struct sim_thread *thread = worker->caller = &sim_threads(worker)[event->from];
    bool ran = thread->n_running > 0;
    int64_t task = thread->range.first;
    sim_end_tasks(worker, event->time_s);
    if (!worker->sim->data || !ran || !sim_move(worker, SIM_MOVES_WRITTEN, task))
        go_on_after_tasks(worker, ran);
}

static void go_on_moving(struct sim_worker *worker, const struct event *event)
{
    enum sim_moves why;
    if (sim_go_on_moving(worker, event, &why))
        return;
    switch (why) {
    case SIM_MOVES_READ:
        sim_compute(worker);
        break;
    case SIM_MOVES_WRITTEN:
        go_on_after_tasks(worker, true);
        break;
    case SIM_MOVES_REST:
        sim_end_thread(worker);
        break;
    }
}

void sim_handle_event(struct driver_sim *sim, const struct event *event)
{
    struct sim_worker *worker = sim_worker(sim, event->worker);
    switch ((enum event_kind)event->kind) {
    case EVENT_MESSAGE:
        take_message(worker, event);
        break;
    case EVENT_SENT:
        wake_waiting(worker, event->time_s);
        sim->mode->sent(worker->state, event->value);
        if (worker->n_waiting > 0)
            sim_proceed_waiting(worker, worker->caller->clock_s);
        break;
    case EVENT_FETCH:
        answer_fetch(sim, event);
        break;
    case EVENT_RAN:
        end_tasks_at(worker, event);
        break;
    case EVENT_DEPARTS:
    case EVENT_ARRIVES:
    case EVENT_MOVED:
        go_on_moving(worker, event);
        break;
    case EVENT_WAKE:
        if (event->value != worker->n_wakes)
            break;
        worker->wake_s = -1;
        if (worker->n_waiting > 0)
            sim_proceed_waiting(worker, event->time_s);
        break;
    case EVENT_FETCHED:
        wake_waiting(worker, event->time_s);
        sim->mode->fetched(worker->state, event->value);
        if (worker->n_waiting > 0)
            sim_proceed_waiting(worker, worker->caller->clock_s);
        break;
    }
}

/* An event that is left is a lost message, except for completions and wake-ups. */
void sim_drop_events(struct driver_sim *sim)
{
    struct event event;
    while (event_queue_next(&sim->events, &event)) {
        if (event.kind == EVENT_SENT)
            sim->mode->sent(sim_worker(sim, event.worker)->state, event.value);
        else if (event.kind != EVENT_WAKE)
            sim->n_lost++;
        if (event.kind == EVENT_MESSAGE && event.size == 0)
            free(event.what);
    }
    /* After a failure messages may still be queued. */
    for (int i = 0; i < sim->n_workers; i++)
        while (sim_worker(sim, i)->first) {
            event = sim_take_queued(sim_worker(sim, i));
            if (event.size == 0)
                free(event.what);
        }
}
