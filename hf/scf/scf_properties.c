/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_properties.h"

#include "hf/tiles/one_electron_matrices.h"
#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"

#include <stdlib.h>

/* trace(D r) for the three components. */
static enum status electronic_dipole(const struct scf_problem *problem, struct darray *const D[],
                                     struct darray *const r[3], double trace[3])
{
    TRY(dipole_matrices(problem->tiling, r));
    for (int k = 0; k < 3; k++) {
        trace[k] = 0;
        for (int s = 0; s < problem->n_spins; s++)
            trace[k] += tile_matrix_dot(problem->tiling, D[s], r[k]);
    }
    return STATUS_OK;
}

enum { N_AXES = 3 };

struct memory_need scf_dipole_bytes(const struct scf_problem *problem, int n_processes)
{
    struct memory_need need = {0};
    memory_need_add(&need, N_AXES, tile_matrix_bytes(problem->tiling, n_processes));
    return need;
}

enum status scf_dipole(const struct scf_problem *problem, struct darray *const D[],
                       double dipole[3])
{
    struct darray *r[N_AXES] = {NULL};
    double trace[N_AXES];
    enum status status = STATUS_OK;
    for (int k = 0; k < N_AXES && status == STATUS_OK; k++)
        status = tile_matrix_create(problem->tiling, "dipole", DARRAY_DOUBLE, &r[k]);
    if (status == STATUS_OK)
        status = electronic_dipole(problem, D, r, trace);
    for (int k = 0; k < N_AXES; k++)
        darray_destroy(r[k]);
    TRY(status);
    for (int k = 0; k < N_AXES; k++) {
        dipole[k] = -trace[k];
        for (int64_t i = 0; i < problem->molecule->n_atoms; i++) {
            const struct atom *atom = &problem->molecule->atoms[i];
            if (!atom->ghost)
                dipole[k] += atom->element * atom->position[k];
        }
    }
    return STATUS_OK;
}

/* population[m] += sum_n D_mn S_mn of the tiles on this process. */
static void add_own_populations(const struct tiling *tiling, const struct darray *D,
                                const struct darray *S, double *population)
{
    struct own_tile tile = {0};
    while (own_tile_next(tiling, D, &tile)) {
        const double *d = darray_local(D, tile.pair), *s = darray_local(S, tile.pair);
        double *row = population + tiling->first_function[tile.I];
        double *column = population + tiling->first_function[tile.J];
        int64_t n_I = tile_n_functions(tiling, tile.I), n_J = tile_n_functions(tiling, tile.J);
        for (int64_t i = 0; i < n_I; i++) {
            for (int64_t j = 0; j < n_J; j++) {
                double product = d[i * n_J + j] * s[i * n_J + j];
                row[i] += product;
                if (tile.I != tile.J)
                    column[j] += product;
            }
        }
    }
}

enum status scf_mulliken(const struct scf_basis *basis, struct darray *const D[], double *charges)
{
    const struct scf_problem *problem = basis->problem;
    int n = basis->n_functions;
    double *population = calloc((size_t)n, sizeof *population);
    enum status status = CHECK_MEMORY(population, "no memory for %d populations", n);
    status = status_agree(problem->comm, status);
    if (status == STATUS_OK) {
        for (int s = 0; s < basis->n_spins; s++)
            add_own_populations(problem->tiling, D[s], basis->S, population);
        MPI_Allreduce(MPI_IN_PLACE, population, n, MPI_DOUBLE, MPI_SUM, problem->comm);
        for (int64_t i = 0; i < problem->molecule->n_atoms; i++) {
            const struct atom *atom = &problem->molecule->atoms[i];
            charges[i] = atom->ghost ? 0 : atom->element;
        }
        for (int64_t i = 0; i < problem->shells->n_shells; i++) {
            const struct shell *shell = &problem->shells->shells[i];
            for (int f = 0; f < shell->n_functions; f++)
                charges[shell->atom] -= population[shell->first_function + f];
        }
    }
    free(population);
    return status;
}

double scf_s2(const struct scf_basis *basis, const struct scf_state *state)
{
    if (basis->n_spins == 1)
        return 0;
    double n_alpha = basis->n_occupied[0], n_beta = basis->n_occupied[1];
    double s_z = (n_alpha - n_beta) / 2;
    struct dense *const *P = basis->work_mm;
    for (int s = 0; s < 2; s++)
        dense_multiply('N', 'T', 1, state->U_o[s], state->U_o[s], 0, P[s]);
    return s_z * (s_z + 1) + n_beta - dense_dot(P[0], P[1]);
}
