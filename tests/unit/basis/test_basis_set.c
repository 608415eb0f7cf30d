/* SPDX-License-Identifier: BSD-3-Clause */
/* Basis sets are found by their usual names, and refused with the line at fault where a molecule needs
 * that line; test_basis_files.py compares numbers. */
#include "basis/input/basis_set.h"
#include "basis/input/molecule.h"
#include "basis/integrals/shells.h"
#include "tests/check.h"

#include <string.h>

static enum status parse(const char *text, struct basis_set *set)
{
    return basis_set_parse(text, strlen(text), "test", set);
}

TEST(the_form_is_what_the_file_says)
{
    static const struct {
        const char *text;
        enum basis_form form;
        bool stated;
    } cases[] = {
        {"cartesian\nH 0\nS 1 1\n1 1\n****\n", BASIS_FORM_CARTESIAN, true},
        {"H 0\nS 1 1\n1 1\n****\n", BASIS_FORM_UNSTATED, false},
        {"basis\nH S\n1 1\nend\n", BASIS_FORM_CARTESIAN, false},
        {"basis \"spherical\" cartesian\nH S\n1 1\nend\n", BASIS_FORM_CARTESIAN, true},
        {"basis \"not spherical\" NOPRINT\nH S\n1 1\nend\n", BASIS_FORM_CARTESIAN, false},
        {"basis \"H_x\" SPHERICAL\nH S\n1 1\nend\nbasis \"O_x\" SPHERICAL\nO S\n1 1\nend\n",
         BASIS_FORM_SPHERICAL, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct basis_set set;
        check_ok(parse(cases[i].text, &set));
        assert_int_equal(set.form, cases[i].form);
        assert_int_equal(set.form_stated, cases[i].stated);
        basis_set_fini(&set);
    }
}

/* Neither a title nor a core potential's part title is a section of an NWChem file. */
TEST(titles_do_not_hide_the_format)
{
    static const char *const starts[] = {"Basis set of three elements\n",
                                         "BASIS\n\nbasis: made up\n",
                                         "cartesian\nBasis \"set\"\n****\n"};
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

TEST(core_potentials_of_both_formats_are_alike)
{
    static const char *const texts[] = {
        "Rb 0\nS 1 1\n1 1\n****\nRB     0\nRB-ECP     2     28\nd-ul potential\n  1\n"
        "1      3.8D0            -12.5\ns-ul potential\n  2\n2  5.0  89.5\n0 1.25 0.5\np-ul\n0\n",
        "basis\nRb S\n1 1\nend\necp \"Rb_x\"\nRb nelec 28\nRb S\n2 5.0 89.5\n0 1.25 0.5\n"
        "Rb ul\n1 3.8 -12.5\nend\n"};
    static const struct core_potential_term terms[] = {
        {-1, 1, 3.8, -12.5}, {0, 2, 5.0, 89.5}, {0, 0, 1.25, 0.5}};
    for (int format = 0; format < 2; format++) {
        struct basis_set set;
        check_ok(parse(texts[format], &set));
        const struct basis_element *entry = basis_set_find(&set, 37);
        const struct core_potential *potential = &entry->potential;
        assert_null(entry->defect);
        assert_int_equal(potential->n_core, 28);
        assert_int_equal(potential->n_terms, 3);
        assert_int_equal(core_potential_max_l(potential), 0);
        for (int t = 0; t < 3; t++) {
            const struct core_potential_term *found = &potential->terms[(t + format * 2) % 3];
            const struct core_potential_term *wanted = &terms[t];
            assert_int_equal(found->l, wanted->l);
            assert_int_equal(found->power, wanted->power);
            check_close(found->exponent, wanted->exponent, 0);
            check_close(found->coefficient, wanted->coefficient, 0);
        }
        basis_set_fini(&set);
    }
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

/* A text that is refused when it is read or, if that reads some of it, when its elements are placed, or
 * the one alone. The words of the message, and the found text at its end. */
struct bad_case {
    const char *text;
    int element; /* 0: all that it names */
    int line;    /* 0: not named */
    const char *expected, *found;
};

static enum status use(const struct bad_case *bad)
{
    struct basis_set set;
    enum status status = parse(bad->text, &set);
    if (bad->element) {
        check_ok(status);
        status = place(&set, bad->element);
    }
    for (int64_t e = 0; !bad->element && e < set.n_elements && status == STATUS_OK; e++)
        status = place(&set, set.elements[e].element);
    basis_set_fini(&set);
    return status;
}

#define FORMAT       "expected a basis set in Gaussian94 or NWChem format"
#define ELEMENT      "expected an element and 0, such as 'O 0'"
#define SHELL        "expected a shell such as 'SP 3 1.0'"
#define ROW          "expected an exponent (1e-15 to 1e+15) and 1 coefficient"
#define ROW_OF_SP    "expected an exponent (1e-15 to 1e+15) and 2 coefficients"
#define TYPE         "expected an element and a shell type, such as 'O SP'"
#define SECTION      "expected a section"
#define END          "expected 'end' after the section"
#define TEXT_END     "the end of the file"
#define WORDS        "expected the word 'basis', a name in quotation marks, and spherical or cartesian"
#define POTENTIAL    "needs an effective core potential"
#define HEAD         "expected a core potential such as 'Rb-ECP 3 28'"
#define PART         "expected a part of a core potential: a title, then the number of its terms"
#define TERM         "expected a term of a core potential: the power of r (0 to 3)"
#define ELEMENT_PART "expected an element and a part of its core potential"
#define O_ECP        "basis\nO S\n1 1\nend\necp\nO nelec 2\nO ul\n2 1 2\nO s\n2 2 3\n"
#define RB_ECP       "Rb 0\nS 1 1\n1 1\n****\nRb 0\nRb-ECP "
#define H_BLOCK      "H 0\nS 1 1\n1 1\n****\n"
#define H_SECTION    "basis\nH S\n1 1\nend\n"
#define O_BLOCK      "O 0\nS 1 1\n1 1\n****\n"

TEST(bad_files_are_refused_with_their_line)
{
    static const struct bad_case cases[] = {
        {"", 0, 1, FORMAT, NULL},
        {"! only a comment\n", 0, 1, FORMAT, NULL},
        {"\x7f"
         "ELF\x02\x01 rubbish",
         0, 1, ELEMENT, NULL},
        {"H 0\nS 1 1.0\n1.0 1.0\n", 0, 3, SHELL, TEXT_END},
        {"H 0\nS 1 1.0\n1.0 1.0\nO 0\n", 0, 4, SHELL, "'O 0'"},
        {"H 0\n****\n", 0, 2, SHELL, "'****'"},
        {H_BLOCK H_BLOCK, 0, 6, "expected one block or section for H, found a second after", NULL},
        {"Xq 0\nS 1 1\n1 1\n****\n", 0, 1, "expected an element and 0", NULL},
        {"H 0\nS 2 1\n1 1\n****\n", 0, 4, ROW, "'****'"},
        {"H 0\nS 3 1\n1 1\n2 1\n", 0, 4, ROW, TEXT_END},
        {"H 0\nSP 1 1\n1 1\n****\n", 0, 3, ROW_OF_SP, "'1 1'"},
        {"H 0\nS 1 1\n1 1 1\n****\n", 0, 3, ROW, "'1 1 1'"},
        {"H 0\nS 0 1\n****\n", 0, 2, SHELL, NULL},
        {"H 0\nS 1 0.0099\n1 1\n****\n", 0, 2, SHELL, NULL},
        {"H 0\nS 1 100.1\n1 1\n****\n", 0, 2, SHELL, NULL},
        {"H 0\nS 1 1 1\n1 1\n****\n", 0, 2, SHELL, NULL},
        {"H 0\nS 1 1 0 0\n1 1\n****\n", 0, 2, SHELL, NULL},
        {"H 0\nS 1001 1\n1 1\n****\n", 0, 2, SHELL, NULL},
        {"H 0\nX 1 1\n1 1\n****\n", 0, 2, SHELL, NULL},
        {"H 0\nS 1 1\n1 1\ntitle\n****\n", 0, 4, SHELL, "'title'"},
        {"H 0\nS 1 1\n1 1\n2 1\n****\n", 0, 4, SHELL, "'2 1'"},
        {"Ne 0\nI 1 1\n1 1\n****\n", 0, 2,
         "the shell I of Ne is beyond the limit l = 5: choose a smaller set", NULL},
        {"Ne 0\nl=6 1 1\n1 1\n****\n", 0, 2, "the shell l=6 of Ne is beyond the limit l = 5", NULL},
        {"Ne 0\nl=x 1 1\n1 1\n****\n", 0, 2, SHELL, NULL},
        {"H 0\nS 1 1\n0.9e-15 1\n****\n", 0, 3, ROW, "'0.9e-15 1'"},
        {"H 0\nS 1 1\n1.1e15 1\n****\n", 0, 3, ROW, "'1.1e15 1'"},
        {"H 0\nS 1 1\nnan 1\n****\n", 0, 3, ROW, "'nan 1'"},
        {"H 0\nS 1 1\n1 inf\n****\n", 0, 3, ROW, "'1 inf'"},
        {"H 0\nS 1 1\n1 0\n****\n", 0, 2,
         "the coefficients in column 1 of this shell cannot be normalised", NULL},
        {"H 0\nSP 1 1\n1 1 0\n****\n", 0, 2,
         "the coefficients in column 2 of this shell cannot be normalised", NULL},
        {"basis\nH S\n1 1\n", 0, 3, END " of line 1", TEXT_END},
        {"basis\nend\n", 0, 2, FORMAT ", found no element", NULL},
        {"basis\nH S\nend\n", 0, 3, ROW, "'end'"},
        {"basis\nH S\n1\nend\n", 0, 3, ROW, "'1'"},
        {"basis\nH S\n1 1\n2 1 1\nend\n", 0, 4, ROW, "'2 1 1'"},
        {"basis\nH SP\n1 1\nend\n", 0, 3, ROW_OF_SP, "'1 1'"},
        {"basis\nH S\n1 1x\nend\n", 0, 3, ROW, "'1 1x'"},
        {"basis\nH S\n1 1\nO S\n1 1\n2x 1\nend\n", 0, 6, TYPE, "'2x 1'"},
        {"basis\nNe I\n1 1\nend\n", 0, 2, "the shell I of Ne is beyond the limit l = 5", NULL},
        {"basis\n* library 6-31g\nend\n", 0, 2, TYPE, "'* library 6-31g'"},
        {"basis\nH S\n1 1\nend\nbasis\nH S\n1 1\nend\n", 0, 6,
         "expected one block or section for H, found a second after that of line 1", NULL},
        {"basis spherial\nH S\n1 1\nend\n", 0, 1, WORDS, "'basis spherial'"},
        {"basis spherical cartesian\nH S\n1 1\nend\n", 0, 1, WORDS, NULL},
        {"spherical\n" H_BLOCK "cartesian\n", 0, 6,
         "an earlier line says the opposite of 'cartesian': leave one out", NULL},
        {"Basis set\nCartesiann\n" H_BLOCK, 0, 2, "expected 'spherical' or 'cartesian'",
         "'Cartesiann'"},
        {"Basis set without elements\n", 0, 1, END " of line 1", TEXT_END},
        /* Nothing that may be a part of an element in use is skipped. */
        {H_BLOCK "Sc 0\nI 1 1\n1 1\n****\n", 21, 6, "the shell I of Sc", NULL},
        {"C 0\nS 1 1\n1 1\n****\nP 1 1\n1 1\n****\n" H_BLOCK, 6, 5, ELEMENT, "'P 1 1'"},
        {"C 0\nS 1 1\n1 1\n****\n 2 1\n" H_BLOCK, 6, 5, ELEMENT, "'2 1'"},
        {"C 0\nS 1 1\n1 1\n" O_BLOCK, 6, 4, SHELL, "'O 0'"},
        {H_BLOCK "Ox 0\nS 1 1\n1 1\n****\n", 8, 5, ELEMENT, "'Ox 0'"},
        {O_BLOCK "O\n", 8, 5, ELEMENT, "'O'"},
        {"H STO-3G\n" H_BLOCK, 1, 1, ELEMENT, "'H STO-3G'"},
        {O_BLOCK "As published\nD 1 1\n1 1\n****\n", 33, 5, ELEMENT, "'As published'"},
        {O_BLOCK "Published\nD 1 1\n1 1\n****\n", 8, 6, ELEMENT, "'D 1 1'"},
        {"basis\nO S\n1 1\nend\nO Dx\n1 1\n", 8, 5, SECTION, "'O Dx'"},
        {"basis\nO S\n1 1\nend\ntitle\n1 1\n", 8, 6, SECTION, "'1 1'"},
        {"basis\nO S\n1 1\nThis line\n2 1\nend\n", 8, 4, TYPE, "'This line'"},
        {"basis\nC S\n1 1\nO Z\n1 1\nend\n", 8, 4, TYPE, "'O Z'"},
        {"basis\nC S\n1 1\nCC P\n1 1\nO S\n1 1\nH S\n1 1\nend\n", 6, 4, TYPE, "'CC P'"},
        {"basis\nC S\n1 1\nCC P\n1 1\nO S\n1 1\nH S\n1 1\nend\n", 1, 4, TYPE, "'CC P'"},
        {"basis\n2 1\nC S\n1 1\nend\n", 6, 2, TYPE, "'2 1'"},
        {H_SECTION "basis\nC S\n1 1\nO S\n1 1\n", 0, 9, END " of line 5", TEXT_END},
        {"basis\nC S\n1 1\nO S\n1 1\nbasis\nH S\n1 1\nend\n", 0, 6, END, "'basis'"},
        {"basis\nC S\n1 1\nend\nO S\n1 1\nend\n", 8, 5, SECTION, "'O S'"},
        {"basis sphericla\nC S\n1 1\nend\n", 6, 1, WORDS, "'basis sphericla'"},
        {"ecp\nUux nelec 60\nUux S\n2 1 1\nend\nbasis\nO S\n1 1\nend\n", 8, 2,
         "expected an element and a part of its core potential", "'Uux nelec 60'"},
        /* Core potentials. */
        {"Rb 0\nRb-ECP 1 28\ntitle\n1\n2 5 9\n", 37, 5, PART, TEXT_END},
        {RB_ECP "x 28\nul\n1\n2 5 9\n", 37, 6, HEAD, "'Rb-ECP x 28'"},
        {RB_ECP "11 28\n", 37, 6, HEAD, NULL},
        {RB_ECP "0\nul\n1\n2 5 9\n", 37, 6, HEAD, NULL},
        {RB_ECP "0 119\nul\n1\n2 5 9\n", 37, 6, "expected a number of core electrons", NULL},
        {RB_ECP "0 28\nul\n2\n2 5 9\n****\n", 37, 10, TERM, "'****'"},
        {RB_ECP "0 28\nul\n-1\n", 37, 8, PART, "'-1'"},
        {RB_ECP "0 28\nul\n1\n4 5 9\n", 37, 9, TERM, "'4 5 9'"},
        {RB_ECP "0 28\nul\n1\n2 0 9\n", 37, 9, TERM, "'2 0 9'"},
        {RB_ECP "0 28\nul\n1\n2 5 9 0\n", 37, 9, TERM, NULL},
        {RB_ECP "0 28\nul\n1\n2 5 9\n2 6 9\n****\n", 37, 10,
         "expected **** or the next block after the core potential", "'2 6 9'"},
        {RB_ECP "0 28\nul\n1\n2 5 9\n****\nRb 0\nRb-ECP 0 28\n", 37, 12,
         "expected one core potential for Rb, found a second after that of line 6", NULL},
        {RB_ECP "0 28\nul\n0\n****\n", 37, 6, "the core potential of Rb has no terms", NULL},
        {"Rb 0\nS 1 1\n1 1\n****\nRb 0\nSr-ECP 0 28\nul\n1\n2 5 9\n", 37, 6,
         "expected the core potential of the block's element", "'Sr-ECP 0 28'"},
        {"ecp\nRb nelec x\nend\n", 37, 2, "expected a number of core electrons", NULL},
        {"ecp\nRb nelec 28\nRb nelec 28\nend\n", 37, 3,
         "expected one core potential for each element, found a second after that of line 2", NULL},
        {"ecp\nRb nelec 28\n2 5 9\nend\n", 37, 3, "expected 'ul' or a shell type", "'2 5 9'"},
        {"ecp\nRb nelec 28\nRb ul\n2 5\nend\n", 37, 4, TERM, "'2 5'"},
        {"ecp\nRb nelec 28\nRb sp\n2 5 9\nend\n", 37, 3, ELEMENT_PART, "'Rb sp'"},
        {"ecp\nRb nelec 28\nRb S\n2 5 9\nRb s\n2 5 9\nend\n", 37, 5,
         "this part of the core potential is there twice", NULL},
        {"ecp\nRb nelec 28\nend\n", 37, 2, "the core potential of Rb has no terms", NULL},
        {"ecp\nRb ul\n2 5 9\nend\n", 37, 2, "the core potential of Rb has no line 'nelec'", NULL},
        {"basis\nRb S\n1 1\nend\nASSOCIATED_ECP \"def2-ecp\"\n", 37, 0, POTENTIAL, NULL},
        {"basis\nC S\n1 1\nend\nASSOCIATED_ECP \"unknown\"\n", 6, 0, POTENTIAL, NULL},
        {"basis\nC S\n1 1\nend\nASSOCIATED_ECP\n", 6, 0, POTENTIAL, NULL},
        {H_SECTION "ecp\nH nelec 0\nH\nend\n", 1, 7, ELEMENT_PART, "'H'"},
        {"ecp\nH\nend\n", 0, 2, ELEMENT_PART, "'H'"},
        {O_ECP "Oo p\n2 1 5\nend\n", 8, 11, ELEMENT_PART, "'Oo p'"},
        {O_ECP "O-p\n2 1 5\nend\n", 8, 11, ELEMENT_PART, "'O-p'"},
        {O_ECP "O1 p\n2 1 5\nend\n", 8, 11, ELEMENT_PART, "'O1 p'"},
        {O_ECP "Oxygen p\n2 1 5\nend\n", 8, 11, ELEMENT_PART, "'Oxygen p'"},
        {O_ECP "p\n2 1 5\nend\n", 8, 11, ELEMENT_PART, "'p'"},
        {O_ECP "I nelec\nend\n", 8, 11, ELEMENT_PART, "'I nelec'"},
        {O_ECP "EFD\nend\n", 8, 11, ELEMENT_PART, "'EFD'"},
        {"ecp\n2 1 5\nO nelec 2\nO ul\n2 1 2\nend\n", 8, 2, ELEMENT_PART, "'2 1 5'"},
        {O_ECP "ecp\nend\n", 0, 11, END " of line 5", "'ecp'"},
        {O_ECP, 0, 10, END " of line 5", TEXT_END},
        {O_BLOCK "Oo 0\nO-ECP 0 2\nul\n1\n2 5 9\n****\n", 8, 6,
         "expected an element and 0, such as 'O 0', before a core potential", "'O-ECP 0 2'"},
        {O_BLOCK "S 0\nO-ECP 0 2\nul\n1\n2 5 9\n****\n", 8, 6,
         "expected the core potential of the block's element", "'O-ECP 0 2'"},
        {O_ECP "end\nso\nO p\n2 1 5\nend\n", 8, 13,
         "a spin-orbit potential of O, which is not supported: leave out the section 'so' of line "
         "12",
         NULL},
        {O_ECP "end\nso\nOo p\n2 1 5\nend\n", 8, 13, ELEMENT_PART, "'Oo p'"},
    };
    for (const struct bad_case *bad = cases; bad < cases + sizeof cases / sizeof *cases; bad++) {
        char expected[200], found[100] = "";
        check_status(STATUS_INPUT, use(bad));
        const char *message = status_text();
        snprintf(expected, sizeof expected, "test:%d: ", bad->line);
        strcpy(expected + (bad->line ? strlen(expected) : 0), bad->expected);
        if (bad->found)
            snprintf(found, sizeof found, "found %s", bad->found);
        if (!strstr(message, expected) ||
            strcmp(message + strlen(message) - strlen(found), found) != 0)
            fail_msg("\"%s\" for %s lacks \"%s\" or \"%s\"", message, bad->text, expected, found);
    }
}

/* A shell as large as it may be, and one with a primitive or a contraction more. */
TEST(limits_of_a_shell)
{
    enum { N_PRIMITIVES = 1000, SIZE = 8 * N_PRIMITIVES };
    static const char *const words[] = {"", "more than 1000 primitives",
                                        "more than 62 contractions"};
    for (int beyond = 0; beyond < 3; beyond++) {
        char text[SIZE];
        int used = snprintf(text, SIZE, "basis\nH P\n5");
        for (int k = 0; k < BASIS_MAX_CONTRACTIONS + (beyond == 2); k++)
            used += snprintf(text + used, (size_t)(SIZE - used), " 1");
        used += snprintf(text + used, (size_t)(SIZE - used), "\nH S\n");
        for (int p = 0; p < N_PRIMITIVES + (beyond == 1); p++)
            used += snprintf(text + used, (size_t)(SIZE - used), "%d 1\n", p + 1);
        snprintf(text + used, (size_t)(SIZE - used), "end\n");
        struct basis_set set;
        check_ok(parse(text, &set));
        check_status(beyond ? STATUS_INPUT : STATUS_OK, place(&set, 1));
        assert_true(!beyond || strstr(status_text(), words[beyond]));
        basis_set_fini(&set);
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
        {NWCHEM_FORMAT, "basis \"Uux\" spherical\nUux S\n1 1\nend\n"},
        {NWCHEM_FORMAT, "ecp\nRb nelec 28\nend\nso\nRb p\n2 1 5\nend\n"},
        {GAUSSIAN94_FORMAT, "LANL2DZ-ECP basis set\n"},
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

TEST(elements_of_two_forms_need_an_option)
{
    struct basis_set set;
    check_ok(parse("basis\nH D\n1 1\nend\nbasis spherical\nO S\n1 1\nO D\n1 1\nend\n", &set));
    check_ok(place(&set, 8));
    struct atom atoms[] = {atom_of_element(8, false), atom_of_element(1, false)};
    const struct molecule molecule = {.n_atoms = 2, .atoms = atoms};
    struct shells *shells;
    check_status(STATUS_INPUT, shells_create(&molecule, &set, BASIS_FORM_UNSTATED, &shells));
    assert_non_null(strstr(status_text(), "give --spherical or --cartesian"));
    check_ok(shells_create(&molecule, &set, BASIS_FORM_CARTESIAN, &shells));
    assert_int_equal(shells->n_functions, 13);
    shells_destroy(shells);
    basis_set_fini(&set);
}
