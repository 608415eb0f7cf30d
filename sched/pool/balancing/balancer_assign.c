/* SPDX-License-Identifier: BSD-3-Clause */
/* The greedy assignment of a node's donated tasks to its children: the longest task first, to the child
 * that ends it first. */
#include "sched/pool/balancing/balancer_node.h"

#include "sched/pool/queues/speed_classes.h"

#include <stdlib.h>
#include <string.h>

/* Longest first. */
static int compare_donated(const void *left, const void *right)
{
    const struct balancer_task *a = left, *b = right;
    if (a->work != b->work)
        return a->work > b->work ? -1 : 1;
    if (a->donor != b->donor)
        return a->donor < b->donor ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* The children as receivers of tasks: a worker of each. */
static void list_receivers(const struct balancer_node *self, struct receiver *receivers)
{
    for (int32_t i = 0; i < self->n_children; i++) {
        const struct balancer_child *child = &self->children[i];
        receivers[i] = (struct receiver){
            .speed = child->speed / child->size, .free_s = balancer_child_average(child), .id = i};
    }
}

static bool has_room_for(const struct balancer_node *self, const struct receiver *worker,
                         double work, double limit_s)
{
    if (self->rules->fills_over)
        return worker->free_s < limit_s;
    return worker->free_s <= 0 || worker->free_s + work / worker->speed <= limit_s;
}

/* Gives a task to the child that ends it first; false if that has no room. */
static bool assign_task(struct balancer_node *self, struct speed_class *classes, int64_t n_classes,
                        const struct balancer_task *task, double limit_s, int32_t *chosen)
{
    double work = balancer_expect(self->link, task->work);
    struct speed_class *first = speed_classes_find(classes, n_classes, work);
    if (!has_room_for(self, first->heap, work, limit_s))
        return false;
    *chosen = (int32_t)first->heap->id;
    struct balancer_child *child = &self->children[*chosen];
    if (child->n_free > 1)
        child->n_free--;
    else
        child->work += work;
    speed_class_load(first, balancer_child_average(child));
    return true;
}

void balancer_node_assign(struct balancer_node *self, struct balancer_pool *pool, double limit_s)
{
    struct receiver *receivers = balancer_allocate(self->n_children, sizeof *receivers);
    struct speed_class *classes = balancer_allocate(self->n_children, sizeof *classes);
    struct balancer_task *left = balancer_allocate(pool->n, sizeof *left);
    int64_t n_left = 0;
    list_receivers(self, receivers);
    int64_t n_classes = speed_classes_init(receivers, self->n_children, classes);
    if (pool->n > 1)
        qsort(pool->tasks, (size_t)pool->n, sizeof *pool->tasks, compare_donated);
    pool->child = balancer_allocate(pool->n, sizeof *pool->child);
    pool->n_assigned = 0;
    for (int64_t i = 0; i < pool->n; i++) {
        struct balancer_task task = pool->tasks[i];
        int64_t n = pool->n_assigned;
        if (!assign_task(self, classes, n_classes, &task, limit_s, &pool->child[n]))
            left[n_left++] = task;
        else
            pool->tasks[pool->n_assigned++] = task;
    }
    if (n_left > 0)
        memcpy(pool->tasks + pool->n_assigned, left, (size_t)n_left * sizeof *left);
    free(left);
    free(classes);
    free(receivers);
}
