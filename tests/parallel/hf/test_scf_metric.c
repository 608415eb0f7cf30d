/* SPDX-License-Identifier: BSD-3-Clause */
/* The metric of DIIS divides an error by the gaps of the orbitals, as plain loops do, and a file's
 * operator gives it back. */
#include "hf/scf/scf_metric.h"
#include "tests/cases/scf_solution.h"

#include <math.h>

static const struct scf_case cases[] = {
    {"2\n\nLi 0 0 0\nH 0 0 1.6\n", 0, 1, "6-31g", 1, 0},
    {"2\n\nO 0 0 0\nH 0 0 0.97\n", 0, 2, "6-31g", 2, 0},
};

/* Antisymmetric, without structure. */
static void fill_error(struct dense *e)
{
    for (int c = 0; c < e->local_columns; c++)
        for (int r = 0; r < e->local_rows; r++) {
            int i = dense_global_row(e, r), j = dense_global_column(e, c);
            e->local[(size_t)c * (size_t)e->local_rows + (size_t)r] =
                sin(i + 7 * j) - sin(j + 7 * i);
        }
}

/* Me_kl = sum_pq U_kp U_lq (sum_mn U_mp e_mn U_nq) / d_pq */
static double *slow_metric(const struct dense *U, const double *energies, double floor,
                           const double *e)
{
    int m = U->n_rows;
    double *u = whole_matrix(U), *Me = calloc((size_t)(m * m), sizeof *Me);
    for (int p = 0; p < m; p++)
        for (int q = 0; q < m; q++) {
            double element = 0;
            for (int i = 0; i < m; i++)
                for (int j = 0; j < m; j++)
                    element += u[i * m + p] * e[i * m + j] * u[j * m + q];
            element /= fmax(fabs(energies[p] - energies[q]), floor);
            for (int i = 0; i < m; i++)
                for (int j = 0; j < m; j++)
                    Me[i * m + j] += u[i * m + p] * u[j * m + q] * element;
        }
    free(u);
    return Me;
}

/* Smallest difference between an occupied and a virtual orbital of either spin. */
static double slow_gap(const struct scf_basis *basis, const struct scf_state *state)
{
    double gap = INFINITY;
    for (int s = 0; s < basis->n_spins; s++)
        for (int i = 0; i < basis->n_occupied[s]; i++)
            for (int a = basis->n_occupied[s]; a < basis->n_orbitals; a++)
                gap = fmin(gap, state->orbital_energies[s][a] - state->orbital_energies[s][i]);
    return gap;
}

static void check_metric(struct scf_metric *metric, const struct scf_state *state)
{
    const struct scf_basis *basis = metric->basis;
    int m = basis->n_orbitals;
    double floor = slow_gap(basis, state);
    struct dense *e[2] = {NULL, NULL};
    assert_true(floor > 0.1);
    for (int s = 0; s < basis->n_spins; s++) {
        check_ok(dense_create(basis->problem->grid, m, m, &e[s]));
        fill_error(e[s]);
    }
    struct dense *const *Me = scf_metric_apply(metric, e);
    for (int s = 0; s < basis->n_spins; s++) {
        double *whole = whole_matrix(e[s]), *found = whole_matrix(Me[s]);
        double *expected = slow_metric(state->U[s], state->orbital_energies[s], floor, whole);
        for (int i = 0; i < m * m; i++)
            check_close(found[i], expected[i], 1e-9);
        free(whole);
        free(found);
        free(expected);
        dense_destroy(e[s]);
    }
}

static void test_errors_are_divided_by_gaps(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct solution solution;
        struct scf_metric *metric, *copy;
        solution_init(&cases[i], false, &solution);
        const struct scf_basis *basis = solution.basis;
        check_ok(scf_metric_create(basis, &metric));
        check_ok(scf_metric_create(basis, &copy));
        scf_metric_set(metric, solution.state);
        check_metric(metric, solution.state);
        copy->floor = metric->floor;
        for (int s = 0; s < basis->n_spins; s++) {
            scf_metric_operator(metric, s, basis->work_mm[1]);
            check_ok(scf_metric_set_operator(copy, s, basis->work_mm[1]));
        }
        check_metric(copy, solution.state);
        scf_metric_destroy(copy);
        scf_metric_destroy(metric);
        solution_fini(&solution);
    }
}

static void test_without_a_metric_errors_are_themselves(void **state)
{
    (void)state;
    struct dense *const e[2] = {NULL, NULL};
    assert_ptr_equal(scf_metric_apply(NULL, e), e);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_errors_are_divided_by_gaps, scf_start, scf_stop),
        cmocka_unit_test(test_without_a_metric_errors_are_themselves),
    };
    return check_run_parallel(tests, &argc, &argv);
}
