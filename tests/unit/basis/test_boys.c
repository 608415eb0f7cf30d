/* SPDX-License-Identifier: BSD-3-Clause */
/* The tabulated Boys function has a relative error below 1e-14 for every argument and order. */
#include "basis/integrals/boys.h"
#include "tests/check.h"

/* F_m(T) in quadruple precision, exp(-T) from its own series: no rounding or
 * library of the code under test. */
static double boys_quadruple(int m, double T)
{
    __float128 t = T, term = 1 / (__float128)(2 * m + 1), sum = term;
    for (int k = 1; term > 1e-34 * sum; k++) {
        term *= 2 * t / (2 * m + 2 * k + 1);
        sum += term;
    }
    __float128 power = 1, exponential = 1;
    for (int k = 1; power > 1e-34 * exponential; k++) {
        power *= t / k;
        exponential += power;
    }
    return (double)(sum / exponential);
}

/* Checks boys() for every largest m, and the reference; the largest relative error. */
static double error_at(double T)
{
    double largest = 0, F[BOYS_MAX_M + 1];
    for (int m = 0; m <= BOYS_MAX_M; m++) {
        double exact = boys_quadruple(m, T);
        boys(m, T, F);
        largest = fmax(largest, fabs(F[m] - exact) / exact);
        boys(BOYS_MAX_M, T, F);
        largest = fmax(largest, fabs(F[m] - exact) / exact);
        check_close(boys_reference(m, T) / exact, 1, 5e-15);
    }
    return largest;
}

/* Across the table, its end at 36, and beyond it; exact at 0. */
TEST(relative_errors_are_below_1e14)
{
    double largest = fmax(error_at(nextafter(36, 0)), error_at(36)), F[BOYS_MAX_M + 1];
    for (int i = 0; i < 1850; i++)
        largest = fmax(largest, error_at(i * 0.020013));
    for (double T = 35.9; T < 1e4; T *= 1.05)
        largest = fmax(largest, error_at(T));
    print_message("largest relative error: %.1e\n", largest);
    assert_true(largest < 1e-14);
    boys(BOYS_MAX_M, 0, F);
    for (int m = 0; m <= BOYS_MAX_M; m++)
        check_close(F[m] * (2 * m + 1), 1, 1e-15);
}

TEST(huge_arguments_follow_the_asymptotic_form)
{
    double F[3];
    boys(2, 1e12, F);
    double F0 = sqrt(acos(-1.0) / 1e12) / 2;
    check_close(F[0] / F0, 1, 1e-15);
    check_close(F[2] / (F0 * 3 / 4e24), 1, 1e-15);
    boys(2, 1e300, F);
    assert_true(isfinite(F[0]) && F[0] > 0 && F[2] == 0);
}

int main(int argc, char **argv)
{
    boys_prepare();
    return check_run(argc, argv);
}
