/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/comm.h"
#include "sched/pool/drivers/sim/driver_sim_private.h"
#include "support/base/agree.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define SAME_TIME_S 1e-9

static double sim_comm_now(struct taskpool_comm *comm)
{
    const struct sim_worker *worker = (struct sim_worker *)comm;
    return worker->serving ? worker->serving_s : worker->caller->clock_s;
}

double sim_spend_overhead(struct sim_worker *worker)
{
    double overhead_s = worker->sim->machine->overhead_s;
    if (worker->serving)
        return worker->serving_s += overhead_s;
    struct sim_thread *thread = worker->caller;
    double start_s = thread->clock_s;
    thread->statistics.communication_s += overhead_s;
    thread->clock_s += overhead_s;
    sim_record(worker, thread, TRACE_COMMUNICATION, start_s, thread->clock_s);
    return thread->clock_s;
}

void sim_count_message(struct sim_worker *worker, size_t size)
{
    struct statistics_worker *statistics = &sim_threads(worker)->statistics;
    statistics->messages++;
    statistics->bytes += (int64_t)size;
}

static void sim_comm_failed(struct taskpool_comm *comm, int status)
{
    ((struct sim_worker *)comm)->sim->status = status;
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
        struct sim_message *copy = sim_message_create(sim, message->head_size);
        memcpy(copy->head, message->head, message->head_size);
        if (message->bulk) {
            copy->bulk = message->bulk;
            copy->bulk_size = message->bulk_size;
            copy->token = message->token;
        }
        event.what = copy;
    }
    if (sim->machine->observe)
        sim->machine->observe(comm->rank, to, message->head, message->head_size,
                              sim->machine->observer);
    sim_count_message(worker, size);
    event.time_s = sim_spend_overhead(worker) + sim_latency(sim, comm->rank, to, size);
    event_queue_add(&sim->events, event);
    if (sim_recorder(sim))
        recorder_sent(sim_recorder(sim), sim_message_lane(worker), comm, to, size,
                      sim->events.n_added - 1);
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
    if (sim_recorder(sim))
        recorder_request(sim_recorder(sim), sim_message_lane(worker), comm, TRACE_COUNTER_REQUEST,
                         sizeof increment);
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
                                                           .wake = sim_comm_wake,
                                                           .failed = sim_comm_failed,
                                                           .protocol_broken =
                                                               sim_comm_protocol_broken};
