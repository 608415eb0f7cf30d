/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/queues/tasklet_queue.h"

#include <stdlib.h>

/* The larger first; of equal ones each member's first, then each one's second. */
static int compare_tasklets(const void *left, const void *right)
{
    const struct tasklet *a = left, *b = right;
    if (a->n_tasks != b->n_tasks)
        return a->n_tasks < b->n_tasks ? 1 : -1;
    if (a->index != b->index)
        return a->index > b->index ? 1 : -1;
    return (a->owner > b->owner) - (a->owner < b->owner);
}

static void list_tasklets(struct tasklet_queue *queue, const struct tasklets *parts)
{
    struct tasklet *tasklet = queue->tasklets;
    for (int m = 0; m < queue->n_members; m++)
        for (int64_t i = 0; i < parts[m].n; i++)
            *tasklet++ = (struct tasklet){
                .index = i, .n_tasks = tasklets_size(&parts[m], i), .owner = m, .last = m};
    if (queue->skew)
        qsort(queue->tasklets, (size_t)queue->n, sizeof *queue->tasklets, compare_tasklets);
}

static bool allocate_shelf(struct tasklet_shelf *shelf, int64_t n_tasklets, int n_members)
{
    shelf->items = malloc((size_t)(n_tasklets + 1) * sizeof *shelf->items);
    shelf->front = malloc((size_t)n_members * sizeof *shelf->front);
    shelf->back = malloc((size_t)n_members * sizeof *shelf->back);
    return shelf->items && shelf->front && shelf->back;
}

static void free_shelf(struct tasklet_shelf *shelf)
{
    free(shelf->items);
    free(shelf->front);
    free(shelf->back);
}

enum status tasklet_queue_init(struct tasklet_queue *queue, const struct tasklets *parts,
                               int n_members, bool skew, bool locality)
{
    *queue = (struct tasklet_queue){.n_members = n_members, .skew = skew, .locality = locality};
    for (int m = 0; m < n_members; m++) {
        queue->n += parts[m].n;
        queue->n_tasks += parts[m].n_tasks;
    }
    queue->tasklets = malloc((size_t)(queue->n + 1) * sizeof *queue->tasklets);
    queue->n_left = malloc((size_t)n_members * sizeof *queue->n_left);
    queue->holders = malloc((size_t)n_members * sizeof *queue->holders);
    bool has_shelves = allocate_shelf(&queue->by_owner, queue->n, n_members);
    has_shelves &= allocate_shelf(&queue->by_last, queue->n, n_members);
    if (!queue->tasklets || !queue->n_left || !queue->holders || !has_shelves) {
        int64_t n = queue->n;
        tasklet_queue_fini(queue);
        return FAIL(STATUS_NO_MEMORY, "no memory for %lld tasklets", (long long)n);
    }
    list_tasklets(queue, parts);
    tasklet_queue_begin(queue);
    return STATUS_OK;
}

void tasklet_queue_fini(struct tasklet_queue *queue)
{
    free(queue->tasklets);
    free(queue->n_left);
    free(queue->holders);
    free_shelf(&queue->by_owner);
    free_shelf(&queue->by_last);
    *queue = (struct tasklet_queue){0};
}

/* --- shelves --- */

/* The member under which a shelf holds a tasklet. Without locality by_last has only the
 * row of member 0. */
static int shelved_under(const struct tasklet_queue *queue, const struct tasklet_shelf *shelf,
                         const struct tasklet *tasklet)
{
    if (shelf == &queue->by_owner)
        return tasklet->owner;
    return queue->locality ? tasklet->last : 0;
}

static void fill(const struct tasklet_queue *queue, struct tasklet_shelf *shelf)
{
    for (int m = 0; m < queue->n_members; m++)
        shelf->back[m] = 0;
    for (int64_t t = 0; t < queue->n; t++)
        shelf->back[shelved_under(queue, shelf, &queue->tasklets[t])]++;
    int64_t n = 0;
    for (int m = 0; m < queue->n_members; m++) {
        shelf->front[m] = n;
        n += shelf->back[m];
        shelf->back[m] = shelf->front[m];
    }
    for (int64_t t = 0; t < queue->n; t++)
        shelf->items[shelf->back[shelved_under(queue, shelf, &queue->tasklets[t])]++] = t;
}

static struct tasklet *first_of(struct tasklet_queue *queue, struct tasklet_shelf *shelf, int m)
{
    for (; shelf->front[m] < shelf->back[m]; shelf->front[m]++) {
        struct tasklet *tasklet = &queue->tasklets[shelf->items[shelf->front[m]]];
        if (!tasklet->taken)
            return tasklet;
    }
    return NULL;
}

static struct tasklet *last_of(struct tasklet_queue *queue, struct tasklet_shelf *shelf, int m)
{
    for (; shelf->front[m] < shelf->back[m]; shelf->back[m]--) {
        struct tasklet *tasklet = &queue->tasklets[shelf->items[shelf->back[m] - 1]];
        if (!tasklet->taken)
            return tasklet;
    }
    return NULL;
}

/* --- the member with the most tasklets left --- */

static void sift_down(struct tasklet_queue *queue, int64_t i)
{
    struct tasklet_holder *holders = queue->holders, moving = holders[i];
    for (;;) {
        int64_t child = 2 * i + 1;
        if (child + 1 < queue->n_members && holders[child + 1].n_left > holders[child].n_left)
            child++;
        if (child >= queue->n_members || holders[child].n_left <= moving.n_left)
            break;
        holders[i] = holders[child];
        i = child;
    }
    holders[i] = moving;
}

static void build_heap(struct tasklet_queue *queue)
{
    for (int m = 0; m < queue->n_members; m++) {
        queue->n_left[m] = queue->by_last.back[m] - queue->by_last.front[m];
        queue->holders[m] = (struct tasklet_holder){.n_left = queue->n_left[m], .member = m};
    }
    for (int64_t i = queue->n_members / 2; i >= 0; i--)
        sift_down(queue, i);
}

/* Numbers only decrease, so the heap holds upper bounds: correct the first one until it is
 * exact. */
static int richest(struct tasklet_queue *queue)
{
    struct tasklet_holder *first = &queue->holders[0];
    while (first->n_left != queue->n_left[first->member]) {
        first->n_left = queue->n_left[first->member];
        sift_down(queue, 0);
    }
    return first->member;
}

/* --- the queue --- */

void tasklet_queue_begin(struct tasklet_queue *queue)
{
    for (int64_t t = 0; t < queue->n; t++)
        queue->tasklets[t].taken = false;
    queue->n_tasks_taken = 0;
    fill(queue, &queue->by_owner);
    fill(queue, &queue->by_last);
    build_heap(queue);
}

static struct tasklet *choose(struct tasklet_queue *queue, int member)
{
    struct tasklet *tasklet = NULL;
    if (queue->locality) {
        tasklet = first_of(queue, &queue->by_last, member);
        if (!tasklet)
            tasklet = first_of(queue, &queue->by_owner, member);
    }
    if (tasklet)
        return tasklet;
    if (queue->skew || !queue->locality)
        return first_of(queue, &queue->by_last, richest(queue));
    return last_of(queue, &queue->by_last, richest(queue));
}

const struct tasklet *tasklet_queue_take(struct tasklet_queue *queue, int member, int *last)
{
    struct tasklet *tasklet = choose(queue, member);
    if (!tasklet)
        return NULL;
    *last = tasklet->last;
    queue->n_left[shelved_under(queue, &queue->by_last, tasklet)]--;
    queue->n_tasks_taken += tasklet->n_tasks;
    tasklet->taken = true;
    tasklet->last = member;
    return tasklet;
}
