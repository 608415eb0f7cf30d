/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/balancing/grapevine.h"

#include "support/base/array.h"

#include <stdlib.h>
#include <string.h>

/* --- gossip --- */

static int64_t count_rounds(int n_workers)
{
    int64_t n = 1;
    for (int64_t reached = GOSSIP_FAN_OUT; reached < n_workers; n++)
        reached *= GOSSIP_FAN_OUT;
    return 2 * n;
}

void gossip_init(struct gossip *self, struct taskpool_comm *comm, int32_t kind, int32_t end_kind)
{
    *self = (struct gossip){.comm = comm, .kind = kind, .n_rounds = count_rounds(comm->size)};
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
    bool to_all = GOSSIP_FAN_OUT >= n_others;
    for (int i = 0; i < n_others && i < GOSSIP_FAN_OUT; i++) {
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

/* --- transfer --- */

enum { BATCH_TASKS = 512 };

struct transfer_task {
    int64_t task;
    double time_s;
};

struct transfer_batch {
    struct transfer_message head;
    struct transfer_task tasks[BATCH_TASKS]; /* head.n */
};

void transfer_init(struct transfer *self, struct gossip *gossip, struct duration_bins *bins,
                   int32_t first_kind)
{
    *self = (struct transfer){
        .comm = gossip->comm, .gossip = gossip, .bins = bins, .first_kind = first_kind};
    diffusing_init(&self->end, self->comm, first_kind + TRANSFER_END);
}

void transfer_begin(struct transfer *self)
{
    self->has_donated = false;
    diffusing_begin(&self->end);
}

static void keep_task(struct transfer *self, const struct transfer_task *task)
{
    taskpool_comm_report(self->comm, duration_bins_add(self->bins, task->task, task->time_s));
}

/* The index of a known worker with room for a task, or -1. Adds the task to that worker's known
 * load. */
static int choose_receiver(struct transfer *self, double time_s)
{
    struct gossip *gossip = self->gossip;
    for (;;) {
        double missing_s = 0;
        for (int i = 0; i < gossip->n_known; i++)
            missing_s += self->limit_s - gossip->known[i].load_s;
        if (!(missing_s > 0))
            return -1;
        double place_s = missing_s * taskpool_comm_random_unit(self->comm);
        int chosen = 0;
        for (; chosen < gossip->n_known - 1; chosen++) {
            place_s -= self->limit_s - gossip->known[chosen].load_s;
            if (place_s < 0)
                break;
        }
        float *load_s = &gossip->known[chosen].load_s;
        if (*load_s + time_s <= self->limit_s) {
            *load_s += (float)time_s;
            return chosen;
        }
        /* Nor is there room for the longer ones to come. */
        gossip->known[chosen] = gossip->known[--gossip->n_known];
    }
}

static void send_batch(struct transfer *self, int to, struct transfer_batch *batch)
{
    if (batch->head.n == 0)
        return;
    taskpool_comm_send(self->comm, to, batch,
                       sizeof batch->head + (size_t)batch->head.n * sizeof batch->tasks[0]);
    diffusing_sent_work(&self->end);
    batch->head.n = 0;
}

static void add_to_batch(struct transfer *self, int to, struct transfer_batch *batch,
                         const struct transfer_task *task)
{
    batch->tasks[batch->head.n++] = *task;
    if (batch->head.n == BATCH_TASKS)
        send_batch(self, to, batch);
}

/* The tasks that a worker is about to send. */
struct donation {
    struct transfer_task task;
    int to;
};

/* Takes the shortest tasks, as long as the load is above the limit and somebody has room. */
static void choose_donations(struct transfer *self, struct donation **donations, int64_t *n)
{
    int64_t capacity = 0, entry;
    float time_s;
    while (self->bins->load_s > self->limit_s &&
           duration_bins_remove_smallest(self->bins, &entry, &time_s)) {
        int receiver = choose_receiver(self, time_s);
        enum status status = receiver < 0
                                 ? duration_bins_put_back(self->bins, entry, time_s)
                                 : array_reserve(donations, *n + 1, &capacity, sizeof **donations);
        taskpool_comm_report(self->comm, status);
        if (status != STATUS_OK || receiver < 0)
            return;
        (*donations)[(*n)++] =
            (struct donation){.task = {duration_bins_removed_task(self->bins, entry), time_s},
                              .to = self->gossip->known[receiver].worker};
    }
}

static int by_receiver(const void *a, const void *b)
{
    const struct donation *left = a, *right = b;
    if (left->to != right->to)
        return left->to < right->to ? -1 : 1;
    return left->task.task < right->task.task ? -1 : 1;
}

static void donate_tasks(struct transfer *self)
{
    struct transfer_batch batch = {.head.kind = self->first_kind + TRANSFER_TASKS};
    struct donation *donations = NULL;
    int64_t n = 0;
    choose_donations(self, &donations, &n);
    if (n > 0)
        qsort(donations, (size_t)n, sizeof *donations, by_receiver);
    for (int64_t i = 0; i < n; i++) {
        add_to_batch(self, donations[i].to, &batch, &donations[i].task);
        if (i + 1 == n || donations[i + 1].to != donations[i].to)
            send_batch(self, donations[i].to, &batch);
    }
    free(donations);
}

/* Keeps the tasks that do not lift this worker above the limit, and returns the others. */
static void accept_tasks(struct transfer *self, int from, const struct transfer_batch *offered)
{
    struct transfer_batch refused = {.head.kind = self->first_kind + TRANSFER_RETURN};
    diffusing_received_work(&self->end, from);
    for (int64_t i = 0; i < offered->head.n; i++) {
        const struct transfer_task *task = &offered->tasks[i];
        if (self->bins->load_s + task->time_s <= self->limit_s) {
            keep_task(self, task);
            self->comm->counts.tasks_moved++;
        } else {
            add_to_batch(self, from, &refused, task);
        }
    }
    send_batch(self, from, &refused);
}

/* Takes tasks back from a worker that has no room left, for others. */
static void take_back(struct transfer *self, int from, const struct transfer_batch *returned)
{
    diffusing_received_work(&self->end, from);
    for (int64_t i = 0; i < returned->head.n; i++)
        keep_task(self, &returned->tasks[i]);
    struct gossip *gossip = self->gossip;
    for (int i = 0; i < gossip->n_known; i++)
        if (gossip->known[i].worker == from)
            gossip->known[i--] = gossip->known[--gossip->n_known];
    self->has_donated = false;
}

bool transfer_is_finished(struct transfer *self)
{
    if (!self->has_donated)
        donate_tasks(self);
    self->has_donated = true;
    diffusing_without_work(&self->end);
    return self->end.finished;
}

void transfer_receive(struct transfer *self, int from, const struct transfer_message *message)
{
    switch ((enum transfer_kind)(message->kind - self->first_kind)) {
    case TRANSFER_TASKS:
        accept_tasks(self, from, (const struct transfer_batch *)message);
        break;
    case TRANSFER_RETURN:
        take_back(self, from, (const struct transfer_batch *)message);
        break;
    case TRANSFER_END:
        diffusing_receive(&self->end, (const struct diffusing_message *)message);
        break;
    }
}
