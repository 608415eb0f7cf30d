/* SPDX-License-Identifier: BSD-3-Clause */
/* Two-electron matrices through the task-parallel Fock build, incrementally where that is cheaper:
 *
 *   G[D] = G[D_last] + G[D - D_last],
 *
 * since G is linear and a small difference is screened away more. Errors of
 * screening add up, so every few builds is a full one. Far from convergence they may be larger: a
 * build has a cutoff of its own. What is remembered are tile matrices, half as large as dense ones. */
#pragma once

#include "hf/fock/fock_build.h"
#include "hf/fock/scf_problem.h"
#include "support/arrays/darray.h"
#include "support/arrays/dense.h"
#include "support/base/memory.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* A density and its two-electron matrix. */
struct scf_fock {
    const struct scf_problem *problem;             /* borrowed */
    struct darray *input_tiles[FOCK_MAX_MATRICES]; /* D, or its change, of a build */
    struct darray *G_tiles[FOCK_MAX_MATRICES];     /* the outcome of a build, then scratch */
    struct darray *D_last[2], *G_last[2];
    /* All tiles except the scratch of the creator; roles are exchanged with both. */
    struct darray *owned[3 * 2 + 2 * (FOCK_MAX_MATRICES - 1)];
    int n_owned;
    double *shares; /* of each pair of tiles in either energy: 2 x tiling_n_pairs, scratch */
    double cutoff;  /* set by the owner: of scf_fock_build (fock_set_cutoff); 0: the least */
    bool has_last;
    double
        neglected; /* sum of the cutoffs of the last build from a full density and of all since */
    bool is_accurate; /* the last scf_fock_build had the least cutoff */
    int64_t n_builds;
    double seconds; /* spent in builds */
};

/* Collective, like all that follows. scratch: n_densities tile matrices, borrowed and
 * overwritten. On failure scf_fock_destroy still has to be called. Errors: STATUS_NO_MEMORY. */
enum status scf_fock_create(const struct scf_problem *problem, struct darray *const scratch[],
                            struct scf_fock **fock);
void scf_fock_destroy(struct scf_fock *fock);

/* Memory on each of n_processes, at most, if up to n_matrices are built at once. The problem needs
 * tiling and n_densities alone. Not collective. */
struct memory_need scf_fock_bytes(const struct scf_problem *problem, int n_matrices,
                                  int n_processes);

/* The density of a spin for the next scf_fock_build, from a matrix n x n or from tiles, which may
 * be the scratch. Errors: STATUS_NO_MEMORY. */
enum status scf_fock_set_density(struct scf_fock *fock, int spin, struct dense *D);
void scf_fock_set_tiles(struct scf_fock *fock, int spin, const struct darray *D);

/* Finds G of the densities that were set, one for each spin, from these where that is due, else from
 * their change: builds since the last full density neglect no more together than MAX_NEGLECTED of the
 * cutoff. Errors: as fock_build. */
enum status scf_fock_build(struct scf_fock *fock);

/* Energies of the last scf_fock_build: energies[0] = sum over spins of D . H, energies[1] of D . G
 * / 2. Bit-identical on any number of processes if D and G are. H: tiles. */
void scf_fock_energies(struct scf_fock *fock, const struct darray *H, double energies[2]);

/* F = H + G of a spin. Errors: STATUS_NO_MEMORY. */
enum status scf_fock_matrix(struct scf_fock *fock, int spin, const struct darray *H,
                            struct dense *F);

/* G of symmetric matrices that are not densities, in one pass over the integrals, as
 * fock_build_several has them: always a full build, and the last density stays remembered. Errors:
 * as fock_build_several. */
enum status scf_fock_of_several(struct scf_fock *fock, const struct density_kind *kind,
                                struct dense *const D[], struct dense *const G[]);
