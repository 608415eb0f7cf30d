/* SPDX-License-Identifier: BSD-3-Clause */
/* Expected tensors of a random program, by loops over the values of all indices of each
 * product; simple enough to be trusted. */
#pragma once

#include "tests/cases/program_case.h"

/* A whole tensor, row-major, zero where labels allow no element. */
struct case_values {
    int n;
    double *value; /* n */
    double *norm;  /* n: the sum of the absolute values of all products that make the element,
                    * to which rounding is relative; |value| of what is filled */
};

/* As the declarations fill them. values: of each tensor, the caller's to free. */
void case_values_fill(const struct program_case *one, struct case_values values[CASE_TENSORS]);
void case_values_free(const struct program_case *one, struct case_values values[CASE_TENSORS]);

/* After all statements, in order. */
void case_values_run(const struct program_case *one, struct case_values values[CASE_TENSORS]);

/* The position of an element; value: of each of the tensor's indices. */
int case_values_place(const struct program_case *one, int tensor, const int64_t value[]);
