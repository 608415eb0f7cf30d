/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/plan/product.h"

struct key_search {
    const struct product *product;
    uint64_t part;
    struct product_key key, least; /* so far */
};

static void append_key_factor(struct key_search *search, int f)
{
    const struct product_factor *factor = &search->product->factor[f];
    struct product_key *key = &search->key;
    key->word[key->n_words++] = factor->tensor;
    key->word[key->n_words++] = factor->version;
    for (int d = 0; d < factor->operand.rank; d++) {
        int index = factor->operand.index[d], number = 0;
        while (number < key->n_indices && key->index[number] != index)
            number++;
        if (number == key->n_indices)
            key->index[key->n_indices++] = index;
        key->word[key->n_words++] = 2 * number + product_has(search->product, search->part, index);
    }
}

static int compare_words(const struct product_key *left, const struct product_key *right)
{
    for (int w = 0; w < left->n_words; w++)
        if (left->word[w] != right->word[w])
            return left->word[w] < right->word[w] ? -1 : 1;
    return 0;
}

static int compare_factors(const struct product *product, int f, int g)
{
    const struct product_factor *left = &product->factor[f], *right = &product->factor[g];
    if (left->tensor != right->tensor)
        return left->tensor < right->tensor ? -1 : 1;
    return (left->version > right->version) - (left->version < right->version);
}

/* Appends the factors that are left in every order that tensors and versions allow. */
static void search_factor_orders(struct key_search *search, uint64_t left)
{
    const struct product *product = search->product;
    if (left == 0) {
        if (search->least.n_words == 0 || compare_words(&search->key, &search->least) < 0)
            search->least = search->key;
        return;
    }
    int first = -1;
    for (int f = 0; f < product->n_factors; f++)
        if ((left >> f & 1) && (first < 0 || compare_factors(product, f, first) < 0))
            first = f;
    int n_words = search->key.n_words, n_indices = search->key.n_indices;
    for (int f = first; f < product->n_factors; f++) {
        if (!(left >> f & 1) || compare_factors(product, f, first) != 0)
            continue;
        append_key_factor(search, f);
        search_factor_orders(search, left & ~(UINT64_C(1) << f));
        search->key.n_words = n_words;
        search->key.n_indices = n_indices;
    }
}

bool product_key(const struct product *product, uint64_t part, struct product_key *key)
{
    int n = __builtin_popcountll(part);
    if (n > KEY_MAX_FACTORS)
        return false;
    struct key_search search = {.product = product, .part = part};
    search.key.word[search.key.n_words++] = n;
    search_factor_orders(&search, part);
    *key = search.least;
    return true;
}
