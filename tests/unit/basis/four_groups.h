/* SPDX-License-Identifier: BSD-3-Clause */
/* Four groups of shells on different centres, for tests of two-electron integrals. */
#pragma once

#include "tests/unit/basis/shells_case.h"

/* Common exponents of a group, and coefficients that depend on the shell's position. */
struct contraction {
    int n_primitives;
    double first_exponent, ratio; /* of each exponent to the next */
};

static const struct contraction primitive = {1, 3.1, 1}, two = {2, 3.1, 4.3}, six = {6, 3.1, 2};
static const struct contraction sixteen = {16, 3.1, 1.3}; /* 256 products of primitives */

/* The shells of each group as letters of their angular momenta. The third and later ones, and those in
 * lower case, have the last primitive alone. */
struct shells_case four_groups_make(const char *const letters[4],
                                    const struct contraction *contraction, enum basis_form form);
