#include "hf/scf/scf.h"

#include "hf/checkpoint/checkpoint.h"
#include "hf/scf/scf_basis.h"
#include "hf/scf/scf_properties.h"
#include "hf/scf/scf_report.h"
#include "hf/scf/scf_restart.h"
#include "hf/scf/scf_solver.h"
#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"

#include <math.h>
#include <stdio.h>
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
    return scf_solver_write_checkpoint(solver);
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

/* Sizes of what an SCF holds, in matrices of n x n. */
struct scf_parts {
    double matrix, tiles; /* a dense matrix, and one of symmetric tiles */
    double panel;         /* n x n_occupied, the sum of the spins */
    double rotation;      /* n_virtual x n_occupied, the sum of the spins */
};

/* Vectors of a search for the lowest curvature, with their products and scratch; free rotations. */
enum { STABILITY_ROTATIONS = 27, FREE_ROTATIONS = 3 };

/* At second-order steps: another state, a Hessian with the gradient, the vectors of conjugate
 * gradients, a turn of orbitals. */
static double count_second_order(const struct scf_parts *parts, int n_spins)
{
    return n_spins * (2 + 3 + 1) * parts->matrix + (4 + 2 + 1) * parts->panel +
           (1 + 5 + 1) * parts->rotation;
}

/* At quasi-Newton steps: the frame, virtual orbitals of a checkpoint, scratch, a history. */
static double count_quasi_newton(const struct scf_parts *parts, int n_spins,
                                 const struct scf_settings *settings)
{
    return n_spins * (1 + 1) * parts->matrix + (2 + 4) * parts->panel +
           2 * (double)(settings->diis_size + 1) * parts->rotation;
}

/* At the test for a minimum. That of a restricted solution among unrestricted ones has vectors of
 * its own, and builds for two spins. */
static double count_stability(const struct scf_parts *parts, int n_spins)
{
    int n_searches = n_spins == 1 ? 2 : 1;
    return 2 * (3 * parts->matrix + parts->panel) +
           (1 + n_searches * STABILITY_ROTATIONS + FREE_ROTATIONS) * parts->rotation +
           (n_spins == 1 ? 2 * parts->tiles : 0);
}

int64_t scf_bytes(const struct dense_grid *grid, int64_t n_functions, int n_spins,
                  const int64_t n_occupied[], const struct scf_settings *settings)
{
    double n = (double)n_functions, n_filled = 0, n_rotations = 0;
    for (int s = 0; s < n_spins; s++) {
        n_filled += (double)n_occupied[s];
        n_rotations += (double)n_occupied[s] * (n - (double)n_occupied[s]);
    }
    double bytes = (double)dense_bytes(grid, n_functions, n_functions);
    const struct scf_parts parts = {
        .matrix = 1, .tiles = 0.5, .panel = n_filled / n, .rotation = n_rotations / (n * n)};
    /* The basis's matrices, an eigenproblem's scratch, S and H; per spin the state's F and U, the
     * orbitals of the result and tiles of the last and the next density and two-electron matrix. */
    double always = 5 + 2 + 2 * parts.tiles +
                    n_spins * (3 + 3 * parts.tiles + (settings->damping > 0 ? 1 : 0)) +
                    5 * parts.panel;
    double diis = n_spins * (double)settings->diis_size;
    if (scf_tests_stability(settings, n_spins, n_functions))
        diis += count_stability(&parts, n_spins);
    double second_order =
        settings->second_order == SCF_NEVER ? 0 : count_second_order(&parts, n_spins);
    double quasi_newton = n_functions < settings->quasi_newton_from
                              ? 0
                              : count_quasi_newton(&parts, n_spins, settings);
    return (int64_t)((always + fmax(fmax(diis, quasi_newton), second_order)) * bytes);
}
