/* SPDX-License-Identifier: BSD-3-Clause */
/* Shells for tests of two-electron integrals: four groups on different centres. */
#pragma once

#include "basis/integrals/shells.h"

/* Four groups of shells on different centres, made from a basis text so that normalisation is
 * shells.c's. */
struct four_groups {
    struct molecule molecule;
    struct basis_set set;
    struct shells *shells;
};

/* Common exponents of a group, and coefficients that depend on the shell's position. */
struct contraction {
    int n_primitives;
    double first_exponent, ratio; /* of each exponent to the next */
};

/* The shells of each group as letters of their angular momenta. The third and later ones, and those in
 * lower case, have the last primitive alone. */
void four_groups_init(const char *const letters[4], const struct contraction *contraction,
                      enum basis_form form, struct four_groups *four);
void four_groups_fini(struct four_groups *four);
