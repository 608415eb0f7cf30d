/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/protocols/hybrid_leader.h"

#include "sched/pool/core/peek.h"
#include "sched/pool/queues/tasklet_queue.h"
#include "support/base/die.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hybrid_leader {
    const struct hybrid_group *group;
    struct tasklets *parts; /* n_members */
    int n_announced;        /* members whose tasklets arrived; the queue holds those of all */
    struct tasklet_queue queue;
    int *waiting; /* n_waiting members with requests from before */
    int n_waiting;
    int n_notified; /* other members that were granted an empty tasklet */
};

enum status hybrid_leader_create(const struct hybrid_group *group, struct hybrid_leader **leader)
{
    size_t n = (size_t)group->n_members;
    struct hybrid_leader *self = calloc(1, sizeof *self);
    if (self) {
        self->group = group;
        self->parts = calloc(n, sizeof *self->parts);
        self->waiting = malloc(n * sizeof *self->waiting);
    }
    if (!self || !self->parts || !self->waiting) {
        hybrid_leader_destroy(self);
        return FAIL(STATUS_NO_MEMORY, "no memory for a group of %zu workers", n);
    }
    *leader = self;
    return STATUS_OK;
}

void hybrid_leader_destroy(struct hybrid_leader *self)
{
    if (!self)
        return;
    for (int m = 0; self->parts && m < self->group->n_members; m++)
        tasklets_fini(&self->parts[m]);
    tasklet_queue_fini(&self->queue);
    free(self->parts);
    free(self->waiting);
    free(self);
}

int hybrid_leader_take_tasklet(struct hybrid_leader *self, int member, struct task_ranges *ranges)
{
    int last = member;
    const struct tasklet *tasklet = tasklet_queue_take(&self->queue, member, &last);
    if (tasklet &&
        tasklets_add_to(&self->parts[tasklet->owner], tasklet->index, ranges) != STATUS_OK)
        die_no_memory("no memory for a tasklet's ranges");
    return last;
}

static void answer_member(struct hybrid_leader *self, int member)
{
    struct task_ranges ranges = {0};
    int last = hybrid_leader_take_tasklet(self, member, &ranges);
    self->n_notified += ranges.n == 0;
    size_t bulk_size = (size_t)ranges.n * sizeof *ranges.list;
    struct hybrid_message *grant = malloc(sizeof *grant + bulk_size);
    if (!grant)
        die_no_memory("no memory for a tasklet's ranges");
    *grant = (struct hybrid_message){.kind = HYBRID_GRANT, .member = last, .n_ranges = ranges.n};
    if (ranges.n > 0)
        memcpy(grant->ranges, ranges.list, bulk_size);
    taskpool_comm_send(self->group->comm, hybrid_rank_of(self->group, member), grant,
                       sizeof *grant + bulk_size);
    free(grant);
    task_ranges_fini(&ranges);
}

bool hybrid_leader_is_ready(const struct hybrid_leader *self)
{
    return self->n_announced == self->group->n_members;
}

void hybrid_leader_take_part(struct hybrid_leader *self, int member,
                             const struct taskpool_range *ranges, int64_t n_ranges)
{
    const struct hybrid_settings *settings = self->group->settings;
    enum status status =
        tasklets_init(&self->parts[member], ranges, n_ranges, settings->tasklets, settings->skew);
    self->n_announced++;
    if (status == STATUS_OK && hybrid_leader_is_ready(self))
        status = tasklet_queue_init(&self->queue, self->parts, self->group->n_members,
                                    settings->skew, !settings->no_locality);
    if (status != STATUS_OK)
        die_no_memory("no memory for the group's tasklets");
    if (!hybrid_leader_is_ready(self))
        return;
    for (int i = 0; i < self->n_waiting; i++)
        answer_member(self, self->waiting[i]);
    self->n_waiting = 0;
}

void hybrid_leader_take_request(struct hybrid_leader *self, int member)
{
    if (hybrid_leader_is_ready(self))
        answer_member(self, member);
    else
        self->waiting[self->n_waiting++] = member;
}

bool hybrid_leader_has_notified_all(const struct hybrid_leader *self)
{
    return self->n_notified == self->group->n_members - 1;
}

void hybrid_leader_begin(struct hybrid_leader *self)
{
    self->n_notified = 0;
    tasklet_queue_begin(&self->queue);
}

int64_t hybrid_leader_n_tasks(const struct hybrid_leader *self)
{
    return self->queue.n_tasks;
}

int64_t hybrid_leader_n_taken(const struct hybrid_leader *self)
{
    return self->queue.n_tasks_taken;
}

void hybrid_leader_describe(const struct hybrid_leader *leader, char *text, size_t size)
{
    struct hybrid_leader self;
    peek_bytes(&self, leader, sizeof self);
    snprintf(text, size,
             "; leader: parts of %d members, %d wait, %d were notified of the end, %lld of %lld "
             "tasks handed out",
             self.n_announced, self.n_waiting, self.n_notified, (long long)self.queue.n_tasks_taken,
             (long long)self.queue.n_tasks);
}
