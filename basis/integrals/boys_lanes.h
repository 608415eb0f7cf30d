/* SPDX-License-Identifier: BSD-3-Clause */
/* Boys functions in lanes (lanes.h), to a relative error of 1e-14; after boys_prepare. Sources:
 * boys.h. */
#pragma once

#include "basis/integrals/boys.h"
#include "support/vectors/lanes.h"

/* exp(-T): 2^-k exp(r), k = round(T / ln 2), the exponential of the remainder
 * |r| <= ln(2) / 2 by its series to the 13th power; below 1e-300 beyond T = 700. */
INLINE lanes exp_negative(lanes T)
{
    enum { N_EXP_TERMS = 14 };
    static const double series[N_EXP_TERMS] = {1,
                                               1,
                                               1. / 2,
                                               1. / 6,
                                               1. / 24,
                                               1. / 120,
                                               1. / 720,
                                               1. / 5040,
                                               1. / 40320,
                                               1. / 362880,
                                               1. / 3628800,
                                               1. / 39916800,
                                               1. / 479001600,
                                               1. / 6227020800};
    lanes limit = broadcast(700);
    T = choose(T < limit, T, limit);
    integer_lanes k;
    lanes k_real = nearest_integer(T * 1.4426950408889634, &k);
    /* ln 2 in two parts, the first with room for an exact product. */
    lanes r = (k_real * 0.693147180369123816490 - T) + k_real * 1.90821492927058770002e-10;
    /* In pairs, then pairs of pairs: a chain of 13 products would wait for each. */
    lanes r2 = r * r, r4 = r2 * r2, part[4];
    UNROLL
    for (int64_t i = 0; i < 3; i++)
        part[i] = (series[4 * i] + series[4 * i + 1] * r) +
                  (series[4 * i + 2] + series[4 * i + 3] * r) * r2;
    part[3] = series[12] + series[13] * r;
    lanes sum = (part[0] + part[1] * r4) + (part[2] + part[3] * r4) * (r4 * r4);
    return sum * (lanes)((1023 - k) << 52); /* 2^-k, by its bits */
}

/* F_m(T) = sum_k c_k d^k, d = T_g - T, T in [0, BOYS_LARGE_T], with T_g the grid point nearest to
 * T; the table has a row c_0 to c_7 for each T_g. Summed in pairs, as a chain of eight products
 * would wait for each. */
INLINE lanes evaluate_series(const double *table, lanes T)
{
    integer_lanes g;
    lanes d = nearest_integer(T * BOYS_POINTS_PER_UNIT, &g) * (1.0 / BOYS_POINTS_PER_UNIT) - T;
    lanes c[BOYS_N_SERIES];
    UNROLL
    for (int part = 0; part < BOYS_N_SERIES; part += LANES) {
        UNROLL
        for (int i = 0; i < LANES; i++)
            c[part + i] = load(table + (int64_t)(int32_t)g[i] * BOYS_N_SERIES + part);
        transpose(c + part);
    }
    lanes d2 = d * d;
    lanes low = (c[0] + d * c[1]) + d2 * (c[2] + d * c[3]);
    lanes high = (c[4] + d * c[5]) + d2 * (c[6] + d * c[7]);
    return low + d2 * d2 * high;
}

/* F_0(T), T in [0, BOYS_LARGE_T); for T beyond it, its value there. */
INLINE lanes boys_f0(lanes T)
{
    lanes limit = broadcast(BOYS_LARGE_T * (1 - 0x1p-50)); /* in the last segment */
    T = choose(T < limit, T, limit);
    const struct boys_f0_series *series = &boys_f0_series;
    const double width = (double)BOYS_LARGE_T / BOYS_N_SEGMENTS;
    integer_lanes i;
    lanes x = T - (nearest_integer(T * (1 / width) - 0.5, &i) + 0.5) * width;
    lanes c[BOYS_POWERS_STRIDE];
#ifdef __AVX512F__
    UNROLL
    for (int k = 0; k < BOYS_N_POWERS; k++)
        c[k] = (lanes)_mm512_permutex2var_pd((__m512d)load(series->of_power[k]), (__m512i)i,
                                             (__m512d)load(series->of_power[k] + LANES));
#else
    UNROLL
    for (int part = 0; part < BOYS_POWERS_STRIDE; part += LANES) {
        UNROLL
        for (int lane = 0; lane < LANES; lane++)
            c[part + lane] = load(series->of_segment[i[lane] % BOYS_N_SEGMENTS] + part);
        transpose(c + part);
    }
#endif
    lanes x2 = x * x, even = c[BOYS_N_POWERS - 2], odd = c[BOYS_N_POWERS - 1];
    UNROLL
    for (int k = BOYS_N_POWERS - 4; k >= 0; k -= 2) {
        even = c[k] + x2 * even;
        odd = c[k + 1] + x2 * odd;
    }
    return even + x * odd;
}

/* From here on exp(-T) changes no F_m up to max_m by 2e-16 of it: F_m is about (2m - 1)!! / (2T)^m
 * of F_0. */
INLINE double boys_limit_of_exponential(int max_m)
{
    return max_m == 0 ? BOYS_LARGE_T : BOYS_LARGE_T + 2 + 3.0 * max_m;
}

/* F_m(T), m = 0 to max_m, for T from BOYS_LARGE_T on, e = exp(-T): upward from F_0. */
INLINE void boys_far(int max_m, lanes T, lanes e, lanes *F)
{
    lanes root = inverse_square_root(T), half_inverse = 0.5 * (root * root);
    F[0] = BOYS_SQRT_PI_HALF * root; /* sqrt(pi / T) / 2 */
    UNROLL
    for (int m = 0; m < max_m; m++)
        F[m + 1] = ((2.0 * m + 1) * F[m] - e) * half_inverse;
}

/* F_m(T), m = 0 to max_m, for any T: where it is small, downward from the series; both ways are
 * stable on their side of BOYS_LARGE_T. */
INLINE void boys_near_and_far(int max_m, lanes T, lanes *F)
{
    lanes limit = broadcast(BOYS_LARGE_T), e = broadcast(0);
    integer_lanes is_near = T < limit;
    lanes near_T = choose(is_near, T, limit);
    F[max_m] = evaluate_series(boys_series[max_m][0], near_T);
    if (max_m > 0) {
        e = choose(T < boys_limit_of_exponential(max_m), exp_negative(T), e);
        UNROLL
        for (int m = max_m - 1; m >= 0; m--)
            F[m] = (2 * near_T * F[m + 1] + e) * (1.0 / (2 * m + 1));
    }
    if (any_lane(~is_near)) {
        lanes far[BOYS_MAX_M + 1];
        boys_far(max_m, choose(is_near, limit, T), e, far);
        UNROLL
        for (int m = 0; m <= max_m; m++)
            F[m] = choose(is_near, F[m], far[m]);
    }
}

/* G[m] = factor scale^m F_m(T), m = 0 to max_m, which must be a compile-time constant. A lane's
 * numbers do not depend on the others: if all T are large, steps are skipped that would not change
 * them. */
INLINE void boys_lanes(int max_m, lanes T, lanes factor, lanes scale, lanes *G)
{
    lanes F[BOYS_MAX_M + 1];
    if (any_lane(T < boys_limit_of_exponential(max_m)))
        boys_near_and_far(max_m, T, F);
    else
        boys_far(max_m, T, broadcast(0), F);
    UNROLL
    for (int m = 0; m <= max_m; m++) {
        G[m] = F[m] * factor;
        factor *= scale;
    }
}
