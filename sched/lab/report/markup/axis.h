/* SPDX-License-Identifier: BSD-3-Clause */
/* The axis of a chart: its range, its ticks, and the position of a value. */
#pragma once

#include <stdbool.h>

enum { AXIS_TEXT_SIZE = 40 };

struct axis {
    double low, high; /* logarithmic: the exponents of ten */
    double step;      /* between ticks, in the same measure */
    bool logarithmic;
    double from, to; /* where low and high lie on the drawing; set by the caller */
};

/* An axis that covers [low, high] and ends at ticks: at most max_ticks + 2
 * of them, at multiples of 1, 2 or 5 times a power of ten. An empty range,
 * or numbers that are not finite, still give an axis. */
struct axis axis_linear(double low, double high, int max_ticks);

/* A logarithmic axis over integer powers of ten; low and high are positive. */
struct axis axis_logarithmic(double low, double high, int max_ticks);

/* A linear axis that ends at this value rather than at the next tick. */
struct axis axis_to_end(struct axis axis, double end);

/* Position of a value on the drawing. Values outside the axis are put at its end. */
double axis_place(const struct axis *axis, double value);

/* Ticks i = 0 ... n - 1: value, and text (UTF-8, AXIS_TEXT_SIZE bytes). */
int axis_n_ticks(const struct axis *axis);
double axis_tick(const struct axis *axis, int i);
void axis_tick_text(const struct axis *axis, int i, char *text);

/* The smallest of 1, 2, 5, 10, 20, 50, ... and of 0.5, 0.2, ... not below x > 0. */
double axis_nice_step(double x);
