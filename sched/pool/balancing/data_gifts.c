/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/balancing/data_gifts.h"

#include <stdlib.h>

/* A task that might be given. */
struct candidate {
    int64_t position;
    double work;
    double data_s; /* time for its data at the partner, less that here */
    int64_t
        group; /* the dearest of the accesses that the partner has to make for it; -1: there is none
                    * that other tasks could share */
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

/* Gives a task unless the partner's load became the larger one. */
static bool give_candidate(const struct balancer_link *link, struct data_partners *partners,
                           const struct candidate *candidate)
{
    struct data_placement *placement = link->placement;
    int64_t task = placement->tasks.list[candidate->position].task;
    double less_s = candidate->work / link->speed +
                    placement->ratio * data_load_of_leaving(&placement->load, task);
    double more_s = candidate->work / partners->partner_speed +
                    placement->ratio * data_load_of_joining(&partners->of_partner, task);
    if (partners->partner_s + more_s > partners->own_s - less_s)
        return false;
    partners->partner_s += more_s;
    partners->own_s -= less_s;
    data_load_join(&partners->of_partner, task);
    data_placement_give(placement, candidate->position);
    return true;
}

int64_t data_gifts_choose(const struct balancer_link *link, double limit_s,
                          struct data_partners *partners, int64_t **positions)
{
    int64_t n_most = link->placement->tasks.n, n_given = 0;
    struct candidate *list = balancer_allocate(n_most, sizeof *list);
    *positions = balancer_allocate(n_most, sizeof **positions);
    int64_t n = list_candidates(link, partners, list);
    for (int64_t i = 0; i < n && partners->own_s > limit_s; i++)
        if (give_candidate(link, partners, &list[i]))
            (*positions)[n_given++] = list[i].position;
    free(list);
    return n_given;
}
