/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/workloads/bnsl/bnsl_graph.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>

/* Edges between known variables. */
int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
    static const char names[] = "a,b,c\n0,0,0\n";
    struct bnsl_data data;
    struct bnsl_graph graph;
    if (bnsl_data_parse(names, sizeof names - 1, "names", &data) != STATUS_OK)
        return 0;
    if (bnsl_network_read(MPI_COMM_SELF, fuzz_mpi_file("network.csv", text, size), &data, &graph) ==
        STATUS_OK)
        assert(bnsl_graph_complete(&graph) == STATUS_OK);
    else
        assert(!graph.edge);
    bnsl_graph_fini(&graph);
    bnsl_data_fini(&data);
    return 0;
}
