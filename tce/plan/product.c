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
        (struct product_index){.name = name, .with = -1, .space = program->indices[name].space};
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

enum label_kind { IRREPS, SPINS };

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

/* The factor of an index's irrep or spin in the law of an operand. */
static int label_weight(enum label_kind kind, const struct product_operand *operand, int index)
{
    int weight = 0;
    for (int d = 0; operand && d < operand->rank; d++)
        if (operand->index[d] == index)
            weight += kind == IRREPS ? operand->has_irrep[d] : operand->sign[d];
    return weight;
}

static bool index_has_labels(const struct product *product, enum label_kind kind, int index)
{
    const struct label_space *space = &product->spaces->spaces[product->index[index].space];
    return kind == IRREPS ? space->without_irreps != NULL : space->has_spins;
}

/* The factor of an index in a combination; an irrep taken twice is trivial. */
static int combined_weight(enum label_kind kind, struct combination c,
                           const struct product_operand *A, const struct product_operand *B,
                           int index)
{
    int weight = c.of_A * label_weight(kind, A, index) + c.of_B * label_weight(kind, B, index);
    return kind == IRREPS ? weight & 1 : weight;
}

/* Number of the result's indices that the law restricts; -1 if it restricts a summed index, too, or
 * if a weight is not one that labels of a tensor can have. */
static int score_law(const struct product *product, enum label_kind kind, struct combination c,
                     const struct product_operand *A, const struct product_operand *B,
                     const struct product_operand *result)
{
    int score = 0;
    for (int i = 0; i < product->n_indices; i++) {
        if (!index_has_labels(product, kind, i))
            continue;
        int weight = combined_weight(kind, c, A, B, i);
        if (weight != 0 && (times_in(result, i) == 0 || abs(weight) > 1))
            return -1;
        score += weight != 0;
    }
    return score;
}

static struct combination choose_law(const struct product *product, enum label_kind kind,
                                     const struct product_operand *A,
                                     const struct product_operand *B,
                                     const struct product_operand *result)
{
    static const struct combination tried[] = {{1, 1}, {1, -1}, {1, 0}, {0, 1}};
    struct combination best = {0, 0};
    int best_score = -1;
    for (int t = 0; t < (B ? 4 : 1); t++) {
        int score = score_law(product, kind, tried[t], A, B, result);
        if (score > best_score) {
            best_score = score;
            best = tried[t];
        }
    }
    return best;
}

static void set_labels(const struct product *product, const struct product_operand *A,
                       const struct product_operand *B, struct product_operand *result)
{
    const struct combination irreps = choose_law(product, IRREPS, A, B, result);
    const struct combination spins = choose_law(product, SPINS, A, B, result);
    for (int d = 0; d < result->rank; d++) {
        int index = result->index[d];
        result->has_irrep[d] = !index_has_labels(product, IRREPS, index) ||
                               combined_weight(IRREPS, irreps, A, B, index) != 0;
        result->sign[d] = (int8_t)(index_has_labels(product, SPINS, index)
                                       ? combined_weight(SPINS, spins, A, B, index)
                                       : 1);
    }
    result->irrep = (irreps.of_A ? A->irrep : 0) ^ (B && irreps.of_B ? B->irrep : 0);
    result->spin = spins.of_A * A->spin + (B ? spins.of_B * B->spin : 0);
}

void product_combine(const struct product *product, uint64_t part, const struct product_operand *A,
                     const struct product_operand *B, struct product_operand *result)
{
    *result = (struct product_operand){0};
    if (B)
        append_indices(product, part, A, B, true, result);
    append_indices(product, part, A, B, false, result);
    append_indices(product, part, B, A, false, result);
    set_labels(product, A, B, result);
}
