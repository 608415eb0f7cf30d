/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_metric.h"

#include "support/base/agree.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Least difference of orbital energies that is taken for a curvature, hartree. */
#define MIN_CURVATURE 0.1

enum { N_METRIC_MEMBERS = 2 };
static void list_metric_matrices(const struct scf_basis *basis, int spin, struct scf_metric *metric,
                                 struct dense_member members[N_METRIC_MEMBERS])
{
    int64_t m = basis->n_orbitals;
    members[0] = (struct dense_member){&metric->U[spin], m, m};
    members[1] = (struct dense_member){&metric->Me[spin], m, m};
}

enum status scf_metric_create(const struct scf_basis *basis, struct scf_metric **metric)
{
    MPI_Comm comm = basis->problem->comm;
    *metric = agree_calloc(comm, sizeof **metric, "the metric of DIIS");
    if (!*metric)
        return STATUS_NO_MEMORY;
    **metric = (struct scf_metric){.basis = basis, .floor = MIN_CURVATURE};
    for (int s = 0; s < basis->n_spins; s++) {
        struct dense_member members[N_METRIC_MEMBERS];
        list_metric_matrices(basis, s, *metric, members);
        TRY(dense_create_members(basis->problem->grid, N_METRIC_MEMBERS, members));
        size_t size = (size_t)basis->n_orbitals * sizeof(double);
        (*metric)->energies[s] = agree_calloc(comm, size, "orbital energies");
        if (!(*metric)->energies[s])
            return STATUS_NO_MEMORY;
    }
    return STATUS_OK;
}

void scf_metric_destroy(struct scf_metric *metric)
{
    if (!metric)
        return;
    for (int s = 0; s < 2; s++) {
        dense_destroy(metric->U[s]);
        dense_destroy(metric->Me[s]);
        free(metric->energies[s]);
    }
    free(metric);
}

int64_t scf_metric_bytes(const struct scf_basis *plan)
{
    int64_t bytes = sizeof(struct scf_metric);
    for (int s = 0; s < plan->n_spins; s++) {
        struct scf_metric metric;
        struct dense_member members[N_METRIC_MEMBERS];
        list_metric_matrices(plan, s, &metric, members);
        bytes += dense_members_bytes(plan->problem->grid, N_METRIC_MEMBERS, members) +
                 plan->n_orbitals * (int64_t)sizeof(double);
    }
    return bytes;
}

void scf_metric_set(struct scf_metric *metric, const struct scf_state *state)
{
    const struct scf_basis *basis = metric->basis;
    double gap = DBL_MAX;
    for (int s = 0; s < basis->n_spins; s++) {
        const double *energies = state->orbital_energies[s];
        int n_occupied = basis->n_occupied[s];
        dense_copy(state->U[s], metric->U[s]);
        memcpy(metric->energies[s], energies, (size_t)basis->n_orbitals * sizeof *energies);
        if (n_occupied > 0 && n_occupied < basis->n_orbitals)
            gap = fmin(gap, energies[n_occupied] - energies[n_occupied - 1]);
    }
    metric->floor = fmax(gap, MIN_CURVATURE);
}

void scf_metric_operator(const struct scf_metric *metric, int spin, struct dense *A)
{
    struct dense *scaled = metric->Me[spin];
    dense_copy(metric->U[spin], scaled);
    dense_scale_columns(scaled, metric->energies[spin]);
    dense_multiply('N', 'T', 1, scaled, metric->U[spin], 0, A);
}

enum status scf_metric_set_operator(struct scf_metric *metric, int spin, struct dense *A)
{
    return dense_eigen(A, metric->energies[spin], metric->U[spin]);
}

/* A_pq /= d_pq, over the orbitals. */
static void divide_by_energies(const struct scf_metric *metric, int spin, struct dense *A)
{
    const double *energies = metric->energies[spin];
    for (int c = 0; c < A->local_columns; c++) {
        double *column = A->local + (size_t)c * (size_t)A->local_rows;
        double energy = energies[dense_global_column(A, c)];
        for (int r = 0; r < A->local_rows; r++)
            column[r] /= fmax(fabs(energies[dense_global_row(A, r)] - energy), metric->floor);
    }
}

struct dense *const *scf_metric_apply(struct scf_metric *metric, struct dense *const e[])
{
    if (!metric)
        return e;
    struct dense *half = metric->basis->work_mm[0], *A = metric->basis->work_mm[1];
    for (int s = 0; s < metric->basis->n_spins; s++) {
        const struct dense *U = metric->U[s];
        dense_multiply('T', 'N', 1, U, e[s], 0, half);
        dense_multiply('N', 'N', 1, half, U, 0, A);
        divide_by_energies(metric, s, A);
        dense_multiply('N', 'N', 1, U, A, 0, half);
        dense_multiply('N', 'T', 1, half, U, 0, metric->Me[s]);
    }
    return metric->Me;
}
