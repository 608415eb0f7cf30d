/* SPDX-License-Identifier: BSD-3-Clause */
/* The integrals over the correlated orbitals as a file FCIDUMP, which other programs read.
 * Source: Knowles & Handy, Comput. Phys. Commun. 54, 75 (1989).
 *
 *     &FCI
 *     NORB=24,
 *     NELEC=10,
 *     MS2=0,
 *     UHF=.FALSE.,
 *     ORBSYM=1,1,...,1,
 *     ISYM=1,
 *     &END
 *     (ij|kl)    i j k l    chemists' notation; of those that are equal by symmetry one
 *     h_ij       i j 0 0    i >= j
 *     e_i        i 0 0 0    all orbital energies, an extension that many programs read or skip
 *     E_0        0 0 0 0
 *
 * Energies are in hartree. Orbitals count from 1, occupied ones first, in the order of their energies.
 * ROHF has one set; its energies are those of the SCF.
 * Two spins: UHF=.TRUE., and all indices count spin orbitals, 2 p - 1 for alpha and 2 p for
 * beta, the layout of Psi4 (p4util/fcidump.py) and of HANDE (manual, "FCIDUMP format").
 * Frozen orbitals are in h, the one-electron Hamiltonian with their mean field, and in E_0, their
 * energy with the nuclear repulsion. */
#pragma once

#include "hf/tiles/screening.h"
#include "support/base/status.h"
#include "taskpool/taskpool.h"
#include "tce/integrals/orbital_space.h"

#include <mpi.h>
#include <stdint.h>

/* All borrowed. */
struct fcidump {
    const char *path;
    const struct screening *screening;
    const struct orbital_spaces
        *orbitals;            /* of ROHF one set; to check memory, without coefficients */
    int64_t tile;             /* orbitals in a tile of the tensors, > 0 */
    int64_t memory_bytes;     /* of a process; 0: what the machine has */
    MPI_Comm comm;            /* all processes */
    double scf_energy;        /* total, hartree; with nuclear_repulsion, of all occupied orbitals */
    double nuclear_repulsion; /* hartree */
    double scf_bytes;         /* that the SCF keeps on a process, at most */
};

/* Whether the integrals fit into memory, to be checked before the SCF starts; prints what each
 * process takes, and how large the file may become. Collective.
 * Errors: STATUS_NO_MEMORY (with what is missing); the same everywhere. */
enum status fcidump_check_memory(const struct fcidump *dump);

/* Transforms the integrals, and process 0 writes them; the file appears when it is complete.
 * h_pq = F_pq - sum_i (n_i (pq|ii) - (pi|iq)) over the orbitals that alpha, and of two spins beta electrons
 * occupy, with n_i electrons in the orbital: as exact as F is diagonal in the converged SCF, or of ROHF what
 * its semicanonical orbitals make of it. Integrals below 1e-15 are left out. Collective. Errors:
 * as mo_integrals_create and mo_integrals_run, STATUS_IO, STATUS_NO_MEMORY; the same everywhere. */
enum status fcidump_write(const struct fcidump *dump, const struct taskpool_settings *pool);
