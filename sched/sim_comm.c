#include "sched/sim.h"
#include "support/agree.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double now(struct comm *comm)
{
    const struct sim_worker *worker = (struct sim_worker *)comm;
    return worker->serving ? worker->serving_s : worker->clock_s;
}

/* A message costs the worker some time; a serving thread costs it none. */
double sim_spend_overhead(struct sim_worker *worker)
{
    double overhead_s = worker->sim->machine->overhead_s;
    if (worker->serving)
        return worker->serving_s += overhead_s;
    worker->figures.communication_s += overhead_s;
    return worker->clock_s += overhead_s;
}

double sim_latency(struct driver_sim *sim, size_t size)
{
    const struct taskpool_machine *machine = sim->machine;
    double time_s = machine->latency_s;
    if (machine->latency_spread_s > 0) {
        double power = machine->latency_power > 0 ? machine->latency_power : 1;
        time_s += machine->latency_spread_s * pow(-log(1 - random_unit(&sim->random)), power);
    }
    if (machine->bandwidth > 0)
        time_s += (double)size / machine->bandwidth;
    return time_s;
}

static void send(struct comm *comm, int to, const struct comm_message *message)
{
    struct sim_worker *worker = (struct sim_worker *)comm;
    struct driver_sim *sim = worker->sim;
    assert(to >= 0 && to < comm->size);
    struct sim_message *copy = malloc(sizeof *copy + message->head_size);
    if (!copy)
        die("no memory for the messages of a simulation");
    *copy = (struct sim_message){.from = comm->rank,
                                 .head_size = message->head_size,
                                 .bulk = message->bulk,
                                 .bulk_size = message->bulk ? message->bulk_size : 0,
                                 .token = message->token};
    memcpy(copy->head, message->head, message->head_size);
    if (sim->machine->observe)
        sim->machine->observe(comm->rank, to, copy->head, copy->head_size, sim->machine->observer);
    size_t size = copy->head_size + copy->bulk_size;
    worker->figures.messages++;
    worker->figures.bytes += (int64_t)size;
    double sent_s = sim_spend_overhead(worker);
    event_queue_add(&sim->events, (struct event){.kind = EVENT_MESSAGE,
                                                 .time_s = sent_s + sim_latency(sim, size),
                                                 .worker = to,
                                                 .what = copy});
}

static void fetch_add(struct comm *comm, int64_t increment)
{
    struct sim_worker *worker = (struct sim_worker *)comm;
    struct driver_sim *sim = worker->sim;
    worker->figures.messages++;
    worker->figures.bytes += (int64_t)sizeof increment;
    double sent_s = sim_spend_overhead(worker);
    event_queue_add(&sim->events,
                    (struct event){.kind = EVENT_FETCH,
                                   .time_s = sent_s + sim_latency(sim, sizeof increment),
                                   .worker = comm->rank,
                                   .value = increment});
}

static void wake(struct comm *comm, double delay_s)
{
    struct sim_worker *worker = (struct sim_worker *)comm;
    event_queue_add(&worker->sim->events, (struct event){.kind = EVENT_WAKE,
                                                         .time_s = now(comm) + delay_s,
                                                         .worker = comm->rank,
                                                         .value = ++worker->n_wakes});
}

static void fail(struct comm *comm, const char *why)
{
    struct driver_sim *sim = ((struct sim_worker *)comm)->sim;
    sim->protocol =
        FAIL(STATUS_PROTOCOL, "worker %d, mode %s: %s", comm->rank, sim->mode->name, why);
}

const struct comm_functions sim_comm_functions = {
    .now = now, .send = send, .fetch_add = fetch_add, .wake = wake, .fail = fail};
