/* SPDX-License-Identifier: BSD-3-Clause */
/* The tiles of D and A that a tile quartet touches (fock_tiles.h), packed block by block of two
 * groups of shells. Vector instructions take the elements of a block together, and the blocks of
 * several quartets side by side.
 *
 * A block of groups x and y of n_x and n_y functions is row-major, n_x x n_y. In blocks of tiles I
 * and J, or K and L, the first group is the one of higher type, as in shell pairs; in other blocks
 * it is of I or J. D contains the factors of its terms. */
#include "hf/digestion/fock_digest.h"

#include "hf/digestion/digest_kernels.h"
#include "support/vectors/vector_unit.h"

#include <stdlib.h>
#include <string.h>

/* Pairs of roles; the first two for Coulomb, the others for exchange terms. */
enum role_pair { ROLES_IJ, ROLES_KL, ROLES_IK, ROLES_IL, ROLES_JK, ROLES_JL, N_ROLE_PAIRS };
static const int roles_of_pair[N_ROLE_PAIRS][2] = {{0, 1}, {2, 3}, {0, 2}, {0, 3}, {1, 2}, {1, 3}};

/* Offsets of the blocks of a pair of roles: block (x, y) of groups x, y of the two roles is at
 * place[x * n_columns + y] of D and A. */
struct packed_tile {
    int32_t *place;
    int64_t n_columns; /* groups of the second role */
};

/* A group of the tile of a role: its first function within the tile, its functions and its type. */
struct role_group {
    int32_t function, n, type;
};

struct group_blocks {
    const struct tiling *tiling;
    struct role_group *groups[4]; /* of the tile of each role */
    struct packed_tile tile[N_ROLE_PAIRS];
    int64_t first_group[4]; /* of the tile of each role */
    double *D[FOCK_MAX_MATRICES],
        *A[FOCK_MAX_MATRICES]; /* of exchange of each, and of Coulomb densities */
    int64_t size;              /* elements in use */
    bool begun;
    void *memory;
};

/* A shell pair of the tiles of a quartet, and the packed block of its two groups. */
struct placed_pair {
    int32_t place;    /* of the block */
    int32_t group[2]; /* the first and the second, numbered within their tiles */
    int32_t swapped;  /* the first is of tile J or L */
    double weight;    /* 1/2 for a group with itself, else 1 */
};

struct fock_digest {
    const struct digest_kernels *kernels; /* for the processor's vectors */
    struct group_blocks blocks;
    const struct shell_pairs *pairs[2]; /* of tiles I and J, of K and L; borrowed */
    struct placed_pair *placed[2];      /* each of these pairs, class by class */
    int64_t size;  /* of the largest block of two groups, a chunk of zeros included */
    double *lanes; /* scratch of the kernels (digest_kernels.h) */
};

/* --- tiles in blocks --- */

/* Elements that a block takes: whole chunks, but one for one. */
static int64_t block_size(int64_t n_elements)
{
    return n_elements == 1 ? 1 : (n_elements + BLOCK_CHUNK - 1) / BLOCK_CHUNK * BLOCK_CHUNK;
}

/* Elements of all tiles at most: a block, or the gap before it, adds less than a chunk. */
static int64_t largest_size(const struct tiling *tiling)
{
    int64_t n_functions = tiling->max_functions, n_groups = tiling->max_groups;
    return N_ROLE_PAIRS * (n_functions * n_functions + (BLOCK_CHUNK - 1) * n_groups * n_groups) +
           INT64_C(2) * BLOCK_CHUNK;
}

static int64_t bytes_of_places(const struct tiling *tiling)
{
    int64_t bytes = tiling->max_groups * tiling->max_groups * (int64_t)sizeof(int32_t);
    return (bytes + 63) / 64 * 64;
}

static int64_t bytes_of_groups(const struct tiling *tiling)
{
    return (tiling->max_groups * (int64_t)sizeof(struct role_group) + 63) / 64 * 64;
}

static int64_t bytes_of_elements(const struct tiling *tiling)
{
    return (largest_size(tiling) * (int64_t)sizeof(double) + 63) / 64 * 64;
}

static int64_t bytes_of_group_blocks(const struct tiling *tiling, int n_matrices)
{
    return N_ROLE_PAIRS * bytes_of_places(tiling) + 4 * bytes_of_groups(tiling) +
           INT64_C(2) * n_matrices * bytes_of_elements(tiling);
}

static enum status create_blocks(const struct tiling *tiling, int n_matrices,
                                 struct group_blocks *blocks)
{
    *blocks = (struct group_blocks){.tiling = tiling};
    blocks->memory = aligned_alloc(64, (size_t)bytes_of_group_blocks(tiling, n_matrices));
    TRY(CHECK_MEMORY(blocks->memory, "no memory for the tiles of a quartet"));
    char *next = blocks->memory;
    for (int pair = 0; pair < N_ROLE_PAIRS; pair++, next += bytes_of_places(tiling))
        blocks->tile[pair].place = (int32_t *)next;
    for (int role = 0; role < 4; role++, next += bytes_of_groups(tiling))
        blocks->groups[role] = (struct role_group *)next;
    for (int i = 0; i < n_matrices; i++) {
        blocks->D[i] = (double *)next;
        blocks->A[i] = (double *)(next + bytes_of_elements(tiling));
        next += 2 * bytes_of_elements(tiling);
    }
    return STATUS_OK;
}

static void destroy_blocks(struct group_blocks *blocks)
{
    free(blocks->memory);
    blocks->memory = NULL;
}

/* A block in the tiles of the views: element (i, j) is at first + i * stride[0] + j * stride[1]. */
struct view_block {
    int64_t first, stride[2];
    int n[2];
    int32_t place; /* in the packed tile */
};

/* Calls function for each block of a pair of roles; inlined with it, as blocks are small. */
static inline __attribute__((always_inline)) void
visit_blocks(const struct group_blocks *blocks, const struct quartet_views *views, int pair,
             void (*function)(const struct view_block *block, void *context), void *context)
{
    const struct packed_tile *tile = &blocks->tile[pair];
    const int *roles = roles_of_pair[pair];
    const struct tile_view *view = &views->view[roles[0]][roles[1]];
    const struct role_group *rows = blocks->groups[roles[0]];
    const struct role_group *columns = blocks->groups[roles[1]];
    int64_t n_rows = tile_n_groups(blocks->tiling, views->tile[roles[0]]);
    for (int64_t x = 0; x < n_rows; x++)
        for (int64_t y = 0; y < tile->n_columns; y++) {
            bool swapped = pair <= ROLES_KL && rows[x].type < columns[y].type;
            struct view_block block = {
                .first = rows[x].function * view->stride[0] + columns[y].function * view->stride[1],
                .stride = {view->stride[swapped], view->stride[!swapped]},
                .n = {swapped ? columns[y].n : rows[x].n, swapped ? rows[x].n : columns[y].n},
                .place = tile->place[x * tile->n_columns + y]};
            function(&block, context);
        }
}

static void set_groups(struct group_blocks *blocks, const struct quartet_views *views, int role)
{
    const struct shells *shells = blocks->tiling->shells;
    int64_t first = blocks->first_group[role], n = tile_n_groups(blocks->tiling, views->tile[role]);
    for (int64_t x = 0; x < n; x++) {
        const struct shell_group *group = &shells->groups[first + x];
        blocks->groups[role][x] =
            (struct role_group){(int32_t)view_function(views, role, group->first_function),
                                shells->types[group->type].n_functions, (int32_t)group->type};
    }
}

static void set_places(struct group_blocks *blocks, const struct quartet_views *views, int pair)
{
    struct packed_tile *tile = &blocks->tile[pair];
    const int *roles = roles_of_pair[pair];
    const struct role_group *rows = blocks->groups[roles[0]];
    const struct role_group *columns = blocks->groups[roles[1]];
    int64_t n_rows = tile_n_groups(blocks->tiling, views->tile[roles[0]]);
    tile->n_columns = tile_n_groups(blocks->tiling, views->tile[roles[1]]);
    int64_t next = blocks->size;
    for (int64_t x = 0; x < n_rows; x++)
        for (int64_t y = 0; y < tile->n_columns; y++) {
            int64_t n_elements = (int64_t)rows[x].n * columns[y].n;
            if (n_elements > 1)
                next = (next + BLOCK_CHUNK - 1) / BLOCK_CHUNK * BLOCK_CHUNK;
            tile->place[x * tile->n_columns + y] = (int32_t)next;
            next += block_size(n_elements);
        }
    blocks->size = next;
}

/* A matrix in the views and its packed form. */
struct packing {
    const double *from;
    double *to;
    double factor;
};

static inline void pack_block(const struct view_block *block, void *context)
{
    const struct packing *packing = context;
    const double *from = packing->from + block->first;
    double *restrict to = packing->to + block->place;
    double factor = packing->factor;
    int n_0 = block->n[0], n_1 = block->n[1];
    int64_t stride_0 = block->stride[0], stride_1 = block->stride[1];
    if (n_1 == 1) {
        for (int i = 0; i < n_0; i++)
            to[i] = factor * from[i * stride_0];
        return;
    }
    for (int i = 0; i < n_0; i++)
        for (int j = 0; j < n_1; j++)
            to[i * n_1 + j] = factor * from[i * stride_0 + j * stride_1];
}

static inline void add_block(const struct view_block *block, void *context)
{
    const struct packing *packing = context;
    const double *from = packing->from + block->place;
    double *restrict to = packing->to + block->first;
    int n_0 = block->n[0], n_1 = block->n[1];
    int64_t stride_0 = block->stride[0], stride_1 = block->stride[1];
    if (n_1 == 1) {
        for (int i = 0; i < n_0; i++)
            to[i * stride_0] += from[i];
        return;
    }
    for (int i = 0; i < n_0; i++)
        for (int j = 0; j < n_1; j++)
            to[i * stride_0 + j * stride_1] += from[i * n_1 + j];
}

/* Number of matrices of a pair of roles in use. */
static int n_used(const struct quartet_views *views, int pair)
{
    return pair <= ROLES_KL ? views->kind.n_coulomb : views->kind.n_matrices;
}

static void pack_tiles(struct group_blocks *blocks, const struct quartet_views *views)
{
    if (blocks->begun)
        return;
    blocks->begun = true;
    blocks->size = 0;
    for (int role = 0; role < 4; role++) {
        blocks->first_group[role] = blocks->tiling->first_group[views->tile[role]];
        set_groups(blocks, views, role);
    }
    for (int pair = 0; pair < N_ROLE_PAIRS; pair++)
        set_places(blocks, views, pair);
    for (int i = 0; i < views->kind.n_matrices; i++) {
        memset(blocks->D[i], 0, (size_t)(blocks->size + BLOCK_CHUNK) * sizeof(double));
        memset(blocks->A[i], 0, (size_t)(blocks->size + BLOCK_CHUNK) * sizeof(double));
    }
    for (int pair = 0; pair < N_ROLE_PAIRS; pair++) {
        const struct tile_view *view = &views->view[roles_of_pair[pair][0]][roles_of_pair[pair][1]];
        bool coulomb = pair <= ROLES_KL;
        for (int i = 0; i < n_used(views, pair); i++) {
            struct packing packing = {.from = coulomb ? view->D->coulomb[i] : view->D->exchange[i],
                                      .to = blocks->D[i],
                                      .factor = coulomb ? 2 * views->kind.coulomb_scale
                                                        : views->kind.exchange_scale};
            visit_blocks(blocks, views, pair, pack_block, &packing);
        }
    }
}

static void add_tiles(struct group_blocks *blocks, const struct quartet_views *views)
{
    if (!blocks->begun)
        return;
    blocks->begun = false;
    for (int pair = 0; pair < N_ROLE_PAIRS; pair++) {
        const struct tile_view *view = &views->view[roles_of_pair[pair][0]][roles_of_pair[pair][1]];
        for (int i = 0; i < n_used(views, pair); i++) {
            struct packing packing = {.from = blocks->A[i],
                                      .to =
                                          pair <= ROLES_KL ? view->coulomb[i] : view->exchange[i]};
            visit_blocks(blocks, views, pair, add_block, &packing);
        }
    }
}

/* --- quartets that stand for their orbit --- */

static int64_t size_of_blocks(const struct tiling *tiling)
{
    int64_t n = tiling->shells->max_group_functions;
    return (n * n + 2 * (int64_t)BLOCK_CHUNK - 1) / BLOCK_CHUNK * BLOCK_CHUNK;
}

static int64_t bytes_of_lanes(const struct tiling *tiling)
{
    return DIGEST_SCRATCH_BLOCKS * size_of_blocks(tiling) * QUARTET_LANES * (int64_t)sizeof(double);
}

static int64_t bytes_of_placed_pairs(const struct tiling *tiling)
{
    return tiling->max_groups * tiling->max_groups * (int64_t)sizeof(struct placed_pair);
}

int64_t fock_digest_bytes(const struct tiling *tiling, int n_matrices)
{
    return bytes_of_group_blocks(tiling, n_matrices) + bytes_of_lanes(tiling) +
           2 * bytes_of_placed_pairs(tiling);
}

static const struct digest_kernels *kernels_here(void)
{
#ifdef __x86_64__
    if (vector_unit_here() >= VECTOR_UNIT_AVX2)
        return vector_unit_here() >= VECTOR_UNIT_AVX512 ? &digest_kernels_avx512
                                                        : &digest_kernels_avx2;
#endif
    return &digest_kernels_baseline;
}

enum status fock_digest_create(const struct tiling *tiling, int n_matrices,
                               struct fock_digest **digest)
{
    struct fock_digest *made = *digest = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for the digestion of integrals"));
    made->kernels = kernels_here();
    made->size = size_of_blocks(tiling);
    made->lanes = aligned_alloc(64, (size_t)bytes_of_lanes(tiling));
    TRY(CHECK_MEMORY(made->lanes, "no memory for the digestion of integrals"));
    for (int side = 0; side < 2; side++) {
        made->placed[side] = malloc((size_t)bytes_of_placed_pairs(tiling));
        TRY(CHECK_MEMORY(made->placed[side], "no memory for the digestion of integrals"));
    }
    return create_blocks(tiling, n_matrices, &made->blocks);
}

void fock_digest_destroy(struct fock_digest *digest)
{
    if (!digest)
        return;
    destroy_blocks(&digest->blocks);
    for (int side = 0; side < 2; side++)
        free(digest->placed[side]);
    free(digest->lanes);
    free(digest);
}

/* Places the pairs of the tiles of roles `base` and base + 1. */
static void place_pairs(const struct group_blocks *blocks, const struct shell_pairs *pairs,
                        int base, struct placed_pair *placed)
{
    const struct packed_tile *tile = &blocks->tile[base / 2];
    for (int c = 0; c < pairs->n_classes; c++) {
        const struct pair_class *class = &pairs->classes[c];
        for (int32_t i = 0; i < class->n_pairs; i++) {
            const struct shell_pair *pair = &class->pairs[i];
            int32_t first = (int32_t)(pair->first - blocks->first_group[base + pair->swapped]);
            int32_t second = (int32_t)(pair->second - blocks->first_group[base + !pair->swapped]);
            int32_t row = pair->swapped ? second : first, column = pair->swapped ? first : second;
            placed[class->first_pair + i] =
                (struct placed_pair){.place = tile->place[row * tile->n_columns + column],
                                     .group = {first, second},
                                     .swapped = pair->swapped,
                                     .weight = pair->first == pair->second ? 0.5 : 1};
        }
    }
}

/* Packs the tiles at the first batch of a tile quartet. */
static void begin_blocks(struct fock_digest *digest, const struct quartet_views *views)
{
    if (digest->blocks.begun)
        return;
    pack_tiles(&digest->blocks, views);
    for (int side = 0; side < 2; side++)
        place_pairs(&digest->blocks, digest->pairs[side], 2 * side, digest->placed[side]);
}

/* Offsets of a batch's exchange blocks: the block of group x of the bra's tile i and group y of the
 * ket's tile k is at place[i][k][x * bra_step[i][k] + y * ket_step[i][k]]. */
struct exchange_places {
    const int32_t *place[2][2];
    int64_t bra_step[2][2], ket_step[2][2];
};

static void find_exchange_places(const struct group_blocks *blocks, bool in_order,
                                 struct exchange_places *places)
{
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            /* The first group of a block is of I or J, the second of K or L. */
            const struct packed_tile *tile =
                &blocks->tile[in_order ? ROLES_IK + 2 * i + k : ROLES_IK + 2 * k + i];
            places->place[i][k] = tile->place;
            places->bra_step[i][k] = in_order ? tile->n_columns : 1;
            places->ket_step[i][k] = in_order ? 1 : tile->n_columns;
        }
}

/* A bra and the places of its exchange blocks. The block of its group i (a or b) with group x of
 * the ket's tile k is at base[i][k][x * step[i]]. */
struct digest_bra {
    int32_t number; /* among the pairs of its class */
    const struct placed_pair *pair;
    const int32_t *base[2][2];
    int64_t step[2];
};

static inline void set_bra(const struct placed_pair *pair, const struct exchange_places *places,
                           struct digest_bra *bra)
{
    bra->pair = pair;
    for (int i = 0; i < 2; i++) {
        int tile = i ^ pair->swapped;
        for (int k = 0; k < 2; k++)
            bra->base[i][k] = places->place[tile][k] + pair->group[i] * places->bra_step[tile][k];
        bra->step[i] = places->ket_step[tile][0]; /* for both k */
    }
}

static inline void place_in_lane(const struct digest_bra *bra, const struct placed_pair *ket,
                                 int lane, struct digest_lanes *set)
{
    int k = ket->swapped;
    int64_t c0 = ket->group[0] * bra->step[0], d0 = ket->group[1] * bra->step[0];
    int64_t c1 = ket->group[0] * bra->step[1], d1 = ket->group[1] * bra->step[1];
    set->place[AB][lane] = bra->pair->place;
    set->place[CD][lane] = ket->place;
    set->place[AC][lane] = bra->base[0][k][c0];
    set->place[AD][lane] = bra->base[0][!k][d0];
    set->place[BC][lane] = bra->base[1][k][c1];
    set->place[BD][lane] = bra->base[1][!k][d1];
    set->weight[lane] = bra->pair->weight * ket->weight;
}

static void set_lanes(const struct fock_digest *digest, const struct digest_batch *batch,
                      const struct exchange_places *places, int32_t first, struct digest_bra *bra,
                      struct digest_lanes *set)
{
    const struct quartet *quartets = batch->quartets->quartets + first;
    const struct placed_pair *bras =
        digest->placed[batch->bra_role / 2] + batch->quartets->bra->first_pair;
    const struct placed_pair *kets =
        digest->placed[batch->ket_role / 2] + batch->quartets->ket->first_pair;
    bool one_class = batch->same_tile_pair && batch->quartets->bra == batch->quartets->ket;
    int32_t left = batch->quartets->n_quartets - first;
    set->one_bra = true;
    set->n_used = left < QUARTET_LANES ? left : QUARTET_LANES;
    for (int lane = 0; lane < set->n_used; lane++) {
        struct quartet quartet = quartets[lane];
        if (quartet.bra != bra->number) {
            bra->number = quartet.bra;
            set_bra(&bras[quartet.bra], places, bra);
            set->one_bra &= lane == 0;
        }
        place_in_lane(bra, &kets[quartet.ket], lane, set);
        if (one_class && quartet.bra == quartet.ket)
            set->weight[lane] /= 2;
    }
    if (batch->orbits) {
        const int32_t first_pair[2] = {batch->quartets->bra->first_pair,
                                       batch->quartets->ket->first_pair};
        quartet_orbits_weigh(batch->orbits, quartets, set->n_used, first_pair, batch->bra_role != 0,
                             set->weight);
    }
    for (int lane = set->n_used; lane < QUARTET_LANES; lane++) {
        for (int i = 0; i < N_CHOICES; i++)
            set->place[i][lane] = set->place[i][0];
        set->weight[lane] = 0;
    }
}

void fock_digest_begin(struct fock_digest *digest, const struct shell_pairs *IJ,
                       const struct shell_pairs *KL)
{
    digest->pairs[0] = IJ;
    digest->pairs[1] = KL;
}

void fock_digest_symmetric(struct fock_digest *digest, const struct quartet_views *views,
                           const struct digest_batch *batch)
{
    const struct pair_class *bra_class = batch->quartets->bra, *ket_class = batch->quartets->ket;
    int64_t n_integrals = quartet_n_integrals(bra_class, ket_class);
    struct digest_bra bra = {.number = -1};
    begin_blocks(digest, views);
    struct exchange_places places;
    find_exchange_places(&digest->blocks, batch->bra_role == 0, &places);
    struct digest_blocks blocks = {
        .n = {bra_class->n_first, bra_class->n_second, ket_class->n_first, ket_class->n_second},
        .in_order = batch->bra_role == 0,
        .n_coulomb = views->kind.n_coulomb,
        .n_exchange = views->kind.n_matrices,
        .D = digest->blocks.D,
        .A = digest->blocks.A,
        .scratch = digest->lanes,
        .size = digest->size};
    digest_function *sized = digest->kernels->find(blocks.n, blocks.in_order);
    digest_function *digest_set = sized ? sized : digest->kernels->digest;
    int32_t open_bra = -1; /* whose Coulomb blocks are in scratch */
    for (int32_t i = 0; i < batch->quartets->n_quartets; i += QUARTET_LANES) {
        struct digest_lanes set;
        int32_t open_place = bra.pair ? bra.pair->place : 0;
        set_lanes(digest, batch, &places, i, &bra, &set);
        if (open_bra >= 0 && !(set.one_bra && bra.number == open_bra)) {
            digest->kernels->close_bra(&blocks, open_place);
            open_bra = -1;
        }
        if (set.one_bra && open_bra < 0) {
            digest->kernels->open_bra(&blocks, bra.pair->place);
            open_bra = bra.number;
        }
        digest_set(&blocks, &set, batch->integrals + batch_place(n_integrals, i, 0));
    }
    if (open_bra >= 0)
        digest->kernels->close_bra(&blocks, bra.pair->place);
}

void fock_digest_end(struct fock_digest *digest, const struct quartet_views *views)
{
    add_tiles(&digest->blocks, views);
}

/* --- quartets that stand for themselves --- */

/* The four shells a, b, c, d of a quartet, in the order of the integrals. */
struct quartet_shells {
    int role[4];
    int64_t x[4]; /* first function, within the tile */
    int n[4];     /* functions */
};

/* A pair's block of density D and of A to add to, with common strides. */
struct block {
    const double *D;
    double *A;
    int64_t stride[2];
};

/* The block of shells p and q, of a Coulomb density or else of a matrix. */
static struct block find_block(const struct quartet_views *views,
                               const struct quartet_shells *shells, bool coulomb, int number, int p,
                               int q)
{
    const struct tile_view *view = &views->view[shells->role[p]][shells->role[q]];
    int64_t at = shells->x[p] * view->stride[0] + shells->x[q] * view->stride[1];
    const double *D = coulomb ? view->D->coulomb[number] : view->D->exchange[number];
    double *A = coulomb ? view->coulomb[number] : view->exchange[number];
    return (struct block){D + at, A + at, {view->stride[0], view->stride[1]}};
}

/* Roles of a pair's first and second shell, its tiles being roles base, base + 1. */
static void set_shells_of_pair(const struct quartet_views *views, const struct pair_class *class,
                               int32_t pair_index, int base, struct quartet_shells *shells, int at)
{
    const struct shell_pair *pair = &class->pairs[pair_index];
    shells->role[at] = base + pair->swapped;
    shells->role[at + 1] = base + !pair->swapped;
    shells->x[at] = view_function(views, shells->role[at], pair->function[0]);
    shells->x[at + 1] = view_function(views, shells->role[at + 1], pair->function[1]);
    shells->n[at] = class->n_first;
    shells->n[at + 1] = class->n_second;
}

/* A_ij += factor D_kl v where (i, j) and (k, l) are shells (p, p') of the quartet. */
static void add_ordered(const struct block *to, const struct block *from, const int64_t v_stride[4],
                        const int n[4], double factor, const double *v)
{
    for (int i = 0; i < n[0]; i++) {
        for (int j = 0; j < n[1]; j++) {
            double sum = 0;
            for (int k = 0; k < n[2]; k++)
                for (int l = 0; l < n[3]; l++)
                    sum += from->D[k * from->stride[0] + l * from->stride[1]] *
                           v[i * v_stride[0] + j * v_stride[1] + k * v_stride[2] + l * v_stride[3]];
            to->A[i * to->stride[0] + j * to->stride[1]] += factor * sum;
        }
    }
}

void fock_digest_ordered(const struct quartet_views *views, const struct digest_batch *batch)
{
    const struct pair_class *bra = batch->quartets->bra, *ket = batch->quartets->ket;
    int64_t n_integrals = quartet_n_integrals(bra, ket);
    double coulomb_factor = 0.5 * views->kind.coulomb_scale;
    double exchange_factor = 0.5 * views->kind.exchange_scale;
    for (int32_t q = 0; q < batch->quartets->n_quartets; q++) {
        const double *v = batch->integrals + batch_place(n_integrals, q, 0);
        const struct quartet *quartet = &batch->quartets->quartets[q];
        struct quartet_shells shells;
        set_shells_of_pair(views, bra, quartet->bra, batch->bra_role, &shells, 0);
        set_shells_of_pair(views, ket, quartet->ket, batch->ket_role, &shells, 2);
        int at[4]; /* position among the integral's indices of roles I, J, K, L */
        for (int p = 0; p < 4; p++)
            at[shells.role[p]] = p;
        int64_t stride[4] = {(int64_t)shells.n[1] * shells.n[2] * shells.n[3] * QUARTET_LANES,
                             (int64_t)shells.n[2] * shells.n[3] * QUARTET_LANES,
                             (int64_t)shells.n[3] * QUARTET_LANES, QUARTET_LANES};
        const int *n = shells.n;

        for (int c = 0; c < views->kind.n_coulomb; c++) {
            struct block ij = find_block(views, &shells, true, c, at[0], at[1]);
            struct block kl = find_block(views, &shells, true, c, at[2], at[3]);
            add_ordered(&ij, &kl,
                        (int64_t[]){stride[at[0]], stride[at[1]], stride[at[2]], stride[at[3]]},
                        (int[]){n[at[0]], n[at[1]], n[at[2]], n[at[3]]}, coulomb_factor, v);
        }
        for (int i = 0; i < views->kind.n_matrices; i++) {
            struct block ik = find_block(views, &shells, false, i, at[0], at[2]);
            struct block jl = find_block(views, &shells, false, i, at[1], at[3]);
            add_ordered(&ik, &jl,
                        (int64_t[]){stride[at[0]], stride[at[2]], stride[at[1]], stride[at[3]]},
                        (int[]){n[at[0]], n[at[2]], n[at[1]], n[at[3]]}, exchange_factor, v);
        }
    }
}
