/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/plan/pair_choice.h"

#include "tce/tensor/pair_space.h"

/* Pairs that are considered of a product. */
enum { MOST_CANDIDATES = 10 };

/* A product whose pairs are to be found. */
struct pair_search {
    const struct product *product;
    const struct product_operand *C;
    const struct pair_factor *factor[2];
    int n;
    struct index_pair candidate[MOST_CANDIDATES];
};

/* The place of an index in an operand; -1: it has none, -2: several. */
static int single_place(const struct product_operand *operand, int index)
{
    int place = -1;
    for (int d = 0; d < operand->rank; d++)
        if (operand->index[d] == index)
            place = place == -1 ? d : -2;
    return place;
}

/* Whether an operand has both, each once and with the same labels, or none of them.
 * has  out: whether it has them */
static bool are_alike_in(const struct product_operand *operand, int left, int right, bool *has)
{
    int l = single_place(operand, left), r = single_place(operand, right);
    *has = l >= 0;
    if (l < 0 || r < 0)
        return l == -1 && r == -1;
    return operand->has_irrep[l] == operand->has_irrep[r] && operand->sign[l] == operand->sign[r];
}

/* Whether two indices may be a pair: of one space, and both in the same two of A, B and C. */
static bool may_pair(const struct pair_search *search, int left, int right)
{
    const struct product *product = search->product;
    bool in_A, in_B, in_C;
    if (left == right || product->index[left].space != product->index[right].space ||
        !pair_space_is_possible(product->spaces->spaces[product->index[left].space].space))
        return false;
    return are_alike_in(search->factor[0]->operand, left, right, &in_A) &&
           are_alike_in(search->factor[1]->operand, left, right, &in_B) &&
           are_alike_in(search->C, left, right, &in_C) && in_A + in_B + in_C == 2;
}

static struct index_pair make_pair(int left, int right)
{
    return left < right ? (struct index_pair){{left, right}} : (struct index_pair){{right, left}};
}

static bool is_pair(const struct index_pair *a, const struct index_pair *b)
{
    return a->index[0] == b->index[0] && a->index[1] == b->index[1];
}

/* Whether a permutation exchanges places two by two. */
static bool is_exchange(const struct signed_permutation *permutation, int rank)
{
    bool exchange = true;
    for (int d = 0; d < rank; d++)
        exchange = exchange && permutation->place[permutation->place[d]] == d;
    return exchange;
}

/* Notes the pairs of a permutation, if all of what it exchanges may be pairs. */
static void note_candidates(struct pair_search *search, const struct product_operand *operand,
                            const struct signed_permutation *permutation)
{
    if (!is_exchange(permutation, operand->rank))
        return;
    for (int d = 0; d < operand->rank; d++)
        if (permutation->place[d] > d &&
            !may_pair(search, operand->index[d], operand->index[permutation->place[d]]))
            return;
    for (int d = 0; d < operand->rank; d++) {
        if (permutation->place[d] <= d)
            continue;
        const struct index_pair pair =
            make_pair(operand->index[d], operand->index[permutation->place[d]]);
        int c = 0;
        while (c < search->n && !is_pair(&search->candidate[c], &pair))
            c++;
        if (c == MOST_CANDIDATES)
            return;
        search->candidate[c] = pair;
        search->n += c == search->n;
    }
}

unsigned pair_choice_in(const struct pair_choice *choice, const struct product_operand *operand)
{
    unsigned pairs = 0;
    for (int p = 0; p < choice->n; p++)
        if (single_place(operand, choice->pair[p].index[0]) >= 0)
            pairs |= 1U << p;
    return pairs;
}

/* The chosen pairs that a permutation exchanges; false if it moves anything else. */
static bool find_flip(const struct pair_choice *choice, const struct product_operand *operand,
                      const struct signed_permutation *permutation, unsigned *pairs)
{
    *pairs = 0;
    if (!is_exchange(permutation, operand->rank))
        return false;
    for (int d = 0; d < operand->rank; d++) {
        if (permutation->place[d] == d)
            continue;
        const struct index_pair pair =
            make_pair(operand->index[d], operand->index[permutation->place[d]]);
        int p = 0;
        while (p < choice->n && !is_pair(&choice->pair[p], &pair))
            p++;
        if (p == choice->n)
            return false;
        *pairs |= 1U << p;
    }
    return true;
}

int pair_choice_flips(const struct pair_choice *choice, const struct pair_factor *factor,
                      struct pair_flip flips[PAIRS_MAX_COMBINATIONS])
{
    int n = 1;
    flips[0] = (struct pair_flip){0, 1};
    for (int e = 0; factor->symmetry && e < factor->symmetry->n; e++) {
        const struct signed_permutation *permutation = &factor->symmetry->elements[e];
        unsigned pairs;
        if (!find_flip(choice, factor->operand, permutation, &pairs))
            continue;
        int f = 0;
        while (f < n && flips[f].pairs != pairs)
            f++;
        if (f == n)
            flips[n++] = (struct pair_flip){pairs, permutation->sign};
    }
    return n;
}

/* Whether parts with these signs, bit p for -1 of pair p, are not zero. */
static bool meets_flips(unsigned negative, int n, const struct pair_flip flips[])
{
    for (int f = 0; f < n; f++) {
        int sign = __builtin_popcount(negative & flips[f].pairs) % 2 == 0 ? 1 : -1;
        if (sign != flips[f].sign)
            return false;
    }
    return true;
}

static void find_combinations(const struct pair_search *search, struct pair_choice *choice)
{
    struct pair_flip flips[2][PAIRS_MAX_COMBINATIONS];
    int n[2];
    for (int f = 0; f < 2; f++)
        n[f] = pair_choice_flips(choice, search->factor[f], flips[f]);
    choice->n_combinations = 0;
    for (unsigned negative = 0; negative < 1U << choice->n; negative++) {
        if (!meets_flips(negative, n[0], flips[0]) || !meets_flips(negative, n[1], flips[1]))
            continue;
        int8_t *sign = choice->sign[choice->n_combinations++];
        for (int p = 0; p < choice->n; p++)
            sign[p] = negative >> p & 1 ? -1 : 1;
    }
}

double pair_choice_fraction(const struct pair_choice *choice)
{
    return choice->n_combinations / (double)(1 << choice->n);
}

/* The candidates in a set, if no index is in two of them. */
static bool take_candidates(const struct pair_search *search, unsigned set,
                            struct pair_choice *choice)
{
    *choice = (struct pair_choice){0};
    for (int c = 0; c < search->n; c++) {
        const struct index_pair *pair = &search->candidate[c];
        if (!(set >> c & 1))
            continue;
        for (int p = 0; p < choice->n; p++)
            for (int i = 0; i < 4; i++)
                if (choice->pair[p].index[i / 2] == pair->index[i % 2])
                    return false;
        choice->pair[choice->n++] = *pair;
    }
    return true;
}

int pair_choices_list(const struct product *product, const struct pair_factor *A,
                      const struct pair_factor *B, const struct product_operand *C, int most,
                      struct pair_choice choices[])
{
    struct pair_search search = {.product = product, .C = C, .factor = {A, B}};
    int n = 0;
    for (int f = 0; f < 2; f++)
        for (int e = 1; search.factor[f]->symmetry && e < search.factor[f]->symmetry->n; e++)
            note_candidates(&search, search.factor[f]->operand,
                            &search.factor[f]->symmetry->elements[e]);
    for (unsigned set = 1; set < 1U << search.n && n < most; set++) {
        if (__builtin_popcount(set) > PAIRS_MAX || !take_candidates(&search, set, &choices[n]))
            continue;
        find_combinations(&search, &choices[n]);
        /* Without a combination the product is zero; it is left as it is. */
        if (choices[n].n_combinations > 0 && pair_choice_fraction(&choices[n]) < 1)
            n++;
    }
    return n;
}
