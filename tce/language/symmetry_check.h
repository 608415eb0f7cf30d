/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether tensors have the symmetries that they declare: by what they are filled with, and by the
 * statements that compute them. */
#pragma once

#include "tce/language/program.h"

enum { FILL_MAX_EXCHANGES = 3 };

/* The symmetry of what a name of a declaration fills a tensor with. */
struct fill_symmetry {
    const char *name;
    int rank;          /* that it has; 0: any, and every exchange of places changes nothing */
    bool fills_packed; /* it also fills tensors over pairs of values (packing.h) */
    int n_exchanges;
    struct signed_permutation exchanges[FILL_MAX_EXCHANGES]; /* of `rank` places */
    const char
        *values_of; /* the fill with the same elements, its places in another order; NULL: none */
    int8_t values_order[4]; /* the place here of each place there */
};

/* The fill of a tensor among n; NULL: it has none of these. */
const struct fill_symmetry *symmetry_check_find_fill(const struct program_tensor *tensor, int n,
                                                     const struct fill_symmetry fills[]);

/* Checks the exchanges that filled tensors declare, and gives tensors which nothing assigns to all the
 * symmetry that their fill has. Then sets tries_symmetry of all statements: the target keeps its symmetry
 * if each product, with the places exchanged, is one of the statement's again, up to the names of
 * summed indices and the symmetries of its factors.
 * fills  n of them; a name that is not among them stands for numbers without symmetry
 * Errors: STATUS_INPUT, with the place; STATUS_NO_MEMORY. */
enum status symmetry_check_program(struct program *program, int n,
                                   const struct fill_symmetry fills[]);
