/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/fock/fock_digest.h"

#include "support/base/vector_clones.h"

#include <stdlib.h>
#include <string.h>

typedef double lanes __attribute__((vector_size(QUARTET_LANES * sizeof(double))));
typedef double chunk __attribute__((vector_size(BLOCK_CHUNK * sizeof(double))));

static int64_t size_of_blocks(const struct tiling *tiling)
{
    int64_t n = tiling->shells->max_group_functions;
    return (n * n + 2 * (int64_t)BLOCK_CHUNK - 1) / BLOCK_CHUNK * BLOCK_CHUNK;
}

static int64_t bytes_of_lanes(const struct tiling *tiling)
{
    return 8 * size_of_blocks(tiling) * (int64_t)sizeof(lanes);
}

int64_t fock_digest_bytes(const struct tiling *tiling)
{
    return group_blocks_bytes(tiling) + bytes_of_lanes(tiling);
}

enum status fock_digest_create(const struct tiling *tiling, struct fock_digest **digest)
{
    struct fock_digest *made = *digest = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for the digestion of integrals"));
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

void fock_digest_end(struct fock_digest *digest, const struct quartet_views *views)
{
    group_blocks_end(&digest->blocks, views);
}

/* The pairs of a quartet's groups a, b, c, d. */
enum group_choice { AB, CD, AC, AD, BC, BD, N_CHOICES };

/* Up to QUARTET_LANES quartets, one in each lane; unused lanes repeat the first with weight 0. */
struct digest_lanes {
    int32_t place[N_CHOICES][QUARTET_LANES]; /* of the blocks */
    double weight[QUARTET_LANES];            /* of the orbits; 0 in unused lanes */
    bool one_bra;                            /* in all lanes */
};

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

static void set_lanes(const struct group_blocks *blocks, const struct digest_batch *batch,
                      int32_t first, struct digest_bra *bra, struct digest_lanes *set)
{
    const struct quartet_batch *quartets = batch->quartets;
    set->one_bra = true;
    for (int lane = 0; lane < QUARTET_LANES; lane++) {
        bool used = first + lane < quartets->n_quartets;
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
        if (batch->same_tile_pair && &quartets->bra->pairs[quartet->bra] == ket)
            weight /= 2;
        set->weight[lane] = used ? weight : 0;
    }
}

/* --- Blocks of several quartets side by side ---
 *
 * Packed, element k of quartet q's block is D[place[q] + k]. Here element k of all quartets is one
 * vector, v[k][q], so that an instruction serves QUARTET_LANES quartets a, b, ..., h:
 *
 *     packed   place[0]: a0 a1 a2 ...           v[0]: a0 b0 c0 d0 e0 f0 g0 h0
 *              place[1]: b0 b1 b2 ...     <->   v[1]: a1 b1 c1 d1 e1 f1 g1 h1
 *              ...                              ...
 *
 * gather_blocks goes to the right, scatter_blocks adds to the left, BLOCK_CHUNK elements at a time.
 */

#define INLINE static inline __attribute__((always_inline))

INLINE chunk load_chunk(const double *from)
{
    chunk x;
    memcpy(&x, from, sizeof x);
    return x;
}

/* Transposes 4 x 4 elements in each half; its own inverse:
 *     r[0]: a0 a1 a2 a3 | e0 e1 e2 e3        to[0]: a0 b0 c0 d0 | e0 f0 g0 h0
 *     r[1]: b0 b1 b2 b3 | f0 f1 f2 f3   ->   to[1]: a1 b1 c1 d1 | e1 f1 g1 h1
 *     r[2]: c0 c1 c2 c3 | g0 g1 g2 g3        to[2]: a2 b2 c2 d2 | e2 f2 g2 h2
 *     r[3]: d0 d1 d2 d3 | h0 h1 h2 h3        to[3]: a3 b3 c3 d3 | e3 f3 g3 h3 */
INLINE void transpose_halves(const lanes r[4], lanes to[4])
{
    lanes ab_even = __builtin_shufflevector(r[0], r[1], 0, 8, 2, 10, 4, 12, 6, 14);
    lanes ab_odd = __builtin_shufflevector(r[0], r[1], 1, 9, 3, 11, 5, 13, 7, 15);
    lanes cd_even = __builtin_shufflevector(r[2], r[3], 0, 8, 2, 10, 4, 12, 6, 14);
    lanes cd_odd = __builtin_shufflevector(r[2], r[3], 1, 9, 3, 11, 5, 13, 7, 15);
    to[0] = __builtin_shufflevector(ab_even, cd_even, 0, 1, 8, 9, 4, 5, 12, 13);
    to[1] = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 8, 9, 4, 5, 12, 13);
    to[2] = __builtin_shufflevector(ab_even, cd_even, 2, 3, 10, 11, 6, 7, 14, 15);
    to[3] = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 10, 11, 6, 7, 14, 15);
}

/* to[k][lane] = element k of the lane's block in D, k < n. */
INLINE void gather_blocks(const double *D, const int32_t place[QUARTET_LANES], int64_t n, lanes *to)
{
    if (n == 1) {
        *to = (lanes){D[place[0]], D[place[1]], D[place[2]], D[place[3]],
                      D[place[4]], D[place[5]], D[place[6]], D[place[7]]};
        return;
    }
    for (int64_t k = 0; k < n; k += BLOCK_CHUNK) {
        lanes r[4];
        for (int i = 0; i < 4; i++)
            r[i] =
                __builtin_shufflevector(load_chunk(D + place[i] + k),
                                        load_chunk(D + place[i + 4] + k), 0, 1, 2, 3, 4, 5, 6, 7);
        transpose_halves(r, to + k);
    }
}

/* Vectors of a block that scatter_blocks reads. */
INLINE int64_t n_scattered(int64_t n)
{
    return n == 1 ? 1 : (n + BLOCK_CHUNK - 1) / BLOCK_CHUNK * BLOCK_CHUNK;
}

INLINE void clear_vectors(int64_t n, lanes *v)
{
    for (int64_t k = 0; k < n; k++)
        v[k] = (lanes){0};
}

INLINE void add_chunk(chunk x, double *to)
{
    x += load_chunk(to);
    memcpy(to, &x, sizeof x);
}

/* Adds from[k][lane] to element k of the lane's block in A, k < n; the vectors up to a whole chunk
 * are zero. */
INLINE void scatter_blocks(const lanes *from, int64_t n, const int32_t place[QUARTET_LANES],
                           double *A)
{
    if (n == 1) {
        for (int lane = 0; lane < QUARTET_LANES; lane++)
            A[place[lane]] += from[0][lane];
        return;
    }
    for (int64_t k = 0; k < n; k += BLOCK_CHUNK) {
        lanes r[4];
        transpose_halves(from + k, r);
        for (int i = 0; i < 4; i++) {
            add_chunk(__builtin_shufflevector(r[i], r[i], 0, 1, 2, 3), A + place[i] + k);
            add_chunk(__builtin_shufflevector(r[i], r[i], 4, 5, 6, 7), A + place[i + 4] + k);
        }
    }
}

/* scatter_blocks for lanes that share one block: adds their sum. */
INLINE void scatter_sum(const lanes *from, int64_t n, int32_t place, double *A)
{
    if (n == 1) {
        double sum = 0;
        for (int lane = 0; lane < QUARTET_LANES; lane++)
            sum += from[0][lane];
        A[place] += sum;
        return;
    }
    for (int64_t k = 0; k < n; k += BLOCK_CHUNK) {
        lanes r[4];
        transpose_halves(from + k, r);
        lanes sum = (r[0] + r[1]) + (r[2] + r[3]);
        add_chunk(__builtin_shufflevector(sum, sum, 0, 1, 2, 3) +
                      __builtin_shufflevector(sum, sum, 4, 5, 6, 7),
                  A + place + k);
    }
}

/* --- the terms --- */

/* A_ab += D_cd v and A_cd += D_ab v */
INLINE void digest_coulomb(const struct group_blocks *blocks, const struct digest_lanes *set,
                           int64_t n_ab, int64_t n_cd, lanes weight, const lanes *v, lanes *D_cd,
                           lanes *A_cd, lanes *A_ab)
{
    lanes *D_ab = A_ab; /* each is read before its sum is written */
    gather_blocks(blocks->D[0], set->place[AB], n_ab, D_ab);
    gather_blocks(blocks->D[0], set->place[CD], n_cd, D_cd);
    clear_vectors(n_scattered(n_cd), A_cd);
    for (int64_t i = 0; i < n_ab; i++) {
        lanes D = D_ab[i] * weight, sum = {0};
        for (int64_t j = 0; j < n_cd; j++, v++) {
            sum += D_cd[j] * *v;
            A_cd[j] += D * *v;
        }
        A_ab[i] = sum * weight;
    }
    for (int64_t i = n_ab; i < n_scattered(n_ab); i++)
        A_ab[i] = (lanes){0};
    if (set->one_bra)
        scatter_sum(A_ab, n_ab, set->place[AB][0], blocks->A[0]);
    else
        scatter_blocks(A_ab, n_ab, set->place[AB], blocks->A[0]);
    scatter_blocks(A_cd, n_cd, set->place[CD], blocks->A[0]);
}

/* Layout of a block: element (x, y) is at x * stride[0] + y * stride[1]. */
struct block_shape {
    int64_t n; /* elements */
    int64_t stride[2];
};

/* A_ac += D_bd v, A_ad += D_bc v, A_bc += D_ad v and A_bd += D_ac v. D and A hold the four blocks
 * ac, ad, bc and bd, `size` vectors apart. */
INLINE void add_exchange(const int n[4], const struct block_shape shape[4], lanes weight,
                         const lanes *D, const lanes *v, lanes *A, int64_t size)
{
    int64_t step_ac = shape[0].stride[1], step_bc = shape[2].stride[1];
    for (int64_t a = 0; a < n[0]; a++) {
        for (int64_t b = 0; b < n[1]; b++, v += (int64_t)n[2] * n[3]) {
            const lanes *D_ac = D + a * shape[0].stride[0];
            const lanes *D_bc = D + 2 * size + b * shape[2].stride[0];
            lanes *A_ac = A + a * shape[0].stride[0];
            lanes *A_bc = A + 2 * size + b * shape[2].stride[0];
            for (int64_t d = 0; d < n[3]; d++) {
                int64_t at_ad = size + a * shape[1].stride[0] + d * shape[1].stride[1];
                int64_t at_bd = 3 * size + b * shape[3].stride[0] + d * shape[3].stride[1];
                lanes ad = D[at_ad] * weight, bd = D[at_bd] * weight;
                lanes sum_ad = {0}, sum_bd = {0};
                for (int64_t c = 0; c < n[2]; c++) {
                    lanes x = v[c * n[3] + d];
                    sum_ad += D_bc[c * step_bc] * x;
                    sum_bd += D_ac[c * step_ac] * x;
                    A_ac[c * step_ac] += bd * x;
                    A_bc[c * step_bc] += ad * x;
                }
                A[at_ad] += sum_ad * weight;
                A[at_bd] += sum_bd * weight;
            }
        }
    }
}

INLINE void digest_exchange(const double *D_of_spin, double *A_of_spin,
                            const struct digest_lanes *set, const int n[4],
                            const struct block_shape shape[4], lanes weight, const lanes *v,
                            lanes *D, lanes *A, int64_t size)
{
    for (int i = 0; i < 4; i++) {
        gather_blocks(D_of_spin, set->place[AC + i], shape[i].n, D + i * size);
        clear_vectors(n_scattered(shape[i].n), A + i * size);
    }
    add_exchange(n, shape, weight, D, v, A, size);
    for (int i = 0; i < 4; i++)
        scatter_blocks(A + i * size, shape[i].n, set->place[AC + i], A_of_spin);
}

VECTOR_CLONES
static void digest_lanes(const struct fock_digest *digest, const struct digest_batch *batch,
                         const struct digest_lanes *set, int n_spins, const lanes *v)
{
    const struct pair_class *bra = batch->quartets->bra, *ket = batch->quartets->ket;
    const struct group_blocks *blocks = &digest->blocks;
    const int n[4] = {bra->n_first, bra->n_second, ket->n_first, ket->n_second};
    lanes *D = (lanes *)digest->lanes, *A = D + 4 * digest->size, weight;
    memcpy(&weight, set->weight, sizeof weight);
    struct block_shape shape[4];
    for (int i = 0; i < 4; i++) {
        int64_t n_x = n[i / 2], n_y = n[2 + i % 2];
        bool in_order = batch->bra_role == 0;
        shape[i] = (struct block_shape){n_x * n_y, {in_order ? n_y : 1, in_order ? 1 : n_x}};
    }
    digest_coulomb(blocks, set, (int64_t)n[0] * n[1], (int64_t)n[2] * n[3], weight, v, D, A,
                   A + digest->size);
    for (int spin = 0; spin < n_spins; spin++)
        digest_exchange(blocks->D[spin], blocks->A[spin], set, n, shape, weight, v, D, A,
                        digest->size);
}

void fock_digest_symmetric(struct fock_digest *digest, const struct quartet_views *views,
                           const struct digest_batch *batch)
{
    int64_t n_integrals = quartet_n_integrals(batch->quartets->bra, batch->quartets->ket);
    struct digest_bra bra = {.number = -1};
    group_blocks_begin(&digest->blocks, views);
    for (int32_t i = 0; i < batch->quartets->n_quartets; i += QUARTET_LANES) {
        struct digest_lanes set;
        set_lanes(&digest->blocks, batch, i, &bra, &set);
        const lanes *v = (const lanes *)(batch->integrals + batch_place(n_integrals, i, 0));
        digest_lanes(digest, batch, &set, views->n_spins, v);
    }
}
