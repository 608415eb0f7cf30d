/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/sim/driver_sim_private.h"
#include "support/base/die.h"

#include <math.h>
#include <stdlib.h>

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

/* Most messages of the modes fit into it. */
enum { SPARE_HEAD = 64 };

struct sim_message *sim_message_create(struct driver_sim *sim, size_t head_size)
{
    struct sim_message *message = sim->spare_messages;
    size_t capacity = head_size > SPARE_HEAD ? head_size : SPARE_HEAD;
    if (message && head_size <= SPARE_HEAD) {
        sim->spare_messages = message->next;
    } else {
        message = malloc(sizeof *message + capacity);
        if (!message)
            die_no_memory("no memory for the messages of a simulation");
        message->capacity = (int32_t)capacity;
    }
    message->head_size = (int32_t)head_size;
    message->bulk = NULL;
    message->bulk_size = 0;
    return message;
}

void sim_message_destroy(struct driver_sim *sim, struct sim_message *message)
{
    if (message->capacity > SPARE_HEAD) {
        free(message);
        return;
    }
    message->next = sim->spare_messages;
    sim->spare_messages = message;
}

void sim_queue_message(struct sim_worker *worker, const struct event *event)
{
    struct driver_sim *sim = worker->sim;
    struct sim_queued *queued = sim->spare_queued;
    if (queued)
        sim->spare_queued = queued->next;
    else
        queued = malloc(sizeof *queued);
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
    struct driver_sim *sim = worker->sim;
    struct sim_queued *queued = worker->first;
    worker->first = queued->next;
    if (!worker->first)
        worker->last = NULL;
    queued->next = sim->spare_queued;
    sim->spare_queued = queued;
    return queued->event;
}

void sim_network_fini(struct driver_sim *sim)
{
    while (sim->spare_messages) {
        struct sim_message *message = sim->spare_messages;
        sim->spare_messages = message->next;
        free(message);
    }
    while (sim->spare_queued) {
        struct sim_queued *queued = sim->spare_queued;
        sim->spare_queued = queued->next;
        free(queued);
    }
}
