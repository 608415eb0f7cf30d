/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors of LANES doubles, 2, 4 or 8: arithmetic is lane by lane. For sources that are compiled
 * once for each kind of vectors: the engines and users of their integrals. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t integer_lanes __attribute__((vector_size(LANES * sizeof(int64_t))));
typedef uint64_t unsigned_lanes __attribute__((vector_size(LANES * sizeof(uint64_t))));

/* INLINE: each call has a body of its own, for its constants. UNROLL, before a loop with constant
 * bounds: arrays that it indexes then lie in registers. In builds for tests calls and loops stay:
 * with sanitizers, compilers would work on the long functions for minutes. */
#ifndef UNROLL_LOOPS
#define INLINE static inline
#define UNROLL
#else
#define INLINE static inline __attribute__((always_inline))
#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 64")
#endif
#endif

INLINE lanes broadcast(double x)
{
    return x - (lanes){0};
}

/* where[lane] is all ones or zero. */
INLINE lanes choose(integer_lanes where, lanes yes, lanes no)
{
    return (lanes)(((integer_lanes)yes & where) | ((integer_lanes)no & ~where));
}

/* 1 / sqrt(x) to 4e-16 for normal x > 0; finite for 0. Halving the exponent gives it to 3.4 %, and
 * each step of y (1 + e/2 + 3/8 e^2), e = 1 - x y^2, cubes the error: far faster than a square root
 * and a division. Source: Householder's method of third order. */
INLINE lanes inverse_square_root(lanes x)
{
    lanes y = (lanes)(0x5fe6eb50c7b537a9 - ((unsigned_lanes)x >> 1));
    UNROLL
    for (int step = 0; step < 3; step++) {
        lanes e = 1 - (x * y) * y;
        y += (y * e) * (0.375 * e + 0.5);
    }
    return y;
}

/* The integer nearest to x, |x| < 2^51, as a number and in the low bits of an integer: the sum
 * leaves no room for a fraction. */
INLINE lanes nearest_integer(lanes x, integer_lanes *low_bits)
{
    lanes sum = x + 0x1.8p52;
    *low_bits = (integer_lanes)sum;
    return sum - 0x1.8p52;
}

INLINE bool any_lane(integer_lanes where)
{
#if LANES == 8 && defined __AVX512DQ__
    return _mm512_movepi64_mask((__m512i)where) != 0;
#elif LANES == 4 && defined __AVX2__
    return _mm256_movemask_pd((__m256d)where) != 0;
#elif LANES == 2 && defined __SSE2__
    return _mm_movemask_pd((__m128d)where) != 0;
#else
    int64_t any = 0;
    for (int lane = 0; lane < LANES; lane++)
        any |= where[lane];
    return any != 0;
#endif
}

INLINE lanes load(const double *p)
{
    lanes x;
    memcpy(&x, p, sizeof x);
    return x;
}

INLINE void store(double *p, lanes x)
{
    memcpy(p, &x, sizeof x);
}

/* Half a vector from each of two places. */
INLINE lanes load_halves(const double *low, const double *high)
{
    lanes x;
    memcpy(&x, low, sizeof x / 2);
    memcpy((double *)&x + LANES / 2, high, sizeof x / 2);
    return x;
}

/* Transposes both halves of LANES/2 vectors; its own inverse. Of eight lanes:
 *     r[0]: a0 a1 a2 a3 | e0 e1 e2 e3        r[0]: a0 b0 c0 d0 | e0 f0 g0 h0
 *     r[1]: b0 b1 b2 b3 | f0 f1 f2 f3   ->   r[1]: a1 b1 c1 d1 | e1 f1 g1 h1
 *     r[2]: c0 c1 c2 c3 | g0 g1 g2 g3        r[2]: a2 b2 c2 d2 | e2 f2 g2 h2
 *     r[3]: d0 d1 d2 d3 | h0 h1 h2 h3        r[3]: a3 b3 c3 d3 | e3 f3 g3 h3 */
INLINE void transpose_halves(lanes r[LANES / 2])
{
#if LANES == 8
    lanes a[4];
    UNROLL
    for (int i = 0; i < 4; i += 2) {
        a[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        a[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    UNROLL
    for (int k = 0; k < 2; k++) {
        r[k] = __builtin_shufflevector(a[k], a[k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        r[k + 2] = __builtin_shufflevector(a[k], a[k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
#elif LANES == 4
    lanes a = r[0];
    r[0] = __builtin_shufflevector(a, r[1], 0, 4, 2, 6);
    r[1] = __builtin_shufflevector(a, r[1], 1, 5, 3, 7);
#else
    (void)r;
#endif
}

/* rows[i][j] <-> rows[j][i] */
INLINE void transpose(lanes r[LANES])
{
    transpose_halves(r);
    transpose_halves(r + LANES / 2);
    UNROLL
    for (int k = 0; k < LANES / 2; k++) {
        lanes a = r[k], b = r[k + LANES / 2];
#if LANES == 8
        r[k] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
        r[k + 4] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
#elif LANES == 4
        r[k] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
        r[k + 2] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
#else
        r[k] = (lanes){a[0], b[0]};
        r[k + 1] = (lanes){a[1], b[1]};
#endif
    }
}

/* to[k][lane] = from[lane][k], k < n, a multiple of 8 */
INLINE void gather(const double *const from[LANES], int n, lanes *to)
{
    for (int k = 0; k < n; k += LANES) {
        lanes r[LANES];
        UNROLL
        for (int i = 0; i < LANES; i++)
            r[i] = load(from[i] + k);
        transpose(r);
        UNROLL
        for (int i = 0; i < LANES; i++)
            to[k + i] = r[i];
    }
}
