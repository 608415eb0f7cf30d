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
