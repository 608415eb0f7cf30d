/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/workloads/bnsl/bnsl_graph.h"

#include "support/base/agree.h"
#include "support/io/line_reader.h"
#include "support/io/text_file.h"

#include <stdlib.h>
#include <string.h>

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

/* --- order --- */

/* Whether a parent of the variable is among those in the list. */
static bool has_parent(const struct bnsl_graph *graph, int variable, const int *list, int n)
{
    for (int i = 0; i < n; i++)
        if (bnsl_graph_has(graph, list[i], variable))
            return true;
    return false;
}

/* Brings one of n variables without a parent among them to the front; false if there is none. */
static bool bring_forward(const struct bnsl_graph *graph, int *list, int n)
{
    for (int i = 0; i < n; i++)
        if (!has_parent(graph, list[i], list, n)) {
            int first = list[0];
            list[0] = list[i];
            list[i] = first;
            return true;
        }
    return false;
}

bool bnsl_graph_order(const struct bnsl_graph *graph, int *order)
{
    for (int i = 0; i < graph->n; i++)
        order[i] = i;
    for (int i = 0; i < graph->n; i++)
        if (!bring_forward(graph, order + i, graph->n - i))
            return false;
    return true;
}

/* --- equivalence class --- */

enum label { UNKNOWN, COMPELLED, REVERSIBLE };

struct labels {
    const struct bnsl_graph *graph;
    const int *order; /* parents first */
    char *label;      /* enum label of edge [from][to] */
};

static char *label_of(const struct labels *labels, int from, int to)
{
    return &labels->label[(size_t)from * (size_t)labels->graph->n + (size_t)to];
}

static void label_edges_into(const struct labels *labels, int to, enum label label)
{
    for (int from = 0; from < labels->graph->n; from++)
        if (bnsl_graph_has(labels->graph, from, to) && *label_of(labels, from, to) == UNKNOWN)
            *label_of(labels, from, to) = (char)label;
}

/* Whether `to` has a parent that is neither `from` nor a parent of it. */
static bool has_other_parent(const struct bnsl_graph *graph, int from, int to)
{
    for (int parent = 0; parent < graph->n; parent++)
        if (parent != from && bnsl_graph_has(graph, parent, to) &&
            !bnsl_graph_has(graph, parent, from))
            return true;
    return false;
}

/* An edge a -> from that is compelled compels a -> to, or all edges into `to` if there is none;
 * true in the second case. */
static bool pass_on(const struct labels *labels, int from, int to)
{
    for (int a = 0; a < labels->graph->n; a++) {
        if (!bnsl_graph_has(labels->graph, a, from) || *label_of(labels, a, from) != COMPELLED)
            continue;
        if (!bnsl_graph_has(labels->graph, a, to)) {
            label_edges_into(labels, to, COMPELLED);
            return true;
        }
        *label_of(labels, a, to) = COMPELLED;
    }
    return false;
}

static void label_edge(const struct labels *labels, int from, int to)
{
    if (pass_on(labels, from, to))
        return;
    label_edges_into(labels, to,
                     has_other_parent(labels->graph, from, to) ? COMPELLED : REVERSIBLE);
}

/* Edges by the places of their ends in the order: the ends ascending and, of one end, the
 * beginnings descending. */
static void label_all(const struct labels *labels)
{
    for (int i = 0; i < labels->graph->n; i++)
        for (int k = i - 1; k >= 0; k--) {
            int from = labels->order[k], to = labels->order[i];
            if (bnsl_graph_has(labels->graph, from, to) && *label_of(labels, from, to) == UNKNOWN)
                label_edge(labels, from, to);
        }
}

enum status bnsl_graph_complete(struct bnsl_graph *graph)
{
    size_t n = (size_t)graph->n;
    int *order = malloc((n + 1) * sizeof *order);
    char *label = calloc(n * n + 1, 1);
    enum status status = CHECK_MEMORY(order && label, "no memory for a graph of %d", graph->n);
    if (status != STATUS_OK)
        goto done;
    bnsl_graph_order(graph, order);
    label_all(&(struct labels){.graph = graph, .order = order, .label = label});
    for (int from = 0; from < graph->n; from++)
        for (int to = 0; to < graph->n; to++)
            if (label[(size_t)from * n + (size_t)to] == REVERSIBLE)
                bnsl_graph_set(graph, to, from, true);
done:
    free(order);
    free(label);
    return status;
}

/* --- comparison --- */

struct bnsl_difference bnsl_graph_compare(const struct bnsl_graph *first,
                                          const struct bnsl_graph *second)
{
    struct bnsl_difference difference = {0};
    for (int a = 0; a < first->n; a++)
        for (int b = a + 1; b < first->n; b++) {
            bool ab = bnsl_graph_has(first, a, b), ba = bnsl_graph_has(first, b, a);
            bool other_ab = bnsl_graph_has(second, a, b), other_ba = bnsl_graph_has(second, b, a);
            bool joined = ab || ba, other_joined = other_ab || other_ba;
            difference.missing += joined && !other_joined;
            difference.extra += !joined && other_joined;
            difference.reversed += joined && other_joined && (ab != other_ab || ba != other_ba);
        }
    return difference;
}

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

static enum status check_order(const char *path, const struct bnsl_graph *graph)
{
    int *order = malloc((size_t)graph->n * sizeof *order);
    TRY(CHECK_MEMORY(order, "%s: no memory for %d variables", path, graph->n));
    bool acyclic = bnsl_graph_order(graph, order);
    free(order);
    return acyclic ? STATUS_OK : FAIL(STATUS_INPUT, "%s: the edges make a cycle", path);
}

static enum status read_edges(struct line_reader *lines, const struct bnsl_data *data,
                              struct bnsl_graph *graph)
{
    TRY(line_reader_take_head(lines, "a network", "parent,child"));
    while (line_reader_next_filled(lines))
        TRY(add_edge(lines, data, graph));
    return check_order(lines->name, graph);
}

enum status bnsl_network_parse(const char *text, size_t length, const char *path,
                               const struct bnsl_data *data, struct bnsl_graph *graph)
{
    struct line_reader lines;
    line_reader_init(&lines, text, length, path, "");
    TRY(bnsl_graph_init(graph, data->n_variables));
    enum status status = read_edges(&lines, data, graph);
    if (status != STATUS_OK)
        bnsl_graph_fini(graph);
    return status;
}

enum status bnsl_network_read(MPI_Comm comm, const char *path, const struct bnsl_data *data,
                              struct bnsl_graph *graph)
{
    struct text_file file;
    *graph = (struct bnsl_graph){0};
    TRY(text_file_read_all(path, comm, &file));
    enum status status =
        status_agree(comm, bnsl_network_parse(file.bytes, file.length, path, data, graph));
    if (status != STATUS_OK)
        bnsl_graph_fini(graph);
    text_file_fini(&file);
    return status;
}
