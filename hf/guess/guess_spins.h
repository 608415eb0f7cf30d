/* SPDX-License-Identifier: BSD-3-Clause */
/* Antiparallel spins of the atoms of a molecule, for guess_flip. */
#pragma once

#include "basis/input/molecule.h"
#include "support/base/status.h"

#include <stdbool.h>

/* Which neighbours have antiparallel spins: all, or the two sides of the longest bond alone. */
enum guess_spins { GUESS_SPINS_ALTERNATE, GUESS_SPINS_FRAGMENTS };

/* Whether the neutral atom has an open d or f shell. */
bool guess_is_transition_metal(const struct atom *atom);

/* Sets flipped for each centre whose spins are to be reversed. Neighbours are those of a shortest tree
 * over the atoms with unpaired electrons, and over transition metals before any other, whose coupling
 * decides. Of both signs of all spins, the one with more unpaired alpha electrons is taken.
 * *n_atoms  atoms in the tree: with fewer than two, nothing is flipped
 * Not collective. Errors: STATUS_NO_MEMORY.
 * Source of the tree: Prim, Bell Syst. Tech. J. 36, 1389 (1957). */
enum status guess_spins_choose(const struct molecule *molecule, enum guess_spins spins,
                               bool flipped[], int64_t *n_atoms);
