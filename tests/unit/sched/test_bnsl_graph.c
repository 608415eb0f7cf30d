/* SPDX-License-Identifier: BSD-3-Clause */
/* Equivalent networks agree with the definition: equal adjacent pairs and equal pairs of
 * non-adjacent parents (Verma, Pearl 1990). */
#include "tests/cases/bnsl_graphs.h"

static struct bnsl_graph dags[BNSL_N_DAGS];

static bool joined(const struct bnsl_graph *graph, int a, int b)
{
    return bnsl_graph_has(graph, a, b) || bnsl_graph_has(graph, b, a);
}

static bool is_collider(const struct bnsl_graph *graph, int a, int b, int c)
{
    return bnsl_graph_has(graph, a, c) && bnsl_graph_has(graph, b, c) && !joined(graph, a, b);
}

static bool equivalent(const struct bnsl_graph *first, const struct bnsl_graph *second)
{
    for (int a = 0; a < BNSL_N; a++)
        for (int b = 0; b < a; b++) {
            if (joined(first, a, b) != joined(second, a, b))
                return false;
            for (int c = 0; c < BNSL_N; c++)
                if (c != a && c != b && is_collider(first, a, b, c) != is_collider(second, a, b, c))
                    return false;
        }
    return true;
}

/* An edge keeps its direction if it has the same in all equivalent graphs: the union of these. */
TEST(equivalence_classes_follow_the_definition)
{
    int n_classes = 0;
    bnsl_all_dags(dags);
    for (int i = 0; i < BNSL_N_DAGS; i++) {
        struct bnsl_graph completed, expected;
        bool first = true;
        check_ok(bnsl_graph_init(&expected, BNSL_N));
        for (int k = 0; k < BNSL_N_DAGS; k++) {
            if (!equivalent(&dags[i], &dags[k]))
                continue;
            first &= k >= i;
            for (int e = 0; e < BNSL_N * BNSL_N; e++)
                expected.edge[e] |= dags[k].edge[e];
        }
        check_ok(bnsl_graph_complete(&dags[i], &completed));
        assert_memory_equal(completed.edge, expected.edge,
                            BNSL_N * BNSL_N * sizeof *completed.edge);
        n_classes += first;
        bnsl_graph_fini(&completed);
        bnsl_graph_fini(&expected);
    }
    assert_int_equal(n_classes, 185); /* Gillispie, Perlman 2002, table 1 */
    bnsl_free_dags(dags);
}

TEST(difference_counts_missing_extra_and_reversed_edges)
{
    struct bnsl_graph first, second;
    check_ok(bnsl_graph_init(&first, BNSL_N));
    check_ok(bnsl_graph_init(&second, BNSL_N));
    bnsl_graph_set(&first, 0, 1, true);
    bnsl_graph_set(&first, 1, 2, true);
    bnsl_graph_set(&first, 2, 3, true);
    bnsl_graph_set(&second, 1, 2, true);
    bnsl_graph_set(&second, 2, 1, true);
    bnsl_graph_set(&second, 2, 3, true);
    bnsl_graph_set(&second, 3, 0, true);
    bnsl_graph_set(&second, 3, 1, true);
    struct bnsl_difference difference = bnsl_graph_compare(&first, &second);
    assert_int_equal(difference.missing, 1);
    assert_int_equal(difference.extra, 2);
    assert_int_equal(difference.reversed, 1);
    bnsl_graph_fini(&first);
    bnsl_graph_fini(&second);
}
