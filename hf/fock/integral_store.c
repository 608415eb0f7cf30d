/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/fock/integral_store.h"

#include "support/base/memory.h"

#include <stdlib.h>

/* A tile quartet, in the list of its bucket. Its integrals follow it in memory. */
struct kept_block {
    struct kept_block *next;
    struct tile_quartet quartet;
    struct kept_quartets kept;
    int64_t bytes;
    int64_t build; /* which last asked for it */
};

struct integral_store {
    int64_t bound_bytes, bytes;
    int64_t build;      /* number of the current one */
    bool short_of_room; /* in it */
    struct kept_block **buckets;
    int64_t n_buckets; /* a power of two */
    int64_t n_blocks;
};

enum {
    FIRST_BUCKETS = 64,
    MALLOC_BYTES = 32 /* that an allocation takes beyond its size */
};

static struct kept_block **allocate_block_lists(int64_t n)
{
    return calloc((size_t)n, sizeof(struct kept_block *));
}

static int64_t bytes_of_buckets(int64_t n)
{
    return n * (int64_t)sizeof(struct kept_block *);
}

static int64_t bytes_of_block(const struct kept_size *size)
{
    return (int64_t)sizeof(struct kept_block) + kept_quartets_bytes(size) + MALLOC_BYTES;
}

enum status integral_store_create(int64_t bound_bytes, struct integral_store **store)
{
    struct integral_store *made = calloc(1, sizeof *made);
    *store = NULL;
    TRY(CHECK_MEMORY(made, "no memory for integrals that are kept"));
    *made = (struct integral_store){.bound_bytes = bound_bytes,
                                    .bytes = bytes_of_buckets(FIRST_BUCKETS),
                                    .n_buckets = FIRST_BUCKETS,
                                    .buckets = allocate_block_lists(FIRST_BUCKETS)};
    if (!made->buckets) {
        integral_store_destroy(made);
        return FAIL(STATUS_NO_MEMORY, "no memory for integrals that are kept");
    }
    *store = made;
    return STATUS_OK;
}

/* Frees the blocks that no build from this one on has asked for. */
static void drop_blocks_before(struct integral_store *store, int64_t build)
{
    for (int64_t i = 0; i < store->n_buckets; i++) {
        struct kept_block **link = &store->buckets[i];
        while (*link) {
            struct kept_block *block = *link;
            if (block->build >= build) {
                link = &block->next;
                continue;
            }
            *link = block->next;
            store->bytes -= block->bytes;
            store->n_blocks--;
            free(block);
        }
    }
}

void integral_store_destroy(struct integral_store *store)
{
    if (!store)
        return;
    if (store->buckets)
        drop_blocks_before(store, INT64_MAX);
    free(store->buckets);
    free(store);
}

void integral_store_clear(struct integral_store *store)
{
    drop_blocks_before(store, INT64_MAX);
    store->short_of_room = false;
    memory_return_freed(); /* what follows may need it as shared memory */
}

/* Elements a >= b of a symmetric matrix x_a x_b, summed, from the sums of x and of its squares. */
static double sum_of_triangle(double sum, double sum_of_squares)
{
    return (sum * sum + sum_of_squares) / 2;
}

double integral_store_most_bytes(const struct tiling *tiling, enum fock_symmetry symmetry)
{
    const struct shells *shells = tiling->shells;
    double n_tiles = (double)tiling->n_tiles, n_groups = (double)shells->n_groups;
    double power[5] = {0}; /* of the groups' numbers of functions, summed */
    for (int64_t group = 0; group < shells->n_groups; group++) {
        double n = shells->types[shells->groups[group].type].n_functions;
        power[1] += n;
        power[2] += n * n;
        power[4] += n * n * n * n;
    }
    double integrals = power[1] * power[1] * power[1] * power[1];
    double quartets = n_groups * n_groups * n_groups * n_groups;
    double blocks = n_tiles * n_tiles * n_tiles * n_tiles;
    if (symmetry == FOCK_SYMMETRY_FULL) {
        double pairs = sum_of_triangle(n_groups, n_groups);
        quartets = sum_of_triangle(pairs, pairs);
        integrals = sum_of_triangle(sum_of_triangle(power[1], power[2]),
                                    sum_of_triangle(power[2], power[4]));
        blocks = fock_tasks_count(tiling->n_tiles, FOCK_QUARTET, symmetry);
    }
    const struct kept_size empty = {0};
    double of_block = (double)(bytes_of_block(&empty) + bytes_of_buckets(2) + 8);
    return (double)sizeof(struct integral_store) + (double)bytes_of_buckets(FIRST_BUCKETS) +
           integrals * sizeof(double) + quartets / 8 + blocks * of_block;
}

void integral_store_begin(struct integral_store *store)
{
    if (store->short_of_room)
        drop_blocks_before(store, store->build);
    store->short_of_room = false;
    store->build++;
}

/* Source of the constants: the finalizer of MurmurHash3 (A. Appleby, public domain). */
static uint64_t mix_tile_number(uint64_t x)
{
    x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ x >> 33;
}

static struct kept_block **find_bucket(const struct integral_store *store,
                                       const struct tile_quartet *quartet)
{
    uint64_t hash = mix_tile_number((uint64_t)quartet->I);
    hash = mix_tile_number(hash + (uint64_t)quartet->J);
    hash = mix_tile_number(hash + (uint64_t)quartet->K);
    hash = mix_tile_number(hash + (uint64_t)quartet->L);
    return &store->buckets[hash & (uint64_t)(store->n_buckets - 1)];
}

static bool is_same_quartet(const struct tile_quartet *a, const struct tile_quartet *b)
{
    return a->I == b->I && a->J == b->J && a->K == b->K && a->L == b->L;
}

struct kept_quartets *integral_store_find(struct integral_store *store,
                                          const struct tile_quartet *quartet)
{
    struct kept_block *block = *find_bucket(store, quartet);
    while (block && !is_same_quartet(&block->quartet, quartet))
        block = block->next;
    if (!block)
        return NULL;
    block->build = store->build;
    return &block->kept;
}

/* Doubles the buckets; without memory or room they stay. */
static void grow_buckets(struct integral_store *store)
{
    int64_t old_n = store->n_buckets;
    struct kept_block **old = store->buckets;
    if (store->bytes + bytes_of_buckets(2 * old_n) > store->bound_bytes)
        return;
    struct kept_block **grown = allocate_block_lists(2 * old_n);
    if (!grown)
        return;
    store->buckets = grown;
    store->n_buckets = 2 * old_n;
    store->bytes += bytes_of_buckets(old_n);
    for (int64_t i = 0; i < old_n; i++)
        while (old[i]) {
            struct kept_block *block = old[i];
            struct kept_block **bucket = find_bucket(store, &block->quartet);
            old[i] = block->next;
            block->next = *bucket;
            *bucket = block;
        }
    free(old);
}

struct kept_quartets *integral_store_add(struct integral_store *store,
                                         const struct tile_quartet *quartet,
                                         const struct kept_size *size)
{
    int64_t bytes = bytes_of_block(size);
    if (store->n_blocks >= store->n_buckets)
        grow_buckets(store);
    struct kept_block *block =
        store->bytes + bytes <= store->bound_bytes ? calloc(1, (size_t)bytes) : NULL;
    if (!block) {
        store->short_of_room = true;
        return NULL;
    }
    struct kept_block **bucket = find_bucket(store, quartet);
    *block = (struct kept_block){
        .next = *bucket, .quartet = *quartet, .bytes = bytes, .build = store->build};
    kept_quartets_init(size, block + 1, &block->kept);
    *bucket = block;
    store->bytes += bytes;
    store->n_blocks++;
    return &block->kept;
}

int64_t integral_store_bytes(const struct integral_store *store)
{
    return store->bytes;
}
