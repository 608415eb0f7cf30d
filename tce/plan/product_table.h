/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers for the products of a program. Those that differ only in the names of indices and the
 * order of factors have the same key, and so the same number. */
#ifndef BERYL_TCE_PRODUCT_TABLE_H
#define BERYL_TCE_PRODUCT_TABLE_H

#include "support/base/status.h"
#include "tce/plan/product.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Factors of a product that has a key: equal tensors are tried in all orders. */
enum { KEY_MAX_FACTORS = 6 };

/* Two parts are the same if their words are: the number of factors; of each factor the
 * tensor, its version and, of each place, twice the number of the index, plus 1 if the
 * part has it. Indices are numbered as they first occur; factors are in the order of
 * tensors and versions, equal ones so that the words are the least. */
struct product_key {
    int n_words;
    int word[1 + KEY_MAX_FACTORS * (2 + MAX_RANK)];
    int n_indices;
    int index[KEY_MAX_FACTORS * MAX_RANK]; /* of the product, by these numbers */
};

/* False if the part has too many factors. */
bool product_key(const struct product *product, uint64_t part, struct product_key *key);

/* Begins as zeros. */
struct product_table {
    int n; /* products, numbered as they came */
    int64_t n_words;
    int64_t firsts_capacity, words_capacity;
    int64_t *first; /* n + 1, in word; NULL while n is 0 */
    int *word;
    size_t n_slots; /* a power of 2 */
    int *slot;      /* a product's number + 1, at or after its hash; 0: free */
};

/* The number of a product, -1 if it is not there. */
int product_table_find(const struct product_table *table, const struct product_key *key);

/* product_table_find that adds the product if it is not there. Errors: STATUS_NO_MEMORY. */
enum status product_table_add(struct product_table *table, const struct product_key *key,
                              int *number);

void product_table_fini(struct product_table *table);

#endif
