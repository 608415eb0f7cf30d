/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements of a program by nested loops over the values of all indices of each product, with whole
 * arrays: no labels, no blocks, no plan. Written to be believed; takes the time and memory that this takes. */
#pragma once

#include "support/base/status.h"
#include "tce/language/program.h"

#include <stdbool.h>
#include <stdint.h>

/* A whole tensor. */
struct whole_array {
    int rank;
    int64_t size[MAX_RANK], stride[MAX_RANK];
    int64_t n;
    /* n, row-major; with more digits than the elements that they are compared with, for sums of millions. */
    long double *elements;
    /* n: the sizes that rounding is relative to, also where products cancel: the sum of the absolute values
     * of all products that make the element, with the norms of their factors in turn. 0 of a fill. */
    double *norms;
};

/* A zero array. name: in messages. Errors: STATUS_LIMIT (more than 2^40 elements), STATUS_NO_MEMORY;
 * whole_array_fini follows then, too. */
enum status whole_array_init(const char *name, int rank, const int64_t size[],
                             struct whole_array *array);
void whole_array_fini(struct whole_array *array);

/* The next values of n indices of given sizes, the last one fastest; false after the last. */
bool nested_loops_next(int n, const int64_t size[], int64_t value[]);

/* Runs the products of a statement: sets `to`, or adds to it.
 * arrays  one for each tensor of the program
 * index   of the program: the one in each place of `to`; every index of the target is among them */
void nested_loops_run(const struct program_statement *statement, const struct whole_array arrays[],
                      const int index[], struct whole_array *to);
