/* SPDX-License-Identifier: BSD-3-Clause */
/* The two steps of a transformation of integrals.
 *
 * The first goes from (mu nu|lambda sigma) to (mu nu|rs). Task t is the pair of tiles M >= N of
 * basis functions of number t (tile_pair_of_index). Its results for orbital pair k are block
 * t * n_orbital_pairs + k of the array `half`: [r][s][p], p the pairs (mu, nu) as ao_integrals.h
 * numbers them.
 *
 * The second goes from (mu nu|rs) to (pq|rs). Task k is orbital pair k of the plan. */
#ifndef BERYL_TCE_MO_STEPS_H
#define BERYL_TCE_MO_STEPS_H

#include "support/arrays/darray.h"
#include "support/base/status.h"
#include "taskpool/taskpool.h"
#include "tce/integrals/ao_integrals.h"
#include "tce/integrals/mo_plan.h"

/* The scratch of a process; both steps use it, one after the other. */
struct mo_scratch {
    struct ao_integrals *integrals;
    double *matrices; /* mo_plan_matrices_size */
    double *copy;     /* as many, of the matrices while they are transformed to orbitals of one
                       * spin and still to be to those of another; NULL: there is none */
    double *block;    /* mo_plan_block_size: what is put or was got */
    double *work;     /* orbital_transform_work */
};

/* Not collective. Errors: STATUS_NO_MEMORY, STATUS_LIMIT; *scratch may be finished then. */
enum status mo_scratch_init(const struct mo_plan *plan, struct mo_scratch *scratch);
void mo_scratch_fini(struct mo_scratch *scratch);

/* All borrowed. */
struct mo_step {
    const struct mo_plan *plan;
    struct darray *half;
    struct mo_scratch *scratch;
    struct taskpool *pool; /* polled while a task runs; NULL: none */
};

/* The array, of zeros. Collective over comm, whose processes are those of darray_comm().
 * Errors: STATUS_NO_MEMORY; the same everywhere. */
enum status mo_half_create(const struct mo_plan *plan, MPI_Comm comm, struct darray **half);

/* The tasks; step is borrowed. */
struct taskpool_problem mo_half_step_problem(struct mo_step *step);
struct taskpool_problem mo_full_step_problem(struct mo_step *step);

#endif
