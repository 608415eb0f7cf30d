/* SPDX-License-Identifier: BSD-3-Clause */
/* The Boys function F_m(T) = integral_0^1 u^(2m) exp(-T u^2) du. */
#pragma once

/* Four h shells need 20; one more for headroom of derivatives of the table. */
enum { BOYS_MAX_M = 21 };

/* The grid of tabulated points T_g = g / BOYS_POINTS_PER_UNIT. Below BOYS_LARGE_T a
 * Taylor series about the nearest point gives F_m, with |T - T_g| <= 1/16; from BOYS_LARGE_T
 * on F_0 = sqrt(pi/T)/2 to a relative error below 2e-17, and upward recurrence the rest. */
enum {
    BOYS_POINTS_PER_UNIT = 8,
    BOYS_LARGE_T = 36,
    BOYS_N_POINTS = BOYS_LARGE_T * BOYS_POINTS_PER_UNIT + 1,
    BOYS_N_TERMS = 9, /* of the longest series */
    BOYS_N_ORDERS = BOYS_MAX_M + BOYS_N_TERMS,
};
#define BOYS_SQRT_PI_HALF 0.88622692545275801365

/* F[m] = F_m(T), m = 0 .. max_m <= BOYS_MAX_M, T >= 0; relative error below
 * 1e-14 (3e-15 measured for T up to 1e4). Call boys_prepare once before.
 * Source: Helgaker, Jorgensen & Olsen, Molecular Electronic-Structure Theory
 * (2000), section 9.8: Taylor expansion about tabulated points, and recurrence. */
void boys(int max_m, double T, double *F);

/* Fills the interpolation table (about 1 ms; idempotent; not by several threads at once). */
void boys_prepare(void);

/* The coefficients of F_m about each point g of the grid, after boys_prepare:
 *   F_m(T) = sum_k boys_series[m][g][k] (T_g - T)^k.  The first term left out is below 4e-16 of
 * F_m. */
enum { BOYS_N_SERIES = 8 };
extern double boys_series[BOYS_MAX_M + 1][BOYS_N_POINTS][BOYS_N_SERIES];

/* F_0(T) in BOYS_N_SEGMENTS parts of [0, BOYS_LARGE_T],
 *   F_0(T) = sum_k c_k (T - middle)^k,  middle = (i + 1/2) BOYS_LARGE_T / BOYS_N_SEGMENTS,
 * in both orders: processors that take numbers from two registers by index want one coefficient of
 * all segments together. Without rounding, the relative error is below 1e-16. */
enum { BOYS_N_SEGMENTS = 16, BOYS_N_POWERS = 14, BOYS_POWERS_STRIDE = 16 };
struct boys_f0_series {
    double of_power[BOYS_N_POWERS][BOYS_N_SEGMENTS];
    double of_segment[BOYS_N_SEGMENTS][BOYS_POWERS_STRIDE];
};
extern struct boys_f0_series boys_f0_series; /* after boys_prepare */

/* F_m(T) in extended precision by its convergent series
 *   exp(-T) sum_k (2T)^k / ((2m+1)(2m+3)...(2m+2k+1)),
 * above T = 200 by the asymptotic form (2m-1)!!/2^(m+1) sqrt(pi/T^(2m+1)), whose
 * relative error there is below 1e-40 for every m in use; slow: the tests' oracle. */
double boys_reference(int m, double T);
