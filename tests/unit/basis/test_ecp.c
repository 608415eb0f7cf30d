/* SPDX-License-Identifier: BSD-3-Clause */
/* Core potentials of atoms, and libecpint against quadrature. */
#include "basis/integrals/ecp.h"
#include "tests/reference/integrals_reference.h"
#include "tests/unit/basis/shells_case.h"

/* Projectors up to g, every power of r, a local part that changes its sign; shells of every l, alone and in
 * general and SP contractions. */
static const char set[] =
    "Rb 0\nSP 2 1\n1.1 0.4 0.7\n0.4 0.6 0.5\nD 2 1\n1.2 0.5\n0.5 0.5\n"
    "F 1 1\n0.8 1\nG 1 1\n0.9 1\nH 1 1\n0.7 1\n****\n"
    "F 0\nS 1 1\n0.9 1\nP 1 1\n0.7 1\nD 1 1\n0.5 1\nF 1 1\n0.9 1\nG 1 1\n0.6 1\nH 1 1\n1.1 "
    "1\n****\n"
    "Rb 0\nRb-ECP 5 28\nh-ul\n4\n2 1.1 -3.2\n1 0.9 1.5\n3 1.2 0.8\n0 1.5 0.2\n"
    "s-ul\n2\n2 1.7 8.5\n3 0.8 -0.7\np-ul\n2\n2 1.3 6.1\n1 1.1 0.4\n"
    "d-ul\n2\n2 0.6 -2.2\n0 1.4 0.3\nf-ul\n1\n2 1.5 3.1\ng-ul\n1\n2 1.2 -4.0\n****\n";

static void make_case(const char *xyz, const char *text, enum basis_form form,
                      struct shells_case *made)
{
    const struct molecule_settings settings = {.unit = LENGTH_BOHR};
    check_ok(molecule_parse(xyz, strlen(xyz), "test.xyz", &settings, &made->molecule));
    check_ok(basis_set_parse(text, strlen(text), "test", &made->set));
    check_ok(ecp_place(&made->set, &made->molecule));
    check_ok(shells_create(&made->molecule, &made->set, form, &made->shells));
}

#define TOGETHER "3\n\nRb 0.1 -0.2 0.3\nF 0.7 0.4 -0.5\n@F -0.3 0.5 0.9\n"

/* Where libecpint's own integrals over projectors err by 1e-5: an odd power, with functions of different
 * exponents, and contractions of tight and diffuse functions. */
static const char apart[] =
    "F 0\nS 1 1\n1.132 1\nS 1 1\n0.3 1\nP 3 1\n6.3 0.05\n1.9 0.24\n0.6 0.5\n****\n"
    "Rb 0\nS 1 1\n0.5 1\n****\n"
    "Rb 0\nRb-ECP 5 36\nh-ul\n1\n2 1.0 0.0\ns\n0\np\n0\nd\n0\nf\n1\n1 3.0 -100\ng\n1\n"
    "2 1.85 -142\n****\n";

static void check_integrals(const char *xyz, const char *text, enum basis_form form)
{
    struct shells_case made;
    make_case(xyz, text, form, &made);
    const struct shells *shells = made.shells;
    int64_t n = shells->n_functions;
    double *expected = malloc((size_t)(n * n) * sizeof *expected), largest = 0;
    double block[ANGULAR_MAX_FUNCTIONS * ANGULAR_MAX_FUNCTIONS];
    struct ecp_integrals *integrals;
    check_ok(ecp_integrals_create(&made.molecule, shells, &integrals));
    reference_core_potentials(&made.molecule, shells, expected);
    for (int64_t k = 0; k < n * n; k++)
        largest = fmax(largest, fabs(expected[k]));
    assert_true(largest > 1e-3);
    for (int64_t i = 0; i < shells->n_shells; i++)
        for (int64_t j = 0; j < shells->n_shells; j++) {
            const struct shell *a = &shells->shells[i], *b = &shells->shells[j];
            memset(block, 0, sizeof block);
            block[0] = 1;
            check_ok(ecp_integrals_add(integrals, i, j, block));
            block[0] -= 1;
            for (int f = 0; f < a->n_functions; f++)
                for (int g = 0; g < b->n_functions; g++)
                    check_close(block[f * b->n_functions + g],
                                expected[(a->first_function + f) * n + b->first_function + g],
                                1e-10);
        }
    free(expected);
    ecp_integrals_destroy(integrals);
    shells_case_fini(&made);
}

TEST(spherical_functions_agree_with_quadrature)
{
    check_integrals(TOGETHER, set, BASIS_FORM_SPHERICAL);
    check_integrals("2\n\nRb 0 0 0\nF 0.4 0.3 2.5\n", apart, BASIS_FORM_SPHERICAL);
}

TEST(cartesian_functions_agree_with_quadrature)
{
    check_integrals(TOGETHER, set, BASIS_FORM_CARTESIAN);
}

TEST(a_potential_lowers_the_charge_of_nuclei_but_not_of_ghosts)
{
    struct shells_case made;
    make_case("3\n\nRb 0 0 0\n@Rb 0 0 3\nF 0 0 6\n", set, BASIS_FORM_UNSTATED, &made);
    const struct atom *atoms = made.molecule.atoms;
    assert_int_equal(atoms[0].charge, 9);
    assert_int_equal(atom_n_core(&atoms[0]), 28);
    assert_ptr_equal(atoms[0].potential, &basis_set_find(&made.set, 37)->potential);
    assert_int_equal(atoms[1].charge, 0);
    assert_int_equal(atom_n_core(&atoms[1]), 0);
    assert_null(atoms[1].potential);
    assert_int_equal(atoms[2].charge, 9);
    assert_null(atoms[2].potential);
    assert_int_equal(molecule_n_electrons(&made.molecule), 18);
    check_close(molecule_nuclear_repulsion(&made.molecule), 81.0 / 6, 1e-14);
    shells_case_fini(&made);
}

static void check_refusal(const char *xyz, const char *text, const char *message)
{
    const struct molecule_settings settings = {.unit = LENGTH_BOHR};
    struct shells_case made = {0};
    check_ok(molecule_parse(xyz, strlen(xyz), "test.xyz", &settings, &made.molecule));
    check_ok(basis_set_parse(text, strlen(text), "test", &made.set));
    check_status(STATUS_INPUT, ecp_place(&made.set, &made.molecule));
    if (!strstr(status_text(), message))
        fail_msg("\"%s\" lacks \"%s\"", status_text(), message);
    shells_case_fini(&made);
}

#define RB "Rb 0\nS 1 1\n1 1\n****\nRb 0\nRb-ECP "

TEST(what_libecpint_lacks_is_refused)
{
    static const char parts[] = RB "6 28\na\n1\n2 1 1\nb\n0\nc\n0\nd\n0\ne\n0\nf\n0\ng\n1\n2 1 1\n";
    check_refusal("1\n\nRb 0 0 0\n", parts,
                  "test:6: the core potential of Rb has a projector of l = 5");
    check_refusal("1\n\nRb 0 0 0\n", RB "0 37\nul\n1\n2 1 1\n",
                  "test:6: a core of 37 electrons leaves none of the 37 of Rb");
    check_refusal("1\n\nRb 0 0 0\n", RB "0 28\nul\n1\n4 1 1\n", "test:9: expected a term");
}
