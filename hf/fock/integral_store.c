/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/fock/integral_store.h"

#include "basis/quartets/ket_rows.h"
#include "support/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A tile quartet, in the list of its bucket, or a hole that one has left, in the list of holes. The
 * integrals follow it in memory, and the next block follows them. */
struct kept_block {
    struct kept_block *next;
    struct tile_quartet quartet;
    int group; /* of the symmetry */
    struct kept_quartets kept;
    int64_t bytes;
    int64_t build; /* which last asked for it; of a hole, one before the current build */
};

/* Address space in which the blocks lie one after another. Beyond SMALL_PAGE_BYTES it asks for huge
 * pages, with which 4.5 GB are filled in three quarters of the time; before, it does not: a hypervisor to
 * which whole free huge pages are returned takes long to give them again. */
struct kept_memory {
    char *start;                   /* NULL: none yet */
    int64_t reserved_bytes;        /* of address space */
    int64_t writable_bytes;        /* of these, from the start */
    int64_t used_bytes;            /* of these, from the start: blocks and holes */
    struct kept_block *first_hole; /* their addresses ascend */
};

struct integral_store {
    int64_t bound_bytes, bytes;
    double unit;
    int64_t build;      /* number of the current one */
    bool short_of_room; /* in it */
    struct kept_memory memory;
    struct kept_block **buckets;
    int64_t n_buckets; /* a power of two */
    int64_t n_blocks;
};

enum {
    FIRST_BUCKETS = 64,
    STEP_BYTES = 16 << 20, /* of memory made writable: a multiple of a huge page */
    SMALL_PAGE_BYTES = 128 << 20
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
    return (int64_t)sizeof(struct kept_block) + kept_quartets_bytes(size);
}

enum status integral_store_create(int64_t bound_bytes, double unit, struct integral_store **store)
{
    struct integral_store *made = calloc(1, sizeof *made);
    *store = NULL;
    TRY(CHECK_MEMORY(made, "no memory for integrals that are kept"));
    *made = (struct integral_store){.bound_bytes = bound_bytes,
                                    .unit = unit,
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

/* Without blocks in memory. */
static void empty_buckets(struct integral_store *store)
{
    memset(store->buckets, 0, (size_t)bytes_of_buckets(store->n_buckets));
    store->bytes = bytes_of_buckets(store->n_buckets);
    store->n_blocks = 0;
}

static void unmap_blocks(struct kept_memory *memory)
{
    if (memory->start)
        munmap(memory->start, (size_t)memory->reserved_bytes);
    *memory = (struct kept_memory){0};
}

void integral_store_destroy(struct integral_store *store)
{
    if (!store)
        return;
    unmap_blocks(&store->memory);
    free(store->buckets);
    free(store);
}

void integral_store_clear(struct integral_store *store)
{
    unmap_blocks(&store->memory);
    empty_buckets(store);
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
                                       const struct tile_symmetry *of_molecule)
{
    int order = of_molecule ? of_molecule->group->order : 1;
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
                                 const struct tile_symmetry *of_molecule)
{
    const struct shells *shells = tiling->shells;
    double blocks = fock_tasks_count(tiling->n_tiles, FOCK_QUARTET, symmetry);
    struct kept_totals totals = {.integrals = pow((double)shells->n_functions, 4),
                                 .quartets = pow((double)shells->n_groups, 4)};
    if (symmetry == FOCK_SYMMETRY_FULL)
        totals = count_unique(shells, of_molecule);
    double of_row = (KET_ROW_HEAD + 1) * sizeof(int16_t); /* of one ket, the shortest */
    double listed = of_molecule ? of_row * totals.quartets : 0;
    const struct kept_size least = {.n_integrals = {1}, .n_listed = KET_ROWS_END};
    double of_widths = N_KEPT_WIDTHS * (double)sizeof(uint64_t); /* they are rounded up */
    double of_block = (double)(bytes_of_block(&least) + bytes_of_buckets(2)) + of_widths;
    return (double)sizeof(struct integral_store) + (double)bytes_of_buckets(FIRST_BUCKETS) +
           totals.integrals * sizeof(double) + listed + blocks * of_block;
}

/* Source of the constants: the finalizer of MurmurHash3 (A. Appleby, public domain). */
static uint64_t mix_tile_number(uint64_t x)
{
    x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ x >> 33;
}

static struct kept_block **find_bucket(const struct integral_store *store,
                                       const struct tile_quartet *quartet, int group)
{
    uint64_t hash = mix_tile_number((uint64_t)quartet->I + (uint64_t)group);
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
                                          const struct tile_quartet *quartet, int group)
{
    struct kept_block *block = *find_bucket(store, quartet, group);
    while (block && !(is_same_quartet(&block->quartet, quartet) && block->group == group))
        block = block->next;
    if (!block)
        return NULL;
    block->build = store->build;
    return &block->kept;
}

static void put_into_bucket(struct integral_store *store, struct kept_block *block)
{
    struct kept_block **bucket = find_bucket(store, &block->quartet, block->group);
    block->next = *bucket;
    *bucket = block;
    store->bytes += block->bytes;
    store->n_blocks++;
}

/* Makes holes of the blocks that no build from this one on has asked for. Neighbouring holes become
 * one, and a hole at the end becomes unused memory. */
static void drop_blocks_before(struct integral_store *store, int64_t build)
{
    struct kept_memory *memory = &store->memory;
    struct kept_block **last = &memory->first_hole, *hole = NULL;
    empty_buckets(store);
    for (int64_t offset = 0, bytes; offset < memory->used_bytes; offset += bytes) {
        struct kept_block *block = (struct kept_block *)(memory->start + offset);
        bytes = block->bytes;
        if (block->build >= build) {
            put_into_bucket(store, block);
            last = hole ? &hole->next : last;
            hole = NULL;
        } else if (hole) {
            hole->bytes += bytes;
        } else {
            *last = hole = block;
        }
    }
    *last = NULL;
    memory->used_bytes -= hole ? hole->bytes : 0;
}

void integral_store_begin(struct integral_store *store)
{
    if (store->short_of_room)
        drop_blocks_before(store, store->build);
    store->short_of_room = false;
    store->build++;
}

/* Doubles the buckets; without memory or room they stay. */
static void grow_buckets(struct integral_store *store)
{
    int64_t old_n = store->n_buckets;
    struct kept_block **old = store->buckets;
    if (store->memory.used_bytes + bytes_of_buckets(2 * old_n) > store->bound_bytes)
        return;
    struct kept_block **grown = allocate_block_lists(2 * old_n);
    if (!grown)
        return;
    store->buckets = grown;
    store->n_buckets = 2 * old_n;
    empty_buckets(store);
    for (int64_t i = 0; i < old_n; i++)
        while (old[i]) {
            struct kept_block *block = old[i];
            old[i] = block->next;
            put_into_bucket(store, block);
        }
    free(old);
}

/* Reserves address space for all that the bound allows, or for as much as the system grants. Memory is
 * taken where it is touched. */
static void reserve_blocks(int64_t bound_bytes, int64_t least_bytes, struct kept_memory *memory)
{
    for (int64_t bytes = bound_bytes; bytes >= least_bytes && !memory->start; bytes /= 2) {
        void *start = mmap(NULL, (size_t)bytes, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (start == MAP_FAILED)
            continue;
        *memory = (struct kept_memory){.start = start, .reserved_bytes = bytes};
        if (bytes > SMALL_PAGE_BYTES)
            memory_advise_huge((char *)start + SMALL_PAGE_BYTES, bytes - SMALL_PAGE_BYTES);
    }
}

/* Makes at least the first bytes writable, up to an address where no huge page lies across. */
static bool make_blocks_writable(struct kept_memory *memory, int64_t bytes)
{
    if (bytes <= memory->writable_bytes)
        return true;
    uintptr_t start = (uintptr_t)memory->start;
    uintptr_t end = (start + (uintptr_t)bytes + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
    int64_t writable_bytes = (int64_t)(end - start);
    if (writable_bytes > memory->reserved_bytes)
        writable_bytes = memory->reserved_bytes;
    if (mprotect(memory->start + memory->writable_bytes,
                 (size_t)(writable_bytes - memory->writable_bytes), PROT_READ | PROT_WRITE) != 0)
        return false;
    memory->writable_bytes = writable_bytes;
    return true;
}

/* Memory beyond the blocks; NULL without room. */
static struct kept_block *append_block(struct integral_store *store, int64_t bytes)
{
    struct kept_memory *memory = &store->memory;
    if (memory->used_bytes + bytes + bytes_of_buckets(store->n_buckets) > store->bound_bytes)
        return NULL;
    if (!memory->start)
        reserve_blocks(store->bound_bytes, bytes, memory);
    if (memory->used_bytes + bytes > memory->reserved_bytes ||
        !make_blocks_writable(memory, memory->used_bytes + bytes))
        return NULL;
    struct kept_block *block = (struct kept_block *)(memory->start + memory->used_bytes);
    memory_populate(block, bytes);
    memory->used_bytes += bytes;
    block->bytes = bytes;
    return block;
}

/* Leaves a hole behind the block's first bytes, if another block can be there. */
static void split_hole(struct kept_block *block, int64_t bytes)
{
    int64_t rest = block->bytes - bytes;
    if (rest < (int64_t)sizeof *block)
        return;
    struct kept_block *hole = (struct kept_block *)((char *)block + bytes);
    *hole = (struct kept_block){.next = block->next, .bytes = rest, .build = -1};
    block->next = hole;
    block->bytes = bytes;
}

/* Takes the first hole that is large enough; NULL: there is none. */
static struct kept_block *fill_hole(struct kept_memory *memory, int64_t bytes)
{
    struct kept_block **link = &memory->first_hole;
    while (*link && (*link)->bytes < bytes)
        link = &(*link)->next;
    struct kept_block *block = *link;
    if (block) {
        split_hole(block, bytes);
        *link = block->next;
    }
    return block;
}

bool integral_store_is_full(const struct integral_store *store)
{
    const struct kept_memory *memory = &store->memory;
    int64_t room = store->bound_bytes - memory->used_bytes - bytes_of_buckets(store->n_buckets);
    int64_t mean = store->n_blocks > 0 ? store->bytes / store->n_blocks : 0;
    return store->short_of_room && !memory->first_hole && room < mean;
}

struct kept_quartets *integral_store_add(struct integral_store *store,
                                         const struct tile_quartet *quartet, int group,
                                         const struct kept_size *size)
{
    int64_t bytes = bytes_of_block(size);
    if (store->n_blocks >= store->n_buckets)
        grow_buckets(store);
    struct kept_block *block = fill_hole(&store->memory, bytes);
    if (!block)
        block = append_block(store, bytes);
    if (!block) {
        store->short_of_room = true;
        return NULL;
    }
    *block = (struct kept_block){
        .quartet = *quartet, .group = group, .bytes = block->bytes, .build = store->build};
    kept_quartets_init(size, store->unit, block + 1, &block->kept);
    put_into_bucket(store, block);
    return &block->kept;
}

int64_t integral_store_bytes(const struct integral_store *store)
{
    return store->bytes;
}
