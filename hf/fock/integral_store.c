/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/fock/integral_store.h"

#include "support/base/memory.h"

#include <math.h>
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

struct kept_totals {
    double quartets, integrals;
};

/* Elements a >= b of a symmetric matrix x_a x_b, summed, from the sums of x and of its squares. */
static double sum_of_triangle(double sum, double sum_of_squares)
{
    return (sum * sum + sum_of_squares) / 2;
}

/* Groups and their functions: sums over all groups, or those that a symmetry operation leaves where they
 * are. */
struct group_sums {
    double groups, functions;
};

static double functions_of_group(const struct shells *shells, int64_t group)
{
    return shells->types[shells->groups[group].type].n_functions;
}

static struct group_sums sum_fixed_groups(const struct shells *shells,
                                          const struct tile_symmetry *of_molecule, int k)
{
    struct group_sums sums = {0};
    for (int64_t group = 0; group < shells->n_groups; group++)
        if (!of_molecule || of_molecule->group_images[k * shells->n_groups + group] == group) {
            sums.groups++;
            sums.functions += functions_of_group(shells, group);
        }
    return sums;
}

/* All unique quartets of groups and their integrals, or one quartet of each orbit: the mean over the
 * operations of the number that each leaves unchanged, those included whose pairs it exchanges. */
static struct kept_totals count_unique(const struct shells *shells,
                                       const struct tile_symmetry *of_molecule)
{
    int order = of_molecule ? of_molecule->group->order : 1;
    double n = (double)shells->n_groups, squares = 0, fourth_powers = 0;
    struct kept_totals totals = {0};
    for (int64_t group = 0; group < shells->n_groups; group++) {
        double square = functions_of_group(shells, group) * functions_of_group(shells, group);
        squares += square;
        fourth_powers += square * square;
    }
    for (int k = 0; k < order; k++) {
        struct group_sums fixed = sum_fixed_groups(shells, of_molecule, k);
        totals.quartets +=
            sum_of_triangle(sum_of_triangle(fixed.groups, n), sum_of_triangle(n, n)) / order;
        totals.integrals += sum_of_triangle(sum_of_triangle(fixed.functions, squares),
                                            sum_of_triangle(squares, fourth_powers)) /
                            order;
    }
    return totals;
}

double integral_store_most_bytes(const struct tiling *tiling, enum fock_symmetry symmetry,
                                 const struct tile_symmetry *of_molecule)
{
    const struct shells *shells = tiling->shells;
    double blocks = fock_tasks_count(tiling->n_tiles, FOCK_QUARTET, symmetry);
    struct kept_totals totals = {.integrals = pow((double)shells->n_functions, 4),
                                 .quartets = pow((double)shells->n_groups, 4)};
    if (symmetry == FOCK_SYMMETRY_FULL)
        totals = count_unique(shells, of_molecule);
    const struct kept_size empty = {0};
    double of_block = (double)(bytes_of_block(&empty) + bytes_of_buckets(2) + 8);
    return (double)sizeof(struct integral_store) + (double)bytes_of_buckets(FIRST_BUCKETS) +
           totals.integrals * sizeof(double) + totals.quartets / 8 + blocks * of_block;
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
