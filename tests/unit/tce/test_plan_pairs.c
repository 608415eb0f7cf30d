/* SPDX-License-Identifier: BSD-3-Clause */
/* Products whose factors have symmetries run over pairs of values: each pair is multiplied once,
 * and tensors are packed, summed and unpacked as seldom as possible. Tensors that are written with
 * a symmetry have unique blocks. */
#include "tests/cases/plan_case.h"

#include <math.h>

#define HEAD "space o = 5 tile 3\nspace v = 9 tile 4\nindex i, j, k, l : o\nindex a, b, c, d : v\n"

static int count_phase(const struct plan *plan, enum plan_phase phase)
{
    int n = 0;
    for (int s = 0; s < plan->n_steps; s++)
        n += plan->steps[s].phase == phase;
    return n;
}

/* Pairs of n values. */
static double symmetric(double n)
{
    return n * (n + 1) / 2;
}

static double antisymmetric(double n)
{
    return n * (n - 1) / 2;
}

TEST(operations_are_those_of_the_pairs)
{
    const double o = 5, v = 9;
    const struct {
        const char *text;
        double flops;
        int n_packed, n_unpacked;
    } cases[] = {
        {"tensor V[a,b,c,d] symmetric (a c)(b d)\ntensor t[i,j,c,d] symmetric (i c)(j d)\n"
         "tensor r[i,j,a,b]\nr[i,j,a,b] = V[a,b,c,d] * t[i,j,c,d]\n",
         2 * symmetric(v) * symmetric(v) * symmetric(o) +
             2 * antisymmetric(v) * antisymmetric(v) * antisymmetric(o),
         4, 2},
        {"tensor V[a,b|c,d]\ntensor t[i,j|c,d] antisymmetric c d\ntensor r[i,j,a,b]\n"
         "r[i,j,a,b] = t[i,j,d,c] * V[a,b,c,d]\n",
         2 * v * v * antisymmetric(v) * o * o, 2, 0},
        {"tensor V[a,b|c,d] symmetric (a c)(b d)\ntensor t[i,j|c,d] antisymmetric i j, c d\n"
         "tensor r[i,j,a,b]\nr[i,j,a,b] += V[a,b,c,d] * t[i,j,c,d]\n",
         2 * antisymmetric(v) * antisymmetric(v) * antisymmetric(o), 2, 1},
        {"tensor V[a,c,d] symmetric c d\ntensor t[c,d,i] symmetric c d\ntensor r[a,i]\n"
         "r[a,i] = V[a,c,d] * t[d,c,i]\n",
         2 * v * symmetric(v) * o, 2, 0},
        {"tensor V[a,c,d] symmetric c d\nscalar E\nE = V[a,c,d] * V[a,c,d]\n", 2 * v * symmetric(v),
         2, 0},
        /* An exchange of a target index with a summed one is no pair. */
        {"tensor V[a,b] symmetric a b\ntensor t[b,i]\ntensor r[a,i]\nr[a,i] = V[a,b] * t[b,i]\n",
         2 * v * v * o, 0, 0},
        /* A diagonal is no pair. */
        {"tensor V[a,b,c,d] symmetric c d\ntensor t[a,i]\ntensor r[b,i]\n"
         "r[b,i] = V[a,b,c,c] * t[a,i]\n",
         2 * v * v * o, 0, 0},
        /* Zero, which is left to the numbers. */
        {"tensor V[a,c,d] symmetric c d\ntensor t[c,d,i] antisymmetric c d\ntensor r[a,i]\n"
         "r[a,i] = V[a,c,d] * t[c,d,i]\n",
         2 * v * v * v * o, 0, 0},
        /* Packed tensors and their sums are shared. */
        {"tensor V[a,b,c,d] symmetric (a c)(b d)\ntensor W[i,j,k,l] symmetric (i k)(j l)\n"
         "tensor t[i,j,a,b] symmetric (i a)(j b)\ntensor r[i,j,a,b]\n"
         "r[i,j,a,b] = V[a,b,c,d] * t[i,j,c,d] + W[i,j,k,l] * t[k,l,a,b]\n",
         2 * symmetric(v) * symmetric(o) * (symmetric(v) + symmetric(o)) +
             2 * antisymmetric(v) * antisymmetric(o) * (antisymmetric(v) + antisymmetric(o)),
         6, 2},
        /* The best of 151 choices among sixteen pairs that symmetries exchange has the last of them. */
        {"index m, n : o\ntensor t[i,j,k,l,m,n,c] antisymmetric i j k l m n\n"
         "tensor V[a,b,c] antisymmetric a b\ntensor r[i,j,k,l,m,n,a,b]\n"
         "r[i,j,k,l,m,n,a,b] = t[i,j,k,l,m,n,c] * V[a,b,c]\n",
         2 * pow(antisymmetric(o), 3) * antisymmetric(v) * v, 2, 1},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct plan_case made;
        char text[600];
        snprintf(text, sizeof text, HEAD "%s", cases[c].text);
        plan_case_init(&made, text, PLAN_PAIRS_ALWAYS);
        check_close(plan_case_product_flops(made.plan), cases[c].flops, 1e-9);
        assert_int_equal(count_phase(made.plan, PLAN_PACK), cases[c].n_packed);
        assert_int_equal(count_phase(made.plan, PLAN_UNPACK), cases[c].n_unpacked);
        plan_case_fini(&made);
        plan_case_init(&made, text, PLAN_PAIRS_NEVER);
        assert_int_equal(count_phase(made.plan, PLAN_PACK), 0);
        plan_case_fini(&made);
        plan_case_init(&made, text, PLAN_PAIRS_AUTO); /* too small to pay */
        assert_int_equal(count_phase(made.plan, PLAN_PACK), 0);
        plan_case_fini(&made);
    }
}

TEST(constant_tensors_are_packed_before_iterations)
{
    struct plan_case made;
    plan_case_init(
        &made,
        HEAD "tensor V[a,b,c,d] symmetric (a c)(b d)\ntensor t[i,j,a,b] symmetric (i a)(j b)\n"
             "tensor n[i,j,a,b] symmetric (i a)(j b)\nscalar E\niterate t from n, energy E\n"
             "n[i,j,a,b] = V[a,b,c,d] * t[i,j,c,d]\nE = n[i,i,a,a]\n",
        PLAN_PAIRS_ALWAYS);
    for (int s = 0; s < made.plan->n_steps; s++)
        if (made.plan->steps[s].phase == PLAN_PACK)
            assert_int_equal(made.plan->steps[s].A.tensor == 0, s < made.plan->first_iterated);
    plan_case_fini(&made);
}

/* Integrals that are only packed are filled in packed form alone; a product that reads them whole changes
 * that. Those of water/cc-pVTZ pay because they take no time in iterations. */
TEST(what_is_only_packed_need_not_be_stored)
{
    static const struct {
        enum plan_pairs pairs;
        const char *text; /* with a place for a line */
    } cases[] = {
        {PLAN_PAIRS_ALWAYS,
         HEAD "tensor g[a,b,c,d] = integrals\ntensor t[i,j,a,b] symmetric (i a)(j b)\n"
              "tensor F[a,b]\ntensor r[i,j,a,b]\n%sr[i,j,a,b] = g[a,b,c,d] * t[i,j,c,d]\n"},
        {PLAN_PAIRS_AUTO, "space o = 4\nspace v = 53\nindex i, j : o\nindex a, b, c, d : v\n"
                          "tensor g[a,b,c,d] = integrals\ntensor t[i,j,a,b] symmetric (i a)(j b)\n"
                          "tensor n[i,j,a,b] symmetric (i a)(j b)\ntensor F[a,b]\nscalar E\n%s"
                          "iterate t from n, energy E\nn[i,j,a,b] = g[a,b,c,d] * t[i,j,c,d]\n"
                          "E = n[i,j,a,b] * n[i,j,a,b]\n"},
    };
    for (int c = 0; c < 4; c++) {
        struct plan_case made;
        char program[1000];
        bool whole = c % 2;
        snprintf(program, sizeof program, cases[c / 2].text, whole ? "F[a,b] = g[a,c,b,c]\n" : "");
        plan_case_init(&made, program, cases[c / 2].pairs);
        assert_int_equal(made.plan->tensors[0].unstored, !whole);
        for (int t = 0; t < made.plan->n_tensors; t++)
            assert_true(made.plan->tensors[t].filled_from ==
                        (!whole && plan_keeps_tensor(made.plan, t) && t >= made.program.n_tensors
                             ? 0
                             : -1));
        plan_case_fini(&made);
    }
}

/* Five values in tiles of three and two: three of four blocks are unique. */
TEST(unique_blocks_are_stored)
{
    static const struct {
        const char *statements;
        int n_elements;
    } cases[] = {
        {"s[i,j] = sym(i, j) x[i,k] * y[k,j]\n", 19},
        {"s[i,j] = x[i,k] * x[j,k]\ns[i,j] += sym(i, j) y[i,j]\n", 19},
        {"s[i,j] = sym(i, j) x[i,j]\niterate s from n, energy E\nn[i,j] = sym(i, j) y[i,k] * "
         "s[k,j]\n"
         "E = n[i,i]\n",
         25},
        {"s[i,j] = sym(i, j) x[i,j]\nfor i by tile\ntensor w[i,j]\nw[i,j] = s[i,j]\n"
         "E = w[i,j] * w[i,j]\nend\n",
         25},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char program[1000];
        struct plan_case made;
        snprintf(program, sizeof program,
                 HEAD "tensor s[i,j] symmetric i j\ntensor x[i,j]\ntensor y[i,j]\n"
                      "tensor n[i,j] symmetric i j\nscalar E\n%s",
                 cases[i].statements);
        plan_case_init(&made, program, PLAN_PAIRS_NEVER);
        check_close(made.plan->tensors[0].elements, cases[i].n_elements, 0);
        if (i == 0)
            check_close(plan_case_product_flops(made.plan), 2 * 2 * 5 * 19, 1e-9);
        plan_case_fini(&made);
    }
}
