/* The first step of a transformation of integrals: from (mu nu|lambda sigma) to (mu nu|rs).
 *
 * Task t is the pair of tiles M >= N of basis functions of number t (tile_pair_of_index).
 * Its results for orbital pair k are block t * n_orbital_pairs + k of the array `half`:
 * [r][s][p], p the pairs (mu, nu) as ao_integrals.h numbers them. */
#ifndef BERYL_TCE_MO_HALF_STEP_H
#define BERYL_TCE_MO_HALF_STEP_H

#include "sched/taskpool.h"
#include "support/arrays/darray.h"
#include "tce/integrals/mo_plan.h"
#include "tce/integrals/mo_scratch.h"

/* All borrowed. */
struct mo_half_step {
    const struct mo_plan *plan;
    struct darray *half;
    struct mo_scratch *scratch;
    struct taskpool *pool; /* polled while a task runs; NULL: none */
};

static inline int64_t mo_half_block(const struct mo_plan *plan, int64_t tile_pair,
                                    int64_t orbital_pair)
{
    return tile_pair * plan->n_orbital_pairs + orbital_pair;
}

/* The array, of zeros. Collective over comm, whose processes are those of darray_comm().
 * Errors: STATUS_NO_MEMORY; the same everywhere. */
enum status mo_half_create(const struct mo_plan *plan, MPI_Comm comm, struct darray **half);

/* The tasks; step is borrowed. */
struct taskpool_problem mo_half_step_problem(struct mo_half_step *step);

#endif
