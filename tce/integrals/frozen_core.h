/* SPDX-License-Identifier: BSD-3-Clause */
/* The frozen core: how many orbitals it has, and which occupied orbitals of a molecule these are. They
 * are chosen by character: energies of a core and of another atom's valence shells may interleave, as
 * those of K 3p and F 2s do in KF. */
#pragma once

#include "basis/input/molecule.h"
#include "hf/fock/scf_problem.h"
#include "support/arrays/dense.h"
#include "support/base/status.h"

#include <stdint.h>

/* Core orbitals of a molecule. Each nucleus counts the occupied orbitals of the preceding noble gas: 0 for
 * H and He, 1 for Li to Ne, 5 for Na to Ar, 9 for K to Kr, 18 for Rb to Xe, 27 for Cs to Rn, 43
 * beyond; none for ghosts. Source: NWChem's "freeze atomic", and psi4's "freeze_core true" but for ions
 * that it leaves no valence electrons. Where an effective core potential replaces electrons, so that the
 * charge of the nucleus is below its atomic number, shells that are replaced do not count: psi4 counts
 * likewise (4 for Rb to Xe and for Cs to La of def2 sets); NWChem then freezes nothing. */
int64_t frozen_core_count(const struct molecule *molecule);

/* Parts of the atoms' core orbitals c in an occupied orbital i of the molecule, sum_c <c|i>^2. The atoms'
 * orbitals are those of the superposed atoms (hf/guess/guess_atom.h): so diffuse functions, contractions
 * and ghosts do not matter. Orbitals that equal atoms share, as in F2, have the sum. */
struct core_share {
    double sum;     /* over all atoms: near 1 of core orbitals, near 0 of others */
    double largest; /* the one of this atom */
    int64_t atom;
};

/* The n_core of n orbitals with the largest sums; of equal ones the first.
 * core  n_core numbers from 0, ascending
 * Not collective. */
void frozen_core_choose(int64_t n, const struct core_share shares[], int64_t n_core,
                        int64_t core[]);

/* The core among the occupied orbitals of a spin. Prints it; warns where orbitals mix core and valence.
 * orbitals  functions x at least n_occupied, occupied ones first; energies, hartree, likewise
 * name      of the spin in the log: "" of a closed shell, "alpha ", "beta "
 * core      as above, the same on every process
 * Collective over the problem's communicator. Memory: S and two matrices of functions x occupied
 * orbitals, a third on process 0: less than in the SCF. Errors: STATUS_NO_MEMORY, STATUS_NUMERIC; the same everywhere. */
enum status frozen_core_find(const struct scf_problem *problem, const struct dense *orbitals,
                             const double *energies, int64_t n_occupied, const char *name,
                             int64_t n_core, int64_t core[]);
