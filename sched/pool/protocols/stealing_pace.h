/* SPDX-License-Identifier: BSD-3-Clause */
/* The pace of a worker in an iteration in which costs of tasks are predicted, but speeds of workers not
 * known: predicted cost per second. Workers of a node say theirs in its memory after each long task. One
 * that is much slower than the mean of others runs its shortest tasks next, and leaves the long ones,
 * of which it could end none in time, to thieves; these get as much as its speed leaves. */
#pragma once

#include "sched/pool/shared/steal_window.h"

#include <stdbool.h>

struct stealing_pace {
    bool noted;          /* in this iteration */
    double cost, time_s; /* of the long tasks that ran here */
    bool is_slow;        /* this worker */
};

/* A task ended. Returns this worker's speed, relative to others of its node: 1 unless it is slow. */
double stealing_pace_note(struct stealing_pace *pace, struct steal_window *window, double cost,
                          double time_s);
