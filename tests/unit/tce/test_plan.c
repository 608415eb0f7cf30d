/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans of programs whose best plan is known, orders of factors against all that there are, and plans of the
 * program files that are arguments. */
#include "support/base/random.h"
#include "support/io/text_file.h"
#include "tce/language/program.h"
#include "tests/cases/plan_case.h"

#include <math.h>
#include <stdio.h>

static int n_files;
static char **files;

static void init(const char *text, struct plan_case *made)
{
    *made = (struct plan_case){0};
    check_ok(program_parse(text, strlen(text), "case.tce", &made->program));
    plan_case_spaces(made, 5, 20);
    check_ok(plan_case_plan(made));
    plan_case_check_lifetimes(made->plan);
    plan_case_check_stages(made->plan);
}

/* Whether step s multiplies these tensors, in either order. */
static bool multiplies(const struct plan *plan, int s, const char *A, const char *B)
{
    const struct plan_step *step = &plan->steps[s];
    if (step->B.tensor < 0)
        return false;
    const char *a = plan->tensors[step->A.tensor].name, *b = plan->tensors[step->B.tensor].name;
    return (strcmp(a, A) == 0 && strcmp(b, B) == 0) || (strcmp(a, B) == 0 && strcmp(b, A) == 0);
}

static int count_products(const struct plan *plan)
{
    int n = 0;
    for (int s = 0; s < plan->n_steps; s++)
        n += plan->steps[s].B.tensor >= 0;
    return n;
}

#define CHAIN                                                                                      \
    "tensor A[i,j]\ntensor B[j,k]\ntensor C[k,l]\ntensor D[i,l]\n"                                 \
    "D[i,l] = A[i,j] * B[j,k] * C[k,l]\n"

TEST(chain_of_matrices_is_multiplied_in_the_cheaper_order)
{
    struct plan_case made;
    init("space a = 2\nspace b = 30\nspace c = 40\nspace d = 5\n"
         "index i : a\nindex j : b\nindex k : c\nindex l : d\n" CHAIN,
         &made);
    assert_int_equal(made.plan->n_steps, 2);
    assert_true(multiplies(made.plan, 0, "A", "B"));
    assert_true(multiplies(made.plan, 1, "#1", "C"));
    check_close(plan_case_flops(made.plan), 2 * (2 * 30 * 40 + 2 * 40 * 5), 0);
    check_close(made.plan->naive_flops[0], 3.0 * 2 * 30 * 40 * 5, 0);
    check_close(made.plan->peak_elements, 60 + 1200 + 200 + 10 + 80, 0);
    plan_case_fini(&made);
    init("space a = 50\nspace b = 30\nspace c = 40\nspace d = 3\n"
         "index i : a\nindex j : b\nindex k : c\nindex l : d\n" CHAIN,
         &made);
    assert_true(multiplies(made.plan, 0, "B", "C"));
    assert_true(multiplies(made.plan, 1, "#1", "A"));
    check_close(plan_case_flops(made.plan), 2 * (30 * 40 * 3 + 50 * 30 * 3), 0);
    plan_case_fini(&made);
}

#define ORBITALS                                                                                   \
    "space o = occupied\nspace v = virtual\nindex i, j, k, l : o\nindex a, b, c, d : v\n"

#define COUPLED_CLUSTER                                                                            \
    ORBITALS "tensor g[k,d,a,c]\ntensor tau[i,j,c,d]\ntensor t[k,b]\ntensor s[i,j,a,b]\n"          \
             "s[i,j,a,b] = - g[k,d,a,c] * tau[i,j,c,d] * t[k,b]\n"

TEST(term_of_coupled_cluster_contracts_the_large_tensors_first)
{
    struct plan_case made;
    init(COUPLED_CLUSTER, &made);
    const double o = 5, v = 20;
    assert_int_equal(made.plan->n_steps, 2);
    assert_true(multiplies(made.plan, 0, "g", "tau"));
    assert_true(multiplies(made.plan, 1, "#1", "t"));
    check_close(made.plan->steps[0].flops, 2 * o * o * o * v * v * v, 0);
    check_close(made.plan->steps[1].flops, 2 * o * o * o * v * v, 0);
    check_close(made.plan->steps[0].factor, 1, 0);
    check_close(made.plan->steps[1].factor, -1, 0);
    plan_case_fini(&made);
}

/* Labels halve what there is in every tensor, and the multiplications twice. */
TEST(operations_are_those_of_blocks_that_exist)
{
    struct plan_case made;
    init("space s = 4 irrep 0, 4 irrep 1\nindex i, j, k : s\n"
         "tensor A[i,k]\ntensor B[k,j] irrep 1\ntensor C[i,j] irrep 1\n"
         "C[i,j] = A[i,k] * B[k,j]\n",
         &made);
    check_close(plan_case_flops(made.plan), 2 * 8 * 8 * 8 / 4, 0);
    plan_case_fini(&made);
}

#define TENSORS                                                                                    \
    ORBITALS "tensor g[k,c,l,d]\ntensor t[i,a]\ntensor u[i,a]\ntensor X[i,a,j,b]\n"                \
             "tensor Y[j,b,i,a]\ntensor F[i,a]\ntensor G[i,a]\nscalar E\nscalar Q\n"

TEST(same_products_are_computed_once)
{
    struct plan_case made;
    /* One F[k,c] = g t for three terms with other names, in another order. */
    init(TENSORS "F[i,a] = g[i,a,k,c] * t[k,c]\n"
                 "E = g[k,c,l,d] * t[l,d] * u[k,c]\n"
                 "Q = t[j,b] * g[i,a,j,b] * t[i,a]\n",
         &made);
    assert_int_equal(made.plan->n_steps, 4);
    assert_int_equal(count_products(made.plan), 3);
    assert_true(multiplies(made.plan, 0, "g", "t"));
    assert_int_equal(made.plan->steps[1].A.tensor, made.plan->n_program_tensors);
    assert_true(multiplies(made.plan, 2, "#1", "u"));
    assert_true(multiplies(made.plan, 3, "#1", "t"));
    assert_int_equal(made.plan->steps[3].n_destroy, 1);
    plan_case_fini(&made);
    /* Not the same: the other index pair of g is summed. */
    init(TENSORS "F[i,a] = g[i,a,k,c] * t[k,c]\nG[i,a] = g[k,c,i,a] * t[k,c]\n", &made);
    assert_int_equal(count_products(made.plan), 2);
    assert_int_equal(made.plan->n_tensors, made.plan->n_program_tensors);
    plan_case_fini(&made);
}

TEST(changed_tensors_are_not_shared)
{
    struct plan_case made;
    init(TENSORS "E = g[k,c,l,d] * t[l,d] * t[k,c]\n"
                 "t[i,a] = u[i,a]\n"
                 "Q = g[k,c,l,d] * t[l,d] * t[k,c]\n",
         &made);
    assert_int_equal(made.plan->n_steps, 5);
    assert_int_equal(made.plan->n_tensors, made.plan->n_program_tensors + 2);
    plan_case_fini(&made);
    /* Products of unchanged tensors still are. */
    init(TENSORS "E = g[k,c,l,d] * t[l,d] * u[k,c]\n"
                 "t[i,a] = u[i,a]\n"
                 "Q = g[k,c,l,d] * t[l,d] * u[k,c]\n",
         &made);
    assert_int_equal(made.plan->n_steps, 4);
    assert_true(multiplies(made.plan, 0, "g", "u"));
    plan_case_fini(&made);
}

TEST(permuted_products_are_copied)
{
    struct plan_case made;
    init(ORBITALS "tensor A[i,j,a,b]\ntensor B[i,j,a,b]\ntensor C[i,j,k,l]\n"
                  "C[i,j,k,l] = A[i,j,a,b] * B[k,l,a,b] + A[j,i,c,d] * B[k,l,c,d]\n",
         &made);
    assert_int_equal(made.plan->n_steps, 3);
    assert_int_equal(count_products(made.plan), 1);
    assert_false(made.plan->steps[1].add);
    assert_true(made.plan->steps[2].add);
    const struct plan_step *copy = &made.plan->steps[2];
    assert_int_equal(copy->C.index[0], copy->A.index[1]);
    assert_int_equal(copy->C.index[1], copy->A.index[0]);
    plan_case_fini(&made);
    /* An outer product costs less than a copy of it. */
    init(ORBITALS "tensor t[i,a]\ntensor D[i,j,a,b]\n"
                  "D[i,j,a,b] = t[i,a] * t[j,b] + t[i,b] * t[j,a]\n",
         &made);
    assert_int_equal(count_products(made.plan), 2);
    plan_case_fini(&made);
}

TEST(sums_over_an_index_of_one_factor_come_first)
{
    struct plan_case made;
    init(ORBITALS "tensor A[i,j,a]\ntensor B[j,k,k]\ntensor C[i,a]\n"
                  "C[i,a] = A[i,j,a] * B[j,k,k]\n",
         &made);
    assert_int_equal(made.plan->n_steps, 2);
    assert_int_equal(made.plan->steps[0].B.tensor, -1);
    assert_int_equal(made.plan->tensors[made.plan->n_program_tensors].labels.rank, 1);
    check_close(plan_case_flops(made.plan), 2 * 5 * 5 + 2 * 5 * 5 * 20, 0);
    plan_case_fini(&made);
}

#define ITERATED                                                                                   \
    ORBITALS "tensor g[k,c,l,d]\ntensor h[k,c,l,d]\ntensor t[i,a]\ntensor r[i,a]\nscalar E\n"      \
             "iterate t from r, energy E\n"                                                        \
             "E = t[i,a] * t[i,a]\n"                                                               \
             "r[i,a] = g[i,a,k,c] * h[k,c,l,d] * t[l,d] + t[i,a]\n"                                \
             "r[i,a] += g[i,a,k,c] * h[k,c,j,b] * h[j,b,l,d] * t[l,d]\n"                           \
             "r[i,a] -= g[k,c,l,d] * h[l,d,k,c] * t[i,a]\n"

TEST(what_is_not_iterated_is_computed_before)
{
    struct plan_case made;
    init(ITERATED, &made);
    /* Only g * h of the last statement; the other products are cheapest from the right. */
    assert_int_equal(made.plan->first_iterated, 1);
    assert_int_equal(made.plan->tensors[made.plan->steps[0].create].last_step, made.plan->n_steps);
    plan_case_check_lifetimes(made.plan);
    plan_case_fini(&made);
}

TEST(independent_statements_share_a_stage)
{
    struct plan_case made;
    /* C and D, then E and F; the terms of E meet although F is written between them. */
    init("space s = 10\nindex i, j, k : s\ntensor A[i,j]\ntensor B[i,j]\ntensor C[i,j]\n"
         "tensor D[i,j]\ntensor E[i,j]\ntensor F[i,j]\n"
         "C[i,j] = A[i,k] * B[k,j]\nD[i,j] = A[k,i] * B[k,j]\nE[i,j] = C[i,k] * B[k,j]\n"
         "F[i,j] = C[i,k] * D[k,j]\nE[i,j] += D[j,i]\n",
         &made);
    assert_int_equal(made.plan->n_stages, 2);
    assert_int_equal(made.plan->stage_begin[1], 2);
    assert_true(made.plan->steps[3].joins);
    plan_case_fini(&made);
    /* A tensor that a stage reads must not be written in it. */
    init("space s = 10\nindex i, j, k : s\ntensor A[i,j]\ntensor B[i,j]\ntensor C[i,j]\n"
         "C[i,j] = A[i,k] * B[k,j]\nA[i,j] = B[j,i]\nC[i,j] = A[i,j]\n",
         &made);
    assert_int_equal(made.plan->n_stages, 3);
    plan_case_fini(&made);
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
    check_ok(plan_case_plan(&made));
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

/* Six tensors with random pairs of indices, the last also with the target's. */
static void make_network(struct random_stream *random, struct tree_search *search, char *text,
                         unsigned has[])
{
    static const char *const tensors[] = {"A", "B", "C", "D", "E", "F"};
    char declared[400] = "", product[400] = "T[i0] =";
    text[0] = '\0';
    for (int x = 0; x < search->n_indices; x++) {
        search->size[x] = (double)(1 + random_below(random, 30));
        sprintf(text + strlen(text), "space s%d = %.0f\nindex i%d : s%d\n", x, search->size[x], x,
                x);
        has[x] = 0;
    }
    for (int f = 0; f < 6; f++) {
        sprintf(declared + strlen(declared), "tensor %s[", tensors[f]);
        sprintf(product + strlen(product), "%s%s[", f > 0 ? " * " : " ", tensors[f]);
        for (int d = 0; d < 3; d++) {
            int x = f == 5 && d == 0 ? 0 : (int)random_below(random, (uint64_t)search->n_indices);
            has[x] |= 1U << f;
            sprintf(declared + strlen(declared), "%si%d", d > 0 ? "," : "", x);
            sprintf(product + strlen(product), "%si%d", d > 0 ? "," : "", x);
        }
        strcat(declared, "]\n");
        strcat(product, "]");
    }
    sprintf(text + strlen(text), "%stensor T[i0]\n%s\n", declared, product);
}

/* Operations of the sums over an index that only one factor has, which come first. */
static double flops_of_sums(const struct plan *plan)
{
    double flops = 0;
    for (int s = 0; s < plan->n_steps; s++)
        flops += plan->steps[s].B.tensor < 0 ? plan->steps[s].flops : 0;
    return flops;
}

TEST(six_factors_are_multiplied_in_the_best_order)
{
    for (int c = 0; c < 60; c++) {
        struct random_stream random;
        struct tree_search search = {.n_indices = 8, .best = INFINITY};
        struct plan_case made = {0};
        const unsigned part[6] = {1, 2, 4, 8, 16, 32};
        unsigned has[12];
        char text[2000];
        random_stream_init(&random, 3, (uint64_t)c);
        make_network(&random, &search, text, has);
        check_ok(program_parse(text, strlen(text), "network", &made.program));
        plan_case_spaces(&made, 1, 1);
        check_ok(plan_case_plan(&made));
        try_orders(&search, 6, part, has, 0);
        check_close(plan_case_flops(made.plan) - flops_of_sums(made.plan), search.best,
                    1e-9 * search.best);
        plan_case_fini(&made);
    }
}

TEST(too_many_indices_are_an_error_that_names_the_statement)
{
    struct plan_case made = {0};
    const char *text =
        "space s = 2\n"
        "index a1,a2,a3,a4,b1,b2,b3,b4,c1,c2,c3,c4,x1,x2,x3,x4,y1,y2,y3,y4,z1,z2,z3,z4 : s\n"
        "tensor A[a1,a2,a3,a4,x1,x2,x3,x4,y1,y2,y3,y4]\n"
        "tensor D[a1,a2,a3,a4,x1,x2,x3,x4,y1,y2,y3,y4]\n"
        "D[a1,a2,a3,a4,b1,b2,b3,b4,c1,c2,c3,c4] = A[a1,a2,a3,a4,x1,x2,x3,x4,y1,y2,y3,y4]"
        " * A[b1,b2,b3,b4,x1,x2,x3,x4,z1,z2,z3,z4] * A[c1,c2,c3,c4,z1,z2,z3,z4,y1,y2,y3,y4]\n";
    check_ok(program_parse(text, strlen(text), "case.tce", &made.program));
    plan_case_spaces(&made, 1, 1);
    check_status(STATUS_INPUT, plan_case_plan(&made));
    assert_non_null(strstr(status_text(), "case.tce:5:"));
    assert_non_null(strstr(status_text(), "D[a1,a2"));
    plan_case_fini(&made);
}

TEST(plan_is_printed)
{
    struct plan_case made;
    char line[1000];
    bool found_step = false, found_peak = false;
    init(COUPLED_CLUSTER, &made);
    FILE *stream = tmpfile();
    assert_non_null(stream);
    check_ok(plan_print(made.plan, PLAN_PASS_ALL, stream));
    rewind(stream);
    while (fgets(line, sizeof line, stream)) {
        found_step = found_step || strstr(line, "#1[k,a,i,j] = g[k,d,a,c] * tau[i,j,c,d]");
        found_peak = found_peak || strstr(line, "tensors at most");
    }
    assert_true(found_step && found_peak);
    fclose(stream);
    plan_case_fini(&made);
}

TEST(files_have_plans)
{
    for (int f = 0; f < n_files; f++) {
        struct text_file text;
        struct plan_case made;
        check_ok(text_file_read(files[f], &text));
        init(text.bytes, &made);
        double naive = 0;
        for (int s = 0; s < made.program.n_statements; s++)
            naive += made.plan->naive_flops[s];
        assert_true(made.plan->n_steps > 0 && plan_case_flops(made.plan) <= naive);
        plan_case_fini(&made);
        text_file_fini(&text);
    }
}

int main(int argc, char **argv)
{
    n_files = argc - 1;
    files = argv + 1;
    return check_run(argc, argv);
}
