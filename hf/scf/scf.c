#include "hf/scf/scf.h"

#include "hf/scf/scf_basis.h"
#include "hf/scf/scf_properties.h"
#include "hf/scf/scf_report.h"
#include "hf/scf/scf_solver.h"
#include "support/base/agree.h"

#include <stdio.h>
#include <stdlib.h>

/* What is known where the iterations ended. */
static enum status collect_result(struct scf_solver *solver, struct darray *const D[])
{
    const struct scf_frame *frame = solver->frame;
    struct scf_point *point = solver->point;
    struct scf_result *result = solver->result;
    result->fock_builds = solver->fock->n_builds;
    result->energy = point->energy;
    result->one_electron_energy = point->one_electron_energy;
    result->two_electron_energy = point->two_electron_energy;
    result->gradient = point->gradient;
    for (int s = 0; s < frame->n_spins; s++)
        TRY(tile_matrix_from_dense(frame->problem->tiling, point->D[s], D[s]));
    if (!point->idempotent)
        TRY(scf_point_diagonalise(frame, point->F, point));
    TRY(scf_solver_expand_orbitals(solver));
    for (int s = 0; s < frame->n_spins; s++)
        for (int k = 0; k < frame->basis.n_orbitals; k++)
            result->orbital_energies[s][k] = point->orbital_energies[s][k];
    result->s2 = scf_s2(frame, point);
    TRY(scf_mulliken(frame, point, result->mulliken));
    return scf_dipole(frame->problem, D, result->dipole);
}

static enum status result_init(const struct scf_frame *frame, struct scf_result *result)
{
    result->n_orbitals = frame->basis.n_orbitals;
    result->nuclear_repulsion = frame->nuclear_repulsion;
    result->mulliken = calloc((size_t)frame->problem->molecule->n_atoms, sizeof(double));
    bool complete = result->mulliken;
    for (int s = 0; s < frame->n_spins; s++) {
        result->orbital_energies[s] = calloc((size_t)result->n_orbitals, sizeof(double));
        complete = complete && result->orbital_energies[s];
    }
    enum status status = complete ? STATUS_OK : FAIL(STATUS_NO_MEMORY, "no memory for the result");
    return status_agree(frame->problem->comm, status);
}

enum status scf_run(const struct scf_problem *problem, const struct scf_settings *settings,
                    struct darray *const D[], struct scf_result *result)
{
    struct scf_frame *frame;
    *result = (struct scf_result){0};
    TRY(scf_frame_create(problem, settings->dependence, &frame));
    struct scf_solver solver = {
        .settings = settings,
        .frame = frame,
        .result = result,
    };
    scf_report_start(problem, settings, &frame->basis);
    enum status status = result_init(frame, result);
    if (status == STATUS_OK)
        status = scf_solver_init(&solver, D);
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
    scf_frame_destroy(frame);
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

int64_t scf_bytes(const struct dense_grid *grid, int64_t n_functions, int n_spins,
                  const struct scf_settings *settings)
{
    /* Matrices of n x n: the frame's seven and an eigenproblem's two; per spin, those of
     * two points (5 each), of the Fock builds (4), of the driver (5), of a
     * Hessian (5), and of Davidson's vectors, a quarter of a matrix each at most. */
    int64_t davidson = 8;
    int64_t n_matrices = 9 + n_spins * (10 + 4 + 5 + 5 + davidson);
    return n_matrices * dense_bytes(grid, n_functions, n_functions) +
           diis_bytes(grid, n_spins, n_functions, settings->diis_size);
}
