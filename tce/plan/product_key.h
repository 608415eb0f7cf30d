/* Products that are the same but for the names of indices and the order of factors. */
#ifndef BERYL_TCE_PRODUCT_KEY_H
#define BERYL_TCE_PRODUCT_KEY_H

#include "tce/plan/product.h"

#include <stdbool.h>
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

#endif
