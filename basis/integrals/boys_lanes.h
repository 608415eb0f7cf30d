/* Boys functions in lanes (lanes.h), to a relative error of 1e-14; after boys_prepare. Sources:
 * boys.h. */
#ifndef BERYL_BASIS_BOYS_LANES_H
#define BERYL_BASIS_BOYS_LANES_H

#include "basis/integrals/boys.h"
#include "basis/integrals/lanes.h"

/* exp(-T): 2^-k exp(r), k = round(T / ln 2), the exponential of the remainder
 * |r| <= ln(2) / 2 by its series to the 13th power; below 1e-300 beyond T = 700. */
INLINE lanes exponential(lanes T)
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
    for (int i = 0; i < 3; i++)
        part[i] = (series[4 * i] + series[4 * i + 1] * r) +
                  (series[4 * i + 2] + series[4 * i + 3] * r) * r2;
    part[3] = series[12] + series[13] * r;
    lanes sum = (part[0] + part[1] * r4) + (part[2] + part[3] * r4) * (r4 * r4);
    return sum * (lanes)((1023 - k) << 52);
}

/* The series F_m(T) = sum_k c_k d^k from a table of rows c_0 to c_7, T in [0, BOYS_LARGE_T]; summed
 * in pairs, as a chain of eight products would wait for each. */
INLINE lanes interpolate(const double *table, lanes T)
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
INLINE lanes boys_zero(lanes T)
{
    lanes limit = broadcast(BOYS_LARGE_T * (1 - 0x1p-50)); /* in the last segment */
    T = choose(T < limit, T, limit);
    const struct boys_zero_series *series = &boys_zero_series;
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

/* G[m] = factor scale^m F_m(T), m = 0 to max_m: downward from the series where T is small, upward
 * from F_0 where it is large; both are stable on their side of BOYS_LARGE_T. max_m: a constant. */
INLINE void boys_lanes(int max_m, lanes T, lanes factor, lanes scale, lanes *G)
{
    lanes limit = broadcast(BOYS_LARGE_T);
    integer_lanes is_near = T < limit;
    lanes near_T = choose(is_near, T, limit);
    lanes F[BOYS_MAX_M + 1];
    F[max_m] = interpolate(boys_series[max_m][0], near_T);
    lanes e = broadcast(0);
    if (max_m > 0) {
        e = exponential(T);
        UNROLL
        for (int m = max_m - 1; m >= 0; m--)
            F[m] = (2 * near_T * F[m + 1] + e) * (1.0 / (2 * m + 1));
    }
    if (any_lane(~is_near)) {
        lanes far_T = choose(is_near, limit, T);
        lanes root = inverse_square_root(far_T), half_inverse = 0.5 * (root * root);
        lanes far = BOYS_SQRT_PI_HALF * root; /* sqrt(pi / T) / 2 */
        UNROLL
        for (int m = 0; m <= max_m; m++) {
            F[m] = choose(is_near, F[m], far);
            far = ((2.0 * m + 1) * far - e) * half_inverse;
        }
    }
    UNROLL
    for (int m = 0; m <= max_m; m++) {
        G[m] = F[m] * factor;
        factor *= scale;
    }
}

#endif
