#include "sched/workloads/bnsl/bnsl_network.h"

#include "sched/workloads/bnsl/bnsl_csv.h"
#include "support/base/agree.h"
#include "support/io/text_file.h"

#include <stdlib.h>
#include <string.h>

static bool word_is(struct bnsl_word word, const char *text)
{
    return bnsl_word_equal(word, (struct bnsl_word){text, strlen(text)});
}

/* A line of two fields; false if it has another number of them. */
static bool read_pair(struct bnsl_csv *csv, struct bnsl_word pair[2])
{
    struct bnsl_word more;
    return bnsl_csv_next_field(csv, &pair[0]) && bnsl_csv_next_field(csv, &pair[1]) &&
           !bnsl_csv_next_field(csv, &more);
}

static enum status add_edge(struct bnsl_csv *csv, const char *path, const struct bnsl_data *data,
                            struct bnsl_graph *graph)
{
    struct bnsl_word pair[2];
    int ends[2];
    if (!read_pair(csv, pair))
        return FAIL(STATUS_INPUT, "%s:%lld: an edge is a parent, a comma and a child", path,
                    (long long)csv->line);
    for (int i = 0; i < 2; i++) {
        ends[i] = bnsl_data_find(data, pair[i].text, pair[i].length);
        if (ends[i] < 0)
            return FAIL(STATUS_INPUT, "%s:%lld: '%.*s' is not a variable of the data", path,
                        (long long)csv->line, (int)pair[i].length, pair[i].text);
    }
    if (ends[0] == ends[1] || bnsl_graph_has(graph, ends[0], ends[1]) ||
        bnsl_graph_has(graph, ends[1], ends[0]))
        return FAIL(STATUS_INPUT, "%s:%lld: '%s' and '%s' cannot be joined again", path,
                    (long long)csv->line, data->names[ends[0]], data->names[ends[1]]);
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

static enum status read_edges(struct bnsl_csv *csv, const char *path, const struct bnsl_data *data,
                              struct bnsl_graph *graph)
{
    struct bnsl_word pair[2];
    if (!bnsl_csv_next_line(csv) || !read_pair(csv, pair) || !word_is(pair[0], "parent") ||
        !word_is(pair[1], "child"))
        return FAIL(STATUS_INPUT, "%s:1: a network begins with the line 'parent,child'", path);
    while (bnsl_csv_next_line(csv))
        TRY(add_edge(csv, path, data, graph));
    return check_order(path, graph);
}

enum status bnsl_network_parse(const char *text, size_t length, const char *path,
                               const struct bnsl_data *data, struct bnsl_graph *graph)
{
    struct bnsl_csv csv;
    bnsl_csv_init(&csv, text, length);
    TRY(bnsl_graph_init(graph, data->n_variables));
    enum status status = read_edges(&csv, path, data, graph);
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
