/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/profiles/profile.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { N_TASKS = 4, N_BLOCKS = 3 };

/* Blocks as if read, on the heap, where a read beyond them is found. */
static struct taskpool_data *make_blocks(void)
{
    static const int64_t numbers[N_BLOCKS] = {0, 2, 70};
    struct taskpool_data *data = calloc(1, sizeof *data);
    assert(data);
    data->n_blocks = N_BLOCKS;
    data->numbers = malloc(sizeof numbers);
    data->blocks = calloc(N_BLOCKS, sizeof *data->blocks);
    assert(data->numbers && data->blocks);
    memcpy(data->numbers, numbers, sizeof numbers);
    return data;
}

void fuzz_one(const char *bytes, size_t size)
{
    int64_t tasks[N_TASKS] = {0, 1, 5, 80};
    double seconds[N_TASKS] = {0};
    const struct profile profile = {.n = N_TASKS, .seconds = seconds, .tasks = tasks};
    struct taskpool_data *data = make_blocks();
    if (task_data_read_accesses(fuzz_file("x.blocks.csv", bytes, size), &profile, data) ==
        STATUS_OK)
        for (int64_t task = 0; task < N_TASKS; task++) {
            int64_t n;
            const struct taskpool_data_access *access = task_data_of(data, task, &n);
            assert(n >= 0);
            for (int64_t i = 0; i < n; i++)
                assert(access[i].block >= 0 && access[i].block < N_BLOCKS);
            assert(task_data_owner(data, task, 2) < 2);
        }
    task_data_destroy(data);
}
