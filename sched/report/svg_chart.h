/* Charts as inline SVG, each in a <figure> with its title, legend and, for screen readers, a
 * description. Colours are classes k0, k1, ... of the page's style sheet; every mark shows its
 * value as a tooltip. */
#ifndef BERYL_SCHED_REPORT_SVG_CHART_H
#define BERYL_SCHED_REPORT_SVG_CHART_H

#include "sched/report/axis.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Series of a chart, and their colours. */
enum { SVG_MAX_SERIES = 7 };

struct svg_series {
    const char *name;
    const double *values; /* one for each place; NAN: not drawn */
    int colour;           /* k0, k1, ... */
};

struct svg_chart {
    const char *id; /* data-chart of the figure, or NULL */
    const char *title;
    const char *place_title; /* meaning of the places */
    const char *value_title; /* with the unit */
    int64_t n_places;
    int64_t first_label, label_step; /* place i is labelled first_label + i * label_step */
    const char *const *names;        /* svg_rows: of the places */
    int n_series;
    struct svg_series series[SVG_MAX_SERIES];
    bool logarithmic; /* values that are not positive are left out */
    double high;      /* lower bound for the end of the axis */
};

/* Bars side by side along x, the series on top of each other. */
void svg_bars(FILE *page, const struct svg_chart *chart);

/* Lines over the places along x. */
void svg_lines(FILE *page, const struct svg_chart *chart);

/* Horizontal bars, a row and a name for each place, the series one after the other, their
 * sum at the end. */
void svg_rows(FILE *page, const struct svg_chart *chart);

/* Begin and end of every chart: <figure>, title, legend, <svg> of this size; </svg>,
 * </figure>. */
void svg_start(FILE *page, const struct svg_chart *chart, int width, int height);
void svg_end(FILE *page);

/* A vertical axis at x = left: its title, and a line up to x = right at each tick. */
void svg_vertical_axis(FILE *page, const struct axis *axis, int left, int right, const char *title);

/* Text at (x, y) with more attributes, such as text-anchor. */
void svg_text(FILE *page, double x, double y, const char *attributes, const char *text);

#endif
