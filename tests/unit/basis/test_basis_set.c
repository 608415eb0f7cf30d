/* SPDX-License-Identifier: BSD-3-Clause */
/* Basis sets are read alike from Gaussian94 and NWChem files, found by their usual names, and
 * refused with the line at fault where a molecule needs that line. */
#include "basis/input/basis_set.h"
#include "basis/input/molecule.h"
#include "basis/integrals/shells.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum status parse(const char *text, struct basis_set *set)
{
    return basis_set_parse(text, strlen(text), "test", set);
}

/* One set in both formats: an SP shell, a general contraction (in Gaussian94 as shells over equal
 * primitives) and a core potential. */
static const char gaussian94[] = "! a comment\n"
                                 "spherical\n"
                                 "****\n"
                                 "-O     0\n"
                                 "SP   2   1.00  0.000000\n"
                                 "  5.0D+00  0.25  -0.5   ! trailing\n"
                                 "  .5  1  0.75d0\n"
                                 "l=4 1 1.0\r\n"
                                 "  1.25 1.0\n"
                                 "****\n"
                                 "h 0\n"
                                 "L 1 2.0\n"
                                 "  3.0 1.0 1.0\n"
                                 "****\n"
                                 "RB 0\n"
                                 "S 1\n"
                                 "  0.1 1.0\n"
                                 "****\n"
                                 "\n"
                                 "RB     0\n"
                                 "RB-ECP     1     28\n"
                                 "p-ul potential\n"
                                 "  1\n"
                                 "2   3.8  -12.3\n"
                                 "s-ul potential\n"
                                 "  2\n"
                                 "2   5.0   89.5\n"
                                 "2   1.9    0.4\n"
                                 "SR     0\n"
                                 "SR-ECP     0     28\n"
                                 "s-ul potential\n"
                                 "  1\n"
                                 "2   5.0   89.5\n";

static const char nwchem[] = "# a comment\n"
                             "BASIS \"ao basis\" SPHERICAL PRINT\n"
                             "O    SP\n"
                             "  5.0D+00  0.25  -0.5\n"
                             "  .5  1  0.75d0\n"
                             "H S\n"
                             "  12.0 1.0\n"
                             "O G\n"
                             "  1.25 1.0\n"
                             "H P\n"
                             "  12.0 1.0\n"
                             "RB S\n"
                             "  0.1 1.0\n"
                             "END\n"
                             "ECP\n"
                             "RB nelec 28\n"
                             "RB ul\n"
                             "2   3.8  -12.3\n"
                             "RB S\n"
                             "2   5.0   89.5\n"
                             "Sr nelec 28\n"
                             "end\n";

static void check_oxygen(const struct basis_set *set)
{
    const struct basis_element *O = basis_set_find(set, 8);
    assert_non_null(O);
    assert_false(O->needs_ecp);
    assert_int_equal(O->n_groups, 2);
    const struct basis_contractions *sp = &O->groups[0], *g = &O->groups[1];
    assert_int_equal(sp->n_primitives, 2);
    assert_int_equal(sp->n_contractions, 2);
    assert_int_equal(sp->l[0], 0);
    assert_int_equal(sp->l[1], 1);
    const double exponents[] = {5, 0.5}, coefficients[] = {0.25, 1, -0.5, 0.75};
    assert_memory_equal(sp->exponents, exponents, sizeof exponents);
    assert_memory_equal(sp->coefficients, coefficients, sizeof coefficients);
    assert_int_equal(g->l[0], 4);
    check_close(g->exponents[0], 1.25, 0);
}

static void both_formats_give_the_same_numbers(void **state)
{
    (void)state;
    const char *texts[] = {gaussian94, nwchem};
    for (int format = 0; format < 2; format++) {
        struct basis_set set;
        check_ok(parse(texts[format], &set));
        assert_string_equal(set.name, "test");
        assert_int_equal(set.form, BASIS_FORM_SPHERICAL);
        assert_int_equal(set.n_elements, 4);
        check_oxygen(&set);
        assert_null(basis_set_find(&set, 6));
        const struct basis_element *H = basis_set_find(&set, 1);
        for (int64_t g = 0; g < H->n_groups; g++)
            check_close(H->groups[g].exponents[0], 12, 0);
        assert_true(basis_set_find(&set, 37)->needs_ecp);
        assert_int_equal(basis_set_find(&set, 37)->n_groups, 1);
        assert_true(basis_set_find(&set, 38)->needs_ecp);
        assert_int_equal(basis_set_find(&set, 38)->n_groups, 0);
        basis_set_fini(&set);
    }
}

static void general_contractions_keep_their_columns(void **state)
{
    (void)state;
    struct basis_set set;
    check_ok(parse("basis spherical\nC S\n 9 1 4 0\n 3 2 5 0\n 1 3 6 1\nend\n", &set));
    const struct basis_contractions *group = &basis_set_find(&set, 6)->groups[0];
    assert_int_equal(group->n_contractions, 3);
    const double coefficients[] = {1, 2, 3, 4, 5, 6, 0, 0, 1};
    assert_memory_equal(group->coefficients, coefficients, sizeof coefficients);
    for (int k = 0; k < 3; k++)
        assert_int_equal(group->l[k], 0);
    basis_set_fini(&set);
}

static void check_form(const char *text, enum basis_form form, bool stated)
{
    struct basis_set set;
    check_ok(parse(text, &set));
    assert_int_equal(set.form, form);
    assert_int_equal(set.form_stated, stated);
    basis_set_fini(&set);
}

static void the_form_is_what_the_file_says(void **state)
{
    (void)state;
    check_form("cartesian\nH 0\nS 1 1\n1 1\n****\n", BASIS_FORM_CARTESIAN, true);
    check_form("H 0\nS 1 1\n1 1\n****\n", BASIS_FORM_UNSTATED, false);
    check_form("basis\nH S\n1 1\nend\n", BASIS_FORM_CARTESIAN, false);
    check_form("basis \"ao basis\" print\nH S\n1 1\nend\n", BASIS_FORM_CARTESIAN, false);
    check_form("basis \"spherical\" cartesian\nH S\n1 1\nend\n", BASIS_FORM_CARTESIAN, true);
    check_form("basis \"not spherical\" NOPRINT\nH S\n1 1\nend\n", BASIS_FORM_CARTESIAN, false);
    check_form("basis \"H_x\" SPHERICAL\nH S\n1 1\nend\nbasis \"O_x\" SPHERICAL\nO S\n1 1\nend\n",
               BASIS_FORM_SPHERICAL, true);
}

/* A title is no section of an NWChem file, nor is that of a part of a core potential. */
static void titles_do_not_hide_the_format(void **state)
{
    (void)state;
    static const char *const starts[] = {
        "Basis set of three elements\n",
        "BASIS\n\nbasis: made up\n",
        "cartesian\nBasis \"set\"\n****\n",
    };
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "%s-H 0\nS 1 1\n3 1\n****\nRb 0\nRb-ECP 0 28\nECP of Rb\n1\n2 5 9\n", starts[i]);
        struct basis_set set;
        check_ok(parse(text, &set));
        assert_int_equal(set.n_elements, 2);
        check_close(basis_set_find(&set, 1)->groups[0].exponents[0], 3, 0);
        assert_true(basis_set_find(&set, 37)->needs_ecp);
        basis_set_fini(&set);
    }
}

struct bad_case {
    const char *text;
    const char *message;
};

/* Whether a lone atom has functions in the set. */
static enum status place(const struct basis_set *set, int element)
{
    struct atom atom = atom_of_element(element, false);
    const struct molecule molecule = {.n_atoms = 1, .atoms = &atom};
    struct shells *shells;
    TRY(shells_create(&molecule, set, BASIS_FORM_UNSTATED, &shells));
    shells_destroy(shells);
    return STATUS_OK;
}

/* Parses a text and places every element that it names. */
static enum status use_all(const char *text)
{
    struct basis_set set;
    TRY(parse(text, &set));
    enum status status = STATUS_OK;
    for (int64_t e = 0; e < set.n_elements && status == STATUS_OK; e++)
        status = place(&set, set.elements[e].element);
    basis_set_fini(&set);
    return status;
}

static void bad_files_are_refused_with_their_line(void **state)
{
    (void)state;
    static const struct bad_case cases[] = {
        {"", "no basis functions found"},
        {"! only a comment\n", "no basis functions found"},
        {"\x7f"
         "ELF\x02\x01 rubbish",
         "test:1:1: expected an element and 0"},
        {"H 0\nS 1 1.0\n1.0 1.0\n", "test:3:8: the file ends without ****"},
        {"H 0\nS 1 1.0\n1.0 1.0\nO 0\n", "test:4:1: expected **** after the last shell of H"},
        {"H 0\n****\n", "test:2:1: no shells for H"},
        {"H 0\n", "test:1:4: the file ends where the shells of H"},
        {"H 0\nS 1 1\n1 1\n****\nH 0\nS 1 1\n1 1\n****\n", "test:6:1: a second block for H"},
        {"Xq 0\nS 1 1\n1 1\n****\n", "test:1:1: expected an element and 0"},
        {"H 0\nS 2 1\n1 1\n****\n", "test:4:5: expected an exponent and 1 coefficient, found 1"},
        {"H 0\nS 3 1\n1 1\n2 1\n", "3 primitives announced, 2 found"},
        {"H 0\nSP 1 1\n1 1\n****\n", "test:3:4: expected an exponent and 2 coefficients"},
        {"H 0\nS 1 1\n1 1 1\n****\n", "test:3:5: expected an exponent and 1 coefficient"},
        {"H 0\nS 0 1\n****\n", "test:2:3: expected a shell type, the number"},
        {"H 0\nS -1 1\n****\n", "test:2:3: expected a shell type, the number"},
        {"H 0\nS 1 0\n1 1\n****\n", "and a scale factor"},
        {"H 0\nS 1000000000 1\n1 1\n****\n", "test:2:3: expected a shell type, the number"},
        {"H 0\nX 1 1\n1 1\n****\n", "test:2:1: expected a shell type"},
        {"Ne 0\nI 1 1\n1 1\n****\n", "test:2:1: the shell I of Ne is beyond the limit l = 5"},
        {"Ne 0\nl=6 1 1\n1 1\n****\n", "test:2:1: the shell l=6 of Ne is beyond the limit l = 5"},
        {"Ne 0\nl=x 1 1\n1 1\n****\n", "test:2:1: expected a shell type"},
        {"H 0\nS 1 1\n0.0 1\n****\n", "test:3:1: the exponent 0.0 is not between"},
        {"H 0\nS 1 1\n-1 1\n****\n", "test:3:1: the exponent -1 is not between"},
        {"H 0\nS 1 1\nnan 1\n****\n", "test:3:1: expected an exponent, found 'nan'"},
        {"H 0\nS 1 1\n1 inf\n****\n", "test:3:3: expected a coefficient, found 'inf'"},
        {"H 0\nS 1 1\n1 0\n****\n", "test:2:1: all coefficients of contraction 1"},
        {"H 0\nSP 1 1\n1 1 0\n****\n", "test:2:1: all coefficients of contraction 2"},
        {"H 0\nH-ECP x 2\n", "test:2:1: expected 'H-ECP', the largest l"},
        {"H 0\nH-ECP 1 2\ntitle\n", "number of terms of part 1"},
        {"H 0\nH-ECP 0 2\ntitle\n2\n2 1 1\n", "expected power, exponent and coefficient"},
        {"basis\nH S\n1 1\n", "test:3:4: the file ends without 'end' for the section of line 1"},
        {"basis\nend\n", "no basis functions found"},
        {"basis\nH S\nend\n", "test:3:1: expected an exponent and coefficients"},
        {"basis\nH S\n1\nend\n", "test:3:2: expected an exponent and 1 coefficient"},
        {"basis\nH S\n1 1\n2 1 1\nend\n", "test:4:5: expected an exponent and 1 coefficient"},
        {"basis\nH SP\n1 1\nend\n", "test:3:4: expected an exponent and 2 coefficients"},
        {"basis\nH Q5\n1 1\nend\n", "test:2:1: expected an element and a shell type"},
        {"basis\nNe I\n1 1\nend\n", "test:2:4: the shell I of Ne is beyond the limit l = 5"},
        {"basis\n* library 6-31g\nend\n", "test:2:3: 'library' is not supported"},
        {"basis\nH S\n1 1\nend\nbasis\nH S\n1 1\nend\n", "test:6:1: a second section for H"},
        {"basis spherial\nH S\n1 1\nend\n", "test:1:7: unknown word 'spherial'"},
        {"basis spherical cartesian\nH S\n1 1\nend\n", "test:1:7: spherical and cartesian exclude"},
        {"spherical\nH 0\nS 1 1\n1 1\n****\ncartesian\n", "test:6:1: an earlier line says the"},
        {"ecp\nH\nend\n", "test:2:1: expected an element and a part"},
        {"Basis set\nCartesiann\nH 0\nS 1 1\n1 1\n****\n", "test:2:1: expected 'spherical' or"},
        {"Basis set without elements\n", "the file ends without 'end'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_status(STATUS_INPUT, use_all(cases[i].text));
        if (!strstr(status_text(), cases[i].message))
            fail_msg("case %zu: \"%s\" lacks \"%s\"", i, status_text(), cases[i].message);
    }
}

/* A set with sound functions of H and O; %s is what stands between, before or after them. */
struct harmless_case {
    const char *format;
    const char *text;
};

#define NWCHEM_SECTION    "%sbasis spherical\nH S\n3 1\n%sO S\n7 1\nend\n%s"
#define GAUSSIAN94_FORMAT "%sH 0\nS 1 1\n3 1\n****\n%sO 0\nS 1 1\n7 1\n****\n%s"
#define NWCHEM_FORMAT                                                                              \
    "%sbasis \"H\" spherical\nH S\n3 1\nend\n%sbasis \"O\" spherical\nO S\n7 1\nend\n%s"

static void errors_in_elements_not_used_do_not_matter(void **state)
{
    (void)state;
    static const struct harmless_case cases[] = {
        {GAUSSIAN94_FORMAT, "Sc 0\nI 1 1\n1 1\n****\n"},
        {GAUSSIAN94_FORMAT, "Sc 0\nS 2 1\n1 1\n****\n"},
        {GAUSSIAN94_FORMAT, "Sc 0\nS 1 1\n-1 1\n1 0\nP 1 1\n1 1\n****\n"},
        {GAUSSIAN94_FORMAT, "Sc 0\nS 1 1\n1 1\n"},
        {GAUSSIAN94_FORMAT, "Rb 0\nRb-ECP x 28\ns-ul potential\n1\n2 5 9\n"},
        {GAUSSIAN94_FORMAT, "Xq 0\nS 1 1\n1 1\n****\n"},
        {GAUSSIAN94_FORMAT, "H STO-3G\n"},
        {GAUSSIAN94_FORMAT, "O\n"},
        {GAUSSIAN94_FORMAT, "C N O\n****\n"},
        {GAUSSIAN94_FORMAT, "Sc\nS 1 1\n1 1\n****\n"},
        {GAUSSIAN94_FORMAT, "Sc o\nS 1 1\n1 1\n****\n"},
        {GAUSSIAN94_FORMAT, "xyz Basis set for Kr, Rb\n\n****\n"},
        {GAUSSIAN94_FORMAT, " v1.2.2 \n"},
        {NWCHEM_FORMAT, "ASSOCIATED_ECP \"def2-ecp\"\n"},
        {NWCHEM_FORMAT, "basis \"Sc\" spherical\nSc S\n1 1\nSc I\n1 1\nend\n"},
        {NWCHEM_FORMAT, "basis \"Sc\" spherical\nSc S\n1 1 0\nend\n"},
        {NWCHEM_FORMAT, "basis \"Sc\" sphericla\nSc S\n1 1\nend\n"},
        {NWCHEM_FORMAT, "basis \"Sc\" cartesian\nSc S\n1 1\nend\n"},
        {NWCHEM_FORMAT, "basis \"Uun\" spherical\nUun S\n1 1\nend\n"},
        {NWCHEM_FORMAT, "basis \"Sc\" spherical\nSc S\n1 1\n"},
        {NWCHEM_FORMAT, "ecp \"Uun\"\nUun nelec 60\nUun S\n2 1 1\nend\necp\nRb nelec 28\nend\n"},
        {NWCHEM_FORMAT, "some title\n"},
        {NWCHEM_SECTION, "Sc Z\n1 1\n"},
        {NWCHEM_SECTION, "Sc S S\n1 1\n2 1\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int where = 0; where < 3; where++) {
            const char *at[3] = {"", "", ""};
            at[where] = cases[i].text;
            char text[400];
            snprintf(text, sizeof text, cases[i].format, at[0], at[1], at[2]);
            struct basis_set set;
            check_ok(parse(text, &set));
            check_ok(place(&set, 1));
            check_ok(place(&set, 8));
            check_close(basis_set_find(&set, 1)->groups[0].exponents[0], 3, 0);
            check_close(basis_set_find(&set, 8)->groups[0].exponents[0], 7, 0);
            assert_int_equal(basis_set_find(&set, 8)->n_groups, 1);
            basis_set_fini(&set);
        }
}

struct element_case {
    const char *text;
    int element;
    const char *message;
};

/* Nothing that may be a part of an element in use is skipped. */
static void elements_with_errors_are_refused(void **state)
{
    (void)state;
    static const struct element_case cases[] = {
        {"H 0\nS 1 1\n1 1\n****\nSc 0\nI 1 1\n1 1\n****\n", 21, "test:6:1: the shell I of Sc"},
        {"C 0\nS 1 1\n1 1\n****\nP 1 1\n1 1\n****\nH 0\nS 1 1\n1 1\n****\n", 6,
         "test:5:1: expected"},
        {"C 0\nS 1 1\n1 1\n****\n 2 1\nH 0\nS 1 1\n1 1\n****\n", 6, "test:5:2: expected"},
        {"C 0\nS 1 1\n1 1\nO 0\nS 1 1\n1 1\n****\n", 6, "test:4:1: expected ****"},
        {"H 0\nS 1 1\n1 1\n****\nOx 0\nS 1 1\n1 1\n****\n", 8,
         "no functions for O. The first line that was skipped: test:5:1: expected an element and"},
        {"H 0\nS 1 1\n1 1\n****\nO\nS 1 1\n1 1\n****\n", 8, "test:5:1: expected an element and 0"},
        {"O 0\nS 1 1\n1 1\n****\nAs published\nD 1 1\n1 1\n****\n", 8, "test:6:1: expected an"},
        {"O 0\nS 1 1\n1 1\n****\nH\n****\nD 1 1\n1 1\n****\n", 8, "test:7:1: expected an"},
        {"basis\nO S\n1 1\nend\nO Dx\n1 1\n", 8, "test:6:1: expected a section"},
        {"basis\nO S\n1 1\nend\nO D 1\n1 1\n", 8, "test:5:1: expected a section"},
        {"basis\nO S\n1 1\nend\ntitle\n1 1\n", 8, "test:6:1: expected a section"},
        {"basis\nO S\n1 1\nIn this line\n2 1\nend\n", 8, "test:5:1: expected an element and"},
        {"basis\nC S\n1 1\nO Z\n1 1\nend\n", 8, "test:4:1: expected an element and a shell"},
        {"basis\nC S\n1 1\nCC P\n1 1\nO S\n1 1\nH S\n1 1\nend\n", 6,
         "test:4:1: expected an element"},
        {"basis\nC S\n1 1\nCC P\n1 1\nO S\n1 1\nH S\n1 1\nend\n", 8,
         "test:4:1: expected an element"},
        {"basis\nC S\n1 1\nO Q5\n1 1\nend\n", 8, "test:4:1: expected an element and a shell"},
        {"basis\nC S\n1 1\nO S\n1 1\n", 6, "test:5:4: the file ends without 'end'"},
        {"basis\nC S\n1 1\nend\nO S\n1 1\nend\n", 8, "test:5:1: expected a section"},
        {"basis\nC S\n1 1\nend\n 5 1\n", 6, "test:5:2: expected a section"},
        {"basis sphericla\nC S\n1 1\nend\n", 6, "test:1:7: unknown word 'sphericla'"},
        {"basis\nRb S\n1 1\nend\nASSOCIATED_ECP \"def2-ecp\"\n", 37, "Rb needs an effective core"},
        {"basis\nC S\n1 1\nend\nASSOCIATED_ECP \"unknown\"\n", 6, "C needs an effective core"},
        {"basis\nC S\n1 1\nend\nASSOCIATED_ECP\n", 6, "C needs an effective core"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct basis_set set;
        check_ok(parse(cases[i].text, &set));
        check_status(STATUS_INPUT, place(&set, cases[i].element));
        if (!strstr(status_text(), cases[i].message))
            fail_msg("case %zu: \"%s\" lacks \"%s\"", i, status_text(), cases[i].message);
        basis_set_fini(&set);
    }
}

static void elements_of_two_forms_need_an_option(void **state)
{
    (void)state;
    struct basis_set set;
    check_ok(parse("basis\nH S\n1 1\nend\nbasis spherical\nO S\n1 1\nO D\n1 1\nend\n", &set));
    check_ok(place(&set, 8));
    struct atom atoms[] = {atom_of_element(8, false), atom_of_element(1, false)};
    const struct molecule molecule = {.n_atoms = 2, .atoms = atoms};
    struct shells *shells;
    check_status(STATUS_INPUT, shells_create(&molecule, &set, BASIS_FORM_UNSTATED, &shells));
    assert_non_null(strstr(status_text(), "give --spherical or --cartesian"));
    check_ok(shells_create(&molecule, &set, BASIS_FORM_CARTESIAN, &shells));
    assert_int_equal(shells->n_functions, 8);
    shells_destroy(shells);
    basis_set_fini(&set);
}

static void shipped_sets_are_found_by_their_usual_names(void **state)
{
    (void)state;
    static const char *const names[] = {
        "sto-3g",      "3-21g",       "6-31G",    "6-31g*",    "6-31G(d)", "6-31g**",
        "6-31G(d,p)",  "6-31+g*",     "6-311G**", "cc-pVDZ",   "cc-pvtz",  "cc-pvqz",
        "aug-cc-pvdz", "aug-cc-pVTZ", "def2-SVP", "def2-tzvp", "be15s",    "6-31gs",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct basis_set set;
        check_ok(basis_set_read_all(names[i], MPI_COMM_WORLD, &set));
        assert_non_null(basis_set_find(&set, 4));
        assert_true(set.form != BASIS_FORM_UNSTATED);
        basis_set_fini(&set);
    }
}

static void unknown_sets_are_refused_with_the_known_ones(void **state)
{
    (void)state;
    static const char *const names[] = {"6-31x", "", "..", "%s%s%n", "sto-3g\n"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct basis_set set;
        check_status(STATUS_INPUT, basis_set_read_all(names[i], MPI_COMM_WORLD, &set));
        assert_non_null(strstr(status_text(), "unknown basis set"));
        assert_non_null(strstr(status_text(), "aug-cc-pvdz, "));
        assert_null(set.elements);
    }
    struct basis_set set;
    check_status(STATUS_IO, basis_set_read_all("/no/such/file", MPI_COMM_WORLD, &set));
    check_status(STATUS_IO, basis_set_read_all("missing.gbs", MPI_COMM_WORLD, &set));
    check_status(STATUS_IO, basis_set_read_all("/", MPI_COMM_WORLD, &set));
}

/* A set of the user's own folder is found before the shipped one. */
static void the_users_folders_come_first(void **state)
{
    (void)state;
    char folder[] = "/tmp/beryl_basis_XXXXXX";
    assert_non_null(mkdtemp(folder));
    char path[64], folders[64];
    snprintf(path, sizeof path, "%s/sto-3g.gbs", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("U 0\nS 1 1\n1 1\n****\n", file);
    fclose(file);
    snprintf(folders, sizeof folders, "/nowhere:%s", folder);
    setenv("BERYL_BASIS_PATH", folders, 1);
    struct basis_set set;
    check_ok(basis_set_read_all("STO-3G", MPI_COMM_WORLD, &set));
    assert_int_equal(set.n_elements, 1);
    assert_non_null(basis_set_find(&set, 92));
    basis_set_fini(&set);
    check_ok(basis_set_read_all("3-21g", MPI_COMM_WORLD, &set));
    basis_set_fini(&set);
    unsetenv("BERYL_BASIS_PATH");
    unlink(path);
    rmdir(folder);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_formats_give_the_same_numbers),
        cmocka_unit_test(general_contractions_keep_their_columns),
        cmocka_unit_test(the_form_is_what_the_file_says),
        cmocka_unit_test(titles_do_not_hide_the_format),
        cmocka_unit_test(bad_files_are_refused_with_their_line),
        cmocka_unit_test(errors_in_elements_not_used_do_not_matter),
        cmocka_unit_test(elements_with_errors_are_refused),
        cmocka_unit_test(elements_of_two_forms_need_an_option),
        cmocka_unit_test(shipped_sets_are_found_by_their_usual_names),
        cmocka_unit_test(unknown_sets_are_refused_with_the_known_ones),
        cmocka_unit_test(the_users_folders_come_first),
    };
    return check_run_parallel(tests, &argc, &argv);
}
