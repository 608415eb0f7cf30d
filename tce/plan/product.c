/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/plan/product.h"

#include <stdlib.h>

/* The number of an index of the program in the product, where it may be new. */
static int number_of(struct product *product, const struct program *program, int name)
{
    for (int i = 0; i < product->n_indices; i++)
        if (product->index[i].name == name)
            return i;
    product->index[product->n_indices] =
        (struct product_index){.name = name, .space = program->indices[name].space};
    return product->n_indices++;
}

static struct product_operand product_operand_of(struct product *product,
                                                 const struct program *program,
                                                 const struct program_factor *factor)
{
    const struct program_tensor *tensor = &program->tensors[factor->tensor];
    struct product_operand operand = {
        .rank = tensor->rank, .irrep = tensor->irrep, .spin = tensor->spin};
    for (int d = 0; d < tensor->rank; d++) {
        operand.index[d] = number_of(product, program, factor->index[d]);
        operand.has_irrep[d] = true;
        operand.sign[d] = tensor->sign[d];
    }
    return operand;
}

enum status product_init(const struct program *program, const struct label_spaces *spaces,
                         const struct program_factor *target, const struct program_term *term,
                         const int version[], struct product *product)
{
    int n_places = program->tensors[target->tensor].rank;
    for (int f = 0; f < term->n_factors; f++)
        n_places += program->tensors[term->factors[f].tensor].rank;
    *product =
        (struct product){.spaces = spaces,
                         .n_factors = term->n_factors,
                         .factor = calloc((size_t)term->n_factors + 1, sizeof *product->factor),
                         .index = calloc((size_t)n_places + 1, sizeof *product->index)};
    if (!product->factor || !product->index) {
        product_fini(product);
        return FAIL(STATUS_NO_MEMORY, "no memory for a product of %d tensors", term->n_factors);
    }
    product->target = product_operand_of(product, program, target);
    for (int i = 0; i < product->n_indices; i++)
        product->index[i].outer = true;
    for (int f = 0; f < term->n_factors; f++) {
        struct product_factor *factor = &product->factor[f];
        factor->tensor = term->factors[f].tensor;
        factor->version = version[factor->tensor];
        factor->operand = product_operand_of(product, program, &term->factors[f]);
        for (int d = 0; d < factor->operand.rank; d++)
            product->index[factor->operand.index[d]].factors |= UINT64_C(1) << f;
    }
    return STATUS_OK;
}

void product_fini(struct product *product)
{
    free(product->factor);
    free(product->index);
    *product = (struct product){0};
}

uint64_t product_all(const struct product *product)
{
    return UINT64_MAX >> (64 - product->n_factors);
}

bool product_has(const struct product *product, uint64_t part, int index)
{
    const struct product_index *asked = &product->index[index];
    return (asked->factors & part) != 0 && (asked->outer || (asked->factors & ~part) != 0);
}

int product_rank(const struct product *product, uint64_t part)
{
    int rank = 0;
    for (int i = 0; i < product->n_indices; i++)
        rank += product_has(product, part, i);
    return rank;
}

/* --- labels of a part --- */

/* Whole multiples of A's and B's laws, added. */
struct combination {
    int of_A, of_B;
};

static int times_in(const struct product_operand *operand, int index)
{
    int n = 0;
    for (int d = 0; operand && d < operand->rank; d++)
        n += operand->index[d] == index;
    return n;
}

/* Appends the indices that the part has and that are in both A and B, or in one alone. */
static void append_indices(const struct product *product, uint64_t part,
                           const struct product_operand *from, const struct product_operand *other,
                           bool shared, struct product_operand *result)
{
    for (int d = 0; from && d < from->rank; d++) {
        int index = from->index[d];
        if (product_has(product, part, index) && (times_in(other, index) > 0) == shared &&
            times_in(result, index) == 0)
            result->index[result->rank++] = index;
    }
}

/* The factor of an index's irrep (spin) in the law of an operand. */
static int irrep_weight(const struct product_operand *operand, int index)
{
    int weight = 0;
    for (int d = 0; operand && d < operand->rank; d++)
        weight += operand->index[d] == index && operand->has_irrep[d];
    return weight;
}

static int spin_weight(const struct product_operand *operand, int index)
{
    int weight = 0;
    for (int d = 0; operand && d < operand->rank; d++)
        weight += operand->index[d] == index ? operand->sign[d] : 0;
    return weight;
}

static bool index_has_irreps(const struct product *product, int index)
{
    return product->spaces->spaces[product->index[index].space].without_irreps != NULL;
}

static bool index_has_spins(const struct product *product, int index)
{
    return product->spaces->spaces[product->index[index].space].has_spins;
}

static int irrep_in(struct combination c, const struct product_operand *A,
                    const struct product_operand *B, int index)
{
    return (c.of_A * irrep_weight(A, index) + c.of_B * irrep_weight(B, index)) & 1;
}

static int spin_in(struct combination c, const struct product_operand *A,
                   const struct product_operand *B, int index)
{
    return c.of_A * spin_weight(A, index) + c.of_B * spin_weight(B, index);
}

/* Number of the result's indices that the law of irreps restricts; -1 if it restricts a summed
 * index, too. */
static int irrep_score(const struct product *product, struct combination c,
                       const struct product_operand *A, const struct product_operand *B,
                       const struct product_operand *result)
{
    int score = 0;
    for (int i = 0; i < product->n_indices; i++) {
        if (!index_has_irreps(product, i) || irrep_in(c, A, B, i) == 0)
            continue;
        if (times_in(result, i) == 0)
            return -1;
        score++;
    }
    return score;
}

/* Score of the spins; -1 also if a weight is not one that labels of a tensor can have. */
static int spin_score(const struct product *product, struct combination c,
                      const struct product_operand *A, const struct product_operand *B,
                      const struct product_operand *result)
{
    int score = 0;
    for (int i = 0; i < product->n_indices; i++) {
        int weight = index_has_spins(product, i) ? spin_in(c, A, B, i) : 0;
        if (weight == 0)
            continue;
        if (times_in(result, i) == 0 || abs(weight) > 1)
            return -1;
        score++;
    }
    return score;
}

static void set_irreps(const struct product *product, const struct product_operand *A,
                       const struct product_operand *B, struct product_operand *result)
{
    static const struct combination tried[] = {{1, 1}, {1, 0}, {0, 1}};
    struct combination best = {0, 0};
    int best_score = -1;
    for (int t = 0; t < (B ? 3 : 1); t++) {
        int score = irrep_score(product, tried[t], A, B, result);
        if (score > best_score) {
            best_score = score;
            best = tried[t];
        }
    }
    for (int d = 0; d < result->rank; d++)
        result->has_irrep[d] = !index_has_irreps(product, result->index[d]) ||
                               irrep_in(best, A, B, result->index[d]) != 0;
    result->irrep = (best.of_A ? A->irrep : 0) ^ (B && best.of_B ? B->irrep : 0);
}

static void set_spins(const struct product *product, const struct product_operand *A,
                      const struct product_operand *B, struct product_operand *result)
{
    static const struct combination tried[] = {{1, 1}, {1, -1}, {1, 0}, {0, 1}};
    struct combination best = {0, 0};
    int best_score = -1;
    for (int t = 0; t < (B ? 4 : 1); t++) {
        int score = spin_score(product, tried[t], A, B, result);
        if (score > best_score) {
            best_score = score;
            best = tried[t];
        }
    }
    for (int d = 0; d < result->rank; d++)
        result->sign[d] = (int8_t)(index_has_spins(product, result->index[d])
                                       ? spin_in(best, A, B, result->index[d])
                                       : 1);
    result->spin = best.of_A * A->spin + (B ? best.of_B * B->spin : 0);
}

void product_combine(const struct product *product, uint64_t part, const struct product_operand *A,
                     const struct product_operand *B, struct product_operand *result)
{
    *result = (struct product_operand){0};
    if (B)
        append_indices(product, part, A, B, true, result);
    append_indices(product, part, A, B, false, result);
    append_indices(product, part, B, A, false, result);
    set_irreps(product, A, B, result);
    set_spins(product, A, B, result);
}
