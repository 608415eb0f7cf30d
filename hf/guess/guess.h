/* SPDX-License-Identifier: BSD-3-Clause */
/* First densities of an SCF. */
#pragma once

#include "basis/input/molecule.h"
#include "basis/integrals/shells.h"
#include "hf/fock/scf_problem.h"
#include "hf/scf/scf_basis.h"
#include "support/arrays/darray.h"
#include "support/arrays/dense.h"
#include "support/base/status.h"

#include <stdbool.h>

/* Superposition of atomic densities: each element's neutral atom is solved in its own
 * part of the basis, spherically averaged with fractional occupation (guess_atom.h), on
 * one process, and placed on every nucleus of that element. The sum is scaled to the
 * molecule's electrons: trace(DS) is their number exactly, but D is not idempotent. For
 * n_densities 2 it is split in the ratio of the electrons of each spin. D is the same,
 * bit for bit, for any number of processes. Collective.
 * with_spins  for UHF: each atom in its state of highest spin with its unpaired electrons in
 *             alpha; the electrons are as many as the molecule's in all, but not in each spin
 * Errors: STATUS_NO_MEMORY, STATUS_NUMERIC; the same everywhere. */
enum status guess_sad(const struct scf_problem *problem, bool with_spins, struct darray *const D[]);

/* Reverses the spins of centres in a density of UHF: the spin density D_alpha - D_beta changes its
 * sign in blocks of two such centres and vanishes between such a centre and another one. The sum of
 * both densities stays. The number of electrons of either spin changes in general, and D is not
 * idempotent.
 * flipped  of each centre of the molecule
 * Collective. Errors: STATUS_NO_MEMORY, the same everywhere.
 * Source of such guesses: Noodleman, J. Chem. Phys. 74, 5737 (1981). */
enum status guess_flip(const struct scf_problem *problem, const bool flipped[],
                       struct darray *const D[]);

/* Which neighbours have antiparallel spins: all, or the two sides of the longest bond alone. */
enum guess_spins { GUESS_SPINS_ALTERNATE, GUESS_SPINS_FRAGMENTS };

/* Whether the neutral atom has an open d or f shell. */
bool guess_is_transition_metal(const struct atom *atom);

/* Sets flipped, for guess_flip, for each centre whose spins are to be reversed. Neighbours are
 * joined by a shortest tree over the atoms with unpaired electrons; bonds of transition metals,
 * whose coupling decides, come first. Of both signs of all spins, the one with more unpaired alpha
 * electrons is taken.
 * *n_atoms  atoms in the tree: with fewer than two, nothing is flipped
 * Not collective. Errors: STATUS_NO_MEMORY.
 * Source of the tree: Prim, Bell Syst. Tech. J. 36, 1389 (1957). */
enum status guess_spins_choose(const struct molecule *molecule, enum guess_spins spins,
                               bool flipped[], int64_t *n_atoms);

/* The lowest orbitals of the one-electron Hamiltonian. Collective. Errors: as dense_eigen;
 * STATUS_NO_MEMORY. */
enum status guess_core(const struct scf_basis *basis, struct darray *const D[]);

/* The density of orbitals over other functions, such as another basis, projected onto the
 * space of the problem's:
 *   D = occupation X U (U^T U)^(-1) U^T X^T,  U = X^T <problem's functions|others> C
 * with the orthonormal functions X of scf_basis.h, where X X^T is the inverse of S: the density of
 * the projected orbitals X U after symmetric orthonormalisation, X U (U^T U)^(-1/2). The others
 * stand at the centres of the problem: where they are its own functions that were moved with the
 * nuclei, X U is C.
 * shells  the other functions
 * C       of each spin of the problem: their number x n_occupied
 * Collective. Errors: STATUS_INPUT (the projected orbitals are dependent), STATUS_NO_MEMORY,
 * STATUS_NUMERIC; the same everywhere.
 * Source of the orthonormalisation: Loewdin, J. Chem. Phys. 18, 365 (1950). */
enum status guess_projected(const struct scf_basis *basis, const struct shells *shells,
                            struct dense *const C[], struct darray *const D[]);
