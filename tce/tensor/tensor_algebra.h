/* Tensors of the same shape as vectors: every process works on its own blocks, where they
 * lie. Nothing here synchronises: what was written to the tensors must have been, and what
 * is written here is seen by other processes after darray_sync. */
#ifndef BERYL_TCE_TENSOR_ALGEBRA_H
#define BERYL_TCE_TENSOR_ALGEBRA_H

#include "support/base/status.h"
#include "tce/tensor/tensor.h"

#include <mpi.h>

/* y = sum_i alpha[i] x[i], of n tensors; y may be one of them. Not collective.
 * Errors: STATUS_NO_MEMORY. */
enum status tensor_combine(int n, const double alpha[], const struct tensor *const x[],
                           struct tensor *y);

/* Several tensors as one vector. Borrowed. */
struct tensor_vector {
    int n;
    const struct tensor *const *tensors;
};

/* Scalar products of a vector with n_others of the same form, and its norm:
 *     dot[k] = x . others[k]          max = the largest |element| of x
 * Summed block by block, and these sums in the order of the blocks, so that they are the
 * same to the bit for any number of processes. Collective.
 * Errors: STATUS_NO_MEMORY; the same everywhere. */
enum status tensor_dots(const struct tensor_vector *x, int n_others,
                        const struct tensor_vector others[], MPI_Comm comm, double dot[],
                        double *max);

#endif
