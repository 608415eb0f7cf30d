#include "tce/integrals/mo_scratch.h"

#include <stdlib.h>
#include <string.h>

enum status mo_scratch_init(const struct mo_plan *plan, struct mo_scratch *scratch)
{
    const struct mo_integrals_problem *problem = &plan->problem;
    const struct orbital_spaces *orbitals = problem->orbitals;
    size_t matrices_bytes = (size_t)mo_plan_matrices_size(plan) * sizeof(double);
    *scratch = (struct mo_scratch){
        .matrices = malloc(matrices_bytes),
        .copy = orbitals->n_spins > 1 ? malloc(matrices_bytes) : NULL,
        .block = malloc((size_t)mo_plan_block_size(plan) * sizeof(double)),
        .work = malloc((size_t)orbital_transform_work(&orbitals->spin[0]) * sizeof(double)),
    };
    bool copied = scratch->copy || orbitals->n_spins == 1;
    TRY(CHECK_MEMORY(scratch->matrices && copied && scratch->block && scratch->work,
                     "no memory for the integrals of a pair of tiles"));
    return ao_integrals_create(problem->screening, problem->threshold, &scratch->integrals);
}

void mo_scratch_fini(struct mo_scratch *scratch)
{
    ao_integrals_destroy(scratch->integrals);
    free(scratch->matrices);
    free(scratch->copy);
    free(scratch->block);
    free(scratch->work);
    *scratch = (struct mo_scratch){0};
}

double *mo_scratch_matrices(const struct mo_scratch *scratch, const struct mo_plan *plan,
                            int64_t n_matrices, int spin)
{
    int64_t n = plan->problem.orbitals->spin[spin].n_functions;
    if (spin == plan->problem.orbitals->n_spins - 1)
        return scratch->matrices;
    memcpy(scratch->copy, scratch->matrices, (size_t)(n_matrices * n * n) * sizeof(double));
    return scratch->copy;
}
