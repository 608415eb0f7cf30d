/* SPDX-License-Identifier: BSD-3-Clause */
/* The problem that the SCF solves, and checkpoints describe: a molecule in a basis, its
 * electrons, and the means to build Fock matrices. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* All borrowed. */
struct scf_problem {
    const struct molecule *molecule; /* at the centres of the shells */
    const struct molecule *given;    /* at the centres of the input and of checkpoints */
    const struct shells *shells;
    const struct tiling *tiling;
    struct fock *fock;
    const struct tile_symmetry *symmetry; /* if the Fock builds use it; or NULL */
    const struct dense_grid *grid;
    MPI_Comm comm;
    int n_densities;           /* and Fock matrices: 1 of a closed shell, or alpha's and beta's */
    int n_orbital_sets;        /* with their energies: 1 for both spins, or alpha's and beta's */
    int electrons_per_orbital; /* n of D = n C_o C_o^T: 2 of a closed shell, else 1 */
    int64_t n_occupied[2]; /* of each density: doubly occupied orbitals, or electrons of a spin */
};

/* Both spins have the same orbitals: RHF or ROHF. */
static inline bool scf_is_restricted(const struct scf_problem *problem)
{
    return problem->n_orbital_sets == 1;
}

/* The same orbitals, of which alpha electrons occupy more: closed ones first, then open ones, then
 * virtual ones. */
static inline bool scf_is_rohf(const struct scf_problem *problem)
{
    return problem->n_orbital_sets < problem->n_densities;
}
