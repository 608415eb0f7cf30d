/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/protocols/gossip.h"

#include <string.h>

static int64_t count_rounds(int64_t fan_out, int n_workers)
{
    int64_t n = 1;
    for (int64_t reached = fan_out; reached < n_workers; n++)
        reached *= fan_out;
    return 2 * n;
}

void gossip_init(struct gossip *self, struct taskpool_comm *comm, int32_t kind, int32_t end_kind,
                 int64_t fan_out, int64_t n_rounds)
{
    *self =
        (struct gossip){.comm = comm,
                        .kind = kind,
                        .fan_out = fan_out,
                        .n_rounds = n_rounds > 0 ? n_rounds : count_rounds(fan_out, comm->size)};
    diffusing_init(&self->end, comm, end_kind);
}

void gossip_begin(struct gossip *self)
{
    self->last_round = self->n_known = 0;
    diffusing_begin(&self->end);
}

static void send_known_loads(struct gossip *self, int32_t round)
{
    struct taskpool_comm *comm = self->comm;
    struct gossip_message message = {.kind = self->kind, .round = round, .n = self->n_known};
    size_t bytes = (size_t)self->n_known * sizeof message.loads[0];
    memcpy(message.loads, self->known, bytes);
    if (round > self->last_round)
        self->last_round = round;
    int n_others = comm->size - 1;
    bool to_all = self->fan_out >= n_others;
    for (int i = 0; i < n_others && i < self->fan_out; i++) {
        int to = to_all ? i : (int)taskpool_comm_random_below(comm, (uint64_t)n_others);
        taskpool_comm_send(comm, to < comm->rank ? to : to + 1, &message,
                           offsetof(struct gossip_message, loads) + bytes);
        diffusing_sent_work(&self->end);
    }
}

/* Adds loads, by worker, to those that are known; of more than GOSSIP_MAX as many are kept, each
 * set of them equally probable. */
static void merge_loads(struct gossip *self, const struct gossip_load *loads, int n)
{
    struct gossip_load all[2 * GOSSIP_MAX];
    int n_all = 0;
    for (int i = 0, j = 0; i < self->n_known || j < n;) {
        bool mine = j == n || (i < self->n_known && self->known[i].worker <= loads[j].worker);
        if (mine && j < n && loads[j].worker == self->known[i].worker)
            j++;
        all[n_all++] = mine ? self->known[i++] : loads[j++];
    }
    self->n_known = 0;
    for (int i = 0, n_free = n_all < GOSSIP_MAX ? n_all : GOSSIP_MAX; i < n_all; i++) {
        if (n_free < n_all - i &&
            (int)taskpool_comm_random_below(self->comm, (uint64_t)(n_all - i)) >= n_free)
            continue;
        self->known[self->n_known++] = all[i];
        n_free--;
    }
}

void gossip_tell(struct gossip *self, double load_s)
{
    const struct gossip_load own = {self->comm->rank, (float)load_s};
    merge_loads(self, &own, 1);
    send_known_loads(self, 1);
}

void gossip_receive(struct gossip *self, int from, const struct gossip_message *message)
{
    diffusing_received_work(&self->end, from);
    merge_loads(self, message->loads, (int)message->n);
    if (message->round < self->n_rounds && message->round + 1 > self->last_round)
        send_known_loads(self, message->round + 1);
}
