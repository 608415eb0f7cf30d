/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/workloads/sparse_profile.h"

#include "support/base/agree.h"
#include "support/base/array.h"

#include <stdlib.h>

enum { BLOCK = 64, WORD = 64 };

static bool block_is_null(const struct sparse_profile *sparse, int64_t block)
{
    return (sparse->blocks[block / WORD] >> (block % WORD) & 1) == 0;
}

static enum status mark_blocks(struct sparse_profile *sparse, const char *path)
{
    const struct profile *profile = &sparse->profile;
    int64_t last = profile->tasks[profile->n - 1];
    if (last >= sparse->n_tasks)
        return FAIL(STATUS_INPUT, "%s: task %lld is not one of the first %lld, --tasks", path,
                    (long long)last, (long long)sparse->n_tasks);
    sparse->blocks = calloc((size_t)(sparse->n_tasks / BLOCK / WORD + 1), sizeof(uint64_t));
    TRY(CHECK_MEMORY(sparse->blocks, "no memory for a pool of %lld tasks",
                     (long long)sparse->n_tasks));
    for (int64_t i = 0; i < profile->n; i++) {
        int64_t block = profile->tasks[i] / BLOCK;
        sparse->blocks[block / WORD] |= UINT64_C(1) << (block % WORD);
    }
    return STATUS_OK;
}

enum status sparse_profile_init(struct sparse_profile *sparse, MPI_Comm comm, const char *path,
                                int64_t n_tasks, double null_s)
{
    *sparse = (struct sparse_profile){.n_tasks = n_tasks, .null_s = null_s};
    TRY(profile_read(comm, path, true, &sparse->profile));
    enum status status = status_agree(comm, mark_blocks(sparse, path));
    if (status != STATUS_OK)
        sparse_profile_fini(sparse);
    return status;
}

void sparse_profile_fini(struct sparse_profile *sparse)
{
    profile_fini(&sparse->profile);
    free(sparse->blocks);
    *sparse = (struct sparse_profile){0};
}

double sparse_profile_seconds(const struct sparse_profile *sparse, int64_t task)
{
    const struct profile *profile = &sparse->profile;
    if (block_is_null(sparse, task / BLOCK))
        return sparse->null_s;
    int64_t i = array_find_last(profile->tasks, profile->n, task);
    return i >= 0 && profile->tasks[i] == task ? profile->seconds[i] : sparse->null_s;
}

bool sparse_profile_are_null(const struct sparse_profile *sparse, int64_t first, int64_t last)
{
    const struct profile *profile = &sparse->profile;
    if (last <= first)
        return true;
    if (first / BLOCK == (last - 1) / BLOCK && block_is_null(sparse, first / BLOCK))
        return true;
    int64_t i = array_find_last(profile->tasks, profile->n, last - 1);
    return i < 0 || profile->tasks[i] < first;
}
