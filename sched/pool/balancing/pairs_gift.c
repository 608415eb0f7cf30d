/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/balancing/pairs_private.h"

#include "support/base/array.h"
#include "support/base/die.h"

#include <assert.h>
#include <math.h>

/* Exchanges of single tasks in a round. */
enum { MAX_SWAPS = 8 };

/* Tasks that go to the partner, and the loads as they then are. */
struct pairs_gift {
    struct pairs_task *tasks; /* n */
    int64_t n, capacity;
    uint32_t taken;
    double own_s, partner_s;
    double own_moved_s, partner_moved_s; /* see struct pairs */
    double own_speed, partner_speed;
};

/* The task of a bin for one of the offer, or for none (-1). */
struct pairs_swap {
    int64_t bin;
    int32_t offered;
    double gain_s; /* by which the larger load decreases; 0: none was found */
};

/* The work of a task as it was, and as it is expected to be. */
struct pairs_work {
    double measured, expected;
};

static struct pairs_work work_of(const struct pairs *self, double measured)
{
    return (struct pairs_work){measured, balancer_expect(self->link, measured)};
}

/* A task of a bin. */
static struct pairs_work mean_work(const struct pairs *self, const struct duration_bin *bin)
{
    return work_of(self, bin->sum_s / bin->n_tasks);
}

static void move_to_gift(struct pairs *self, struct pairs_gift *gift, int64_t bin)
{
    if (array_reserve(&gift->tasks, gift->n + 1, &gift->capacity, sizeof *gift->tasks) != STATUS_OK)
        die_no_memory("no memory to balance %lld tasks", (long long)gift->n);
    struct pairs_task task = pairs_remove_task(self, bin);
    gift->tasks[gift->n++] = task;
    pairs_note_given(self, &task);
    double work = balancer_expect(self->link, task.work);
    gift->own_s -= work / gift->own_speed;
    gift->partner_s += work / gift->partner_speed;
    if (!task.ran_here)
        gift->own_moved_s -= pairs_moved_seconds(self, task.work, gift->own_speed);
    gift->partner_moved_s += pairs_moved_seconds(self, task.work, gift->partner_speed);
}

/* The larger of two loads, summed over as many iterations as there were: it is not known how many
 * are left. In the next one tasks that moved take longer. */
static double sum_of_larger(const struct pairs *self, const struct pairs_gift *loads)
{
    double own_s = loads->own_s + loads->own_moved_s;
    double partner_s = loads->partner_s + loads->partner_moved_s;
    return fmax(own_s, partner_s) +
           (double)(self->n_phases - 1) * fmax(loads->own_s, loads->partner_s);
}

/* Whether it pays to exchange tasks. A partner that waits for this worker anyway has time for what
 * they take longer there. */
static bool move_pays(const struct pairs *self, const struct pairs_gift *gift,
                      struct pairs_work given, struct pairs_work taken)
{
    struct pairs_gift after = *gift;
    if (self->rules->move_cost == 0)
        return true;
    after.own_s += (taken.expected - given.expected) / gift->own_speed;
    after.partner_s += (given.expected - taken.expected) / gift->partner_speed;
    after.own_moved_s += pairs_moved_seconds(self, taken.measured, gift->own_speed);
    after.partner_moved_s += pairs_moved_seconds(self, given.measured, gift->partner_speed);
    return sum_of_larger(self, &after) <= sum_of_larger(self, gift);
}

/* Whether a task of this work leaves the partner's load below this worker's, and pays. */
static bool may_give(const struct pairs *self, const struct pairs_gift *gift,
                     struct pairs_work work)
{
    const struct pairs_work nothing = {0};
    double own_s = work.expected / gift->own_speed;
    double partner_s = work.expected / gift->partner_speed;
    return own_s + partner_s <= gift->own_s - gift->partner_s &&
           move_pays(self, gift, work, nothing);
}

/* By how much the larger load decreases if the partner gets so much more work. */
static double gain_of(const struct pairs_gift *gift, double work)
{
    return fmin(work / gift->own_speed, gift->own_s - gift->partner_s - work / gift->partner_speed);
}

/* Gives tasks, the longest first, as long as the partner's load does not become the larger one. */
static void give_longest(struct pairs *self, struct pairs_gift *gift)
{
    for (int64_t i = self->bins->n_bins - 1; i >= 0; i--) {
        const struct duration_bin *bin = &self->bins->bins[i];
        while (bin->n_tasks > 0 && gift->own_s > self->limit_s &&
               may_give(self, gift, mean_work(self, bin)))
            move_to_gift(self, gift, i);
    }
}

static struct pairs_swap find_swap(const struct pairs *self, const struct pairs_gift *gift)
{
    struct pairs_swap best = {.offered = -1};
    for (int64_t i = 0; i < self->bins->n_bins; i++) {
        const struct duration_bin *bin = &self->bins->bins[i];
        for (int32_t j = -1; bin->n_tasks > 0 && j < self->n_offer; j++) {
            if (j >= 0 && ((gift->taken >> j) & 1))
                continue;
            struct pairs_work given = mean_work(self, bin), taken = {0};
            if (j >= 0)
                taken = work_of(self, self->offer[j].work);
            double gain_s = gain_of(gift, given.expected - taken.expected);
            if (gain_s > best.gain_s && move_pays(self, gift, given, taken))
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
    struct pairs_work taken = work_of(self, self->offer[swap->offered].work);
    gift->own_s += taken.expected / gift->own_speed;
    gift->partner_s -= taken.expected / gift->partner_speed;
    gift->own_moved_s += pairs_moved_seconds(self, taken.measured, gift->own_speed);
}

/* Gives the longest task to the partner for all that it offers, unless that makes a load the larger
 * one. */
static void give_to_try(struct pairs *self, struct pairs_gift *gift)
{
    int64_t bin = self->bins->n_bins - 1;
    while (self->bins->bins[bin].n_tasks == 0)
        bin--;
    double given = mean_work(self, &self->bins->bins[bin]).expected, taken = 0;
    for (int32_t i = 0; i < self->n_offer; i++)
        taken += balancer_expect(self->link, self->offer[i].work);
    double own_s = gift->own_s + (taken - given) / gift->own_speed;
    double partner_s = gift->partner_s + (given - taken) / gift->partner_speed;
    if (fmax(own_s, partner_s) > gift->own_s * (1 + BALANCER_LEAST_GAIN))
        return;
    move_to_gift(self, gift, bin);
    gift->taken = UINT32_MAX >> (PAIRS_MOST_OFFERED - self->n_offer);
    self->tries = false;
}

/* A task that may change sides, by the work that is expected of it; of the partner: below 0. */
struct pairs_choice {
    double given;
    int64_t bin;     /* of this worker's tasks */
    int32_t offered; /* -1: it is one of this worker's */
};

/* Lists the tasks of both workers, in so far as they are offered. There are few. */
static int list_choices(const struct pairs *self, struct pairs_choice *choices)
{
    int n = 0;
    for (int64_t i = 0; i < self->bins->n_bins; i++) {
        const struct duration_bin *bin = &self->bins->bins[i];
        for (uint32_t j = 0; j < bin->n_tasks; j++)
            choices[n++] = (struct pairs_choice){
                .given = mean_work(self, bin).expected, .bin = i, .offered = -1};
    }
    for (int32_t i = 0; i < self->n_offer; i++)
        choices[n++] = (struct pairs_choice){.given = -work_of(self, self->offer[i].work).expected,
                                             .offered = i};
    assert(n <= PAIRS_FEW_TASKS);
    return n;
}

/* By how much the larger load decreases if a subset of the choices, by its bits, changes sides; of all subsets. */
static void try_all(const struct pairs_gift *gift, const struct pairs_choice *choices, int n,
                    double *gains_s)
{
    double work[1 << PAIRS_FEW_TASKS];
    work[0] = 0;
    for (int i = 0; i < n; i++)
        for (uint32_t subset = 0; subset < UINT32_C(1) << i; subset++)
            work[(UINT32_C(1) << i) + subset] = work[subset] + choices[i].given;
    for (uint32_t subset = 0; subset < UINT32_C(1) << n; subset++)
        gains_s[subset] = gain_of(gift, work[subset]);
}

/* The smallest of the subsets whose gain is the largest one but for the least gain, or enough for the limit;
 * 0: none is worth it. */
static uint32_t choose_subset(const struct pairs *self, const struct pairs_gift *gift,
                              const struct pairs_choice *choices, int n)
{
    double gains_s[1 << PAIRS_FEW_TASKS], most_s = 0, least_s = BALANCER_LEAST_GAIN * gift->own_s;
    uint32_t best = 0, n_subsets = UINT32_C(1) << n;
    try_all(gift, choices, n, gains_s);
    for (uint32_t subset = 0; subset < n_subsets; subset++)
        most_s = fmax(most_s, gains_s[subset]);
    if (most_s < least_s)
        return 0;
    double enough_s = fmax(fmin(most_s - least_s, gift->own_s - self->limit_s), least_s);
    int fewest = PAIRS_FEW_TASKS + 1;
    for (uint32_t subset = 0; subset < n_subsets; subset++) {
        int n_moved = __builtin_popcount(subset);
        if (gains_s[subset] < enough_s || n_moved > fewest ||
            (n_moved == fewest && gains_s[subset] <= gains_s[best]))
            continue;
        best = subset;
        fewest = n_moved;
    }
    return best;
}

/* The best of all exchanges of a pair with few tasks, where moves cost nothing. */
static void exchange_best(struct pairs *self, struct pairs_gift *gift)
{
    struct pairs_choice choices[PAIRS_FEW_TASKS] = {0};
    int n = list_choices(self, choices);
    uint32_t subset = choose_subset(self, gift, choices, n);
    for (int i = 0; i < n; i++)
        if ((subset >> i) & 1) {
            if (choices[i].offered < 0)
                move_to_gift(self, gift, choices[i].bin);
            else
                gift->taken |= UINT32_C(1) << choices[i].offered;
        }
}

/* Whether all exchanges are looked at. Not as long as nothing is known of speeds: a pair that is as even as can
 * be on equal workers exchanges most of its tasks, and on others it is as uneven as before. */
static bool may_choose_best(const struct pairs *self)
{
    bool knows_speeds = self->link->speeds && self->link->speeds->has_evidence;
    return knows_speeds && self->rules->move_cost == 0 &&
           self->bins->n_tasks + self->n_offer <= PAIRS_FEW_TASKS;
}

static void even_out(struct pairs *self, struct pairs_gift *gift)
{
    if (may_choose_best(self)) {
        exchange_best(self, gift);
        return;
    }
    give_longest(self, gift);
    for (int i = 0; i < MAX_SWAPS && gift->own_s > self->limit_s; i++) {
        struct pairs_swap swap = find_swap(self, gift);
        if (swap.gain_s < BALANCER_LEAST_GAIN * gift->own_s)
            break;
        swap_tasks(self, gift, &swap);
    }
}

void pairs_answer_offer(struct pairs *self)
{
    const struct pairs_round *round = &self->rounds[self->round];
    struct pairs_gift gift = {.own_s = self->own_s,
                              .partner_s = round->partner_s,
                              .own_moved_s = self->moved_s,
                              .partner_moved_s = round->partner_moved_s,
                              .own_speed = self->link->speed,
                              .partner_speed = round->partner_speed};
    if (pairs_is_trial_round(self) && self->n_offer > 0 && self->bins->n_tasks > 0)
        give_to_try(self, &gift);
    else
        even_out(self, &gift);
    for (int32_t i = 0; i < self->n_offer; i++)
        if ((gift.taken >> i) & 1)
            pairs_add_task(self, &self->offer[i]);
    struct balancer_message head = {.kind = BALANCER_PAIR_MOVE, .n = gift.n, .taken = gift.taken};
    pairs_send_items(self, &head, gift.tasks, sizeof *gift.tasks);
}
