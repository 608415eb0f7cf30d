/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/workloads/bnsl/bnsl_data.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>

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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct bnsl_data data;
    if (bnsl_data_read(MPI_COMM_SELF, fuzz_mpi_file("data.csv", bytes, size), &data) == STATUS_OK)
        check_data(&data);
    else
        assert(!data.values && !data.names);
    bnsl_data_fini(&data);
    return 0;
}
