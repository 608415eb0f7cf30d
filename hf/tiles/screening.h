/* SPDX-License-Identifier: BSD-3-Clause */
/* Schwarz bounds of groups of shells (two_electron_bounds) and of tiles.
 *
 * Bounds of groups are distributed like a matrix; the largest bound of every tile pair is kept by
 * every process. */
#pragma once

#include "basis/integrals/two_electron.h"
#include "hf/tiles/tiling.h"
#include "support/arrays/darray.h"
#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct screening {
    const struct tiling *tiling; /* borrowed */
    double threshold;            /* quartets below it are left out, hartree */
    double unit;                 /* of integrals that are rounded (kept_quartets.h), hartree */
    struct darray *group_bounds; /* tile pairs I >= J: n_groups(I) x n_groups(J), row-major */
    double *tile_bounds;         /* per tile pair, by tile_pair_index; the same everywhere */
    double max_bound;
    struct engine_use *engines; /* for all integrals that are screened by it; borrowed, or NULL */
};

/* Computes all bounds. Of one atom no integral is rounded: multiples of a unit would split its
 * degenerate orbitals, always in the same way, and with it choose the state that an SCF finds.
 * Collective over all processes.
 * threshold  > 0
 * engines    which integral engine comes first, and counts of what each computes; borrowed by
 *            all that computes integrals with this screening. NULL: in the usual order, not counted
 * Errors: STATUS_NO_MEMORY; the same on every process. */
enum status screening_create(const struct tiling *tiling, double threshold,
                             struct engine_use *engines, MPI_Comm comm,
                             struct screening **screening);
void screening_destroy(struct screening *screening);

/* Memory of a screening on each of n_processes, at most. Not collective. */
struct memory_need screening_bytes(const struct tiling *tiling, int n_processes);

/* Which quartets of groups are computed: by quartet_is_significant, or, without regard to the
 * density, all with a bound not below the threshold. */
enum screening_rule { SCREENING_DENSITY, SCREENING_SCHWARZ };

/* The largest change of an element of F that may be left out, unless a build asks for less accuracy:
 * a fraction of the threshold, because many small ones add up, and with them the error of a Fock
 * matrix that is built from changes of the density, which limits convergence. */
static inline double screening_least_cutoff(double threshold)
{
    return 0.01 * threshold;
}

/* Whether a quartet of groups is computed under SCREENING_DENSITY: its bound Q_ab Q_cd must reach
 * the threshold, and the largest change that it can make to an element of F the cutoff: the bound
 * times the larger of
 *     coulomb_weight   2 |j| max |C| over the blocks ab and cd
 *     exchange_weight  |k| max |D| over ac, ad, bc, bd
 * F = j J[C] + k K[D] */
static inline bool quartet_is_significant(double bound, double coulomb_weight,
                                          double exchange_weight, double threshold, double cutoff)
{
    double weight = coulomb_weight > exchange_weight ? coulomb_weight : exchange_weight;
    return bound >= threshold && bound * weight >= cutoff;
}

/* Errors that screening leaves, in thresholds: of an element of the orbital gradient, and of the
 * energy, in hartree. Against a threshold of 1e-15, at thresholds of 1e-3 to 1e-10 the gradient of
 * (H2O)2 in cc-pvdz, (H2O)10 in sto-3g, C6H6 in 6-31g, Be4 in 6-31g and C2H4 in 6-31g* was off by
 * 0.1 to 49 thresholds, the energy by 0.1 to 43; the lowest curvatures of Be4, (H2O)2 and C6H6 in
 * smaller sets, between 1e-4 and 1e-6, by 0.1 to 9. */
#define SCREENING_ERROR 50

/* Differences of energies of nearby densities, which leave out nearly the same integrals, are off by this
 * fraction of the threshold. */
#define SCREENING_NOISE 0.1

/* Number of integrals (mn|ls) in quartets of groups whose Schwarz bound is at least the threshold:
 * what a Fock build with SCREENING_SCHWARZ computes. Among all n^4, and among the unique ones under
 * the 8-fold symmetry. Collective; results on every process. Errors: STATUS_NO_MEMORY. */
struct integral_count {
    int64_t all, unique;
};
enum status screening_count_integrals(const struct screening *screening, MPI_Comm comm,
                                      struct integral_count *count);
