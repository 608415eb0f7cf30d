/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/protocols/diffusing.h"

#include <assert.h>
#include <stdio.h>

void diffusing_init(struct diffusing *self, struct taskpool_comm *comm, int32_t kind)
{
    *self = (struct diffusing){.comm = comm, .kind = kind};
    diffusing_begin(self);
}

void diffusing_begin(struct diffusing *self)
{
    self->parent = rank_tree_parent(self->comm);
    self->engaged = true;
    self->n_unacknowledged = rank_tree_n_children(self->comm);
    self->finished = false;
}

static void send_acknowledgement(struct diffusing *self, int to)
{
    const struct diffusing_message message = {.kind = self->kind};
    taskpool_comm_send(self->comm, to, &message, sizeof message);
}

void diffusing_sent_work(struct diffusing *self)
{
    assert(self->engaged);
    self->n_unacknowledged++;
}

void diffusing_received_work(struct diffusing *self, int from)
{
    if (self->finished)
        taskpool_comm_fail(self->comm, "work arrived after termination was detected");
    if (self->engaged) {
        send_acknowledgement(self, from);
        return;
    }
    self->engaged = true;
    self->parent = from;
}

/* The end is known here: announces it to the children in the tree of ranks. */
static void announce_end(struct diffusing *self)
{
    const struct diffusing_message message = {.kind = self->kind, .is_end = 1};
    self->finished = true;
    for (int child = 0; child < rank_tree_n_children(self->comm); child++)
        taskpool_comm_send(self->comm, rank_tree_child(self->comm, child), &message,
                           sizeof message);
}

void diffusing_without_work(struct diffusing *self)
{
    if (!self->engaged || self->n_unacknowledged > 0)
        return;
    /* The root stays engaged: it has no parent to acknowledge anything to. */
    if (self->comm->rank == 0) {
        if (!self->finished)
            announce_end(self);
        return;
    }
    self->engaged = false;
    send_acknowledgement(self, self->parent);
}

void diffusing_receive(struct diffusing *self, const struct diffusing_message *message)
{
    if (!message->is_end) {
        self->n_unacknowledged--;
        return;
    }
    if (self->engaged)
        taskpool_comm_fail(self->comm, "termination was detected while work remained");
    announce_end(self);
}

void diffusing_describe(const struct diffusing *self, char *text, size_t size)
{
    snprintf(text, size, "%s, %lld messages with tasks not acknowledged",
             self->finished  ? "the end is known"
             : self->engaged ? "engaged"
                             : "not engaged",
             (long long)self->n_unacknowledged);
}
