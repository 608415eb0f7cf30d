/* SPDX-License-Identifier: BSD-3-Clause */
/* The pairs of two values of a space, each once, as a space of its own: p >= q for what does not change
 * when the two are exchanged, p > q for what changes its sign. A tile holds the pairs of two tiles
 * P >= Q, row by row; it has the product of their irreps and the sum of their spins. */
#pragma once

#include "support/base/status.h"
#include "tce/tensor/index_space.h"

#include <stdbool.h>
#include <stdint.h>

struct pair_space {
    struct index_space *space;    /* of the pairs */
    const struct index_space *of; /* borrowed */
    int sign;                     /* +1: p >= q, -1: p > q */
    int32_t *P, *Q;               /* of each tile of pairs */
    int32_t *tile;                /* of P (P + 1) / 2 + Q; -1: there are no pairs */
};

/* Whether there are few enough tiles of pairs to be listed. */
bool pair_space_is_possible(const struct index_space *of);

/* Errors: STATUS_NO_MEMORY, as index_space_create. */
enum status pair_space_create(const struct index_space *of, int sign, struct pair_space **pairs);
void pair_space_destroy(struct pair_space *pairs);

/* The tile of the pairs of two tiles in either order; -1 without pairs. */
static inline int32_t pair_space_tile(const struct pair_space *pairs, int32_t P, int32_t Q)
{
    int64_t larger = P > Q ? P : Q, smaller = P > Q ? Q : P;
    return pairs->tile[larger * (larger + 1) / 2 + smaller];
}
