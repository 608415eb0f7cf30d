/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/plan/pair_choice.h"

#include "tce/tensor/pair_space.h"

#include <stdlib.h>

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

/* Notes a permutation and its pairs, if all of what it exchanges may be pairs. */
static void note_flip(struct pair_search *search, int f,
                      const struct signed_permutation *permutation)
{
    const struct product_operand *operand = search->factor[f]->operand;
    struct pair_flip flip = {.sign = permutation->sign};
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
        if (c == PAIRS_MAX_CANDIDATES)
            return;
        search->candidate[c] = pair;
        search->n += c == search->n;
        flip.pairs |= UINT64_C(1) << c;
    }
    search->flips[f][search->n_flips[f]++] = flip;
}

enum status pair_search_init(const struct product *product, const struct pair_factor *A,
                             const struct pair_factor *B, const struct product_operand *C,
                             struct pair_search *search)
{
    *search = (struct pair_search){.product = product, .C = C, .factor = {A, B}};
    for (int f = 0; f < 2; f++) {
        const struct symmetry *symmetry = search->factor[f]->symmetry;
        int n = symmetry ? symmetry->n : 0;
        search->flips[f] = calloc((size_t)n + 1, sizeof *search->flips[f]);
        TRY(CHECK_MEMORY(search->flips[f], "no memory for %d symmetries of a product", n));
        for (int e = 1; e < n; e++)
            note_flip(search, f, &symmetry->elements[e]);
    }
    return STATUS_OK;
}

void pair_search_fini(struct pair_search *search)
{
    for (int f = 0; f < 2; f++)
        free(search->flips[f]);
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
        int sign = __builtin_popcountll(negative & flips[f].pairs) % 2 == 0 ? 1 : -1;
        if (sign != flips[f].sign)
            return false;
    }
    return true;
}

/* The flips of a factor that exchange chosen pairs alone, as bits of the choice. */
static int list_chosen_flips(const struct pair_search *search, int f,
                             const int chosen[PAIRS_MAX_CANDIDATES],
                             struct pair_flip flips[PAIRS_MAX_COMBINATIONS])
{
    int n = 0;
    for (int e = 0; e < search->n_flips[f]; e++) {
        uint64_t pairs = 0, candidates = search->flips[f][e].pairs;
        if (candidates & ~search->set)
            continue;
        for (uint64_t left = candidates; left != 0; left &= left - 1)
            pairs |= UINT64_C(1) << chosen[__builtin_ctzll(left)];
        int met = 0;
        while (met < n && flips[met].pairs != pairs)
            met++;
        if (met == n)
            flips[n++] = (struct pair_flip){pairs, search->flips[f][e].sign};
    }
    return n;
}

/* chosen  numbers in the choice of the candidates that are in it */
static void find_combinations(const struct pair_search *search,
                              const int chosen[PAIRS_MAX_CANDIDATES], struct pair_choice *choice)
{
    struct pair_flip flips[2][PAIRS_MAX_COMBINATIONS];
    int n[2];
    for (int f = 0; f < 2; f++)
        n[f] = list_chosen_flips(search, f, chosen, flips[f]);
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

/* The candidates in the set at hand, if no index is in two of them. */
static bool take_candidates(const struct pair_search *search, int chosen[PAIRS_MAX_CANDIDATES],
                            struct pair_choice *choice)
{
    choice->n = 0;
    for (uint64_t left = search->set; left != 0; left &= left - 1) {
        int c = __builtin_ctzll(left);
        const struct index_pair *pair = &search->candidate[c];
        for (int p = 0; p < choice->n; p++)
            for (int i = 0; i < 4; i++)
                if (choice->pair[p].index[i / 2] == pair->index[i % 2])
                    return false;
        chosen[c] = choice->n;
        choice->pair[choice->n++] = *pair;
    }
    return true;
}

/* The next set, as a number, of at most PAIRS_MAX candidates. */
static bool next_set(struct pair_search *search)
{
    search->set++;
    while (__builtin_popcountll(search->set) > PAIRS_MAX)
        search->set += search->set & -search->set;
    return search->set < UINT64_C(1) << search->n;
}

bool pair_search_next(struct pair_search *search, struct pair_choice *choice)
{
    int chosen[PAIRS_MAX_CANDIDATES];
    while (next_set(search)) {
        if (!take_candidates(search, chosen, choice))
            continue;
        find_combinations(search, chosen, choice);
        /* Without a combination the product is zero; it is left as it is. */
        if (choice->n_combinations > 0 && pair_choice_fraction(choice) < 1)
            return true;
    }
    return false;
}
