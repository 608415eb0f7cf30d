/* SPDX-License-Identifier: BSD-3-Clause */
/* Fock builds that compute one shell quartet of each orbit under the symmetry operations of a
 * molecule (quartet_orbits.h), for any densities: these are sums of parts of irreducible
 * representations.
 *
 *     D[i] = sum_r part r of D[i]       each pass takes as many parts as fit
 *        |  fock_parts_input
 *        v
 *     a build from the parts            -> skeleton[j], sums over representatives
 *        |  fock_parts_add
 *        v
 *     F[i] += sum_k character(r, k) (k skeleton[j])
 *
 * Densities of an SCF mostly have the symmetry of the molecule: one part, hence one pass. Matrices
 * that share a Coulomb density (density_kind.h) are of one representation, and in one pass.
 *
 * If all matrices are totally symmetric under all operations of the molecule, each is one part, and
 * orbits are formed with all operations. Otherwise parts and orbits use the commuting ones. */
#pragma once

#include "hf/digestion/density_kind.h"
#include "hf/tiles/tile_symmetry.h"
#include "support/arrays/darray.h"
#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>

struct fock_parts;

/* threshold: parts whose elements are all smaller are left out, as rounding adds them. symmetry is
 * borrowed. Collective over comm, which has the processes of darray_comm(). Errors:
 * STATUS_NO_MEMORY; the same everywhere. */
enum status fock_parts_create(const struct tile_symmetry *symmetry, double threshold, MPI_Comm comm,
                              struct fock_parts **parts);

/* Collective; NULL is fine. */
void fock_parts_destroy(struct fock_parts *parts);

/* Memory on each of n_processes, at most, including the symmetries. Not collective. */
struct memory_need fock_parts_bytes(const struct tile_symmetry *symmetry, int n_processes);

/* Finds the parts of complete matrices, borrowed until the last pass. *n_passes: at least 1.
 * Collective. Errors: STATUS_NO_MEMORY; the same everywhere. */
enum status fock_parts_begin(struct fock_parts *parts, const struct density_kind *kind,
                             const struct darray *const D[], int *n_passes);

/* The operations whose orbits the passes are of: all, or the commuting ones. */
int fock_parts_n_operations(const struct fock_parts *parts);

/* Matrices to build from in a pass, and their kind; valid until the next one. Collective. Errors:
 * STATUS_NO_MEMORY; the same everywhere. */
enum status fock_parts_input(struct fock_parts *parts, int pass, struct density_kind *kind,
                             const struct darray *input[]);

/* Where the build of a pass leaves its sums. */
struct darray *const *fock_parts_skeleton(const struct fock_parts *parts);

/* Adds the sums of a pass over all operations to F, whose matrices are overwritten by their first
 * part. Collective; complete on return. Errors: STATUS_NO_MEMORY; the same everywhere. */
enum status fock_parts_add(struct fock_parts *parts, int pass, struct darray *const F[]);
