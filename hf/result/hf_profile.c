/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/result/hf_profile.h"

#include "hf/tiles/tiling.h"
#include "sched/lab/profiles/profile.h"
#include "support/base/agree.h"

/* The tiles that a task reads and writes, for simulations of the build. */
struct block_list {
    const struct tiling *tiling;
    int n_matrices;
    int64_t id; /* of the task */
    struct data_records *records;
};

static enum status add_tile(const struct block_list *list, int64_t a, int64_t b, bool writes)
{
    const struct tiling *tiling = list->tiling;
    int64_t pair = tile_pair_index_unordered(a, b);
    int64_t elements = tile_n_functions(tiling, a) * tile_n_functions(tiling, b);
    struct taskpool_data_block block = {
        .bytes = elements * (int64_t)sizeof(double) * list->n_matrices, .owner = pair};
    int64_t number = writes ? tiling_n_pairs(tiling) + pair : pair;
    return data_records_add(list->records, list->id, writes, number, block);
}

static enum status add_quartet_tiles(const struct tile_quartet *quartet, void *context)
{
    const int64_t tiles[4] = {quartet->I, quartet->J, quartet->K, quartet->L};
    for (int writes = 0; writes < 2; writes++)
        for (int r = 0; r < 4; r++)
            for (int s = r + 1; s < 4; s++)
                TRY(add_tile(context, tiles[r], tiles[s], writes));
    return STATUS_OK;
}

/* Adds the blocks of the task at a position, under its id: each of its quartets reads D and writes
 * F in all pairs of its tiles. A block is a tile of all spins; tile p of D is block p, of F block
 * tiling_n_pairs + p, and the owner of both has the number p. Bounds of integrals, which processes
 * keep from build to build, are left out. */
static enum status add_blocks_of_task(const struct fock_profile *profile, int64_t position,
                                      struct data_records *records)
{
    struct block_list list = {.tiling = profile->tiling,
                              .n_matrices = profile->n_matrices,
                              .id = fock_tasks_id(profile->tasks, position),
                              .records = records};
    data_records_begin_task(records);
    return fock_tasks_visit(profile->tasks, position, add_quartet_tiles, &list, NULL);
}

/* The non-null tasks of this process's history, under their ids, and the tiles of each. */
static enum status translate_history(const struct fock_profile *profile, bool with_blocks,
                                     struct taskpool_history *translated,
                                     struct data_records *blocks)
{
    const struct taskpool_history *history = profile->history;
    for (int64_t i = 0; i < history->n_entries; i++) {
        const struct taskpool_history_entry *entry = &history->entries[i];
        if (fock_tasks_is_null(profile->tasks, entry->task))
            continue;
        TRY(history_add(translated, fock_tasks_id(profile->tasks, entry->task), entry->time_s,
                        entry->worker));
        if (with_blocks)
            TRY(add_blocks_of_task(profile, entry->task, blocks));
    }
    return STATUS_OK;
}

enum status hf_profile_write(const struct fock_profile *profile, const char *path)
{
    struct taskpool_history translated = {0};
    struct data_records blocks = {0};
    struct task_data_paths paths;
    enum status status =
        status_agree(profile->comm, translate_history(profile, task_data_paths(path, &paths),
                                                      &translated, &blocks));
    if (status != STATUS_OK)
        goto done;
    status = task_data_write(profile->comm, &blocks, path);
    if (status != STATUS_OK)
        goto done;
    status = profile_write(profile->comm, &translated, path);
done:
    data_records_fini(&blocks);
    history_fini(&translated);
    return status;
}
