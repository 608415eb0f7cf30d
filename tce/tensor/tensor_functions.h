/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that a program's tensors may be filled with, of the values of the indices,
 * the same on every machine.
 *
 *     random(seed)     random in [-1, 1); seed: a whole number, default 1
 *     wave(phase)      cos(phase + sum over d of (1 + d/4) value_d / 3); default phase 0
 *     constant(c)      c, default 1
 *     delta            1 if all indices have the same value, else 0 */
#pragma once

#include "support/base/status.h"
#include "tce/tensor/tensor.h"

/* A function by name, with the arguments of a declaration. */
struct tensor_function {
    tensor_element *element;
    int rank;
    double argument;
};

/* The function for a tensor of that rank. n_arguments <= 1.
 * Errors: STATUS_INPUT (no such function: the message lists them; too many
 * arguments; a seed that is no whole number). */
enum status tensor_function_find(const char *name, int n_arguments, const double *arguments,
                                 int rank, struct tensor_function *function);
