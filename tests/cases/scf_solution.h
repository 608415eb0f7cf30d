/* SPDX-License-Identifier: BSD-3-Clause */
/* Converged SCF solutions with their Hessians, shared by tests. */
#pragma once

#include "hf/scf/scf_hessian.h"
#include "tests/cases/dense_case.h"
#include "tests/cases/scf_case.h"
#include "tests/reference/hessian_reference.h"

/* A converged solution, its Hessian and what the reference takes. */
struct solution {
    struct scf_setup setup;
    struct scf_basis *basis;
    struct scf_fock *fock;
    struct scf_state *state;
    struct scf_hessian hessian;
    struct reference_orbitals orbitals;
    double *C[2];
};

/* symmetry: whether to use the molecule's. */
static inline void solution_init(const struct scf_case *scf_case, bool symmetry,
                                 struct solution *solution)
{
    *solution = (struct solution){0};
    struct scf_setup *setup = &solution->setup;
    struct scf_settings settings = scf_settings_default();
    struct scf_result result;
    scf_setup_init(setup, scf_case);
    if (symmetry)
        scf_setup_use_symmetry(setup);
    settings.stability = SCF_NEVER;
    check_ok(scf_setup_run(setup, &settings, &result));
    scf_result_fini(&result);
    check_ok(scf_basis_create(&setup->problem, SCF_DEFAULT_DEPENDENCE, &solution->basis));
    check_ok(scf_fock_create(&setup->problem, setup->D, &solution->fock));
    check_ok(scf_state_create(solution->basis, &solution->state));
    check_ok(scf_state_from_tiles(solution->basis, setup->D, solution->fock, solution->state));
    check_ok(scf_state_build_density(solution->basis, solution->fock, solution->state));
    check_ok(scf_state_canonicalise(solution->basis, solution->state));
    scf_state_gradient(solution->basis, solution->state);
    check_ok(
        scf_hessian_init(solution->basis, solution->fock, solution->state, &solution->hessian));
    solution->orbitals =
        (struct reference_orbitals){.n_densities = solution->basis->problem->n_densities,
                                    .n_orbitals = solution->basis->n_orbitals};
    for (int s = 0; s < solution->basis->problem->n_densities; s++) {
        dense_multiply('N', 'N', 1, solution->basis->X, solution->state->U[s], 0,
                       solution->basis->work_nm);
        solution->C[s] = dense_whole(solution->basis->work_nm);
        solution->orbitals.C[s] = solution->C[s];
        solution->orbitals.energies[s] = solution->state->orbital_energies[s];
        solution->orbitals.n_occupied[s] = solution->basis->n_occupied[s];
    }
}

static inline void solution_fini(struct solution *solution)
{
    for (int s = 0; s < 2; s++)
        free(solution->C[s]);
    scf_hessian_fini(&solution->hessian);
    scf_state_destroy(solution->state);
    scf_fock_destroy(solution->fock);
    scf_basis_destroy(solution->basis);
    scf_setup_fini(&solution->setup);
}

/* product = H kappa. */
static inline void solution_multiply(struct solution *solution, const struct scf_rotation *kappa,
                                     struct scf_rotation *product)
{
    check_ok(scf_hessian_multiply_several(&solution->hessian, 1, 1, &kappa, &product));
}
