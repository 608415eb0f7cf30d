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
    const double exponents[] = {5, 0.5}, coefficients[] = {0.25, -0.5, 1, 0.75};
    assert_memory_equal(sp->exponents, exponents, sizeof exponents);
    assert_memory_equal(sp->coefficients, coefficients, sizeof coefficients);
    assert_int_equal(g->l[0], 4);
    check_close(g->exponents[0], 1.25, 0);
}

TEST(both_formats_give_the_same_numbers)
{
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

TEST(general_contractions_keep_their_columns)
{
    struct basis_set set;
    check_ok(parse("basis spherical\nC S\n 9 1 4 0\n 3 2 5 0\n 1 3 6 1\nend\n", &set));
    const struct basis_contractions *group = &basis_set_find(&set, 6)->groups[0];
    assert_int_equal(group->n_contractions, 3);
    const double coefficients[] = {1, 4, 0, 2, 5, 0, 3, 6, 1};
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

TEST(the_form_is_what_the_file_says)
{
    check_form("cartesian\nH 0\nS 1 1\n1 1\n****\n", BASIS_FORM_CARTESIAN, true);
    check_form("H 0\nS 1 1\n1 1\n****\n", BASIS_FORM_UNSTATED, false);
    check_form("basis\nH S\n1 1\nend\n", BASIS_FORM_CARTESIAN, false);
    check_form("basis \"ao basis\" print\nH S\n1 1\nend\n", BASIS_FORM_CARTESIAN, false);
    check_form("basis \"spherical\" cartesian\nH S\n1 1\nend\n", BASIS_FORM_CARTESIAN, true);
    check_form("basis \"not spherical\" NOPRINT\nH S\n1 1\nend\n", BASIS_FORM_CARTESIAN, false);
    check_form("basis \"H_x\" SPHERICAL\nH S\n1 1\nend\nbasis \"O_x\" SPHERICAL\nO S\n1 1\nend\n",
               BASIS_FORM_SPHERICAL, true);
}

/* Neither a title nor a core potential's part title is a section of an NWChem file. */
TEST(titles_do_not_hide_the_format)
{
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

/* A text with a refused line: the words of the message, and the found text at their end. */
struct bad_case {
    const char *text;
    int line;
    const char *expected, *found;
};

static void check_message(const struct bad_case *bad)
{
    char expected[200], found[100];
    const char *message = status_text();
    snprintf(expected, sizeof expected, "test:%d: %s", bad->line, bad->expected);
    snprintf(found, sizeof found, "%s%s", bad->found ? "found " : "", bad->found ? bad->found : "");
    const char *at = strstr(message, expected);
    if (!at || strcmp(message + strlen(message) - strlen(found), found) != 0)
        fail_msg("\"%s\" for %s lacks \"%s\" or \"%s\"", message, bad->text, expected, found);
}

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

TEST(bad_files_are_refused_with_their_line)
{
    static const struct bad_case cases[] = {
        {"", 1, "expected a basis set in Gaussian94 or NWChem format", NULL},
        {"! only a comment\n", 1, "expected a basis set in Gaussian94 or NWChem format", NULL},
        {"\x7f"
         "ELF\x02\x01 rubbish",
         1, "expected an element and 0, such as 'O 0'", NULL},
        {"H 0\nS 1 1.0\n1.0 1.0\n", 3, "expected a shell such as 'SP 3 1.0'",
         "the end of the file"},
        {"H 0\nS 1 1.0\n1.0 1.0\nO 0\n", 4, "expected a shell such as 'SP 3 1.0'", "'O 0'"},
        {"H 0\n****\n", 2, "expected a shell such as 'SP 3 1.0'", "'****'"},
        {"H 0\n", 1, "expected a shell such as 'SP 3 1.0'", NULL},
        {"H 0\nS 1 1\n1 1\n****\nH 0\nS 1 1\n1 1\n****\n", 6,
         "expected one block or section for H, found a second after that of line 1", NULL},
        {"Xq 0\nS 1 1\n1 1\n****\n", 1, "expected an element and 0", NULL},
        {"H 0\nS 2 1\n1 1\n****\n", 4, "expected an exponent (1e-15 to 1e+15) and 1 coefficient",
         "'****'"},
        {"H 0\nS 3 1\n1 1\n2 1\n", 4, "expected an exponent (1e-15 to 1e+15) and 1 coefficient",
         "the end of the file"},
        {"H 0\nS 3 1\n1 1\nO 0\n", 4, "expected an exponent (1e-15 to 1e+15) and 1 coefficient",
         "'O 0'"},
        {"H 0\nSP 1 1\n1 1\n****\n", 3, "expected an exponent (1e-15 to 1e+15) and 2 coefficients",
         "'1 1'"},
        {"H 0\nS 1 1\n1 1 1\n****\n", 3, "expected an exponent (1e-15 to 1e+15) and 1 coefficient",
         "'1 1 1'"},
        {"H 0\nS 0 1\n****\n", 2, "expected a shell such as 'SP 3 1.0'", NULL},
        {"H 0\nS -1 1\n****\n", 2, "expected a shell such as 'SP 3 1.0'", NULL},
        {"H 0\nS 1 0\n1 1\n****\n", 2, "expected a shell such as 'SP 3 1.0'", NULL},
        {"H 0\nS 1 1 1\n1 1\n****\n", 2, "expected a shell such as 'SP 3 1.0'", NULL},
        {"H 0\nS 1 1 0 0\n1 1\n****\n", 2, "expected a shell such as 'SP 3 1.0'", NULL},
        {"H 0\nS 1001 1\n1 1\n****\n", 2, "expected a shell such as 'SP 3 1.0'", NULL},
        {"H 0\nX 1 1\n1 1\n****\n", 2, "expected a shell such as 'SP 3 1.0'", NULL},
        {"H 0\nS 1 1\n1 1\ntitle\n****\n", 4, "expected a shell such as 'SP 3 1.0'", "'title'"},
        {"H 0\nS 1 1\n1 1\n2 1\n****\n", 4, "expected a shell such as 'SP 3 1.0'", "'2 1'"},
        {"Ne 0\nI 1 1\n1 1\n****\n", 2,
         "the shell I of Ne is beyond the limit l = 5: choose a smaller set", NULL},
        {"Ne 0\nl=6 1 1\n1 1\n****\n", 2, "the shell l=6 of Ne is beyond the limit l = 5", NULL},
        {"Ne 0\nl=9223372036854775807 1 1\n1 1\n****\n", 2,
         "the shell l=9223372036854775807 of Ne is beyond", NULL},
        {"Ne 0\nl=x 1 1\n1 1\n****\n", 2, "expected a shell such as 'SP 3 1.0'", NULL},
        {"H 0\nS 1 1\n0.0 1\n****\n", 3, "expected an exponent (1e-15 to 1e+15) and 1 coefficient",
         "'0.0 1'"},
        {"H 0\nS 1 1\n-1 1\n****\n", 3, "expected an exponent (1e-15 to 1e+15) and 1 coefficient",
         "'-1 1'"},
        {"H 0\nS 1 1\nnan 1\n****\n", 3, "expected an exponent (1e-15 to 1e+15) and 1 coefficient",
         "'nan 1'"},
        {"H 0\nS 1 1\n1 inf\n****\n", 3, "expected an exponent (1e-15 to 1e+15) and 1 coefficient",
         "'1 inf'"},
        {"H 0\nS 1 1\n1 0\n****\n", 2,
         "the coefficients in column 1 of this shell cannot be normalised", NULL},
        {"H 0\nSP 1 1\n1 1 0\n****\n", 2,
         "the coefficients in column 2 of this shell cannot be normalised", NULL},
        {"H 0\nS 2 1\n1 1\n1 -1\n****\n", 2,
         "the coefficients in column 1 of this shell cannot be normalised", NULL},
        {"basis\nH S\n1 1\n", 3, "expected 'end' after the section", "the end of the file"},
        {"basis\nend\n", 2, "expected a basis set in Gaussian94 or NWChem format, found no element",
         NULL},
        {"basis\nH S\nend\n", 3, "expected an exponent (1e-15 to 1e+15) and 1 coefficient",
         "'end'"},
        {"basis\nH S\n1\nend\n", 3, "expected an exponent (1e-15 to 1e+15) and 1 coefficient",
         "'1'"},
        {"basis\nH S\n1 1\n2 1 1\nend\n", 4,
         "expected an exponent (1e-15 to 1e+15) and 1 coefficient", "'2 1 1'"},
        {"basis\nH SP\n1 1\nend\n", 3, "expected an exponent (1e-15 to 1e+15) and 2 coefficients",
         "'1 1'"},
        {"basis\nH S\n1 1x\nend\n", 3, "expected an exponent (1e-15 to 1e+15) and 1 coefficient",
         "'1 1x'"},
        {"basis\nH S\n1x 1\nend\n", 3, "expected an exponent (1e-15 to 1e+15) and 1 coefficient",
         "'1x 1'"},
        {"basis\nH S\n1 1\nO S\n1 1\n2x 1\nend\n", 6,
         "expected an element and a shell type, such as 'O SP'", "'2x 1'"},
        {"basis\nH Q5\n1 1\nend\n", 2, "expected an element and a shell type, such as 'O SP'",
         NULL},
        {"basis\nNe I\n1 1\nend\n", 2, "the shell I of Ne is beyond the limit l = 5", NULL},
        {"basis\n* library 6-31g\nend\n", 2, "expected an element and a shell type, such as 'O SP'",
         "'* library 6-31g'"},
        {"basis\nH S\n1 1\nend\nbasis\nH S\n1 1\nend\n", 6,
         "expected one block or section for H, found a second after that of line 1", NULL},
        {"basis spherial\nH S\n1 1\nend\n", 1,
         "expected the word 'basis', a name in quotation marks, and spherical or cartesian",
         "'basis spherial'"},
        {"basis spherical cartesian\nH S\n1 1\nend\n", 1, "expected the word 'basis'", NULL},
        {"spherical\nH 0\nS 1 1\n1 1\n****\ncartesian\n", 6,
         "an earlier line says the opposite of 'cartesian': leave one out", NULL},
        {"Basis set\nCartesiann\nH 0\nS 1 1\n1 1\n****\n", 2, "expected 'spherical' or 'cartesian'",
         "'Cartesiann'"},
        {"Basis set without elements\n", 1, "expected the word 'basis'", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_status(STATUS_INPUT, use_all(cases[i].text));
        check_message(&cases[i]);
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

TEST(errors_in_elements_not_used_do_not_matter)
{
    static const struct harmless_case cases[] = {
        {GAUSSIAN94_FORMAT, "Sc 0\nI 1 1\n1 1\n****\n"},
        {GAUSSIAN94_FORMAT, "Sc 0\nS 2 1\n1 1\n****\n"},
        {GAUSSIAN94_FORMAT, "Sc 0\nS 1 1\n-1 1\n1 0\nP 1 1\n1 1\n****\n"},
        {GAUSSIAN94_FORMAT, "Sc 0\nS 1 1\n1 1\n"},
        {GAUSSIAN94_FORMAT, "Rb 0\nRb-ECP x 28\ns-ul potential\n1\n2 5 9\n"},
        {GAUSSIAN94_FORMAT, "Xq 0\nS 1 1\n1 1\n****\n"},
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
        {NWCHEM_FORMAT, "ecp\nRb nelec 28\nend\n"},
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
    int element;
    struct bad_case bad;
};

/* Nothing that may be a part of an element in use is skipped. */
TEST(elements_with_errors_are_refused)
{
    static const struct element_case cases[] = {
        {21, {"H 0\nS 1 1\n1 1\n****\nSc 0\nI 1 1\n1 1\n****\n", 6, "the shell I of Sc", NULL}},
        {6,
         {"C 0\nS 1 1\n1 1\n****\nP 1 1\n1 1\n****\nH 0\nS 1 1\n1 1\n****\n", 5,
          "expected an element and 0", "'P 1 1'"}},
        {6,
         {"C 0\nS 1 1\n1 1\n****\nP 1\n1 1\n****\nH 0\nS 1 1\n1 1\n****\n", 5,
          "expected an element and 0", "'P 1'"}},
        {6,
         {"C 0\nS 1 1\n1 1\n****\n 2 1\nH 0\nS 1 1\n1 1\n****\n", 5, "expected an element and 0",
          "'2 1'"}},
        {6, {"C 0\nS 1 1\n1 1\nO 0\nS 1 1\n1 1\n****\n", 4, "expected a shell such as", "'O 0'"}},
        {8,
         {"H 0\nS 1 1\n1 1\n****\nOx 0\nS 1 1\n1 1\n****\n", 5, "expected an element and 0",
          "'Ox 0'"}},
        {8,
         {"H 0\nS 1 1\n1 1\n****\nO\nS 1 1\n1 1\n****\n", 5, "expected an element and 0", "'O'"}},
        {8, {"O 0\nS 1 1\n1 1\n****\nO\n", 5, "expected an element and 0", "'O'"}},
        {1, {"H STO-3G\nH 0\nS 1 1\n1 1\n****\n", 1, "expected an element and 0", "'H STO-3G'"}},
        {33,
         {"O 0\nS 1 1\n1 1\n****\nAs published\nD 1 1\n1 1\n****\n", 5, "expected an element and 0",
          "'As published'"}},
        {8,
         {"O 0\nS 1 1\n1 1\n****\nPublished\nD 1 1\n1 1\n****\n", 6, "expected an element and 0",
          "'D 1 1'"}},
        {1,
         {"O 0\nS 1 1\n1 1\n****\nH\n****\nD 1 1\n1 1\n****\n", 5, "expected an element and 0",
          "'H'"}},
        {8, {"basis\nO S\n1 1\nend\nO Dx\n1 1\n", 5, "expected a section", "'O Dx'"}},
        {8, {"basis\nO S\n1 1\nend\nO D 1\n1 1\n", 5, "expected a section", "'O D 1'"}},
        {8, {"basis\nO S\n1 1\nend\ntitle\n1 1\n", 6, "expected a section", "'1 1'"}},
        {8,
         {"basis\nO S\n1 1\nThis line\n2 1\nend\n", 4, "expected an element and a shell type",
          "'This line'"}},
        {8,
         {"basis\nC S\n1 1\nO Z\n1 1\nend\n", 4, "expected an element and a shell type", "'O Z'"}},
        {6,
         {"basis\nC S\n1 1\nCC P\n1 1\nO S\n1 1\nH S\n1 1\nend\n", 4,
          "expected an element and a shell type", "'CC P'"}},
        {1,
         {"basis\nC S\n1 1\nCC P\n1 1\nO S\n1 1\nH S\n1 1\nend\n", 4,
          "expected an element and a shell type", "'CC P'"}},
        {6, {"basis\n2 1\nC S\n1 1\nend\n", 2, "expected an element and a shell type", "'2 1'"}},
        {8,
         {"basis\nC S\n1 1\nO Q5\n1 1\nend\n", 4, "expected an element and a shell type",
          "'O Q5'"}},
        {6,
         {"basis\nC S\n1 1\nO S\n1 1\n", 5, "expected 'end' after the section",
          "the end of the file"}},
        {6,
         {"basis\nC S\n1 1\nO S\n1 1\nbasis\nH S\n1 1\nend\n", 6,
          "expected 'end' after the section", "'basis'"}},
        {8, {"basis\nC S\n1 1\nend\nO S\n1 1\nend\n", 5, "expected a section", "'O S'"}},
        {6, {"basis\nC S\n1 1\nend\n 5 1\n", 5, "expected a section", "'5 1'"}},
        {6,
         {"basis sphericla\nC S\n1 1\nend\n", 1, "expected the word 'basis'", "'basis sphericla'"}},
        {8,
         {"ecp\nUun nelec 60\nUun S\n2 1 1\nend\nbasis\nO S\n1 1\nend\n", 2,
          "expected an element and a part of its core potential", "'Uun nelec 60'"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct basis_set set;
        check_ok(parse(cases[i].bad.text, &set));
        check_status(STATUS_INPUT, place(&set, cases[i].element));
        check_message(&cases[i].bad);
        basis_set_fini(&set);
    }
}

TEST(elements_with_a_core_potential_are_refused)
{
    static const struct {
        int element;
        const char *text;
    } cases[] = {
        {37, "Rb 0\nRb-ECP 1 28\ntitle\n1\n2 5 9\n"},
        {37, "basis\nRb S\n1 1\nend\nASSOCIATED_ECP \"def2-ecp\"\n"},
        {6, "basis\nC S\n1 1\nend\nASSOCIATED_ECP \"unknown\"\n"},
        {6, "basis\nC S\n1 1\nend\nASSOCIATED_ECP\n"},
        {1, "ecp\nH\nend\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct basis_set set;
        check_ok(parse(cases[i].text, &set));
        check_status(STATUS_INPUT, place(&set, cases[i].element));
        assert_non_null(strstr(status_text(), "needs an effective core potential"));
        basis_set_fini(&set);
    }
}

TEST(elements_of_two_forms_need_an_option)
{
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

TEST(shipped_sets_are_found_by_their_usual_names)
{
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

TEST(unknown_sets_are_refused_with_the_known_ones)
{
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
TEST(the_users_folders_come_first)
{
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
