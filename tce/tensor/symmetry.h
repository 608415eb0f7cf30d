/* SPDX-License-Identifier: BSD-3-Clause */
/* The permutational symmetry of a tensor: signed permutations of its places that change nothing.
 * A permutation (p, s) is one of T's if, for all values,
 *     T[x_p(0), x_p(1), ...] = s T[x_0, x_1, ...].
 * They form a group. */
#pragma once

#include "support/base/status.h"
#include "tce/tensor/index_space.h"

#include <stdbool.h>
#include <stdint.h>

/* Permutations of a group: antisymmetric in four indices and in four others, and more. */
enum { SYMMETRY_MAX = 1152 };

struct signed_permutation {
    int8_t place[MAX_RANK];
    int8_t sign; /* +1 or -1 */
};

/* n = 0: nothing is known of the tensor, which is the same as the identity alone. */
struct symmetry {
    int n;
    struct signed_permutation *elements; /* the identity first */
};

struct signed_permutation symmetry_identity(void);

/* The group that n permutations of `rank` places generate.
 * contradicts  out: it has a permutation with both signs, so that only zero has the symmetry
 * Errors: STATUS_NO_MEMORY; STATUS_LIMIT (more than SYMMETRY_MAX); *symmetry is then empty. */
enum status symmetry_generate(int rank, int n, const struct signed_permutation generators[],
                              struct symmetry *symmetry, bool *contradicts);
void symmetry_fini(struct symmetry *symmetry);

/* The sign of a permutation of the group; 0 if the group does not have it. */
int symmetry_sign(const struct symmetry *symmetry, int rank,
                  const struct signed_permutation *permutation);

/* Leaves the permutations that exchange only places of the same class. */
void symmetry_restrict(struct symmetry *symmetry, int rank, const int class_of[]);
