/* SPDX-License-Identifier: BSD-3-Clause */
/* A product of tensors, summed over the indices that its target lacks: the cost of the
 * product and its parts. A part is a set of factors, bit f for factor f. Its value is
 * summed over the indices that occur neither in other factors nor in the target. */
#pragma once

#include "support/base/status.h"
#include "tce/language/program.h"
#include "tce/plan/label_spaces.h"

#include <stdbool.h>
#include <stdint.h>

/* A tensor with named indices and what labels allow of it:
 *     product of irrep(index[d]) over d with has_irrep[d] = irrep,
 *     sum of sign[d] spin(index[d]) = spin.
 * A program's tensors have all irreps and signs +1 or -1. Of intermediates some indices
 * may be free: has_irrep false, sign 0. In a space whose irreps (spins) are all 0,
 * has_irrep is true (sign +1). */
struct product_operand {
    int rank;
    int index[MAX_RANK]; /* numbers of product->index */
    bool has_irrep[MAX_RANK];
    int8_t sign[MAX_RANK];
    int irrep, spin;
};

/* A tensor with indices of the product. */
struct product_factor {
    int tensor;  /* number, or -1 */
    int version; /* how often it has been changed before; 0 of intermediates */
    struct product_operand operand;
};

struct product_index {
    int name; /* number of program_index */
    int with; /* likewise, if it stands for pairs of the values of two; else -1 */
    int space;
    bool outer;       /* the target has it */
    uint64_t factors; /* that have it */
};

struct product {
    const struct label_spaces *spaces; /* borrowed */
    struct product_factor target;
    int n_factors;
    struct product_factor *factor;
    int n_indices;
    struct product_index *index;
};

/* version  of each of the program's tensors
 * Errors: STATUS_NO_MEMORY; nothing is then held. */
enum status product_init(const struct program *program, const struct label_spaces *spaces,
                         const struct program_factor *target, const struct program_term *term,
                         const int version[], struct product *product);
void product_fini(struct product *product);

/* The set of all factors. */
uint64_t product_all(const struct product *product);

/* Whether the part has this index: it occurs there, and in other factors or the target. */
bool product_has(const struct product *product, uint64_t part, int index);

/* Indices of a part; may be more than MAX_RANK. */
int product_rank(const struct product *product, uint64_t part);

/* The part that A and B make (B may be NULL here and below: A with sums over indices that only it
 * has). Its indices are the common ones of A and B, then A's, then B's, in their orders. Its labels
 * are the combination of the factors' labels that lacks the summed indices and has the most
 * indices. The part must have at most MAX_RANK indices. */
void product_combine(const struct product *product, uint64_t part, const struct product_operand *A,
                     const struct product_operand *B, struct product_operand *result);

/* Tuples of values of all indices that occur in A or B, such that each of them has a block: the elements of A
 * alone, or the multiplications of a contraction. Errors: STATUS_NO_MEMORY. */
enum status product_count(const struct product *product, const struct product_operand *A,
                          const struct product_operand *B, double *count);

/* The canonical form of a part: two parts compute the same if their words are equal. The words are
 * the number of factors and, for each factor, its tensor, its version and, for each position, twice
 * the number of the index, plus 1 if the part has it. Indices are numbered as they first occur;
 * factors are sorted by tensor and version, those equal in both permuted to the lexicographically
 * smallest words. */
struct product_key {
    int n_words;
    int word[1 + PROGRAM_MAX_FACTORS * (2 + MAX_RANK)];
    int n_indices;
    int index[PROGRAM_MAX_FACTORS * MAX_RANK]; /* of the product, by these numbers */
};

/* Parts that differ only in the names of indices and the order of factors have the same words. */
void product_key(const struct product *product, uint64_t part, struct product_key *key);
