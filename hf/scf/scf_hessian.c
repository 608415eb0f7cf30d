/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_hessian.h"

#include "hf/scf/scf_open_shell.h"
#include "support/base/agree.h"
#include "support/base/random.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- rotations --- */

int scf_rotation_rows(const struct scf_basis *basis, int spin)
{
    bool of_open = spin == 1 && scf_is_rohf(basis->problem);
    return (of_open ? basis->n_occupied[0] : basis->n_orbitals) - basis->n_occupied[spin];
}

static bool spin_exists(const struct scf_basis *basis, int spin)
{
    return spin < basis->problem->n_densities && basis->n_occupied[spin] > 0 &&
           scf_rotation_rows(basis, spin) > 0;
}

bool scf_rotation_exists(const struct scf_basis *basis)
{
    return spin_exists(basis, 0) || spin_exists(basis, 1);
}

/* The parts of this process. */
static enum status allocate_rotation(const struct scf_basis *basis, struct scf_rotation *rotation)
{
    for (int s = 0; s < 2; s++)
        if (spin_exists(basis, s))
            TRY(dense_allocate(basis->problem->grid, scf_rotation_rows(basis, s),
                               basis->n_occupied[s], &rotation->kappa[s]));
    return STATUS_OK;
}

enum status scf_rotations_init(const struct scf_basis *basis, int n,
                               struct scf_rotation rotations[])
{
    enum status status = STATUS_OK;
    memset(rotations, 0, (size_t)n * sizeof *rotations);
    for (int i = 0; i < n && status == STATUS_OK; i++)
        status = allocate_rotation(basis, &rotations[i]);
    status = status_agree(basis->problem->comm, status);
    if (status != STATUS_OK)
        scf_rotations_fini(n, rotations);
    return status;
}

void scf_rotations_fini(int n, struct scf_rotation rotations[])
{
    for (int i = 0; i < n; i++) {
        dense_destroy(rotations[i].kappa[0]);
        dense_destroy(rotations[i].kappa[1]);
        rotations[i] = (struct scf_rotation){0};
    }
}

int64_t scf_rotation_bytes(const struct scf_basis *plan)
{
    int64_t bytes = 0;
    for (int s = 0; s < 2; s++)
        if (spin_exists(plan, s))
            bytes +=
                dense_bytes(plan->problem->grid, scf_rotation_rows(plan, s), plan->n_occupied[s]);
    return bytes;
}

void scf_rotation_add(double alpha, const struct scf_rotation *x, double beta,
                      struct scf_rotation *y)
{
    for (int s = 0; s < 2; s++)
        if (x->kappa[s])
            dense_add(alpha, x->kappa[s], beta, y->kappa[s]);
}

void scf_rotation_dot_products(int n, const struct scf_rotation x[], int m,
                               const struct scf_rotation y[], double dots[])
{
    const struct dense_grid *grid = NULL;
    memset(dots, 0, (size_t)(n * m) * sizeof *dots);
    for (int s = 0; s < 2; s++) {
        if (!y->kappa[s])
            continue;
        grid = y->kappa[s]->grid;
        for (int j = 0; j < m; j++)
            for (int i = 0; i < n; i++)
                dots[j * n + i] += dense_dot_part(x[i].kappa[s], y[j].kappa[s]);
    }
    if (grid)
        dense_sum_parts(grid, n * m, dots);
}

double scf_rotation_dot(const struct scf_rotation *x, const struct scf_rotation *y)
{
    double dot;
    scf_rotation_dot_products(1, x, 1, y, &dot);
    return dot;
}

/* e_a - e_i of a local element of kappa. */
static double energy_gap(const struct dense *kappa, const double *orbital_energies, size_t at)
{
    int row = dense_global_row(kappa, (int)(at % (size_t)kappa->local_rows));
    int column = dense_global_column(kappa, (int)(at / (size_t)kappa->local_rows));
    return orbital_energies[kappa->n_columns + row] - orbital_energies[column];
}

void scf_rotation_scale(const struct scf_energy_gap *gap, enum scf_gap_power power,
                        const struct scf_rotation *x, double beta, struct scf_rotation *y)
{
    for (int s = 0; s < 2; s++) {
        const struct dense *from = x->kappa[s];
        for (size_t at = 0; from && at < dense_local_size(from); at++) {
            double difference = energy_gap(from, gap->orbital_energies[s], at);
            double M = fmax(difference + gap->shift, gap->floor);
            double scaled = power == SCF_TIMES_GAP ? from->local[at] * M : from->local[at] / M;
            y->kappa[s]->local[at] = beta == 0 ? scaled : scaled + beta * y->kappa[s]->local[at];
        }
    }
}

void scf_rotation_set_noise(int stream, struct scf_rotation *x)
{
    for (int s = 0; s < 2; s++) {
        struct dense *kappa = x->kappa[s];
        for (size_t at = 0; kappa && at < dense_local_size(kappa); at++) {
            size_t n_rows = (size_t)kappa->local_rows;
            uint64_t row = (uint64_t)dense_global_row(kappa, (int)(at % n_rows));
            uint64_t column = (uint64_t)dense_global_column(kappa, (int)(at / n_rows));
            /* A stream for each element: the same however the matrix is dealt out. */
            struct random_stream random;
            random_stream_init(&random, row | (uint64_t)stream << 32, column << 1 | (uint64_t)s);
            kappa->local[at] = (double)(random_next(&random) >> 11) * 0x1p-52 - 1;
        }
    }
}

/* --- the Hessian --- */

/* The orbitals of a spin, and its scratch over the functions; a spin without rotations has scratch
 * alone. */
enum { N_HESSIAN_SCRATCH = 2, N_HESSIAN_MEMBERS = N_HESSIAN_SCRATCH + 3 };

/* Scratch of the matrix number i of a pass. */
static void list_scratch(const struct scf_basis *basis, int i, struct scf_hessian *hessian,
                         struct dense_member members[N_HESSIAN_SCRATCH])
{
    int64_t n = basis->n_functions;
    members[0] = (struct dense_member){&hessian->d[i], n, n};
    members[1] = (struct dense_member){&hessian->G[i], n, n};
}

static void list_hessian_matrices(const struct scf_basis *basis, int spin,
                                  struct scf_hessian *hessian,
                                  struct dense_member members[N_HESSIAN_MEMBERS])
{
    int64_t n = basis->n_functions, o = basis->n_occupied[spin];
    list_scratch(basis, spin, hessian, members);
    members[N_HESSIAN_SCRATCH] = (struct dense_member){&hessian->C_o[spin], n, o};
    members[N_HESSIAN_SCRATCH + 1] = (struct dense_member){&hessian->half[spin], n, o};
    members[N_HESSIAN_SCRATCH + 2] =
        (struct dense_member){&hessian->C_v[spin], n, scf_rotation_rows(basis, spin)};
}

int64_t scf_hessian_bytes(const struct scf_basis *plan, int n_products)
{
    const struct dense_grid *grid = plan->problem->grid;
    struct scf_hessian hessian;
    struct dense_member members[N_HESSIAN_MEMBERS];
    int64_t bytes = scf_rotation_bytes(plan), virtuals = 0;
    for (int s = 0; s < plan->problem->n_densities; s++) {
        list_hessian_matrices(plan, s, &hessian, members);
        bytes += dense_members_bytes(grid, N_HESSIAN_MEMBERS, members);
        int64_t U_v = dense_bytes(grid, plan->n_orbitals, scf_rotation_rows(plan, s));
        virtuals = U_v > virtuals ? U_v : virtuals;
    }
    list_scratch(plan, 0, &hessian, members);
    for (int i = plan->problem->n_densities; i < n_products * plan->problem->n_densities; i++)
        bytes += dense_members_bytes(grid, N_HESSIAN_SCRATCH, members);
    return bytes + virtuals + (scf_is_rohf(plan->problem) ? scf_open_bytes(plan) : 0);
}

/* C_o and C_v of a spin: columns of X U. */
static void set_orbitals(const struct scf_state *state, int spin, struct scf_hessian *hessian)
{
    const struct scf_basis *basis = hessian->basis;
    dense_multiply('N', 'N', 1, basis->X, state->U[spin], 0, basis->work_nm);
    dense_copy_columns(basis->work_nm, 0, hessian->C_o[spin]);
    dense_copy_columns(basis->work_nm, basis->n_occupied[spin], hessian->C_v[spin]);
}

static void project_spin(struct scf_hessian *hessian, const struct dense *A, int spin,
                         struct scf_rotation *kappa)
{
    dense_multiply('N', 'N', 1, A, hessian->C_o[spin], 0, hessian->half[spin]);
    dense_multiply('T', 'N', 1, hessian->C_v[spin], hessian->half[spin], 0, kappa->kappa[spin]);
}

void scf_hessian_project(struct scf_hessian *hessian, const struct dense *A,
                         struct scf_rotation *kappa)
{
    for (int s = 0; s < 2; s++)
        if (kappa->kappa[s])
            project_spin(hessian, A, s, kappa);
    scf_open_scale(hessian->basis, M_SQRT2, kappa);
}

/* g = U_v^T F U_o. */
static enum status set_gradient(const struct scf_state *state, int spin,
                                struct scf_hessian *hessian)
{
    const struct dense *U = state->U[spin];
    struct dense *U_v;
    TRY(dense_create(U->grid, U->n_rows, scf_rotation_rows(hessian->basis, spin), &U_v));
    dense_copy_columns(U, hessian->basis->n_occupied[spin], U_v);
    dense_multiply('T', 'N', 1, U_v, state->FU_o[spin], 0, hessian->gradient.kappa[spin]);
    dense_destroy(U_v);
    return STATUS_OK;
}

static enum status init_spin(const struct scf_state *state, int spin, struct scf_hessian *hessian)
{
    const struct scf_basis *basis = hessian->basis;
    bool rotates = hessian->gradient.kappa[spin];
    struct dense_member members[N_HESSIAN_MEMBERS];
    list_hessian_matrices(basis, spin, hessian, members);
    TRY(dense_create_members(basis->problem->grid, rotates ? N_HESSIAN_MEMBERS : N_HESSIAN_SCRATCH,
                             members));
    if (!rotates)
        return STATUS_OK;
    set_orbitals(state, spin, hessian);
    return set_gradient(state, spin, hessian);
}

static enum status init_matrices(const struct scf_state *state, struct scf_hessian *hessian)
{
    TRY(scf_rotations_init(hessian->basis, 1, &hessian->gradient));
    for (int s = 0; s < hessian->basis->problem->n_densities; s++)
        TRY(init_spin(state, s, hessian));
    scf_open_scale(hessian->basis, M_SQRT2, &hessian->gradient);
    return STATUS_OK;
}

enum status scf_hessian_init(const struct scf_basis *basis, struct scf_fock *fock,
                             const struct scf_state *state, struct scf_hessian *hessian)
{
    *hessian = (struct scf_hessian){
        .basis = basis,
        .fock = fock,
        .state = state,
        .gap = {.orbital_energies = {state->orbital_energies[0], state->orbital_energies[1]},
                .floor = -INFINITY},
        .weight = 2 * basis->problem->electrons_per_orbital,
    };
    enum status status = init_matrices(state, hessian);
    if (status != STATUS_OK)
        scf_hessian_fini(hessian);
    return status;
}

void scf_hessian_fini(struct scf_hessian *hessian)
{
    scf_rotations_fini(1, &hessian->gradient);
    for (int s = 0; s < 2; s++) {
        dense_destroy(hessian->C_o[s]);
        dense_destroy(hessian->C_v[s]);
        dense_destroy(hessian->half[s]);
    }
    for (int i = 0; i < FOCK_MAX_MATRICES; i++) {
        dense_destroy(hessian->d[i]);
        dense_destroy(hessian->G[i]);
    }
    *hessian = (struct scf_hessian){0};
}

/* d = factor (C_v kappa C_o^T + its transpose), with the orbitals of a spin; one_way: scratch. */
static void first_order_density(struct scf_hessian *hessian, double factor,
                                const struct dense *kappa, int spin, struct dense *one_way,
                                struct dense *d)
{
    dense_multiply('N', 'N', factor, hessian->C_v[spin], kappa, 0, hessian->half[spin]);
    dense_multiply('N', 'T', 1, hessian->half[spin], hessian->C_o[spin], 0, one_way);
    dense_copy(one_way, d);
    dense_add_transposed(1, one_way, 1, d);
}

/* Scratch of n matrices. */
static enum status need_scratch(struct scf_hessian *hessian, int n)
{
    struct dense_member members[N_HESSIAN_SCRATCH * FOCK_MAX_MATRICES];
    int n_members = 0;
    for (int i = 0; i < n; i++)
        if (!hessian->d[i]) {
            list_scratch(hessian->basis, i, hessian, members + n_members);
            n_members += N_HESSIAN_SCRATCH;
        }
    if (n_members == 0)
        return STATUS_OK;
    return dense_create_members(hessian->basis->problem->grid, n_members, members);
}

/* Which matrices belong to n products of rotations. */
static struct density_kind kind_of_products(const struct scf_hessian *hessian, int with_own, int n)
{
    int n_densities = hessian->basis->problem->n_densities;
    return density_of_each_spin(n_densities * n, n_densities == 2 ? n : with_own, n_densities);
}

enum status scf_hessian_multiply_several(struct scf_hessian *hessian, int with_own, int n,
                                         const struct scf_rotation *const kappa[],
                                         struct scf_rotation *const product[])
{
    int n_densities = hessian->basis->problem->n_densities;
    struct density_kind kind = kind_of_products(hessian, with_own, n);
    TRY(need_scratch(hessian, kind.n_matrices));
    if (scf_is_rohf(hessian->basis->problem))
        return scf_open_multiply(hessian, &kind, kappa, product);
    for (int i = 0; i < kind.n_matrices; i++)
        if (kappa[i / n_densities]->kappa[i % n_densities])
            first_order_density(hessian, 1, kappa[i / n_densities]->kappa[i % n_densities],
                                i % n_densities, hessian->G[i], hessian->d[i]);
    TRY(scf_fock_of_several(hessian->fock, &kind, hessian->d, hessian->G));
    for (int i = 0; i < kind.n_matrices; i++)
        if (kappa[i / n_densities]->kappa[i % n_densities])
            project_spin(hessian, hessian->G[i], i % n_densities, product[i / n_densities]);
    for (int i = 0; i < n; i++)
        scf_rotation_scale(&hessian->gap, SCF_TIMES_GAP, kappa[i], 1, product[i]);
    return STATUS_OK;
}
