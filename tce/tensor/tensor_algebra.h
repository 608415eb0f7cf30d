/* SPDX-License-Identifier: BSD-3-Clause */
/* Tensors of the same shape as vectors: every process works on its own blocks, where they
 * lie. Nothing here synchronises: what was written to the tensors must have been, and what
 * is written here is seen by other processes after darray_sync. */
#pragma once

#include "tce/tensor/tensor.h"

#include <stdint.h>

/* y = sum_i alpha[i] x[i], of n tensors; y may be one of them. Not collective. */
void tensor_combine(int n, const double alpha[], const struct tensor *const x[], struct tensor *y);

/* Several tensors as one vector. Borrowed. */
struct tensor_vector {
    int n;
    const struct tensor *const *tensors;
};

/* Blocks of all its tensors. */
int64_t tensor_vector_n_blocks(const struct tensor_vector *x);

/* Scalar products of a vector with n_others of the same form, and its norm:
 *     dot[k] = x . others[k]          max = the largest |element| of x
 * Summed block by block, and these sums in the order of the blocks, so that they are the
 * same to the bit for any number of processes. Collective, one reduction.
 * lines  scratch of tensor_vector_n_blocks(x) * (n_others + 1) numbers */
void tensor_dots(const struct tensor_vector *x, int n_others, const struct tensor_vector others[],
                 double *lines, double dot[], double *max);
