#include "tce/plan/product.h"

#include <stdlib.h>

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

/* What the irrep (spin) of an index is multiplied with in the law of an operand. */
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

static bool has_irreps(const struct product *product, int index)
{
    return product->spaces->spaces[product->index[index].space].without_irreps != NULL;
}

static bool has_spins(const struct product *product, int index)
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

/* Of how many of the result's indices the law of irreps speaks; -1 if also of a summed one. */
static int irrep_score(const struct product *product, struct combination c,
                       const struct product_operand *A, const struct product_operand *B,
                       const struct product_operand *result)
{
    int score = 0;
    for (int i = 0; i < product->n_indices; i++) {
        if (!has_irreps(product, i) || irrep_in(c, A, B, i) == 0)
            continue;
        if (times_in(result, i) == 0)
            return -1;
        score++;
    }
    return score;
}

/* The same of spins; -1 also if a weight is not one that labels of a tensor can have. */
static int spin_score(const struct product *product, struct combination c,
                      const struct product_operand *A, const struct product_operand *B,
                      const struct product_operand *result)
{
    int score = 0;
    for (int i = 0; i < product->n_indices; i++) {
        int weight = has_spins(product, i) ? spin_in(c, A, B, i) : 0;
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
        result->has_irrep[d] =
            !has_irreps(product, result->index[d]) || irrep_in(best, A, B, result->index[d]) != 0;
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
        result->sign[d] =
            (int8_t)(has_spins(product, result->index[d]) ? spin_in(best, A, B, result->index[d])
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
