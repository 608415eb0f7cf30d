/* SPDX-License-Identifier: BSD-3-Clause */
/* Networks of four variables, of which all are known: their classes follow the definition, pruning drops
 * only useless parent sets, and the search finds the best network. */
#include "sched/lab/workloads/bnsl.h"
#include "support/base/random.h"
#include "tests/check.h"

#include <string.h>

enum { N = 4, N_SETS = 1 << (N - 1), N_DAGS = 543 /* Robinson 1973 */ };

static struct bnsl_graph dags[N_DAGS];

/* The graphs whose pairs (a, b) of variables, in order, have the digits of a number to base 3:
 * 0 not joined, 1 a -> b, 2 b -> a; of them the acyclic ones. */
static void make_dags(void)
{
    int n = 0;
    for (int number = 0; number < 729; number++) {
        struct bnsl_graph graph;
        int digits = number;
        check_ok(bnsl_graph_init(&graph, N));
        for (int a = 0; a < N; a++)
            for (int b = a + 1; b < N; b++, digits /= 3) {
                bnsl_graph_set(&graph, a, b, digits % 3 == 1);
                bnsl_graph_set(&graph, b, a, digits % 3 == 2);
            }
        if (!bnsl_graph_is_acyclic(&graph)) {
            bnsl_graph_fini(&graph);
            continue;
        }
        assert_true(n < N_DAGS);
        dags[n++] = graph;
    }
    assert_int_equal(n, N_DAGS);
}

static void free_dags(void)
{
    for (int i = 0; i < N_DAGS; i++)
        bnsl_graph_fini(&dags[i]);
}

/* --- graphs --- */

static bool joined(const struct bnsl_graph *graph, int a, int b)
{
    return bnsl_graph_has(graph, a, b) || bnsl_graph_has(graph, b, a);
}

static bool is_collider(const struct bnsl_graph *graph, int a, int b, int c)
{
    return bnsl_graph_has(graph, a, c) && bnsl_graph_has(graph, b, c) && !joined(graph, a, b);
}

/* Equal adjacent pairs and equal pairs of non-adjacent parents (Verma, Pearl 1990). */
static bool equivalent(const struct bnsl_graph *first, const struct bnsl_graph *second)
{
    for (int a = 0; a < N; a++)
        for (int b = 0; b < a; b++) {
            if (joined(first, a, b) != joined(second, a, b))
                return false;
            for (int c = 0; c < N; c++)
                if (c != a && c != b && is_collider(first, a, b, c) != is_collider(second, a, b, c))
                    return false;
        }
    return true;
}

/* An edge keeps its direction if it has the same in all equivalent graphs: the union of these. */
TEST(equivalence_classes_follow_the_definition)
{
    int n_classes = 0;
    for (int i = 0; i < N_DAGS; i++) {
        struct bnsl_graph completed;
        bool expected[N * N] = {false}, first = true;
        for (int k = 0; k < N_DAGS; k++) {
            if (!equivalent(&dags[i], &dags[k]))
                continue;
            first &= k >= i;
            for (int e = 0; e < N * N; e++)
                expected[e] |= dags[k].edge[e];
        }
        check_ok(bnsl_graph_complete(&dags[i], &completed));
        assert_memory_equal(completed.edge, expected, sizeof expected);
        n_classes += first;
        bnsl_graph_fini(&completed);
    }
    assert_int_equal(n_classes, 185); /* Gillispie, Perlman 2002, table 1 */
}

TEST(difference_counts_missing_extra_and_reversed_edges)
{
    static const int edges[][3] = {{0, 0, 1}, {0, 1, 2}, {0, 2, 3}, {1, 1, 2},
                                   {1, 2, 1}, {1, 2, 3}, {1, 3, 0}, {1, 3, 1}};
    struct bnsl_graph graphs[2];
    for (int i = 0; i < 2; i++)
        check_ok(bnsl_graph_init(&graphs[i], N));
    for (int e = 0; e < 8; e++)
        bnsl_graph_set(&graphs[edges[e][0]], edges[e][1], edges[e][2], true);
    struct bnsl_difference difference = bnsl_graph_compare(&graphs[0], &graphs[1]);
    assert_int_equal(difference.missing, 1);
    assert_int_equal(difference.extra, 2);
    assert_int_equal(difference.reversed, 1);
    for (int i = 0; i < 2; i++)
        bnsl_graph_fini(&graphs[i]);
}

/* --- the search --- */

/* Candidates: all others. scores: [variable][bits of its candidates] */
struct scores {
    struct bnsl_candidates candidates;
    double of[N][N_SETS];
};

/* Of every other seed with many equal scores. */
static void draw_scores(struct scores *scores, uint64_t seed)
{
    struct random_stream random;
    random_stream_init(&random, seed, 0);
    scores->candidates.n_variables = N;
    for (int i = 0; i < N; i++) {
        scores->candidates.n[i] = N - 1;
        for (int k = 0; k < N - 1; k++)
            scores->candidates.list[i][k] = (i + 1 + k) % N;
        for (int set = 0; set < N_SETS; set++)
            scores->of[i][set] =
                seed % 2 == 0 ? -(double)random_below(&random, 5) : -10 * random_unit(&random);
    }
}

static struct bnsl_families collect(struct scores *scores, int dimension)
{
    struct bnsl_families families = {0};
    bnsl_candidates_cut(&scores->candidates, dimension);
    for (int64_t task = 0; task < bnsl_n_tasks(&scores->candidates); task++) {
        struct bnsl_cube cube = bnsl_cube_of(&scores->candidates, task);
        double of_cube[N_SETS];
        for (uint32_t set = 0; set < UINT32_C(1) << cube.n_free; set++)
            of_cube[set] = scores->of[cube.variable][bnsl_cube_parents(&cube, set)];
        check_ok(bnsl_families_add_cube(&families, &cube, scores->of[cube.variable][0], of_cube));
    }
    bnsl_families_prune(&families);
    return families;
}

static bool is_useful(const double *scores, int set)
{
    for (int subset = 0; subset < set; subset++)
        if ((subset & ~set) == 0 && scores[subset] >= scores[set])
            return false;
    return true;
}

/* All useful sets and no others are left. */
static void check_pruned(const struct scores *scores, const struct bnsl_families *families)
{
    int64_t n_useful = 0;
    for (int i = 0; i < N * N_SETS; i++)
        n_useful += is_useful(scores->of[i / N_SETS], i % N_SETS);
    assert_int_equal(families->n, n_useful);
    for (int64_t i = 0; i < families->n; i++) {
        const struct bnsl_family *family = &families->list[i];
        assert_true(is_useful(scores->of[family->variable], (int)family->parents));
        assert_true(family->score == scores->of[family->variable][family->parents]);
        assert_true(i == 0 || family[-1].variable != family->variable ||
                    family[-1].score >= family->score);
    }
}

static double score_of(const struct scores *scores, const struct bnsl_graph *graph)
{
    double sum = 0;
    for (int i = 0; i < N; i++) {
        int set = 0;
        for (int k = 0; k < N - 1; k++)
            set |= bnsl_graph_has(graph, scores->candidates.list[i][k], i) << k;
        sum += scores->of[i][set];
    }
    return sum;
}

TEST(the_best_of_all_networks_is_found_again)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct scores scores;
        struct bnsl_graph found[2];
        double best = -1e9, score[2];
        draw_scores(&scores, seed);
        for (int i = 0; i < N_DAGS; i++)
            best = fmax(best, score_of(&scores, &dags[i]));
        struct bnsl_families families = collect(&scores, (int)(seed / 2 % (N + 1)));
        check_pruned(&scores, &families);
        for (int i = 0; i < 2; i++)
            check_ok(bnsl_search(&scores.candidates, &families, 50, seed, &found[i], &score[i]));
        check_close(score[0], best, 1e-6);
        check_close(score_of(&scores, &found[0]), score[0], 1e-12);
        assert_true(bnsl_graph_is_acyclic(&found[0]));
        assert_true(score[0] == score[1]);
        assert_memory_equal(found[0].edge, found[1].edge, N * N * sizeof *found[0].edge);
        for (int i = 0; i < 2; i++)
            bnsl_graph_fini(&found[i]);
        free(families.list);
    }
}

TEST_SETUP(make_dags)

TEST_TEARDOWN(free_dags)
