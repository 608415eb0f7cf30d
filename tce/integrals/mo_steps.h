/* SPDX-License-Identifier: BSD-3-Clause */
/* The two steps of a transformation of integrals, for one batch of orbital pairs after another. Private to
 * mo_integrals. */
#pragma once

#include "support/arrays/darray.h"
#include "support/base/status.h"
#include "taskpool/taskpool.h"
#include "tce/integrals/ao_integrals.h"
#include "tce/integrals/mo_integrals.h"
#include "tce/integrals/mo_plan.h"
#include "tce/tensor/packing.h"

#include <mpi.h>
#include <stdint.h>

/* The scratch of a process; both steps use it, one after the other. */
struct mo_scratch {
    struct ao_integrals *integrals;
    double *matrices; /* mo_plan_matrices_size */
    double *copy;     /* as many, of the matrices while they are transformed to orbitals of one
                       * spin and still to be to those of another; NULL: there is none */
    double *block;    /* mo_plan_block_size: what is put or was got */
    double *work;     /* orbital_transform_work */
    struct packing_scratch **packing; /* of each target, NULL where it is whole */
};

struct mo_integrals {
    struct mo_plan *plan;
    MPI_Comm comm;
    struct taskpool_settings settings;
    struct mo_scratch scratch;
    struct darray *half; /* (mu nu|rs) of the batch at hand */
    const struct orbital_batch *batch;
    struct taskpool *half_pool, *full_pool; /* of the two steps; polled while a task runs */
};

/* Errors: STATUS_NO_MEMORY; mo_scratch_fini follows then, too. */
enum status mo_scratch_init(const struct mo_plan *plan, struct mo_scratch *scratch);
void mo_scratch_fini(const struct mo_plan *plan, struct mo_scratch *scratch);

/* The n_matrices matrices over functions, to be transformed in place to orbitals of the spin;
 * after the last spin they are gone. */
double *mo_scratch_matrices(const struct mo_scratch *scratch, const struct mo_plan *plan,
                            int64_t n_matrices, int spin);

/* The block of `half` with the results of a pair of tiles of functions for the orbital pair of the batch that is in
 * this slot: [r][s][p], p the pairs (mu, nu) as ao_integrals.h numbers them, and perhaps room behind it. */
static inline int64_t mo_half_block(const struct mo_integrals *self, int64_t tile_pair,
                                    int64_t slot)
{
    return tile_pair * self->plan->n_slots + slot;
}

/* From (mu nu|lambda sigma) to (mu nu|rs). A task is the pair of tiles M >= N of basis functions of its
 * number (tile_pair_of_index). */
struct taskpool_problem mo_half_step(struct mo_integrals *self);

/* From (mu nu|rs) to (pq|rs). A task is an orbital pair of the batch. */
struct taskpool_problem mo_full_step(struct mo_integrals *self);

/* Completes what tasks of either step put. */
int mo_step_finish(void *context);
