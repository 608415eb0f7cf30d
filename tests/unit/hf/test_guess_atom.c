/* SPDX-License-Identifier: BSD-3-Clause */
/* Atoms averaged over angles: closed shells are exact, integrals agree with the averaged slow
 * reference, and the density holds all electrons. */
#include "basis/input/basis_library.h"
#include "basis/input/molecule.h"
#include "basis/integrals/ecp.h"
#include "hf/guess/guess_atom.h"
#include "hf/guess/guess_atom_channel.h"
#include "tests/check.h"
#include "tests/reference/integrals_reference.h"

#include <stdlib.h>
#include <string.h>

/* A primitive with the norm that basis/shells.h states, pure. */
static struct shell primitive(int l, double *exponent, double *coefficient)
{
    *coefficient = primitive_norm(l, *exponent);
    return (struct shell){.l = l,
                          .spherical = l >= 2,
                          .n_functions = 2 * l + 1,
                          .n_primitives = 1,
                          .exponents = exponent,
                          .coefficients = coefficient};
}

TEST(one_electron_integrals_are_those_of_the_reference)
{
    struct atom nucleus = atom_of_element(1, false);
    const struct molecule molecule = {.n_atoms = 1, .atoms = &nucleus};
    for (int l = 0; l <= 3; l++) {
        double exponents[2] = {0.7, 2.3}, coefficients[2], block[49];
        struct shell a = primitive(l, &exponents[0], &coefficients[0]);
        struct shell b = primitive(l, &exponents[1], &coefficients[1]);
        reference_overlap(&a, &b, block);
        check_close(guess_atom_overlap(l, 0.7, 2.3), block[0], 1e-13);
        reference_kinetic(&a, &b, block);
        check_close(guess_atom_kinetic(l, 0.7, 2.3), block[0], 1e-12);
        reference_nuclear(&molecule, &a, &b, block);
        check_close(-guess_atom_inverse_r(l, 0.7, 2.3), block[0], 1e-12);
    }
}

/* J - K/2 of (a a'| b b'), averaged over the functions of a and of b: the interaction of one
 * electron in b with a. */
static double averaged_repulsion(const struct shell *a, const struct shell *a2,
                                 const struct shell *b, const struct shell *b2)
{
    static double coulomb[7 * 7 * 7 * 7], exchange[7 * 7 * 7 * 7];
    int n = a->n_functions, m = b->n_functions;
    double sum = 0;
    reference_two_electron(a, a2, b, b2, coulomb);
    reference_two_electron(a, b, a2, b2, exchange);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            sum += coulomb[((i * n + i) * m + j) * m + j] -
                   0.5 * exchange[((i * m + j) * n + i) * m + j];
    return sum / (n * m);
}

TEST(repulsion_is_that_of_the_reference_averaged)
{
    for (int l1 = 0; l1 <= 3; l1++)
        for (int l2 = 0; l2 <= l1; l2++) {
            double e[4] = {0.7, 2.3, 1.1, 0.4}, coefficients[4];
            struct shell shells[4];
            for (int i = 0; i < 4; i++)
                shells[i] = primitive(i < 2 ? l1 : l2, &e[i], &coefficients[i]);
            /* guess_atom_repulsion stands for both orders of the second pair. */
            double expected = averaged_repulsion(&shells[0], &shells[1], &shells[2], &shells[3]);
            expected += averaged_repulsion(&shells[0], &shells[1], &shells[3], &shells[2]);
            struct guess_atom_pair ab = {l1, e[0], e[1]}, cd = {l2, e[2], e[3]};
            check_close(guess_atom_repulsion(&ab, &cd), expected / 2, 1e-12);
            check_close(guess_atom_repulsion(&cd, &ab), expected / 2, 1e-12);
        }
}

static const struct atom carbon = {.element = 6, .charge = 6};

/* Electrons, or unpaired ones, of shell n of an atom with a core. */
static int count_electrons(int element, int n_core, int l, int n)
{
    return guess_atom_electrons(&(struct atom){.element = element, .charge = element - n_core}, l,
                                n);
}

static int count_unpaired(int element, int l, int n)
{
    return guess_atom_unpaired(&(struct atom){.element = element, .charge = element}, l, n);
}

/* The atom of an element in a set; returns its density, n x n, for the caller to free. */
static double *solve_atom(const char *basis, enum basis_form form, int element, int64_t *n,
                          struct guess_atom *result)
{
    struct atom nucleus = atom_of_element(element, false);
    struct molecule molecule = {.n_atoms = 1, .atoms = &nucleus, .multiplicity = 1};
    struct basis_set set;
    struct shells *shells;
    check_ok(basis_set_read_all(basis, MPI_COMM_SELF, &set));
    check_ok(ecp_place(&set, &molecule));
    check_ok(shells_create(&molecule, &set, form, &shells));
    *n = shells->n_functions;
    double *D = malloc((size_t)(*n * *n) * sizeof *D);
    check_ok(guess_atom_density(&nucleus, shells->shells, shells->n_shells, D, NULL, result));
    shells_destroy(shells);
    basis_set_fini(&set);
    return D;
}

TEST(closed_shells_have_their_hartree_fock_energy)
{
    /* He, Be: two independent programs; Ne, Ar: NWChem 7.0.2. */
    static const struct {
        int element;
        const char *basis;
        double energy;
    } atoms[] = {
        {2, "cc-pvdz", -2.8551604772},
        {4, "6-31g", -14.5667640335},
        {10, "cc-pvdz", -128.4887755517},
        {18, "cc-pvdz", -526.7998653097},
    };
    for (size_t i = 0; i < sizeof atoms / sizeof atoms[0]; i++) {
        int64_t n;
        struct guess_atom result;
        free(solve_atom(atoms[i].basis, BASIS_FORM_UNSTATED, atoms[i].element, &n, &result));
        assert_true(result.converged);
        check_close(result.energy, atoms[i].energy, 1e-8);
    }
}

TEST(every_element_of_a_set_converges_with_all_electrons)
{
    for (int element = 1; element <= 36; element++) {
        double energy[2];
        for (int form = 0; form < 2; form++) {
            int64_t n;
            struct guess_atom result;
            double *D = solve_atom("6-31g*", form ? BASIS_FORM_CARTESIAN : BASIS_FORM_SPHERICAL,
                                   element, &n, &result);
            assert_true(result.converged);
            check_close(result.n_electrons, element, 1e-12);
            energy[form] = result.energy;
            for (int64_t i = 0; i < n * n; i++)
                check_close(D[i], D[i % n * n + i / n], 1e-12);
            free(D);
        }
        check_close(energy[1], energy[0], 0);
    }
}

/* Carbon in one shell. */
TEST(a_basis_too_small_takes_what_it_can_hold)
{
    for (int l = 0; l <= 2; l += 2) {
        double exponent = 1.5, coefficient, D[25];
        struct shell shell = primitive(l, &exponent, &coefficient);
        struct guess_atom result;
        check_ok(guess_atom_density(&carbon, &shell, 1, D, NULL, &result));
        check_close(result.n_electrons, l == 0 ? 2 : 0, 1e-12);
        check_close(D[0], l == 0 ? 2 : 0, 1e-12);
    }
}

/* Carbon with one shell of s and one of p functions: two electrons of 2p are unpaired. */
TEST(unpaired_electrons_are_those_of_open_shells)
{
    double exponents[2] = {1.5, 0.8}, coefficients[2], D[16], M[16];
    struct shell shells[2] = {primitive(0, &exponents[0], &coefficients[0]),
                              primitive(1, &exponents[1], &coefficients[1])};
    struct guess_atom result;
    check_ok(guess_atom_density(&carbon, shells, 2, D, M, &result));
    for (int i = 0; i < 16; i++)
        check_close(M[i], i % 5 == 0 && i > 0 ? D[i] : 0, 1e-12);
    check_close(M[5] + M[10] + M[15], 2, 1e-12);
    static const int unpaired[][2] = {{1, 1},  {2, 0},  {6, 2},  {7, 3},  {8, 2},
                                      {10, 0}, {25, 5}, {26, 4}, {30, 0}, {64, 6}}; /* Gd 4f8 */
    for (size_t i = 0; i < sizeof unpaired / sizeof *unpaired; i++)
        assert_int_equal(
            guess_atom_all_unpaired(
                &(struct atom){.element = unpaired[i][0], .charge = unpaired[i][0]}, 0),
            unpaired[i][1]);
    assert_int_equal(count_unpaired(26, 2, 0), 4);
    assert_int_equal(count_unpaired(26, 1, 1), 0);
}

TEST(electrons_fill_in_madelungs_order)
{
    for (int element = 1; element <= 118; element++) {
        int sum = 0;
        for (int i = 0; i < 32; i++)
            sum += count_electrons(element, 0, i / 8, i % 8);
        assert_int_equal(sum, element);
    }
    assert_int_equal(count_electrons(26, 0, 2, 0), 6); /* Fe 3d6 */
    assert_int_equal(count_electrons(26, 0, 0, 3), 2); /* 4s2 */
    assert_int_equal(count_electrons(92, 0, 3, 1), 4); /* U 5f4 */
}

TEST(cores_take_the_inner_shells)
{
    /* Element, core, and the electrons of the first valence shells of s, p, d and f, each list ended by 0. */
    static const struct {
        int element, n_core, electrons[4][4];
    } atoms[] = {
        {37, 28, {{2, 1}, {6}, {0}, {0}}},     /* Rb 4s2 4p6 5s1 */
        {40, 28, {{2, 2}, {6}, {2}, {0}}},     /* Zr 4s2 4p6 4d2 5s2 */
        {53, 28, {{2, 2}, {6, 5}, {10}, {0}}}, /* I */
        {53, 46, {{2}, {5}, {0}, {0}}},
        {54, 28, {{2, 2}, {6, 6}, {10}, {0}}}, /* Xe */
        {55, 54, {{1}, {0}, {0}, {0}}},        /* Cs: the core of xenon has no 4f */
        {58, 28, {{2, 2, 2}, {6, 6}, {10}, {2}}},
        {58, 47, {{2, 2}, {6}, {1}, {0}}}, /* Ce: one electron of 4f in the core */
        {58, 54, {{2}, {0}, {0}, {2}}},
        {79, 60, {{2, 2}, {6}, {9}, {0}}}, /* Au */
        {79, 68, {{2}, {0}, {9}, {0}}},
        {80, 60, {{2, 2}, {6}, {10}, {0}}}, /* Hg */
        {82, 78, {{2}, {2}, {0}, {0}}},
        {87, 86, {{1}, {0}, {0}, {0}}},
    };
    for (size_t i = 0; i < sizeof atoms / sizeof atoms[0]; i++)
        for (int l = 0; l < 4; l++)
            for (int n = 0; n < 4; n++)
                assert_int_equal(count_electrons(atoms[i].element, atoms[i].n_core, l, n),
                                 atoms[i].electrons[l][n]);
}

/* All elements of def2-SVP with a core potential; xenon by NWChem 7.0.2. */
TEST(atoms_with_a_core_converge)
{
    for (int element = 37; element <= 86; element++) {
        int64_t n;
        struct guess_atom result;
        if (element > 57 && element < 72)
            continue;
        free(solve_atom("def2-svp", BASIS_FORM_UNSTATED, element, &n, &result));
        assert_true(result.converged);
        check_close(result.n_electrons,
                    element - (element < 55   ? 28
                               : element < 58 ? 46
                                              : 60),
                    1e-12);
        if (element == 54)
            check_close(result.energy, -328.2983936755, 1e-8);
    }
}
