/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/integrals/kept_quartets.h"

#include "support/base/vector_clones.h"

#include <string.h>

enum { STEP = 4 }; /* lanes and integrals that are transposed together */

typedef double chunk __attribute__((vector_size(STEP * sizeof(double))));

static int64_t words_of_bits(const struct kept_size *size)
{
    return (size->n_quartets + 63) / 64;
}

int64_t kept_quartets_bytes(const struct kept_size *size)
{
    return words_of_bits(size) * (int64_t)sizeof(uint64_t) +
           size->n_integrals * (int64_t)sizeof(double);
}

void kept_quartets_init(const struct kept_size *size, void *memory, struct kept_quartets *kept)
{
    kept->computed = memset(memory, 0, (size_t)words_of_bits(size) * sizeof(uint64_t));
    kept->integrals = (double *)(kept->computed + words_of_bits(size));
}

void kept_quartets_put(const double *integrals, const int64_t *numbers, int32_t n_quartets,
                       int64_t n, double *kept)
{
    for (int32_t q = 0; q < n_quartets; q++) {
        const double *from = integrals + batch_place(n, q, 0);
        double *to = kept + numbers[q] * n;
        for (int64_t i = 0; i < n; i++)
            to[i] = from[i * QUARTET_LANES];
    }
}

#define INLINE static inline __attribute__((always_inline))

INLINE chunk load_kept(const double *from)
{
    chunk x;
    memcpy(&x, from, sizeof x);
    return x;
}

/* to[i][lane] = from[lane][i], i < STEP, where `to` has rows of QUARTET_LANES */
INLINE void transpose_kept(const double *const from[STEP], int64_t first, double *to)
{
    chunk a = load_kept(from[0] + first), b = load_kept(from[1] + first);
    chunk c = load_kept(from[2] + first), d = load_kept(from[3] + first);
    chunk ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    chunk ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    chunk cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    chunk cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    chunk *rows = (chunk *)(to + first * QUARTET_LANES);
    const int64_t stride = QUARTET_LANES / STEP;
    rows[0] = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
    rows[stride] = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
    rows[2 * stride] = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
    rows[3 * stride] = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}

/* The integrals of STEP quartets in neighbouring lanes. */
INLINE void get_step(const double *const from[STEP], int64_t n, double *to)
{
    if (n < STEP) {
        for (int64_t i = 0; i < n; i++)
            for (int lane = 0; lane < STEP; lane++)
                to[i * QUARTET_LANES + lane] = from[lane][i];
        return;
    }
    for (int64_t i = 0; i + STEP <= n; i += STEP)
        transpose_kept(from, i, to);
    if (n % STEP != 0)
        transpose_kept(from, n - STEP, to);
}

static void clear_lanes_from(int32_t n_quartets, int64_t n, double *integrals)
{
    for (int32_t q = n_quartets; q % QUARTET_LANES != 0; q++)
        for (int64_t i = 0; i < n; i++)
            integrals[batch_place(n, q, i)] = 0;
}

VECTOR_CLONES
void kept_quartets_get(const double *kept, const int64_t *numbers, int32_t n_quartets, int64_t n,
                       double *integrals)
{
    for (int32_t q = 0; q < n_quartets; q += STEP) {
        const double *from[STEP];
        for (int lane = 0; lane < STEP; lane++)
            from[lane] = kept + numbers[q + lane < n_quartets ? q + lane : q] * n;
        get_step(from, n, integrals + batch_place(n, q, 0));
    }
    clear_lanes_from(n_quartets, n, integrals);
}
