/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/digestion/fock_digest.h"

#include "support/vectors/vector_unit.h"

#include <stdlib.h>

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
    return group_blocks_bytes(tiling, n_matrices) + bytes_of_lanes(tiling) +
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
    return group_blocks_create(tiling, n_matrices, &made->blocks);
}

void fock_digest_destroy(struct fock_digest *digest)
{
    if (!digest)
        return;
    group_blocks_destroy(&digest->blocks);
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
    group_blocks_begin(&digest->blocks, views);
    for (int side = 0; side < 2; side++)
        place_pairs(&digest->blocks, digest->pairs[side], 2 * side, digest->placed[side]);
}

/* Where a batch's exchange blocks are: that of group x of the bra's tile i and group y of the ket's
 * tile k at place[i][k][x * bra_step[i][k] + y * ket_step[i][k]]. */
struct exchange_places {
    const int32_t *place[2][2];
    int64_t bra_step[2][2], ket_step[2][2];
};

static void find_exchange_places(const struct group_blocks *blocks, bool in_order,
                                 struct exchange_places *places)
{
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            /* Blocks are those of a group of I or J with one of K or L. */
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
    group_blocks_end(&digest->blocks, views);
}
