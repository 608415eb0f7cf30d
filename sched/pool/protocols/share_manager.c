/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/protocols/share_manager.h"

#include "sched/pool/core/peek.h"
#include "sched/pool/protocols/termination.h"

#include <stdio.h>
#include <stdlib.h>

/* Pause after refusals; short compared with a chunk worth requesting. */
static const double manager_pause_s = 100e-6;

struct share_manager {
    int n_workers;
    int *waiting; /* n_waiting ranks, from first_waiting in a ring of n_workers */
    int first_waiting, n_waiting;
    int64_t n_announced, n_received; /* chunks, from all workers */
    struct taskpool_range block;     /* its first tasks, in a static pool */
    int n_refusals;                  /* in a row */
    double ask_after_s;              /* no request before this time */
    struct termination termination;  /* among the managers */
};

/* The blocks of the group's workers, of [0, n_tasks) cut for all workers. */
static struct taskpool_range block_of_group(const struct share_state *self, int group)
{
    int64_t n_tasks = self->setup->problem->n_tasks;
    int64_t n_workers = self->comm->size - self->n_managers;
    int64_t first = share_first_of_group(group, self) - group;
    int64_t last = share_first_of_group(group + 1, self) - (group + 1) - 1;
    struct taskpool_range block = taskpool_range_block(n_tasks, n_workers, first);
    block.last = taskpool_range_block(n_tasks, n_workers, last).last;
    return block;
}

enum status share_manager_create(struct share_state *self, int group)
{
    struct share_manager *managed = calloc(1, sizeof *managed);
    TRY(CHECK_MEMORY(managed, "no memory for a manager"));
    managed->n_workers = share_first_of_group(group + 1, self) - self->comm->rank - 1;
    managed->waiting = malloc((size_t)managed->n_workers * sizeof *managed->waiting);
    if (!managed->waiting) {
        free(managed);
        return FAIL(STATUS_NO_MEMORY, "no memory for a manager's list of workers");
    }
    managed->block = block_of_group(self, group);
    termination_init(&managed->termination, self->comm, TERMINATION_TREE, SHARE_TERMINATION, group,
                     self->n_managers, share_first_of_group, self);
    self->managed = managed;
    return STATUS_OK;
}

void share_manager_destroy(struct share_manager *managed)
{
    if (managed)
        free(managed->waiting);
    free(managed);
}

void share_manager_begin(struct share_state *self)
{
    struct share_manager *managed = self->managed;
    managed->n_announced = managed->n_received = 0;
    managed->n_refusals = 0;
    managed->ask_after_s = taskpool_comm_now(self->comm);
    termination_begin(&managed->termination);
    if (self->queue.record_size == 0)
        task_queue_put_range(&self->queue, managed->block);
}

/* Whether the whole group waits, and none of its messages is on its way. */
static bool group_is_without_work(const struct share_state *self)
{
    const struct share_manager *managed = self->managed;
    return managed->n_waiting == managed->n_workers &&
           managed->n_announced == managed->n_received && task_queue_count(&self->queue) == 0;
}

static void add_waiting(struct share_manager *managed, int worker)
{
    int64_t end = (int64_t)managed->first_waiting + managed->n_waiting++;
    managed->waiting[end % managed->n_workers] = worker;
}

static int next_waiting(struct share_manager *managed)
{
    int worker = managed->waiting[managed->first_waiting];
    managed->first_waiting = (managed->first_waiting + 1) % managed->n_workers;
    managed->n_waiting--;
    return worker;
}

/* Grants chunks until the queue is empty or no worker waits. */
static void serve_workers(struct share_state *self)
{
    struct share_manager *managed = self->managed;
    int64_t left;
    while (managed->n_waiting > 0 && (left = task_queue_count(&self->queue)) > 0)
        share_send_tasks(self, next_waiting(managed), SHARE_GRANT,
                         left < self->chunk ? left : self->chunk);
}

static void ask_another(struct share_state *self)
{
    struct termination *termination = &self->managed->termination;
    int other = (int)taskpool_comm_random_below(self->comm, (uint64_t)self->n_managers - 1);
    if (other >= termination->member)
        other++;
    share_send_word(self, share_first_of_group(other, self), SHARE_ASK, 0);
    termination_sent_request(termination);
    self->comm->counts.steals_attempted++;
}

/* Asks another manager, unless a request is out or the pause has not ended. */
static void look_for_work(struct share_state *self)
{
    struct share_manager *managed = self->managed;
    if (managed->termination.asking || managed->termination.closed)
        return;
    double left_s = managed->ask_after_s - taskpool_comm_now(self->comm);
    if (left_s > 0)
        taskpool_comm_wake(self->comm, left_s);
    else
        ask_another(self);
}

enum taskpool_mode_step share_manager_next(struct share_state *self)
{
    struct share_manager *managed = self->managed;
    struct termination *termination = &managed->termination;
    if (self->n_managers > 1 && managed->n_waiting > 0 && task_queue_count(&self->queue) == 0)
        look_for_work(self);
    if (group_is_without_work(self))
        termination_without_work(termination);
    if (!termination->finished)
        return TASKPOOL_MODE_WAIT;
    while (managed->n_waiting > 0)
        share_send_word(self, next_waiting(managed), SHARE_END, 0);
    return TASKPOOL_MODE_DONE;
}

/* Gives half of the chunks, rounded up: no worker of this group waits for them. */
static void answer_manager(struct share_state *self, int manager)
{
    struct termination *termination = &self->managed->termination;
    int64_t count = task_queue_count(&self->queue);
    int64_t n_chunks = count / self->chunk + (count % self->chunk > 0);
    int64_t n = (n_chunks + 1) / 2 * self->chunk;
    termination_received_request(termination);
    if (n == 0) {
        share_send_word(self, manager, SHARE_REFUSAL, 0);
        termination_sent_refusal(termination);
    } else {
        share_send_tasks(self, manager, SHARE_TRANSFER, n < count ? n : count);
        termination_sent_transfer(termination);
    }
}

static void take_refusal(struct share_state *self)
{
    struct share_manager *managed = self->managed;
    termination_received_refusal(&managed->termination);
    if (++managed->n_refusals < self->n_managers - 1)
        return;
    managed->n_refusals = 0;
    managed->ask_after_s = taskpool_comm_now(self->comm) + manager_pause_s;
}

static void take_chunks(struct share_state *self, const struct share_message *transfer)
{
    termination_received_transfer(&self->managed->termination);
    self->managed->n_refusals = 0;
    self->comm->counts.steals_successful++;
    share_take_tasks(self, transfer);
}

void share_manager_receive(struct share_state *self, int from, const struct share_message *message)
{
    struct share_manager *managed = self->managed;
    switch ((enum share_kind)message->kind) {
    case SHARE_REQUEST:
        managed->n_announced += message->n;
        add_waiting(managed, from);
        break;
    case SHARE_RELEASE:
        managed->n_received++;
        share_take_tasks(self, message);
        break;
    case SHARE_ASK:
        answer_manager(self, from);
        break;
    case SHARE_REFUSAL:
        take_refusal(self);
        break;
    case SHARE_TRANSFER:
        take_chunks(self, message);
        break;
    case SHARE_TERMINATION:
        termination_receive(&managed->termination,
                            (const struct termination_message *)(const void *)message,
                            group_is_without_work(self));
        break;
    case SHARE_GRANT:
    case SHARE_END:
        break;
    }
    serve_workers(self);
}

/* The fraction of its block that was handed out, in a static pool. */
double share_manager_progress(const struct share_state *self)
{
    double n_block = (double)taskpool_range_count(&self->managed->block);
    double left = (double)task_queue_count(&self->queue);
    return left < n_block ? 1 - left / n_block : 0;
}

void share_manager_describe(const struct share_manager *manager, char *text, size_t size)
{
    struct share_manager self;
    char end[256];
    peek_bytes(&self, manager, sizeof self);
    termination_describe(&self.termination, end, sizeof end);
    snprintf(text, size, "manager: %d of %d workers wait, %lld of %lld released chunks arrived; %s",
             self.n_waiting, self.n_workers, (long long)self.n_received,
             (long long)self.n_announced, end);
}
