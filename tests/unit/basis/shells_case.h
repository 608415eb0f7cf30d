/* SPDX-License-Identifier: BSD-3-Clause */
/* Shells of a molecule in a basis set, from texts, and their pairs. */
#pragma once

#include "basis/integrals/shell_pairs.h"
#include "tests/check.h"

#include <string.h>

struct shells_case {
    struct molecule molecule;
    struct basis_set set;
    struct shells *shells;
};

/* Lengths are in Bohr. Returns the status of shells_create. */
static inline enum status shells_case_try(const char *molecule, const char *set,
                                          enum basis_form form, struct shells_case *made)
{
    const struct molecule_settings settings = {.unit = LENGTH_BOHR};
    check_ok(molecule_parse(molecule, strlen(molecule), "test.xyz", &settings, &made->molecule));
    check_ok(basis_set_parse(set, strlen(set), "test", &made->set));
    return shells_create(&made->molecule, &made->set, form, &made->shells);
}

static inline struct shells_case shells_case_make(const char *molecule, const char *set,
                                                  enum basis_form form)
{
    struct shells_case made;
    check_ok(shells_case_try(molecule, set, form, &made));
    return made;
}

static inline void shells_case_fini(struct shells_case *made)
{
    shells_destroy(made->shells);
    basis_set_fini(&made->set);
    molecule_fini(&made->molecule);
}

/* Of all groups; with a triangle, each unordered pair once. */
static inline struct shell_pairs *make_all_pairs(const struct shells *shells, bool triangle,
                                                 const double *bounds)
{
    struct shell_pairs *pairs;
    struct shell_rectangle all = {.last = {shells->n_groups, shells->n_groups},
                                  .triangle = triangle};
    check_ok(shell_pairs_create(shells, &all, bounds, 0, &pairs));
    return pairs;
}
