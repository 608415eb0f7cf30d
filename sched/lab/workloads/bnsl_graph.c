/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/workloads/bnsl.h"

#include "support/io/text_file.h"

#include <stdlib.h>

enum status bnsl_graph_init(struct bnsl_graph *graph, int n)
{
    *graph = (struct bnsl_graph){.n = n};
    graph->edge = calloc((size_t)n * (size_t)n + 1, sizeof *graph->edge);
    return CHECK_MEMORY(graph->edge, "no memory for a graph of %d", n);
}

void bnsl_graph_fini(struct bnsl_graph *graph)
{
    free(graph->edge);
    *graph = (struct bnsl_graph){0};
}

/* Whether the variable has no parent, or one of them. */
static bool is_ready(const struct bnsl_graph *graph, const bool *done, int variable)
{
    for (int parent = 0; parent < graph->n; parent++)
        if (bnsl_graph_has(graph, parent, variable) && !done[parent])
            return false;
    return true;
}

/* Parents before their children: in a cycle none can be the next. */
bool bnsl_graph_is_acyclic(const struct bnsl_graph *graph)
{
    bool done[BNSL_MAX_VARIABLES] = {false}, found = true;
    int n_done = 0;
    while (found) {
        found = false;
        for (int i = 0; i < graph->n; i++)
            if (!done[i] && is_ready(graph, done, i)) {
                done[i] = found = true;
                n_done++;
            }
    }
    return n_done == graph->n;
}

/* --- equivalence class --- */

static bool is_directed(const struct bnsl_graph *graph, int from, int to)
{
    return bnsl_graph_has(graph, from, to) && !bnsl_graph_has(graph, to, from);
}

static bool is_undirected(const struct bnsl_graph *graph, int a, int b)
{
    return bnsl_graph_has(graph, a, b) && bnsl_graph_has(graph, b, a);
}

static bool are_joined(const struct bnsl_graph *graph, int a, int b)
{
    return bnsl_graph_has(graph, a, b) || bnsl_graph_has(graph, b, a);
}

/* Whether `to` has another parent, which is not joined with this one. */
static bool has_unjoined_parent(const struct bnsl_graph *network, int from, int to)
{
    for (int parent = 0; parent < network->n; parent++)
        if (parent != from && bnsl_graph_has(network, parent, to) &&
            !are_joined(network, parent, from))
            return true;
    return false;
}

/* The third of Meek's rules: a - c -> b and a - d -> b for a d that is not joined with c. */
static bool has_second_way(const struct bnsl_graph *graph, int a, int b, int c)
{
    for (int d = 0; d < graph->n; d++)
        if (d != c && is_undirected(graph, a, d) && is_directed(graph, d, b) &&
            !are_joined(graph, c, d))
            return true;
    return false;
}

/* Whether the undirected edge a - b is a -> b in all networks of the class. */
static bool is_compelled(const struct bnsl_graph *graph, int a, int b)
{
    for (int c = 0; c < graph->n; c++) {
        if (is_directed(graph, c, a) && !are_joined(graph, c, b))
            return true;
        if (is_directed(graph, c, b) &&
            (is_directed(graph, a, c) ||
             (is_undirected(graph, a, c) && has_second_way(graph, a, b, c))))
            return true;
    }
    return false;
}

/* Whether an edge was directed. */
static bool direct_compelled_edges(struct bnsl_graph *graph)
{
    bool found = false;
    for (int a = 0; a < graph->n; a++)
        for (int b = 0; b < graph->n; b++)
            if (is_undirected(graph, a, b) && is_compelled(graph, a, b)) {
                bnsl_graph_set(graph, b, a, false);
                found = true;
            }
    return found;
}

enum status bnsl_graph_complete(const struct bnsl_graph *network, struct bnsl_graph *completed)
{
    TRY(bnsl_graph_init(completed, network->n));
    for (int from = 0; from < network->n; from++)
        for (int to = 0; to < network->n; to++)
            if (bnsl_graph_has(network, from, to)) {
                bnsl_graph_set(completed, from, to, true);
                bnsl_graph_set(completed, to, from, !has_unjoined_parent(network, from, to));
            }
    while (direct_compelled_edges(completed)) {
    }
    return STATUS_OK;
}

/* --- comparison --- */

struct bnsl_difference bnsl_graph_compare(const struct bnsl_graph *first,
                                          const struct bnsl_graph *second)
{
    struct bnsl_difference difference = {0};
    for (int a = 0; a < first->n; a++)
        for (int b = a + 1; b < first->n; b++) {
            bool joined = are_joined(first, a, b), other = are_joined(second, a, b);
            difference.missing += joined && !other;
            difference.extra += !joined && other;
            difference.reversed += joined && other &&
                                   (bnsl_graph_has(first, a, b) != bnsl_graph_has(second, a, b) ||
                                    bnsl_graph_has(first, b, a) != bnsl_graph_has(second, b, a));
        }
    return difference;
}

/* --- file --- */

static enum status add_edge(const struct line_reader *lines, const struct bnsl_data *data,
                            struct bnsl_graph *graph)
{
    struct word pair[2];
    int ends[2];
    if (!split_fields(lines->all, 2, pair))
        return line_reader_fail(lines, "an edge is a parent, a comma and a child");
    for (int i = 0; i < 2; i++) {
        ends[i] = bnsl_data_find(data, pair[i]);
        if (ends[i] < 0)
            return line_reader_fail(lines, "'%s' is not a variable of the data",
                                    word_show(pair[i]).text);
    }
    if (ends[0] == ends[1] || bnsl_graph_has(graph, ends[0], ends[1]) ||
        bnsl_graph_has(graph, ends[1], ends[0]))
        return line_reader_fail(lines, "'%s' and '%s' cannot be joined again", data->names[ends[0]],
                                data->names[ends[1]]);
    bnsl_graph_set(graph, ends[0], ends[1], true);
    return STATUS_OK;
}

enum status bnsl_network_parse(const char *text, size_t length, const char *path,
                               const struct bnsl_data *data, struct bnsl_graph *graph)
{
    struct line_reader lines;
    line_reader_init(&lines, text, length, path, "");
    TRY(bnsl_graph_init(graph, data->n_variables));
    TRY(line_reader_take_head(&lines, "a network", "parent,child"));
    while (line_reader_next_filled(&lines))
        TRY(add_edge(&lines, data, graph));
    return bnsl_graph_is_acyclic(graph) ? STATUS_OK
                                        : FAIL(STATUS_INPUT, "%s: the edges make a cycle", path);
}
