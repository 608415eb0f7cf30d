/* Numbers for the products that a program has, up to names of indices and order of factors. */
#ifndef BERYL_TCE_PRODUCT_TABLE_H
#define BERYL_TCE_PRODUCT_TABLE_H

#include "support/base/status.h"
#include "tce/plan/product_key.h"

#include <stddef.h>
#include <stdint.h>

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

/* The same, adding it if it is not there. Errors: STATUS_NO_MEMORY. */
enum status product_table_add(struct product_table *table, const struct product_key *key,
                              int *number);

void product_table_fini(struct product_table *table);

#endif
