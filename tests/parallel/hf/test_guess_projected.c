/* SPDX-License-Identifier: BSD-3-Clause */
/* Orbitals of another basis and geometry, projected: their density agrees with plain loops over
 * slow integrals, holds the electrons, and is a projector, also with dependent functions. */
#include "basis/input/basis_library.h"
#include "hf/tiles/one_electron_matrices.h"
#include "tests/cases/dense_case.h"
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
    int64_t n = to->n_functions;
    double *S = slow_overlap(to, to), *S_cross = slow_overlap(to, from);
    double *SA = product(S_cross, C, n, from->n_functions, o);
    double *A = product(S_cross, C, n, from->n_functions, o);
    double *A_T = malloc((size_t)(n * o + 1) * sizeof *A_T);
    solve(S, A, n, o);
    for (int64_t i = 0; i < n * o; i++)
        A_T[i % o * n + i / o] = occupation * A[i];
    double *square = product(A_T, SA, o, n, o);
    for (int64_t i = 0; i < o * o; i++)
        square[i] /= occupation;
    solve(square, A_T, o, n);
    double *D = product(A, A_T, n, o, n);
    free(S);
    free(S_cross);
    free(SA);
    free(A);
    free(A_T);
    free(square);
    return D;
}

/* A setup, and orbitals without structure in another basis at its centres. */
struct projection {
    struct scf_setup setup;
    struct basis_set set;
    struct shells *from;
    double *whole[2];
    struct dense *C[2];
};

static void projection_init(struct projection *made, const struct scf_case *to, const char *from)
{
    *made = (struct projection){0};
    struct scf_setup *setup = &made->setup;
    scf_setup_init(setup, to);
    check_ok(basis_set_read_all(from, MPI_COMM_WORLD, &made->set));
    check_ok(shells_create(&setup->molecule, &made->set, BASIS_FORM_UNSTATED, &made->from));
    int64_t n = made->from->n_functions;
    for (int s = 0; s < setup->problem.n_densities; s++) {
        int64_t o = setup->problem.n_occupied[s];
        made->whole[s] = whole_matrix_random(n > o ? n : o, 7); /* its first n o elements */
        check_ok(dense_create(setup->grid, n, o, &made->C[s]));
        dense_put_whole(made->whole[s], made->C[s]);
    }
}

static enum status project(struct projection *made)
{
    return guess_projected(scf_setup_basis(&made->setup), made->from, made->C, made->setup.D);
}

static void projection_fini(struct projection *made)
{
    for (int s = 0; s < 2; s++) {
        dense_destroy(made->C[s]);
        free(made->whole[s]);
    }
    shells_destroy(made->from);
    basis_set_fini(&made->set);
    scf_setup_fini(&made->setup);
}

TEST(the_density_is_that_of_slow_loops)
{
    for (int i = 0; i < N_CASES; i++) {
        struct projection made;
        projection_init(&made, &cases[i].to, cases[i].from);
        check_ok(project(&made));
        const struct scf_problem *problem = &made.setup.problem;
        int64_t n = made.setup.shells->n_functions;
        for (int s = 0; s < problem->n_densities; s++) {
            double *D = slow_density(made.setup.shells, made.from, made.whole[s],
                                     problem->n_occupied[s], problem->electrons_per_orbital);
            double *found = tiles_whole(made.setup.tiling, made.setup.D[s]);
            assert_true(largest_difference(n * n, found, 1, D) < 1e-8);
            free(found);
            free(D);
        }
        projection_fini(&made);
    }
}

/* Two atoms at all but one place: most combinations of functions are dropped. */
TEST(dependent_functions_are_left_out)
{
    static const struct scf_case close = {"2\n\nHe 0 0 0\nHe 0 0 0.001\n", 0, 1, "cc-pvdz", 1, 0};
    struct projection made;
    projection_init(&made, &close, "6-311g**");
    const struct tiling *tiling = made.setup.tiling;
    check_ok(scf_basis_create(&made.setup.problem, 1e-5, &made.setup.basis));
    check_ok(project(&made));
    struct darray *S = tiles_create(tiling, NULL);
    check_ok(overlap_matrix(tiling, S));
    check_close(tile_matrix_dot(tiling, made.setup.D[0], S), 4, 1e-8);
    darray_destroy(S);
    projection_fini(&made);
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

    struct projection made;
    projection_init(&made, &pair, "cc-pvdz");
    double *whole = made.whole[0];
    for (int64_t i = 0; i < made.from->n_functions; i++)
        whole[2 * i + 1] = whole[2 * i];
    dense_put_whole(whole, made.C[0]);
    check_status(STATUS_INPUT, project(&made));
    assert_non_null(strstr(status_text(), "are dependent in this geometry and basis"));
    projection_fini(&made);
}

TEST_SETUP(scf_start)

TEST_TEARDOWN(scf_stop)
