#include "sched/drivers/sim/driver_sim_private.h"

#include <math.h>

/* The counter's side of comm_fetch_add: one request after another. */
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

void sim_happen(struct driver_sim *sim, const struct event *event)
{
    struct sim_worker *worker = sim_worker(sim, event->worker);
    switch ((enum event_kind)event->kind) {
    case EVENT_MESSAGE:
        sim_arrive(worker, event);
        break;
    case EVENT_SENT:
        sim->mode->sent(worker->state, event->value);
        break;
    case EVENT_FETCH:
        answer_fetch(sim, event);
        break;
    case EVENT_RAN:
        worker->caller = &sim_threads(worker)[event->from];
        sim_end_tasks(worker, event->time_s);
        sim_hand_over_letters(worker);
        sim_proceed(worker);
        break;
    case EVENT_WAKE:
        if (event->value != worker->n_wakes)
            break;
        worker->wake_s = -1;
        if (worker->n_waiting > 0)
            sim_proceed_waiting(worker, event->time_s);
        break;
    case EVENT_FETCHED:
        sim->mode->fetched(worker->state, event->value);
        if (worker->n_waiting > 0)
            sim_proceed_waiting(worker, event->time_s);
        break;
    }
}

/* What is left when all are done: nobody may still have to be told something. */
void sim_drop_events(struct driver_sim *sim)
{
    struct event event;
    while (event_queue_next(&sim->events, &event)) {
        if (event.kind == EVENT_SENT)
            sim->mode->sent(sim_worker(sim, event.worker)->state, event.value);
        else if (event.kind != EVENT_WAKE)
            sim->n_lost++;
        if (event.kind == EVENT_MESSAGE && event.size == 0)
            sim_message_destroy(sim, event.what);
    }
    /* Of a protocol that failed also what nobody has looked at. */
    for (int i = 0; i < sim->n_workers; i++)
        while (sim_worker(sim, i)->first) {
            event = sim_letter_take(sim_worker(sim, i));
            if (event.size == 0)
                sim_message_destroy(sim, event.what);
        }
}
