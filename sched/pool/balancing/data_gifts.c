/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/balancing/data_gifts.h"

#include <stdlib.h>

/* A task that might be given. */
struct candidate {
    int64_t position;
    double work;
    double data_s; /* time for its data at the partner, less that here */
    int64_t group; /* dearest access that the partner has to make for it and that other tasks could
                    * share; -1: there is none */
    double group_s;
    double rank; /* time for data for each second of work, the less the better */
};

/* The dearest kept access that the partner would make for this task. */
static void find_group(const struct data_partners *partners, int64_t task,
                       struct candidate *candidate)
{
    const struct data_load *there = &partners->of_partner;
    int64_t n;
    const struct taskpool_data_access *accesses = task_data_of(there->costs->data, task, &n);
    candidate->group = -1;
    for (int64_t i = 0; i < n; i++) {
        int64_t id = data_load_id(&accesses[i]);
        double seconds =
            data_costs_of_access(there->costs, &accesses[i], there->worker, there->n_workers);
        if (seconds > candidate->group_s && data_costs_keeps(there->costs, accesses[i].block) &&
            id_counts_of(&there->kept, id) == 0) {
            candidate->group = id;
            candidate->group_s = seconds;
        }
    }
}

static int by_group(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

static int by_rank(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->work != b->work)
        return a->work > b->work ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

static double ratio_to_work(double data_s, double work)
{
    const double least_work = 1e-12;
    return (data_s > 0 ? data_s : 0) / (work > least_work ? work : least_work);
}

/* Tasks of one group share its access. */
static void rank_groups(struct candidate *list, int64_t n)
{
    for (int64_t first = 0, end; first < n; first = end) {
        double work = 0, data_s = list[first].group_s;
        for (end = first; end < n && list[end].group == list[first].group; end++) {
            work += list[end].work;
            data_s += list[end].data_s - list[end].group_s;
        }
        for (int64_t i = first; i < end; i++)
            list[i].rank = list[first].group >= 0 ? ratio_to_work(data_s, work)
                                                  : ratio_to_work(list[i].data_s, list[i].work);
    }
}

/* All tasks of this worker, in the order in which they are to be given. */
static int64_t list_candidates(const struct balancer_link *link,
                               const struct data_partners *partners, struct candidate *list)
{
    const struct data_placement *placement = link->placement;
    int64_t n = 0;
    for (int64_t i = 0; i < placement->tasks.n; i++) {
        const struct placed_task *task = &placement->tasks.list[i];
        if (task->is_gone)
            continue;
        struct candidate *candidate = &list[n++];
        *candidate =
            (struct candidate){.position = i,
                               .work = balancer_expect(link, task->work),
                               .data_s = data_load_of_joining(&partners->of_partner, task->task) -
                                         data_load_of_leaving(&placement->load, task->task)};
        find_group(partners, task->task, candidate);
    }
    if (n > 1)
        qsort(list, (size_t)n, sizeof *list, by_group);
    rank_groups(list, n);
    if (n > 1)
        qsort(list, (size_t)n, sizeof *list, by_rank);
    return n;
}

static void move_candidate(const struct balancer_link *link, struct data_partners *partners,
                           const struct candidate *candidate)
{
    struct data_placement *placement = link->placement;
    int64_t task = placement->tasks.list[candidate->position].task;
    partners->own_s -= candidate->work / link->speed +
                       placement->ratio * data_load_of_leaving(&placement->load, task);
    partners->partner_s += candidate->work / partners->partner_speed +
                           placement->ratio * data_load_of_joining(&partners->of_partner, task);
    data_load_join(&partners->of_partner, task);
    data_placement_give(placement, candidate->position);
}

/* Gives a task unless the partner's load became the larger one. */
static bool give_candidate(const struct balancer_link *link, struct data_partners *partners,
                           const struct candidate *candidate)
{
    const struct data_placement *placement = link->placement;
    int64_t task = placement->tasks.list[candidate->position].task;
    double less_s = candidate->work / link->speed +
                    placement->ratio * data_load_of_leaving(&placement->load, task);
    double more_s = candidate->work / partners->partner_speed +
                    placement->ratio * data_load_of_joining(&partners->of_partner, task);
    if (partners->partner_s + more_s > partners->own_s - less_s)
        return false;
    move_candidate(link, partners, candidate);
    return true;
}

/* --- exchanges --- */

/* A task for one of the offer, or for none (-1). */
struct exchange {
    const struct candidate *candidate;
    int64_t offered;
    double gain_s; /* by which the larger load decreases; 0: none was found */
};

static int by_work(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->work != b->work)
        return a->work < b->work ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

static int64_t first_of_work(const struct candidate *list, int64_t n, double work)
{
    int64_t first = 0;
    for (int64_t half; n > 0; n -= half) {
        half = (n + 1) / 2;
        first += list[first + half - 1].work < work ? half : 0;
    }
    return first;
}

/* The larger load of two partners after a task has gone and one of the offer has come. */
static double load_after(const struct balancer_link *link, const struct data_partners *partners,
                         const struct candidate *candidate, int64_t offered)
{
    const struct data_placement *placement = link->placement;
    int64_t task = placement->tasks.list[candidate->position].task;
    double ratio = placement->ratio;
    double own_s = partners->own_s - candidate->work / link->speed -
                   ratio * data_load_of_leaving(&placement->load, task);
    double partner_s = partners->partner_s + candidate->work / partners->partner_speed +
                       ratio * data_load_of_joining(&partners->of_partner, task);
    if (offered >= 0) {
        const struct data_offer *other = &partners->offer[offered];
        double work = balancer_expect(link, other->work);
        own_s += work / link->speed + ratio * data_load_of_joining(&placement->load, other->id);
        partner_s -= work / partners->partner_speed +
                     ratio * data_load_of_leaving(&partners->of_partner, other->id);
    }
    return own_s > partner_s ? own_s : partner_s;
}

/* The best of the tasks that are longer than one of the offer by about half the difference of the
 * loads, which makes these equal. */
static void try_exchanges(const struct balancer_link *link, const struct data_partners *partners,
                          const struct candidate *list, int64_t n, int64_t offered,
                          struct exchange *best)
{
    enum { EACH_SIDE = 4 };
    double speeds = link->speed + partners->partner_speed;
    double longer =
        (partners->own_s - partners->partner_s) * link->speed * partners->partner_speed / speeds;
    double work = offered < 0 ? 0 : balancer_expect(link, partners->offer[offered].work);
    int64_t middle = first_of_work(list, n, work + longer);
    int64_t first = middle > EACH_SIDE ? middle - EACH_SIDE : 0;
    for (int64_t i = first; i < n && i < middle + EACH_SIDE; i++) {
        if (link->placement->tasks.list[list[i].position].is_gone)
            continue;
        double gain_s = partners->own_s - load_after(link, partners, &list[i], offered);
        if (gain_s > best->gain_s)
            *best = (struct exchange){.candidate = &list[i], .offered = offered, .gain_s = gain_s};
    }
}

static struct exchange find_exchange(const struct balancer_link *link,
                                     const struct data_partners *partners,
                                     const struct candidate *list, int64_t n)
{
    struct exchange best = {.offered = -1};
    try_exchanges(link, partners, list, n, -1, &best);
    for (int64_t j = 0; j < partners->n_offer && partners->offer[j].position >= 0; j++)
        if (!((partners->taken >> j) & 1))
            try_exchanges(link, partners, list, n, j, &best);
    return best;
}

static void take_offered(const struct balancer_link *link, struct data_partners *partners,
                         int64_t offered)
{
    const struct data_offer *offer = &partners->offer[offered];
    struct data_placement *placement = link->placement;
    double work = balancer_expect(link, offer->work);
    partners->taken |= UINT32_C(1) << offered;
    partners->own_s +=
        work / link->speed + placement->ratio * data_load_of_joining(&placement->load, offer->id);
    partners->partner_s -=
        work / partners->partner_speed +
        placement->ratio * data_load_of_leaving(&partners->of_partner, offer->id);
    data_load_leave(&partners->of_partner, offer->id);
    data_placement_take(placement, offer->id, offer->work);
}

static int64_t exchange_tasks(const struct balancer_link *link, double limit_s,
                              struct data_partners *partners, struct candidate *list, int64_t n,
                              int64_t *positions)
{
    enum { MAX_EXCHANGES = 8 };
    int64_t n_given = 0;
    if (n > 1)
        qsort(list, (size_t)n, sizeof *list, by_work);
    while (n_given < MAX_EXCHANGES && partners->own_s > limit_s) {
        struct exchange best = find_exchange(link, partners, list, n);
        if (best.gain_s <= BALANCER_LEAST_GAIN * partners->own_s)
            break;
        move_candidate(link, partners, best.candidate);
        positions[n_given++] = best.candidate->position;
        if (best.offered >= 0)
            take_offered(link, partners, best.offered);
    }
    return n_given;
}

/* Kept accesses of the partner: no task that it gives saves them by leaving. */
static void note_offered(struct data_partners *partners)
{
    for (int64_t i = 0; i < partners->n_offer; i++)
        if (partners->offer[i].position < 0)
            data_load_note(&partners->of_partner, partners->offer[i].id);
}

int64_t data_gifts_choose(const struct balancer_link *link, double limit_s,
                          struct data_partners *partners, int64_t **positions)
{
    int64_t n_most = link->placement->tasks.n, n_given = 0;
    struct candidate *list = balancer_allocate(n_most, sizeof *list);
    *positions = balancer_allocate(n_most, sizeof **positions);
    note_offered(partners);
    int64_t n = list_candidates(link, partners, list);
    for (int64_t i = 0; i < n && partners->own_s > limit_s; i++)
        if (give_candidate(link, partners, &list[i]))
            (*positions)[n_given++] = list[i].position;
    n_given += exchange_tasks(link, limit_s, partners, list, n, *positions + n_given);
    free(list);
    return n_given;
}

/* --- the offer --- */

static int by_placed_work(const void *left, const void *right)
{
    const struct data_offer *a = left, *b = right;
    if (a->work != b->work)
        return a->work < b->work ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

int64_t data_gifts_offer(const struct data_placement *placement, struct data_offer **offer)
{
    int64_t n_most = placement->n_tasks + placement->load.kept.n_ids, n = 0, n_tasks = 0;
    struct data_offer *list = balancer_allocate(n_most, sizeof *list);
    for (int64_t i = 0; i < placement->tasks.n; i++) {
        const struct placed_task *task = &placement->tasks.list[i];
        if (!task->is_gone)
            list[n_tasks++] =
                (struct data_offer){.id = task->task, .position = i, .work = task->work};
    }
    if (n_tasks > 1)
        qsort(list, (size_t)n_tasks, sizeof *list, by_placed_work);
    /* Every so many of the tasks sorted by work, so that all durations are offered. */
    int64_t every = (n_tasks + DATA_GIFTS_MOST_OFFERED - 1) / DATA_GIFTS_MOST_OFFERED;
    for (int64_t i = 0; i < n_tasks; i += every)
        list[n++] = list[i];
    for (int64_t i = 0; i < placement->load.kept.capacity; i++)
        if (placement->load.kept.slots[i].n > 0)
            list[n++] = (struct data_offer){.id = placement->load.kept.slots[i].id, .position = -1};
    *offer = list;
    return n;
}
