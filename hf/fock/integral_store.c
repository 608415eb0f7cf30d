/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/fock/integral_store.h"

#include "basis/quartets/ket_rows.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A tile quartet, in the list of its bucket. Its integrals follow it in memory. */
struct kept_block {
    struct kept_block *next;
    struct tile_quartet quartet;
    int n_operations;
    struct kept_size size;
};

enum { N_BUCKETS = 1 << 16 }; /* a power of two */

struct integral_store {
    int64_t bound_bytes;
    double unit;
    char *
        arena; /* bound_bytes of address space, whose pages come as they are used; NULL: none yet */
    int64_t used_bytes; /* of it, from the start */
    struct kept_block *buckets[N_BUCKETS];
    struct kept_block *reserved; /* not in its bucket yet; NULL: none */
    bool full;
    struct kept_quartets found; /* last */
};

enum status integral_store_create(int64_t bound_bytes, double unit, struct integral_store **store)
{
    struct integral_store *made = *store = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for integrals that are kept"));
    made->bound_bytes = bound_bytes;
    made->unit = unit;
    return STATUS_OK;
}

void integral_store_destroy(struct integral_store *store)
{
    if (!store)
        return;
    integral_store_clear(store);
    free(store);
}

void integral_store_clear(struct integral_store *store)
{
    if (store->arena) {
        munmap(store->arena, (size_t)store->bound_bytes);
        memset(store->buckets, 0, sizeof store->buckets);
    }
    store->arena = NULL;
    store->used_bytes = 0;
    store->full = false;
}

static int64_t bytes_of_block(const struct kept_size *size)
{
    return (int64_t)sizeof(struct kept_block) + kept_quartets_bytes(size);
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

static struct group_sums sum_fixed_groups(const struct shells *shells,
                                          const struct tile_symmetry *of_molecule, int k)
{
    struct group_sums sums = {0};
    for (int64_t group = 0; group < shells->n_groups; group++)
        if (!of_molecule || of_molecule->group_images[k * shells->n_groups + group] == group) {
            sums.groups++;
            sums.functions += n_functions_of_group(shells, group);
        }
    return sums;
}

/* All unique quartets of groups and their integrals, or one quartet of each orbit: the mean over the
 * operations of the number that each leaves unchanged, those included whose pairs it exchanges. */
static struct kept_totals count_unique(const struct shells *shells,
                                       const struct tile_symmetry *of_molecule, int order)
{
    double n = (double)shells->n_groups, squares = 0, fourth_powers = 0;
    struct kept_totals totals = {0};
    for (int64_t group = 0; group < shells->n_groups; group++) {
        double size = n_functions_of_group(shells, group), square = size * size;
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
                                 const struct tile_symmetry *of_molecule, int n_operations)
{
    const struct shells *shells = tiling->shells;
    double blocks = fock_tasks_count(tiling->n_tiles, FOCK_QUARTET, symmetry);
    struct kept_totals totals = {.integrals = pow((double)shells->n_functions, 4),
                                 .quartets = pow((double)shells->n_groups, 4)};
    if (symmetry == FOCK_SYMMETRY_FULL)
        totals = count_unique(shells, of_molecule, n_operations);
    double of_row = (KET_ROW_HEAD + 1) * sizeof(int16_t); /* of one ket, the shortest */
    double listed = of_molecule ? of_row * totals.quartets : 0;
    const struct kept_size least = {.n_integrals = {1}, .n_listed = KET_ROWS_END};
    double of_widths = N_KEPT_WIDTHS * (double)sizeof(uint64_t); /* they are rounded up */
    double of_block = (double)bytes_of_block(&least) + of_widths;
    return totals.integrals * sizeof(double) + listed + blocks * of_block;
}

/* Source of the constants: the finalizer of MurmurHash3 (A. Appleby, public domain). */
static uint64_t mix_tile_number(uint64_t x)
{
    x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ x >> 33;
}

static uint64_t hash_of(const struct tile_quartet *quartet, int n_operations)
{
    uint64_t hash = mix_tile_number((uint64_t)quartet->I + (uint64_t)n_operations);
    hash = mix_tile_number(hash + (uint64_t)quartet->J);
    hash = mix_tile_number(hash + (uint64_t)quartet->K);
    return mix_tile_number(hash + (uint64_t)quartet->L);
}

static struct kept_block **find_bucket(struct integral_store *store,
                                       const struct tile_quartet *quartet, int n_operations)
{
    return &store->buckets[hash_of(quartet, n_operations) & (N_BUCKETS - 1)];
}

static bool is_same_quartet(const struct tile_quartet *a, const struct tile_quartet *b)
{
    return a->I == b->I && a->J == b->J && a->K == b->K && a->L == b->L;
}

static struct kept_quartets *take_block(struct integral_store *store, struct kept_block *block)
{
    kept_quartets_init(&block->size, store->unit, block + 1, &store->found);
    return &store->found;
}

struct kept_quartets *integral_store_find(struct integral_store *store,
                                          const struct tile_quartet *quartet, int n_operations)
{
    struct kept_block *block = *find_bucket(store, quartet, n_operations);
    while (block &&
           !(is_same_quartet(&block->quartet, quartet) && block->n_operations == n_operations))
        block = block->next;
    return block ? take_block(store, block) : NULL;
}

bool integral_store_is_full(const struct integral_store *store)
{
    return store->full;
}

static bool map_arena(struct integral_store *store)
{
    void *arena = mmap(NULL, (size_t)store->bound_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena == MAP_FAILED)
        return false;
    store->arena = arena;
    return true;
}

struct kept_quartets *integral_store_reserve(struct integral_store *store,
                                             const struct tile_quartet *quartet, int n_operations,
                                             const struct kept_size *size)
{
    int64_t bytes = bytes_of_block(size);
    assert(!store->reserved);
    store->full |=
        bytes > store->bound_bytes - store->used_bytes || (!store->arena && !map_arena(store));
    if (store->full)
        return NULL;
    struct kept_block *block = (struct kept_block *)(store->arena + store->used_bytes);
    *block = (struct kept_block){.quartet = *quartet, .n_operations = n_operations, .size = *size};
    store->used_bytes += bytes;
    store->reserved = block;
    return take_block(store, block);
}

void integral_store_commit(struct integral_store *store)
{
    struct kept_block *block = store->reserved;
    struct kept_block **bucket = find_bucket(store, &block->quartet, block->n_operations);
    block->next = *bucket;
    *bucket = block;
    store->reserved = NULL;
}

int64_t integral_store_bytes(const struct integral_store *store)
{
    return store->used_bytes;
}
