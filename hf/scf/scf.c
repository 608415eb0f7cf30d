#include "hf/scf/scf.h"

#include "hf/checkpoint/checkpoint.h"
#include "hf/scf/scf_basis.h"
#include "hf/scf/scf_properties.h"
#include "hf/scf/scf_report.h"
#include "hf/scf/scf_restart.h"
#include "hf/scf/scf_solver.h"
#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"

#include <stdio.h>
#include <stdlib.h>

struct scf_settings scf_settings_default(void)
{
    return (struct scf_settings){.converge = SCF_DEFAULT_CONVERGE,
                                 .max_iterations = SCF_DEFAULT_MAX_ITERATIONS,
                                 .diis_size = SCF_DEFAULT_DIIS_SIZE,
                                 .dependence = SCF_DEFAULT_DEPENDENCE,
                                 .checkpoint_every = SCF_DEFAULT_CHECKPOINT};
}

/* Fills the result from the last state; D: overwritten with its density. */
static enum status collect_result(struct scf_solver *solver, struct darray *const D[])
{
    const struct scf_basis *basis = solver->basis;
    struct scf_state *state = solver->state;
    struct scf_result *result = solver->result;
    result->fock_builds = solver->fock->n_builds;
    result->energy = state->energy;
    result->one_electron_energy = state->one_electron_energy;
    result->two_electron_energy = state->two_electron_energy;
    result->gradient = state->gradient;
    for (int s = 0; s < basis->n_spins; s++)
        TRY(tile_matrix_from_dense(basis->problem->tiling, state->D[s], D[s]));
    if (!state->idempotent)
        TRY(scf_state_diagonalise(basis, state->F, state));
    TRY(scf_solver_expand_orbitals(solver));
    for (int s = 0; s < basis->n_spins; s++)
        for (int k = 0; k < basis->n_orbitals; k++)
            result->orbital_energies[s][k] = state->orbital_energies[s][k];
    result->s2 = scf_s2(basis, state);
    TRY(scf_mulliken(basis, state, result->mulliken));
    return scf_dipole(basis->problem, D, result->dipole);
}

static enum status result_init(const struct scf_basis *basis, struct scf_result *result)
{
    result->n_orbitals = basis->n_orbitals;
    result->nuclear_repulsion = basis->nuclear_repulsion;
    result->mulliken = calloc((size_t)basis->problem->molecule->n_atoms, sizeof(double));
    bool complete = result->mulliken;
    for (int s = 0; s < basis->n_spins; s++) {
        result->orbital_energies[s] = calloc((size_t)result->n_orbitals, sizeof(double));
        complete = complete && result->orbital_energies[s];
    }
    enum status status = CHECK_MEMORY(complete, "no memory for the result");
    return status_agree(basis->problem->comm, status);
}

enum status scf_run(const struct scf_problem *problem, const struct scf_settings *settings,
                    struct darray *const D[], struct scf_result *result)
{
    struct scf_basis *basis;
    *result = (struct scf_result){0};
    TRY(scf_basis_create(problem, settings->dependence, &basis));
    struct scf_solver solver = {
        .settings = settings,
        .basis = basis,
        .result = result,
    };
    enum status status = result_init(basis, result);
    if (status == STATUS_OK)
        status = scf_solver_init(&solver, D);
    if (settings->checkpoint)
        checkpoint_report_size(settings->checkpoint, "the SCF", settings->checkpoint_every,
                               checkpoint_bytes(problem, basis->n_orbitals,
                                                scf_restart_bytes(basis, settings->diis_size, 2)),
                               "diis");
    scf_report_start(basis, settings);
    if (status == STATUS_OK)
        status = scf_solver_iterate(&solver, D);
    if (status == STATUS_OK || status == STATUS_NOT_CONVERGED) {
        char text[1024];
        snprintf(text, sizeof text, "%s", status_text());
        enum status collected = collect_result(&solver, D);
        if (collected != STATUS_OK)
            status = collected;
        else
            status_set_text(text);
    }
    scf_solver_fini(&solver);
    scf_basis_destroy(basis);
    if (status != STATUS_OK && status != STATUS_NOT_CONVERGED)
        scf_result_fini(result);
    return status;
}

void scf_result_fini(struct scf_result *result)
{
    for (int s = 0; s < 2; s++) {
        free(result->orbital_energies[s]);
        dense_destroy(result->orbitals[s]);
    }
    free(result->mulliken);
    *result = (struct scf_result){0};
}

bool scf_tests_stability(const struct scf_settings *settings, int n_spins, int64_t n_functions)
{
    return settings->stability == SCF_ALWAYS ||
           (settings->stability == SCF_AUTO &&
            (n_spins == 2 || n_functions <= SCF_STABILITY_SMALL));
}

int64_t scf_bytes(const struct dense_grid *grid, int64_t n_functions, int n_spins,
                  const struct scf_settings *settings)
{
    /* Matrices of n x n: the basis's seven and an eigenproblem's two; per spin, those of
     * two states (5 each), of the Fock builds (4), of the solver (5), of a
     * Hessian (5), and of Davidson's vectors, a quarter of a matrix each at most. The test of a
     * restricted solution among unrestricted ones has vectors of its own and four matrices. */
    int64_t davidson = 8;
    int64_t n_matrices = 9 + n_spins * (10 + 4 + 5 + 5 + davidson);
    if (n_spins == 1 && scf_tests_stability(settings, n_spins, n_functions))
        n_matrices += davidson + 4;
    return n_matrices * dense_bytes(grid, n_functions, n_functions) +
           diis_bytes(grid, n_spins, n_functions, settings->diis_size);
}
