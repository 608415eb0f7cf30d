/* Two-electron matrices of dense densities through the task-parallel Fock build,
 * incrementally where that is cheaper:
 *
 *   G[D] = G[D_last] + G[D - D_last],
 *
 * since G is linear and a small difference is screened away more. Errors of
 * screening add up, so every few builds is a whole one. */
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
    struct darray *D_tiles[2];         /* borrowed; scratch between builds */
    struct darray *G_tiles[2];         /* owned */
    struct dense *D_last[2], *G_last[2];
    struct dense *change; /* scratch */
    bool always_whole;    /* set by the owner: no incremental builds from now on */
    bool has_last;
    int n_incremental; /* builds since the last whole one */
    int64_t n_builds;
    double seconds; /* spent in builds */
};

/* Collective, like all that follows. D_tiles: n_spins tile matrices, borrowed.
 * Errors: STATUS_NO_MEMORY. */
enum status scf_fock_create(const struct scf_problem *problem, struct darray *const D_tiles[],
                            struct scf_fock **fock);
void scf_fock_destroy(struct scf_fock *fock);

/* G = the two-electron matrices of the densities D, n_spins of them, n x n, whole if
 * asked for or due. *is_whole tells which it was. Errors: those of fock_build. */
enum status scf_fock_of_density(struct scf_fock *fock, struct dense *const D[], bool whole,
                                struct dense *const G[], bool *is_whole);

/* The same for symmetric matrices that are not densities: always whole, and
 * what is known of the last density stays. */
enum status scf_fock_of_matrices(struct scf_fock *fock, struct dense *const D[],
                                 struct dense *const G[]);

#endif
