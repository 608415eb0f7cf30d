/* Many series over one axis, each in a row of its own: where lines would cross too often to be
 * told apart. */
#ifndef BERYL_SCHED_REPORT_MARKUP_SVG_RIDGES_H
#define BERYL_SCHED_REPORT_MARKUP_SVG_RIDGES_H

#include "sched/lab/report/markup/svg_plot.h"

#include <stdint.h>
#include <stdio.h>

/* A row for each of n series, with bars from x[k] to x[k + 1] as svg_plot_areas has them; values
 * of 0 have none. All rows have the same scale, from 0 to the largest value or y_high.
 * plot  the frame: id, titles, unit, y_high; its own series are not used */
void svg_ridges(FILE *page, const struct svg_plot *plot, const struct svg_plot_series *rows,
                int64_t n);

#endif
