/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/plan/tile_cost.h"

#include "tce/run/contraction_slices.h"

#include <stdbool.h>

/* Operations of DGEMM in the time that a product of blocks takes besides them. */
#define PRODUCT_FLOPS 1e5

/* Elements of a result that caches hold: of a block as large as that half is taken to be there when it is added
 * to. */
#define RESULT_ELEMENTS (128 * 1024)

/* Factors that do not lie as matrices are packed: read and written, in short strides, for which a second-level
 * cache is to hold all of them. */
#define PACKING_MOVES   1.5
#define PACKED_ELEMENTS (128 * 1024)

/* Elements of a factor's block with which it costs as much again: a process keeps several of them beside its share of
 * the tensors. */
#define LARGE_ELEMENTS (1024 * 1024)

/* Elements of a line of the cache: a run of neighbours costs one more. */
enum { LINE_ELEMENTS = 8 };

/* Processes that a contraction should keep busy. Of n equal tasks those that run last leave (WORKERS - 1) / 2 of
 * them idle on average, for the time of a task. */
enum { WORKERS = 5 };

int tile_cost_space(const struct plan *plan, const struct plan_step *step, int index)
{
    return plan->program->indices[step->name[index]].space;
}

/* Values in a tile of an index; of n tiles, n (n + 1) / 2 are there of pairs. */
static double mean_of_step_index(const struct tile_means *means, const struct plan_step *step,
                                 int index)
{
    int space = tile_cost_space(means->plan, step, index);
    double mean = means->mean[space];
    if (step->with[index] < 0)
        return mean;
    double n_tiles = (double)means->plan->spaces.spaces[space].space->size / mean;
    return mean * mean * n_tiles / (n_tiles + 1);
}

/* Operations of DGEMM in the time in which a block's elements are read or written. */
static double move_flops(const struct tile_means *means, const struct plan_step *step,
                         const struct plan_operand *operand, double *elements)
{
    int rank = means->plan->tensors[operand->tensor].labels.rank;
    double run = 1;
    *elements = 1;
    for (int d = 0; d < rank; d++) {
        run = mean_of_step_index(means, step, operand->index[d]);
        *elements *= run;
    }
    return PLAN_MOVE_FLOPS * *elements * (1 + LINE_ELEMENTS / run);
}

/* The fraction of a block that a cache does not hold. */
static double fraction_beyond(double elements, double cache)
{
    return elements / (elements + cache);
}

static int rank_of_operand(const struct tile_means *means, const struct plan_operand *operand)
{
    return means->plan->tensors[operand->tensor].labels.rank;
}

/* One bit for each index of an operand. */
static unsigned indices_of_operand(const struct tile_means *means,
                                   const struct plan_operand *operand)
{
    unsigned indices = 0;
    for (int d = 0; d < rank_of_operand(means, operand); d++)
        indices |= 1U << operand->index[d];
    return indices;
}

/* The place of the first of some indices. */
static int place_of_indices(const struct plan_operand *operand, unsigned indices)
{
    int place = 0;
    while (!(indices >> operand->index[place] & 1))
        place++;
    return place;
}

/* Whether some indices that two operands have follow each other in both, in one order. */
static bool follow_alike(const struct tile_means *means, unsigned indices,
                         const struct plan_operand *left, const struct plan_operand *right)
{
    int n = __builtin_popcount(indices);
    if (n == 0)
        return true;
    int l = place_of_indices(left, indices), r = place_of_indices(right, indices);
    if (l + n > rank_of_operand(means, left) || r + n > rank_of_operand(means, right))
        return false;
    for (int d = 0; d < n; d++)
        if (left->index[l + d] != right->index[r + d] || !(indices >> left->index[l + d] & 1))
            return false;
    return true;
}

/* Whether the blocks of a product lie as matrices, which DGEMM reads as they are (dense_product.h). */
static bool lie_as_matrices(const struct tile_means *means, const struct plan_step *step)
{
    unsigned C = indices_of_operand(means, &step->C), A = indices_of_operand(means, &step->A),
             B = indices_of_operand(means, &step->B);
    return (A & B & C) == 0 && follow_alike(means, A & C, &step->A, &step->C) &&
           follow_alike(means, B & C, &step->B, &step->C) &&
           follow_alike(means, A & B, &step->A, &step->B);
}

static double factor_flops(const struct tile_means *means, const struct plan_step *step,
                           const struct plan_operand *factor, bool packed)
{
    double elements, flops = move_flops(means, step, factor, &elements);
    double far = elements > PACKED_ELEMENTS ? 1 - PACKED_ELEMENTS / elements : 0;
    double large = elements / LARGE_ELEMENTS;
    return flops * ((packed ? PACKING_MOVES * (1 + far) : 1) + large * large);
}

/* A product of two blocks without its multiplications. */
static double block_product_flops(const struct tile_means *means, const struct plan_step *step)
{
    double elements, added = move_flops(means, step, &step->C, &elements);
    double flops = PRODUCT_FLOPS + added * fraction_beyond(elements, RESULT_ELEMENTS);
    if (step->B.tensor < 0)
        return flops + factor_flops(means, step, &step->A, false);
    bool packed = !lie_as_matrices(means, step);
    return flops + factor_flops(means, step, &step->A, packed) +
           factor_flops(means, step, &step->B, packed);
}

/* Blocks that labels allow, in the mean over all tuples of tiles. */
static double mean_blocks_of(const struct tile_means *means, const struct plan_step *step,
                             const struct plan_operand *operand)
{
    const struct plan_tensor *tensor = &means->plan->tensors[operand->tensor];
    double n = tensor->elements;
    for (int d = 0; d < tensor->labels.rank; d++)
        n /= mean_of_step_index(means, step, operand->index[d]);
    return n < 1 ? 1 : n;
}

static double operand_elements(const struct tile_means *means, const struct plan_operand *operand)
{
    return operand->tensor >= 0 ? means->plan->tensors[operand->tensor].elements : 0;
}

/* The tasks of a scalar are blocks of A; others' are blocks of C, or slices of their sums. */
static double mean_tasks_of(const struct tile_means *means, const struct plan_step *step,
                            double n_products)
{
    if (rank_of_operand(means, &step->C) == 0)
        return mean_blocks_of(means, step, &step->A);
    double n_blocks = mean_blocks_of(means, step, &step->C);
    const struct sum_shape shape = {.n_blocks = n_blocks,
                                    .n_products = n_products / n_blocks,
                                    .flops = step->B.tensor >= 0 ? step->flops : 0,
                                    .elements_C = operand_elements(means, &step->C),
                                    .elements_factors = operand_elements(means, &step->A) +
                                                        operand_elements(means, &step->B)};
    return n_blocks * contraction_slices_wanted(&shape);
}

double tile_cost_of_step(const struct tile_means *means, const struct plan_step *step)
{
    double n_products = step->flops / (step->B.tensor >= 0 ? 2 : 1);
    for (int x = 0; x < MAX_INDICES; x++)
        if (step->name[x] >= 0)
            n_products /= mean_of_step_index(means, step, x);
    double flops = step->flops + n_products * block_product_flops(means, step);
    return flops * (1 + (WORKERS - 1) / (2 * mean_tasks_of(means, step, n_products)));
}
