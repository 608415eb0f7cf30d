/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/queues/tasklet_queue.h"

#include "support/base/array.h"

#include <assert.h>
#include <stdlib.h>

/* --- tasklets --- */

enum status tasklets_init(struct tasklets *tasklets, const struct taskpool_range *ranges,
                          int64_t n_ranges, int64_t n_wanted, bool skew)
{
    *tasklets = (struct tasklets){.n_ranges = n_ranges, .skew = skew};
    size_t n = (size_t)n_ranges;
    tasklets->ranges = malloc((n + 1) * sizeof *tasklets->ranges);
    tasklets->before = malloc((n + 1) * sizeof *tasklets->before);
    if (!tasklets->ranges || !tasklets->before) {
        tasklets_fini(tasklets);
        return FAIL(STATUS_NO_MEMORY, "no memory for %zu ranges of tasks", n);
    }
    for (int64_t i = 0; i < n_ranges; i++) {
        tasklets->ranges[i] = ranges[i];
        tasklets->before[i] = tasklets->n_tasks;
        tasklets->n_tasks += taskpool_range_count(&ranges[i]);
    }
    tasklets->before[n_ranges] = tasklets->n_tasks;
    tasklets->n = n_wanted < tasklets->n_tasks ? n_wanted : tasklets->n_tasks;
    return STATUS_OK;
}

void tasklets_fini(struct tasklets *tasklets)
{
    free(tasklets->ranges);
    free(tasklets->before);
    *tasklets = (struct tasklets){0};
}

/* Position of the first task of tasklet i in the list. */
static int64_t border(const struct tasklets *tasklets, int64_t i)
{
    if (i == 0 || i == tasklets->n)
        return i == 0 ? 0 : tasklets->n_tasks;
    if (!tasklets->skew)
        return taskpool_range_block(tasklets->n_tasks, tasklets->n, i).first;
    double n = (double)tasklets->n, left = n - (double)i;
    int64_t more = tasklets->n_tasks - tasklets->n; /* than one task each */
    int64_t more_left = (int64_t)((double)more * (left * (left - 1) / (n * (n - 1))));
    return i + more - more_left;
}

int64_t tasklets_size(const struct tasklets *tasklets, int64_t i)
{
    assert(i >= 0 && i < tasklets->n);
    return border(tasklets, i + 1) - border(tasklets, i);
}

/* Index of the range that holds the task at a position. */
static int64_t tasklet_range_at(const struct tasklets *tasklets, int64_t position)
{
    return array_find_last(tasklets->before, tasklets->n_ranges, position);
}

enum status tasklets_add_to(const struct tasklets *tasklets, int64_t i, struct task_ranges *list)
{
    int64_t position = border(tasklets, i), end = border(tasklets, i + 1);
    for (int64_t r = tasklet_range_at(tasklets, position); position < end; r++) {
        struct taskpool_range range = tasklets->ranges[r];
        int64_t last = end < tasklets->before[r + 1] ? end : tasklets->before[r + 1];
        task_range_cut_front(&range, position - tasklets->before[r]);
        TRY(task_ranges_add_range(list, task_range_cut_front(&range, last - position)));
        position = last;
    }
    return STATUS_OK;
}

/* --- the tasklets of all members --- */

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
