/* SPDX-License-Identifier: BSD-3-Clause */
/* A declared symmetry becomes a group of signed permutations; what cannot be one is refused with its
 * place; and the statements that keep it are those whose products are each other's under exchanges. */
#include "tce/language/program.h"
#include "tce/language/symmetry_check.h"
#include "tests/cases/program_case.h"

#include <stdio.h>

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
        {"tensor T[i,j] symmetric i j", 1, 2},
        {"tensor T[i,a,j,b] symmetric (i a) (j b)", 1, 2},
        {"tensor T[i,j|a,b] antisymmetric i j,\n a b symmetric (i a)(j b)", 3, 4},
        {"tensor T[i,j,k,a,b,c] antisymmetric i j k, a b c", 4, 36},
        {"tensor T[i,j,k,a,b,c] symmetric (i a)(j b)(k c)", 2, 6},
        {"tensor T[i,j,k,l] symmetric i j, k l, (i j)(k l)", 3, 8},
        {"tensor T[i,j,k,l] antisymmetric (i j)(k l) symmetric i j, k l", 3, 8},
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
    static const struct {
        struct signed_permutation of;
        int sign;
    } cases[] = {{{{1, 0, 3, 2}, 1}, 1}, {{{1, 0, 2, 3}, 1}, -1}, {{{2, 1, 0, 3}, 1}, 0}};
    struct program program;
    check_ok(
        parse(PREAMBLE "tensor T[i,j|a,b] antisymmetric i j, a b\nscalar E, F\nE = F\n", &program));
    for (int c = 0; c < 3; c++)
        assert_int_equal(symmetry_sign(&program.tensors[0].symmetry, 4, &cases[c].of),
                         cases[c].sign);
    program_fini(&program);
}

/* --- what is refused --- */

TEST(bad_symmetries_are_refused_with_place_and_reason)
{
    static const struct {
        const char *line, *message; /* message: behind the file */
    } cases[] = {
        {"tensor T[i,j] symmetric", "5:24: expected the name of an index of this tensor, found"},
        {"tensor T[i,j] symmetric i",
         "5:26: expected the index or group that this one is exchanged"},
        {"tensor T[i,j] symmetric i k", "5:27: 'k' is no index of this tensor"},
        {"tensor T[i,j] symmetric i q", "5:27: unknown index 'q'"},
        {"tensor T[i,i] symmetric i i", "5:25: 'i' stands in the brackets more than once"},
        {"tensor T[i,j] symmetric j j", "5:27: 'j' appears twice in what is exchanged"},
        {"tensor T[i,a] symmetric i a", "5:27: 'i' and 'a' are of different spaces"},
        {"tensor T[i|j] symmetric i j", "5:27: 'i' and 'j' are on different sides of the bar"},
        {"tensor T[i,j,a,b] symmetric (i a) j",
         "5:35: this group has 1 index, the one before it 2"},
        {"tensor T[i,j,a,b] symmetric (i a)", "5:34: expected the index or group"},
        {"tensor T[i,j,a,b] symmetric (i, a)(j, b)",
         "5:31: expected another index or ')'; indices"},
        {"tensor T[i,j,a,b] symmetric ()(j b)", "5:30: expected the name of an index"},
        {"tensor T[i,j] symmetric i j antisymmetric i j", "5:15: these exchanges contradict"},
        {"tensor T[i,j,k,l] antisymmetric i j, (i j)(k l) symmetric k l", "5:19: these exchanges"},
        {"tensor T[i,j] symmetric i j irrep 0", "5:29: expected 'irrep', 'spin'"},
        {"index e, f, g, h : o\ntensor T[i,j,k,e,f,g,h] antisymmetric i j k e f g h",
         "6:25: one after another, these exchanges permute the indices of 'T' in more"},
        {"tensor t[i,j] symmetric i j\ntensor n[i,j]\nscalar E\niterate t from n, energy E",
         "8:16: 'n' and its unknown 't' differ in their indices, bar, labels or symm"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct program program;
        char text[400], message[200];
        snprintf(text, sizeof text, PREAMBLE "%s\nscalar F, G\nF = G\n", cases[c].line);
        snprintf(message, sizeof message, "x.tce:%s", cases[c].message);
        check_refusal(STATUS_INPUT, parse(text, &program), message);
    }
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
        char text[400], place[32] = "";
        snprintf(text, sizeof text, PREAMBLE "%s\nscalar E, F\nE = F\n", cases[c].declaration);
        if (cases[c].column > 0)
            snprintf(place, sizeof place, "x.tce:5:%d: 'T'", cases[c].column);
        check_refusal(cases[c].column > 0 ? STATUS_INPUT : STATUS_OK, check(text, &program), place);
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
    static const int orders[] = {8, 4, 2, 0, 2};
    for (int t = 0; t < 5; t++)
        assert_int_equal(program.tensors[t].symmetry.n, orders[t]);
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
        {"r[k,l,c,d] -= 1/2 * sym(k c, l d) R[l,k,c,d]", true},
        {"r[i,j,a,b] = X[i,a] * X[j,b]", true},
        {"r[i,j,a,b] = V[a,b,c,d] * t[i,j,c,d]", true},
        {"r[i,j,a,b] = V[a,c,b,d] * t[i,j,c,d]", false},
        {"r[i,j,a,b] = t[j,i,a,b] + 2 * t[i,j,a,b]", true},
        {"r[i,j,a,b] = X[k,a] * X[l,b] * t[k,l,c,d] * X[i,c] * X[j,d]", true},
        {"s[i,j,a,b] = antisym(i j) antisym(a b) R[i,j,a,b]", true},
        {"s[i,j,a,b] = antisym(i j) t[i,j,a,b]", true},
        {"S[i,j] = t[i,j,a,a]", true},
        {"S[i,j] = t[i,k,a,b] * t[j,k,b,a]", true},
        {"A[i,j] = s[i,j,a,b] * R[k,k,a,b]", true},
        {"A[i,j] = S[i,k] * Q[k,l,m,m] * S[l,j]", true},
        {"A[i,j] = s[i,k,a,b] * s[j,k,b,a]", false},
        {"A[i,j] = s[k,k,a,b] * R[i,j,a,b]", true}, /* zero */
        {"Y[i,j,k] = antisym(i, j, k) R[i,j,a,b] * X[k,a] * X[l,b] * X[l,c] * X[m,c]", true},
        {"Y[i,j,k] = antisym(i / j k) R[i,j,a,b] * X[k,a]", false},
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
