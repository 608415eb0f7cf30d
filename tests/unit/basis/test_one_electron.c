/* SPDX-License-Identifier: BSD-3-Clause */
/* The libint engine against the independent reference, for every pair of angular momenta. */
#include "basis/integrals/one_electron.h"
#include "tests/check.h"
#include "tests/reference/integrals_reference.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BLOCK = 3 * ANGULAR_MAX_FUNCTIONS * ANGULAR_MAX_FUNCTIONS };

/* A water-like frame of nuclei, one ghost that must not count, one basis
 * centre on a nucleus. */
static struct atom frame[] = {
    {.element = 8, .charge = 8, .position = {0.1, -0.2, 0.3}},
    {.element = 1, .charge = 1, .position = {1.5, 0.4, -0.6}},
    {.element = 92, .ghost = true, .position = {-1.0, 2.0, 0.5}},
    {.element = 3, .charge = 3, .position = {-0.7, 1.1, 1.9}},
};
static const struct molecule nuclei = {.n_atoms = 4, .atoms = frame};

static const double exponents[3] = {5.3, 0.91, 0.17};
static double coefficients[BASIS_MAX_L + 1][4][3]; /* by l and number of primitives */

static struct shell make_shell(int l, bool spherical, int n_primitives, const double center[3])
{
    struct shell shell = {
        .l = l,
        .spherical = spherical && l >= 2,
        .n_functions = angular_map(l, spherical)->n_functions,
        .n_primitives = n_primitives,
        .exponents = exponents + 3 - n_primitives,
        .coefficients = coefficients[l][n_primitives],
    };
    memcpy(shell.center, center, sizeof shell.center);
    return shell;
}

/* Contractions with self-overlap 1, as shells.h has them. */
static void normalise(void)
{
    static const double origin[3] = {0}, mixture[3] = {0.6, -0.4, 0.8};
    for (int l = 0; l <= BASIS_MAX_L; l++)
        for (int n = 1; n <= 3; n++) {
            double overlap[ANGULAR_MAX_FUNCTIONS * ANGULAR_MAX_FUNCTIONS];
            for (int p = 0; p < n; p++)
                coefficients[l][n][p] = mixture[p] * pow(exponents[3 - n + p], 0.75 + 0.5 * l);
            struct shell shell = make_shell(l, false, n, origin);
            reference_overlap(&shell, &shell, overlap);
            for (int p = 0; p < n; p++)
                coefficients[l][n][p] /= sqrt(overlap[0]);
        }
}

static struct one_electron *make_engine(void)
{
    const struct shells shells = {.max_l = BASIS_MAX_L, .max_primitives = 3};
    struct one_electron *engine;
    check_ok(one_electron_create(&shells, &engine));
    return engine;
}

/* Relative to the largest element: the elements of a block share their rounding. */
static void check_blocks(const double *actual, const double *expected, int n, double tolerance)
{
    double scale = 1;
    for (int i = 0; i < n; i++)
        scale = fmax(scale, fabs(expected[i]));
    for (int i = 0; i < n; i++)
        check_close(actual[i], expected[i], tolerance * scale);
}

static void check_pair(struct one_electron *engine, const struct shell *bra,
                       const struct shell *ket)
{
    static const double origin[3] = {0.3, 0.9, -1.2};
    static double actual[MAX_BLOCK], expected[MAX_BLOCK];
    int n = bra->n_functions * ket->n_functions;
    one_electron_overlap(engine, bra, ket, actual);
    reference_overlap(bra, ket, expected);
    check_blocks(actual, expected, n, 1e-12);
    one_electron_kinetic(engine, bra, ket, actual);
    reference_kinetic(bra, ket, expected);
    check_blocks(actual, expected, n, 1e-12);
    one_electron_dipole(engine, origin, bra, ket, actual);
    reference_dipole(origin, bra, ket, expected);
    check_blocks(actual, expected, 3 * n, 1e-12);
    one_electron_nuclear(engine, &nuclei, bra, ket, actual);
    reference_nuclear(&nuclei, bra, ket, expected);
    /* libint first puts both angular momenta on one centre and then moves a part
     * to the other, by differences that cancel the more the higher they are. */
    check_blocks(actual, expected, n, bra->l + ket->l > 7 ? 1e-11 : 1e-12);
}

static const double here[3] = {0.1, -0.2, 0.3};
static const double there[3] = {-0.6, 0.8, 1.4};

static void check_all_pairs(bool bra_spherical, bool ket_spherical, int n_primitives,
                            const double *A, const double *B)
{
    struct one_electron *engine = make_engine();
    for (int la = 0; la <= BASIS_MAX_L; la++)
        for (int lb = 0; lb <= BASIS_MAX_L; lb++) {
            struct shell bra = make_shell(la, bra_spherical, n_primitives, A);
            struct shell ket = make_shell(lb, ket_spherical, n_primitives == 3 ? 2 : 1, B);
            check_pair(engine, &bra, &ket);
        }
    one_electron_destroy(engine);
}

TEST(all_pairs_agree)
{
    static const double far[3] = {9, -7, 5};
    static const struct {
        bool bra_spherical, ket_spherical;
        int n_primitives;
        const double *A, *B;
    } cases[] = {
        {false, false, 1, here, there}, {false, false, 1, here, here},
        {true, true, 3, here, there},   {true, true, 3, there, here},
        {true, true, 3, there, there},  {true, false, 1, here, there},
        {false, true, 1, there, here},  {true, true, 3, here, far},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_all_pairs(cases[i].bra_spherical, cases[i].ket_spherical, cases[i].n_primitives,
                        cases[i].A, cases[i].B);
}

TEST(distant_pairs_are_zero)
{
    static const double farther[3] = {90, 0, 0};
    struct one_electron *engine = make_engine();
    struct shell bra = make_shell(3, true, 3, here), ket = make_shell(4, true, 2, farther);
    static double block[MAX_BLOCK];
    one_electron_nuclear(engine, &nuclei, &bra, &ket, block);
    for (int i = 0; i < bra.n_functions * ket.n_functions; i++)
        assert_true(block[i] == 0);
    one_electron_destroy(engine);
}

/* Shells of one centre far from the origin: no distance is rounded there either. */
TEST(integrals_of_a_centre_do_not_depend_on_its_place)
{
    static const double places[2][3] = {{0}, {1000.0 / 3, -777.7, 912.3}};
    struct one_electron *engine = make_engine();
    for (int bra_l = 0; bra_l <= BASIS_MAX_L; bra_l++)
        for (int ket_l = 0; ket_l <= bra_l; ket_l++) {
            static double at[2][2][MAX_BLOCK];
            int n = 0;
            for (int i = 0; i < 2; i++) {
                struct atom nucleus = atom_of_element(8, false);
                memcpy(nucleus.position, places[i], sizeof places[i]);
                const struct molecule atom = {.n_atoms = 1, .atoms = &nucleus};
                struct shell bra = make_shell(bra_l, true, 3, places[i]);
                struct shell ket = make_shell(ket_l, true, 3, places[i]);
                n = bra.n_functions * ket.n_functions;
                one_electron_kinetic(engine, &bra, &ket, at[i][0]);
                one_electron_nuclear(engine, &atom, &bra, &ket, at[i][1]);
            }
            for (int k = 0; k < 2; k++)
                for (int e = 0; e < n; e++)
                    check_close(at[1][k][e], at[0][k][e], 0);
        }
    one_electron_destroy(engine);
}

/* The reference itself. Hydrogen molecule, R = 1.4, STO-3G with zeta 1.24: Szabo & Ostlund, Modern
 * Quantum Chemistry (1996), eqs. 3.229 to 3.235, printed with four decimals. */
TEST(hydrogen_molecule_has_the_published_integrals)
{
    static const double alpha[3] = {3.42525091, 0.62391373, 0.16885540};
    double c[3] = {0.15432897, 0.53532814, 0.44463454}, found[10];
    for (int p = 0; p < 3; p++)
        c[p] *= pow(2 * alpha[p] / acos(-1), 0.75);
    struct shell A = {.n_functions = 1, .n_primitives = 3, .exponents = alpha, .coefficients = c};
    struct shell B = A;
    B.center[0] = 1.4;
    struct atom nucleus = atom_of_element(1, false);
    const struct molecule left = {.n_atoms = 1, .atoms = &nucleus};
    static const double published[10] = {0.6593,  0.7600, 0.2365, -1.2266, -0.5974,
                                         -0.6538, 0.7746, 0.5697, 0.4441,  0.2970};
    reference_overlap(&A, &B, &found[0]);
    reference_kinetic(&A, &A, &found[1]);
    reference_kinetic(&A, &B, &found[2]);
    reference_nuclear(&left, &A, &A, &found[3]);
    reference_nuclear(&left, &A, &B, &found[4]);
    reference_nuclear(&left, &B, &B, &found[5]);
    reference_two_electron(&A, &A, &A, &A, &found[6]);
    reference_two_electron(&A, &A, &B, &B, &found[7]);
    reference_two_electron(&B, &A, &A, &A, &found[8]);
    reference_two_electron(&B, &A, &B, &A, &found[9]);
    for (int i = 0; i < 10; i++)
        check_close(found[i], published[i], 5.1e-5);
}

TEST_SETUP(normalise)
