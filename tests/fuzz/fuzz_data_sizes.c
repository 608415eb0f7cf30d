/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/profiles/profile.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>

void fuzz_one(const char *data, size_t size)
{
    struct taskpool_data *read;
    if (task_data_read_sizes(fuzz_file("x.sizes.csv", data, size), &read) != STATUS_OK)
        return;
    for (int64_t i = 0; i < read->n_blocks; i++) {
        assert(read->numbers[i] >= 0 && (i == 0 || read->numbers[i] > read->numbers[i - 1]));
        assert(read->blocks[i].bytes >= 0 && data_block_owner(&read->blocks[i], 3) >= 0);
    }
    task_data_destroy(read);
}
