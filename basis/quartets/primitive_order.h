/* SPDX-License-Identifier: BSD-3-Clause */
/* An order of the quartets of a batch in which those with like numbers of primitives are together:
 * they fill the vectors of an engine best. */
#pragma once

#include "basis/integrals/two_electron.h"

#include <stdint.h>

enum { PRIMITIVE_ORDER_MAX = 1024 }; /* quartets */

/* The kinds of the pairs of each quartet, as one number; and the numbers of quartets in their order. */
struct primitive_order {
    int16_t kinds[PRIMITIVE_ORDER_MAX], numbers[PRIMITIVE_ORDER_MAX];
};

/* Numbers of the batch's quartets in the order, within `order`; NULL: as they are. Quartets of the same
 * kinds stay in their order. */
const int16_t *primitive_order_find(const struct quartet_batch *batch,
                                    struct primitive_order *order);
