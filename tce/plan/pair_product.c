/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/plan/pair_product.h"

#include "support/base/array.h"

#include <stdlib.h>

/* The space of pairs of a space of the plan; its number. */
static enum status find_pair_space(struct plan *plan, int of, int sign,
                                   const struct pair_space **pairs, int *number)
{
    for (int p = 0; p < plan->n_pair_spaces; p++) {
        const struct plan_pair_space *known = &plan->pair_spaces[p];
        if (known->of != of || known->pairs->sign != sign)
            continue;
        *pairs = known->pairs;
        *number = known->number;
        return STATUS_OK;
    }
    TRY(array_append(&plan->pair_spaces, &plan->n_pair_spaces, sizeof *plan->pair_spaces));
    struct plan_pair_space *made = &plan->pair_spaces[plan->n_pair_spaces - 1];
    made->of = of;
    TRY(pair_space_create(plan->spaces.spaces[of].space, sign, &made->pairs));
    TRY(label_spaces_add(&plan->spaces, made->pairs->space, &made->number));
    *pairs = made->pairs;
    *number = made->number;
    return STATUS_OK;
}

static enum status number_pairs(struct plan *plan, struct pair_product *made)
{
    struct product *product = &made->product;
    for (int p = 0; p < made->choice->n; p++) {
        const int *of = made->choice->pair[p].index;
        struct product_index *index = &product->index[product->n_indices];
        *index = (struct product_index){.name = made->full->index[of[0]].name,
                                        .with = made->full->index[of[1]].name};
        TRY(find_pair_space(plan, made->full->index[of[0]].space, made->sign[p], &made->pairs[p],
                            &index->space));
        made->number[of[0]] = made->number[of[1]] = product->n_indices++;
    }
    return STATUS_OK;
}

static void number_others(struct pair_product *made)
{
    for (int i = 0; i < made->full->n_indices; i++) {
        if (made->number[i] >= 0)
            continue;
        made->number[i] = made->product.n_indices;
        made->product.index[made->product.n_indices++] =
            (struct product_index){.name = made->full->index[i].name,
                                   .with = made->full->index[i].with,
                                   .space = made->full->index[i].space};
    }
}

/* The pair that an index is the first or the second of; -1: it is in none. */
static int pair_of_index(const struct pair_choice *choice, int index, bool *second)
{
    for (int p = 0; p < choice->n; p++)
        for (int i = 0; i < 2; i++)
            if (choice->pair[p].index[i] == index) {
                *second = i == 1;
                return p;
            }
    return -1;
}

/* An operand over the pairs, each where the first of its indices is. */
static struct product_operand operand_over_pairs(const struct pair_product *made,
                                                 const struct product_operand *full)
{
    struct product_operand packed = {.irrep = full->irrep, .spin = full->spin};
    for (int d = 0; d < full->rank; d++) {
        bool second = false;
        int pair = pair_of_index(made->choice, full->index[d], &second);
        if (pair >= 0 && second)
            continue;
        int e = packed.rank++, number = made->number[full->index[d]];
        const struct label_space *space =
            &made->product.spaces->spaces[made->product.index[number].space];
        packed.index[e] = number;
        packed.has_irrep[e] = full->has_irrep[d] || !space->without_irreps;
        packed.sign[e] = space->has_spins ? full->sign[d] : 1;
    }
    return packed;
}

static void note_operand(struct pair_product *made, const struct product_operand *operand,
                         uint64_t factor)
{
    for (int d = 0; d < operand->rank; d++) {
        struct product_index *index = &made->product.index[operand->index[d]];
        index->factors |= factor;
        index->outer = index->outer || factor == 0;
    }
}

enum status pair_product_init(struct plan *plan, const struct product *full,
                              const struct pair_choice *choice, const int8_t *sign,
                              const struct product_operand *A, const struct product_operand *B,
                              const struct product_operand *C, struct pair_product *made)
{
    size_t n = (size_t)(full->n_indices + PAIRS_MAX);
    *made = (struct pair_product){.full = full, .choice = choice, .sign = sign};
    made->product = (struct product){.spaces = &plan->spaces,
                                     .n_factors = 2,
                                     .factor = calloc(2, sizeof *made->product.factor),
                                     .index = calloc(n, sizeof *made->product.index)};
    made->number = malloc(n * sizeof *made->number);
    TRY(CHECK_MEMORY(made->product.factor && made->product.index && made->number,
                     "no memory for a product over pairs"));
    for (int i = 0; i < full->n_indices; i++)
        made->number[i] = -1;
    TRY(number_pairs(plan, made));
    number_others(made);
    made->product.factor[0].operand = operand_over_pairs(made, A);
    made->product.factor[1].operand = operand_over_pairs(made, B);
    made->product.target = operand_over_pairs(made, C);
    note_operand(made, &made->product.factor[0].operand, 1);
    note_operand(made, &made->product.factor[1].operand, 2);
    note_operand(made, &made->product.target, 0);
    return STATUS_OK;
}

void pair_product_fini(struct pair_product *made)
{
    product_fini(&made->product);
    free(made->number);
    *made = (struct pair_product){0};
}

/* One of each set of exchanges that the factor's symmetry makes equal, with the sign of the parts.
 * place_of  of each pair in the packed tensor */
static void list_packing_terms(const struct pair_product *pairs, const struct pair_factor *factor,
                               const int place_of[PAIRS_MAX], struct packing *packing)
{
    struct pair_flip flips[PAIRS_MAX_COMBINATIONS];
    unsigned in = pair_choice_in(pairs->choice, factor->operand);
    bool met[PAIRS_MAX_COMBINATIONS] = {false};
    int n_flips = pair_choice_flips(pairs->choice, factor, flips);
    for (unsigned exchanged = 0; exchanged < 1U << pairs->choice->n; exchanged++) {
        if ((exchanged & ~in) != 0 || met[exchanged])
            continue;
        struct packing_term *term = &packing->term[packing->n_terms++];
        *term = (struct packing_term){0, 1};
        for (int p = 0; p < pairs->choice->n; p++)
            if (exchanged >> p & 1) {
                term->flipped |= 1U << place_of[p];
                term->factor *= pairs->sign[p];
            }
        for (int f = 0; f < n_flips; f++)
            met[exchanged ^ flips[f].pairs] = true;
    }
    for (int t = 0; t < packing->n_terms; t++)
        packing->term[t].factor /= packing->n_terms;
}

void pair_product_packing(const struct pair_product *pairs, const struct pair_factor *factor,
                          bool weighted, struct packing *packing)
{
    const struct product_operand *operand = factor->operand;
    int place_of[PAIRS_MAX] = {0};
    *packing = (struct packing){0};
    for (int d = 0; d < operand->rank; d++) {
        bool second = false;
        int pair = pair_of_index(pairs->choice, operand->index[d], &second), e = 0;
        if (pair >= 0 && second)
            continue;
        struct packed_place *place = &packing->place[packing->n++];
        *place = (struct packed_place){.first = d, .second = -1};
        if (pair < 0)
            continue;
        place_of[pair] = packing->n - 1;
        while (operand->index[e] != pairs->choice->pair[pair].index[1])
            e++;
        place->second = e;
        place->pairs = pairs->pairs[pair];
        place->weighted = weighted && !pairs->product.index[pairs->number[operand->index[d]]].outer;
    }
    list_packing_terms(pairs, factor, place_of, packing);
}
