/* SPDX-License-Identifier: BSD-3-Clause */
/* Basis sets by element and centre. */
#include "basis/input/basis_choice.h"
#include "basis/input/point_group.h"
#include "basis/integrals/shells.h"
#include "tests/check.h"

#include <string.h>

/* O, H, H, a ghost of oxygen, and one without element. */
#define MOLECULE "5\nunits=bohr\nO 0 0 0\nH 0 1.43 1.11\nH 0 -1.43 1.11\n@O 0 0 6\nBq 0 0 9\n"

static void parse_molecule(const char *text, struct molecule *molecule)
{
    const struct molecule_settings settings = {.unit = LENGTH_ANGSTROM};
    check_ok(molecule_parse(text, strlen(text), "molecule.xyz", &settings, molecule));
}

/* The names of the sets of all centres, separated by blanks. */
static void check_choice(const char *text, const char *expected)
{
    struct molecule molecule;
    struct basis_choice choice;
    char found[200] = "";
    parse_molecule(MOLECULE, &molecule);
    check_ok(basis_choice_read_all(text, MPI_COMM_WORLD, &choice));
    check_ok(basis_choice_assign(&choice, &molecule));
    for (int64_t a = 0; a < molecule.n_atoms; a++) {
        struct word name = basis_choice_name(&choice, molecule.atoms[a].basis);
        size_t n = strlen(found);
        snprintf(found + n, sizeof found - n, "%s%.*s", n ? " " : "", (int)name.length, name.begin);
    }
    assert_string_equal(found, expected);
    basis_choice_fini(&choice);
    molecule_fini(&molecule);
}

TEST(centres_go_before_ghosts_before_elements_before_all_others)
{
    static const char *const cases[][2] = {
        {"sto-3g", "sto-3g sto-3g sto-3g sto-3g sto-3g"},
        {"sto-3g,O=3-21g", "3-21g sto-3g sto-3g 3-21g sto-3g"},
        {"O=3-21g,sto-3g", "3-21g sto-3g sto-3g 3-21g sto-3g"},
        {"sto-3g,@o=3-21g", "sto-3g sto-3g sto-3g 3-21g sto-3g"},
        {"sto-3g,Bq-O=3-21g,o=6-31g", "6-31g sto-3g sto-3g 3-21g sto-3g"},
        {"sto-3g,O=6-31g,BqO=3-21g", "6-31g sto-3g sto-3g 3-21g sto-3g"},
        {"sto-3g,gh(O)=3-21g,Bq=be15s", "sto-3g sto-3g sto-3g 3-21g be15s"},
        {"sto-3g,XO=3-21g", "sto-3g sto-3g sto-3g 3-21g sto-3g"},
        {"sto-3g,Bq=be15s", "sto-3g sto-3g sto-3g sto-3g be15s"},
        {"3=3-21g,sto-3g,H=6-31g", "sto-3g 6-31g 3-21g sto-3g sto-3g"},
        {"sto-3g,2-4=3-21g,@O=6-31g", "sto-3g 3-21g 3-21g 3-21g sto-3g"},
        {" sto-3g , H = 6-31g(d,p) ", "sto-3g 6-31g(d,p) 6-31g(d,p) sto-3g sto-3g"},
        {"1=sto-3g,2-5=3-21g", "sto-3g 3-21g 3-21g 3-21g 3-21g"},
        {"sto-3g,1=STO3G", "sto-3g sto-3g sto-3g sto-3g sto-3g"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_choice(cases[i][0], cases[i][1]);
}

TEST(rules_are_refused_in_words)
{
    static const struct {
        const char *text;
        enum status status;
        const char *message;
    } cases[] = {
        {"sto-3g,N=3-21g", STATUS_USAGE, "no such centre"},
        {"sto-3g,@H=3-21g", STATUS_USAGE, "no such centre"},
        {"sto-3g,6=3-21g", STATUS_USAGE, "5 centres only"},
        {"sto-3g,4-6=3-21g", STATUS_USAGE, "5 centres only"},
        {"sto-3g,0=3-21g", STATUS_USAGE, "before the ="},
        {"sto-3g,3-2=3-21g", STATUS_USAGE, "before the ="},
        {"sto-3g,Q=3-21g", STATUS_USAGE, "before the ="},
        {"sto-3g,@=3-21g", STATUS_USAGE, "before the ="},
        {"sto-3g,Xe=3-21g", STATUS_USAGE, "no such centre"},
        {"sto-3g,Gh(O=3-21g)", STATUS_USAGE, "before the ="},
        {"sto-3g,Gh()=3-21g", STATUS_USAGE, "before the ="},
        {"sto-3g,Xx=3-21g", STATUS_USAGE, "before the ="},
        {"sto-3g,3-21g", STATUS_USAGE, "'3-21g' is a second set for centre 1"},
        {"sto-3g,H=3-21g,H=6-31g", STATUS_USAGE, "'6-31g' is a second set for centre 2"},
        {"sto-3g,2-3=3-21g,3=6-31g", STATUS_USAGE, "'6-31g' is a second set for centre 3"},
        {"O=3-21g", STATUS_USAGE, "no set for centre 2, H"},
        {"sto-3g,O=", STATUS_INPUT, "unknown basis set ''"},
        {"sto-3g,O=H=3-21g", STATUS_INPUT, "unknown basis set 'H=3-21g'"},
        {"=sto-3g", STATUS_INPUT, "unknown basis set '=sto-3g'"},
        {"O=sto-3g(,H=3-21g", STATUS_INPUT, "unknown basis set 'sto-3g(,H=3-21g'"},
        {"", STATUS_INPUT, "unknown basis set ''"},
        {"a=b/c.gbs", STATUS_USAGE, "'a=...'"},
        {"./a=b/c.gbs", STATUS_IO, "./a=b/c.gbs"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct molecule molecule;
        struct basis_choice choice;
        parse_molecule(MOLECULE, &molecule);
        enum status status = basis_choice_read_all(cases[i].text, MPI_COMM_WORLD, &choice);
        if (status == STATUS_OK)
            status = basis_choice_assign(&choice, &molecule);
        assert_int_equal(status, cases[i].status);
        assert_non_null(strstr(status_text(), cases[i].message));
        basis_choice_fini(&choice);
        molecule_fini(&molecule);
    }
}

/* Order of the group and number of functions of H2. */
static void check_hydrogen(const char *text, int order, int64_t n_functions)
{
    struct molecule molecule;
    struct basis_choice choice;
    struct point_group group;
    struct shells *shells;
    double moved;
    parse_molecule("2\n\nH 0 0 0\nH 0 0 0.74\n", &molecule);
    check_ok(basis_choice_read_all(text, MPI_COMM_WORLD, &choice));
    check_ok(basis_choice_assign(&choice, &molecule));
    check_ok(point_group_find(&molecule, 0, &group, &moved));
    check_ok(shells_create(&molecule, choice.sets, BASIS_FORM_UNSTATED, &shells));
    assert_int_equal(group.order, order);
    assert_int_equal(shells->n_functions, n_functions);
    shells_destroy(shells);
    point_group_fini(&group);
    basis_choice_fini(&choice);
    molecule_fini(&molecule);
}

TEST(centres_with_different_sets_are_not_equivalent)
{
    check_hydrogen("cc-pvdz", 2, 10);
    check_hydrogen("cc-pvdz,1=ccpvdz", 2, 10);
    check_hydrogen("cc-pvdz,1=sto-3g", 1, 6);
    check_hydrogen("cc-pvdz,2=sto-3g", 1, 6);
}

TEST(only_d_and_higher_functions_must_agree_in_form)
{
    static const struct {
        const char *text;
        int64_t n_functions; /* 0: refused */
    } cases[] = {
        {"cc-pvdz,H=3-21g", 14 + 2 * 2 + 14},  /* none but spherical d functions */
        {"6-31g*,H=cc-pvdz", 15 + 2 * 5 + 15}, /* none but Cartesian ones */
        {"H=cc-pvdz,6-31g*", 15 + 2 * 5 + 15}, {"cc-pvdz,@O=6-31g*", 0}, {"cc-pvtz,O=6-31g*", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct molecule molecule;
        struct basis_choice choice;
        struct shells *shells;
        parse_molecule(MOLECULE, &molecule);
        check_ok(basis_choice_read_all(cases[i].text, MPI_COMM_WORLD, &choice));
        check_ok(basis_choice_assign(&choice, &molecule));
        enum status status = shells_create(&molecule, choice.sets, BASIS_FORM_UNSTATED, &shells);
        assert_int_equal(status, cases[i].n_functions ? STATUS_OK : STATUS_INPUT);
        if (status == STATUS_OK)
            assert_int_equal(shells->n_functions, cases[i].n_functions);
        else
            assert_non_null(strstr(status_text(), "give --spherical or --cartesian"));
        shells_destroy(shells);
        basis_choice_fini(&choice);
        molecule_fini(&molecule);
    }
}
