/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/report/markup/svg_plot.h"

#include "sched/lab/report/markup/html.h"

#include <math.h>

enum { MAX_X_TICKS = 8, MAX_Y_TICKS = 6 };

struct plot_axes {
    struct axis x, y;
};

static bool fits_axis(double value, bool logarithmic)
{
    return isfinite(value) && (!logarithmic || value > 0);
}

/* Covers the values. */
static struct axis axis_of_range(double low, double high, bool logarithmic, int max_ticks)
{
    if (!logarithmic)
        return axis_linear(low, high, max_ticks);
    return high > 0 ? axis_logarithmic(low, high, max_ticks) : axis_logarithmic(1, 10, max_ticks);
}

static void widen_range(double value, bool logarithmic, double *low, double *high)
{
    if (!fits_axis(value, logarithmic))
        return;
    *low = fmin(*low, value);
    *high = fmax(*high, value);
}

/* Sum of the series up to number s in bar i. */
static double stacked_sum(const struct svg_plot *plot, int s, int64_t i)
{
    double sum = 0;
    for (int k = 0; k <= s; k++)
        if (i < plot->series[k].n)
            sum += fmax(plot->series[k].y[i], 0); /* fmax ignores NAN */
    return sum;
}

static struct plot_axes find_axes(const struct svg_plot *plot, bool stacked)
{
    double x_low = INFINITY, x_high = -INFINITY, y_low = INFINITY, y_high = plot->y_high;
    for (int s = 0; s < plot->n_series; s++) {
        const struct svg_plot_series *series = &plot->series[s];
        for (int64_t i = 0; i < series->n + (stacked ? 1 : 0); i++)
            widen_range(series->x[i], plot->logarithmic_x, &x_low, &x_high);
        for (int64_t i = 0; i < series->n; i++)
            widen_range(stacked ? stacked_sum(plot, s, i) : series->y[i], plot->logarithmic_y,
                        &y_low, &y_high);
    }
    struct plot_axes axes = {
        axis_of_range(plot->whole_x || plot->logarithmic_x ? x_low : fmin(x_low, 0), x_high,
                      plot->logarithmic_x, MAX_X_TICKS),
        axis_of_range(plot->logarithmic_y ? y_low : fmin(y_low, 0), y_high, plot->logarithmic_y,
                      MAX_Y_TICKS)};
    if (plot->whole_x && axes.x.step < 1)
        axes.x = (struct axis){.low = floor(x_low), .high = ceil(axes.x.high), .step = 1};
    if (!plot->logarithmic_x)
        axes.x = axis_to_end(axes.x, x_high);
    axes.x.from = SVG_LEFT;
    axes.x.to = SVG_RIGHT;
    axes.y.from = SVG_BOTTOM;
    axes.y.to = SVG_TOP;
    return axes;
}

static void start_plot(FILE *page, const struct svg_plot *plot, const struct plot_axes *axes)
{
    struct svg_chart chart = {.id = plot->id,
                              .title = plot->title,
                              .value_title = plot->y_title,
                              .n_series = plot->n_series};
    for (int s = 0; s < plot->n_series; s++)
        chart.series[s] =
            (struct svg_series){.name = plot->series[s].name, .colour = plot->series[s].colour};
    svg_start(page, &chart, SVG_WIDTH, SVG_HEIGHT);
    svg_vertical_axis(page, &axes->y, SVG_LEFT, SVG_RIGHT, plot->y_title);
    svg_horizontal_axis(page, &axes->x, SVG_BOTTOM - 5, SVG_BOTTOM, plot->x_title);
    if (plot->diagonal) {
        double from = fmax(axis_tick(&axes->x, 0), axis_tick(&axes->y, 0));
        double to = fmin(axis_tick(&axes->x, axis_n_ticks(&axes->x) - 1),
                         axis_tick(&axes->y, axis_n_ticks(&axes->y) - 1));
        if (from < to)
            fprintf(page, "<path class=\"rule\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n",
                    axis_place(&axes->x, from), axis_place(&axes->y, from),
                    axis_place(&axes->x, to), axis_place(&axes->y, to));
    }
    for (int64_t i = 0; i < plot->n_marks; i++)
        if (fits_axis(plot->marks[i], plot->logarithmic_x))
            fprintf(page, "<path class=\"rule\" d=\"M%.1f %dV%d\"/>\n",
                    axis_place(&axes->x, plot->marks[i]), SVG_TOP, SVG_BOTTOM);
}

static void write_mark_title(FILE *page, const struct svg_plot *plot, int s, int64_t i)
{
    const struct svg_plot_series *series = &plot->series[s];
    fputs("<title>", page);
    if (plot->n_series > 1) {
        html_text(page, series->name);
        fputs(" ", page);
    }
    fprintf(page, "%.4g%s at %.4g</title>", series->y[i], plot->unit ? plot->unit : "",
            series->x[i]);
}

static bool is_drawn_at(const struct svg_plot *plot, const struct svg_plot_series *series,
                        int64_t i)
{
    return fits_axis(series->x[i], plot->logarithmic_x) &&
           fits_axis(series->y[i], plot->logarithmic_y);
}

static void draw_points(FILE *page, const struct svg_plot *plot, const struct plot_axes *axes,
                        int s, double radius)
{
    const struct svg_plot_series *series = &plot->series[s];
    for (int64_t i = 0; i < series->n; i++) {
        if (!is_drawn_at(plot, series, i))
            continue;
        fprintf(page, "<circle class=\"k%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\">", series->colour,
                axis_place(&axes->x, series->x[i]), axis_place(&axes->y, series->y[i]), radius);
        write_mark_title(page, plot, s, i);
        fputs("</circle>\n", page);
    }
}

static void draw_curve(FILE *page, const struct svg_plot *plot, const struct plot_axes *axes, int s)
{
    const struct svg_plot_series *series = &plot->series[s];
    bool pen_down = false;
    fprintf(page, "<path class=\"line l%d d%d\" d=\"M%d %d", series->colour, s, SVG_LEFT,
            SVG_BOTTOM);
    for (int64_t i = 0; i < series->n; i++) {
        bool drawn = is_drawn_at(plot, series, i);
        if (drawn)
            fprintf(page, "%c%.1f %.1f", pen_down ? 'L' : 'M', axis_place(&axes->x, series->x[i]),
                    axis_place(&axes->y, series->y[i]));
        pen_down = drawn;
    }
    fputs("\"/>\n", page);
}

void svg_plot_lines(FILE *page, const struct svg_plot *plot)
{
    struct plot_axes axes = find_axes(plot, false);
    start_plot(page, plot, &axes);
    for (int s = 0; s < plot->n_series; s++) {
        draw_curve(page, plot, &axes, s);
        draw_points(page, plot, &axes, s, 2);
    }
    svg_end(page);
}

void svg_plot_points(FILE *page, const struct svg_plot *plot)
{
    struct plot_axes axes = find_axes(plot, false);
    start_plot(page, plot, &axes);
    for (int s = 0; s < plot->n_series; s++)
        draw_points(page, plot, &axes, s, 2.5);
    svg_end(page);
}

static void draw_area(FILE *page, const struct svg_plot *plot, const struct plot_axes *axes, int s,
                      int64_t i)
{
    const struct svg_plot_series *series = &plot->series[s];
    double top = stacked_sum(plot, s, i);
    if (!(series->y[i] > 0) || !fits_axis(series->x[i], plot->logarithmic_x) ||
        !fits_axis(series->x[i + 1], plot->logarithmic_x))
        return;
    double from = axis_place(&axes->x, series->x[i]), to = axis_place(&axes->x, series->x[i + 1]);
    double y_top = axis_place(&axes->y, top), y_bottom = axis_place(&axes->y, top - series->y[i]);
    fprintf(page, "<rect class=\"k%d\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\">",
            series->colour, from, y_top, fabs(to - from), fabs(y_bottom - y_top));
    write_mark_title(page, plot, s, i);
    fputs("</rect>\n", page);
}

void svg_plot_areas(FILE *page, const struct svg_plot *plot)
{
    struct plot_axes axes = find_axes(plot, true);
    start_plot(page, plot, &axes);
    for (int s = 0; s < plot->n_series; s++)
        for (int64_t i = 0; i < plot->series[s].n; i++)
            draw_area(page, plot, &axes, s, i);
    svg_end(page);
}

/* --- ridges --- */

enum { RIDGE_TOP = 4, RIDGE = 34, RIDGE_HIGH = 28, MAX_RIDGE_TICKS = 6 };

/* The frame that all rows share. */
struct ridge_frame {
    struct axis x;
    double highest;
    int left;
};

static struct ridge_frame find_frame(const struct svg_plot *plot,
                                     const struct svg_plot_series *rows, int64_t n)
{
    struct ridge_frame frame = {.highest = plot->y_high, .left = 0};
    double end = 0;
    for (int64_t row = 0; row < n; row++) {
        int left = svg_name_width(rows[row].name);
        frame.left = left > frame.left ? left : frame.left;
        for (int64_t i = 0; i < rows[row].n; i++) {
            frame.highest = fmax(frame.highest, rows[row].y[i]); /* fmax ignores NAN */
            end = fmax(end, rows[row].x[i + 1]);
        }
    }
    frame.x = axis_to_end(axis_linear(0, end, MAX_RIDGE_TICKS), end);
    frame.x.from = frame.left;
    frame.x.to = SVG_RIGHT;
    return frame;
}

static void draw_ridge(FILE *page, const struct svg_plot *plot, const struct ridge_frame *frame,
                       const struct svg_plot_series *row, double bottom)
{
    svg_name(page, row->name, frame->left - 8, bottom - 8);
    fprintf(page, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", frame->left, bottom, SVG_RIGHT);
    for (int64_t i = 0; i < row->n; i++) {
        if (!(row->y[i] > 0) || !isfinite(row->x[i]) || !isfinite(row->x[i + 1]))
            continue;
        double from = axis_place(&frame->x, row->x[i]), to = axis_place(&frame->x, row->x[i + 1]);
        double height = RIDGE_HIGH * fmin(row->y[i] / frame->highest, 1);
        fprintf(page,
                "<rect class=\"k%d\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\">"
                "<title>",
                row->colour, from, bottom - height, to - from, height);
        html_text(page, row->name);
        fprintf(page, " %.4g%s at %.4g</title></rect>\n", row->y[i], plot->unit ? plot->unit : "",
                row->x[i]);
    }
}

void svg_ridges(FILE *page, const struct svg_plot *plot, const struct svg_plot_series *rows,
                int64_t n)
{
    const struct ridge_frame frame = find_frame(plot, rows, n);
    const struct svg_chart chart = {
        .id = plot->id, .title = plot->title, .value_title = plot->y_title};
    double bottom = RIDGE_TOP + RIDGE * (double)n;
    svg_start(page, &chart, SVG_WIDTH, (int)bottom + SVG_BELOW);
    svg_horizontal_axis(page, &frame.x, RIDGE_TOP, bottom, plot->x_title);
    for (int64_t row = 0; row < n; row++)
        draw_ridge(page, plot, &frame, &rows[row], RIDGE_TOP + RIDGE * (double)(row + 1));
    svg_end(page);
}
