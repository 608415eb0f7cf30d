/* SPDX-License-Identifier: BSD-3-Clause */
/* Digestion of quartets whose numbers of functions are constants: all loops are unrolled, so that
 * blocks lie in registers from their gathering to their scattering. The terms of each sum, and their
 * order, are those of digest_kernels.c, hence the bits.
 *
 * Small quartets gain most, as gathering and scattering is most of their work: on Zen 4 a set of (ps|ps) takes
 * 0.45 of the time, one of (ds|pp), the largest here, 0.6. Each row of the table is two functions of some 6 KB,
 * which a compiler works on for half a second. */
#pragma once

#include "hf/digestion/block_lanes.h"

/* Numbers of functions of the groups a, b, c, d. Vectors of 2 lanes have none: compiling them is not
 * worth it. */
#if LANES == 2
#define FOR_ALL_SIZES(X)
#else
#define FOR_ALL_SIZES(X)                                                                           \
    X(1, 1, 1, 1)                                                                                  \
    X(1, 1, 2, 1)                                                                                  \
    X(1, 1, 3, 1)                                                                                  \
    X(1, 1, 4, 1)                                                                                  \
    X(1, 1, 5, 1)                                                                                  \
    X(1, 1, 3, 2)                                                                                  \
    X(1, 1, 3, 3)                                                                                  \
    X(1, 1, 4, 4)                                                                                  \
    X(1, 1, 5, 3)                                                                                  \
    X(2, 1, 2, 1)                                                                                  \
    X(2, 1, 3, 1)                                                                                  \
    X(2, 1, 5, 1)                                                                                  \
    X(2, 1, 3, 3)                                                                                  \
    X(3, 1, 3, 1)                                                                                  \
    X(3, 1, 5, 1)                                                                                  \
    X(3, 1, 3, 2)                                                                                  \
    X(3, 1, 3, 3)                                                                                  \
    X(3, 1, 5, 3)                                                                                  \
    X(4, 1, 4, 1)                                                                                  \
    X(4, 1, 4, 4)                                                                                  \
    X(5, 1, 3, 3)
#endif

enum { MAX_SIZED = 16 }; /* elements of a block, whole steps */

/* Blocks ac, ad, bc and bd, as they are packed. */
struct exchange_lanes {
    lanes ac[MAX_SIZED], ad[MAX_SIZED], bc[MAX_SIZED], bd[MAX_SIZED];
};

/* Element (x, y) of a block of n_x times n_y. */
INLINE int packed_at(int x, int y, int n_x, int n_y, bool in_order)
{
    return in_order ? x * n_y + y : y * n_x + x;
}

INLINE void clear_sized(int n, lanes *v)
{
    const int n_cleared = n_scattered(n);
    UNROLL
    for (int k = 0; k < n_cleared; k++)
        v[k] = (lanes){0};
}

/* A_ab += D_cd v and A_cd += D_ab v */
INLINE void add_coulomb_sized(int n_ab, int n_cd, const lanes *D_cd, lanes weight, const lanes *v,
                              const lanes *D_ab, lanes *A_ab, lanes *A_cd)
{
    UNROLL
    for (int i = 0; i < n_ab; i++) {
        lanes D = D_ab[i] * weight, sum = {0};
        UNROLL
        for (int j = 0; j < n_cd; j++) {
            lanes x = v[(int64_t)(i * n_cd + j) * V_STRIDE];
            sum += D_cd[j] * x;
            A_cd[j] += D * x;
        }
        A_ab[i] += sum * weight;
    }
}

INLINE void digest_coulomb_sized(int n_ab, int n_cd, const struct digest_blocks *blocks,
                                 const struct vector_set *set, int density, const lanes *v)
{
    lanes D_cd[MAX_SIZED], A_cd[MAX_SIZED], D_ab[MAX_SIZED], A_ab[MAX_SIZED];
    gather_blocks(blocks->D[density], set->place[CD], n_cd, D_cd);
    clear_sized(n_cd, A_cd);
    if (set->one_bra) {
        lanes *open_D = open_blocks(blocks, density), *open_A = open_D + blocks->size;
        add_coulomb_sized(n_ab, n_cd, D_cd, set->weight, v, open_D, open_A, A_cd);
    } else {
        gather_blocks(blocks->D[density], set->place[AB], n_ab, D_ab);
        clear_sized(n_ab, A_ab);
        add_coulomb_sized(n_ab, n_cd, D_cd, set->weight, v, D_ab, A_ab, A_cd);
        scatter_blocks(A_ab, n_ab, set->place[AB], blocks->A[density]);
    }
    scatter_blocks(A_cd, n_cd, set->place[CD], blocks->A[density]);
}

/* Numbers of functions of a, b, c and d, and the order of the exchange blocks: constants. */
struct constant_sizes {
    int n[4];
    bool in_order;
};

/* A_ac += D_bd v, A_ad += D_bc v, A_bc += D_ad v and A_bd += D_ac v */
INLINE void add_exchange_sized(const struct constant_sizes sizes, lanes weight, const lanes *v,
                               const struct exchange_lanes *D, struct exchange_lanes *A)
{
    const int n_a = sizes.n[0], n_b = sizes.n[1], n_c = sizes.n[2], n_d = sizes.n[3];
    const int n_strips = count_strips(n_c);
    const bool in_order = sizes.in_order;
    UNROLL
    for (int abd = 0; abd < n_strips * n_a * n_b * n_d; abd++) {
        const int strip = abd / (n_a * n_b * n_d), a = abd / (n_b * n_d) % n_a;
        const int b = abd / n_d % n_b, d = abd % n_d, end = (strip + 1) * n_c / n_strips;
        const int ad = packed_at(a, d, n_a, n_d, in_order);
        const int bd = packed_at(b, d, n_b, n_d, in_order);
        lanes D_ad = D->ad[ad] * weight, D_bd = D->bd[bd] * weight;
        lanes sum_ad = {0}, sum_bd = {0};
        UNROLL
        for (int c = strip * n_c / n_strips; c < end; c++) {
            const int ac = packed_at(a, c, n_a, n_c, in_order);
            const int bc = packed_at(b, c, n_b, n_c, in_order);
            lanes x = v[(int64_t)(((a * n_b + b) * n_c + c) * n_d + d) * V_STRIDE];
            sum_ad += D->bc[bc] * x;
            sum_bd += D->ac[ac] * x;
            A->ac[ac] += D_bd * x;
            A->bc[bc] += D_ad * x;
        }
        A->ad[ad] += sum_ad * weight;
        A->bd[bd] += sum_bd * weight;
    }
}

INLINE void digest_exchange_sized(const struct constant_sizes sizes,
                                  const struct digest_blocks *blocks, const struct vector_set *set,
                                  int matrix, const lanes *v)
{
    const int n_ac = sizes.n[0] * sizes.n[2], n_ad = sizes.n[0] * sizes.n[3];
    const int n_bc = sizes.n[1] * sizes.n[2], n_bd = sizes.n[1] * sizes.n[3];
    const double *from = blocks->D[matrix];
    double *to = blocks->A[matrix];
    struct exchange_lanes D, A;
    gather_blocks(from, set->place[AC], n_ac, D.ac);
    gather_blocks(from, set->place[AD], n_ad, D.ad);
    gather_blocks(from, set->place[BC], n_bc, D.bc);
    gather_blocks(from, set->place[BD], n_bd, D.bd);
    clear_sized(n_ac, A.ac);
    clear_sized(n_ad, A.ad);
    clear_sized(n_bc, A.bc);
    clear_sized(n_bd, A.bd);
    add_exchange_sized(sizes, set->weight, v, &D, &A);
    scatter_blocks(A.ac, n_ac, set->place[AC], to);
    scatter_blocks(A.ad, n_ad, set->place[AD], to);
    scatter_blocks(A.bc, n_bc, set->place[BC], to);
    scatter_blocks(A.bd, n_bd, set->place[BD], to);
}

/* A digest_function for these sizes. */
INLINE void digest_sized(const struct constant_sizes sizes, const struct digest_blocks *blocks,
                         const struct digest_lanes *set, const double *integrals)
{
    const int n_ab = sizes.n[0] * sizes.n[1], n_cd = sizes.n[2] * sizes.n[3];
    for (int first = 0; first < set->n_used; first += LANES) {
        struct vector_set vectors = vectors_from(set, first);
        const lanes *v = (const lanes *)(integrals + first);
        for (int i = 0; i < blocks->n_coulomb; i++)
            digest_coulomb_sized(n_ab, n_cd, blocks, &vectors, i, v);
        for (int i = 0; i < blocks->n_exchange; i++)
            digest_exchange_sized(sizes, blocks, &vectors, i, v);
    }
}

#define DIGEST_SIZED(NAME, A, B, C, D, IN_ORDER)                                                   \
    static void NAME(const struct digest_blocks *blocks, const struct digest_lanes *set,           \
                     const double *integrals)                                                      \
    {                                                                                              \
        digest_sized((struct constant_sizes){{A, B, C, D}, IN_ORDER}, blocks, set, integrals);     \
    }

/* Blocks of one row or column are packed alike in either order: the compiler finds such functions
 * equal. */
#define DIGEST_BOTH_ORDERS(A, B, C, D)                                                             \
    DIGEST_SIZED(digest_##A##B##C##D, A, B, C, D, true)                                            \
    DIGEST_SIZED(digest_##A##B##C##D##_exchanged, A, B, C, D, (A) * (B) == 1)

FOR_ALL_SIZES(DIGEST_BOTH_ORDERS)

#define SIZES_ROW(A, B, C, D)                                                                      \
    {{A, B, C, D}, {digest_##A##B##C##D##_exchanged, digest_##A##B##C##D}},
