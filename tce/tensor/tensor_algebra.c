/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tensor/tensor_algebra.h"

#include "support/mpi/long_reduce.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* Longest vector in one call of BLAS, which counts in int. */
enum { MAX_COUNT = 1 << 30 };

/* Elements that are combined at a time: one of the terms may be the target. */
enum { AT_ONCE = 1024 };

static int piece(int64_t n)
{
    return n < MAX_COUNT ? (int)n : MAX_COUNT;
}

static const double *local_block(const struct tensor *tensor, int64_t block)
{
    return darray_local(tensor->data, block);
}

/* Elements [first, first + size) of a block. */
static void combine_elements(int n, const double alpha[], const struct tensor *const x[],
                             int64_t block, int64_t first, int64_t size, double *sum)
{
    for (int i = 0; i < n; i++) {
        const double *term = local_block(x[i], block) + first;
        for (int64_t e = 0; e < size; e++)
            sum[e] = i == 0 ? alpha[i] * term[e] : sum[e] + alpha[i] * term[e];
    }
}

void tensor_combine(int n, const double alpha[], const struct tensor *const x[], struct tensor *y)
{
    double sum[AT_ONCE];
    for (int64_t block = 0; block < block_index_n(y->blocks); block++) {
        double *own = darray_local(y->data, block);
        int64_t size = own ? darray_block_size(y->data, block) : 0;
        for (int64_t first = 0; first < size; first += AT_ONCE) {
            int64_t n_elements = size - first < AT_ONCE ? size - first : AT_ONCE;
            combine_elements(n, alpha, x, block, first, n_elements, sum);
            memcpy(own + first, sum, (size_t)n_elements * sizeof *sum);
        }
    }
}

/* --- scalar products --- */

static double dot_block(const double *x, const double *y, int64_t size)
{
    double sum = 0;
    for (int64_t first = 0; first < size; first += MAX_COUNT)
        sum += cblas_ddot(piece(size - first), x + first, 1, y + first, 1);
    return sum;
}

static double max_block(const double *x, int64_t size)
{
    double max = 0;
    for (int64_t first = 0; first < size; first += MAX_COUNT) {
        size_t largest = cblas_idamax(piece(size - first), x + first, 1);
        max = fmax(max, fabs(x[first + (int64_t)largest]));
    }
    return max;
}

/* A line for each block of all tensors, one after another: the block's part of each scalar
 * product, and its largest element. Only the lines of this process's blocks are set. */
static void sum_blocks(const struct tensor_vector *x, int n_others,
                       const struct tensor_vector others[], double *line)
{
    for (int i = 0; i < x->n; i++)
        for (int64_t block = 0; block < block_index_n(x->tensors[i]->blocks); block++) {
            const double *own = local_block(x->tensors[i], block);
            int64_t size = darray_block_size(x->tensors[i]->data, block);
            for (int k = 0; own && k < n_others; k++)
                line[k] = dot_block(own, local_block(others[k].tensors[i], block), size);
            if (own)
                line[n_others] = max_block(own, size);
            line += n_others + 1;
        }
}

int64_t tensor_vector_n_blocks(const struct tensor_vector *x)
{
    int64_t n = 0;
    for (int i = 0; i < x->n; i++)
        n += block_index_n(x->tensors[i]->blocks);
    return n;
}

void tensor_dots(const struct tensor_vector *x, int n_others, const struct tensor_vector others[],
                 double *lines, double dot[], double *max)
{
    int64_t n_lines = tensor_vector_n_blocks(x), n_numbers = n_lines * (n_others + 1);
    memset(lines, 0, (size_t)n_numbers * sizeof *lines);
    sum_blocks(x, n_others, others, lines);
    long_reduce(lines, n_numbers, MPI_DOUBLE, MPI_SUM, darray_comm());
    *max = 0;
    for (int k = 0; k < n_others; k++)
        dot[k] = 0;
    for (int64_t block = 0; block < n_lines; block++) {
        const double *line = lines + block * (n_others + 1);
        for (int k = 0; k < n_others; k++)
            dot[k] += line[k];
        *max = fmax(*max, line[n_others]);
    }
}
