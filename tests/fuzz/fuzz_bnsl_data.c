#include "sched/workloads/bnsl/bnsl_data.h"
#include "sched/workloads/bnsl/bnsl_network.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void check_data(const struct bnsl_data *data)
{
    assert(data->n_variables >= 2 && data->n_samples >= 1);
    for (int i = 0; i < data->n_variables; i++) {
        assert(data->n_states[i] >= 1 && data->n_states[i] <= BNSL_MAX_STATES);
        assert(bnsl_data_find(data, word_from_text(data->names[i])) == i);
        for (int s = 0; s < data->n_samples; s++)
            assert(bnsl_data_column(data, i)[s] < data->n_states[i]);
    }
}

/* The same text as edges between known variables. */
static void parse_network(const char *text, size_t size)
{
    static const char names[] = "a,b,c\n0,0,0\n";
    struct bnsl_data data;
    struct bnsl_graph graph;
    if (bnsl_data_parse(names, sizeof names - 1, "names", &data) != STATUS_OK)
        return;
    if (bnsl_network_parse(text, size, "fuzz", &data, &graph) == STATUS_OK)
        assert(bnsl_graph_complete(&graph) == STATUS_OK);
    else
        assert(!graph.edge);
    bnsl_graph_fini(&graph);
    bnsl_data_fini(&data);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    /* In memory of its own, so that a sanitizer sees what reads beyond it. */
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, bytes, size);
    text[size] = '\0';
    struct bnsl_data data;
    if (bnsl_data_parse(text, size, "fuzz", &data) == STATUS_OK)
        check_data(&data);
    else
        assert(!data.values && !data.names);
    bnsl_data_fini(&data);
    parse_network(text, size);
    free(text);
    return 0;
}
