/* SPDX-License-Identifier: BSD-3-Clause */
/* Charts over a numeric axis, as inline SVG like those of svg_chart.h. Values that are not finite,
 * or not positive on a logarithmic axis, are left out. */
#pragma once

#include "sched/lab/report/markup/svg_chart.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct svg_plot_series {
    const char *name;
    const double *x, *y;
    int64_t n; /* of y; svg_plot_areas: x has n + 1 */
    int colour;
};

struct svg_plot {
    const char *id; /* data-chart of the figure */
    const char *title, *x_title, *y_title;
    const char *unit; /* of y in the tooltips */
    int n_series;
    struct svg_plot_series series[SVG_MAX_SERIES];
    bool logarithmic_x, logarithmic_y;
    bool whole_x;        /* ticks at whole numbers only, from the first on */
    double y_high;       /* lower bound for the end of the axis */
    bool diagonal;       /* a line where x = y */
    const double *marks; /* vertical lines */
    int64_t n_marks;
};

/* Lines through the points of each series; their marks are the points. */
void svg_plot_lines(FILE *page, const struct svg_plot *plot);

/* Points alone. */
void svg_plot_points(FILE *page, const struct svg_plot *plot);

/* Bars from x[i] to x[i + 1], the series on top of each other; values of 0 have none. */
void svg_plot_areas(FILE *page, const struct svg_plot *plot);

/* Ridges, where lines would cross too often to be told apart: a row for each of n series, with bars
 * from x[k] to x[k + 1] as svg_plot_areas has them; values of 0 have none. All rows have the same
 * scale, from 0 to the largest value or y_high.
 * plot  the frame: id, titles, unit, y_high; its own series are not used */
void svg_ridges(FILE *page, const struct svg_plot *plot, const struct svg_plot_series *rows,
                int64_t n);
