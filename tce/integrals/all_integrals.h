/* SPDX-License-Identifier: BSD-3-Clause */
/* All two-electron integrals (pq|rs) over the correlated orbitals, chemists' notation, as tensors of
 * the six kinds that are left when p and q, r and s, and pq and rs may be exchanged. */
#pragma once

#include "hf/tiles/screening.h"
#include "support/base/memory.h"
#include "support/base/status.h"
#include "taskpool/taskpool.h"
#include "tce/integrals/orbital_space.h"
#include "tce/tensor/index_space.h"
#include "tce/tensor/tensor.h"

#include <mpi.h>
#include <stdint.h>

/* Kinds of (pq|rs) by p, q, r and s: O occupied, V virtual. */
enum integral_kind { OOOO, VOOO, VOVO, VVOO, VVVO, VVVV, N_INTEGRAL_KINDS };

/* All borrowed. */
struct all_integrals_problem {
    const struct screening *screening;
    const struct orbital_spaces *orbitals;
    int64_t tile;         /* orbitals in a tile, > 0 */
    int64_t memory_bytes; /* of a process; 0: what the machine has */
    MPI_Comm comm;        /* all processes */
};

/* Every element of a kind is there, not only those that its symmetry leaves. Of two spins, alpha
 * orbitals are first in both spaces, and blocks with p and q, or r and s, of different spins are
 * zero. */
struct all_integrals {
    struct index_space *spaces[2]; /* occupied, virtual */
    struct tensor *tensors[N_INTEGRAL_KINDS];
};

/* Memory of a process, at most, while they are transformed, which is more than later. The orbitals
 * may be without coefficients. Collective. Errors: STATUS_NO_MEMORY. */
enum status all_integrals_bytes(const struct all_integrals_problem *problem,
                                struct memory_need *need);

/* Transforms them. Collective. Sets *integrals in any case.
 * Errors: those of tensor_create, mo_integrals_create and mo_integrals_run. */
enum status all_integrals_create(const struct all_integrals_problem *problem,
                                 const struct taskpool_settings *pool,
                                 struct all_integrals *integrals);

/* Collective. */
void all_integrals_fini(struct all_integrals *integrals);
