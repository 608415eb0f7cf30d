/* SPDX-License-Identifier: BSD-3-Clause */
/* An engine for two-electron integrals: a table of functions; private to basis/.
 *
 * The engines stand in one array in two_electron.c, in order of preference. The first that handles
 * a class computes all batches of it, independently of other classes. A new engine is one file and
 * one line of that array: README.md. */
#pragma once

#include "basis/integrals/two_electron.h"

/* Angular momenta of the quartets of a batch, the highest of each group; l[0] >= l[1], l[2] >= l[3]
 * and l[0] + l[1] <= l[2] + l[3]. Numbers of primitives differ from quartet to quartet. */
struct quartet_class {
    int l[4];       /* bra first, bra second, ket first, ket second */
    bool spherical; /* shells of l >= 2 have 2l + 1 functions; else Cartesian ones */
};

struct two_electron_engine {
    const char *name; /* as --engine takes it */

    bool (*handles)(const struct quartet_class *class);

    /* Makes the scratch of one caller; called once, and only if the engine is the first that
     * handles some class of these shells.
     * shells  all shells that quartets may come from, for their limits; not kept
     * cutoff  see two_electron_create
     * state   passed to the other functions; set to NULL on failure
     * Errors: STATUS_NO_MEMORY. */
    enum status (*create)(const struct shells *shells, double cutoff, void **state);
    void (*destroy)(void *state); /* NULL is fine */

    /* Bytes of the scratch for these shells. */
    int64_t (*bytes)(const struct shells *shells);

    /* Computes a batch as two_electron_compute does, for a class that the engine handles; a batch
     * has one quartet or many. Lanes without a quartet may be left undefined. The integrals of a
     * quartet depend on it alone, to the last bit: not on the other quartets of the batch, nor on
     * batches before it, so that Fock matrices are the same for any scheduling and number of
     * processes. */
    void (*compute)(void *state, const struct quartet_batch *batch, double *integrals);

    /* As two_electron_compute_row; NULL: the engine has no rows. */
    void (*compute_row)(void *state, const struct s_row *row, double *integrals);
};

/* Engines that compute several quartets at once, one in each lane of vectors of 8, 4 and 2 doubles
 * (two_electron_hermite.c). */
extern const struct two_electron_engine two_electron_avx512, two_electron_avx2,
    two_electron_baseline;

/* The engine for every class that libint was built for, one quartet at a time
 * (two_electron_libint.c). */
extern const struct two_electron_engine two_electron_libint;
