/* SPDX-License-Identifier: BSD-3-Clause */
/* The pace of a worker in an iteration in which costs of tasks are predicted, but speeds of workers not
 * known: predicted cost per second. Workers of a node say theirs in its memory after each long task. One
 * that is much slower than the others runs its shortest tasks next, and leaves the long ones,
 * of which it could end none in time, to thieves; these get as much as its speed leaves. If that is
 * significant it waits for thieves before it begins what they are expected to end earlier. */
#pragma once

#include "sched/pool/shared/steal_window.h"

#include <stdbool.h>

struct stealing_pace {
    bool noted;          /* in this iteration */
    double load;         /* cost of all tasks that the worker began with */
    double began_s;      /* when it did */
    double cost, time_s; /* of the long tasks that ran here */
    bool is_slow;        /* this worker */
};

/* A task ended. Returns this worker's speed, relative to others of its node: 1 unless it is slow. */
double stealing_pace_note(struct stealing_pace *pace, struct steal_window *window, double cost,
                          double time_s, double now_s);

/* Whether this worker leaves a waiting task of some cost to others: it is slow by several standard
 * deviations of what others took longer or shorter than their mean pace says, as interruptions make
 * them; another, which is free when the load of this one is done at that pace, would end the task
 * earlier; and it has waited no longer than that may save. One other shows no deviation, so that nothing is
 * left in a node of two. */
bool stealing_pace_leaves(const struct stealing_pace *pace, const struct steal_window *window,
                          double cost, double now_s);
