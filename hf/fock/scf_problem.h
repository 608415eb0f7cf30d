/* SPDX-License-Identifier: BSD-3-Clause */
/* The problem that the SCF solves, and checkpoints describe: a molecule in a basis, its
 * electrons, and the means to build Fock matrices. */
#pragma once

#include <mpi.h>
#include <stdint.h>

/* All borrowed. */
struct scf_problem {
    const struct molecule *molecule; /* at the centres of the shells */
    const struct molecule *given;    /* at those of the input, which checkpoints have */
    const struct shells *shells;
    const struct tiling *tiling;
    struct fock *fock;
    const struct tile_symmetry *symmetry; /* up to D2h, if the Fock builds use it; or NULL */
    const struct tile_symmetry *larger;   /* of a larger group, likewise */
    const struct dense_grid *grid;
    MPI_Comm comm;
    int n_spins;           /* 1: RHF, 2: UHF */
    int64_t n_occupied[2]; /* doubly occupied orbitals, or alpha and beta electrons */
};
