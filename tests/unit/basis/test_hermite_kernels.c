/* SPDX-License-Identifier: BSD-3-Clause */
/* Hermite integrals of every kind of vectors that the processor has: as good as the Boys functions
 * one by one, at any argument. */
#include "tests/check.h"

#include "basis/integrals/boys.h"
#include "basis/integrals/hermite_kernels.h"
#include "support/vectors/vector_unit.h"

#include <stdlib.h>
#include <string.h>

static const struct kernels_case {
    const struct hermite_kernels *kernels;
    enum vector_unit unit;
    const char *name;
} cases[] = {
#ifdef __x86_64__
    {&hermite_kernels_avx512, VECTOR_UNIT_AVX512, "avx512"},
    {&hermite_kernels_avx2, VECTOR_UNIT_AVX2, "avx2"},
#endif
    {&hermite_kernels_baseline, VECTOR_UNIT_BASELINE, "baseline"},
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

/* Exponents of the two sides. */
static const double zeta = 1.7, eta = 0.4;

enum { N_HALVES = HERMITE_MAX_L + 1 };

/* A type of group of each layout of R: the highest l that has it. */
static struct group_type type_of_layout(enum hermite_layout layout)
{
    int l = layout == HERMITE_SHORT ? HERMITE_SHORT_KET / 2 : HERMITE_MAX_L;
    return group_type_of(1, &l, true);
}

/* The term (0, 2 half, 0) of a function from *function on, which it is set to. */
static int find_term(const struct hermite_pattern *pattern, int half, int *function)
{
    for (; *function < pattern->n_functions; ++*function)
        for (int k = pattern->first[*function]; k < pattern->odd[*function]; k++)
            if (pattern->place[HERMITE_SHORT][k] == 2 * half * HERMITE_SHORT_U)
                return k;
    fail();
    return 0;
}

/* A side whose records have one term each, (0, 2 half, 0) in function[half], E = 1; its product is
 * at P in lane k. */
static void make_side(double exponent, double P[QUARTET_LANES][3], double *records,
                      struct hermite_side *side, int function[N_HALVES])
{
    int term[N_HALVES] = {0}, n_halves = side->pattern->order / 2 + 1;
    for (int half = 0; half < n_halves; half++) {
        function[half] = half ? function[half - 1] + 1 : 0;
        term[half] = find_term(side->pattern, half, &function[half]);
    }
    for (int k = 0; k < QUARTET_LANES; k++) {
        double *record = records + k * side->pattern->record;
        memset(record, 0, (size_t)side->pattern->record * sizeof *record);
        record[HERMITE_ZETA] = exponent;
        record[HERMITE_WEIGHT] = 1;
        memcpy(record + HERMITE_P, P[k], 3 * sizeof(double));
        for (int half = 0; half < n_halves; half++)
            record[HERMITE_TERMS + term[half]] = 1;
        side->records[k] = record;
        side->n_records[k] = 1;
    }
}

/* Where P - Q is along x, R_(0, 2m, 0) = (2m - 1)!! (-2 rho)^m F_m(T) / sqrt(zeta + eta). The
 * largest relative error of these over all m and the arguments; x: P - Q by lane. */
static double largest_error(const double *integrals, const struct hermite_pattern *pattern,
                            int n_lanes, int function[2][N_HALVES], const double *x)
{
    double error = 0, rho = zeta * eta / (zeta + eta), factor = 1 / sqrt(zeta + eta);
    int n = pattern->n_functions;
    for (int m = 0; m <= pattern->order; factor *= -2 * rho * (2 * m + 1), m++) {
        int place = function[0][m / 2] * n + function[1][m - m / 2];
        for (int k = 0; k < n_lanes; k++) {
            double exact = factor * boys_reference(m, rho * (x[k] * x[k]));
            double actual = integrals[batch_place(n * n, k, place)];
            error = fmax(error, exact == 0 ? fabs(actual) : fabs(actual / exact - 1));
            assert_true(isfinite(actual));
        }
    }
    return error;
}

static double error_of_kernels(const struct hermite_kernels *kernels,
                               const struct hermite_pattern *pattern, const double T[QUARTET_LANES])
{
    int function[2][N_HALVES];
    double exponent[2] = {zeta, eta}, rho = zeta * eta / (zeta + eta);
    double P[2][QUARTET_LANES][3] = {0}, x[QUARTET_LANES];
    for (int k = 0; k < QUARTET_LANES; k++)
        x[k] = P[0][k][0] = sqrt(T[k] / rho);
    struct hermite_side side[2];
    double *records[2];
    for (int s = 0; s < 2; s++) {
        side[s].pattern = pattern;
        side[s].step = pattern->record;
        records[s] = malloc((size_t)(QUARTET_LANES * pattern->record) * sizeof(double));
        make_side(exponent[s], P[s], records[s], &side[s], function[s]);
    }
    int n = pattern->n_functions;
    void *scratch = kernels->create_scratch(
        &(struct hermite_limits){pattern->order, pattern->n_functions, pattern->record});
    double *integrals = aligned_alloc(64, (size_t)batch_size(n * n, 1) * sizeof(double));
    kernels->compute(&side[0], &side[1], 0, scratch, integrals);
    double error = largest_error(integrals, pattern, kernels->n_lanes, function, x);
    for (int s = 0; s < 2; s++)
        free(records[s]);
    free(scratch);
    free(integrals);
    return error;
}

/* Pairs in the long layout, which take much longer, meet the arguments of every fourth vector; the
 * program's argument is another number. */
static int every = 4;

/* Arguments first, first * ratio + step and so on up to last. */
static void scan(const struct kernels_case *c, double first, double ratio, double step, double last)
{
    for (int layout = 0; layout < HERMITE_N_LAYOUTS; layout++) {
        struct group_type type = type_of_layout((enum hermite_layout)layout);
        const struct hermite_pattern *pattern = hermite_pattern(&type, &type);
        int n_lanes = c->kernels->n_lanes;
        bool is_long = hermite_layout_of_ket(pattern->order) == HERMITE_LONG;
        int n_next = is_long ? every * n_lanes : n_lanes;
        double largest = 0;
        for (double next = first; next <= last;) {
            double T[QUARTET_LANES] = {0};
            for (int k = 0; k < n_next; k++, next = next * ratio + step)
                if (k < n_lanes)
                    T[k] = next;
            largest = fmax(largest, error_of_kernels(c->kernels, pattern, T));
        }
        print_message("%s, l = %d, %g to %g: largest relative error %.1e\n", c->name, type.max_l,
                      first, last, largest);
        assert_true(largest < 1e-13);
    }
}

TEST(relative_errors_are_below_1e13)
{
    boys_prepare();
    for (int c = 0; c < N_CASES; c++) {
        if (cases[c].unit > vector_unit_here())
            continue;
        scan(&cases[c], 0, 1, 0.173, 40);
        scan(&cases[c], 1e-300, 10, 0, 1);
        /* Half way between the points of the grid, where the series is worst, and beyond its end. */
        scan(&cases[c], 0.0625, 1, 0.625, 36);
        scan(&cases[c], 36 - 3e-14, 1, 1e-14, 36 + 3e-14);
        /* Upward recurrence; in the end beyond what any molecule has. */
        scan(&cases[c], 35.5, 1.13, 0, 1e8);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        every = atoi(argv[1]);
    return check_run(argc, argv);
}
