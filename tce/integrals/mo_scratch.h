/* The scratch of a process in a transformation of integrals; both steps use it, one
 * after the other. */
#ifndef BERYL_TCE_MO_SCRATCH_H
#define BERYL_TCE_MO_SCRATCH_H

#include "support/base/status.h"
#include "tce/integrals/ao_integrals.h"
#include "tce/integrals/mo_plan.h"

struct mo_scratch {
    struct ao_integrals *integrals;
    double *matrices; /* mo_plan_matrices_size */
    double *copy;     /* as many, of the matrices while they are transformed to orbitals of one
                       * spin and still to be to those of another; NULL: there is none */
    double *block;    /* mo_plan_block_size: what is put or was got */
    double *work;     /* orbital_transform_work */
};

/* The n_matrices matrices over functions, to be transformed in place to orbitals of the spin;
 * after the last spin they are gone. */
double *mo_scratch_matrices(const struct mo_scratch *scratch, const struct mo_plan *plan,
                            int64_t n_matrices, int spin);

/* Not collective. Errors: STATUS_NO_MEMORY, STATUS_LIMIT; *scratch may be finished then. */
enum status mo_scratch_init(const struct mo_plan *plan, struct mo_scratch *scratch);
void mo_scratch_fini(struct mo_scratch *scratch);

#endif
