/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/fock/fock_blocks.h"

struct block_list {
    const struct tiling *tiling;
    int n_spins;
    int64_t id; /* of the task */
    struct data_records *records;
};

static enum status add_tile(const struct block_list *list, int64_t a, int64_t b, bool writes)
{
    const struct tiling *tiling = list->tiling;
    int64_t pair = tile_pair_index_unordered(a, b);
    int64_t elements = tile_n_functions(tiling, a) * tile_n_functions(tiling, b);
    struct taskpool_data_block block = {.bytes = elements * (int64_t)sizeof(double) * list->n_spins,
                                        .owner = pair};
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

enum status fock_blocks_add(const struct fock_tasks *tasks, const struct tiling *tiling,
                            int n_spins, int64_t position, struct data_records *records)
{
    struct block_list list = {.tiling = tiling,
                              .n_spins = n_spins,
                              .id = fock_tasks_id(tasks, position),
                              .records = records};
    data_records_begin_task(records);
    return fock_tasks_visit(tasks, position, add_quartet_tiles, &list, NULL);
}
