/* SPDX-License-Identifier: BSD-3-Clause */
/* An order of the quartets of a batch in which those with like numbers of primitives are together:
 * they fill the vectors of an engine best. */
#pragma once

#include "basis/integrals/two_electron.h"

#include <stdint.h>

enum { PRIMITIVE_ORDER_MAX = 1024 }; /* quartets */

/* Kinds of the pairs of quartets, and the quartets' numbers in several orders. */
struct primitive_order {
    uint8_t bra[PRIMITIVE_ORDER_MAX], ket[PRIMITIVE_ORDER_MAX];
    int16_t given[PRIMITIVE_ORDER_MAX], by_bra[PRIMITIVE_ORDER_MAX], by_both[PRIMITIVE_ORDER_MAX];
};

/* Numbers of the batch's quartets in the order, within `order`; NULL: as they are. Quartets of the same
 * kinds stay in their order. */
const int16_t *primitive_order_find(const struct quartet_batch *batch,
                                    struct primitive_order *order);
