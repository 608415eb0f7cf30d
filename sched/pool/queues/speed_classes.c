/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/queues/speed_classes.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static bool is_free_before(const struct receiver *a, const struct receiver *b)
{
    return a->free_s != b->free_s ? a->free_s < b->free_s : a->id < b->id;
}

static int compare_receivers(const void *a, const void *b)
{
    const struct receiver *left = a, *right = b;
    if (left->speed != right->speed)
        return left->speed > right->speed ? -1 : 1;
    return is_free_before(left, right) ? -1 : is_free_before(right, left);
}

int64_t speed_classes_init(struct receiver *receivers, int64_t n, struct speed_class *classes)
{
    int64_t n_classes = 0;
    if (n > 1)
        qsort(receivers, (size_t)n, sizeof *receivers, compare_receivers);
    /* A sorted list is a heap. */
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || receivers[i].speed != receivers[i - 1].speed)
            classes[n_classes++] = (struct speed_class){.heap = &receivers[i]};
        classes[n_classes - 1].n++;
    }
    return n_classes;
}

struct speed_class *speed_classes_find(struct speed_class *classes, int64_t n_classes, double work)
{
    struct speed_class *best = classes;
    double best_s = INFINITY;
    for (int64_t i = 0; i < n_classes; i++) {
        double end_s = classes[i].heap->free_s + work / classes[i].heap->speed;
        if (end_s < best_s) {
            best = &classes[i];
            best_s = end_s;
        }
    }
    return best;
}

void speed_class_load(struct speed_class *chosen, double free_s)
{
    struct receiver *heap = chosen->heap, moved = heap[0];
    int64_t hole = 0;
    moved.free_s = free_s;
    for (int64_t child = 1; child < chosen->n; child = 2 * hole + 1) {
        if (child + 1 < chosen->n && is_free_before(&heap[child + 1], &heap[child]))
            child++;
        if (!is_free_before(&heap[child], &moved))
            break;
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = moved;
}
