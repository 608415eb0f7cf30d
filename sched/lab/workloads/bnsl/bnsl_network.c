/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/workloads/bnsl/bnsl_network.h"

#include "support/base/agree.h"
#include "support/io/line_reader.h"
#include "support/io/text_file.h"

#include <stdlib.h>

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
