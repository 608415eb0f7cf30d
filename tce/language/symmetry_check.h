/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a program has the symmetries that it claims. A declared symmetry must hold for the
 * tensor's fill and for each statement that computes the tensor. Sums of an ordered loop,
 * a >= b >= c, must be invariant under exchanges of its indices.
 *
 * A stored tensor may have any elements with the symmetry that it declares, or that its fill has where nothing assigns
 * to it. So it is replaced by random numbers with that symmetry and no other structure. An element of the statement's
 * target, or the part of a loop's sum, whose indices have different values is computed from these and compared with
 * those that exchanges make of it. Where they agree, they do for any numbers, sizes and labels. A symmetry that depends
 * on the numbers, as of a constant, or that tensors have without declaring it, is not shown. */
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
};

/* Gives tensors that nothing assigns to all the symmetry of their fill, and checks what the program claims.
 * fills  n of them, beside the functions; a name that is not among them stands for numbers without symmetry
 * Not collective; the same on every process.
 * Errors: STATUS_INPUT, with the place, for a fill, statement or loop whose symmetry is not shown, or that has too many
 * indices for this; STATUS_NO_MEMORY. */
enum status symmetry_check_program(struct program *program, int n,
                                   const struct fill_symmetry fills[]);
