/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/report/markup/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Ranges smaller than this share of the values have no ticks that differ in print. */
#define SMALLEST_RANGE 1e-9
#define LARGEST_VALUE  1e100

double axis_nice_step(double x)
{
    double decade = pow(10, floor(log10(x)));
    const double multiples[] = {1, 2, 5};
    for (int i = 0; i < 3; i++)
        if (multiples[i] * decade >= x * (1 - 1e-12))
            return multiples[i] * decade;
    return 10 * decade;
}

struct axis axis_linear(double low, double high, int max_ticks)
{
    if (!(fabs(low) < LARGEST_VALUE))
        low = 0;
    if (!(fabs(high) < LARGEST_VALUE))
        high = low;
    double size = fmax(fabs(low), fabs(high));
    if (!(high - low > SMALLEST_RANGE * size))
        high = low + (size > 0 ? size : 1);
    double step = axis_nice_step((high - low) / max_ticks);
    return (struct axis){.low = floor(low / step + 1e-9) * step,
                         .high = ceil(high / step - 1e-9) * step,
                         .step = step};
}

struct axis axis_logarithmic(double low, double high, int max_ticks)
{
    double first = floor(log10(low) + 1e-9), last = ceil(log10(high) - 1e-9);
    double step = ceil(fmax(last - first, 1) / max_ticks);
    first = floor(first / step) * step;
    last = first + step * ceil(fmax(last - first, 1) / step);
    return (struct axis){.low = first, .high = last, .step = step, .logarithmic = true};
}

struct axis axis_to_end(struct axis axis, double end)
{
    if (end > axis.low && end < axis.high)
        axis.high = end;
    return axis;
}

double axis_place(const struct axis *axis, double value)
{
    double x = axis->logarithmic ? log10(value) : value;
    double share = fmin(fmax((x - axis->low) / (axis->high - axis->low), 0), 1);
    return axis->from + share * (axis->to - axis->from);
}

int axis_n_ticks(const struct axis *axis)
{
    return (int)floor((axis->high - axis->low) / axis->step + 1e-6) + 1;
}

double axis_tick(const struct axis *axis, int i)
{
    double x = (round(axis->low / axis->step) + i) * axis->step;
    if (axis->logarithmic)
        x = axis->low + i * axis->step;
    return axis->logarithmic ? pow(10, x) : x;
}

/* 10 with a raised exponent. */
static void power_text(int exponent, char *text)
{
    static const char *const raised[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                         "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    char digits[16];
    snprintf(digits, sizeof digits, "%d", exponent);
    strcpy(text, "10");
    for (const char *d = digits; *d != '\0'; d++)
        strcat(text, *d == '-' ? "\u207b" : raised[*d - '0']);
}

void axis_tick_text(const struct axis *axis, int i, char *text)
{
    double value = axis_tick(axis, i);
    if (axis->logarithmic) {
        power_text((int)lround(log10(value)), text);
        return;
    }
    /* The decimals of the step serve all ticks, so that they line up. */
    double largest = fmax(fabs(axis->low), fabs(axis->high));
    int decimals = axis->step < 1 ? (int)ceil(-log10(axis->step) - 1e-9) : 0;
    const char *sign = value < 0 ? "\u2212" : "";
    if (decimals <= 4 && largest < 1e6)
        snprintf(text, AXIS_TEXT_SIZE, "%s%.*f", sign, decimals, fabs(value));
    else
        snprintf(text, AXIS_TEXT_SIZE, "%s%g", sign, fabs(value));
}
