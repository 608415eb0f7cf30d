/* SPDX-License-Identifier: BSD-3-Clause */
/* A declared symmetry becomes a group of signed permutations; what cannot be one is refused with its
 * place; and the statements that keep it are those whose products are each other's under exchanges. */
#include "tce/language/program.h"
#include "tce/language/symmetry_check.h"
#include "tests/check.h"

#include <string.h>

#define PREAMBLE "space o = 4\nspace v = 5\nindex i, j, k, l, m : o\nindex a, b, c, d : v\n"

static enum status parse(const char *text, struct program *program)
{
    return program_parse(text, strlen(text), "x.tce", program);
}

/* --- groups --- */

TEST(declared_exchanges_generate_a_group)
{
    static const struct {
        const char *declaration;
        int n_exchanges, order;
    } cases[] = {
        {"tensor T[i,j]", 0, 0},
        {"tensor T[i,j] symmetric i j", 1, 2},
        {"tensor T[i,j,a,b] symmetric (i a)(j b)", 1, 2},
        {"tensor T[i,a,j,b] symmetric (i a) (j b)", 1, 2},
        {"tensor T[i,j|a,b] antisymmetric i j, a b", 2, 4},
        {"tensor T[i,j|a,b] antisymmetric i j,\n a b symmetric (i a)(j b)", 3, 4},
        {"tensor T[i,j,k,a,b,c] antisymmetric i j k, a b c", 4, 36},
        {"tensor T[i,j,k,a,b,c] symmetric (i a)(j b)(k c)", 2, 6},
        {"tensor T[i,j,k,l] symmetric i j, k l, (i j)(k l)", 3, 8},
        {"tensor T[i,j,k,l] antisymmetric (i j)(k l) symmetric i j, k l", 3, 8},
        {"tensor T[i,j] irrep 0 spin 0 symmetric i j = constant(2)", 1, 2},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct program program;
        char text[400];
        snprintf(text, sizeof text, PREAMBLE "%s\nscalar E, F\nE = F\n", cases[c].declaration);
        check_ok(parse(text, &program));
        assert_int_equal(program.tensors[0].n_exchanges, cases[c].n_exchanges);
        assert_int_equal(program.tensors[0].symmetry.n, cases[c].order);
        program_fini(&program);
    }
}

TEST(the_group_has_signs)
{
    struct program program;
    check_ok(
        parse(PREAMBLE "tensor T[i,j|a,b] antisymmetric i j, a b\nscalar E, F\nE = F\n", &program));
    const struct symmetry *symmetry = &program.tensors[0].symmetry;
    const struct signed_permutation both = {{1, 0, 3, 2}, 1}, one = {{1, 0, 2, 3}, 1},
                                    none = {{2, 1, 0, 3}, 1};
    assert_int_equal(symmetry_sign(symmetry, 4, &both), 1);
    assert_int_equal(symmetry_sign(symmetry, 4, &one), -1);
    assert_int_equal(symmetry_sign(symmetry, 4, &none), 0);
    program_fini(&program);
}

/* --- what is refused --- */

TEST(bad_symmetries_are_refused_with_place_and_reason)
{
    static const struct {
        const char *line;
        int column;
        const char *reason;
    } cases[] = {
        {"tensor T[i,j] symmetric", 24, "expected the name of an index of this tensor, found"},
        {"tensor T[i,j] symmetric i", 26, "exchanged with, as in i j or (i a)(j b)"},
        {"tensor T[i,j] symmetric i j, 3", 30, "expected the name of an index of this tensor"},
        {"tensor T[i,j] symmetric i k", 27, "'k' is no index of this tensor"},
        {"tensor T[i,j] symmetric i q", 27, "unknown index 'q'"},
        {"tensor T[i,i] symmetric i i", 25, "'i' stands in the brackets more than once"},
        {"tensor T[i,j] symmetric j j", 27, "'j' appears twice in what is exchanged"},
        {"tensor T[i,a] symmetric i a", 27, "'i' and 'a' are of different spaces"},
        {"tensor T[i|j] symmetric i j", 27, "'i' and 'j' are on different sides of the bar"},
        {"tensor T[i,j,a,b] symmetric (i a)(b j)", 34, "'i' and 'b' are of different spaces"},
        {"tensor T[i,j,a,b] symmetric (i a)(j)", 34, "this group has 1 index, the one before it 2"},
        {"tensor T[i,j,a,b] symmetric (i a) j", 35, "this group has 1 index, the one before it 2"},
        {"tensor T[i,j,a,b] symmetric (i a)", 34, "exchanged with, as in i j or (i a)(j b)"},
        {"tensor T[i,j,a,b] symmetric (i a)(j = b", 37, "another index or ')'"},
        {"tensor T[i,j,a,b] symmetric (i, a)(j, b)", 31,
         "indices that move together are side by side"},
        {"tensor T[i,j,a,b] symmetric ()(j b)", 30, "expected the name of an index"},
        {"tensor T[i,j,a,b] symmetric (i i)(j j)", 34, "'i' appears twice"},
        {"tensor T[i,j] symmetric i j antisymmetric i j", 15, "contradict each other"},
        {"tensor T[i,j,k] antisymmetric i j symmetric j k", 17, "contradict each other"},
        {"tensor T[i,j,k,l] antisymmetric i j, (i j)(k l) symmetric k l", 19, "contradict"},
        {"tensor T[i,j] = random(1) symmetric i j", 27, "expected the end of the line"},
        {"tensor T[i,j] symmetric i j irrep 0", 29,
         "and '=', in this order, or the end of the line, found 'irrep'"},
        {"tensor T[i,j] symmetric i j, spin 0", 30, "expected the name of an index of this"},
        {"tensor T[i,j] symmetric i spin 0", 27, "expected the index or group that"},
        {"tensor T[i,j] symmetry i j", 15, "'symmetric', 'antisymmetric' and '='"},
        {"scalar T symmetric", 10, "expected"},
        {"tensor symmetric[i,j]", 8, "'symmetric' is a word of the language"},
        {"index antisymmetric : o", 7, "'antisymmetric' is a word of the language"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct program program;
        char text[400], place[32];
        snprintf(text, sizeof text, PREAMBLE "%s\nscalar E, F\nE = F\n", cases[c].line);
        snprintf(place, sizeof place, "x.tce:5:%d: ", cases[c].column);
        assert_int_equal(parse(text, &program), STATUS_INPUT);
        if (!strstr(status_text(), place) || !strstr(status_text(), cases[c].reason))
            fail_msg("%s: '%s', expected %s...%s", cases[c].line, status_text(), place,
                     cases[c].reason);
    }
}

TEST(too_large_groups_are_refused)
{
    struct program program;
    assert_int_equal(parse("space o = 9\nindex a, b, c, d, e, f, g : o\n"
                           "tensor T[a,b,c,d,e,f,g] antisymmetric a b c d e f g\nscalar E\nE = E\n",
                           &program),
                     STATUS_INPUT);
    assert_non_null(strstr(status_text(), "x.tce:3:25: one after another, these exchanges"));
}

TEST(an_unknown_and_its_residual_are_declared_alike)
{
    struct program program;
    assert_int_equal(parse(PREAMBLE "tensor t[i,j] symmetric i j\ntensor n[i,j]\nscalar E\n"
                                    "iterate t from n, energy E\nn[i,j] = t[i,j]\nE = n[i,i]\n",
                           &program),
                     STATUS_INPUT);
    assert_non_null(
        strstr(status_text(),
               "x.tce:8:16: 'n' and its unknown 't' differ in their indices, bar, labels or symm"));
}

/* --- fills --- */

static const struct fill_symmetry fills[] = {
    {.name = "pairs",
     .rank = 4,
     .n_exchanges = 2,
     .exchanges = {{{1, 0, 2, 3}, 1}, {{2, 3, 0, 1}, 1}}},
};

static enum status check(const char *text, struct program *program)
{
    check_ok(parse(text, program));
    return symmetry_check_program(program, 1, fills);
}

TEST(fills_have_the_symmetry_that_is_declared)
{
    static const struct {
        const char *declaration;
        int column; /* of what the fill does not have; 0: it has all */
    } cases[] = {
        {"tensor T[i,j] symmetric i j = constant(2)", 0},
        {"tensor T[i,j] antisymmetric i j = constant(2)", 29},
        {"tensor T[i,j] symmetric i j = random(2)", 25},
        {"tensor T[i,j,k,l] symmetric i j, k l = pairs", 0},
        {"tensor T[i,j,k,l] symmetric i j, j k = pairs", 34},
        {"tensor T[i,j,k,l] antisymmetric i j = pairs", 33},
        {"tensor T[i,j,a,b] symmetric i j, a b = pairs", 0},
        {"tensor T[i,j,k] symmetric i j = pairs", 27}, /* of another rank */
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct program program;
        char text[400], place[32];
        snprintf(text, sizeof text, PREAMBLE "%s\nscalar E, F\nE = F\n", cases[c].declaration);
        snprintf(place, sizeof place, "x.tce:5:%d: 'T'", cases[c].column);
        enum status status = check(text, &program);
        assert_int_equal(status, cases[c].column > 0 ? STATUS_INPUT : STATUS_OK);
        assert_true(status == STATUS_OK || strstr(status_text(), place));
        program_fini(&program);
    }
}

TEST(what_is_only_filled_has_all_symmetry_of_its_fill)
{
    struct program program;
    check_ok(check(PREAMBLE "tensor A[i,j,k,l] = pairs\ntensor B[i,j,a,b] = pairs\n"
                            "tensor C[i,a,j,b] = pairs\ntensor D[i,j,k,l] = pairs\n"
                            "tensor F[i,j|k,a] = constant\nD[i,j,k,l] = A[i,j,k,l]\n",
                   &program));
    assert_int_equal(program.tensors[0].symmetry.n, 8);
    assert_int_equal(program.tensors[1].symmetry.n,
                     4); /* i j, a b: one follows from the other two */
    assert_int_equal(program.tensors[2].symmetry.n, 2); /* (i a)(j b) */
    assert_int_equal(program.tensors[3].symmetry.n, 0);
    assert_int_equal(program.tensors[4].symmetry.n, 2); /* i j */
    program_fini(&program);
}

/* --- statements --- */

TEST(statements_that_keep_a_symmetry_are_found)
{
    static const char declarations[] =
        PREAMBLE "tensor R[i,j,a,b] = random(1)\ntensor X[i,a] = random(2)\n"
                 "tensor t[i,j,a,b] symmetric (i a)(j b)\ntensor V[a,b,c,d] symmetric (a c)(b d)\n"
                 "tensor s[i,j,a,b] antisymmetric i j, a b\ntensor Q[i,j,k,l] antisymmetric i j\n"
                 "tensor r[i,j,a,b] symmetric (i a)(j b)\ntensor S[i,j] symmetric i j\n"
                 "tensor A[i,j] antisymmetric i j\ntensor Y[i,j,k] antisymmetric i j k\n";
    static const struct {
        const char *statement;
        bool kept;
    } cases[] = {
        {"r[i,j,a,b] = R[i,j,a,b] + R[j,i,b,a]", true},
        {"r[i,j,a,b] = R[i,j,a,b] - R[j,i,b,a]", false},
        {"r[i,j,a,b] = R[i,j,a,b]", false},
        {"r[k,l,c,d] -= 1/2 * sym(k c, l d) R[l,k,c,d]", true},
        {"r[i,j,a,b] = X[i,a] * X[j,b]", true},
        {"r[i,j,a,b] = X[j,b] * X[i,a]", true},
        {"r[i,j,a,b] = X[i,b] * X[j,a]", true},
        {"r[i,j,a,b] = V[a,b,c,d] * t[i,j,c,d]", true},
        {"r[i,j,a,b] = V[a,b,c,d] * t[i,j,d,c]", true},
        {"r[i,j,a,b] = V[a,c,b,d] * t[i,j,c,d]", false},
        {"r[i,j,a,b] = V[a,b,c,d] * R[i,j,c,d]", false},
        {"r[i,j,a,b] = t[j,i,a,b] + 2 * t[i,j,a,b]", true},
        {"r[i,j,a,b] = X[k,a] * X[k,b] * X[i,c] * X[j,c]", true},
        {"r[i,j,a,b] = X[k,a] * X[l,b] * R[k,l,c,d] * X[i,c] * X[j,d]", false},
        {"r[i,j,a,b] = X[k,a] * X[l,b] * t[k,l,c,d] * X[i,c] * X[j,d]", true},
        {"s[i,j,a,b] = antisym(i j) antisym(a b) R[i,j,a,b]", true},
        {"s[i,j,a,b] = antisym(i j) R[i,j,a,b]", false},
        {"s[i,j,a,b] = antisym(i j) t[i,j,a,b]", true},
        {"S[i,j] = X[i,a] * X[j,a]", true},
        {"S[i,j] = t[i,j,a,a]", true},
        {"S[i,j] = t[i,k,a,b] * t[j,k,a,b]", true},
        {"S[i,j] = t[i,k,a,b] * t[j,k,b,a]", true},
        {"S[i,j] = t[i,k,a,b] * R[j,k,a,b]", false},
        {"A[i,j] = antisym(i, j) R[i,j,a,a]", true},
        {"A[i,j] = s[i,j,a,b] * R[k,k,a,b]", true},
        {"A[i,j] = S[i,k] * Q[k,l,m,m] * S[l,j]", true},
        {"A[i,j] = s[i,k,a,b] * s[j,k,b,a]", false},
        {"A[i,j] = s[k,k,a,b] * R[i,j,a,b]", true}, /* zero */
        {"Y[i,j,k] = antisym(i, j, k) R[i,j,a,b] * X[k,a] * X[l,b] * X[l,c] * X[m,c]", true},
        {"Y[i,j,k] = antisym(i / j k) R[i,j,a,b] * X[k,a]", false},
        {"Y[i,j,k] = antisym(i / j k) Q[j,k,l,m] * R[i,m,a,b] * X[l,a]", true},
        {"Y[i,j,k] = antisym(i / j k) Q[j,k,l,m] * R[l,m,a,b] * X[i,a]", true},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct program program;
        char text[1000];
        snprintf(text, sizeof text, "%s%s\n", declarations, cases[c].statement);
        if ((check(text, &program) == STATUS_OK) != cases[c].kept)
            fail_msg("%s: %d", cases[c].statement, cases[c].kept);
        program_fini(&program);
    }
}
