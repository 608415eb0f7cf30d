#include "sched/sim.h"
#include "support/agree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The message as its receiver sees it: what is sent in bulk is read only now. */
static void assemble(struct driver_sim *sim, const struct sim_message *message)
{
    size_t size = message->head_size + message->bulk_size;
    if (size > sim->incoming_capacity) {
        free(sim->incoming);
        sim->incoming_capacity = 2 * size;
        sim->incoming = malloc(sim->incoming_capacity);
        if (!sim->incoming)
            die("no memory for a message of %zu bytes", size);
    }
    memcpy(sim->incoming, message->head, message->head_size);
    if (message->bulk)
        memcpy((char *)sim->incoming + message->head_size, message->bulk, message->bulk_size);
}

static void hand_over(struct sim_worker *worker, struct sim_message *message, double time_s)
{
    struct driver_sim *sim = worker->sim;
    assemble(sim, message);
    worker->serving_s = time_s;
    sim_spend_overhead(worker);
    sim->mode->receive(worker->state, message->from, sim->incoming,
                       message->head_size + message->bulk_size);
    if (message->bulk)
        event_queue_add(&sim->events, (struct event){.kind = EVENT_SENT,
                                                     .time_s = comm_now(&worker->comm),
                                                     .worker = message->from,
                                                     .value = message->token});
    free(message);
}

static void put_into_inbox(struct sim_worker *worker, struct sim_message *message)
{
    message->next = NULL;
    if (worker->last)
        worker->last->next = message;
    else
        worker->first = message;
    worker->last = message;
}

static struct sim_message *take_from_inbox(struct sim_worker *worker)
{
    struct sim_message *message = worker->first;
    worker->first = message->next;
    if (!worker->first)
        worker->last = NULL;
    return message;
}

static void hand_over_inbox(struct sim_worker *worker)
{
    while (worker->first)
        hand_over(worker, take_from_inbox(worker), worker->clock_s);
}

/* Something happens to a worker that may be waiting. */
static void stop_waiting(struct sim_worker *worker, double time_s)
{
    if (worker->doing != WAITING)
        return;
    double end_s = fmax(time_s, worker->clock_s);
    *worker->waiting_s += end_s - worker->clock_s;
    worker->clock_s = end_s;
}

static void arrive(struct sim_worker *worker, struct sim_message *message, double time_s)
{
    bool by_thread = worker->sim->setup->settings->progress == PROGRESS_THREAD;
    if (worker->doing == ENDED) {
        worker->sim->n_lost++;
        free(message);
    } else if (worker->doing == RUNNING && !by_thread) {
        put_into_inbox(worker, message);
    } else if (worker->doing == RUNNING) {
        worker->serving = true;
        hand_over(worker, message, time_s);
        worker->serving = false;
    } else {
        stop_waiting(worker, time_s);
        hand_over(worker, message, worker->clock_s);
        sim_proceed(worker);
    }
}

static void answer_fetch(struct driver_sim *sim, const struct event *event)
{
    event_queue_add(&sim->events,
                    (struct event){.kind = EVENT_FETCHED,
                                   .time_s = event->time_s + sim_latency(sim, sizeof sim->counter),
                                   .worker = event->worker,
                                   .value = sim->counter});
    sim->counter += event->value;
}

void sim_happen(struct driver_sim *sim, const struct event *event)
{
    struct sim_worker *worker = &sim->workers[event->worker];
    switch ((enum event_kind)event->kind) {
    case EVENT_MESSAGE:
        arrive(worker, event->what, event->time_s);
        return;
    case EVENT_SENT:
        sim->mode->sent(worker->state, event->value);
        return;
    case EVENT_FETCH:
        answer_fetch(sim, event);
        return;
    case EVENT_RAN:
        sim_end_tasks(worker, event->time_s);
        hand_over_inbox(worker);
        break;
    case EVENT_WAKE:
        if (event->value != worker->n_wakes || worker->doing != WAITING)
            return;
        stop_waiting(worker, event->time_s);
        break;
    case EVENT_FETCHED:
        stop_waiting(worker, event->time_s);
        sim->mode->fetched(worker->state, event->value);
        if (worker->doing != WAITING)
            return;
        break;
    }
    sim_proceed(worker);
}

/* What is left when all are done: nobody may still have to be told something. */
void sim_drop_events(struct driver_sim *sim)
{
    struct event event;
    while (event_queue_next(&sim->events, &event)) {
        if (event.kind == EVENT_SENT)
            sim->mode->sent(sim->workers[event.worker].state, event.value);
        else if (event.kind != EVENT_WAKE)
            sim->n_lost++;
        free(event.what);
    }
    /* Of a protocol that failed also what nobody has looked at. */
    for (int i = 0; i < sim->driver.n_workers; i++)
        while (sim->workers[i].first)
            free(take_from_inbox(&sim->workers[i]));
}
