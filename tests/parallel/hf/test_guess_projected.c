/* SPDX-License-Identifier: BSD-3-Clause */
/* Orbitals of another basis and geometry, projected: their density agrees with plain loops over
 * slow integrals, holds the electrons, and is a projector, also with dependent functions. */
#include "hf/tiles/one_electron_matrices.h"
#include "tests/cases/hf_system.h"
#include "tests/cases/scf_case.h"
#include "tests/reference/integrals_reference.h"

#include <math.h>
#include <stdlib.h>

static const char water[] = "3\n\nO 0 0 0\nH 0 0.76 0.59\nH 0 -0.76 0.59\n";

/* From small to large, the reverse, the basis itself; spherical, Cartesian and mixed; UHF. */
static const struct {
    struct scf_case to;
    const char *from; /* basis of the orbitals */
} cases[] = {
    {{water, 0, 1, "cc-pvtz", 1, 0}, "cc-pvdz"},
    {{water, 0, 1, "3-21g", 1, 0}, "6-31g*"},
    {{water, 1, 2, "6-31g*", 2, 0}, "cc-pvdz"},
    {{water, 1, 2, "cc-pvdz", 2, 0}, "cc-pvdz"},
    {{"1\n\nH 0 0 0\n", 0, 2, "cc-pvdz", 2, 0}, "sto-3g"},
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

/* A pseudo-random n x o matrix, row-major, identical on every process. */
static double *random_orbitals(int64_t n, int64_t o)
{
    uint64_t random = 7;
    double *C = malloc((size_t)(n * o + 1) * sizeof *C);
    for (int64_t i = 0; i < n * o; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        C[i] = (double)(random >> 11) * 0x1p-52 - 1;
    }
    return C;
}

/* <bra|ket>, row-major, by slow integrals. */
static double *slow_overlap(const struct shells *bra, const struct shells *ket)
{
    double *S = malloc((size_t)(bra->n_functions * ket->n_functions) * sizeof *S), block[21 * 21];
    for (int64_t i = 0; i < bra->n_shells; i++)
        for (int64_t j = 0; j < ket->n_shells; j++) {
            const struct shell *a = &bra->shells[i], *b = &ket->shells[j];
            reference_overlap(a, b, block);
            for (int f = 0; f < a->n_functions; f++)
                for (int g = 0; g < b->n_functions; g++)
                    S[(a->first_function + f) * ket->n_functions + b->first_function + g] =
                        block[f * b->n_functions + g];
        }
    return S;
}

/* C = A B, row-major: n x k by k x m. */
static double *product(const double *A, const double *B, int64_t n, int64_t k, int64_t m)
{
    double *C = calloc((size_t)(n * m + 1), sizeof *C);
    for (int64_t i = 0; i < n; i++)
        for (int64_t l = 0; l < k; l++)
            for (int64_t j = 0; j < m; j++)
                C[i * m + j] += A[i * k + l] * B[l * m + j];
    return C;
}

static double *transpose(const double *A, int64_t n, int64_t m)
{
    double *T = malloc((size_t)(n * m + 1) * sizeof *T);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            T[j * n + i] = A[i * m + j];
    return T;
}

/* B (n x m) = A^-1 B, A positive definite and destroyed: Gauss. */
static void solve(double *A, double *B, int64_t n, int64_t m)
{
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < n; i++) {
            if (i == k)
                continue;
            double factor = A[i * n + k] / A[k * n + k];
            for (int64_t j = 0; j < n; j++)
                A[i * n + j] -= factor * A[k * n + j];
            for (int64_t j = 0; j < m; j++)
                B[i * m + j] -= factor * B[k * m + j];
        }
    for (int64_t k = 0; k < n; k++)
        for (int64_t j = 0; j < m; j++)
            B[k * m + j] /= A[k * n + k];
}

/* D = occupation A (A^T S A)^-1 A^T with A = S^-1 <to|from> C: n x n. */
static double *slow_density(const struct shells *to, const struct shells *from, const double *C,
                            int64_t o, double occupation)
{
    int64_t n = to->n_functions, k = from->n_functions;
    double *S = slow_overlap(to, to), *S_cross = slow_overlap(to, from);
    double *SA = product(S_cross, C, n, k, o), *A = product(S_cross, C, n, k, o);
    solve(S, A, n, o);
    double *A_T = transpose(A, n, o), *square = product(A_T, SA, o, n, o);
    solve(square, A_T, o, n);
    double *D = product(A, A_T, n, o, n);
    for (int64_t i = 0; i < n * n; i++)
        D[i] *= occupation;
    free(S);
    free(S_cross);
    free(SA);
    free(A);
    free(A_T);
    free(square);
    return D;
}

/* Another basis at the centres of a case. */
struct other_basis {
    struct basis_set set;
    struct shells *shells;
};

static void other_basis_init(struct other_basis *other, const struct scf_setup *setup,
                             const char *name)
{
    check_ok(basis_set_read_all(name, MPI_COMM_WORLD, &other->set));
    check_ok(shells_create(&setup->molecule, &other->set, BASIS_FORM_UNSTATED, &other->shells));
}

static void other_basis_fini(struct other_basis *other)
{
    shells_destroy(other->shells);
    basis_set_fini(&other->set);
}

static struct dense *to_dense(const struct dense_grid *grid, const double *whole, int64_t n,
                              int64_t m)
{
    struct dense *A;
    check_ok(dense_create(grid, n, m, &A));
    check_ok(dense_scatter(whole, A));
    return A;
}

static void check_density(const struct scf_setup *setup, const struct darray *D,
                          const double *expected)
{
    int64_t n = setup->shells->n_functions;
    double *found = malloc((size_t)(n * n) * sizeof *found), difference = 0;
    whole_matrix_get(setup->tiling, D, found);
    for (int64_t i = 0; i < n * n; i++)
        difference = fmax(difference, fabs(found[i] - expected[i]));
    check_close(difference, 0, 1e-8);
    free(found);
}

TEST(the_density_is_that_of_slow_loops)
{
    for (int i = 0; i < N_CASES; i++) {
        struct scf_setup setup;
        struct other_basis other;
        double *whole[2];
        struct dense *C[2] = {NULL, NULL};
        scf_setup_init(&setup, &cases[i].to);
        other_basis_init(&other, &setup, cases[i].from);
        int64_t n_from = other.shells->n_functions;
        int n_densities = setup.problem.n_densities;
        for (int s = 0; s < n_densities; s++) {
            whole[s] = random_orbitals(n_from, setup.problem.n_occupied[s]);
            C[s] = to_dense(setup.grid, whole[s], n_from, setup.problem.n_occupied[s]);
        }
        check_ok(guess_projected(scf_setup_basis(&setup), other.shells, C, setup.D));
        for (int s = 0; s < n_densities; s++) {
            double *D =
                slow_density(setup.shells, other.shells, whole[s], setup.problem.n_occupied[s],
                             setup.problem.electrons_per_orbital);
            check_density(&setup, setup.D[s], D);
            free(D);
            free(whole[s]);
            dense_destroy(C[s]);
        }
        other_basis_fini(&other);
        scf_setup_fini(&setup);
    }
}

/* Two atoms at all but one place: most combinations of functions are dropped. */
TEST(dependent_functions_are_left_out)
{
    static const struct scf_case close = {"2\n\nHe 0 0 0\nHe 0 0 0.001\n", 0, 1, "cc-pvdz", 1, 0};
    struct scf_setup setup;
    struct other_basis other;
    struct darray *S;
    scf_setup_init(&setup, &close);
    other_basis_init(&other, &setup, "6-311g**");
    int64_t n_from = other.shells->n_functions;
    double *whole = random_orbitals(n_from, 2);
    struct dense *C = to_dense(setup.grid, whole, n_from, 2);
    check_ok(scf_basis_create(&setup.problem, 1e-5, &setup.basis));
    check_ok(guess_projected(setup.basis, other.shells, &C, setup.D));
    check_ok(tile_matrix_create(setup.tiling, "S", DARRAY_DOUBLE, &S));
    check_ok(overlap_matrix(setup.tiling, S));
    check_close(tile_matrix_dot(setup.tiling, setup.D[0], S), 4, 1e-8);
    darray_destroy(S);
    dense_destroy(C);
    free(whole);
    other_basis_fini(&other);
    scf_setup_fini(&setup);
}

TEST(orbitals_without_room_are_refused)
{
    /* Four occupied orbitals in two functions; and two that are equal. */
    static const struct scf_case anion = {"2\n\nH 0 0 0\nH 0 0 1\n", -6, 1, "sto-3g", 1, 0};
    static const struct scf_case pair = {"2\n\nHe 0 0 0\nHe 0 0 2\n", 0, 1, "cc-pvdz", 1, 0};
    struct scf_setup setup;
    scf_setup_init(&setup, &anion);
    check_status(STATUS_INPUT, scf_basis_create(&setup.problem, 1e-6, &setup.basis));
    assert_non_null(strstr(status_text(), "only 2 independent functions"));
    scf_setup_fini(&setup);

    scf_setup_init(&setup, &pair);
    int64_t n = setup.shells->n_functions;
    double *whole = random_orbitals(n, 2);
    for (int64_t i = 0; i < n; i++)
        whole[2 * i + 1] = whole[2 * i];
    struct dense *C = to_dense(setup.grid, whole, n, 2);
    check_status(STATUS_INPUT, guess_projected(scf_setup_basis(&setup), setup.shells, &C, setup.D));
    assert_non_null(strstr(status_text(), "are dependent in this geometry and basis"));
    dense_destroy(C);
    free(whole);
    scf_setup_fini(&setup);
}

TEST_SETUP(scf_start)

TEST_TEARDOWN(scf_stop)
