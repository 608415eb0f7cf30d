/* SPDX-License-Identifier: BSD-3-Clause */
/* Contingency tables: counts of each state of a variable with each configuration of its
 * parents. */
#ifndef BERYL_SCHED_WORKLOADS_BNSL_COUNTS_H
#define BERYL_SCHED_WORKLOADS_BNSL_COUNTS_H

#include "sched/lab/workloads/bnsl/bnsl_data.h"
#include "support/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* A variable and possible parents, whose order is that of the digits below. */
struct bnsl_family_of {
    int variable;
    int n_parents;
    const int *parents; /* n_parents variables */
};

/* Scratch of one worker. */
struct bnsl_counter {
    const struct bnsl_data *data; /* borrowed */
    int64_t n_numbers;
    uint32_t *codes;   /* n_samples: the configuration of each */
    uint32_t *numbers; /* n_numbers: of configurations that occur */
};

/* Errors: STATUS_NO_MEMORY; bnsl_counter_fini is fine then too. */
enum status bnsl_counter_init(struct bnsl_counter *counter, const struct bnsl_data *data);
void bnsl_counter_fini(struct bnsl_counter *counter);

/* Number of configurations of the parents; a product that may exceed the integers. */
double bnsl_configurations(const struct bnsl_data *data, const struct bnsl_family_of *family);

/* The table of all configurations, a row for each: x_0 + r (x_1 + n_1 (x_2 + n_2 (...))) is the
 * position of the variable's state x_0, of r, with x_1, x_2, ... of its parents.
 * table  out, one cell for each position, fewer than 2^32 */
void bnsl_count_all(struct bnsl_counter *counter, const struct bnsl_family_of *family,
                    uint32_t *table);

/* The table of the configurations that occur, in the order of the samples: returns how many.
 * table  out, room for n_samples rows of the variable's states */
int64_t bnsl_count_occurring(struct bnsl_counter *counter, const struct bnsl_family_of *family,
                             uint32_t *table);

/* Sums a parent out of a table of all configurations:
 *   out[o][i] = sum_s in[o][s][i]
 * in   outer x n_states x inner cells
 * out  outer x inner cells, may not overlap in */
void bnsl_count_sum_out(const uint32_t *in, size_t outer, int n_states, size_t inner,
                        uint32_t *restrict out);

#endif
