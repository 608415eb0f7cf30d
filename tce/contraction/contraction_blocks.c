/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/contraction/contraction_blocks.h"

#include "tce/tensor/permute.h"

struct block_strides block_strides_of(const struct index_list *order,
                                      const int64_t extent[MAX_INDICES])
{
    struct block_strides strides = {{0}};
    int64_t size = 1;
    for (int d = order->n - 1; d >= 0; d--) {
        strides.of[order->index[d]] += size;
        size *= extent[order->index[d]];
    }
    return strides;
}

struct index_list contraction_stored_order(const struct index_list *own,
                                           const struct signed_permutation *image)
{
    struct index_list order = {.n = own->n};
    for (int d = 0; d < own->n; d++)
        order.index[d] = own->index[image->place[d]];
    return order;
}

/* Steps of `position` through all values of the list's indices, the last one fastest; false
 * when it is back at the first. value counts, from zeros. */
static bool next_position(const struct index_list *list, const int64_t extent[],
                          const struct block_strides *strides, int64_t value[MAX_RANK],
                          int64_t *position)
{
    for (int d = list->n - 1; d >= 0; d--) {
        int index = list->index[d];
        *position += strides->of[index];
        if (++value[d] < extent[index])
            return true;
        *position -= value[d] * strides->of[index];
        value[d] = 0;
    }
    return false;
}

void contraction_copy(const struct block_strides *strides, const struct index_list *order,
                      const int64_t extent[MAX_INDICES], double factor, const double *source,
                      bool add, double *destination)
{
    struct permute_shape shape = {.rank = order->n};
    struct index_list lone = {0};
    int64_t position = 0, value[MAX_RANK] = {0};
    for (int d = 0; d < order->n; d++) {
        shape.extent[d] = extent[order->index[d]];
        shape.stride[d] = strides->of[order->index[d]];
    }
    for (int x = 0; x < MAX_INDICES; x++)
        if (strides->of[x] > 0 && index_list_count(order, x) == 0)
            index_list_append(&lone, x);
    do {
        permute(&shape, factor, source + position, add, destination);
        add = true;
    } while (next_position(&lone, extent, strides, value, &position));
}

_Static_assert((int)MAX_INDICES <= (int)PRODUCT_MAX_DIMENSIONS,
               "each index of a contraction is a dimension of its products");

void contraction_set_side(enum product_side side, const struct block_strides *strides,
                          struct dense_product *product)
{
    for (int x = 0; x < MAX_INDICES; x++)
        product->dimension[x].stride[side] = strides->of[x];
}

void contraction_lay_out_side(enum product_side side, const struct index_list *order,
                              struct dense_product *product)
{
    int64_t size = 1;
    for (int d = order->n - 1; d >= 0; d--) {
        struct product_dimension *dimension = &product->dimension[order->index[d]];
        dimension->stride[side] += size;
        size *= dimension->extent;
    }
}
