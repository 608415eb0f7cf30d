/* SPDX-License-Identifier: BSD-3-Clause */
/* All directed acyclic graphs of a few variables. */
#pragma once

#include "sched/lab/workloads/bnsl.h"
#include "tests/check.h"

#include <string.h>

enum { BNSL_N = 4, BNSL_N_DAGS = 543 }; /* Robinson 1973 */

/* The graph whose pairs (a, b) of variables, in order, have the digits of a number to base 3:
 * 0 not joined, 1 a -> b, 2 b -> a. */
static inline void bnsl_graph_of_number(int number, struct bnsl_graph *graph)
{
    memset(graph->edge, 0, BNSL_N * BNSL_N * sizeof *graph->edge);
    for (int a = 0; a < BNSL_N; a++)
        for (int b = a + 1; b < BNSL_N; b++, number /= 3) {
            bnsl_graph_set(graph, a, b, number % 3 == 1);
            bnsl_graph_set(graph, b, a, number % 3 == 2);
        }
}

/* Makes dags all the acyclic graphs of BNSL_N variables. */
static inline void bnsl_all_dags(struct bnsl_graph dags[BNSL_N_DAGS])
{
    int n = 0;
    struct bnsl_graph graph;
    check_ok(bnsl_graph_init(&graph, BNSL_N));
    for (int number = 0; number < 729; number++) {
        bnsl_graph_of_number(number, &graph);
        if (!bnsl_graph_is_acyclic(&graph))
            continue;
        assert_true(n < BNSL_N_DAGS);
        check_ok(bnsl_graph_init(&dags[n], BNSL_N));
        bnsl_graph_of_number(number, &dags[n++]);
    }
    assert_int_equal(n, BNSL_N_DAGS);
    bnsl_graph_fini(&graph);
}

static inline void bnsl_free_dags(struct bnsl_graph dags[BNSL_N_DAGS])
{
    for (int i = 0; i < BNSL_N_DAGS; i++)
        bnsl_graph_fini(&dags[i]);
}
