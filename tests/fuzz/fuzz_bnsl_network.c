/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/workloads/bnsl.h"
#include "support/io/text_file.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>

/* Edges between known variables. */
void fuzz_one(const char *text, size_t size)
{
    static const char names[] = "a,b,c\n0,0,0\n";
    struct text_file file;
    struct bnsl_data data;
    struct bnsl_graph graph, completed;
    if (text_file_read(fuzz_file("network.csv", text, size), &file) != STATUS_OK)
        return;
    assert(bnsl_data_parse(names, sizeof names - 1, "names", &data) == STATUS_OK);
    if (bnsl_network_parse(file.bytes, file.length, "network.csv", &data, &graph) == STATUS_OK) {
        assert(bnsl_graph_is_acyclic(&graph));
        assert(bnsl_graph_complete(&graph, &completed) == STATUS_OK);
        bnsl_graph_fini(&completed);
    }
    bnsl_graph_fini(&graph);
    free(data.values);
    text_file_fini(&file);
}
