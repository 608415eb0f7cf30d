/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of one angular momentum on an atom, as radial functions, in an
 * orthonormal basis of their own. */
#ifndef BERYL_HF_GUESS_ATOM_CHANNEL_H
#define BERYL_HF_GUESS_ATOM_CHANNEL_H

#include "basis/integrals/shells.h"
#include "support/base/status.h"

#include <stdint.h>

struct guess_atom_channel {
    int l;
    int n_primitives; /* different exponents of all its shells */
    int n_shells;
    int n_orbitals;       /* independent combinations of shells */
    double *exponents;    /* n_primitives */
    double *contractions; /* n_shells x n_primitives, of normalised primitives */
    double *X;            /* n_orbitals x n_shells: orthonormal combinations */
    double *W;            /* n_orbitals x n_primitives: X times contractions */
};

/* Collects the shells of angular momentum l among those of one centre; n_shells
 * is 0 if there are none. Not collective. On failure the channel can be finished.
 * Errors: STATUS_NO_MEMORY, STATUS_NUMERIC. */
enum status guess_atom_channel_init(int l, const struct shell *shells, int64_t n_shells,
                                    struct guess_atom_channel *channel);
void guess_atom_channel_fini(struct guess_atom_channel *channel);

/* Adds to D, over all functions of the same shells, the density X^T P X of the
 * channel: P, n_orbitals x n_orbitals, is spread evenly over the 2l + 1 pure functions.
 * D is n x n, row-major, n the sum of the shells' n_functions. */
void guess_atom_channel_place_density(const struct guess_atom_channel *channel, const double *P,
                                      const struct shell *shells, int64_t n_shells, double *D);

#endif
