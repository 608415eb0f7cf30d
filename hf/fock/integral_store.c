/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/fock/integral_store.h"

#include "basis/quartets/ket_rows.h"
#include "support/base/agree.h"
#include "support/base/memory.h"
#include "support/mpi/node_segments.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

/* A tile quartet, in the list of its bucket, or a hole that one has left, in the list of holes. The
 * integrals follow it in memory, and the next block follows them. */
struct kept_block {
    int64_t next; /* place in the segment; 0: none */
    struct tile_quartet quartet;
    int group; /* of the symmetry */
    struct kept_size size;
    int64_t bytes;
    _Atomic int64_t build; /* in which a process last asked for it; of a hole, an earlier one */
};

/* The start of a process's segment; blocks and holes follow, one after another. Only its process writes, but
 * for `build` of blocks, and others find what it wrote before it put a block into its bucket. While it drops
 * blocks, `build` is not the number of the others' build, and they look for none. */
struct segment_head {
    _Atomic int64_t build;     /* which this process has begun */
    int64_t n_buckets;         /* a power of two */
    _Atomic int64_t buckets[]; /* places of the first blocks; 0: none */
};

struct integral_store {
    int64_t bound_bytes;
    double unit;
    int64_t build;      /* number of the current one */
    bool short_of_room; /* in it */
    struct node_segments segments;
    int64_t used_bytes; /* of this process's segment, from the start */
    int64_t bytes;      /* of these, without holes */
    int64_t n_blocks;
    int64_t first_hole;         /* place; their places ascend; 0: none */
    struct kept_quartets found; /* last */
};

/* Buckets take up to 1/512 of the bound. */
enum { LEAST_BUCKETS = 64, MOST_BUCKETS = 1 << 20, BYTES_PER_BUCKET = 512 * sizeof(int64_t) };

static struct segment_head *head_of(const struct node_segment *segment)
{
    return (struct segment_head *)segment->start;
}

static struct kept_block *block_at(const struct node_segment *segment, int64_t place)
{
    return (struct kept_block *)(segment->start + place);
}

static int64_t bytes_of_head(int64_t n_buckets)
{
    return (int64_t)sizeof(struct segment_head) + n_buckets * (int64_t)sizeof(int64_t);
}

static int64_t bytes_of_block(const struct kept_size *size)
{
    return (int64_t)sizeof(struct kept_block) + kept_quartets_bytes(size);
}

/* Starts this process's segment, all bytes of which are 0; without memory there is none. */
static void start_segment(struct integral_store *store)
{
    const struct node_segment *own = &store->segments.own;
    int64_t n_buckets = LEAST_BUCKETS;
    while (n_buckets < MOST_BUCKETS && 2 * n_buckets <= store->bound_bytes / BYTES_PER_BUCKET)
        n_buckets *= 2;
    int64_t bytes = bytes_of_head(n_buckets);
    if (bytes > store->bound_bytes || !node_segments_take(&store->segments, 0, bytes))
        return;
    head_of(own)->n_buckets = n_buckets;
    atomic_store(&head_of(own)->build, store->build);
    store->used_bytes = store->bytes = bytes;
}

enum status integral_store_create(MPI_Comm comm, int64_t bound_bytes, double unit,
                                  struct integral_store **store)
{
    struct integral_store *made = agree_calloc(comm, sizeof *made, "integrals that are kept");
    *store = NULL;
    if (!made)
        return STATUS_NO_MEMORY;
    *made = (struct integral_store){.bound_bytes = bound_bytes, .unit = unit};
    enum status status =
        node_segments_init(comm, bound_bytes, bytes_of_head(LEAST_BUCKETS), &made->segments);
    if (status != STATUS_OK) {
        integral_store_destroy(made);
        return status;
    }
    *store = made;
    return STATUS_OK;
}

void integral_store_destroy(struct integral_store *store)
{
    if (!store)
        return;
    node_segments_fini(&store->segments);
    free(store);
}

/* The new number keeps others from reading what is no longer there. */
void integral_store_clear(struct integral_store *store)
{
    node_segments_clear(&store->segments);
    store->build++;
    store->short_of_room = false;
    store->used_bytes = store->bytes = store->n_blocks = store->first_hole = 0;
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
    double of_block = (double)bytes_of_block(&least) + of_widths;
    double of_blocks = totals.integrals * sizeof(double) + listed + blocks * of_block;
    return (double)bytes_of_head(LEAST_BUCKETS) +
           of_blocks * BYTES_PER_BUCKET / (BYTES_PER_BUCKET - sizeof(int64_t));
}

/* Source of the constants: the finalizer of MurmurHash3 (A. Appleby, public domain). */
static uint64_t mix_tile_number(uint64_t x)
{
    x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ x >> 33;
}

static uint64_t hash_of(const struct tile_quartet *quartet, int group)
{
    uint64_t hash = mix_tile_number((uint64_t)quartet->I + (uint64_t)group);
    hash = mix_tile_number(hash + (uint64_t)quartet->J);
    hash = mix_tile_number(hash + (uint64_t)quartet->K);
    return mix_tile_number(hash + (uint64_t)quartet->L);
}

static _Atomic int64_t *find_bucket(struct segment_head *head, uint64_t hash)
{
    return &head->buckets[hash & (uint64_t)(head->n_buckets - 1)];
}

static bool is_same_quartet(const struct tile_quartet *a, const struct tile_quartet *b)
{
    return a->I == b->I && a->J == b->J && a->K == b->K && a->L == b->L;
}

/* The block of a tile quartet in a segment; NULL: it has none. */
static struct kept_block *find_kept_block(const struct node_segment *segment, int64_t build,
                                          const struct tile_quartet *quartet, int group,
                                          uint64_t hash)
{
    struct segment_head *head = head_of(segment);
    if (atomic_load(&head->build) != build || head->n_buckets == 0)
        return NULL;
    int64_t place = atomic_load(find_bucket(head, hash));
    while (place > 0) {
        struct kept_block *block = block_at(segment, place);
        if (is_same_quartet(&block->quartet, quartet) && block->group == group)
            return block;
        place = block->next;
    }
    return NULL;
}

static struct kept_quartets *take_block(struct integral_store *store, struct kept_block *block)
{
    kept_quartets_init(&block->size, store->unit, block + 1, &store->found);
    return &store->found;
}

struct kept_quartets *integral_store_find(struct integral_store *store,
                                          const struct tile_quartet *quartet, int group)
{
    const struct node_segments *segments = &store->segments;
    struct kept_block *block = NULL;
    uint64_t hash = hash_of(quartet, group);
    if (store->used_bytes > 0)
        block = find_kept_block(&segments->own, store->build, quartet, group, hash);
    for (int i = 0; i < segments->n_others && !block; i++)
        block = find_kept_block(&segments->others[i], store->build, quartet, group, hash);
    if (!block)
        return NULL;
    atomic_store_explicit(&block->build, store->build, memory_order_relaxed);
    return take_block(store, block);
}

static void put_into_bucket(struct integral_store *store, struct kept_block *block)
{
    const struct node_segment *own = &store->segments.own;
    _Atomic int64_t *bucket = find_bucket(head_of(own), hash_of(&block->quartet, block->group));
    block->next = atomic_load(bucket);
    atomic_store(bucket, (char *)block - own->start);
    store->bytes += block->bytes;
    store->n_blocks++;
}

/* Without blocks in memory. */
static void empty_buckets(struct integral_store *store)
{
    struct segment_head *head = head_of(&store->segments.own);
    for (int64_t i = 0; i < head->n_buckets; i++)
        atomic_store_explicit(&head->buckets[i], 0, memory_order_relaxed);
    store->bytes = bytes_of_head(head->n_buckets);
    store->n_blocks = 0;
}

/* Makes holes of the blocks that no build from this one on has asked for. Neighbouring holes become
 * one, and a hole at the end becomes unused memory. */
static void drop_blocks_before(struct integral_store *store, int64_t build)
{
    const struct node_segment *own = &store->segments.own;
    int64_t first = bytes_of_head(head_of(own)->n_buckets), *last = &store->first_hole;
    struct kept_block *hole = NULL;
    empty_buckets(store);
    for (int64_t place = first, bytes; place < store->used_bytes; place += bytes) {
        struct kept_block *block = block_at(own, place);
        bytes = block->bytes;
        if (block->build >= build) {
            put_into_bucket(store, block);
            last = hole ? &hole->next : last;
            hole = NULL;
        } else if (hole) {
            hole->bytes += bytes;
        } else {
            *last = place;
            hole = block;
        }
    }
    *last = 0;
    store->used_bytes -= hole ? hole->bytes : 0;
}

void integral_store_begin(struct integral_store *store)
{
    if (store->short_of_room && store->used_bytes > 0)
        drop_blocks_before(store, store->build);
    store->short_of_room = false;
    store->build++;
    if (store->used_bytes > 0)
        atomic_store(&head_of(&store->segments.own)->build, store->build);
}

/* Memory beyond the blocks; NULL without room. */
static struct kept_block *append_block(struct integral_store *store, int64_t bytes)
{
    if (store->used_bytes == 0)
        start_segment(store);
    int64_t used_bytes = store->used_bytes + bytes;
    if (store->used_bytes == 0 || used_bytes > store->bound_bytes ||
        !node_segments_take(&store->segments, store->used_bytes, bytes))
        return NULL;
    struct kept_block *block = block_at(&store->segments.own, store->used_bytes);
    store->used_bytes = used_bytes;
    block->bytes = bytes;
    return block;
}

/* Leaves a hole behind the block's first bytes, if another block can be there. */
static void split_hole(const struct node_segment *own, struct kept_block *block, int64_t bytes)
{
    int64_t rest = block->bytes - bytes, place = (char *)block - own->start + bytes;
    if (rest < (int64_t)sizeof *block)
        return;
    *block_at(own, place) = (struct kept_block){.next = block->next, .bytes = rest, .build = -1};
    block->next = place;
    block->bytes = bytes;
}

/* Takes the first hole that is large enough; NULL: there is none. */
static struct kept_block *fill_hole(struct integral_store *store, int64_t bytes)
{
    const struct node_segment *own = &store->segments.own;
    int64_t *link = &store->first_hole;
    while (*link > 0 && block_at(own, *link)->bytes < bytes)
        link = &block_at(own, *link)->next;
    if (*link == 0)
        return NULL;
    struct kept_block *block = block_at(own, *link);
    split_hole(own, block, bytes);
    *link = block->next;
    return block;
}

bool integral_store_is_full(const struct integral_store *store)
{
    int64_t granted = store->segments.own.bytes;
    int64_t most = granted < store->bound_bytes ? granted : store->bound_bytes;
    int64_t room = most - store->used_bytes;
    int64_t mean = store->n_blocks > 0 ? store->bytes / store->n_blocks : 0;
    bool has_none = store->used_bytes == 0;
    return store->short_of_room && store->first_hole == 0 && (has_none || room < mean);
}

struct kept_quartets *integral_store_add(struct integral_store *store,
                                         const struct tile_quartet *quartet, int group,
                                         const struct kept_size *size)
{
    int64_t bytes = bytes_of_block(size);
    struct kept_block *block = fill_hole(store, bytes);
    if (!block)
        block = append_block(store, bytes);
    if (!block) {
        store->short_of_room = true;
        return NULL;
    }
    *block = (struct kept_block){.quartet = *quartet,
                                 .group = group,
                                 .size = *size,
                                 .bytes = block->bytes,
                                 .build = store->build};
    put_into_bucket(store, block);
    return take_block(store, block);
}

int64_t integral_store_bytes(const struct integral_store *store)
{
    return store->bytes;
}
