/* SPDX-License-Identifier: BSD-3-Clause */
/* Packed blocks of quartets (group_blocks.h) side by side in vectors. For sources that are compiled
 * once for each kind of vectors (support/vectors/lanes.h).
 *
 * Packed, element k of quartet q's block is D[place[q] + k]. Here element k of all quartets is one
 * vector, v[k][q], so that an instruction serves LANES quartets a, b, c, d:
 *
 *     packed   place[0]: a0 a1 a2 ...           v[0]: a0 b0 c0 d0
 *              place[1]: b0 b1 b2 ...     <->   v[1]: a1 b1 c1 d1
 *              ...                              ...
 *
 * gather_blocks goes to the right, scatter_blocks adds to the left, STEP elements at a time. */
#pragma once

#include "hf/digestion/digest_kernels.h"
#include "support/vectors/lanes.h"

enum {
    STEP = LANES < BLOCK_CHUNK ? LANES : BLOCK_CHUNK,
    V_STRIDE = QUARTET_LANES / LANES /* vectors from an integral of the lanes to the next */
};

/* Functions c of an exchange term are taken in strips of about one width, whose blocks stay in
 * registers: sums over c are those of a strip. */
enum { EXCHANGE_STRIP = LANES == 8 ? 6 : 3 };

INLINE int count_strips(int n_c)
{
    return (n_c + EXCHANGE_STRIP - 1) / EXCHANGE_STRIP;
}

/* The lanes from number `first` on of the quartets of a digest_lanes. */
struct vector_set {
    const int32_t *place[N_CHOICES];
    lanes weight;
    bool one_bra;
};

INLINE struct vector_set vectors_from(const struct digest_lanes *set, int first)
{
    struct vector_set vectors = {.weight = load(set->weight + first), .one_bra = set->one_bra};
    UNROLL
    for (int i = 0; i < N_CHOICES; i++)
        vectors.place[i] = set->place[i] + first;
    return vectors;
}

/* Blocks D and A of the open bra for a Coulomb density, `size` vectors apart. */
INLINE lanes *open_blocks(const struct digest_blocks *blocks, int density)
{
    return (lanes *)blocks->scratch + (8 + 2 * density) * blocks->size;
}

typedef double chunk __attribute__((vector_size(STEP * sizeof(double))));

INLINE chunk load_chunk(const double *from)
{
    chunk x;
    memcpy(&x, from, sizeof x);
    return x;
}

/* Transposes STEP elements of LANES blocks; its own inverse. */
INLINE void transpose_step(lanes r[STEP])
{
#if LANES == 8
    transpose_halves(r);
#else
    transpose(r);
#endif
}

/* The elements of lane i and, of eight lanes, those of lane i + STEP. */
INLINE lanes load_step(const double *D, const int32_t *place, int i)
{
#if LANES == 8
    return __builtin_shufflevector(load_chunk(D + place[i]), load_chunk(D + place[i + STEP]), 0, 1,
                                   2, 3, 4, 5, 6, 7);
#else
    return load_chunk(D + place[i]);
#endif
}

INLINE void add_chunk(chunk x, double *to)
{
    x += load_chunk(to);
    memcpy(to, &x, sizeof x);
}

INLINE void add_step(lanes x, const int32_t *place, int i, double *A)
{
#if LANES == 8
    add_chunk(__builtin_shufflevector(x, x, 0, 1, 2, 3), A + place[i]);
    add_chunk(__builtin_shufflevector(x, x, 4, 5, 6, 7), A + place[i + STEP]);
#else
    add_chunk(x, A + place[i]);
#endif
}

/* Each lane's element of D. */
INLINE lanes gather_elements(const double *D, const int32_t *place)
{
#if LANES == 8
    return (lanes){D[place[0]], D[place[1]], D[place[2]], D[place[3]],
                   D[place[4]], D[place[5]], D[place[6]], D[place[7]]};
#elif LANES == 4
    return (lanes){D[place[0]], D[place[1]], D[place[2]], D[place[3]]};
#else
    return (lanes){D[place[0]], D[place[1]]};
#endif
}

/* to[k][lane] = element k of the lane's block in D, k < n. */
INLINE void gather_blocks(const double *D, const int32_t *place, int n, lanes *to)
{
    if (n == 1) {
        *to = gather_elements(D, place);
        return;
    }
    for (int k = 0; k < n; k += STEP) {
        lanes r[STEP];
        UNROLL
        for (int i = 0; i < STEP; i++)
            r[i] = load_step(D + k, place, i);
        transpose_step(r);
        UNROLL
        for (int i = 0; i < STEP; i++)
            to[k + i] = r[i];
    }
}

/* Vectors of a block that scatter_blocks reads. */
INLINE int n_scattered(int n)
{
    return n == 1 ? 1 : (n + STEP - 1) / STEP * STEP;
}

INLINE void clear_vectors(int n, lanes *v)
{
    for (int k = 0; k < n; k++)
        v[k] = (lanes){0};
}

/* Adds from[k][lane] to element k of the lane's block in A, k < n; the vectors up to a whole step
 * are zero. */
INLINE void scatter_blocks(const lanes *from, int n, const int32_t *place, double *A)
{
    if (n == 1) {
        UNROLL
        for (int lane = 0; lane < LANES; lane++)
            A[place[lane]] += from[0][lane];
        return;
    }
    for (int k = 0; k < n; k += STEP) {
        lanes r[STEP];
        UNROLL
        for (int i = 0; i < STEP; i++)
            r[i] = from[k + i];
        transpose_step(r);
        UNROLL
        for (int i = 0; i < STEP; i++)
            add_step(r[i], place, i, A + k);
    }
}

/* scatter_blocks for lanes that share one block of n elements: adds their sum. */
INLINE void scatter_sum(const lanes *from, int n, int32_t place, double *A)
{
    for (int k = 0; k < n; k++) {
        double sum = 0;
        UNROLL
        for (int lane = 0; lane < LANES; lane++)
            sum += from[k][lane];
        A[place + k] += sum;
    }
}
