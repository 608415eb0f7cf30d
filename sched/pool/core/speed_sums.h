/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over tasks and workers from which speeds of workers are learned, and how well the durations of
 * one iteration predict those of the next (balancing/learned_speeds.h). */
#pragma once

#include <stdbool.h>

/* Logarithms of speeds: what is not worth a change. */
#define SPEED_LEAST_CHANGE 0.02

/* Sums over tasks that ran twice, x and y what they took: work. */
struct repeat_sums {
    double n, x, y, xx, xy;
};

void repeat_sums_add(struct repeat_sums *sums, double x, double y);

/* Adds sums, as if all x and y were larger by these factors. */
void repeat_sums_merge(struct repeat_sums *sums, const struct repeat_sums *others, double x_factor,
                       double y_factor);

/* Sums over tasks that ran twice and whose costs are predicted, with their work as weights: x and y are the
 * logarithms of the ratio of what they took to that cost. */
struct deviation_sums {
    double weight, squares; /* of weights */
    double x, y, xx, xy, yy;
};

void deviation_sums_add(struct deviation_sums *sums, double weight, double x, double y);

/* Adds sums, as if all x and y were larger by these terms. */
void deviation_sums_merge(struct deviation_sums *sums, const struct deviation_sums *others,
                          double x_term, double y_term);

/* The fractions of deviations that are to be expected again (balancing/expected_work.h), in (0, 1]; the rest is
 * noise. 1: durations alone count. */
struct deviation_powers {
    double stays, moves; /* of a task */
    double workers;      /* of the mean of tasks that stay on a worker */
    double log_unit;     /* logarithm of the work of a task of cost 1 */
};

extern const struct deviation_powers deviation_powers_none;

/* Sums over workers. */
struct speed_sums {
    double noise, noise_weight;  /* squares of logarithms of ratios of a task's durations */
    double scatter, cost_weight; /* squares of deviations of costs to durations from the worker's
                                  * mean */
    double ratios, n_ratios;     /* those means, and workers that have one */
    double typical, n_typical;   /* the same of those that count as neither slow nor fast */
    double gain;                 /* the largest: learned_speeds.h */
    double excess, n_evidence; /* n change^2 / noise, less 1, of workers with evidence, and tasks */
    double n_workers;          /* that have some */
    struct repeat_sums stayed, moved;
    struct deviation_sums stayed_deviations, moved_deviations;
    struct deviation_sums workers; /* means of the stayed ones of each */
};

void speed_sums_merge(struct speed_sums *sums, const struct speed_sums *others);

/* The variance of the logarithms of the workers' speeds, in units of that of the noise, if
 * evidence shows that many differ, though not by how much each does; else 0. */
double speed_sums_variance(const struct speed_sums *all);

/* How durations predict those of the next iteration. */
struct prediction {
    double mean;         /* of tasks that ran twice */
    double stays, moves; /* slopes, in [0, 1], where a task stays and where it moves */
    double noise;        /* variance of logarithms of the ratio of two durations; 0: not known */
    struct repeat_sums moved; /* of all phases before, the older the less */
    struct deviation_powers powers;
    struct deviation_sums stayed_before, moved_before,
        workers_before; /* as moved, less their means */
};

/* Mean and slopes, by the sums of this phase, and by what earlier ones have shown of tasks that
 * move. */
void prediction_update(struct prediction *prediction, const struct speed_sums *all);

/* Ends a phase, whose final sums are these. */
void prediction_remember(struct prediction *prediction, const struct speed_sums *all);

/* A worker's speed by predicted costs. Zero-initialised but for least_error and doubt: INFINITY. */
struct cost_evidence {
    /* Sums over tasks of this phase: weights, and with these the logarithms of costs to
     * durations, and their squares. */
    double n, weight, ratio, square;

    double change, precision; /* the mean of all phases, with their precisions, 1 / variance, as
                               * weights, and the sum of these */
    double noise_precision;   /* sum of those of the independent part of the error */
    double least_error;       /* variance of the other part, the least of all phases */
    double doubt;             /* the square of the least deviation that would be significant */
};

/* Begins a phase. */
void cost_evidence_begin(struct cost_evidence *evidence);

/* A task of this cost took time_s; no effect if one of them is 0. */
void cost_evidence_add(struct cost_evidence *evidence, double cost, double time_s);

/* Adds the worker to the sums of all.
 * is_typical  it counts as neither slow nor fast */
void cost_evidence_sum(const struct cost_evidence *evidence, struct speed_sums *sums,
                       bool is_typical);

/* The logarithm of the worker's speed, relative to the mean of all; 0 if the deviation is not
 * significant. A worker without tasks in this phase keeps what earlier ones have shown.
 * noise         variance of the ratio of two durations of a task; 0: not known
 * significance  square of the standard errors that a deviation has to exceed */
double cost_evidence_speed(struct cost_evidence *evidence, const struct speed_sums *all,
                           double noise, double significance);
