/* SPDX-License-Identifier: BSD-3-Clause */
/* The workers that a worker exchanged tasks with, and what these tasks say of its speed
 * (balancing/learned_speeds.h). */
#pragma once

#include "sched/pool/core/speed_sums.h"

#include <stdbool.h>
#include <stdint.h>

/* Moved tasks that evidence is of at least: one may have been interrupted. More than one, but a second
 * may be a little shorter than the average. */
#define SPEED_LEAST_TASKS 1.8

struct speed_partner {
    int32_t worker;
    bool got, gave;         /* tasks from it, to it */
    double change;          /* by which the logarithm of this worker's speed should be larger */
    double n;               /* tasks of which that is the mean */
    double weight, squares; /* sums over tasks from it of their work, the weights, and of squares */
    double sum;             /* of logarithms, with weights */
    double step_sum;        /* by which the logarithm of its speed changed in this phase */
    double gain[2];         /* of the partner in this round and the next, by parity */
    double step[2];         /* the change of its speed in the round before */
    bool has_gain[2];
    struct repeat_sums repeats;       /* of tasks from it, as speeds were before the phase */
    struct deviation_sums deviations; /* of these tasks */
};

/* Zero-initialised is empty. */
struct speed_partners {
    struct speed_partner *list; /* n */
    int64_t n, capacity;
};

void speed_partners_fini(struct speed_partners *partners);

/* NULL: no partner. */
struct speed_partner *speed_partners_find(const struct speed_partners *partners, int worker);

/* Finds a partner, or adds it; ends the program when there is no memory: a protocol cannot
 * continue. */
struct speed_partner *speed_partners_add(struct speed_partners *partners, int worker);

/* Adds a task from the partner. change: by which the logarithm of this worker's speed should be larger */
void speed_partner_add_task(struct speed_partner *partner, double work, double change);

/* Averages a mean of n > 0 tasks with those before. */
void speed_partner_add_evidence(struct speed_partner *partner, double change, double n);

/* The number of tasks of mean work that tell as much as those from a partner: noise is a fraction of a
 * duration, or interruptions that are the more the longer it is, so that short tasks tell little. */
double speed_partner_n_equivalent(const struct speed_partner *partner, double mean_work);

/* The partners that got tasks. */
int64_t speed_partners_count_receivers(const struct speed_partners *partners);

/* The partners with evidence. */
int64_t speed_partners_count(const struct speed_partners *partners);

/* By how much the evidence of all partners is explained better with the best change of this worker's
 * speed: n change^2; 0 where that is not worth a change.
 * n, change  out: tasks of all partners, and their mean */
double speed_partners_gain(const struct speed_partners *partners, double *n, double *change);

/* The sum of n change^2 of each partner. */
double speed_partners_squares(const struct speed_partners *partners);

/* Whether the gains of all partners in a round are here. */
bool speed_partners_have_gains(const struct speed_partners *partners, int32_t round);

/* Whether a worker with this gain has a larger one than its partners have in a round; of two that are
 * alike the one whose speed is to decrease. */
bool speed_partners_exceeds(const struct speed_partners *partners, int32_t round, double gain,
                            double change);
