/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/comm.h"
#include "sched/pool/drivers/sim/driver_sim_private.h"
#include "support/base/die.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME_TIME_S 1e-9

/* --- the network --- */

double sim_latency(struct driver_sim *sim, int from, int to, size_t size)
{
    const struct taskpool_machine *machine = sim->machine;
    bool near = machine->has_levels && from / sim->node_size == to / sim->node_size;
    double time_s = near ? machine->node_latency_s : machine->latency_s;
    double bandwidth = near ? machine->node_bandwidth : machine->bandwidth;
    if (machine->latency_spread_s > 0) {
        double power = machine->latency_power > 0 ? machine->latency_power : 1;
        time_s += machine->latency_spread_s * pow(-log(1 - random_unit(&sim->random)), power);
    }
    if (bandwidth > 0)
        time_s += (double)size / bandwidth;
    return time_s;
}

static struct sim_message *create_message(const struct taskpool_comm_message *from)
{
    struct sim_message *message = malloc(sizeof *message + from->head_size);
    if (!message)
        die_no_memory("no memory for the messages of a simulation");
    message->head_size = from->head_size;
    message->bulk = from->bulk;
    message->bulk_size = from->bulk ? from->bulk_size : 0;
    message->token = from->token;
    memcpy(message->head, from->head, from->head_size);
    return message;
}

void sim_queue_message(struct sim_worker *worker, const struct event *event)
{
    struct sim_queued *queued = malloc(sizeof *queued);
    if (!queued)
        die_no_memory("no memory for the messages of a simulation");
    *queued = (struct sim_queued){.event = *event};
    if (worker->last)
        worker->last->next = queued;
    else
        worker->first = queued;
    worker->last = queued;
}

struct event sim_take_queued(struct sim_worker *worker)
{
    struct sim_queued *queued = worker->first;
    struct event event = queued->event;
    worker->first = queued->next;
    if (!worker->first)
        worker->last = NULL;
    free(queued);
    return event;
}

/* --- the connection of a worker --- */

static double sim_comm_now(struct taskpool_comm *comm)
{
    const struct sim_worker *worker = (struct sim_worker *)comm;
    return worker->serving ? worker->serving_s : worker->caller->clock_s;
}

double sim_spend(struct sim_worker *worker, double time_s)
{
    if (worker->serving)
        return worker->serving_s += time_s;
    struct sim_thread *thread = worker->caller;
    double start_s = thread->clock_s;
    thread->statistics.communication_s += time_s;
    thread->clock_s += time_s;
    sim_record(worker, thread, TRACE_COMMUNICATION, start_s, thread->clock_s);
    return thread->clock_s;
}

double sim_spend_overhead(struct sim_worker *worker)
{
    return sim_spend(worker, worker->sim->machine->overhead_s);
}

void sim_count_message(struct sim_worker *worker, size_t size)
{
    struct statistics_worker *statistics = &sim_threads(worker)->statistics;
    statistics->messages++;
    statistics->bytes += (int64_t)size;
}

static void sim_comm_failed(struct taskpool_comm *comm, int status)
{
    struct driver_sim *sim = ((struct sim_worker *)comm)->sim;
    sim->status = status;
    sim->driver.mode_failed = true;
}

static void sim_comm_protocol_broken(struct taskpool_comm *comm, const char *why)
{
    struct driver_sim *sim = ((struct sim_worker *)comm)->sim;
    sim->protocol =
        FAIL(STATUS_PROTOCOL, "worker %d, mode %s: %s", comm->rank, sim->mode->name, why);
}

static void sim_comm_send(struct taskpool_comm *comm, int to,
                          const struct taskpool_comm_message *message)
{
    struct sim_worker *worker = (struct sim_worker *)comm;
    struct driver_sim *sim = worker->sim;
    struct event event = {.kind = EVENT_MESSAGE, .worker = to, .from = comm->rank};
    size_t size = message->head_size + (message->bulk ? message->bulk_size : 0);
    assert(to >= 0 && to < comm->size);
    if (!sim->mode->receive || (message->bulk && !sim->mode->sent)) {
        sim_comm_protocol_broken(comm, COMM_NO_RECEIVE);
        return;
    }
    if (size <= sizeof event.bytes && !message->bulk) {
        event.size = (int32_t)size;
        memcpy(event.bytes, message->head, size);
    } else {
        event.what = create_message(message);
    }
    if (sim->machine->observe)
        sim->machine->observe(comm->rank, to, message->head, message->head_size,
                              sim->machine->observer);
    sim_count_message(worker, size);
    event.time_s = sim_spend_overhead(worker) + sim_latency(sim, comm->rank, to, size);
    event_queue_add(&sim->events, event);
    recorder_message(
        sim->driver.records.recorder, sim_message_lane(worker), comm,
        (struct trace_message){
            .id = sim->events.n_added - 1, .kind = TRACE_SENT, .peer = to, .size = (uint32_t)size});
}

static void sim_comm_fetch_add(struct taskpool_comm *comm, int64_t increment)
{
    struct sim_worker *worker = (struct sim_worker *)comm;
    struct driver_sim *sim = worker->sim;
    if (!sim->mode->fetched) {
        sim_comm_protocol_broken(comm, COMM_NO_FETCHED);
        return;
    }
    sim_count_message(worker, sizeof increment);
    double sent_s = sim_spend_overhead(worker);
    recorder_message(
        sim->driver.records.recorder, sim_message_lane(worker), comm,
        (struct trace_message){.kind = TRACE_COUNTER_REQUEST, .size = sizeof increment});
    event_queue_add(&sim->events, (struct event){.kind = EVENT_FETCH,
                                                 .time_s = sent_s + sim_latency(sim, comm->rank, 0,
                                                                                sizeof increment),
                                                 .worker = comm->rank,
                                                 .value = increment});
}

static void sim_comm_wake(struct taskpool_comm *comm, double delay_s)
{
    struct sim_worker *worker = (struct sim_worker *)comm;
    double time_s = sim_comm_now(comm) + delay_s;
    /* Ignore a repeated wake-up for the same time: a paused mode requests it again at every
     * event. */
    if (fabs(time_s - worker->wake_s) < SAME_TIME_S)
        return;
    worker->wake_s = time_s;
    event_queue_add(&worker->sim->events, (struct event){.kind = EVENT_WAKE,
                                                         .time_s = time_s,
                                                         .worker = comm->rank,
                                                         .value = ++worker->n_wakes});
}

const struct taskpool_comm_functions sim_comm_functions = {.now = sim_comm_now,
                                                           .send = sim_comm_send,
                                                           .fetch_add = sim_comm_fetch_add,
                                                           .word_swap = sim_comm_word_swap,
                                                           .wake = sim_comm_wake,
                                                           .failed = sim_comm_failed,
                                                           .protocol_broken =
                                                               sim_comm_protocol_broken};
