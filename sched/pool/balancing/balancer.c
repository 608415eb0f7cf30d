/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/balancing/balancer.h"

#include "sched/pool/balancing/balancer_placement.h"
#include "sched/pool/queues/deal.h"
#include "support/base/array.h"
#include "support/base/die.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The part of the standard deviation of two durations' ratio that slow workers keep free in a deal. */
#define SLOW_RESERVE 0.5

const struct balancer_rules balancer_by_pairs = {.branching = DEAL_GROUP,
                                                 .donate_above = 1.003,
                                                 .balance_over = 0.01,
                                                 .by_pairs = true,
                                                 .deal_below = DEAL_BELOW};

void balancer_init(struct balancer *self, struct taskpool_comm *comm, struct duration_bins *bins,
                   struct learned_speeds *speeds, const struct balancer_rules *rules)
{
    *self = (struct balancer){
        .link = {.comm = comm, .speeds = speeds},
        .rules = *rules,
        .bins = bins,

        .node.finished = true,
        .forecast.steals = true,
        .finished = true,
        .steals = true,
    };
    int64_t branching = rules->branching < comm->size ? rules->branching : comm->size;
    self->tree = (struct balancer_tree){.n_leaves = comm->size, .branching = branching};
    pairs_init(&self->pairs, &self->link, bins, &self->rules);
}

/* Frees the data of the phase. */
static void free_phase(struct balancer *self)
{
    balancer_node_finish(&self->node);
    pairs_finish(&self->pairs);
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
    self->settled = self->has_outcome = self->has_verdict = false;
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

static double own_load(const struct balancer *self)
{
    return balancer_expected_load(&self->link, self->bins);
}

/* A load as far as it was there in a phase before, too. 0: that is not known. */
static double lasted_since(double load_s, double before_s, bool counts_alone)
{
    return before_s == 0 && counts_alone ? load_s : fmin(load_s, before_s);
}

/* This worker's load as far as it counts: where moves cost something, or workers take turns, as far as it has
 * lasted (balancer.h). */
static double lasting_load(struct balancer *self)
{
    const struct balancer_rules *rules = &self->rules;
    double load_s = own_load(self), *last_s = self->last_s, lasting_s = load_s;
    bool in_turns = balancer_in_turns(&self->link, load_s) && !rules->takes_worse;
    if (load_s < last_s[0] / 4)
        last_s[0] = last_s[1] = 0;
    bool counts_alone = rules->move_cost < BALANCER_CHEAP_MOVE && !in_turns;
    if (rules->move_cost > 0 || in_turns)
        lasting_s = lasted_since(lasting_s, last_s[0], counts_alone);
    if (rules->move_cost > 0)
        lasting_s = lasted_since(lasting_s, last_s[1], counts_alone);
    last_s[1] = last_s[0];
    last_s[0] = load_s;
    return lasting_s;
}

void balancer_prepare(struct balancer *self)
{
    assert(self->link.n_incomplete == 0);
    if (self->link.comm->size == 1)
        return;
    self->finished = false;
    self->link.placement = self->placement;
    balancer_node_begin(&self->node, &self->link, &self->tree, &self->rules, &self->forecast);
    if (self->rules.by_pairs || self->rules.refines || self->placement)
        pairs_prepare(&self->pairs);
}

/* Predicts the durations of the tasks in the bins, see learned_speeds.h. */
static void expect_durations(struct balancer *self)
{
    struct balancer_link *link = &self->link;
    link->slope = link->speed = 1;
    link->constant = link->extra = 0;
    if (!link->speeds)
        return;
    const struct prediction *prediction = &link->speeds->prediction;
    link->speed = link->speeds->speed;
    if (expected_work_minds_costs(&link->speeds->expected)) {
        link->extra = link->speeds->expected.extra;
        return;
    }
    link->slope = prediction->moves;
    link->constant = (1 - prediction->moves) * prediction->mean;
    link->extra = (prediction->stays - prediction->moves) *
                  (self->bins->load_s - prediction->mean * (double)self->bins->n_tasks);
}

void balancer_begin(struct balancer *self, double end_s)
{
    if (self->link.comm->size == 1)
        return;
    struct data_placement *placement = self->link.placement;
    expect_durations(self);
    self->link.extra += self->rest_s * self->link.speed;
    if (placement)
        data_placement_list(placement, self->bins);
    struct balancer_message head = {
        .kind = BALANCER_LOAD,
        .load_s = own_load(self) * self->link.speed,
        .speed = self->link.speed,
        .fastest = self->link.speed,
        .slowest = self->link.speed,
        .max_s = lasting_load(self),
        .longest_s = balancer_expect(&self->link, duration_bins_longest_s(self->bins)),
        .end_s = end_s,
        .n_tasks = self->bins->n_tasks,
        .took_s = placement ? placement->took_s : self->took_s,
        .alone_s = self->alone_s,
        .first_s = placement ? placement->first_s : 0,
        .moved_s = placement ? placement->moved_s : 0,
        .price_s = placement ? placement->load.seconds : 0,
        .away_s = placement ? placement->away_s : 0};
    if (self->link.speeds && learned_speeds_are_untried(self->link.speeds))
        head.untried_s = head.longest_s;
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

/* The speed that a deal reckons with. Where durations are noise a task of a slow worker that takes longer than
 * expected is the last to end. */
static double deal_speed(const struct balancer *self)
{
    double speed = self->link.speed;
    if (!self->link.speeds || speed >= 1)
        return speed;
    return speed / (1 + SLOW_RESERVE * sqrt(self->link.speeds->prediction.noise));
}

/* Donates tasks, the shortest first, while the load is above the limit; in a deal all. */
static void donate(struct balancer *self, double limit_s, bool deals)
{
    while (own_load(self) > limit_s) {
        reserve_donated(self);
        struct balancer_task *task = &self->donation[self->n_donated];
        int64_t *entry = &self->donated[self->n_donated];
        if (!duration_bins_remove_smallest(self->bins, entry, &task->work))
            break;
        task->donor = self->link.comm->rank;
        task->index = (uint32_t)self->n_donated++;
    }
    self->given = balancer_allocate(self->n_donated, sizeof *self->given);
    struct balancer_message head = {.kind = BALANCER_DONATION,
                                    .n = self->n_donated,
                                    .load_s = balancer_expected_work(&self->link, self->bins),
                                    .speed = deals ? deal_speed(self) : self->link.speed,
                                    .n_free = 1};
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
    if (self->link.speeds)
        learned_speeds_gave(self->link.speeds, to);
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
    taskpool_comm_report(self->link.comm, duration_bins_put_back(
                                              self->bins, self->donated[task->index], task->work));
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

/* Reports the load that this worker has, or is to have. */
static void report_outcome(struct balancer *self)
{
    double granted = 0;
    bool may_wait = self->link.placement && !self->as_seeded;
    double risk_s = may_wait ? data_placement_risk(self->link.placement) : 0;
    for (int64_t i = 0; i < self->n_granted && !self->settled; i++)
        granted += balancer_expect(&self->link, self->granted[i].work);
    struct balancer_message head = {.kind = BALANCER_OUTCOME,
                                    .max_s = own_load(self) + granted / self->link.speed + risk_s};
    self->has_outcome = true;
    send_to_parent(self, &head);
}

static void take_granted(struct balancer *self)
{
    int64_t n = self->n_granted;
    self->asked = balancer_allocate(n, sizeof *self->asked);
    if (n > 1)
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

static void receive_grant(struct balancer *self, const struct balancer_message *message)
{
    int64_t n = message->n;
    self->n_granted = n;
    self->granted = balancer_allocate(n, sizeof *self->granted);
    if (n > 0)
        memcpy(self->granted, message + 1, (size_t)n * sizeof *self->granted);
    report_outcome(self);
}

static void receive_verdict(struct balancer *self, const struct balancer_message *message)
{
    self->has_verdict = message->last;
    self->steals = message->steals;
    self->outcome.after_s = message->max_s;
    self->outcome.harms = message->harms;
    if (self->as_seeded) {
        self->settled = true;
        self->has_outcome = message->last;
        balancer_placement_end_as_seeded(self, message);
        return;
    }
    bool returns = self->settled && message->last && !message->accepted;
    if (self->link.placement || (self->placement && returns))
        balancer_placement_end(self, message);
    if (self->settled)
        return;
    self->settled = true;
    self->has_outcome = false;
    self->limit_s = message->load_s;
    if (message->accepted)
        take_granted(self);
    for (int64_t i = 0; i < self->n_donated && !message->accepted; i++)
        put_back(self, &self->donation[i]);
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
    for (int64_t i = 0; i < message->n; i++) {
        taskpool_comm_report(self->link.comm,
                             duration_bins_add(self->bins, tasks[i], granted[i].work));
        if (self->link.speeds)
            taskpool_comm_report(
                self->link.comm,
                watched_tasks_add(&self->link.speeds->watched, tasks[i], granted[i].work, donor));
    }
    if (self->link.speeds)
        learned_speeds_got(self->link.speeds, donor);
    self->n_awaited -= message->n;
    self->link.comm->counts.tasks_moved += message->n;
}

/* --- both --- */

/* Whether this worker's longest task is one to try elsewhere, see pairs.h. */
static bool is_to_be_tried(const struct balancer *self, double limit_s)
{
    double longest = balancer_expect(&self->link, duration_bins_longest_s(self->bins));
    return learned_speeds_are_untried(self->link.speeds) && longest > limit_s * self->link.speed;
}

static void receive_average(struct balancer *self, const struct balancer_message *message)
{
    double average_s = message->load_s, largest_s = message->max_s / (1 - BALANCER_LEAST_GAIN);
    self->steals = message->steals;
    self->starts = false;
    self->outcome = (struct balancer_outcome){
        .largest_s = largest_s,
        .best_s = message->best_s,
        .after_s = largest_s,
        .error = balancer_load_error(&self->link, message->n_tasks),
        .moves = average_s > 0,
        .deals = message->deals,
        .tries = message->tries,
        .harms = message->harms,
    };
    if (self->placement)
        balancer_placement_begin(self, message);
    double above = self->rules.donate_above + balancer_tolerance(&self->link, message->n_tasks);
    self->limit_s = fmax(average_s, message->longest_s) * above;
    self->pairs.tries = message->tries && is_to_be_tried(self, average_s * above);
    if (self->rules.move_cost > 0 && message->n_tasks > 0)
        self->limit_s += average_s * self->link.comm->size / (double)message->n_tasks;
    if (average_s == 0)
        self->finished = true;
    else if (!self->rules.by_pairs && !self->link.placement)
        donate(self, average_s * above, false);
    else if (message->deals)
        donate(self, -1, true);
    else if (message->as_seeded)
        report_outcome(self);
    else
        self->settled = true;
}

/* Takes the steps that need no more messages. */
static void continue_phase(struct balancer *self)
{
    bool has_tasks = self->settled && self->n_awaited == 0 && self->n_taken == self->n_donated;
    bool pairs_follow = self->rules.by_pairs || self->rules.refines || self->link.placement;
    if (pairs_follow && has_tasks && !self->has_verdict && !self->pairs.begun)
        pairs_begin(&self->pairs, self->limit_s);
    if (pairs_are_finished(&self->pairs) && !self->has_outcome)
        report_outcome(self);
    if (self->has_verdict && has_tasks)
        self->finished = true;
}

static void receive_as_leaf(struct balancer *self, int from, const struct balancer_message *message)
{
    switch ((enum balancer_kind)message->kind) {
    case BALANCER_AVERAGE:
        receive_average(self, message);
        break;
    case BALANCER_GRANT:
        receive_grant(self, message);
        break;
    case BALANCER_VERDICT:
        receive_verdict(self, message);
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
        pairs_receive(&self->pairs, message);
        break;
    case BALANCER_LOAD:
    case BALANCER_DONATION:
    case BALANCER_OUTCOME:
        break;
    }
    continue_phase(self);
}

void balancer_receive(struct balancer *self, int from, const void *bytes)
{
    const struct balancer_message *message = bytes;
    bool from_child = message->kind == BALANCER_LOAD || message->kind == BALANCER_DONATION ||
                      message->kind == BALANCER_OUTCOME;
    if (message->to_node || from_child)
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
