/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/protocols/pairs.h"

#include "support/base/array.h"
#include "support/base/die.h"
#include "support/base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rounds with random partners for each round with a partner by number; tasks offered in a round, as
 * many as `taken` of a message has bits; exchanges of single tasks in a round. */
enum { RANDOM_ROUNDS = 1, MAX_OFFERED = 32, MAX_SWAPS = 8 };

/* Iterations within which a move has to save as much time as it costs, see move_pays. */
enum { PAYS_WITHIN = 10 };

/* Differences of loads, and gains, below this fraction are not worth a message. */
#define LEAST_GAIN 1e-3

void pairs_init(struct pairs *self, struct balancer_link *link, struct duration_bins *bins,
                const struct balancer_rules *rules)
{
    *self = (struct pairs){
        .link = link, .bins = bins, .seed = (uint64_t)rules->seed, .move_cost = rules->move_cost};
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
    self->n_rounds = (1 + RANDOM_ROUNDS) * bits;
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
    self->rounds = NULL;
    self->offer = NULL;
    self->begun = false;
}

static void add_task(struct pairs *self, const struct pairs_task *task)
{
    taskpool_comm_report(self->link->comm, duration_bins_add(self->bins, task->task, task->time_s));
}

static struct pairs_task remove_task(struct pairs *self, int64_t bin)
{
    struct pairs_task task;
    float time_s;
    duration_bins_remove(self->bins, bin, &task.entry, &time_s);
    task.task = duration_bins_removed_task(self->bins, task.entry);
    task.time_s = time_s;
    return task;
}

static void send_tasks(struct pairs *self, struct balancer_message *head, struct pairs_task *tasks)
{
    head->round = self->round;
    self->rounds[self->round].sent = tasks;
    balancer_send(self->link, self->partner, head, tasks, sizeof *tasks);
}

/* --- the worker of less load --- */

/* One task of every bin, or of every so many, so that all durations are among them. */
static void offer_tasks(struct pairs *self)
{
    const struct duration_bins *bins = self->bins;
    int64_t n_filled = 0, seen = 0;
    for (int64_t bin = 0; bin < bins->n_bins; bin++)
        n_filled += bins->bins[bin].n_tasks > 0;
    int64_t every = (n_filled + MAX_OFFERED - 1) / MAX_OFFERED;
    struct pairs_task *tasks =
        balancer_allocate(n_filled < MAX_OFFERED ? n_filled : MAX_OFFERED, sizeof *tasks);
    self->n_offered = 0;
    for (int64_t bin = 0; bin < bins->n_bins; bin++)
        if (bins->bins[bin].n_tasks > 0 && seen++ % every == 0)
            tasks[self->n_offered++] = remove_task(self, bin);
    struct balancer_message head = {.kind = BALANCER_PAIR_OFFER, .n = self->n_offered};
    send_tasks(self, &head, tasks);
}

static void take_moved(struct pairs *self, const struct balancer_message *message)
{
    const struct pairs_task *offered = self->rounds[self->round].sent;
    const struct pairs_task *moved = (const struct pairs_task *)(message + 1);
    for (int32_t i = 0; i < self->n_offered; i++)
        if (!((message->taken >> i) & 1))
            taskpool_comm_report(
                self->link->comm,
                duration_bins_put_back(self->bins, offered[i].entry, (float)offered[i].time_s));
    for (int64_t i = 0; i < message->n; i++)
        add_task(self, &moved[i]);
    self->link->comm->counts.tasks_moved += message->n;
    self->answered = true;
}

/* --- the worker of more load --- */

/* Tasks that go to the partner, and the loads as they then are. */
struct pairs_gift {
    struct pairs_task *tasks; /* n */
    int64_t n, capacity;
    uint32_t taken;
    double own_s, partner_s;
};

/* The task of a bin for one of the offer, or for none (-1). */
struct pairs_swap {
    int64_t bin;
    int32_t offered;
    double gain_s; /* by which the larger load decreases; 0: none was found */
};

static double mean_of_bin(const struct duration_bin *bin)
{
    return bin->sum_s / bin->n_tasks;
}

static void move_to_gift(struct pairs *self, struct pairs_gift *gift, int64_t bin)
{
    if (array_reserve(&gift->tasks, gift->n + 1, &gift->capacity, sizeof *gift->tasks) != STATUS_OK)
        die_no_memory("no memory to balance %lld tasks", (long long)gift->n);
    struct pairs_task task = remove_task(self, bin);
    gift->tasks[gift->n++] = task;
    gift->own_s -= task.time_s;
    gift->partner_s += task.time_s;
}

/* Whether a gain in every iteration pays for the move of tasks of moved_s. It is not known how many
 * iterations are left: as many as there were, but PAYS_WITHIN at least. */
static bool move_pays(const struct pairs *self, double gain_s, double moved_s)
{
    double n_iterations = fmax(PAYS_WITHIN, (double)self->n_phases);
    return n_iterations * gain_s >= self->move_cost * moved_s;
}

/* Gives tasks, the longest first, as long as the partner's load does not become the larger one. */
static void give_longest(struct pairs *self, struct pairs_gift *gift)
{
    for (int64_t i = self->bins->n_bins - 1; i >= 0; i--) {
        const struct duration_bin *bin = &self->bins->bins[i];
        while (bin->n_tasks > 0 && gift->own_s > self->limit_s &&
               2 * mean_of_bin(bin) <= gift->own_s - gift->partner_s &&
               move_pays(self, mean_of_bin(bin), mean_of_bin(bin)))
            move_to_gift(self, gift, i);
    }
}

static struct pairs_swap find_swap(const struct pairs *self, const struct pairs_gift *gift)
{
    struct pairs_swap best = {.offered = -1};
    double half_s = (gift->own_s - gift->partner_s) / 2;
    for (int64_t i = 0; i < self->bins->n_bins; i++) {
        const struct duration_bin *bin = &self->bins->bins[i];
        for (int32_t j = -1; bin->n_tasks > 0 && j < self->n_offer; j++) {
            if (j >= 0 && ((gift->taken >> j) & 1))
                continue;
            double given_s = mean_of_bin(bin), taken_s = j < 0 ? 0 : self->offer[j].time_s;
            double gain_s = half_s - fabs(half_s - (given_s - taken_s));
            if (gain_s > best.gain_s && move_pays(self, gain_s, given_s + taken_s))
                best = (struct pairs_swap){.bin = i, .offered = j, .gain_s = gain_s};
        }
    }
    return best;
}

static void swap_tasks(struct pairs *self, struct pairs_gift *gift, const struct pairs_swap *swap)
{
    move_to_gift(self, gift, swap->bin);
    if (swap->offered < 0)
        return;
    gift->taken |= UINT32_C(1) << swap->offered;
    gift->own_s += self->offer[swap->offered].time_s;
    gift->partner_s -= self->offer[swap->offered].time_s;
}

static void answer_offer(struct pairs *self)
{
    struct pairs_gift gift = {.own_s = self->own_s,
                              .partner_s = self->rounds[self->round].partner_s};
    give_longest(self, &gift);
    for (int i = 0; i < MAX_SWAPS && gift.own_s > self->limit_s; i++) {
        struct pairs_swap swap = find_swap(self, &gift);
        if (swap.gain_s < LEAST_GAIN * gift.own_s)
            break;
        swap_tasks(self, &gift, &swap);
    }
    for (int32_t i = 0; i < self->n_offer; i++)
        if ((gift.taken >> i) & 1) {
            add_task(self, &self->offer[i]);
            self->link->comm->counts.tasks_moved++;
        }
    struct balancer_message head = {.kind = BALANCER_PAIR_MOVE, .n = gift.n, .taken = gift.taken};
    send_tasks(self, &head, gift.tasks);
}

/* --- rounds --- */

static int find_partner(const struct pairs *self)
{
    const struct taskpool_comm *comm = self->link->comm;
    int n_bits = self->n_rounds / (1 + RANDOM_ROUNDS);
    if (self->round < n_bits) {
        int partner = comm->rank ^ (1 << self->round);
        return partner < comm->size ? partner : comm->rank;
    }
    /* Numbers whose sum is the same modulo the number of workers are partners. */
    struct random_stream random;
    random_stream_init(&random, self->seed + self->n_phases, (uint64_t)self->round);
    int64_t sum = (int64_t)random_below(&random, (uint64_t)comm->size);
    return (int)((sum - comm->rank + comm->size) % comm->size);
}

static void begin_round(struct pairs *self)
{
    free(self->offer);
    self->offer = NULL;
    self->n_offered = self->n_offer = -1;
    self->answered = false;
    self->own_s = self->bins->load_s;
    self->partner = find_partner(self);
    struct balancer_message head = {
        .kind = BALANCER_PAIR_LOAD, .round = self->round, .load_s = self->own_s};
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
    if (more_s <= self->limit_s || more_s - less_s <= LEAST_GAIN * more_s)
        return true;
    if (self->own_s == more_s) {
        if (self->n_offer < 0)
            return false;
        answer_offer(self);
        return true;
    }
    if (self->n_offered < 0)
        offer_tasks(self);
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
    self->n_offer = (int32_t)message->n;
    self->offer = balancer_allocate(message->n, sizeof *self->offer);
    if (message->n > 0)
        memcpy(self->offer, message + 1, (size_t)message->n * sizeof *self->offer);
}

void pairs_receive(struct pairs *self, const struct balancer_message *message)
{
    if (message->kind == BALANCER_PAIR_LOAD)
        self->rounds[message->round].partner_s = message->load_s;
    else if (message->kind == BALANCER_PAIR_OFFER)
        keep_offer(self, message);
    else
        take_moved(self, message);
    run_rounds(self);
}
