/* The second step of a transformation of integrals: from (mu nu|rs) to (pq|rs). Task k is
 * orbital pair k of the plan. */
#ifndef BERYL_TCE_MO_FULL_STEP_H
#define BERYL_TCE_MO_FULL_STEP_H

#include "sched/taskpool.h"
#include "support/arrays/darray.h"
#include "tce/integrals/mo_plan.h"
#include "tce/integrals/mo_scratch.h"

/* All borrowed. */
struct mo_full_step {
    const struct mo_plan *plan;
    const struct darray *half; /* mo_half_step.h */
    struct mo_scratch *scratch;
    struct taskpool *pool; /* polled while a task runs; NULL: none */
};

/* The tasks; step is borrowed. */
struct taskpool_problem mo_full_step_problem(struct mo_full_step *step);

#endif
