/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/balancing/data_spread.h"

#include "sched/pool/balancing/balancer_link.h"

#include <math.h>
#include <stdlib.h>

/* Positions in the list of tasks; -1: none. */
struct data_groups {
    int64_t n;
    int64_t *bringer; /* of a task: itself or an earlier one, which brings the data that it needs */
    int64_t *first;   /* of a bringer: the first of the tasks that follow it */
    int64_t *next;    /* of a task that follows: the next one */
};

static void groups_init(struct data_groups *groups, int64_t n)
{
    groups->n = n;
    groups->bringer = balancer_allocate(3 * n, sizeof *groups->bringer);
    groups->first = groups->bringer + n;
    groups->next = groups->first + n;
    for (int64_t i = 0; i < 3 * n; i++)
        groups->bringer[i] = -1;
}

/* Whether an access of this worker moves a block, and the copy serves its later tasks. */
static bool is_kept_move(const struct data_load *load, const struct taskpool_data_access *access)
{
    return data_costs_keeps(load->costs, access->block) &&
           data_costs_of_access(load->costs, access, load->worker, load->n_workers) > 0;
}

/* Notes the task at a position as the bringer of what nobody has brought.
 * brought  by access: position of its bringer + 1 */
static void note_brought(const struct data_load *load, int64_t task, int64_t position,
                         struct id_counts *brought)
{
    int64_t n;
    const struct taskpool_data_access *accesses = task_data_of(load->costs->data, task, &n);
    for (int64_t i = 0; i < n; i++) {
        int64_t id = data_load_id(&accesses[i]);
        if (is_kept_move(load, &accesses[i]) && id_counts_of(brought, id) == 0)
            id_counts_add(brought, id, position + 1);
    }
}

/* The first task that brings something for this one. */
static int64_t find_bringer(const struct data_load *load, int64_t task,
                            const struct id_counts *brought)
{
    int64_t n;
    const struct taskpool_data_access *accesses = task_data_of(load->costs->data, task, &n);
    for (int64_t i = 0; i < n; i++)
        if (is_kept_move(load, &accesses[i]))
            return id_counts_of(brought, data_load_id(&accesses[i])) - 1;
    return -1;
}

static void find_brought_groups(struct data_placement *placement, struct data_groups *groups)
{
    const struct placed_tasks *tasks = &placement->tasks;
    struct data_load *load = &placement->load;
    struct id_counts brought = {0};
    data_load_clear(load);
    for (int64_t i = 0; i < tasks->n; i++) {
        int64_t task = tasks->list[i].task;
        double before_s = load->seconds;
        if (tasks->list[i].is_gone)
            continue;
        data_load_join(load, task);
        groups->bringer[i] = load->seconds > before_s ? i : find_bringer(load, task, &brought);
        if (groups->bringer[i] == i) /* else only a move lost in rounding is new */
            note_brought(load, task, i, &brought);
    }
    id_counts_fini(&brought);
    for (int64_t i = tasks->n - 1; i >= 0; i--) {
        int64_t bringer = groups->bringer[i];
        if (bringer >= 0 && bringer != i) {
            groups->next[i] = groups->first[bringer];
            groups->first[bringer] = i;
        }
    }
}

/* The next bringer, or the next task that needs nothing. */
static int64_t next_of_kind(const struct placed_tasks *tasks, const struct data_groups *groups,
                            bool brings, int64_t position)
{
    while (position < tasks->n &&
           (tasks->list[position].is_gone || groups->bringer[position] != (brings ? position : -1)))
        position++;
    return position;
}

static void append_task(struct placed_tasks *spread, const struct placed_tasks *tasks,
                        int64_t position)
{
    spread->list[spread->n++] = tasks->list[position];
}

static void append_group(struct placed_tasks *spread, const struct placed_tasks *tasks,
                         const struct data_groups *groups, int64_t bringer)
{
    append_task(spread, tasks, bringer);
    for (int64_t i = groups->first[bringer]; i >= 0; i = groups->next[i])
        append_task(spread, tasks, i);
}

/* The bringers are due at equal distances in the work of the tasks that need nothing. */
static void spread_groups(const struct data_placement *placement, const struct data_groups *groups,
                          struct placed_tasks *spread)
{
    const double golden = 0.6180339887498949;
    const struct placed_tasks *tasks = &placement->tasks;
    double phase = golden * placement->comm->rank, others = 0, done = 0;
    int64_t n_bringers = 0, n_brought = 0;
    phase -= floor(phase);
    for (int64_t i = 0; i < tasks->n; i++) {
        n_bringers += groups->bringer[i] == i;
        others += groups->bringer[i] < 0 && !tasks->list[i].is_gone ? tasks->list[i].work : 0;
    }
    int64_t bringer = next_of_kind(tasks, groups, true, 0);
    int64_t other = next_of_kind(tasks, groups, false, 0);
    while (bringer < tasks->n || other < tasks->n) {
        double due = others * ((double)n_brought + phase) / (double)n_bringers;
        if (other >= tasks->n || (bringer < tasks->n && done >= due)) {
            append_group(spread, tasks, groups, bringer);
            bringer = next_of_kind(tasks, groups, true, bringer + 1);
            n_brought++;
        } else {
            append_task(spread, tasks, other);
            done += tasks->list[other].work;
            other = next_of_kind(tasks, groups, false, other + 1);
        }
    }
}

void data_spread_tasks(struct data_placement *placement)
{
    struct placed_tasks *tasks = &placement->tasks;
    struct placed_tasks spread = {.list = balancer_allocate(tasks->n, sizeof *spread.list),
                                  .capacity = tasks->n + 1};
    struct data_groups groups;
    groups_init(&groups, tasks->n);
    find_brought_groups(placement, &groups);
    spread_groups(placement, &groups, &spread);
    free(groups.bringer);
    free(tasks->list);
    *tasks = spread;
}
