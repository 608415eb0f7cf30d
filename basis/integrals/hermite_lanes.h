/* SPDX-License-Identifier: BSD-3-Clause */
/* Hermite integrals R_tuv in lanes (lanes.h), from the Boys functions, by the recurrence of
 * hermite_kernels.h; private to the kernels. */
#pragma once

#include "basis/integrals/hermite_pairs.h"
#include "support/vectors/lanes.h"

/* R^m at Hermite index t of one dimension, from t - 1 and t - 2 of R^(m+1), which are stored step
 * and 2 step before it. */
INLINE void raise_order(int64_t t, int64_t step, lanes x, lanes *R)
{
    *R = t > 1 ? x * R[-step] + (double)(t - 1) * R[-2 * step] : x * R[-step];
}

/* R_tuv, t + u + v <= L, from G[m] = R^m_000: for m from L down to 0 the R^m_tuv that R^0 needs.
 * In place: the recurrence reads lower indices, so the highest are overwritten first. In the short
 * layout; L must be a compile-time constant. */
INLINE void hermite_integrals_short(int L, const lanes *G, const lanes X[3], lanes *R)
{
    R[0] = G[L];
    UNROLL
    for (int m = L - 1; m >= 0; m--) {
        UNROLL
        for (int64_t t = L - m; t >= 1; t--) {
            UNROLL
            for (int64_t u = 0; u <= L - m - t; u++) {
                UNROLL
                for (int64_t v = 0; v <= L - m - t - u; v++)
                    raise_order(t, HERMITE_SHORT_T, X[0],
                                R + t * HERMITE_SHORT_T + u * HERMITE_SHORT_U + v);
            }
        }
        UNROLL
        for (int64_t u = L - m; u >= 1; u--) {
            UNROLL
            for (int64_t v = 0; v <= L - m - u; v++)
                raise_order(u, HERMITE_SHORT_U, X[1], R + u * HERMITE_SHORT_U + v);
        }
        UNROLL
        for (int64_t v = L - m; v >= 1; v--)
            raise_order(v, 1, X[2], R + v);
        R[0] = G[m];
    }
}

/* R_tuv as hermite_integrals_short, in the long layout and by loops: unrolled, the 10,626 sums of
 * L = 20 would not fit into the instruction cache, and next to the transformations they are few. */
static void hermite_integrals_long(int L, const lanes *G, const lanes X[3], lanes *R)
{
    R[0] = G[L];
    for (int m = L - 1; m >= 0; m--) {
        int64_t n = L - m;
        for (int64_t t = n; t >= 1; t--)
            for (int64_t u = 0; u <= n - t; u++) {
                lanes *row = R + t * HERMITE_LONG_T + u * HERMITE_LONG_U;
                for (int64_t v = 0; v <= n - t - u; v++)
                    raise_order(t, HERMITE_LONG_T, X[0], row + v);
            }
        for (int64_t u = n; u >= 1; u--)
            for (int64_t v = 0; v <= n - u; v++)
                raise_order(u, HERMITE_LONG_U, X[1], R + u * HERMITE_LONG_U + v);
        for (int64_t v = n; v >= 1; v--)
            raise_order(v, 1, X[2], R + v);
        R[0] = G[m];
    }
}
