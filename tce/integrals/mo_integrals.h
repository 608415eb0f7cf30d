/* SPDX-License-Identifier: BSD-3-Clause */
/* Two-electron integrals over molecular orbitals, as tensors:
 *
 *   (pq|rs) = sum_{mu nu lambda sigma} C[mu][p] C[nu][q] C[lambda][r] C[sigma][s]
 *                                      (mu nu|lambda sigma)
 *
 * in chemists' notation, where p and q, and r and s, are of one spin, by two pools of tasks. A task
 * of the first is a pair of tiles of basis functions: it computes (mu nu|lambda sigma) for all
 * lambda and sigma and transforms them to (mu nu|rs), which are put into a distributed array. A
 * task of the second is a pair of tiles of orbitals of one spin: it gets (mu nu|rs) for all mu and
 * nu, transforms them to (pq|rs), and writes the blocks of the tensors that begin with r, s or s,
 * r, each of them once. So no process holds more than some n^2 times a tile's pairs.
 *
 * Both are done for one batch of pairs r and s after another, if (mu nu|rs) is not to take more memory: as few as
 * that allows, since each computes the integrals over functions anew. The result depends neither on the mode nor
 * on the number of processes; the last bits depend on the batches. */
#pragma once

#include "hf/tiles/screening.h"
#include "support/base/status.h"
#include "taskpool/taskpool.h"
#include "tce/integrals/orbital_space.h"
#include "tce/tensor/index_space.h"
#include "tce/tensor/packing.h"
#include "tce/tensor/tensor.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Quartets of shells below it do not matter to any method here. */
#define MO_INTEGRALS_THRESHOLD 1e-12

/* A tensor of rank 4 to be filled, or packed parts of one (packing.h). pattern says what p, q, r and s of
 * (pq|rs) are, 'o' occupied or 'v' virtual; "ovov" is T[i,a,j,b] = (ia|jb) or, of Dirac's order, T[i,j,a,b] =
 * <ij|ab> = (ia|jb). The tensor's spaces are cut like the problem's spaces. All its blocks exist; with spins,
 * all blocks in which p and q have equal spins, and r and s. Other blocks are left as they are. */
struct mo_target {
    struct tensor *tensor;
    char pattern[4];
    bool dirac; /* the tensor's indices are p, r, q, s */
    /* The tensor is a packed one, of one that has these labels and is not stored; NULL: it is whole. */
    const struct packing *packing;     /* of at most two terms */
    const struct block_labels *labels; /* of the whole one */
};

/* All borrowed. */
struct mo_integrals_problem {
    const struct screening *screening; /* bounds of the shells; its threshold plays no part */
    const struct orbital_spaces *orbitals;
    const struct index_space *occupied, *virtual; /* of 2 spins: alpha ones, then beta ones, with
                                                   * these labels; else without. NULL: no target
                                                   * has such an index */
    double threshold;                             /* of quartets of shells, hartree; > 0 */
    double
        half_bytes; /* that the (mu nu|rs) of all processes may take at a time, nearly; 0: no limit */
    int n_targets;
    const struct mo_target *targets;
};

struct mo_integrals;

/* Only what the targets ask for is computed and kept: so name all of them at once. problem and pool are
 * copied; the targets and what pool points to are borrowed. Collective over comm, which is all processes.
 * Errors: STATUS_NO_MEMORY, STATUS_LIMIT, as taskpool_create; the same everywhere. mo_integrals_destroy
 * follows then, too. */
enum status mo_integrals_create(const struct mo_integrals_problem *problem,
                                const struct taskpool_settings *pool, MPI_Comm comm,
                                struct mo_integrals **integrals);

/* Collective; NULL is fine. */
void mo_integrals_destroy(struct mo_integrals *integrals);

/* Fills the targets; may be called again. Collective; synchronises.
 * Errors: as darray_create, taskpool_create and taskpool_run; the targets are then undefined. */
enum status mo_integrals_run(struct mo_integrals *integrals);
