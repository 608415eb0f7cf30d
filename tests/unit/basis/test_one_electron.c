/* SPDX-License-Identifier: BSD-3-Clause */
/* The libint engine against the independent reference, for every pair of angular momenta. */
#include "basis/integrals/one_electron.h"
#include "tests/reference/integrals_reference.h"
#include "tests/unit/basis/shells_case.h"

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

/* Shells of every l, number l of them, with the last of three primitives, or two or three, at a centre. */
static struct shells_case make_shells(bool spherical, int n_primitives, const double center[3])
{
    static const char *const primitives[] = {"", "0.17 1\n", "0.91 0.6\n0.17 -0.4\n",
                                             "5.3 0.6\n0.91 -0.4\n0.17 0.8\n"};
    char text[1024] = "He 0\n", xyz[128];
    for (int l = 0; l <= BASIS_MAX_L; l++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%c %d 1\n%s", "SPDFGH"[l],
                 n_primitives, primitives[n_primitives]);
    strcat(text, "****\n");
    snprintf(xyz, sizeof xyz, "1\n\nHe %.17g %.17g %.17g\n", center[0], center[1], center[2]);
    return shells_case_make(xyz, text, spherical ? BASIS_FORM_SPHERICAL : BASIS_FORM_CARTESIAN);
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
    struct shells_case bras = make_shells(bra_spherical, n_primitives, A);
    struct shells_case kets = make_shells(ket_spherical, n_primitives == 3 ? 2 : 1, B);
    for (int la = 0; la <= BASIS_MAX_L; la++)
        for (int lb = 0; lb <= BASIS_MAX_L; lb++)
            check_pair(engine, &bras.shells->shells[la], &kets.shells->shells[lb]);
    shells_case_fini(&bras);
    shells_case_fini(&kets);
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
    struct shells_case bras = make_shells(true, 3, here), kets = make_shells(true, 2, farther);
    const struct shell *bra = &bras.shells->shells[3], *ket = &kets.shells->shells[4];
    static double block[MAX_BLOCK];
    one_electron_nuclear(engine, &nuclei, bra, ket, block);
    for (int i = 0; i < bra->n_functions * ket->n_functions; i++)
        assert_true(block[i] == 0);
    shells_case_fini(&bras);
    shells_case_fini(&kets);
    one_electron_destroy(engine);
}

/* Shells of one centre far from the origin: no distance is rounded there either. */
TEST(integrals_of_a_centre_do_not_depend_on_its_place)
{
    static const double places[2][3] = {{0}, {1000.0 / 3, -777.7, 912.3}};
    static double at[2][2][MAX_BLOCK];
    struct one_electron *engine = make_engine();
    struct shells_case all[2] = {make_shells(true, 3, places[0]), make_shells(true, 3, places[1])};
    for (int pair = 0; pair < (BASIS_MAX_L + 1) * (BASIS_MAX_L + 1); pair++) {
        for (int i = 0; i < 2; i++) {
            const struct shell *bra = &all[i].shells->shells[pair / (BASIS_MAX_L + 1)];
            const struct shell *ket = &all[i].shells->shells[pair % (BASIS_MAX_L + 1)];
            one_electron_kinetic(engine, bra, ket, at[i][0]);
            one_electron_nuclear(engine, &all[i].molecule, bra, ket, at[i][1]);
        }
        assert_memory_equal(at[0], at[1], sizeof at[0]);
    }
    shells_case_fini(&all[0]);
    shells_case_fini(&all[1]);
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
