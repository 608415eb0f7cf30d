/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker's speed, relative to the others', learned between iterations, so that work = time x speed
 * of a task is the same wherever it ran; and how well durations predict those of the next iteration.
 *
 * All that is known are durations; noise, and a prediction that is wrong, look like speed. So all
 * workers count as equally fast until the opposite is significant: a deviation has to exceed its
 * standard error by the factor that the largest of as many random numbers as there are workers
 * hardly reaches (Donoho, Johnstone, Biometrika 81 (1994) 425). Two kinds of evidence:
 *
 * - Predicted costs (problem.cost): the ratio of costs to durations, relative to its mean over all
 *   workers. Predictions err alike for tasks that are alike, and neighbours are: the standard error
 *   of a worker's ratio is the scatter of its tasks', however many they are. Not where moves cost
 *   something: costs know nothing of the data that a task finds.
 * - Tasks that moved, each timed on two workers: the ratio of its durations is that of two speeds,
 *   and errors are independent; their scatter is that of tasks that ran on one worker twice. As
 *   a ratio does not say which of the two workers is the unusual one, every worker computes by how
 *   much the evidence of all its partners would be explained better (the gain) if its own speed
 *   were another, and only one with a larger gain than all its partners changes it, in rounds; of
 *   two that are alike the slower one. Where such evidence is significant, costs are not
 *   consulted any more. Not where moves cost something: what moved takes longer for that reason, too.
 *
 * Durations that are mostly noise are no reason to move tasks: what a task takes next is best
 * predicted by the regression on what it took, mean + slope x (duration - mean). The slope, of
 * tasks that stay and of tasks that move, is that of those that ran twice; with constant durations
 * it is 1. Where costs are predicted, modes may have work predicted by expected_work.h.
 *
 * A phase: sums go up a tree of all workers, and centre, scatters and slopes come down. If tasks
 * moved, receivers report to donors what they took, relative to that prediction: it is mostly long
 * ones that move, and those that were long by chance are shorter next time anywhere. Sums go up
 * again; while there is significant evidence, partners exchange gains in rounds, and sums go up
 * once more. Where hardly a task ran on one worker twice, noise is known badly: new speeds are then judged at the
 * end by the noise that they leave, and forgotten if they are not significant. */
#pragma once

#include "sched/pool/balancing/expected_work.h"
#include "sched/pool/balancing/idle_worker.h"
#include "sched/pool/core/comm.h"
#include "sched/pool/core/speed_partners.h"
#include "sched/pool/core/speed_sums.h"
#include "sched/pool/queues/duration_bins.h"
#include "sched/pool/queues/watched_tasks.h"
#include "taskpool/mode.h"

#include <stdbool.h>
#include <stdint.h>

struct learned_speeds {
    const struct taskpool_problem *problem; /* borrowed, as comm */
    struct taskpool_comm *comm;
    double speed;                 /* out: of this worker, in steps of 1 % */
    struct prediction prediction; /* out: the same on all workers */
    struct lag_sums lags;         /* out: of all workers, as noted */
    bool has_evidence;            /* out: of any worker's speed, by costs or tasks that moved */

    double logarithm;  /* of the speed */
    double n_tasks;    /* moved ones of which that is the mean; 0: none were significant */
    double n_compared; /* tasks that were ever compared with what they took on another worker */
    bool is_known;     /* by --known-speeds */
    struct idle_worker idle;
    struct cost_evidence costs;

    struct watched_tasks watched;
    struct speed_partners partners;

    struct repeat_sums stayed; /* of tasks that were here before */
    struct deviation_sums stayed_deviations;
    struct expected_work expected; /* of the tasks in bins, if the mode has it predicted */

    struct speed_sums sums; /* of the subtree */
    int n_sums;             /* that arrived from children */
    int64_t n_awaited;      /* reports */
    bool has_own_sums, knows_centre;
    double n_stayed;   /* tasks of all workers */
    double settled;    /* logarithm of the speed without evidence of this phase, */
    double n_settled;  /* and n_tasks */
    double squares;    /* of the evidence of all workers, before speeds changed */
    double phase_step; /* by which the logarithm changed in this phase, as partners know */
    double last_step;  /* and since, as they do not know yet */
    double noise;      /* variance by which evidence is judged: speed_sums_noise */
    double gain;       /* as sent to the partners in this round */
    int pass;          /* times that sums went up */
    int32_t round, n_rounds;
    bool finished;
};

/* setup, comm  borrowed */
void learned_speeds_init(struct learned_speeds *speeds, const struct taskpool_mode_setup *setup,
                         struct taskpool_comm *comm);
void learned_speeds_fini(struct learned_speeds *speeds);

/* Begins a phase; all workers take part.
 * bins  tasks that ran here, by their durations
 * lags  of this worker; NULL: not noted */
void learned_speeds_begin(struct learned_speeds *speeds, const struct duration_bins *bins,
                          const struct lag_sums *lags);

/* Whether this worker's speed is known until the next phase. */
bool learned_speeds_are_finished(const struct learned_speeds *speeds);

/* Whether hardly anything is known of this worker's speed: costs are not predicted, or too badly to
 * say, and hardly a task of it ran on another worker, too. */
bool learned_speeds_are_untried(const struct learned_speeds *speeds);

/* A message of the kinds from SPEEDS_FIRST_KIND on arrived. */
void learned_speeds_receive(struct learned_speeds *speeds, int from, const void *message);

/* --- between a phase and the next iteration --- */

/* Tasks were given to another worker, or got from it: both sides note it. */
void learned_speeds_gave(struct learned_speeds *speeds, int to);
void learned_speeds_got(struct learned_speeds *speeds, int from);

/* Watches some of the tasks that are to run here, by their work. Errors: STATUS_NO_MEMORY. */
enum status learned_speeds_watch_own(struct learned_speeds *speeds,
                                     const struct duration_bins *bins);
