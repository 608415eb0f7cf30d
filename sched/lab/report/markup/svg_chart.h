/* SPDX-License-Identifier: BSD-3-Clause */
/* Charts as inline SVG, each in a <figure> with its title, legend and, for screen readers, a
 * description. Colours are classes k0, k1, ... of the page's style sheet; every mark shows its
 * value as a tooltip. */
#pragma once

#include "sched/lab/report/markup/axis.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Series of a chart, and their colours. */
enum { SVG_MAX_SERIES = 7 };

/* Size of a drawing and, inside it, the area of the data, in pixels at full size. Its left side
 * has room for the letters of a phone, which are larger. */
enum {
    SVG_WIDTH = 640,
    SVG_HEIGHT = 300,
    SVG_LEFT = 92,
    SVG_RIGHT = 608,
    SVG_TOP = 12,
    SVG_BOTTOM = 252,
    SVG_BELOW = 48 /* from there to the lower edge: labels and title of an axis */
};

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
    const double *low, *high_end;    /* svg_rows: ends of a line over each bar, or NULL */
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
 * sum at the end; over it a line from low to high_end. */
void svg_rows(FILE *page, const struct svg_chart *chart);

/* Begin and end of every chart: <figure>, title, legend, <svg> of this size; </svg>,
 * </figure>. */
void svg_start(FILE *page, const struct svg_chart *chart, int width, int height);
void svg_end(FILE *page);

/* An entry of a legend. */
void svg_key(FILE *page, int colour, const char *name);

/* A vertical axis at x = left: its title, and a line up to x = right at each tick. */
void svg_vertical_axis(FILE *page, const struct axis *axis, int left, int right, const char *title);

/* A horizontal axis at y = bottom: its title, and a line up to y = top at each tick. */
void svg_horizontal_axis(FILE *page, const struct axis *axis, double top, double bottom,
                         const char *title);

/* The name of a row, cut where it is too long, that ends at (x, y); and the x that it takes. */
void svg_name(FILE *page, const char *name, double x, double y);
int svg_name_width(const char *name);

/* Text at (x, y) with more attributes, such as text-anchor. */
void svg_text(FILE *page, double x, double y, const char *attributes, const char *text);
