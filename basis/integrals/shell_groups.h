/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of shells for two-electron integrals: consecutive shells of one centre with common
 * exponents, as in a general contraction or an SP shell. Their products have common Hermite
 * integrals, which are computed once for all shells of four groups; most shells are groups
 * of their own. */
#pragma once

#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct shells;

/* Largest number of functions, and thus of shells, in a group of several shells, and their highest l; a
 * shell of high l alone may have more functions. */
enum { GROUP_MAX_FUNCTIONS = 10, GROUP_MAX_L = 3 };

/* The angular part. */
struct group_type {
    int n_shells;
    int l[GROUP_MAX_FUNCTIONS]; /* of each shell */
    int max_l;
    bool spherical; /* shells of l >= 2; false without one */
    int n_functions;
};

struct shell_group {
    int type;                   /* index into the types of the shells */
    int64_t first_shell;        /* of type.n_shells consecutive ones */
    int64_t first_function;     /* of type.n_functions consecutive ones */
    int n_primitives;           /* of the shell that has all of them */
    double center[3];           /* Bohr */
    const double *exponents;    /* n_primitives, descending */
    const double *coefficients; /* n_shells x n_primitives */
};

/* The type of n_shells shells. */
struct group_type group_type_of(int n_shells, const int *l, bool spherical);

static inline bool group_types_equal(const struct group_type *a, const struct group_type *b)
{
    bool equal = a->n_shells == b->n_shells && a->spherical == b->spherical;
    for (int i = 0; equal && i < a->n_shells; i++)
        equal = a->l[i] == b->l[i];
    return equal;
}

/* Finds the groups and their types; called by shells_create when all other fields are set. A shell
 * joins those before it if one of the two sets of exponents is a subset of the other: the group
 * then has no more primitives than the larger had alone. Errors: STATUS_NO_MEMORY. */
enum status shell_groups_create(struct shells *shells);
void shell_groups_destroy(struct shells *shells);
