/* The Boys function F_m(T) = integral_0^1 u^(2m) exp(-T u^2) du. */
#ifndef BERYL_BASIS_BOYS_H
#define BERYL_BASIS_BOYS_H

/* Four h shells need 20; one more for headroom of derivatives of the table. */
enum { BOYS_MAX_M = 21 };

/* F[m] = F_m(T), m = 0 .. max_m <= BOYS_MAX_M, T >= 0, relative error below
 * 1e-14 (absolute error below 1e-14 where F is tiny). Call boys_prepare once before. */
void boys(int max_m, double T, double *F);

/* Fills the interpolation table (about 1 ms; idempotent). */
void boys_prepare(void);

/* F_m(T) by its convergent series, all terms, slow: the tests' oracle. */
double boys_reference(int m, double T);

#endif
