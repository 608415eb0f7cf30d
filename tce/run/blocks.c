/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/blocks.h"

#include "tce/tensor/permute.h"

#include <assert.h>

int index_list_count(const struct index_list *list, int index)
{
    int n = 0;
    for (int d = 0; d < list->n; d++)
        n += list->index[d] == index;
    return n;
}

int index_list_place(const struct index_list *list, int index)
{
    int d = 0;
    while (list->index[d] != index)
        d++;
    return d;
}

void index_list_append(struct index_list *list, int index)
{
    assert(list->n < MAX_RANK);
    list->index[list->n++] = index;
}

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

struct index_list blocks_stored_order(const struct index_list *own,
                                      const struct signed_permutation *image)
{
    struct index_list order = {.n = own->n};
    for (int d = 0; d < own->n; d++)
        order.index[d] = own->index[image->place[d]];
    return order;
}

/* Advances `value` and its `position` to the next values of the list's indices, the last one fastest; false
 * after the last. */
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

void blocks_copy(const struct block_strides *strides, const struct index_list *order,
                 const int64_t extent[MAX_INDICES], double factor, const double *source, bool add,
                 double *destination)
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

/* The loops with the innermost one fastest on the side that is written. */
void blocks_copy_box(int rank, const int64_t extent[], const int64_t from_stride[],
                     const double *from, const int64_t to_stride[], double *to)
{
    int inner = rank - 1;
    for (int d = 0; d < rank; d++)
        if (extent[d] > 1 && (extent[inner] == 1 || to_stride[d] < to_stride[inner]))
            inner = d;
    int64_t n = rank > 0 ? extent[inner] : 1, value[MAX_RANK] = {0};
    int64_t from_step = rank > 0 ? from_stride[inner] : 0,
            to_step = rank > 0 ? to_stride[inner] : 0;
    for (;;) {
        for (int64_t i = 0; i < n; i++)
            to[i * to_step] = from[i * from_step];
        int d = rank - 1;
        for (; d >= 0; d--) {
            if (d == inner)
                continue;
            from += from_stride[d];
            to += to_stride[d];
            if (++value[d] < extent[d])
                break;
            from -= value[d] * from_stride[d];
            to -= value[d] * to_stride[d];
            value[d] = 0;
        }
        if (d < 0)
            return;
    }
}
