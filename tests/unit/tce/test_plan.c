/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans of programs whose best plan is known, orders of factors against all that there are, and plans of the
 * program files that are arguments. */
#include "support/base/random.h"
#include "support/io/text_file.h"
#include "tests/cases/plan_case.h"

#include <math.h>
#include <stdio.h>

/* --- plans that are known --- */

#define ORBITALS                                                                                   \
    "space o = occupied\nspace v = virtual\nindex i, j, k, l : o\nindex a, b, c, d : v\n"
#define CHAIN                                                                                      \
    "index i : a\nindex j : b\nindex k : c\nindex l : d\n"                                         \
    "tensor A[i,j]\ntensor B[j,k]\ntensor C[k,l]\ntensor D[i,l]\n"                                 \
    "D[i,l] = A[i,j] * B[j,k] * C[k,l]\n"
#define TENSORS                                                                                    \
    ORBITALS "tensor g[k,c,l,d]\ntensor t[i,a]\ntensor u[i,a]\ntensor X[i,a,j,b]\n"                \
             "tensor F[i,a]\ntensor G[i,a]\nscalar E\nscalar Q\n"
#define MATRICES                                                                                   \
    "space s = 10\nindex i, j, k : s\ntensor A[i,j]\ntensor B[i,j]\ntensor C[i,j]\n"               \
    "tensor D[i,j]\ntensor E[i,j]\ntensor F[i,j]\n"

/* Pieces of the printed plan in their order. 5 occupied, 20 virtual. */
static const struct known_plan {
    double numbers[4]; /* of steps, intermediates, stages and operations */
    const char *text, *pieces[6];
} known_plans[] = {
    {{2, 1, 2, 2 * (2 * 30 * 40 + 2 * 40 * 5)},
     "space a = 2\nspace b = 30\nspace c = 40\nspace d = 5\n" CHAIN,
     {"#1[i,k] = A[i,j] * B[j,k]", "D[i,l] = #1[i,k] * C[k,l]   last use of #1",
      "5600       3.6e+04  line 13: D[i,l]", "tensors at most: 1550 elements"}},
    {{2, 1, 2, 2 * (30 * 40 * 3 + 50 * 30 * 3)},
     "space a = 50\nspace b = 30\nspace c = 40\nspace d = 3\n" CHAIN,
     {"#1[j,l] = B[j,k] * C[k,l]", "D[i,l] = "}},
    /* A term of coupled-cluster theory contracts the large tensors first. */
    {{2, 1, 2, 2 * 125 * 8000 + 2 * 125 * 400},
     ORBITALS "tensor g[k,d,a,c]\ntensor tau[i,j,c,d]\ntensor t[k,b]\ntensor s[i,j,a,b]\n"
              "s[i,j,a,b] = - g[k,d,a,c] * tau[i,j,c,d] * t[k,b]\n",
     {"#1[k,a,i,j] = g[k,d,a,c] * tau[i,j,c,d]", "s[i,j,a,b] = -1 * #1[k,a,i,j] * t[k,b]"}},
    /* Labels halve what there is in every tensor, and the multiplications twice. */
    {{1, 0, 1, 2 * 8 * 8 * 8 / 4},
     "space s = 4 irrep 0, 4 irrep 1\nindex i, j, k : s\n"
     "tensor A[i,k]\ntensor B[k,j] irrep 1\ntensor C[i,j] irrep 1\nC[i,j] = A[i,k] * B[k,j]\n",
     {"C[i,j] = A[i,k] * B[k,j]"}},
    /* One product for three terms with other names, in another order. */
    {{4, 1, 2, 20600},
     TENSORS "F[i,a] = g[i,a,k,c] * t[k,c]\nE = g[k,c,l,d] * t[l,d] * u[k,c]\n"
             "Q = t[j,b] * g[i,a,j,b] * t[i,a]\n",
     {"#1[i,a] = g[i,a,k,c] * t[k,c]", "F[i,a] = #1[i,a]", "E = #1[k,c] * u[k,c]",
      "Q = #1[i,a] * t[i,a]   last use of #1"}},
    /* Not the same: the other index pair of g is summed. */
    {{2, 0, 1, 40000},
     TENSORS "F[i,a] = g[i,a,k,c] * t[k,c]\nG[i,a] = g[k,c,i,a] * t[k,c]\n",
     {"F[i,a] = g[i,a,k,c] * t[k,c]", "G[i,a] = g[k,c,i,a] * t[k,c]"}},
    /* A product with a tensor that changes is not shared; another one is. */
    {{5, 2, 5, 40600},
     TENSORS
     "E = g[k,c,l,d] * t[l,d] * t[k,c]\nt[i,a] = u[i,a]\nQ = g[k,c,l,d] * t[l,d] * t[k,c]\n",
     {"#1[", "t[i,a] = u[i,a]", "#2["}},
    {{4, 1, 4, 20600},
     TENSORS
     "E = g[k,c,l,d] * t[l,d] * u[k,c]\nt[i,a] = u[i,a]\nQ = g[k,c,l,d] * t[l,d] * u[k,c]\n",
     {"#1[l,d] = g[k,c,l,d] * u[k,c]", "E = #1[l,d] * t[l,d]", "Q = #1[l,d] * t[l,d]"}},
    /* A permuted product is copied, unless it costs less than a copy. */
    {{3, 1, 2, 502500},
     ORBITALS "tensor A[i,j,a,b]\ntensor B[i,j,a,b]\ntensor C[i,j,k,l]\n"
              "C[i,j,k,l] = A[i,j,a,b] * B[k,l,a,b] + A[j,i,c,d] * B[k,l,c,d]\n",
     {"#1[i,j,k,l] = A[i,j,a,b] * B[k,l,a,b]", "C[i,j,k,l] = #1[i,j,k,l]",
      "C[i,j,k,l] += #1[j,i,k,l]"}},
    {{2, 0, 1, 40000},
     ORBITALS "tensor t[i,a]\ntensor D[i,j,a,b]\nD[i,j,a,b] = t[i,a] * t[j,b] + t[i,b] * t[j,a]\n",
     {"D[i,j,a,b] = t[i,a] * t[j,b]", "D[i,j,a,b] += t[i,b] * t[j,a]"}},
    /* A sum over an index of one factor comes first. */
    {{2, 1, 2, 2 * 5 * 5 + 2 * 5 * 5 * 20},
     ORBITALS "tensor A[i,j,a]\ntensor B[j,k,k]\ntensor C[i,a]\nC[i,a] = A[i,j,a] * B[j,k,k]\n",
     {"#1[j] = B[j,k,k]", "C[i,a] = "}},
    /* C and D, then E and F; the terms of E meet although F is written between them. */
    {{5, 0, 2, 8200},
     MATRICES "C[i,j] = A[i,k] * B[k,j]\nD[i,j] = A[k,i] * B[k,j]\nE[i,j] = C[i,k] * B[k,j]\n"
              "F[i,j] = C[i,k] * D[k,j]\nE[i,j] += D[j,i]\n",
     {"stage 1", "D[i,j] = ", "stage 2", "E[i,j] = ", "E[i,j] += ", "F[i,j] = "}},
    /* A tensor that a stage reads must not be written in it. */
    {{3, 0, 3, 2400},
     MATRICES "C[i,j] = A[i,k] * B[k,j]\nA[i,j] = B[j,i]\nC[i,j] = A[i,j]\n",
     {"stage 2", "A[i,j] = ", "stage 3"}},
    /* Products of tensors that iterations leave are computed before: of the last statement; the other
     * products are cheapest from the right. */
    {{8, 3, 4, 100600},
     ORBITALS "tensor g[k,c,l,d]\ntensor h[k,c,l,d]\ntensor t[i,a]\ntensor r[i,a]\nscalar E\n"
              "iterate t from r, energy E\nE = t[i,a] * t[i,a]\n"
              "r[i,a] = g[i,a,k,c] * h[k,c,l,d] * t[l,d] + t[i,a]\n"
              "r[i,a] += g[i,a,k,c] * h[k,c,j,b] * h[j,b,l,d] * t[l,d]\n"
              "r[i,a] -= g[k,c,l,d] * h[l,d,k,c] * t[i,a]\n",
     {"g[k,c,l,d] * h[l,d,k,c]", "in every iteration:", "E = t[i,a] * t[i,a]"}},
};

TEST(known_plans_are_found)
{
    for (size_t k = 0; k < sizeof known_plans / sizeof known_plans[0]; k++) {
        const struct known_plan *known = &known_plans[k];
        struct plan_case made;
        char *text;
        size_t size;
        FILE *stream = open_memstream(&text, &size);
        assert_non_null(stream);
        plan_case_init(&made, known->text, PLAN_PAIRS_AUTO);
        check_ok(plan_print(made.plan, PLAN_PASS_ALL, stream));
        fclose(stream);
        const char *from = text;
        for (int p = 0; p < 6 && known->pieces[p]; p++) {
            from = strstr(from, known->pieces[p]);
            if (!from)
                fail_msg("no '%s' in its place in\n%s%s", known->pieces[p], known->text, text);
        }
        const double numbers[] = {made.plan->n_steps,
                                  made.plan->n_tensors - made.plan->n_program_tensors,
                                  made.plan->n_stages, plan_case_flops(made.plan)};
        for (int i = 0; i < 4; i++)
            check_close(numbers[i], known->numbers[i], 0);
        free(text);
        plan_case_fini(&made);
    }
}

/* As many statements as are possible; half of them replace what others read. How the time grows is
 * for a profile to tell, but the square of their number would make this the slowest test. */
TEST(many_statements_are_planned)
{
    enum { N = 100000 };
    static const char declarations[] = "space s = 2\nindex i, j : s\ntensor A[i,j]\n"
                                       "tensor C[i,j]\ntensor D[i,j]\n";
    static const char *const lines[] = {"C[i,j] += A[j,i]\n", "D[i,j] = C[j,i]\n"};
    size_t length = strlen(lines[0]) + 1;
    char *text = malloc(sizeof declarations + N * length), *end = text + sizeof declarations - 1;
    assert_non_null(text);
    strcpy(text, declarations);
    for (size_t s = 0; s < N; s++)
        end = stpcpy(end, lines[s % 2]);
    struct plan_case made = {0};
    check_ok(program_parse(text, strlen(text), "case.tce", &made.program));
    plan_case_spaces(&made, 1, 1);
    check_ok(plan_case_plan(&made, PLAN_PAIRS_AUTO));
    assert_int_equal(made.plan->n_steps, N);
    plan_case_fini(&made);
    free(text);
}

struct tree_search {
    int n_indices;
    double size[12];
    double best;
};

/* Multiplies two parts at a time in every order; a part is the factors in it, has the sets
 * of factors that an index occurs in; index 0 is the target's. */
static void try_orders(struct tree_search *search, int n, const unsigned part[],
                       const unsigned has[], double total)
{
    if (n == 1 && total < search->best)
        search->best = total;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double flops = 2;
            for (int x = 0; x < search->n_indices; x++) {
                bool in_i = (has[x] & part[i]) && ((has[x] & ~part[i]) || x == 0);
                bool in_j = (has[x] & part[j]) && ((has[x] & ~part[j]) || x == 0);
                flops *= in_i || in_j ? search->size[x] : 1;
            }
            unsigned joined[6];
            for (int k = 0; k < n; k++)
                joined[k] = k == i ? part[i] | part[j] : part[k];
            joined[j] = joined[n - 1];
            try_orders(search, n - 1, joined, has, total + flops);
        }
}

/* Writes a product of six tensors with three random indices, the last also with the target's. */
static void make_network(struct random_stream *random, struct tree_search *search, FILE *text,
                         unsigned has[])
{
    char product[400] = "T[i0] =", factor[40];
    for (int x = 0; x < search->n_indices; x++) {
        search->size[x] = (double)(1 + random_below(random, 30));
        fprintf(text, "space s%d = %.0f\nindex i%d : s%d\n", x, search->size[x], x, x);
        has[x] = 0;
    }
    for (int f = 0; f < 6; f++) {
        int x[3];
        for (int d = 0; d < 3; d++) {
            x[d] = f == 5 && d == 0 ? 0 : (int)random_below(random, (uint64_t)search->n_indices);
            has[x[d]] |= 1U << f;
        }
        snprintf(factor, sizeof factor, "%c[i%d,i%d,i%d]", 'A' + f, x[0], x[1], x[2]);
        fprintf(text, "tensor %s\n", factor);
        strcat(strcat(product, f > 0 ? " * " : " "), factor);
    }
    fprintf(text, "tensor T[i0]\n%s\n", product);
}

TEST(six_factors_are_multiplied_in_the_best_order)
{
    for (int c = 0; c < 60; c++) {
        struct random_stream random;
        struct tree_search search = {.n_indices = 8, .best = INFINITY};
        struct plan_case made;
        const unsigned part[6] = {1, 2, 4, 8, 16, 32};
        unsigned has[12];
        char text[2000];
        FILE *stream = fmemopen(text, sizeof text, "w");
        random_stream_init(&random, 3, (uint64_t)c);
        make_network(&random, &search, stream, has);
        fclose(stream);
        plan_case_init(&made, text, PLAN_PAIRS_AUTO);
        try_orders(&search, 6, part, has, 0);
        check_close(plan_case_product_flops(made.plan), search.best, 1e-9 * search.best);
        plan_case_fini(&made);
    }
}

TEST(files_have_plans)
{
    assert_true(check_argc > 1);
    for (int f = 1; f < check_argc; f++) {
        struct text_file text;
        struct plan_case made;
        check_ok(text_file_read(check_argv[f], &text));
        plan_case_init(&made, text.bytes, PLAN_PAIRS_AUTO);
        double naive = 0;
        for (int s = 0; s < made.program.n_statements; s++)
            naive += made.plan->naive_flops[s];
        assert_true(made.plan->n_steps > 0 && plan_case_flops(made.plan) <= naive);
        plan_case_fini(&made);
        text_file_fini(&text);
    }
}
