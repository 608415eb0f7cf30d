/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/report/markup/svg_chart.h"

#include "sched/lab/report/markup/html.h"

#include <math.h>

enum { MAX_VALUE_TICKS = 6, MAX_LABELS = 14, MAX_MARKED_PLACES = 60, MAX_NAME = 30 };

void svg_key(FILE *page, int colour, const char *name)
{
    html_print(page,
               " <span class=\"key\"><svg width=\"12\" height=\"12\" aria-hidden=\"true\">"
               "<rect class=\"k%d\" width=\"12\" height=\"12\" rx=\"2\"/></svg> %s</span>",
               colour, name);
}

void svg_start(FILE *page, const struct svg_chart *chart, int width, int height)
{
    html_print(page, "<figure data-chart=\"%s\"><figcaption><b>%s</b>", chart->id ? chart->id : "",
               chart->title);
    for (int s = 0; s < chart->n_series && chart->n_series > 1; s++)
        svg_key(page, chart->series[s].colour, chart->series[s].name);
    html_print(page,
               "</figcaption>\n<svg class=\"chart\" role=\"img\" viewBox=\"0 0 %d %d\" "
               "style=\"max-width:%dpx\" aria-label=\"%s%s%s\">\n",
               width, height, width, chart->title, chart->value_title ? ": " : "",
               chart->value_title ? chart->value_title : "");
}

void svg_end(FILE *page)
{
    fputs("</svg></figure>\n", page);
}

void svg_text(FILE *page, double x, double y, const char *attributes, const char *text)
{
    fprintf(page, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    html_text(page, text);
    fputs("</text>\n", page);
}

void svg_vertical_axis(FILE *page, const struct axis *axis, int left, int right, const char *title)
{
    for (int i = 0; i < axis_n_ticks(axis); i++) {
        char text[AXIS_TEXT_SIZE];
        double y = axis_place(axis, axis_tick(axis, i));
        axis_tick_text(axis, i, text);
        fprintf(page, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>", left, y, right);
        svg_text(page, left - 7, y + 4, "text-anchor=\"end\"", text);
    }
    fprintf(page, "<g transform=\"translate(16 %.0f) rotate(-90)\">", (axis->from + axis->to) / 2);
    svg_text(page, 0, 0, "class=\"title\" text-anchor=\"middle\"", title);
    fputs("</g>\n", page);
}

/* On narrow screens only the major ones of many labels are shown. */
static const char *label_attributes(int64_t i, int64_t n)
{
    return i % 2 == 1 && n > 5 ? "class=\"minor\" text-anchor=\"middle\""
                               : "text-anchor=\"middle\"";
}

void svg_horizontal_axis(FILE *page, const struct axis *axis, double top, double bottom,
                         const char *title)
{
    int n = axis_n_ticks(axis);
    for (int i = 0; i < n; i++) {
        char text[AXIS_TEXT_SIZE];
        double x = axis_place(axis, axis_tick(axis, i));
        axis_tick_text(axis, i, text);
        fprintf(page, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", x, top, bottom);
        svg_text(page, x, bottom + 18, label_attributes(i, n), text);
    }
    svg_text(page, 0.5 * (axis->from + axis->to), bottom + SVG_BELOW - 8,
             "class=\"title\" text-anchor=\"middle\"", title);
}

int svg_name_width(const char *name)
{
    int64_t n = html_text_length(name);
    return 12 + 10 * (int)(n < MAX_NAME ? n : MAX_NAME);
}

void svg_name(FILE *page, const char *name, double x, double y)
{
    fprintf(page, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\"><title>", x, y);
    html_text(page, name);
    fputs("</title>", page);
    html_text_cut(page, name, MAX_NAME);
    fputs("</text>\n", page);
}

static bool is_drawn(const struct svg_chart *chart, double value)
{
    return isfinite(value) && (!chart->logarithmic || value > 0);
}

/* Covers the values, or with stacked their sums; from 0 unless logarithmic. */
static struct axis value_axis(const struct svg_chart *chart, bool stacked)
{
    double low = chart->logarithmic ? INFINITY : 0, high = chart->logarithmic ? 0 : chart->high;
    for (int64_t i = 0; i < chart->n_places; i++) {
        double sum = 0;
        for (int s = 0; s < chart->n_series; s++) {
            double value = chart->series[s].values[i];
            if (!is_drawn(chart, value))
                continue;
            sum = stacked ? sum + fmax(value, 0) : value;
            low = fmin(low, value);
            high = fmax(high, sum);
        }
    }
    struct axis axis;
    if (!chart->logarithmic)
        axis = axis_linear(low, high, MAX_VALUE_TICKS);
    else if (high > 0)
        axis = axis_logarithmic(low, high, MAX_VALUE_TICKS);
    else
        axis = axis_logarithmic(1, 10, MAX_VALUE_TICKS);
    axis.from = SVG_BOTTOM;
    axis.to = SVG_TOP;
    return axis;
}

static double place_width(const struct svg_chart *chart)
{
    return (double)(SVG_RIGHT - SVG_LEFT) / (double)(chart->n_places > 0 ? chart->n_places : 1);
}

static double place_centre(const struct svg_chart *chart, int64_t i)
{
    return SVG_LEFT + ((double)i + 0.5) * place_width(chart);
}

/* Labels at round numbers, or, where places are groups, at every k-th group. */
static void draw_labels(FILE *page, const struct svg_chart *chart)
{
    double n = (double)(chart->n_places > 0 ? chart->n_places : 1);
    int64_t every = (int64_t)fmax(1, axis_nice_step(n / MAX_LABELS)), n_labels = 0;
    for (int64_t i = 0; i < chart->n_places; i++) {
        int64_t label = chart->first_label + i * chart->label_step;
        if ((chart->label_step > 1 ? i : label) % every != 0)
            continue;
        char text[32];
        snprintf(text, sizeof text, "%lld", (long long)label);
        svg_text(page, place_centre(chart, i), SVG_BOTTOM + 17,
                 label_attributes(n_labels++, chart->n_places / every), text);
    }
}

static void draw_place_frame(FILE *page, const struct svg_chart *chart, const struct axis *axis)
{
    svg_vertical_axis(page, axis, SVG_LEFT, SVG_RIGHT, chart->value_title);
    draw_labels(page, chart);
    svg_text(page, 0.5 * (SVG_LEFT + SVG_RIGHT), SVG_HEIGHT - 8,
             "class=\"title\" text-anchor=\"middle\"", chart->place_title);
}

static void draw_hint(FILE *page, const struct svg_chart *chart, int series, int64_t i)
{
    fprintf(page, "<title>%lld: ", (long long)(chart->first_label + i * chart->label_step));
    html_text(page, chart->series[series].name);
    fprintf(page, " %.4g</title>", chart->series[series].values[i]);
}

void svg_bars(FILE *page, const struct svg_chart *chart)
{
    struct axis axis = value_axis(chart, true);
    double width = fmin(0.78 * place_width(chart), 48);
    svg_start(page, chart, SVG_WIDTH, SVG_HEIGHT);
    draw_place_frame(page, chart, &axis);
    for (int64_t i = 0; i < chart->n_places; i++) {
        double sum = 0;
        for (int s = 0; s < chart->n_series; s++) {
            double value = chart->series[s].values[i];
            if (!(value > 0))
                continue;
            double bottom = axis_place(&axis, sum), top = axis_place(&axis, sum + value);
            sum += value;
            fprintf(page,
                    "<rect class=\"k%d\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\">",
                    chart->series[s].colour, place_centre(chart, i) - 0.5 * width, top, width,
                    bottom - top);
            draw_hint(page, chart, s, i);
            fputs("</rect>\n", page);
        }
    }
    svg_end(page);
}

static void draw_line(FILE *page, const struct svg_chart *chart, int s, const struct axis *axis)
{
    const struct svg_series *series = &chart->series[s];
    bool pen_down = false;
    fprintf(page, "<path class=\"line l%d d%d\" d=\"", series->colour, s);
    for (int64_t i = 0; i < chart->n_places; i++) {
        bool drawn = is_drawn(chart, series->values[i]);
        if (drawn)
            fprintf(page, "%c%.2f %.2f", pen_down ? 'L' : 'M', place_centre(chart, i),
                    axis_place(axis, series->values[i]));
        pen_down = drawn;
    }
    fputs("\"/>\n", page);
    double radius = chart->n_places > MAX_MARKED_PLACES ? 1.5 : 3.5;
    for (int64_t i = 0; i < chart->n_places; i++) {
        if (!is_drawn(chart, series->values[i]))
            continue;
        fprintf(page, "<circle class=\"k%d\" cx=\"%.2f\" cy=\"%.2f\" r=\"%.1f\">", series->colour,
                place_centre(chart, i), axis_place(axis, series->values[i]), radius);
        draw_hint(page, chart, s, i);
        fputs("</circle>\n", page);
    }
}

void svg_lines(FILE *page, const struct svg_chart *chart)
{
    struct axis axis = value_axis(chart, false);
    svg_start(page, chart, SVG_WIDTH, SVG_HEIGHT);
    draw_place_frame(page, chart, &axis);
    for (int s = 0; s < chart->n_series; s++)
        draw_line(page, chart, s, &axis);
    svg_end(page);
}

/* --- rows --- */

enum { ROW_RIGHT = 566, ROW_TOP = 8, ROW = 26, ROW_BAR = 16, MAX_SUM_TICKS = 5 };

static double row_sum(const struct svg_chart *chart, int64_t row)
{
    double sum = 0;
    for (int s = 0; s < chart->n_series; s++)
        sum += fmax(chart->series[s].values[row], 0); /* fmax ignores NAN */
    return sum;
}

/* Where the bar of a row or the line over it ends. */
static double row_end(const struct svg_chart *chart, int64_t row)
{
    return fmax(row_sum(chart, row), chart->high_end ? chart->high_end[row] : 0);
}

static struct axis sum_axis(const struct svg_chart *chart)
{
    double high = chart->high;
    int left = 0;
    for (int64_t row = 0; row < chart->n_places; row++) {
        int width = svg_name_width(chart->names[row]);
        high = fmax(high, row_end(chart, row));
        left = width > left ? width : left;
    }
    struct axis axis = axis_linear(0, high, MAX_SUM_TICKS);
    axis.from = left;
    axis.to = ROW_RIGHT;
    return axis;
}

static void draw_row(FILE *page, const struct svg_chart *chart, const struct axis *axis,
                     int64_t row)
{
    double y = ROW_TOP + ROW * (double)row + 0.5 * (ROW - ROW_BAR), sum = 0;
    svg_name(page, chart->names[row], axis->from - 8, y + 12);
    for (int s = 0; s < chart->n_series; s++) {
        double value = chart->series[s].values[row];
        if (!(value > 0))
            continue;
        double from = axis_place(axis, sum), to = axis_place(axis, sum + value);
        sum += value;
        fprintf(page,
                "<rect class=\"k%d\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\"><title>",
                chart->series[s].colour, from, y, to - from, ROW_BAR);
        html_text(page, chart->series[s].name);
        fprintf(page, " %.4g</title></rect>\n", value);
    }
    if (chart->low && chart->high_end && isfinite(chart->low[row] + chart->high_end[row]))
        fprintf(page, "<path class=\"spread\" d=\"M%.1f %.1fv6m0 -3H%.1fm0 -3v6\"/>\n",
                axis_place(axis, chart->low[row]), y + 0.5 * ROW_BAR - 3,
                axis_place(axis, chart->high_end[row]));
    char text[32];
    snprintf(text, sizeof text, "%.4g", sum);
    svg_text(page, axis_place(axis, row_end(chart, row)) + 6, y + 12, "class=\"figure\"", text);
}

void svg_rows(FILE *page, const struct svg_chart *chart)
{
    struct axis axis = sum_axis(chart);
    double bottom = ROW_TOP + ROW * (double)chart->n_places;
    svg_start(page, chart, SVG_WIDTH, (int)bottom + SVG_BELOW);
    svg_horizontal_axis(page, &axis, ROW_TOP, bottom, chart->value_title);
    for (int64_t row = 0; row < chart->n_places; row++)
        draw_row(page, chart, &axis, row);
    svg_end(page);
}
