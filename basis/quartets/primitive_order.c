/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/quartets/primitive_order.h"

#include <string.h>

const int16_t *primitive_order_find(const struct quartet_batch *batch,
                                    struct primitive_order *order)
{
    int16_t first[PAIR_KINDS_MAX * PAIR_KINDS_MAX + 1]; /* number of the first quartet of each */
    int32_t n = batch->n_quartets, n_kinds = batch->bra->n_kinds * batch->ket->n_kinds;
    if (n_kinds == 1)
        return NULL;
    memset(first, 0, ((size_t)n_kinds + 1) * sizeof *first);
    for (int32_t i = 0; i < n; i++) {
        const struct shell_pair *bra = &batch->bra->pairs[batch->quartets[i].bra];
        const struct shell_pair *ket = &batch->ket->pairs[batch->quartets[i].ket];
        order->places[i] = (int16_t)(ket->kind * batch->bra->n_kinds + bra->kind);
        first[order->places[i] + 1]++;
    }
    if (first[order->places[0] + 1] == n)
        return NULL;
    for (int32_t k = 1; k <= n_kinds; k++)
        first[k] = (int16_t)(first[k] + first[k - 1]);
    for (int32_t i = 0; i < n; i++)
        order->places[i] = first[order->places[i]]++;
    return order->places;
}
