/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/orbitals/scf_quasi_newton.h"

#include "hf/orbitals/scf_hessian.h"
#include "support/arrays/diis.h"
#include "support/base/agree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Least difference of orbital energies that is taken for a curvature, hartree. */
#define MIN_CURVATURE 0.1

enum { MAX_STEPS = 20 };

/* State of one spin. o and v: numbers of occupied and virtual orbitals. */
struct moving_orbitals {
    struct dense *C_o, *C_v; /* the frame in the functions: n x o, n x v */
    struct dense *C;         /* occupied orbitals: (C_o + C_v T) (1 + T^T T)^(-1/2), n x o */
    struct dense *FC;        /* n x o */
    struct dense *F_oo;      /* o x o: C_o^T F C */
    struct dense *overlap, *vectors, *root; /* o x o: T^T T, its eigenvectors, (1 + T^T T)^(-1/2) */
    double *eigenvalues;                    /* o: of T^T T */
    double *factors;                        /* o: scratch */
};

struct scf_quasi_newton {
    const struct scf_basis *basis;
    struct scf_fock *fock;
    struct scf_state *state;
    struct moving_orbitals orbitals[2];
    int size, n_steps;
    struct scf_rotation T[MAX_STEPS], R[MAX_STEPS]; /* oldest first */
    struct scf_rotation now, step;                  /* T of the orbitals; scratch */
    double products[MAX_STEPS * MAX_STEPS];         /* R_i . R_j */
};

static void destroy_moving_orbitals(struct moving_orbitals *orbitals)
{
    struct dense *const matrices[] = {orbitals->C_o,     orbitals->C_v,  orbitals->C,
                                      orbitals->FC,      orbitals->F_oo, orbitals->overlap,
                                      orbitals->vectors, orbitals->root};
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
        dense_destroy(matrices[i]);
    free(orbitals->eigenvalues);
}

void scf_quasi_newton_destroy(struct scf_quasi_newton *solver)
{
    if (!solver)
        return;
    for (int s = 0; s < 2; s++)
        destroy_moving_orbitals(&solver->orbitals[s]);
    for (int i = 0; i < solver->size; i++) {
        scf_rotation_fini(&solver->T[i]);
        scf_rotation_fini(&solver->R[i]);
    }
    scf_rotation_fini(&solver->now);
    scf_rotation_fini(&solver->step);
    free(solver);
}

enum { N_QUASI_NEWTON_MEMBERS = 8 };
static void list_moving_orbitals(const struct scf_basis *basis, int spin,
                                 struct moving_orbitals *orbitals,
                                 struct dense_member members[N_QUASI_NEWTON_MEMBERS])
{
    int64_t n = basis->n_functions, o = basis->n_occupied[spin], v = basis->n_orbitals - o;
    const struct dense_member all[N_QUASI_NEWTON_MEMBERS] = {
        {&orbitals->C_o, n, o},     {&orbitals->C_v, n, v},  {&orbitals->C, n, o},
        {&orbitals->FC, n, o},      {&orbitals->F_oo, o, o}, {&orbitals->overlap, o, o},
        {&orbitals->vectors, o, o}, {&orbitals->root, o, o}};
    memcpy(members, all, sizeof all);
}

static enum status create_moving_orbitals(const struct scf_basis *basis, int spin,
                                          struct moving_orbitals *orbitals)
{
    int64_t o = basis->n_occupied[spin];
    struct dense_member members[N_QUASI_NEWTON_MEMBERS];
    list_moving_orbitals(basis, spin, orbitals, members);
    TRY(dense_create_members(basis->problem->grid, N_QUASI_NEWTON_MEMBERS, members));
    orbitals->eigenvalues = agree_calloc(basis->problem->comm, 2 * (size_t)o * sizeof(double),
                                         "eigenvalues of the quasi-Newton method");
    if (!orbitals->eigenvalues)
        return STATUS_NO_MEMORY;
    orbitals->factors = orbitals->eigenvalues + o;
    return STATUS_OK;
}

/* C_o and C_v, and C for T = 0. */
static void set_frame(const struct scf_basis *basis, const struct scf_state *state, int spin,
                      struct moving_orbitals *orbitals)
{
    scf_basis_expand(basis, state->U[spin], basis->work_nm);
    dense_copy_columns(basis->work_nm, 0, orbitals->C_o);
    dense_copy_columns(basis->work_nm, basis->n_occupied[spin], orbitals->C_v);
    dense_copy(orbitals->C_o, orbitals->C);
    dense_set_identity(orbitals->root);
}

/* FC of the density that was built last. */
static enum status multiply_by_fock(struct scf_quasi_newton *solver)
{
    const struct scf_basis *basis = solver->basis;
    for (int s = 0; s < basis->problem->n_densities; s++) {
        TRY(scf_fock_matrix(solver->fock, s, basis->H, basis->work_nn));
        dense_multiply('N', 'N', 1, basis->work_nn, solver->orbitals[s].C, 0,
                       solver->orbitals[s].FC);
    }
    return STATUS_OK;
}

static void drop_oldest_step(struct scf_quasi_newton *solver)
{
    int last = solver->size - 1;
    struct scf_rotation T = solver->T[0], R = solver->R[0];
    memmove(solver->T, solver->T + 1, (size_t)last * sizeof T);
    memmove(solver->R, solver->R + 1, (size_t)last * sizeof R);
    solver->T[last] = T;
    solver->R[last] = R;
    solver->n_steps--;
    for (int i = 0; i < solver->n_steps; i++)
        for (int j = 0; j < solver->n_steps; j++)
            solver->products[i * MAX_STEPS + j] = solver->products[(i + 1) * MAX_STEPS + j + 1];
}

/* Keeps T and its residual, and sets the gradient, from FC. */
static void keep_step(struct scf_quasi_newton *solver)
{
    double dots[MAX_STEPS + 1];
    if (solver->n_steps == solver->size)
        drop_oldest_step(solver);
    int last = solver->n_steps++;
    struct scf_rotation *R = &solver->R[last];
    scf_rotation_add(1, &solver->now, 0, &solver->T[last]);
    solver->state->gradient = 0;
    for (int s = 0; s < solver->basis->problem->n_densities; s++) {
        struct moving_orbitals *orbitals = &solver->orbitals[s];
        dense_multiply('T', 'N', 1, orbitals->C_o, orbitals->FC, 0, orbitals->F_oo);
        dense_multiply('T', 'N', 1, orbitals->C_v, orbitals->FC, 0, R->kappa[s]);
        dense_multiply('N', 'N', -1, solver->now.kappa[s], orbitals->F_oo, 1, R->kappa[s]);
        solver->state->gradient = fmax(solver->state->gradient, dense_max_abs(R->kappa[s]));
    }
    scf_rotation_dots(last, solver->R, R, dots);
    solver->state->norm = sqrt(dots[last]);
    for (int i = 0; i <= last; i++)
        solver->products[i * MAX_STEPS + last] = solver->products[last * MAX_STEPS + i] = dots[i];
}

bool scf_quasi_newton_applies(const struct scf_basis *basis)
{
    for (int s = 0; s < basis->problem->n_densities; s++)
        if (basis->n_occupied[s] == 0 || basis->n_occupied[s] == basis->n_orbitals)
            return false;
    return true;
}

/* T and R of each step kept, now and step. */
static int count_step_rotations(int size)
{
    return 2 * size + 2;
}

static enum status start_quasi_newton(struct scf_quasi_newton *solver)
{
    const struct scf_basis *basis = solver->basis;
    struct scf_rotation *all[2 * MAX_STEPS + 2] = {&solver->now, &solver->step};
    for (int i = 0; i < solver->size; i++) {
        all[2 + 2 * i] = &solver->T[i];
        all[3 + 2 * i] = &solver->R[i];
    }
    TRY(scf_rotations_init(basis, count_step_rotations(solver->size), all));
    for (int s = 0; s < basis->problem->n_densities; s++) {
        TRY(create_moving_orbitals(basis, s, &solver->orbitals[s]));
        set_frame(basis, solver->state, s, &solver->orbitals[s]);
    }
    TRY(multiply_by_fock(solver));
    keep_step(solver);
    return STATUS_OK;
}

static int count_kept_steps(int64_t size)
{
    return (int)(size < MAX_STEPS ? size : MAX_STEPS);
}

int64_t scf_quasi_newton_bytes(const struct scf_basis *plan, int64_t size)
{
    const struct dense_grid *grid = plan->problem->grid;
    int64_t n_rotations = count_step_rotations(count_kept_steps(size)), virtuals = 0;
    int64_t bytes =
        (int64_t)sizeof(struct scf_quasi_newton) + n_rotations * scf_rotation_bytes(plan);
    for (int s = 0; s < plan->problem->n_densities; s++) {
        struct moving_orbitals orbitals;
        struct dense_member members[N_QUASI_NEWTON_MEMBERS];
        list_moving_orbitals(plan, s, &orbitals, members);
        bytes += dense_members_bytes(grid, N_QUASI_NEWTON_MEMBERS, members) +
                 (int64_t)sizeof(double) * 2 * plan->n_occupied[s];
        /* N of scf_quasi_newton_orbitals */
        int64_t N = dense_bytes(grid, plan->n_functions, plan->n_orbitals - plan->n_occupied[s]);
        virtuals = N > virtuals ? N : virtuals;
    }
    return bytes + virtuals;
}

enum status scf_quasi_newton_create(const struct scf_basis *basis, struct scf_fock *fock,
                                    struct scf_state *state, int64_t size,
                                    struct scf_quasi_newton **solver)
{
    *solver = agree_calloc(basis->problem->comm, sizeof **solver, "the quasi-Newton method");
    if (!*solver)
        return STATUS_NO_MEMORY;
    **solver = (struct scf_quasi_newton){
        .basis = basis, .fock = fock, .state = state, .size = count_kept_steps(size)};
    return start_quasi_newton(*solver);
}

/* The next T: the extrapolation, and from it a step against its residual. */
static enum status find_next_rotation(struct scf_quasi_newton *solver)
{
    double coefficients[MAX_STEPS];
    int n = solver->n_steps, n_dropped;
    const struct scf_energy_gap gap = {.orbital_energies = {solver->state->orbital_energies[0],
                                                            solver->state->orbital_energies[1]},
                                       .floor = MIN_CURVATURE};
    TRY(diis_coefficients(n, solver->products, MAX_STEPS, coefficients, &n_dropped));
    for (int i = n_dropped; i < n; i++) {
        scf_rotation_add(coefficients[i], &solver->T[i], i > n_dropped, &solver->now);
        scf_rotation_add(coefficients[i], &solver->R[i], i > n_dropped, &solver->step);
    }
    for (int i = 0; i < n_dropped; i++)
        drop_oldest_step(solver);
    scf_rotation_divide(&gap, &solver->step, &solver->step);
    scf_rotation_add(-1, &solver->step, 1, &solver->now);
    return STATUS_OK;
}

/* A = V f(d) V^T with the eigenvectors and eigenvalues of T^T T. */
static void function_of_overlap(struct moving_orbitals *orbitals, double (*f)(double d),
                                struct dense *A)
{
    for (int i = 0; i < orbitals->overlap->n_rows; i++)
        orbitals->factors[i] = f(fmax(orbitals->eigenvalues[i], 0));
    dense_copy(orbitals->vectors, orbitals->overlap);
    dense_scale_columns(orbitals->overlap, orbitals->factors);
    dense_multiply('N', 'T', 1, orbitals->overlap, orbitals->vectors, 0, A);
}

static double inverse_root(double d)
{
    return 1 / sqrt(1 + d);
}

/* C of T. */
static enum status turn_orbitals(struct scf_quasi_newton *solver, int spin)
{
    struct moving_orbitals *orbitals = &solver->orbitals[spin];
    const struct dense *T = solver->now.kappa[spin];
    struct dense *sum = orbitals->FC;
    dense_multiply('T', 'N', 1, T, T, 0, orbitals->overlap);
    TRY(dense_eigen(orbitals->overlap, orbitals->eigenvalues, orbitals->vectors));
    function_of_overlap(orbitals, inverse_root, orbitals->root);
    dense_copy(orbitals->C_o, sum);
    dense_multiply('N', 'N', 1, orbitals->C_v, T, 1, sum);
    dense_multiply('N', 'N', 1, sum, orbitals->root, 0, orbitals->C);
    return STATUS_OK;
}

enum status scf_quasi_newton_step(struct scf_quasi_newton *solver)
{
    const struct scf_basis *basis = solver->basis;
    TRY(status_agree(basis->problem->comm, find_next_rotation(solver)));
    for (int s = 0; s < basis->problem->n_densities; s++) {
        const struct dense *C = solver->orbitals[s].C;
        TRY(turn_orbitals(solver, s));
        dense_multiply('N', 'T', basis->problem->electrons_per_orbital, C, C, 0, basis->work_nn);
        TRY(scf_fock_set_density(solver->fock, s, basis->work_nn));
    }
    TRY(scf_state_find_energy(basis, solver->fock, solver->state));
    TRY(multiply_by_fock(solver));
    keep_step(solver);
    return STATUS_OK;
}

enum status scf_quasi_newton_finish(struct scf_quasi_newton *solver)
{
    const struct scf_basis *basis = solver->basis;
    struct scf_state *state = solver->state;
    for (int s = 0; s < basis->problem->n_densities; s++) {
        const struct dense *T = solver->now.kappa[s], *root = solver->orbitals[s].root;
        struct dense *U_v;
        TRY(dense_create(T->grid, basis->n_orbitals, T->n_rows, &U_v));
        dense_copy_columns(state->U[s], basis->n_occupied[s], U_v);
        dense_copy(state->U_o[s], state->work_o[s]);
        dense_multiply('N', 'N', 1, U_v, T, 1, state->work_o[s]);
        dense_destroy(U_v);
        dense_multiply('N', 'N', 1, state->work_o[s], root, 0, state->U_o[s]);
    }
    return scf_state_project(basis, solver->fock, state);
}

/* (1 + d)^(-1/2) = 1 + d f(d). */
static double inverse_root_rest(double d)
{
    double root = sqrt(1 + d);
    return -1 / (root * (1 + root));
}

/* The virtual orbitals (C_v - C_o T^T) (1 + T T^T)^(-1/2), with the inverse root
 * 1 + T f(T^T T) T^T. */
enum status scf_quasi_newton_orbitals(struct scf_quasi_newton *solver, int spin, struct dense *C)
{
    struct moving_orbitals *orbitals = &solver->orbitals[spin];
    const struct dense *T = solver->now.kappa[spin];
    struct dense *N, *Tf = solver->step.kappa[spin];
    TRY(dense_create(T->grid, C->n_rows, T->n_rows, &N));
    dense_copy(orbitals->C_v, N);
    dense_multiply('N', 'T', -1, orbitals->C_o, T, 1, N);
    function_of_overlap(orbitals, inverse_root_rest, orbitals->F_oo);
    dense_multiply('N', 'N', 1, T, orbitals->F_oo, 0, Tf);
    dense_multiply('N', 'N', 1, N, Tf, 0, orbitals->FC);
    dense_multiply('N', 'T', 1, orbitals->FC, T, 1, N);
    dense_set_columns(orbitals->C, 0, C);
    dense_set_columns(N, orbitals->C->n_columns, C);
    dense_destroy(N);
    return STATUS_OK;
}
