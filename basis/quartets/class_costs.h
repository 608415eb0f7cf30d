/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured costs of the shell quartets of each class, for callers that compute and use integrals in
 * batches. */
#pragma once

#include "basis/integrals/shells.h"
#include "basis/integrals/two_electron.h"
#include "support/base/status.h"

/* Sums over the quartets of one class. Whole numbers are exact up to 2^53: with one type for all, a
 * single reduction adds up the costs of processes. */
struct class_cost {
    double quartets;
    double integrals;   /* as the user of the batches counts them */
    double primitives;  /* primitive quartets, before any is left out for its weight */
    double lanes;       /* vector lanes that the quartets take, empty ones included */
    double selection_s; /* choosing and sorting quartets */
    double integral_s;
    double digestion_s; /* of the integrals by the user of the batches, who counts it */
};

/* Costs by the pair types of bra and ket in the engines' order (struct quartet_batch). The number of a pair of
 * types t >= u is t * (t + 1) / 2 + u. */
struct class_costs {
    const struct shells *shells; /* borrowed */
    int n_pair_types;
    int64_t n_numbers;     /* doubles in all of them together */
    struct class_cost *of; /* [bra][ket] */
};

enum { CLASS_NAME_SIZE = 64 };

/* Costs of zero for the classes of these shells, which are borrowed. Errors: STATUS_NO_MEMORY. */
enum status class_costs_create(const struct shells *shells, struct class_costs **costs);
void class_costs_destroy(struct class_costs *costs);
void class_costs_clear(struct class_costs *costs);

/* The costs of the class of a batch. */
struct class_cost *class_costs_of(struct class_costs *costs, const struct quartet_batch *batch);

/* The name of a class as chemists write it, "(ps|ss)"; groups of several shells in brackets:
 * "[sp]", and "[2s]" for two s shells. */
void class_costs_name(const struct class_costs *costs, int bra, int ket,
                      char name[CLASS_NAME_SIZE]);

/* Counts a batch, without its integrals. */
void class_cost_add(struct class_cost *cost, const struct quartet_batch *batch);
