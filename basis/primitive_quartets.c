#include "basis/primitive_quartets.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* The sanitizers start too late for the dispatch of clones. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define VECTOR_CLONES
#endif

enum {
    GRID_PER_UNIT = 8,
    N_TERMS = 8,
    T_SERIES = 36, /* from here on F_0 is its asymptotic value and F_m follows upward */
    N_GRID = T_SERIES * GRID_PER_UNIT + 1,
    N_ORDERS = BOYS_MAX_M + 1,
};

/* Taylor coefficients F_{m+k}(T_g) / k! around T_g = g / GRID_PER_UNIT, for
 * every m: F_m(T) = sum_k (T_g - T)^k F_{m+k}(T_g) / k!. With |T - T_g| <= 1/16 the
 * first neglected term is below 4e-16 of F_m. */
static double taylor[N_ORDERS][N_GRID * N_TERMS];

/* F_m(T_g) for orders beyond those of boys(): by its series, once. */
void primitive_quartets_prepare(void)
{
    static bool prepared;
    if (prepared)
        return;
    prepared = true;
    boys_prepare();
    for (int g = 0; g < N_GRID; g++) {
        double F[N_ORDERS + N_TERMS];
        /* Downward recursion from the series of the highest order is stable. */
        double T = (double)g / GRID_PER_UNIT;
        int top = N_ORDERS + N_TERMS - 1;
        F[top] = boys_reference(top, T);
        for (int m = top - 1; m >= 0; m--)
            F[m] = (2 * T * F[m + 1] + exp(-T)) / (2 * m + 1);
        for (int m = 0; m < N_ORDERS; m++) {
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

VECTOR_CLONES
static void set_arguments(struct primitive_quartets *restrict list,
                          const struct primitive_products *restrict bra,
                          const struct primitive_products *restrict ket, int n)
{
    for (int block = 0; block < n; block += PRIMITIVE_LANES) {
        for (int lane = 0; lane < PRIMITIVE_LANES; lane++) {
            int i = block + lane;
            int32_t p = list->bra[i], q = list->ket[i];
            double zeta = bra->zeta[p], eta = ket->zeta[q];
            double inverse = 1 / (zeta + eta);
            double x = bra->P[0][p] - ket->P[0][q];
            double y = bra->P[1][p] - ket->P[1][q];
            double z = bra->P[2][p] - ket->P[2][q];
            list->inverse[i] = inverse;
            list->T[i] = zeta * eta * inverse * (x * x + y * y + z * z);
            list->factor[i] = bra->factor[p] * ket->factor[q] * sqrt(inverse);
        }
    }
}

VECTOR_CLONES
static void set_centres(struct primitive_quartets *restrict list,
                        const struct primitive_products *restrict bra,
                        const struct primitive_products *restrict ket, int n)
{
    for (int block = 0; block < n; block += PRIMITIVE_LANES) {
        for (int lane = 0; lane < PRIMITIVE_LANES; lane++) {
            int i = block + lane;
            int32_t p = list->bra[i], q = list->ket[i];
            double bra_weight = bra->zeta[p] * list->inverse[i];
            double ket_weight = ket->zeta[q] * list->inverse[i];
            list->bra_weight[i] = bra_weight;
            list->ket_weight[i] = ket_weight;
            for (int x = 0; x < 3; x++) {
                double PQ = bra->P[x][p] - ket->P[x][q];
                list->WP[x][i] = -ket_weight * PQ;
                list->WQ[x][i] = bra_weight * PQ;
            }
        }
    }
}

/* F[top] of T below T_SERIES by the table; F[0] above by its asymptotic value. */
VECTOR_CLONES
static void set_boys_start(struct primitive_quartets *restrict list, const double *restrict table,
                           double *restrict near, double *restrict far, int n)
{
    for (int block = 0; block < n; block += PRIMITIVE_LANES) {
        for (int lane = 0; lane < PRIMITIVE_LANES; lane++) {
            int i = block + lane;
            double T = list->T[i] < T_SERIES ? list->T[i] : T_SERIES;
            int32_t g = (int32_t)(T * GRID_PER_UNIT + 0.5);
            double d = g * (1.0 / GRID_PER_UNIT) - T;
            const double *c = table + (int64_t)g * N_TERMS;
            double series =
                c[0] +
                d * (c[1] +
                     d * (c[2] + d * (c[3] + d * (c[4] + d * (c[5] + d * (c[6] + d * c[7]))))));
            double T_far = list->T[i] < T_SERIES ? T_SERIES : list->T[i];
            near[i] = list->factor[i] * series;
            far[i] = list->factor[i] * 0.88622692545275801 / sqrt(T_far); /* sqrt(pi) / 2 */
        }
    }
}

/* exp_T = exp(-T): 2^-k exp(r), k = round(T / ln 2), the exponential of the
 * remainder |r| <= ln(2) / 2 by its series to the 13th power; 0 beyond T = 700. */
VECTOR_CLONES
static void set_exponentials(struct primitive_quartets *restrict list, int n)
{
    for (int block = 0; block < n; block += PRIMITIVE_LANES) {
        double power[PRIMITIVE_LANES];
        int64_t bits[PRIMITIVE_LANES];
        for (int lane = 0; lane < PRIMITIVE_LANES; lane++) {
            double T = list->T[block + lane] < 700 ? list->T[block + lane] : 700;
            int32_t k = (int32_t)(T * 1.4426950408889634 + 0.5);
            double r = (k * 0.693147180369123816490 - T) + k * 1.90821492927058770002e-10;
            double sum = 1 + r / 13;
            for (int term = 12; term >= 1; term--)
                sum = 1 + r / term * sum;
            list->exp_T[block + lane] = list->T[block + lane] < 700 ? sum : 0;
            bits[lane] = (int64_t)(1023 - k) << 52;
        }
        memcpy(power, bits, sizeof power);
        for (int lane = 0; lane < PRIMITIVE_LANES; lane++)
            list->exp_T[block + lane] *= power[lane];
    }
}

/* All orders from near (order max_m) downward, or from far (order 0) upward;
 * both are stable on their side of T_SERIES. */
VECTOR_CLONES
static void set_boys_orders(struct primitive_quartets *restrict list, const double *restrict near,
                            const double *restrict far, int max_m, int n)
{
    for (int block = 0; block < n; block += PRIMITIVE_LANES) {
        double down[PRIMITIVE_LANES], exponential[PRIMITIVE_LANES];
        for (int lane = 0; lane < PRIMITIVE_LANES; lane++) {
            exponential[lane] = list->exp_T[block + lane] * list->factor[block + lane];
            down[lane] = near[block + lane];
            list->F[max_m][block + lane] = down[lane];
        }
        for (int m = max_m - 1; m >= 0; m--) {
            double scale = 1.0 / (2 * m + 1);
            for (int lane = 0; lane < PRIMITIVE_LANES; lane++) {
                down[lane] = (2 * list->T[block + lane] * down[lane] + exponential[lane]) * scale;
                list->F[m][block + lane] = down[lane];
            }
        }
        double up[PRIMITIVE_LANES];
        for (int lane = 0; lane < PRIMITIVE_LANES; lane++)
            up[lane] = far[block + lane];
        for (int m = 0; m <= max_m; m++) {
            for (int lane = 0; lane < PRIMITIVE_LANES; lane++) {
                double T = list->T[block + lane];
                list->F[m][block + lane] = T < T_SERIES ? list->F[m][block + lane] : up[lane];
                up[lane] = ((2 * m + 1) * up[lane] - exponential[lane]) * (0.5 / (T + 1e-30));
            }
        }
    }
}

void primitive_quartets_evaluate(struct primitive_quartets *list,
                                 const struct primitive_products *bra,
                                 const struct primitive_products *ket, int max_m)
{
    double near[PRIMITIVE_CHUNK], far[PRIMITIVE_CHUNK];
    int n = pad(list);
    set_arguments(list, bra, ket, n);
    set_boys_start(list, taylor[max_m], near, far, n);
    if (max_m == 0) {
        for (int i = 0; i < n; i++)
            list->F[0][i] = list->T[i] < T_SERIES ? near[i] : far[i];
        return;
    }
    set_centres(list, bra, ket, n);
    set_exponentials(list, n);
    set_boys_orders(list, near, far, max_m, n);
}
