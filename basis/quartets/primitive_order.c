/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/quartets/primitive_order.h"

#include <stdbool.h>
#include <string.h>

enum { MAX_KINDS = 128 }; /* of numbers of primitives: MAX_KINDS - 1 and more are one kind */

static int count_kinds(const struct pair_class *class)
{
    return class->max_primitives < MAX_KINDS ? class->max_primitives + 1 : MAX_KINDS;
}

static uint8_t kind_of_pair(const struct shell_pair *pair)
{
    return (uint8_t)(pair->n_primitives < MAX_KINDS ? pair->n_primitives : MAX_KINDS - 1);
}

/* Sorts the numbers of n quartets by their kinds, stably. */
static void sort_by_kind(int n_kinds, int32_t n, const uint8_t *kinds, const int16_t *from,
                         int16_t *to)
{
    int32_t first[MAX_KINDS + 1];
    memset(first, 0, ((size_t)n_kinds + 1) * sizeof *first);
    for (int32_t i = 0; i < n; i++)
        first[kinds[i] + 1]++;
    for (int k = 0; k < n_kinds; k++)
        first[k + 1] += first[k];
    for (int32_t i = 0; i < n; i++)
        to[first[kinds[from[i]]]++] = from[i];
}

static bool is_one_kind(int32_t n, const uint8_t *kinds)
{
    uint8_t difference = 0;
    for (int32_t i = 1; i < n; i++)
        difference |= kinds[i] ^ kinds[0];
    return difference == 0;
}

const int16_t *primitive_order_find(const struct quartet_batch *batch,
                                    struct primitive_order *order)
{
    if (batch->bra->single && batch->ket->single)
        return NULL;
    int32_t n = batch->n_quartets;
    for (int32_t i = 0; i < n; i++) {
        order->bra[i] = kind_of_pair(&batch->bra->pairs[batch->quartets[i].bra]);
        order->ket[i] = kind_of_pair(&batch->ket->pairs[batch->quartets[i].ket]);
        order->given[i] = (int16_t)i;
    }
    const int16_t *sorted = order->given;
    if (!is_one_kind(n, order->bra)) {
        sort_by_kind(count_kinds(batch->bra), n, order->bra, sorted, order->by_bra);
        sorted = order->by_bra;
    }
    if (!is_one_kind(n, order->ket)) {
        sort_by_kind(count_kinds(batch->ket), n, order->ket, sorted, order->by_both);
        sorted = order->by_both;
    }
    return sorted == order->given ? NULL : sorted;
}
