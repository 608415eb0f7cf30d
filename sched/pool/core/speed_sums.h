/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over tasks and workers from which speeds of workers are learned, and how well the durations of
 * one iteration predict those of the next (balancing/learned_speeds.h). */
#pragma once

#include <stdbool.h>

/* Logarithms of speeds: what is not worth a change. */
#define SPEED_LEAST_CHANGE 0.02

/* Sums over tasks that ran twice, x and y what they took: work. */
struct repeat_sums {
    double n, x, y, xx, xy, yy;
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

/* No lags are noted of a worker with so many tasks, for which a theft hardly matters. */
#define LAG_MOST_TASKS 64

/* Sums over tasks, and over pairs of a task and all those before it on its worker: work d and cost x of the task,
 * work e and cost c of those. The lag of these is what they took more than expected of their cost. */
struct lag_sums {
    double n_tasks, work, cost;
    double least;       /* work of a task to its cost */
    bool is_incomplete; /* some worker began with too many tasks, or ran too many */
    double n, dd, dx, xx, de, dc, xe, xc, ee, ec, cc;
};

void lag_sums_add(struct lag_sums *sums, double work, double cost);
void lag_sums_add_pair(struct lag_sums *sums, double work, double cost, double before_work,
                       double before_cost);
void lag_sums_merge(struct lag_sums *sums, const struct lag_sums *others);

/* The slope is of what a task takes more than expected on the lag before it: in [-1, 0), or 0 if it is not
 * significantly below 0. */
struct lag_fit {
    double unit; /* work of a task of cost 1 */
    double slope;
    double deviation; /* standard deviation of lags */
};

/* All 0 if lags were not noted of all workers. */
struct lag_fit lag_sums_fit(const struct lag_sums *sums);

/* Sums over workers. */
struct speed_sums {
    double load_s, most_s; /* of the last iteration, seconds: of all workers, and the largest */
    double noise, noise_weight;  /* squares of logarithms of ratios of a task's durations */
    double scatter, cost_weight; /* squares of deviations of costs to durations from the worker's
                                  * mean */
    double ratios, n_ratios;     /* those means, and workers that have one */
    double typical, n_typical;   /* the same of those that count as neither slow nor fast */
    double gain;                 /* the largest: learned_speeds.h */
    double excess, n_evidence; /* n change^2 / noise, less 1, of workers with evidence, and tasks */
    double n_workers;          /* that have some */
    double squares;            /* n change^2 of each of their partners */
    double n_changed;          /* of them: those whose speed that has changed */
    struct repeat_sums stayed, moved;
    struct deviation_sums stayed_deviations, moved_deviations;
    struct deviation_sums workers; /* means of the stayed ones of each */
    struct lag_sums lags;
};

void speed_sums_merge(struct speed_sums *sums, const struct speed_sums *others);

/* The variance of the logarithms of the workers' speeds, in units of that of the noise, if
 * evidence shows that many differ, though not by how much each does; else 0. */
double speed_sums_variance(const struct speed_sums *all);

/* Adds a worker whose n > 0 tasks show the square of a change of its speed. */
void speed_sums_add_evidence(struct speed_sums *sums, double n, double square, double noise);

/* The variance of durations that is assumed where no task ran on one worker twice: of 30 %. */
#define SPEED_UNKNOWN_NOISE 0.09

/* The variance by which speeds are judged, for a task of mean work; that of the mean of n tasks is an n-th. The lesser of two:
 * - the mean square of the logarithm of the ratio of a task's two durations, as where each is wrong by a fraction; an
 *   interruption that makes a short task many times longer counts for too much,
 * - that of the difference, per mean^2, as of interruptions; if tasks are uneven, long ones count for too much. Above
 *   the assumed variance it is as if a few more tasks had shown that one.
 * mean  of prediction */
double speed_sums_noise(const struct speed_sums *all, double mean);

/* False where few tasks (n_stayed) told what the noise is, many moved ones show that it is more, and more than is
 * assumed without any, and changed speeds explain no more than as many chosen by chance.
 * squares  of the evidence before the changes */
bool speed_sums_explain(const struct speed_sums *all, double squares, double n_stayed);

/* How durations predict those of the next iteration. */
struct prediction {
    double mean;         /* of tasks that ran twice */
    double stays, moves; /* slopes, in [0, 1], where a task stays and where it moves */
    double imbalance;    /* in: by which the largest load of the last iteration exceeded the mean,
                          * a fraction of it */
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
    bool is_unusual;          /* the last deviation was significant */
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
