#include "basis/integrals/primitive_quartets.h"

#include "support/base/vector_clones.h"

#include <math.h>
#include <stdbool.h>

/* One less than boys() has: eight are a vector, and the first one left out is below
 * 4e-16 of F_m. */
enum { N_TERMS = 8 };

/* Taylor coefficients F_{m+k}(T_g) / k! around the points T_g of the grid of boys.h, for
 * every m: F_m(T) = sum_k (T_g - T)^k F_{m+k}(T_g) / k!. */
static double taylor[BOYS_MAX_M + 1][BOYS_N_POINTS * N_TERMS];

/* Numbers of one block of entries; arithmetic on them is lane by lane. */
typedef double lanes __attribute__((vector_size(PRIMITIVE_LANES * sizeof(double))));
typedef int64_t integer_lanes __attribute__((vector_size(PRIMITIVE_LANES * sizeof(int64_t))));

void primitive_quartets_prepare(void)
{
    static bool prepared;
    if (prepared)
        return;
    prepared = true;
    boys_prepare();
    for (int g = 0; g < BOYS_N_POINTS; g++) {
        const double *F = boys_at_point(g);
        for (int m = 0; m <= BOYS_MAX_M; m++) {
            double factorial = 1;
            for (int k = 0; k < N_TERMS; k++) {
                taylor[m][g * N_TERMS + k] = F[m + k] / factorial;
                factorial *= k + 1;
            }
        }
    }
}

/* Repeats the last entry up to the end of its block; returns the padded length. */
static int pad(struct primitive_quartets *list)
{
    int padded = (list->n + PRIMITIVE_LANES - 1) / PRIMITIVE_LANES * PRIMITIVE_LANES;
    for (int i = list->n; i < padded; i++) {
        list->bra[i] = list->bra[list->n - 1];
        list->ket[i] = list->ket[list->n - 1];
    }
    return padded;
}

/* The functions below work on one block and are inlined into every clone of
 * evaluate_blocks, so that each is compiled for the clone's instructions. */
#define BLOCK_FUNCTION static inline __attribute__((always_inline))

BLOCK_FUNCTION lanes gather(const double *array, const int32_t *index)
{
    lanes value;
    for (int lane = 0; lane < PRIMITIVE_LANES; lane++)
        value[lane] = array[index[lane]];
    return value;
}

BLOCK_FUNCTION lanes square_root(lanes x)
{
    lanes root;
    for (int lane = 0; lane < PRIMITIVE_LANES; lane++)
        root[lane] = sqrt(x[lane]);
    return root;
}

/* where[lane] is all ones or zero. */
BLOCK_FUNCTION lanes choose(integer_lanes where, lanes yes, lanes no)
{
    return (lanes)(((integer_lanes)yes & where) | ((integer_lanes)no & ~where));
}

/* F_m(T) by the Taylor series about the grid, T in [0, BOYS_LARGE_T]. */
BLOCK_FUNCTION lanes interpolate(const double *table, lanes T)
{
    integer_lanes g = __builtin_convertvector(T * BOYS_POINTS_PER_UNIT + 0.5, integer_lanes);
    lanes d = __builtin_convertvector(g, lanes) * (1.0 / BOYS_POINTS_PER_UNIT) - T;
    lanes c[N_TERMS] = {{0}};
    for (int lane = 0; lane < PRIMITIVE_LANES; lane++) {
        const double *row = table + g[lane] * N_TERMS;
        for (int k = 0; k < N_TERMS; k++)
            c[k][lane] = row[k];
    }
    lanes sum = c[N_TERMS - 1];
    for (int k = N_TERMS - 2; k >= 0; k--)
        sum = c[k] + d * sum;
    return sum;
}

/* exp(-T): 2^-k exp(r), k = round(T / ln 2), the exponential of the remainder
 * |r| <= ln(2) / 2 by its series to the 13th power; below 1e-300 beyond T = 700. */
BLOCK_FUNCTION lanes exponential(lanes T)
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
    const lanes limit = (lanes){0} + 700;
    T = choose(T < limit, T, limit);
    integer_lanes k = __builtin_convertvector(T * 1.4426950408889634 + 0.5, integer_lanes);
    lanes k_real = __builtin_convertvector(k, lanes);
    /* ln 2 in two parts, the first with room for an exact product. */
    lanes r = (k_real * 0.693147180369123816490 - T) + k_real * 1.90821492927058770002e-10;
    lanes sum = (lanes){0} + series[N_EXP_TERMS - 1];
    for (int term = N_EXP_TERMS - 2; term >= 0; term--)
        sum = series[term] + r * sum;
    return sum * (lanes)((1023 - k) << 52);
}

/* All orders: downward from the series where T is small, upward from F_0 where
 * it is large; both are stable on their side of BOYS_LARGE_T. */
BLOCK_FUNCTION void set_orders(struct primitive_quartets *list, int block, int max_m,
                               integer_lanes is_near, lanes near, lanes far, lanes T, lanes factor)
{
    lanes e = factor * exponential(T);
    lanes limit = (lanes){0} + BOYS_LARGE_T;
    lanes half_inverse = 0.5 / choose(is_near, limit, T);
    lanes down[BOYS_MAX_M + 1];
    down[max_m] = near;
    for (int m = max_m - 1; m >= 0; m--)
        down[m] = (2 * T * down[m + 1] + e) * (1.0 / (2 * m + 1));
    for (int m = 0; m <= max_m; m++) {
        *(lanes *)&list->F[m][block] = choose(is_near, down[m], far);
        far = ((2.0 * m + 1) * far - e) * half_inverse;
    }
}

BLOCK_FUNCTION void evaluate_block(struct primitive_quartets *list,
                                   const struct primitive_products *bra,
                                   const struct primitive_products *ket, int max_m, int block)
{
    const int32_t *p = list->bra + block, *q = list->ket + block;
    lanes zeta = gather(bra->zeta, p), eta = gather(ket->zeta, q);
    lanes inverse = 1 / (zeta + eta);
    lanes ket_weight = eta * inverse, bra_weight = zeta * inverse;
    lanes PQ[3];
    for (int x = 0; x < 3; x++)
        PQ[x] = gather(bra->P[x], p) - gather(ket->P[x], q);
    lanes T = zeta * ket_weight * (PQ[0] * PQ[0] + PQ[1] * PQ[1] + PQ[2] * PQ[2]);
    lanes factor = gather(bra->factor, p) * gather(ket->factor, q) * square_root(inverse);

    lanes limit = (lanes){0} + BOYS_LARGE_T;
    integer_lanes is_near = T < limit;
    lanes near = factor * interpolate(taylor[max_m], choose(is_near, T, limit));
    /* sqrt(pi / T) / 2 */
    lanes far = factor * BOYS_SQRT_PI_HALF / square_root(choose(is_near, limit, T));
    if (max_m == 0) {
        *(lanes *)&list->F[0][block] = choose(is_near, near, far);
        return;
    }
    *(lanes *)&list->inverse[block] = inverse;
    *(lanes *)&list->bra_weight[block] = bra_weight;
    *(lanes *)&list->ket_weight[block] = ket_weight;
    for (int x = 0; x < 3; x++) {
        *(lanes *)&list->WP[x][block] = -ket_weight * PQ[x];
        *(lanes *)&list->WQ[x][block] = bra_weight * PQ[x];
    }
    set_orders(list, block, max_m, is_near, near, far, T, factor);
}

VECTOR_CLONES
static void evaluate_blocks(struct primitive_quartets *list, const struct primitive_products *bra,
                            const struct primitive_products *ket, int max_m, int n)
{
    for (int block = 0; block < n; block += PRIMITIVE_LANES)
        evaluate_block(list, bra, ket, max_m, block);
}

void primitive_quartets_evaluate(struct primitive_quartets *list,
                                 const struct primitive_products *bra,
                                 const struct primitive_products *ket, int max_m)
{
    evaluate_blocks(list, bra, ket, max_m, pad(list));
}
