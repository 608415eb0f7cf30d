/* SPDX-License-Identifier: BSD-3-Clause */
/* Receivers of tasks by the time at which they end: which of many, of different speeds, ends a task
 * first. Receivers of one speed are a class, a heap with the least loaded one on top, so that a
 * task is compared with one receiver of each class. */
#pragma once

#include <stdint.h>

struct receiver {
    double speed;  /* > 0 */
    double free_s; /* the end of its assigned work */
    int64_t id;
};

struct speed_class {
    struct receiver *heap; /* n */
    int64_t n;
};

/* Sorts the receivers, which become the heaps of the classes.
 * classes  out, of the length n; the first ones are filled
 * Returns the number of classes. */
int64_t speed_classes_init(struct receiver *receivers, int64_t n, struct speed_class *classes);

/* The class whose first receiver ends a task of this work first. Ties go to the faster class, and
 * within a class to the lower id. */
struct speed_class *speed_classes_find(struct speed_class *classes, int64_t n_classes, double work);

/* Sets the time at which the first receiver of a class is free, not below its present one. */
void speed_class_load(struct speed_class *chosen, double free_s);
