/* SPDX-License-Identifier: BSD-3-Clause */
/* Few tasks a worker cannot be even as blocks of consecutive ones, but within groups of DEAL_GROUP workers with
 * consecutive numbers they can: of the tasks in their blocks the longest first goes to the worker with the
 * least cost (Graham, SIAM J. Appl. Math. 17 (1969) 416). If that remains even, each worker first gets one of
 * the shortest tasks, by which it learns early how fast it is. Tasks stay within the group, so that
 * neighbours are near, and a process predicts no more costs than those of its own groups. */
#include "sched/pool/core/seeding.h"
#include "sched/pool/queues/deal.h"
#include "sched/pool/queues/speed_classes.h"
#include "support/base/agree.h"
#include "taskpool/taskpool.h"

#include <math.h>
#include <stdlib.h>

/* Largest costs of a worker that differ by less are the same. */
#define EVEN_WITHIN 0.01

struct priced_task {
    double cost;
    int64_t task;
};

/* Tasks and workers of a group. */
struct deal_group {
    const struct taskpool_seeding *blocks; /* borrowed; of even cost */
    int first, n_workers;
    int64_t first_task, n_tasks;
    struct priced_task *tasks;  /* n_tasks */
    int *to;                    /* n_tasks: worker of the group, by task */
    struct receiver *receivers; /* n_workers */
    bool keeps_blocks;          /* out */
};

static int by_falling_cost(const void *a, const void *b)
{
    const struct priced_task *left = a, *right = b;
    if (left->cost != right->cost)
        return left->cost > right->cost ? -1 : 1;
    return left->task < right->task ? -1 : 1;
}

static struct taskpool_range block_of(const struct deal_group *group, int worker)
{
    return taskpool_seeding_range(group->blocks, group->first + worker, 0);
}

/* Whether blocks are as even as costs can say. Tasks are in their order.
 * largest_block  out: the largest cost of a block */
static bool has_even_blocks(const struct deal_group *group, double *largest_block)
{
    double sum = 0, longest = 0, largest = 0;
    for (int worker = 0; worker < group->n_workers; worker++) {
        struct taskpool_range block = block_of(group, worker);
        double load = 0;
        for (int64_t task = block.first; task < block.last; task++) {
            double cost = group->tasks[task - group->first_task].cost;
            load += cost;
            longest = fmax(longest, cost);
        }
        sum += load;
        largest = fmax(largest, load);
    }
    *largest_block = largest;
    return largest * group->n_workers <= (1 + EVEN_WITHIN) * sum ||
           longest * (double)group->n_tasks <= (1 + EVEN_WITHIN) * sum;
}

/* Deals out tasks by falling cost, the shortest n_first of them first, one to each of as many workers.
 * Returns the largest cost of a worker. */
static double deal_tasks(struct deal_group *group, int n_first)
{
    struct speed_class class; /* a single one: all speeds are 1 */
    int64_t n_others = group->n_tasks - n_first;
    double largest = 0;
    for (int worker = 0; worker < group->n_workers; worker++) {
        group->receivers[worker] = (struct receiver){.speed = 1, .id = worker};
        if (worker >= n_first)
            continue;
        const struct priced_task *shortest = &group->tasks[n_others + worker];
        group->receivers[worker].free_s = shortest->cost;
        group->to[shortest->task - group->first_task] = worker;
    }
    speed_classes_init(group->receivers, group->n_workers, &class);
    for (int64_t i = 0; i < n_others; i++) {
        const struct priced_task *longest = &group->tasks[i];
        double load = class.heap->free_s + longest->cost;
        group->to[longest->task - group->first_task] = (int)class.heap->id;
        largest = fmax(largest, load);
        speed_class_load(&class, load);
    }
    return largest;
}

/* Adds a task of a worker of the group, if this process has that worker's list. */
static enum status list_task(const struct deal_group *group, int worker, int64_t task,
                             struct taskpool_seeding *seeding)
{
    int owned = group->first + worker - seeding->first_owned;
    return owned >= 0 && owned < seeding->n_owned ? task_ranges_add(&seeding->owned[owned], task)
                                                  : STATUS_OK;
}

static enum status keep_blocks(struct deal_group *group, struct taskpool_seeding *seeding)
{
    group->keeps_blocks = true;
    for (int worker = 0; worker < group->n_workers; worker++) {
        struct taskpool_range block = block_of(group, worker);
        for (int64_t task = block.first; task < block.last; task++)
            TRY(list_task(group, worker, task, seeding));
    }
    return STATUS_OK;
}

/* Each worker's longest task first. */
static enum status list_dealt(const struct deal_group *group, struct taskpool_seeding *seeding)
{
    for (int64_t i = 0; i < group->n_tasks; i++) {
        int64_t task = group->tasks[i].task;
        TRY(list_task(group, group->to[task - group->first_task], task, seeding));
    }
    return STATUS_OK;
}

/* Lists a short task for each worker and then the longest first, unless that leaves tasks of middle length for
 * last and the largest cost becomes larger than that of blocks or of the longest first. */
static enum status list_group(struct deal_group *group, struct taskpool_seeding *seeding)
{
    double block;
    if (has_even_blocks(group, &block))
        return keep_blocks(group, seeding);
    qsort(group->tasks, (size_t)group->n_tasks, sizeof *group->tasks, by_falling_cost);
    double longest_first = deal_tasks(group, 0);
    double even = (1 + EVEN_WITHIN) * fmin(block, longest_first);
    if (group->n_tasks >= group->n_workers && deal_tasks(group, group->n_workers) <= even)
        return list_dealt(group, seeding);
    if (block <= even)
        return keep_blocks(group, seeding);
    deal_tasks(group, 0);
    return list_dealt(group, seeding);
}

static enum status deal_group(struct deal_group *group, const struct taskpool_problem *problem,
                              struct taskpool_seeding *seeding)
{
    size_t n = (size_t)group->n_tasks + 1;
    group->tasks = calloc(n, sizeof *group->tasks);
    group->to = calloc(n, sizeof *group->to);
    group->receivers = calloc((size_t)group->n_workers, sizeof *group->receivers);
    enum status status =
        CHECK_MEMORY(group->tasks && group->to && group->receivers,
                     "no memory to deal out %lld tasks", (long long)group->n_tasks);
    if (status != STATUS_OK)
        goto done;
    for (int64_t i = 0; i < group->n_tasks; i++) {
        int64_t task = group->first_task + i;
        group->tasks[i] = (struct priced_task){problem->cost(task, problem->context), task};
    }
    status = list_group(group, seeding);
done:
    free(group->tasks);
    free(group->to);
    free(group->receivers);
    return status;
}

/* Deals out the groups that the lists are of.
 * n_dealt  incremented for each that does not keep its blocks */
static enum status deal_groups(struct taskpool_seeding *seeding,
                               const struct taskpool_seeding *blocks,
                               const struct taskpool_problem *problem, int *n_dealt)
{
    int end = seeding->first_owned + seeding->n_owned;
    for (int first = seeding->first_owned / DEAL_GROUP * DEAL_GROUP; first < end;
         first += DEAL_GROUP) {
        int left = seeding->n_workers - first;
        struct deal_group group = {
            .blocks = blocks, .first = first, .n_workers = left < DEAL_GROUP ? left : DEAL_GROUP};
        group.first_task = block_of(&group, 0).first;
        group.n_tasks = block_of(&group, group.n_workers - 1).last - group.first_task;
        TRY(deal_group(&group, problem, seeding));
        *n_dealt += !group.keeps_blocks;
    }
    return STATUS_OK;
}

/* Whether no group of any process is dealt out. Processes of one group know that without a message. */
static bool keeps_all_blocks(const struct taskpool_seeding *seeding, MPI_Comm comm, int n_dealt)
{
    if (seeding->n_workers > DEAL_GROUP)
        MPI_Allreduce(MPI_IN_PLACE, &n_dealt, 1, MPI_INT, MPI_MAX, comm);
    return n_dealt == 0;
}

enum status seeding_deal_init(struct taskpool_seeding *seeding, MPI_Comm comm,
                              const struct taskpool_problem *problem)
{
    int rank, size, n_dealt = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    struct taskpool_seeding blocks = *seeding;
    blocks.rule = TASKPOOL_SEEDING_COST;
    enum status status = seeding_cost_init(&blocks, comm, problem);
    if (status != STATUS_OK)
        goto done;
    int n_owned = size > 1 ? 1 : seeding->n_workers;
    seeding->first_owned = size > 1 ? rank : 0;
    seeding->owned = calloc((size_t)n_owned, sizeof *seeding->owned);
    seeding->n_owned = seeding->owned ? n_owned : 0;
    status =
        CHECK_MEMORY(seeding->owned, "no memory for the seeding of %d workers", seeding->n_workers);
    if (status == STATUS_OK)
        status = deal_groups(seeding, &blocks, problem, &n_dealt);
    status = status_agree(comm, status);
    if (status == STATUS_OK && keeps_all_blocks(seeding, comm, n_dealt)) {
        struct taskpool_seeding lists = *seeding;
        *seeding = blocks;
        blocks = lists;
    }
done:
    seeding_fini(&blocks);
    return status;
}
