/* SPDX-License-Identifier: BSD-3-Clause */
/* Score of a set of parents of a variable: the Bayesian information criterion, which is the
 * negative description length of the data, s(X, A) = sum_j sum_k N_jk log(N_jk / N_j) - log(N) / 2
 * * q (r - 1) where N_jk of the N samples have configuration j of the parents A and state k of X,
 * N_j = sum_k N_jk; A has q configurations and X r states. The score of a network is the sum
 * over its variables, larger is better, and equivalent networks have the same.
 * Sources: Schwarz, Ann. Stat. 6 (1978) 461; Lam, Bacchus, Computational Intelligence 10 (1994)
 * 269. */
#pragma once

#include "sched/lab/workloads/bnsl/bnsl_cubes.h"
#include "sched/lab/workloads/bnsl/bnsl_data.h"
#include "support/base/status.h"

#include <stdint.h>

/* A variable and possible parents, whose order is that of the digits below. */
struct bnsl_family_of {
    int variable;
    int n_parents;
    const int *parents; /* n_parents variables */
};

/* Scratch of one worker for contingency tables: counts of each state of a variable with each
 * configuration of its parents. */
struct bnsl_counter {
    const struct bnsl_data *data; /* borrowed */
    int64_t n_numbers;
    uint32_t *codes;   /* n_samples: the configuration of each */
    uint32_t *numbers; /* n_numbers: of configurations that occur */
};

/* Scratch of one worker. */
struct bnsl_scorer {
    const struct bnsl_data *data; /* borrowed */
    struct bnsl_counter counter;
    double *n_log_n;    /* n log n of 0 to n_samples */
    int64_t most_cells; /* of a table of all configurations */
    uint32_t *tables;   /* 2 most_cells: one within another, each half of it at most */
    uint32_t *rows;     /* table of the configurations that occur */
};

/* data  borrowed. Errors: STATUS_NO_MEMORY; bnsl_scorer_fini is fine then too. */
enum status bnsl_scorer_init(struct bnsl_scorer *scorer, const struct bnsl_data *data);
void bnsl_scorer_fini(struct bnsl_scorer *scorer);

/* The score of one family. */
double bnsl_score(struct bnsl_scorer *scorer, const struct bnsl_family_of *family);

/* The scores of all parent sets of a cube, bit for bit those of bnsl_score with the parents in
 * the order of the candidates.
 * scores  out, 2^n_free; entry m is of bnsl_cube_parents(cube, m) */
void bnsl_score_cube(struct bnsl_scorer *scorer, const struct bnsl_cube *cube, double *scores);
