/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/balancing/balancer.h"

#include "sched/pool/balancing/pairs.h"
#include "support/base/array.h"
#include "support/base/die.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* One phase of a worker: as a leaf, and as the host of a node. */
struct balancer_phase {
    struct balancer_node node;
    struct pairs pairs;
    bool load_sent; /* its load */
    double limit_s; /* of the pairs */

    int64_t n_donated, donated_capacity;
    int64_t *donated; /* n_donated: entries of bins */
    int64_t donation_capacity;
    struct balancer_task *donation; /* n_donated: bulk of the message to the parent */
    int64_t *given;                 /* n_donated: bulk of the messages to receivers */
    int64_t n_taken;                /* donated tasks that have a worker again */
    int64_t n_given;                /* of these, to others */

    bool settled; /* the verdict is here */
    int64_t n_granted;
    struct balancer_task *granted; /* n_granted, by donor and index */
    uint32_t *asked;               /* n_granted: bulk of the messages to donors */
    int64_t n_awaited;             /* requested, not yet here */
};

void balancer_init(struct balancer *self, struct taskpool_comm *comm, struct duration_bins *bins,
                   struct worker_speed *own_speed, const struct balancer_rules *rules)
{
    int64_t branching = rules->branching < comm->size ? rules->branching : comm->size;
    *self = (struct balancer){.link = {.comm = comm, .bins = bins, .own_speed = own_speed},
                              .rules = *rules,
                              .tree = {.n_leaves = comm->size, .branching = branching},
                              .finished = true};
}

static void free_phase(struct balancer *self)
{
    struct balancer_phase *phase = self->phase;
    if (!phase)
        return;
    balancer_node_fini(&phase->node);
    pairs_fini(&phase->pairs);
    free(phase->donated);
    free(phase->donation);
    free(phase->given);
    free(phase->granted);
    free(phase->asked);
    free(phase);
    self->phase = NULL;
}

void balancer_fini(struct balancer *self)
{
    free_phase(self);
}

bool balancer_is_finished(const struct balancer *self)
{
    return self->finished && (!self->phase || self->phase->node.finished);
}

/* The data of a phase are kept until no message reads them any more. */
static void free_if_finished(struct balancer *self)
{
    if (balancer_is_finished(self) && self->link.n_incomplete == 0)
        free_phase(self);
}

/* message  begins with its head, whose child is set here */
static void send_to_parent(struct balancer *self, struct balancer_head *message, size_t size,
                           const struct balancer_task *tasks, int64_t n)
{
    struct balancer_place leaf = {.first = self->link.comm->rank}, parent;
    balancer_tree_parent(&self->tree, leaf, &parent, &message->child);
    balancer_send(&self->link, balancer_tree_host(parent), message, size, tasks,
                  (size_t)n * sizeof *tasks);
}

/* Once this worker's speed is known. */
static void send_load_if_known(struct balancer *self)
{
    struct worker_speed *own_speed = self->link.own_speed;
    if (self->phase->load_sent || (own_speed && !worker_speed_is_known(own_speed)))
        return;
    struct balancer_load message = {.head.kind = BALANCER_LOAD};
    message.rate = own_speed ? worker_speed_update(own_speed) : 1;
    double speed = balancer_speed(&self->link);
    message.work = self->link.bins->load_s * speed;
    message.speed = message.fastest = speed;
    message.max_s = self->link.bins->load_s;
    message.longest = duration_bins_longest_s(self->link.bins) * speed;
    self->phase->load_sent = true;
    send_to_parent(self, &message.head, sizeof message, NULL, 0);
}

void balancer_begin(struct balancer *self)
{
    assert(!self->phase);
    if (self->link.comm->size == 1)
        return;
    self->finished = false;
    self->link.n_before = self->link.bins->n_entries;
    self->n_phases++;
    self->phase = balancer_allocate(1, sizeof *self->phase);
    balancer_node_init(&self->phase->node, &self->link, &self->tree, &self->rules);
    pairs_init(&self->phase->pairs, &self->link, (uint64_t)self->rules.seed + self->n_phases);
    if (self->link.own_speed)
        worker_speed_begin(self->link.own_speed);
    send_load_if_known(self);
}

/* --- the donor --- */

static void reserve_donated(struct balancer_phase *phase)
{
    int64_t n = phase->n_donated + 1;
    if (n > UINT32_MAX ||
        array_reserve(&phase->donated, n, &phase->donated_capacity, sizeof *phase->donated) !=
            STATUS_OK ||
        array_reserve(&phase->donation, n, &phase->donation_capacity, sizeof *phase->donation) !=
            STATUS_OK)
        die_no_memory("no memory for the %lld tasks that a worker gives away in balancing",
                      (long long)n);
}

/* Donates tasks, the shortest first, while the load is above the limit. */
static void donate(struct balancer *self, double limit_s)
{
    struct balancer_phase *phase = self->phase;
    struct duration_bins *bins = self->link.bins;
    double speed = balancer_speed(&self->link);
    while (bins->load_s > limit_s) {
        float time_s;
        reserve_donated(phase);
        if (!duration_bins_remove_smallest(bins, &phase->donated[phase->n_donated], &time_s))
            break;
        phase->donation[phase->n_donated] =
            (struct balancer_task){.work = time_s * (float)speed,
                                   .donor = self->link.comm->rank,
                                   .index = (uint32_t)phase->n_donated};
        phase->n_donated++;
    }
    phase->given = balancer_allocate(phase->n_donated, sizeof *phase->given);
    struct balancer_tasks message = {
        .head.kind = BALANCER_DONATION, .n = phase->n_donated, .work = bins->load_s * speed};
    send_to_parent(self, &message.head, sizeof message, phase->donation, message.n);
}

static void give(struct balancer *self, int to, const struct balancer_exchange *message)
{
    struct balancer_phase *phase = self->phase;
    const uint32_t *indices = (const uint32_t *)(message + 1);
    int64_t *tasks = phase->given + phase->n_given;
    for (int64_t i = 0; i < message->n; i++)
        tasks[i] = duration_bins_removed_task(self->link.bins, phase->donated[indices[i]]);
    phase->n_given += message->n;
    phase->n_taken += message->n;
    balancer_note_gave(&self->link);
    const struct balancer_exchange answer = {.head.kind = BALANCER_GIVE, .n = message->n};
    balancer_send(&self->link, to, &answer, sizeof answer, tasks,
                  (size_t)message->n * sizeof *tasks);
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
    taskpool_comm_report(self->link.comm,
                         duration_bins_put_back(self->link.bins, self->phase->donated[task->index],
                                                task->work / (float)balancer_speed(&self->link)));
    self->phase->n_taken++;
}

static void take_from_donor(struct balancer *self, int64_t first, int64_t n)
{
    struct balancer_phase *phase = self->phase;
    const struct balancer_exchange message = {.head.kind = BALANCER_TAKE, .n = n};
    for (int64_t i = first; i < first + n; i++)
        phase->asked[i] = phase->granted[i].index;
    phase->n_awaited += n;
    balancer_send(&self->link, phase->granted[first].donor, &message, sizeof message,
                  phase->asked + first, (size_t)n * sizeof *phase->asked);
}

static void take_granted(struct balancer *self)
{
    struct balancer_phase *phase = self->phase;
    int64_t n = phase->n_granted;
    phase->asked = balancer_allocate(n, sizeof *phase->asked);
    if (n > 1)
        qsort(phase->granted, (size_t)n, sizeof *phase->granted, compare_donors);
    for (int64_t first = 0, end; first < n; first = end) {
        int donor = phase->granted[first].donor;
        for (end = first; end < n && phase->granted[end].donor == donor; end++)
            if (donor == self->link.comm->rank)
                put_back(self, &phase->granted[end]);
        if (donor != self->link.comm->rank)
            take_from_donor(self, first, end - first);
    }
}

static void settle(struct balancer *self, bool accepted)
{
    struct balancer_phase *phase = self->phase;
    phase->settled = true;
    if (accepted) {
        take_granted(self);
        return;
    }
    for (int64_t i = 0; i < phase->n_donated; i++)
        put_back(self, &phase->donation[i]);
}

static void receive_grant(struct balancer *self, const struct balancer_tasks *message)
{
    struct balancer_phase *phase = self->phase;
    int64_t n = phase->n_granted = message->n;
    double work = 0;
    phase->granted = balancer_allocate(n, sizeof *phase->granted);
    if (n > 0)
        memcpy(phase->granted, message + 1, (size_t)n * sizeof *phase->granted);
    for (int64_t i = 0; i < n; i++)
        work += phase->granted[i].work;
    if (self->rules.as_published) {
        settle(self, true);
        return;
    }
    struct balancer_outcome_message outcome = {.head.kind = BALANCER_OUTCOME,
                                               .max_s = self->link.bins->load_s +
                                                        work / balancer_speed(&self->link)};
    send_to_parent(self, &outcome.head, sizeof outcome, NULL, 0);
}

/* The first granted task of a donor; granted tasks are in the order of donors by now. */
static const struct balancer_task *find_donor(const struct balancer_phase *phase, int donor)
{
    const struct balancer_task *first = phase->granted;
    for (int64_t n = phase->n_granted, half; n > 0; n -= half) {
        half = (n + 1) / 2;
        first += first[half - 1].donor < donor ? half : 0;
    }
    return first;
}

static void receive_tasks(struct balancer *self, int donor, const struct balancer_exchange *message)
{
    const int64_t *tasks = (const int64_t *)(message + 1);
    const struct balancer_task *granted = find_donor(self->phase, donor);
    for (int64_t i = 0; i < message->n; i++)
        balancer_add_task(&self->link, tasks[i], granted[i].work, donor, true);
    balancer_note_got(&self->link, donor);
    self->phase->n_awaited -= message->n;
}

/* --- both --- */

static void receive_average(struct balancer *self, const struct balancer_average *message)
{
    self->largest_s = message->max_s;
    self->best_s = message->best_s;
    self->may_move = message->may_move;
    self->phase->limit_s = message->best_s * self->rules.donate_above;
    if (self->link.own_speed)
        worker_speed_relate(self->link.own_speed, message->typical_rate);
    if (message->repeats) {
        self->phase->load_sent = false;
        send_load_if_known(self);
        return;
    }
    if (message->may_move)
        donate(self, message->average_s * self->rules.donate_above);
    else
        self->finished = true;
}

/* Takes the steps that need no more messages. */
static void continue_phase(struct balancer *self)
{
    struct balancer_phase *phase = self->phase;
    bool has_tasks = phase->settled && phase->n_awaited == 0 && phase->n_taken == phase->n_donated;
    if (!has_tasks)
        return;
    if (!self->rules.as_published && !phase->pairs.begun)
        pairs_begin(&phase->pairs, phase->limit_s);
    if (self->rules.as_published || pairs_are_finished(&phase->pairs))
        self->finished = true;
}

static void receive_as_leaf(struct balancer *self, int from, const void *message)
{
    switch ((enum balancer_kind)((const struct balancer_head *)message)->kind) {
    case BALANCER_SPEED_REPORT:
        worker_speed_receive(self->link.own_speed, message);
        send_load_if_known(self);
        break;
    case BALANCER_AVERAGE:
        receive_average(self, message);
        break;
    case BALANCER_GRANT:
        receive_grant(self, message);
        break;
    case BALANCER_VERDICT:
        settle(self, ((const struct balancer_verdict *)message)->accepted);
        break;
    case BALANCER_TAKE:
        give(self, from, message);
        break;
    case BALANCER_GIVE:
        receive_tasks(self, from, message);
        break;
    case BALANCER_PAIR_LOAD:
    case BALANCER_PAIR_OFFER:
    case BALANCER_PAIR_MOVE:
        pairs_receive(&self->phase->pairs, message);
        break;
    case BALANCER_LOAD:
    case BALANCER_DONATION:
    case BALANCER_OUTCOME:
        break;
    }
    continue_phase(self);
}

static bool is_for_node(const struct balancer_head *head)
{
    switch ((enum balancer_kind)head->kind) {
    case BALANCER_LOAD:
    case BALANCER_DONATION:
    case BALANCER_OUTCOME:
        return true;
    case BALANCER_AVERAGE:
    case BALANCER_GRANT:
    case BALANCER_VERDICT:
        return head->to_node;
    default:
        return false;
    }
}

void balancer_receive(struct balancer *self, int from, const void *message)
{
    if (is_for_node(message))
        balancer_node_receive(&self->phase->node, message);
    else
        receive_as_leaf(self, from, message);
    free_if_finished(self);
}

void balancer_sent(struct balancer *self)
{
    self->link.n_incomplete--;
    free_if_finished(self);
}
