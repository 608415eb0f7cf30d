/* SPDX-License-Identifier: BSD-3-Clause */
/* Products with the Hessian, the lowest curvatures and the verdicts on the stability of RHF and
 * UHF solutions agree with the whole matrix from reference integrals. */
#include "hf/scf/scf_stability.h"
#include "support/arrays/dense.h"
#include "tests/cases/scf_solution.h"

#include <math.h>

#define WATER "3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n"

/* A UHF solution separates from the RHF solution at 1.21038553 Angstrom (Coulson-Fischer point). */
#define H2_AT(distance) "2\n\nH 0 0 0\nH 0 0 " distance "\n"

/* verdict: of enum scf_verdict, in the tested spaces. NOT_TESTED: the whole Hessian's verdict counts, because
 * rounding errors decide between solutions. n_free: rotations of an atom or a linear molecule in its own
 * space, which are zeros of the Hessian. */
struct stability_case {
    struct scf_case scf;
    int verdict[SCF_SPACES], n_free;
};

/* The verdicts of rows. */
enum {
    S = SCF_VERDICT_STABLE,
    U = SCF_VERDICT_UNSTABLE,
    N = SCF_VERDICT_NOT_SETTLED,
    T = SCF_VERDICT_NOT_TESTED
};

#define ETHYLENE                                                                                   \
    "6\n\nC 0 0 0.667\nC 0 0 -0.667\nH 0 0.923 1.238\nH 0 -0.923 1.238\n"                          \
    "H 0 0.923 -1.238\nH 0 -0.923 -1.238\n"

/* With builds of one quartet of each orbit: groups of four and eight; a hole in a pi shell, whose rotation is
 * free; states that have not the symmetry of the molecule, or a part of it alone; operations that move no
 * centre; an atom with two free rotations. */
static const struct stability_case symmetric_cases[] = {
    {{WATER, 0, 1, "6-31g", 1, 0}, {S, S}, 0},
    {{ETHYLENE, 0, 1, "sto-3g", 1, 0}, {S, T}, 0},
    {{ETHYLENE, 0, 3, "sto-3g", 2, 0}, {T, T}, 0},
    {{ETHYLENE, 1, 2, "sto-3g", 2, 0}, {T, T}, 0},
    {{"2\n\nF 0 0 0\nF 0 0 2.5\n", 0, 1, "sto-3g", 1, 0}, {S, U}, 0},
    {{"2\n\nO 0 0 0\nO 0 0 1.2075\n", 0, 1, "sto-3g", 1, 0}, {S, U}, 1},
    {{"2\n\nO 0 0 0\nO 0 0 1.2075\n", 0, 3, "sto-3g", 2, 0}, {T, U}, 0},
    {{"2\n\nC 0 0 0\nO 0 0 1.13\n", 0, 1, "sto-3g", 1, 0}, {S, S}, 0},
    {{"2\n\nO 0 0 0\nH 0 0 0.97\n", 0, 2, "sto-3g", 2, 0}, {T, S}, 1},
    {{"1\n\nC 0 0 0\n", 0, 3, "6-31g", 2, 0}, {T, S}, 2},
};

/* Closed shells that are stable, that break into radicals, and with a hole in a pi shell, whose
 * rotation is free; radicals; a spin without electrons; an open d shell with an eigenvalue of 1e-4
 * beside two zeros; solutions that are saddle points, also so weak ones that a sign is all that they
 * have, or not even that. */
static const struct stability_case cases[] = {
    {{WATER, 0, 1, "sto-3g", 1, 0}, {S, S}, 0},
    {{"2\n\nLi 0 0 0\nH 0.3 0 1.6\n", 0, 1, "sto-3g", 1, 0}, {S, S}, 0},
    {{"2\n\nH 0 0 0\nF 0 0 3\n", 0, 1, "sto-3g", 1, 0}, {U, U}, 0},
    {{"2\n\nF 0 0 0\nF 0 0 2.5\n", 0, 1, "sto-3g", 1, 0}, {S, U}, 0},
    {{"2\n\nH 0 0 0\nH 0 0 3\n", 0, 1, "6-31g", 1, 0}, {S, U}, 0},
    {{"2\n\nO 0 0 0\nO 0 0 1.2075\n", 0, 1, "sto-3g", 1, 0}, {S, U}, 1},
    {{"2\n\nH 0 0 0\nH 0 0 3\n", 0, 1, "6-31g", 2, 0}, {T, U}, 0},
    {{"2\n\nO 0 0 0\nO 0 0 1.2075\n", 0, 3, "sto-3g", 2, 0}, {T, U}, 0},
    {{"2\n\nO 0 0 0\nH 0.3 0.4 0.83\n", 0, 2, "sto-3g", 2, 0}, {T, S}, 1},
    {{"1\n\nH 0 0 0\n", 0, 2, "6-31g", 2, 0}, {T, S}, 0},
    {{"1\n\nC 0 0 0\n", 0, 3, "6-31g", 2, 0}, {T, S}, 2},
    {{"1\n\nCo 0 0 0\n", 2, 4, "sto-3g", 2, 0}, {T, T}, 2},
    {{H2_AT("1.2103"), 0, 1, "cc-pvdz", 2, 0}, {T, S}, 0},
    {{H2_AT("1.2103855"), 0, 1, "cc-pvdz", 2, 0}, {T, N}, 0},
    {{H2_AT("1.2103855"), 0, 1, "cc-pvdz", 1, 0}, {S, N}, 0},
    {{H2_AT("1.2104"), 0, 1, "cc-pvdz", 2, 0}, {T, U}, 0},
    {{H2_AT("1.2104"), 0, 1, "cc-pvdz", 1, 0}, {S, U}, 0},
};

/* Numbers of a rotation as the reference counts them; the caller frees them. */
static double *whole_rotation(const struct solution *solution, const struct scf_rotation *rotation)
{
    int64_t n = 0;
    double *whole = calloc((size_t)reference_n_rotations(&solution->orbitals), sizeof *whole);
    assert_non_null(whole);
    for (int s = 0; s < 2; s++) {
        if (!rotation->kappa[s])
            continue;
        double *own = dense_whole(rotation->kappa[s]);
        size_t size = (size_t)rotation->kappa[s]->n_rows * (size_t)rotation->kappa[s]->n_columns;
        memcpy(whole + n, own, size * sizeof *own);
        n += (int64_t)size;
        free(own);
    }
    return whole;
}

static void check_product(const struct solution *solution, const double *H,
                          const struct scf_rotation *kappa, const struct scf_rotation *product)
{
    int64_t n = reference_n_rotations(&solution->orbitals);
    double *x = whole_rotation(solution, kappa), *Hx = whole_rotation(solution, product);
    for (int64_t row = 0; row < n; row++) {
        double expected = 0;
        for (int64_t column = 0; column < n; column++)
            expected += H[row * n + column] * x[column];
        check_close(Hx[row], expected, 1e-8);
    }
    free(x);
    free(Hx);
}

/* Products of one to four unit vectors without structure in a pass, with the Hessian of opposite
 * rotations but for with_own of them. */
static void check_several(struct solution *solution, int with_own, int n, double *const H[])
{
    struct scf_rotation kappa[FOCK_MAX_MATRICES], product[FOCK_MAX_MATRICES];
    const struct scf_rotation *vectors[FOCK_MAX_MATRICES] = {NULL};
    struct scf_rotation *products[FOCK_MAX_MATRICES] = {NULL};
    for (int i = 0; i < n; i++) {
        check_ok(scf_rotations_init(solution->basis, 1, &kappa[i]));
        check_ok(scf_rotations_init(solution->basis, 1, &product[i]));
        scf_rotation_set_noise(i, &kappa[i]);
        scf_rotation_add(0, &kappa[i], 1 / sqrt(scf_rotation_dot(&kappa[i], &kappa[i])), &kappa[i]);
        vectors[i] = &kappa[i];
        products[i] = &product[i];
    }
    check_ok(scf_hessian_multiply_several(&solution->hessian, with_own, n, vectors, products));
    for (int i = 0; i < n; i++) {
        check_product(solution, H[i >= with_own], &kappa[i], &product[i]);
        scf_rotations_fini(1, &kappa[i]);
        scf_rotations_fini(1, &product[i]);
    }
}

static void check_products(struct solution *solution, int n_blocks, double *const H[])
{
    double *const own[2] = {H[0], H[0]};
    for (int n = 1; n <= FOCK_MAX_MATRICES && n_blocks == 2; n++)
        for (int with_own = 0; with_own <= FOCK_MAX_COULOMB && with_own <= n; with_own++)
            check_several(solution, with_own, n, H);
    for (int n = 1; n <= FOCK_MAX_MATRICES / 2 && n_blocks == 1; n++)
        check_several(solution, 0, n, own);
}

/* The lowest of n eigenvalues in order, but for n_free zeros. */
static double lowest_of(const double *values, int n_free)
{
    int i = 0;
    for (; n_free > 0; n_free--, i++) {
        assert_true(values[i] < 1e-6);
        if (values[i] < -1e-6)
            return values[i];
    }
    return values[i];
}

/* The eigenvalue found lies above the lowest one of H, but for the noise; if the search converged,
 * within its error of one of them, of the lowest where the sign is in doubt. values: n, of H. */
static void check_curvature(const struct scf_curvature *curvature, int64_t n, const double *values,
                            int n_free, enum scf_verdict verdict)
{
    double nearest = INFINITY, lowest = lowest_of(values, n_free);
    if (verdict == SCF_VERDICT_NOT_TESTED)
        verdict = lowest < 0 ? SCF_VERDICT_UNSTABLE : SCF_VERDICT_STABLE;
    assert_int_equal(scf_curvature_verdict(curvature), verdict);
    assert_true(lowest < curvature->eigenvalue + curvature->noise);
    for (int64_t i = 0; i < n; i++)
        nearest = fmin(nearest, fabs(values[i] - curvature->eigenvalue));
    assert_true(nearest <= curvature->error);
    if (lowest > -1e-3 && lowest < 0.05 && isfinite(curvature->error))
        check_close(curvature->eigenvalue, lowest, curvature->error);
}

/* Sets a rotation to numbers in the order of the reference. */
static void set_rotation(const double *whole, struct scf_rotation *rotation)
{
    for (int s = 0; s < 2; s++) {
        struct dense *kappa = rotation->kappa[s];
        if (kappa)
            dense_put_whole(whole, kappa);
        whole += kappa ? kappa->n_rows * kappa->n_columns : 0;
    }
}

/* Begins the search with each of the lowest eigenvectors. All but the lowest hide a lower
 * curvature. */
static void check_soft_starts(struct solution *solution, const struct stability_case *expected,
                              int64_t n, const double *vectors, const double *values)
{
    for (int64_t k = 0; k < n && k < 4; k++) {
        struct scf_rotation mode;
        struct scf_stability stability;
        check_ok(scf_rotations_init(solution->basis, 1, &mode));
        set_rotation(vectors + k * n, &mode);
        check_ok(scf_stability_init(&solution->hessian, &mode, &stability));
        check_curvature(&stability.curvature[SCF_REAL_UHF], n, values, expected->n_free,
                        expected->verdict[SCF_REAL_UHF]);
        scf_stability_fini(&stability);
        scf_rotations_fini(1, &mode);
    }
}

static void check_case(const struct stability_case *stability_case, bool symmetry)
{
    struct solution solution;
    struct scf_stability stability;
    solution_init(&stability_case->scf, symmetry, &solution);
    int own = (int)scf_own_space(solution.basis->problem), n_blocks = 2 - own;
    double coulomb[] = {own == 0 ? 4 : 2, 0}, *H[2] = {NULL, NULL};
    double *integrals = reference_function_integrals(solution.setup.shells);
    for (int block = 0; block < n_blocks; block++)
        H[block] = reference_hessian(solution.setup.shells->n_functions, integrals,
                                     &solution.orbitals, coulomb[block]);
    free(integrals);
    check_products(&solution, n_blocks, H);
    check_ok(scf_stability_init(&solution.hessian, NULL, &stability));
    int most = 0;
    int64_t n = reference_n_rotations(&solution.orbitals);
    double *values = malloc((size_t)n * sizeof *values);
    for (int block = 0; block < n_blocks; block++) {
        const struct scf_curvature *curvature = &stability.curvature[own + block];
        check_ok(symmetric_eigen((int)n, H[block], values));
        check_curvature(curvature, n, values, block == 0 ? stability_case->n_free : 0,
                        stability_case->verdict[own + block]);
        if (n_blocks == 1)
            check_soft_starts(&solution, stability_case, n, H[block], values);
        most = curvature->n_products > most ? curvature->n_products : most;
        free(H[block]);
    }
    free(values);
    /* The searches share their builds, and so do several vectors of one towards UHF. */
    int at_once = FOCK_MAX_MATRICES / (own + 1);
    assert_true(stability.n_builds <= most && at_once * stability.n_builds >= most);
    assert_int_equal(stability.curvature[SCF_REAL_RHF].n_products > 0, own == 0);
    scf_stability_fini(&stability);
    solution_fini(&solution);
}

TEST(curvatures_are_those_of_the_whole_hessian)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_case(&cases[i], false);
}

TEST(so_are_those_with_symmetric_builds)
{
    for (size_t i = 0; i < sizeof symmetric_cases / sizeof symmetric_cases[0]; i++)
        check_case(&symmetric_cases[i], true);
}

/* --- ROHF --- */

/* E of the solution turned by t kappa, less E. */
static double change_of_energy(struct solution *solution, const struct scf_rotation *kappa,
                               double t)
{
    struct scf_state *turned;
    struct scf_rotation scaled;
    check_ok(scf_state_create(solution->basis, &turned));
    check_ok(scf_rotations_init(solution->basis, 1, &scaled));
    scf_rotation_add(t, kappa, 0, &scaled);
    check_ok(
        scf_rotate_and_build(solution->basis, solution->fock, solution->state, &scaled, turned));
    double change = turned->energy - solution->state->energy;
    scf_rotations_fini(1, &scaled);
    scf_state_destroy(turned);
    return change;
}

/* w g . kappa and w kappa . H kappa are the derivatives of the energy, of any state. */
static void check_derivatives(struct solution *solution)
{
    const double t = 2e-3;
    struct scf_rotation kappa, product;
    check_ok(scf_rotations_init(solution->basis, 1, &kappa));
    check_ok(scf_rotations_init(solution->basis, 1, &product));
    for (int stream = 0; stream < 4; stream++) {
        scf_rotation_set_noise(stream, &kappa);
        scf_rotation_add(0, &kappa, 1 / sqrt(scf_rotation_dot(&kappa, &kappa)), &kappa);
        solution_multiply(solution, &kappa, &product);
        double forth = change_of_energy(solution, &kappa, t);
        double back = change_of_energy(solution, &kappa, -t);
        double w = solution->hessian.weight;
        check_close((forth - back) / (2 * t),
                    w * scf_rotation_dot(&solution->hessian.gradient, &kappa), 1e-4);
        check_close((forth + back) / (t * t), w * scf_rotation_dot(&kappa, &product), 1e-3);
    }
    scf_rotations_fini(1, &kappa);
    scf_rotations_fini(1, &product);
}

/* Replaces the state by one that is not stationary. */
static void turn_solution(struct solution *solution)
{
    struct scf_rotation noise;
    check_ok(scf_rotations_init(solution->basis, 1, &noise));
    scf_rotation_set_noise(9, &noise);
    scf_rotation_add(0, &noise, 0.1, &noise);
    scf_hessian_fini(&solution->hessian);
    check_ok(scf_rotate_and_build(solution->basis, solution->fock, solution->state, &noise,
                                  solution->state));
    check_ok(
        scf_hessian_init(solution->basis, solution->fock, solution->state, &solution->hessian));
    scf_rotations_fini(1, &noise);
}

/* The whole Hessian by products with unit vectors, row-major; the caller frees it. */
static double *hessian_by_products(struct solution *solution, int64_t *n)
{
    struct scf_rotation unit, product;
    check_ok(scf_rotations_init(solution->basis, 1, &unit));
    check_ok(scf_rotations_init(solution->basis, 1, &product));
    *n = 0;
    for (int s = 0; s < 2; s++)
        *n += unit.kappa[s] ? (int64_t)unit.kappa[s]->n_rows * unit.kappa[s]->n_columns : 0;
    double *H = malloc((size_t)(*n * *n) * sizeof *H);
    double *e = malloc((size_t)*n * sizeof *e);
    assert_true(H && e);
    for (int64_t i = 0; i < *n; i++) {
        for (int64_t j = 0; j < *n; j++)
            e[j] = i == j;
        set_rotation(e, &unit);
        solution_multiply(solution, &unit, &product);
        int64_t at = 0;
        for (int s = 0; s < 2; s++) {
            if (!product.kappa[s])
                continue;
            double *own = dense_whole(product.kappa[s]);
            size_t size = (size_t)product.kappa[s]->n_rows * (size_t)product.kappa[s]->n_columns;
            memcpy(H + i * *n + at, own, size * sizeof *own);
            at += (int64_t)size;
            free(own);
        }
    }
    free(e);
    scf_rotations_fini(1, &unit);
    scf_rotations_fini(1, &product);
    return H;
}

/* A radical; two free rotations; a triplet, which is a saddle point; no closed shell; no hole of alpha. */
static const struct stability_case open_cases[] = {
    {{"2\n\nO 0 0 0\nH 0.3 0.4 0.83\n", 0, 2, "sto-3g", 3, 0}, {[SCF_REAL_ROHF] = S}, 1},
    {{"3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n", 1, 2, "6-31g", 3, 0},
     {[SCF_REAL_ROHF] = S},
     0},
    {{"1\n\nC 0 0 0\n", 0, 3, "6-31g", 3, 0}, {[SCF_REAL_ROHF] = S}, 2},
    {{"2\n\nO 0 0 0\nO 0 0 1.2075\n", 0, 3, "6-31g", 3, 0}, {[SCF_REAL_ROHF] = U}, 0},
    {{"2\n\nH 0 0 0\nH 0 0 1.5\n", 0, 3, "6-31g", 3, 0}, {[SCF_REAL_ROHF] = S}, 0},
    {{"2\n\nHe 0 0 0\nHe 0 0 1.1\n", 1, 2, "sto-3g", 3, 0}, {[SCF_REAL_ROHF] = S}, 0},
};

static void check_open_case(const struct stability_case *expected, bool symmetry)
{
    struct solution solution;
    struct scf_stability stability;
    int64_t n;
    solution_init(&expected->scf, symmetry, &solution);
    check_derivatives(&solution);
    double *H = hessian_by_products(&solution, &n), *values = malloc((size_t)n * sizeof *values);
    assert_non_null(values);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            check_close(H[i * n + j], H[j * n + i], 1e-8);
    check_ok(symmetric_eigen((int)n, H, values));
    check_ok(scf_stability_init(&solution.hessian, NULL, &stability));
    check_curvature(&stability.curvature[SCF_REAL_ROHF], n, values, expected->n_free,
                    expected->verdict[SCF_REAL_ROHF]);
    scf_stability_fini(&stability);
    free(values);
    free(H);
    if (!symmetry) {
        turn_solution(&solution);
        check_derivatives(&solution);
    }
    solution_fini(&solution);
}

TEST(products_of_rohf_are_derivatives_of_the_energy)
{
    for (size_t i = 0; i < sizeof open_cases / sizeof open_cases[0]; i++) {
        check_open_case(&open_cases[i], false);
        check_open_case(&open_cases[i], true);
    }
}

/* Its eigenvalues near zero lie far below the differences of the orbital energies. */
TEST(an_open_d_shell_settles)
{
    static const struct scf_case chromium = {"1\n\nCr 0 0 0\n", 0, 5, "sto-3g", 2, 0};
    struct scf_settings settings = scf_settings_default();
    struct scf_setup setup;
    struct scf_result result;
    scf_setup_init(&setup, &chromium);
    check_ok(scf_setup_run(&setup, &settings, &result));
    assert_int_equal(scf_curvature_verdict(&result.curvature[SCF_REAL_UHF]), SCF_VERDICT_STABLE);
    scf_result_fini(&result);
    scf_setup_fini(&setup);
}

TEST_SETUP(scf_start)

TEST_TEARDOWN(scf_stop)
