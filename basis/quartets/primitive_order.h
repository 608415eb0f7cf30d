/* SPDX-License-Identifier: BSD-3-Clause */
/* An order of the quartets of a batch in which those with like numbers of primitives are together:
 * they fill the vectors of an engine best. */
#pragma once

#include "basis/integrals/two_electron.h"

#include <stdint.h>

enum { PRIMITIVE_ORDER_MAX = 1024 }; /* quartets */

/* The place of each quartet in the order; at first the kinds of its pairs, as one number. */
struct primitive_order {
    int16_t places[PRIMITIVE_ORDER_MAX];
};

/* Places of the batch's quartets, within `order`; NULL: they stay where they are. Quartets of the same
 * kinds stay in their order. */
const int16_t *primitive_order_find(const struct quartet_batch *batch,
                                    struct primitive_order *order);
