/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/digestion/fock_digest.h"

#include "support/base/vector_unit.h"

#include <stdlib.h>

static int64_t size_of_blocks(const struct tiling *tiling)
{
    int64_t n = tiling->shells->max_group_functions;
    return (n * n + 2 * (int64_t)BLOCK_CHUNK - 1) / BLOCK_CHUNK * BLOCK_CHUNK;
}

static int64_t bytes_of_lanes(const struct tiling *tiling)
{
    return 8 * size_of_blocks(tiling) * QUARTET_LANES * (int64_t)sizeof(double);
}

int64_t fock_digest_bytes(const struct tiling *tiling)
{
    return group_blocks_bytes(tiling) + bytes_of_lanes(tiling);
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

enum status fock_digest_create(const struct tiling *tiling, struct fock_digest **digest)
{
    struct fock_digest *made = *digest = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for the digestion of integrals"));
    made->kernels = kernels_here();
    made->size = size_of_blocks(tiling);
    made->lanes = aligned_alloc(64, (size_t)bytes_of_lanes(tiling));
    TRY(CHECK_MEMORY(made->lanes, "no memory for the digestion of integrals"));
    return group_blocks_create(tiling, &made->blocks);
}

void fock_digest_destroy(struct fock_digest *digest)
{
    if (!digest)
        return;
    group_blocks_destroy(&digest->blocks);
    free(digest->lanes);
    free(digest);
}

/* A bra and the places of its exchange blocks. The block of its group i (a or b) with group x of
 * the ket's tile k is at base[i][k][x * step[i]]. */
struct digest_bra {
    int32_t number; /* among the pairs */
    int32_t place;  /* of its Coulomb block */
    double weight;  /* 1/2 for a = b */
    const int32_t *base[2][2];
    int64_t step[2];
};

/* Tiles of the roles base and base + 1. */
static int32_t coulomb_place(const struct group_blocks *blocks, const struct shell_pair *pair,
                             int base)
{
    const struct packed_tile *tile = &blocks->tile[base / 2];
    int64_t x = (pair->swapped ? pair->second : pair->first) - blocks->first_group[base];
    int64_t y = (pair->swapped ? pair->first : pair->second) - blocks->first_group[base + 1];
    return tile->place[x * tile->n_columns + y];
}

static void set_bra(const struct group_blocks *blocks, const struct digest_batch *batch,
                    int32_t number, struct digest_bra *bra)
{
    const struct shell_pair *pair = &batch->quartets->bra->pairs[number];
    *bra = (struct digest_bra){.number = number,
                               .place = coulomb_place(blocks, pair, batch->bra_role),
                               .weight = pair->first == pair->second ? 0.5 : 1};
    for (int i = 0; i < 2; i++) {
        int role = batch->bra_role + (i ^ pair->swapped);
        int64_t group = (i == 0 ? pair->first : pair->second) - blocks->first_group[role];
        for (int k = 0; k < 2; k++) {
            /* Blocks are those of a group of I or J with one of K or L. */
            bool in_order = batch->bra_role == 0;
            const struct packed_tile *tile =
                &blocks->tile[in_order ? ROLES_IK + 2 * role + k : ROLES_IK + 2 * k + role - 2];
            bra->base[i][k] = tile->place + (in_order ? group * tile->n_columns : group);
            bra->step[i] = in_order ? 1 : tile->n_columns;
        }
    }
}

static double weight_in_orbit(const struct digest_batch *batch, const struct shell_pair *bra,
                              const struct shell_pair *ket)
{
    if (!batch->orbits)
        return 1;
    return batch->bra_role == 0 ? quartet_orbits_weight(batch->orbits, bra, ket)
                                : quartet_orbits_weight(batch->orbits, ket, bra);
}

static void set_lanes(const struct group_blocks *blocks, const struct digest_batch *batch,
                      int32_t first, struct digest_bra *bra, struct digest_lanes *set)
{
    const struct quartet_batch *quartets = batch->quartets;
    int32_t left = quartets->n_quartets - first;
    set->one_bra = true;
    set->n_used = left < QUARTET_LANES ? left : QUARTET_LANES;
    for (int lane = 0; lane < QUARTET_LANES; lane++) {
        bool used = lane < set->n_used;
        const struct quartet *quartet = &quartets->quartets[first + (used ? lane : 0)];
        const struct shell_pair *ket = &quartets->ket->pairs[quartet->ket];
        if (quartet->bra != bra->number) {
            set_bra(blocks, batch, quartet->bra, bra);
            set->one_bra &= lane == 0;
        }
        int k = ket->swapped;
        int64_t c = ket->first - blocks->first_group[batch->ket_role + k];
        int64_t d = ket->second - blocks->first_group[batch->ket_role + !k];
        set->place[AB][lane] = bra->place;
        set->place[CD][lane] = coulomb_place(blocks, ket, batch->ket_role);
        set->place[AC][lane] = bra->base[0][k][c * bra->step[0]];
        set->place[AD][lane] = bra->base[0][!k][d * bra->step[0]];
        set->place[BC][lane] = bra->base[1][k][c * bra->step[1]];
        set->place[BD][lane] = bra->base[1][!k][d * bra->step[1]];
        double weight = ket->first == ket->second ? bra->weight / 2 : bra->weight;
        const struct shell_pair *bra_pair = &quartets->bra->pairs[quartet->bra];
        if (batch->same_tile_pair && bra_pair == ket)
            weight /= 2;
        set->weight[lane] = used ? weight * weight_in_orbit(batch, bra_pair, ket) : 0;
    }
}

void fock_digest_symmetric(struct fock_digest *digest, const struct quartet_views *views,
                           const struct digest_batch *batch)
{
    const struct pair_class *bra_class = batch->quartets->bra, *ket_class = batch->quartets->ket;
    int64_t n_integrals = quartet_n_integrals(bra_class, ket_class);
    struct digest_bra bra = {.number = -1};
    group_blocks_begin(&digest->blocks, views);
    struct digest_blocks blocks = {
        .n = {bra_class->n_first, bra_class->n_second, ket_class->n_first, ket_class->n_second},
        .in_order = batch->bra_role == 0,
        .n_coulomb = views->kind.n_coulomb,
        .n_exchange = views->kind.n_matrices,
        .D = digest->blocks.D,
        .A = digest->blocks.A,
        .scratch = digest->lanes,
        .size = digest->size};
    for (int32_t i = 0; i < batch->quartets->n_quartets; i += QUARTET_LANES) {
        struct digest_lanes set;
        set_lanes(&digest->blocks, batch, i, &bra, &set);
        digest->kernels->digest(&blocks, &set, batch->integrals + batch_place(n_integrals, i, 0));
    }
}

void fock_digest_end(struct fock_digest *digest, const struct quartet_views *views)
{
    group_blocks_end(&digest->blocks, views);
}
