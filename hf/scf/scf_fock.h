/* Two-electron matrices of dense densities through the task-parallel Fock build,
 * incrementally where that is cheaper:
 *
 *   G[D] = G[D_last] + G[D - D_last],
 *
 * since G is linear and a small difference is screened away more. Errors of
 * screening add up, so every few builds is a full one. */
#ifndef BERYL_HF_SCF_FOCK_H
#define BERYL_HF_SCF_FOCK_H

#include "hf/scf/scf.h"
#include "support/arrays/darray.h"
#include "support/arrays/dense.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct scf_fock {
    const struct scf_problem *problem; /* borrowed */
    struct darray *input_tiles[2];     /* borrowed scratch: D, or its change, of a build */
    struct darray *G_tiles[2];         /* owned */
    struct darray *second_input;       /* owned: of a restricted SCF, once scf_fock_of_spins ran */
    struct dense *D_last[2], *G_last[2];
    bool always_full; /* set by the owner: no incremental builds from now on */
    bool has_last;
    int n_incremental; /* builds since the last full one */
    int64_t n_builds;
    double seconds; /* spent in builds */
};

/* Collective, like all that follows. scratch: n_spins tile matrices, borrowed and
 * overwritten by every build, for the densities are dense matrices of the caller.
 * Errors: STATUS_NO_MEMORY. */
enum status scf_fock_create(const struct scf_problem *problem, struct darray *const scratch[],
                            struct scf_fock **fock);
void scf_fock_destroy(struct scf_fock *fock);

/* G = the two-electron matrices of the densities D, n_spins of them, n x n; from D if
 * full or if that is due, else from its change. *is_full: from D. Errors: those of fock_build. */
enum status scf_fock_of_density(struct scf_fock *fock, struct dense *const D[], bool full,
                                struct dense *const G[], bool *is_full);

/* The same for symmetric matrices that are not densities: always a full build, and
 * the last density stays remembered. */
enum status scf_fock_of_matrices(struct scf_fock *fock, struct dense *const D[],
                                 struct dense *const G[]);

/* The same for two matrices as an unrestricted SCF has them, whatever the problem's n_spins:
 * G[s] = J[D[0] + D[1]] - K[D[s]]. */
enum status scf_fock_of_spins(struct scf_fock *fock, struct dense *const D[2],
                              struct dense *const G[2]);

#endif
