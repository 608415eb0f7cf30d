#include "tce/plan/product_table.h"

#include "support/base/array.h"

#include <stdlib.h>
#include <string.h>

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
    if (!slot)
        return FAIL(STATUS_NO_MEMORY, "no memory for the products of a program");
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
