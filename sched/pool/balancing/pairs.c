/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/balancing/pairs_private.h"

#include "sched/pool/balancing/data_gifts.h"
#include "support/base/die.h"
#include "support/base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rounds with random partners for each round with a partner by number, and more after the tree, which
 * leaves small differences. */
enum { RANDOM_ROUNDS = 1, RANDOM_ROUNDS_AFTER_TREE = 2 };

void pairs_init(struct pairs *self, struct balancer_link *link, struct duration_bins *bins,
                const struct balancer_rules *rules)
{
    *self = (struct pairs){.link = link, .bins = bins, .rules = rules};
}

/* Rounds with random partners for each with a partner by number. */
static int count_random_rounds(const struct pairs *self)
{
    return self->rules->refines ? RANDOM_ROUNDS_AFTER_TREE : RANDOM_ROUNDS;
}

static int count_bits(int n)
{
    int bits = 0;
    while (n >> bits > 0)
        bits++;
    return bits;
}

void pairs_prepare(struct pairs *self)
{
    int bits = count_bits(self->link->comm->size - 1);
    self->n_phases++;
    self->moved_s = 0;
    self->n_rounds = (1 + count_random_rounds(self)) * bits;
    self->round = 0;
    self->rounds = balancer_allocate(self->n_rounds, sizeof *self->rounds);
    for (int32_t i = 0; i < self->n_rounds; i++)
        self->rounds[i].partner_s = NAN;
}

bool pairs_are_finished(const struct pairs *self)
{
    return self->begun && self->round == self->n_rounds;
}

void pairs_finish(struct pairs *self)
{
    for (int32_t i = 0; self->rounds && i < self->n_rounds; i++)
        free(self->rounds[i].sent);
    free(self->rounds);
    free(self->offer);
    free(self->data_offer);
    self->rounds = NULL;
    self->offer = NULL;
    self->data_offer = NULL;
    self->begun = self->tries = self->has_trial = false;
}

/* A task of the partner is here now. */
static void note_got(struct pairs *self, int64_t task, double work, bool ran_there)
{
    self->link->comm->counts.tasks_moved++;
    if (!self->link->speeds)
        return;
    learned_speeds_got(self->link->speeds, self->partner);
    taskpool_comm_report(self->link->comm, watched_tasks_add(&self->link->speeds->watched, task,
                                                             work, ran_there ? self->partner : -1));
}

void pairs_add_task(struct pairs *self, const struct pairs_task *task)
{
    if (self->link->placement)
        data_placement_take(self->link->placement, task->task, task->work);
    else
        taskpool_comm_report(self->link->comm,
                             duration_bins_add(self->bins, task->task, task->work));
    note_got(self, task->task, task->work, task->ran_here);
    self->moved_s += pairs_moved_seconds(self, task->work, self->link->speed);
}

static void note_gave(struct pairs *self, int64_t task)
{
    if (!self->link->speeds)
        return;
    learned_speeds_gave(self->link->speeds, self->partner);
    watched_tasks_remove(&self->link->speeds->watched, task);
}

void pairs_note_given(struct pairs *self, const struct pairs_task *task)
{
    if (!task->ran_here) /* it came in this phase */
        self->moved_s -= pairs_moved_seconds(self, task->work, self->link->speed);
    note_gave(self, task->task);
}

static bool may_have_run_here(const struct pairs *self, int64_t task)
{
    return self->link->speeds && !watched_tasks_may_have(&self->link->speeds->watched, task);
}

struct pairs_task pairs_remove_task(struct pairs *self, int64_t bin)
{
    struct pairs_task task;
    float work;
    duration_bins_remove(self->bins, bin, &task.entry, &work);
    task.task = duration_bins_removed_task(self->bins, task.entry);
    task.work = work;
    task.ran_here = may_have_run_here(self, task.task);
    return task;
}

void pairs_send_items(struct pairs *self, struct balancer_message *head, void *items,
                      size_t item_size)
{
    head->round = self->round;
    self->rounds[self->round].sent = items;
    balancer_send(self->link, self->partner, head, items, item_size);
}

/* --- the worker of less load --- */

bool pairs_is_trial_round(const struct pairs *self)
{
    const struct pairs_round *round = &self->rounds[self->round];
    bool is_donor = self->own_s > round->partner_s;
    return is_donor ? self->tries && !round->partner_tries && !round->partner_has_trial
                    : round->partner_tries && !self->tries && !self->has_trial;
}

/* Removes one task of every bin, or of every so many, so that all durations are among them. */
static void choose_of_every_duration(struct pairs *self, struct pairs_task *tasks)
{
    const struct duration_bins *bins = self->bins;
    int64_t n_filled = 0, seen = 0;
    for (int64_t bin = 0; bin < bins->n_bins; bin++)
        n_filled += bins->bins[bin].n_tasks > 0;
    int64_t every = (n_filled + PAIRS_MOST_OFFERED - 1) / PAIRS_MOST_OFFERED;
    for (int64_t bin = 0; bin < bins->n_bins; bin++)
        if (bins->bins[bin].n_tasks > 0 && seen++ % every == 0)
            tasks[self->n_offered++] = pairs_remove_task(self, bin);
}

/* Removes all tasks, or as many as can be offered. */
static void choose_all_tasks(struct pairs *self, struct pairs_task *tasks)
{
    for (int64_t bin = self->bins->n_bins - 1; bin >= 0; bin--)
        while (self->bins->bins[bin].n_tasks > 0 && self->n_offered < PAIRS_MOST_OFFERED)
            tasks[self->n_offered++] = pairs_remove_task(self, bin);
}

static void offer_tasks(struct pairs *self)
{
    int64_t n_tasks = self->bins->n_tasks;
    struct pairs_task *tasks = balancer_allocate(
        n_tasks < PAIRS_MOST_OFFERED ? n_tasks : PAIRS_MOST_OFFERED, sizeof *tasks);
    self->n_offered = 0;
    if (pairs_is_trial_round(self) || n_tasks <= PAIRS_FEW_TASKS)
        choose_all_tasks(self, tasks);
    else
        choose_of_every_duration(self, tasks);
    struct balancer_message head = {.kind = BALANCER_PAIR_OFFER, .n = self->n_offered};
    pairs_send_items(self, &head, tasks, sizeof *tasks);
}

/* Offers tasks and kept accesses to the partner, where the data of tasks are known. */
static void offer_data(struct pairs *self)
{
    struct data_offer *offer;
    struct balancer_message head = {.kind = BALANCER_PAIR_OFFER,
                                    .n = data_gifts_offer(self->link->placement, &offer)};
    for (int64_t i = 0; i < head.n; i++)
        offer[i].ran_here = offer[i].position >= 0 && may_have_run_here(self, offer[i].id);
    self->n_offered = (int32_t)head.n;
    pairs_send_items(self, &head, offer, sizeof *offer);
}

/* Takes what the partner took of the offer out of the bins, and puts the other tasks back. */
static void settle_offer(struct pairs *self, uint32_t taken)
{
    const struct pairs_task *offered = self->rounds[self->round].sent;
    for (int32_t i = 0; i < self->n_offered; i++)
        if ((taken >> i) & 1)
            pairs_note_given(self, &offered[i]);
        else
            taskpool_comm_report(
                self->link->comm,
                duration_bins_put_back(self->bins, offered[i].entry, (float)offered[i].work));
}

static void settle_data_offer(struct pairs *self, uint32_t taken)
{
    const struct data_offer *offered = self->rounds[self->round].sent;
    for (int i = 0; i < DATA_GIFTS_MOST_OFFERED; i++)
        if ((taken >> i) & 1) {
            note_gave(self, offered[i].id);
            data_placement_give(self->link->placement, offered[i].position);
        }
}

static void take_moved(struct pairs *self, const struct balancer_message *message)
{
    const struct pairs_task *moved = (const struct pairs_task *)(message + 1);
    (self->link->placement ? settle_data_offer : settle_offer)(self, message->taken);
    self->has_trial |= pairs_is_trial_round(self) && message->n > 0;
    for (int64_t i = 0; i < message->n; i++)
        pairs_add_task(self, &moved[i]);
    self->answered = true;
}

/* --- the worker of more load, where data are known --- */

static void note_exchanged(struct pairs *self, const struct data_partners *partners)
{
    for (int i = 0; i < DATA_GIFTS_MOST_OFFERED; i++)
        if ((partners->taken >> i) & 1) {
            const struct data_offer *task = &partners->offer[i];
            note_got(self, task->id, task->work, task->ran_here);
        }
}

/* The message's tasks, of the positions in the list. */
static struct pairs_task *list_gifts(struct pairs *self, const int64_t *positions, int64_t n)
{
    struct pairs_task *tasks = balancer_allocate(n, sizeof *tasks);
    for (int64_t i = 0; i < n; i++) {
        const struct placed_task *placed = &self->link->placement->tasks.list[positions[i]];
        tasks[i] = (struct pairs_task){.task = placed->task,
                                       .work = placed->work,
                                       .ran_here = may_have_run_here(self, placed->task)};
        note_gave(self, placed->task);
    }
    return tasks;
}

static void answer_data_offer(struct pairs *self)
{
    const struct pairs_round *round = &self->rounds[self->round];
    const struct data_placement *placement = self->link->placement;
    struct data_partners partners = {.own_s = self->own_s,
                                     .partner_s = round->partner_s,
                                     .partner_speed = round->partner_speed,
                                     .offer = self->data_offer,
                                     .n_offer = self->n_offer};
    int64_t *positions;
    data_load_init(&partners.of_partner, placement->load.costs, self->partner,
                   self->link->comm->size);
    struct balancer_message head = {.kind = BALANCER_PAIR_MOVE};
    head.n = data_gifts_choose(self->link, self->limit_s, &partners, &positions);
    head.taken = partners.taken;
    pairs_send_items(self, &head, list_gifts(self, positions, head.n), sizeof(struct pairs_task));
    note_exchanged(self, &partners);
    free(positions);
    data_load_fini(&partners.of_partner);
}

/* --- rounds --- */

static int find_partner(const struct pairs *self)
{
    const struct taskpool_comm *comm = self->link->comm;
    int n_bits = self->n_rounds / (1 + count_random_rounds(self));
    if (self->round < n_bits) {
        int partner = comm->rank ^ (1 << self->round);
        return partner < comm->size ? partner : comm->rank;
    }
    /* Numbers whose sum is the same modulo the number of workers are partners. */
    struct random_stream random;
    random_stream_init(&random, (uint64_t)self->rules->seed + self->n_phases,
                       (uint64_t)self->round);
    int64_t sum = (int64_t)random_below(&random, (uint64_t)comm->size);
    return (int)((sum - comm->rank + comm->size) % comm->size);
}

static void begin_round(struct pairs *self)
{
    free(self->offer);
    free(self->data_offer);
    self->offer = NULL;
    self->data_offer = NULL;
    self->n_offered = self->n_offer = -1;
    self->answered = false;
    self->own_s = balancer_expected_load(self->link, self->bins);
    self->partner = find_partner(self);
    struct balancer_message head = {.kind = BALANCER_PAIR_LOAD,
                                    .round = self->round,
                                    .load_s = self->own_s,
                                    .moved_s = self->moved_s,
                                    .speed = self->link->speed,
                                    .tries = self->tries,
                                    .is_trial = self->has_trial};
    if (self->partner != self->link->comm->rank)
        balancer_send(self->link, self->partner, &head, NULL, 0);
}

/* Advances this worker's round as far as messages allow; whether the round is finished for it. */
static bool play_round(struct pairs *self)
{
    double partner_s = self->rounds[self->round].partner_s;
    if (self->partner == self->link->comm->rank)
        return true;
    if (isnan(partner_s))
        return false;
    double more_s = fmax(self->own_s, partner_s), less_s = fmin(self->own_s, partner_s);
    if (more_s - less_s <= BALANCER_LEAST_GAIN * more_s ||
        (more_s <= self->limit_s && !pairs_is_trial_round(self)))
        return true;
    if (self->own_s == more_s) {
        if (self->n_offer < 0)
            return false;
        (self->link->placement ? answer_data_offer : pairs_answer_offer)(self);
        return true;
    }
    if (self->n_offered < 0)
        (self->link->placement ? offer_data : offer_tasks)(self);
    return self->answered;
}

static void run_rounds(struct pairs *self)
{
    while (self->begun && self->round < self->n_rounds && play_round(self))
        if (++self->round < self->n_rounds)
            begin_round(self);
}

void pairs_begin(struct pairs *self, double limit_s)
{
    self->begun = true;
    self->limit_s = limit_s;

    begin_round(self);
    run_rounds(self);
}

static void keep_offer(struct pairs *self, const struct balancer_message *message)
{
    size_t size = self->link->placement ? sizeof *self->data_offer : sizeof *self->offer;
    void *offer = balancer_allocate(message->n, size);
    self->n_offer = (int32_t)message->n;
    if (message->n > 0)
        memcpy(offer, message + 1, (size_t)message->n * size);
    if (self->link->placement)
        self->data_offer = offer;
    else
        self->offer = offer;
}

void pairs_receive(struct pairs *self, const struct balancer_message *message)
{
    struct pairs_round *round = &self->rounds[message->round];
    if (message->kind == BALANCER_PAIR_LOAD) {
        round->partner_s = message->load_s;
        round->partner_moved_s = message->moved_s;
        round->partner_speed = message->speed;
        round->partner_tries = message->tries;
        round->partner_has_trial = message->is_trial;
    } else if (message->kind == BALANCER_PAIR_OFFER) {
        keep_offer(self, message);
    } else {
        take_moved(self, message);
    }
    run_rounds(self);
}
