/* The self-consistent field: restricted (RHF) and unrestricted (UHF). */
#ifndef BERYL_HF_SCF_H
#define BERYL_HF_SCF_H

#include "basis/molecule.h"
#include "basis/shells.h"
#include "hf/fock_build.h"
#include "hf/tiling.h"
#include "support/dense.h"
#include "support/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* What is to be solved. All borrowed. */
struct scf_problem {
    const struct molecule *molecule;
    const struct shells *shells;
    const struct tiling *tiling;
    struct fock *fock;
    const struct dense_grid *grid;
    MPI_Comm comm;
    int n_spins;           /* 1: RHF, 2: UHF */
    int64_t n_occupied[2]; /* doubly occupied orbitals, or alpha and beta electrons */
};

struct scf_settings {
    double converge; /* max |orbital gradient| */
    int64_t max_iterations;
    int64_t diis_size;      /* Fock matrices kept */
    double damping;         /* fraction of the last density kept in early iterations; 0: none */
    double level_shift;     /* hartree, added to virtual orbitals; 0: none */
    double dependence;      /* eigenvalues of S below it are dropped */
    const char *checkpoint; /* file written after every iteration, or NULL */
};

/* Everything found. Owned by the caller through scf_result_fini. */
struct scf_result {
    bool converged;
    int64_t iterations;
    int64_t fock_builds;
    double energy; /* total, hartree */
    double one_electron_energy;
    double two_electron_energy;
    double nuclear_repulsion;
    double gradient;             /* last max |orbital gradient| */
    int64_t n_orbitals;          /* functions minus dropped combinations */
    double *orbital_energies[2]; /* n_orbitals, ascending, hartree; on every process */
    struct dense *orbitals[2];   /* n_functions x n_orbitals, columns */
    double dipole[3];            /* e Bohr, electrons and nuclei, about the origin */
    double *mulliken;            /* per centre of the molecule: charge */
    double s2;                   /* <S^2> */
};

/* Runs to convergence from the density tiles D (n_spins of them; overwritten with the
 * final density), printing a line per iteration. Collective.
 * Errors: STATUS_NOT_CONVERGED (result filled with the last iteration's state),
 * STATUS_NO_MEMORY, STATUS_NUMERIC, STATUS_IO (checkpoint); the same everywhere. */
enum status scf_run(const struct scf_problem *problem, const struct scf_settings *settings,
                    struct darray *const D[], struct scf_result *result);
void scf_result_fini(struct scf_result *result);

#endif
