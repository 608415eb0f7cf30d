/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/plan/product_table.h"

#include "support/base/array.h"

#include <stdlib.h>
#include <string.h>

/* --- keys --- */

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

/* --- the table --- */

/* Source: Fowler, Noll, Vo, the hash function FNV-1a, on words instead of bytes. */
static uint64_t hash_words(int n_words, const int *word)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (int w = 0; w < n_words; w++)
        hash = (hash ^ (uint64_t)word[w]) * UINT64_C(1099511628211);
    return hash ^ hash >> 32;
}

/* The slot of these words, or the free one where they belong. */
static size_t find_slot(const struct product_table *table, int n_words, const int *word)
{
    size_t s = hash_words(n_words, word) & (table->n_slots - 1);
    for (; table->slot[s] != 0; s = (s + 1) & (table->n_slots - 1)) {
        int64_t first = table->first[table->slot[s] - 1], end = table->first[table->slot[s]];
        if (end - first == n_words &&
            memcmp(table->word + first, word, (size_t)n_words * sizeof *word) == 0)
            break;
    }
    return s;
}

/* Twice as many slots, so that at most half of them are taken. */
static enum status grow_slots(struct product_table *table)
{
    size_t n_slots = table->n_slots > 0 ? 2 * table->n_slots : 64;
    int *slot = calloc(n_slots, sizeof *slot);
    TRY(CHECK_MEMORY(slot, "no memory for the products of a program"));
    free(table->slot);
    table->slot = slot;
    table->n_slots = n_slots;
    for (int p = 0; p < table->n; p++) {
        int64_t first = table->first[p];
        slot[find_slot(table, (int)(table->first[p + 1] - first), table->word + first)] = p + 1;
    }
    return STATUS_OK;
}

int product_table_find(const struct product_table *table, const struct product_key *key)
{
    if (table->n == 0)
        return -1;
    return table->slot[find_slot(table, key->n_words, key->word)] - 1;
}

enum status product_table_add(struct product_table *table, const struct product_key *key,
                              int *number)
{
    *number = product_table_find(table, key);
    if (*number >= 0)
        return STATUS_OK;
    TRY(array_reserve(&table->first, table->n + 2, &table->firsts_capacity, sizeof *table->first));
    TRY(array_reserve(&table->word, table->n_words + key->n_words, &table->words_capacity,
                      sizeof *table->word));
    if (2 * ((size_t)table->n + 1) > table->n_slots)
        TRY(grow_slots(table));
    memcpy(table->word + table->n_words, key->word, (size_t)key->n_words * sizeof *key->word);
    table->slot[find_slot(table, key->n_words, key->word)] = table->n + 1;
    table->first[table->n] = table->n_words;
    table->n_words += key->n_words;
    *number = table->n++;
    table->first[table->n] = table->n_words;
    return STATUS_OK;
}

void product_table_fini(struct product_table *table)
{
    free(table->first);
    free(table->word);
    free(table->slot);
    *table = (struct product_table){0};
}
