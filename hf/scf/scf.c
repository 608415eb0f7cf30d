/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf.h"

#include "hf/checkpoint/checkpoint.h"
#include "hf/scf/scf_basis.h"
#include "hf/scf/scf_properties.h"
#include "hf/scf/scf_report.h"
#include "hf/scf/scf_restart.h"
#include "hf/scf/scf_solver.h"
#include "hf/scf/scf_stability.h"
#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"

#include <math.h>
#include <stdlib.h>

struct scf_settings scf_settings_default(void)
{
    return (struct scf_settings){.converge = SCF_DEFAULT_CONVERGE,
                                 .max_iterations = SCF_DEFAULT_MAX_ITERATIONS,
                                 .diis_size = SCF_DEFAULT_DIIS_SIZE,
                                 .dependence = SCF_DEFAULT_DEPENDENCE,
                                 .quasi_newton_from = SCF_DEFAULT_QUASI_NEWTON,
                                 .checkpoint_every = SCF_DEFAULT_CHECKPOINT};
}

/* D = the density of the last state; of one without orbitals, that of its Fock build. */
static enum status collect_density(struct scf_solver *solver, struct darray *const D[])
{
    const struct scf_basis *basis = solver->basis;
    const struct tiling *tiling = basis->problem->tiling;
    for (int s = 0; s < basis->n_spins; s++) {
        if (solver->state->idempotent) {
            scf_state_density(basis, solver->state, s);
            TRY(tile_matrix_from_dense(tiling, basis->work_nn, D[s]));
        } else {
            tile_matrix_add(tiling, 1, solver->fock->D_last[s], 0, D[s]);
            darray_sync();
        }
    }
    return STATUS_OK;
}

/* A guess density that remains the last one gets the orbitals of its Fock matrix, which the next
 * iteration would begin with, and so would a restart. Their energy is not known. */
static enum status find_first_orbitals(struct scf_solver *solver)
{
    if (solver->state->idempotent)
        return STATUS_OK;
    TRY(scf_state_diagonalise(solver->basis, solver->state->F, solver->state));
    solver->state->energy = NAN;
    return scf_restart_write(solver);
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
    diis_destroy(solver->diis);
    solver->diis = NULL;
    TRY(collect_density(solver, D));
    TRY(find_first_orbitals(solver));
    TRY(scf_solver_expand_orbitals(solver));
    for (int s = 0; s < basis->n_spins; s++)
        for (int k = 0; k < basis->n_orbitals; k++)
            result->orbital_energies[s][k] = state->orbital_energies[s][k];
    result->s2 = scf_s2(basis, state);
    TRY(scf_mulliken(basis, D, result->mulliken));
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

/* Reports the size of checkpoints to come. */
static void report_checkpoints(const struct scf_basis *basis, const struct scf_settings *settings)
{
    if (!settings->checkpoint)
        return;
    int64_t n_bytes = checkpoint_bytes(basis->problem, basis->n_orbitals,
                                       scf_restart_bytes(basis, settings->diis_size, 2));
    checkpoint_report_size(settings->checkpoint, "the SCF", settings->checkpoint_every, n_bytes,
                           "diis");
}

/* The result of a run that has not converged is collected, too. */
static enum status solve_and_collect(struct scf_solver *solver, struct darray *const D[])
{
    enum status status = scf_solver_iterate(solver, D);
    if (status != STATUS_OK && status != STATUS_NOT_CONVERGED)
        return status;
    struct status_kept failure = status_keep();
    TRY(collect_result(solver, D));
    status_restore(&failure);
    return status;
}

enum status scf_run(const struct scf_problem *problem, const struct scf_settings *settings,
                    struct darray *const D[], struct scf_result *result)
{
    struct scf_basis *basis;
    *result = (struct scf_result){0};
    TRY(scf_basis_create(problem, settings->dependence, &basis));
    struct scf_solver solver = {.settings = settings, .basis = basis, .result = result};
    enum status status = result_init(basis, result);
    if (status != STATUS_OK)
        goto done;
    status = scf_solver_init(&solver, D);
    if (status != STATUS_OK)
        goto done;
    report_checkpoints(basis, settings);
    scf_report_start(basis, settings);
    status = solve_and_collect(&solver, D);
done:
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

struct memory_need scf_bytes(const struct scf_problem *problem, const struct scf_settings *settings,
                             int n_processes)
{
    const struct scf_basis plan = scf_basis_plan(problem);
    const struct dense_grid *grid = problem->grid;
    bool tests = scf_tests_stability(settings, plan.n_spins, plan.n_functions);
    struct memory_need need = scf_basis_bytes(&plan, n_processes);
    memory_need_add(&need, 1, scf_solver_bytes(&plan, settings, n_processes));
    need.own_bytes += (double)dense_eigen_bytes(grid, plan.n_functions);

    /* One of these at a time, and at the end the dipole. */
    double diis = (double)diis_bytes(grid, plan.n_spins, plan.n_functions, settings->diis_size);
    double second_order = 0, quasi_newton = 0;
    if (settings->second_order != SCF_NEVER)
        second_order = (double)scf_second_order_bytes(&plan);
    if (plan.n_functions >= settings->quasi_newton_from)
        quasi_newton = (double)scf_quasi_newton_bytes(&plan, settings->diis_size);
    if (tests) /* before its vectors are given back */
        diis += (double)(scf_hessian_bytes(&plan, true) + scf_stability_bytes(&plan));
    struct memory_need phase = {.own_bytes = fmax(fmax(diis, second_order), quasi_newton)};
    memory_need_add(&need, 1, memory_need_larger(phase, scf_dipole_bytes(problem, n_processes)));
    return need;
}
