#include "tce/tensor/tensor_algebra.h"

#include "support/base/agree.h"
#include "support/mpi/long_reduce.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>

/* Longest vector in one call of BLAS, which counts in int. */
enum { MAX_COUNT = 1 << 30 };

static int piece(int64_t n)
{
    return n < MAX_COUNT ? (int)n : MAX_COUNT;
}

static const double *local_block(const struct tensor *tensor, int64_t block)
{
    return darray_local(tensor->data, block);
}

enum status tensor_combine(int n, const double alpha[], const struct tensor *const x[],
                           struct tensor *y)
{
    double *sum = malloc(((size_t)y->max_block + 1) * sizeof *sum);
    TRY(CHECK_MEMORY(sum, "no memory for a block of tensor %s", y->name));
    for (int64_t block = 0; block < block_index_n(y->blocks); block++) {
        if (!local_block(y, block))
            continue;
        int64_t size = darray_block_size(y->data, block);
        for (int i = 0; i < n; i++) {
            const double *term = local_block(x[i], block);
            for (int64_t e = 0; e < size; e++)
                sum[e] = i == 0 ? alpha[i] * term[e] : sum[e] + alpha[i] * term[e];
        }
        darray_put(y->data, block, sum);
    }
    free(sum);
    return STATUS_OK;
}

/* --- scalar products --- */

/* A line for each block of all tensors, one after another: the block's part of each scalar
 * product, and its largest element. */
struct block_sums {
    int n_others;
    int64_t n_blocks;
    double *lines; /* n_blocks x (n_others + 1) */
};

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

/* The lines of the blocks that this process has; the others stay 0. */
static void sum_blocks(const struct tensor_vector *x, const struct tensor_vector others[],
                       struct block_sums *sums)
{
    double *line = sums->lines;
    for (int i = 0; i < x->n; i++)
        for (int64_t block = 0; block < block_index_n(x->tensors[i]->blocks); block++) {
            const double *own = local_block(x->tensors[i], block);
            int64_t size = darray_block_size(x->tensors[i]->data, block);
            for (int k = 0; own && k < sums->n_others; k++)
                line[k] = dot_block(own, local_block(others[k].tensors[i], block), size);
            if (own)
                line[sums->n_others] = max_block(own, size);
            line += sums->n_others + 1;
        }
}

enum status tensor_dots(const struct tensor_vector *x, int n_others,
                        const struct tensor_vector others[], MPI_Comm comm, double dot[],
                        double *max)
{
    struct block_sums sums = {.n_others = n_others};
    for (int i = 0; i < x->n; i++)
        sums.n_blocks += block_index_n(x->tensors[i]->blocks);
    int64_t n_numbers = sums.n_blocks * (n_others + 1);
    sums.lines = calloc((size_t)n_numbers + 1, sizeof *sums.lines);
    TRY(status_agree(comm, CHECK_MEMORY(sums.lines, "no memory for sums over %lld blocks",
                                        (long long)sums.n_blocks)));
    sum_blocks(x, others, &sums);
    long_reduce(sums.lines, n_numbers, MPI_DOUBLE, MPI_SUM, comm);
    *max = 0;
    for (int k = 0; k < n_others; k++)
        dot[k] = 0;
    for (int64_t block = 0; block < sums.n_blocks; block++) {
        const double *line = sums.lines + block * (n_others + 1);
        for (int k = 0; k < n_others; k++)
            dot[k] += line[k];
        *max = fmax(*max, line[n_others]);
    }
    free(sums.lines);
    return STATUS_OK;
}
