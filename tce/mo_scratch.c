#include "tce/mo_scratch.h"

#include <stdlib.h>

enum status mo_scratch_init(const struct mo_plan *plan, struct mo_scratch *scratch)
{
    const struct mo_integrals_problem *problem = &plan->problem;
    *scratch = (struct mo_scratch){
        .matrices = malloc((size_t)mo_plan_matrices_size(plan) * sizeof(double)),
        .block = malloc((size_t)mo_plan_block_size(plan) * sizeof(double)),
        .work = malloc((size_t)orbital_transform_work(problem->orbitals) * sizeof(double)),
    };
    if (!scratch->matrices || !scratch->block || !scratch->work)
        return FAIL(STATUS_NO_MEMORY, "no memory for the integrals of a pair of tiles");
    return ao_integrals_create(problem->screening, problem->threshold, &scratch->integrals);
}

void mo_scratch_fini(struct mo_scratch *scratch)
{
    ao_integrals_destroy(scratch->integrals);
    free(scratch->matrices);
    free(scratch->block);
    free(scratch->work);
    *scratch = (struct mo_scratch){0};
}
