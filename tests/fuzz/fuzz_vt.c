/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/profiles/vt_write.h"
#include "sched/pool/core/history.h"
#include "sched/pool/core/task_data.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <math.h>

static void check_data(const struct taskpool_data *data, int64_t n_ranks)
{
    for (int64_t task = 0; task < data->n_tasks; task++) {
        int64_t n;
        const struct taskpool_data_access *access = task_data_of(data, task, &n);
        for (int64_t i = 0; i < n; i++) {
            assert(access[i].block >= 0 && access[i].block < data->n_blocks);
            assert(data->blocks[access[i].block].owner < n_ranks);
            assert(data->blocks[access[i].block].bytes >= 0);
        }
    }
}

/* One more iteration than there are phases. */
static void write_again(const struct vt_load *load)
{
    struct vt_writer *writer;
    assert(vt_writer_create(load, load->data, 2, &writer) == STATUS_OK);
    for (int64_t iteration = 0; iteration <= load->n_phases; iteration++) {
        struct taskpool_history history = {0};
        for (int64_t task = 0; task < load->n_tasks; task++)
            assert(history_add(&history, task, vt_load_seconds(load, iteration, task),
                               (int)(task % 2)) == STATUS_OK);
        assert(vt_writer_add(writer, MPI_COMM_SELF, &history) == STATUS_OK);
        history_fini(&history);
    }
    vt_writer_destroy(writer);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct vt_load load;
    if (vt_load_read(MPI_COMM_SELF, fuzz_mpi_file("x.json", bytes, size), &load) != STATUS_OK)
        return 0;
    assert(load.n_ranks == 1 && load.n_tasks > 0 && load.n_phases > 0);
    for (int64_t i = 0; i < load.n_phases * load.n_tasks; i++)
        assert(isfinite(load.seconds[i]) && load.seconds[i] >= 0);
    for (int64_t task = 0; task < load.n_tasks; task++)
        assert(load.owners[task] == 0);
    if (load.data)
        check_data(load.data, load.n_ranks);
    write_again(&load);
    vt_load_fini(&load);
    return 0;
}
