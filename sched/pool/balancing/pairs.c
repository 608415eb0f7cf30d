/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/balancing/pairs.h"

#include "support/base/array.h"
#include "support/base/die.h"
#include "support/base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rounds with random partners for each round with a partner by number. */
enum { RANDOM_ROUNDS = 2 };

/* Tasks offered in a round: as many as `taken` of a message has bits. */
enum { MOST_OFFERED = 32 };

/* Exchanges of single tasks in a round. */
enum { MOST_SWAPS = 8 };

/* Differences below this fraction of a load are not worth moving tasks. */
#define LEAST_GAIN 1e-3

static int count_bits(int n)
{
    int bits = 0;
    while (n >> bits > 0)
        bits++;
    return bits;
}

void pairs_init(struct pairs *self, struct balancer_link *link, uint64_t seed)
{
    *self = (struct pairs){.link = link, .seed = seed};
    self->n_rounds = (1 + RANDOM_ROUNDS) * count_bits(link->comm->size - 1);
    self->rounds = balancer_allocate(self->n_rounds, sizeof *self->rounds);
    for (int32_t i = 0; i < self->n_rounds; i++)
        self->rounds[i].load_s = NAN;
}

void pairs_fini(struct pairs *self)
{
    for (int64_t i = 0; i < self->n_sent; i++)
        free(self->sent[i]);
    free(self->sent);
    free(self->rounds);
    free(self->offer);
}

bool pairs_are_finished(const struct pairs *self)
{
    return self->begun && self->round == self->n_rounds;
}

/* Takes a task out of a bin that has some. */
static struct pairs_task remove_task(struct pairs *self, int64_t bin)
{
    struct pairs_task task;
    float time_s;
    duration_bins_remove(self->link->bins, bin, &task.entry, &time_s);
    task.task = duration_bins_removed_task(self->link->bins, task.entry);
    task.work = time_s * (float)balancer_speed(self->link);
    task.ran_at_sender = task.entry < self->link->n_before;
    return task;
}

/* Sends tasks, which are freed after the phase. */
static void send_tasks(struct pairs *self, enum balancer_kind kind, struct pairs_task *tasks,
                       int64_t n, uint32_t taken)
{
    const struct pairs_tasks message = {
        .head = {kind, .round = self->round}, .n = n, .taken = taken};
    if (array_reserve(&self->sent, self->n_sent + 1, &self->sent_capacity, sizeof *self->sent) !=
        STATUS_OK)
        die_no_memory("no memory to balance %lld tasks", (long long)n);
    self->sent[self->n_sent++] = tasks;
    balancer_send(self->link, self->partner, &message, sizeof message, tasks,
                  (size_t)n * sizeof *tasks);
}

/* Adds tasks of a list, all or those with a bit in `which`. */
static void add_tasks(struct pairs *self, const struct pairs_task *tasks, int64_t n,
                      const uint32_t *which)
{
    bool ran_there = false;
    for (int64_t i = 0; i < n; i++) {
        if (which && !((*which >> i) & 1))
            continue;
        balancer_add_task(self->link, tasks[i].task, tasks[i].work, self->partner,
                          tasks[i].ran_at_sender);
        ran_there = ran_there || tasks[i].ran_at_sender;
    }
    if (ran_there)
        balancer_note_got(self->link, self->partner);
}

/* --- the worker of less load --- */

/* Offers a task of every bin, or of every so many, so that all durations are among them. */
static void offer_tasks(struct pairs *self)
{
    const struct duration_bins *bins = self->link->bins;
    struct pairs_task *tasks = balancer_allocate(MOST_OFFERED, sizeof *tasks);
    int64_t n_filled = 0, seen = 0;
    for (int64_t bin = 0; bin < bins->n_bins; bin++)
        n_filled += bins->bins[bin].n_tasks > 0;
    int64_t every = (n_filled + MOST_OFFERED - 1) / MOST_OFFERED;
    self->n_offered = 0;
    for (int64_t bin = 0; bin < bins->n_bins; bin++)
        if (bins->bins[bin].n_tasks > 0 && seen++ % every == 0)
            tasks[self->n_offered++] = remove_task(self, bin);
    self->offered = tasks;
    send_tasks(self, BALANCER_PAIR_OFFER, tasks, self->n_offered, 0);
}

/* Puts back what the partner did not take. */
static void settle_offer(struct pairs *self, uint32_t taken)
{
    const struct pairs_task *offered = self->offered;
    bool gave = false;
    for (int64_t i = 0; i < self->n_offered; i++) {
        if ((taken >> i) & 1)
            gave = gave || offered[i].ran_at_sender;
        else
            taskpool_comm_report(
                self->link->comm,
                duration_bins_put_back(self->link->bins, offered[i].entry,
                                       offered[i].work / (float)balancer_speed(self->link)));
    }
    if (gave)
        balancer_note_gave(self->link);
}

static void take_moved(struct pairs *self, const struct pairs_tasks *message)
{
    settle_offer(self, message->taken);
    add_tasks(self, (const struct pairs_task *)(message + 1), message->n, NULL);
    self->answered = true;
}

/* --- the worker of more load --- */

/* Tasks that go to the partner, and the loads as they then are. */
struct gift {
    struct pairs_task *tasks; /* n */
    int64_t n, capacity;
    uint32_t taken; /* of the offer */
    bool gives_own; /* tasks that ran here */
    double own_s, partner_s;
    double own_speed, partner_speed;
};

/* The task of a bin for one of the offer, or for none (-1). */
struct swap {
    int64_t bin;
    int64_t offered;
    double gain_s; /* by which the larger load decreases; 0: none was found */
};

static double work_of_bin(const struct gift *gift, const struct duration_bin *bin)
{
    return bin->sum_s / bin->n_tasks * gift->own_speed;
}

static void move_to_gift(struct pairs *self, struct gift *gift, int64_t bin)
{
    if (array_reserve(&gift->tasks, gift->n + 1, &gift->capacity, sizeof *gift->tasks) != STATUS_OK)
        die_no_memory("no memory to balance %lld tasks", (long long)gift->n);
    struct pairs_task task = remove_task(self, bin);
    gift->tasks[gift->n++] = task;
    gift->gives_own = gift->gives_own || task.ran_at_sender;
    gift->own_s -= task.work / gift->own_speed;
    gift->partner_s += task.work / gift->partner_speed;
}

/* By how much the larger load decreases if the partner gets so much more work. */
static double gain_of(const struct gift *gift, double work)
{
    return fmin(work / gift->own_speed, gift->own_s - gift->partner_s - work / gift->partner_speed);
}

/* Gives tasks, the longest first, as long as the partner's load does not become the larger one. */
static void give_longest(struct pairs *self, struct gift *gift)
{
    for (int64_t i = self->link->bins->n_bins - 1; i >= 0; i--) {
        const struct duration_bin *bin = &self->link->bins->bins[i];
        while (bin->n_tasks > 0 && gift->own_s > self->limit_s &&
               gain_of(gift, work_of_bin(gift, bin)) >= work_of_bin(gift, bin) / gift->own_speed)
            move_to_gift(self, gift, i);
    }
}

static struct swap find_swap(const struct pairs *self, const struct gift *gift)
{
    struct swap best = {.offered = -1};
    for (int64_t i = 0; i < self->link->bins->n_bins; i++) {
        const struct duration_bin *bin = &self->link->bins->bins[i];
        for (int64_t j = -1; bin->n_tasks > 0 && j < self->n_offer; j++) {
            if (j >= 0 && ((gift->taken >> j) & 1))
                continue;
            double taken = j >= 0 ? self->offer[j].work : 0;
            double gain_s = gain_of(gift, work_of_bin(gift, bin) - taken);
            if (gain_s > best.gain_s)
                best = (struct swap){.bin = i, .offered = j, .gain_s = gain_s};
        }
    }
    return best;
}

static void swap_tasks(struct pairs *self, struct gift *gift, const struct swap *swap)
{
    move_to_gift(self, gift, swap->bin);
    if (swap->offered < 0)
        return;
    double work = self->offer[swap->offered].work;
    gift->taken |= UINT32_C(1) << swap->offered;
    gift->own_s += work / gift->own_speed;
    gift->partner_s -= work / gift->partner_speed;
}

static void answer_offer(struct pairs *self)
{
    const struct pairs_round *round = &self->rounds[self->round];
    struct gift gift = {.own_s = self->own_s,
                        .partner_s = round->load_s,
                        .own_speed = balancer_speed(self->link),
                        .partner_speed = round->speed};
    give_longest(self, &gift);
    for (int i = 0; i < MOST_SWAPS && gift.own_s > self->limit_s; i++) {
        struct swap swap = find_swap(self, &gift);
        if (swap.gain_s < LEAST_GAIN * gift.own_s)
            break;
        swap_tasks(self, &gift, &swap);
    }
    add_tasks(self, self->offer, self->n_offer, &gift.taken);
    if (gift.gives_own)
        balancer_note_gave(self->link);
    send_tasks(self, BALANCER_PAIR_MOVE, gift.tasks, gift.n, gift.taken);
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
    random_stream_init(&random, self->seed, (uint64_t)self->round);
    int64_t sum = (int64_t)random_below(&random, (uint64_t)comm->size);
    return (int)((sum - comm->rank + comm->size) % comm->size);
}

static void begin_round(struct pairs *self)
{
    free(self->offer);
    self->offer = NULL;
    self->n_offered = self->n_offer = -1;
    self->answered = false;
    self->own_s = (float)self->link->bins->load_s;
    self->partner = find_partner(self);
    const struct pairs_load message = {.head = {BALANCER_PAIR_LOAD, .round = self->round},
                                       .load_s = self->own_s,
                                       .speed = (float)balancer_speed(self->link)};
    if (self->partner != self->link->comm->rank)
        balancer_send(self->link, self->partner, &message, sizeof message, NULL, 0);
}

/* Advances this worker's round as far as messages allow; whether the round is finished for it. */
static bool play_round(struct pairs *self)
{
    const struct pairs_round *round = &self->rounds[self->round];
    if (self->partner == self->link->comm->rank)
        return true;
    if (isnan(round->load_s))
        return false;
    float more_s = fmaxf(self->own_s, round->load_s), less_s = fminf(self->own_s, round->load_s);
    if (more_s - less_s <= LEAST_GAIN * more_s || more_s <= self->limit_s)
        return true;
    if (self->own_s == more_s) {
        if (self->n_offer >= 0)
            answer_offer(self);
        return self->n_offer >= 0;
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

static void keep_offer(struct pairs *self, const struct pairs_tasks *message)
{
    self->n_offer = message->n;
    self->offer = balancer_allocate(message->n, sizeof *self->offer);
    if (message->n > 0)
        memcpy(self->offer, message + 1, (size_t)message->n * sizeof *self->offer);
}

void pairs_receive(struct pairs *self, const void *message)
{
    const struct balancer_head *head = message;
    if (head->kind == BALANCER_PAIR_LOAD) {
        const struct pairs_load *load = message;
        struct pairs_round *round = &self->rounds[head->round];
        round->load_s = load->load_s;
        round->speed = load->speed;
    } else if (head->kind == BALANCER_PAIR_OFFER) {
        keep_offer(self, message);
    } else {
        take_moved(self, message);
    }
    run_rounds(self);
}
