/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/workloads/bnsl.h"
#include "support/io/text_file.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>

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

void fuzz_one(const char *bytes, size_t size)
{
    struct text_file file;
    struct bnsl_data data;
    if (text_file_read(fuzz_file("data.csv", bytes, size), &file) != STATUS_OK)
        return;
    if (bnsl_data_parse(file.bytes, file.length, "data.csv", &data) == STATUS_OK)
        check_data(&data);
    free(data.values);
    text_file_fini(&file);
}
