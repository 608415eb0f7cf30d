#include "sched/protocols/balancer.h"

#include "support/base/array.h"
#include "support/base/die.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void balancer_init(struct balancer *self, struct comm *comm, struct duration_bins *bins,
                   const struct balancer_rules *rules)
{
    *self = (struct balancer){
        .link.comm = comm, .bins = bins, .rules = *rules, .node.finished = true, .finished = true};
    int64_t branching = rules->branching < comm->size ? rules->branching : comm->size;
    self->tree = (struct balancer_tree){.n_leaves = comm->size, .branching = branching};
}

/* Frees the data of the phase. */
static void free_phase(struct balancer *self)
{
    balancer_node_finish(&self->node);
    free(self->donated);
    free(self->donation);
    free(self->given);
    free(self->granted);
    free(self->asked);
    self->donated = self->given = NULL;
    self->donation = self->granted = NULL;
    self->asked = NULL;
    self->n_donated = self->donated_capacity = self->donation_capacity = 0;
    self->n_taken = self->n_given = self->n_granted = 0;
    self->has_grant = false;
}

void balancer_fini(struct balancer *self)
{
    free_phase(self);
}

/* The data of a phase are kept until no message reads them any more. */
static void free_if_finished(struct balancer *self)
{
    if (balancer_is_finished(self) && self->link.n_incomplete == 0)
        free_phase(self);
}

bool balancer_is_finished(const struct balancer *self)
{
    return self->finished && self->node.finished;
}

static void send_to_parent(struct balancer *self, struct balancer_message *head)
{
    struct balancer_place leaf = {.first = self->link.comm->rank}, parent;
    balancer_tree_parent(&self->tree, leaf, &parent, &head->child);
    balancer_send(&self->link, balancer_tree_host(parent), head, self->donation,
                  sizeof *self->donation);
}

void balancer_begin(struct balancer *self)
{
    assert(self->link.n_incomplete == 0);
    if (self->link.comm->size == 1)
        return;
    self->finished = false;
    balancer_node_begin(&self->node, &self->link, &self->tree, &self->rules);
    double load_s = self->bins->load_s;
    struct balancer_message head = {.kind = BALANCER_LOAD, .load_s = load_s, .max_s = load_s};
    send_to_parent(self, &head);
}

/* --- the donor --- */

static void reserve_donated(struct balancer *self)
{
    int64_t n = self->n_donated + 1;
    if (n > UINT32_MAX ||
        array_reserve(&self->donated, n, &self->donated_capacity, sizeof *self->donated) !=
            STATUS_OK ||
        array_reserve(&self->donation, n, &self->donation_capacity, sizeof *self->donation) !=
            STATUS_OK)
        die_no_memory("no memory for the %lld tasks that a worker gives away in balancing",
                      (long long)n);
}

static void donate(struct balancer *self, double limit_s)
{
    while (self->bins->load_s > limit_s) {
        reserve_donated(self);
        struct balancer_task *task = &self->donation[self->n_donated];
        int64_t *entry = &self->donated[self->n_donated];
        if (!duration_bins_remove_smallest(self->bins, entry, &task->time_s))
            break;
        task->donor = self->link.comm->rank;
        task->index = (uint32_t)self->n_donated++;
    }
    self->given = balancer_allocate(self->n_donated, sizeof *self->given);
    struct balancer_message head = {
        .kind = BALANCER_DONATION, .n = self->n_donated, .load_s = self->bins->load_s};
    send_to_parent(self, &head);
}

static void give(struct balancer *self, int to, const struct balancer_message *message)
{
    const uint32_t *indices = (const uint32_t *)(message + 1);
    int64_t *tasks = self->given + self->n_given;
    for (int64_t i = 0; i < message->n; i++)
        tasks[i] = duration_bins_removed_task(self->bins, self->donated[indices[i]]);
    self->n_given += message->n;
    self->n_taken += message->n;
    struct balancer_message head = {.kind = BALANCER_GIVE, .n = message->n};
    balancer_send(&self->link, to, &head, tasks, sizeof *tasks);
}

/* --- the receiver --- */

static int compare_donors(const void *left, const void *right)
{
    const struct balancer_task *a = left, *b = right;
    if (a->donor != b->donor)
        return a->donor < b->donor ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* A task granted to its own donor: no messages. */
static void put_back(struct balancer *self, const struct balancer_task *task)
{
    if (duration_bins_put_back(self->bins, self->donated[task->index], task->time_s) != STATUS_OK)
        die_no_memory("no memory for the tasks of the next iteration");
    self->n_taken++;
}

static void take_from_donor(struct balancer *self, int64_t first, int64_t n)
{
    struct balancer_message head = {.kind = BALANCER_TAKE, .n = n};
    for (int64_t i = first; i < first + n; i++)
        self->asked[i] = self->granted[i].index;
    self->n_awaited += n;
    balancer_send(&self->link, self->granted[first].donor, &head, self->asked + first,
                  sizeof *self->asked);
}

static void receive_grant(struct balancer *self, const struct balancer_message *message)
{
    int64_t n = message->n;
    self->has_grant = true;
    self->n_granted = n;
    self->granted = balancer_allocate(n, sizeof *self->granted);
    self->asked = balancer_allocate(n, sizeof *self->asked);
    if (n == 0)
        return;
    memcpy(self->granted, message + 1, (size_t)n * sizeof *self->granted);
    qsort(self->granted, (size_t)n, sizeof *self->granted, compare_donors);
    for (int64_t first = 0, end; first < n; first = end) {
        int donor = self->granted[first].donor;
        for (end = first; end < n && self->granted[end].donor == donor; end++)
            if (donor == self->link.comm->rank)
                put_back(self, &self->granted[end]);
        if (donor != self->link.comm->rank)
            take_from_donor(self, first, end - first);
    }
}

/* The first granted task of a donor. */
static int64_t find_donor(const struct balancer *self, int donor)
{
    int64_t first = 0;
    for (int64_t n = self->n_granted, half; n > 0; n -= half) {
        half = (n + 1) / 2;
        first += self->granted[first + half - 1].donor < donor ? half : 0;
    }
    return first;
}

static void receive_tasks(struct balancer *self, int donor, const struct balancer_message *message)
{
    const int64_t *tasks = (const int64_t *)(message + 1);
    const struct balancer_task *granted = self->granted + find_donor(self, donor);
    for (int64_t i = 0; i < message->n; i++)
        if (duration_bins_add(self->bins, tasks[i], granted[i].time_s) != STATUS_OK)
            die_no_memory("no memory for the tasks of the next iteration");
    self->n_awaited -= message->n;
    self->link.comm->counts.tasks_moved += message->n;
}

/* --- both --- */

static void receive_as_leaf(struct balancer *self, int from, const struct balancer_message *message)
{
    switch ((enum balancer_kind)message->kind) {
    case BALANCER_AVERAGE:
        if (message->load_s > 0)
            donate(self, message->load_s * self->rules.donate_above);
        else
            self->finished = true;
        break;
    case BALANCER_GRANT:
        receive_grant(self, message);
        break;
    case BALANCER_TAKE:
        give(self, from, message);
        break;
    case BALANCER_GIVE:
        receive_tasks(self, from, message);
        break;
    case BALANCER_LOAD:
    case BALANCER_DONATION:
        break;
    }
    if (self->has_grant && self->n_awaited == 0 && self->n_taken == self->n_donated)
        self->finished = true;
}

void balancer_receive(struct balancer *self, int from, const void *bytes)
{
    const struct balancer_message *message = bytes;
    bool to_node =
        message->to_node || message->kind == BALANCER_LOAD || message->kind == BALANCER_DONATION;
    if (to_node)
        balancer_node_receive(&self->node, message);
    else
        receive_as_leaf(self, from, message);
    free_if_finished(self);
}

void balancer_sent(struct balancer *self)
{
    self->link.n_incomplete--;
    free_if_finished(self);
}
