#include "sched/report/svg_chart.h"

#include "sched/report/html.h"

#include <math.h>

/* Size of the drawing and, inside it, the area of the data of bars and lines; in pixels at full
 * size. */
enum { WIDTH = 640, HEIGHT = 300, LEFT = 76, RIGHT = 628, TOP = 12, BOTTOM = 252 };

enum { MAX_VALUE_TICKS = 6, MAX_LABELS = 14, MAX_MARKED_PLACES = 60 };

void svg_start(FILE *page, const struct svg_chart *chart, int width, int height)
{
    fprintf(page, "<figure data-chart=\"%s\"><figcaption><b>", chart->id ? chart->id : "");
    html_text(page, chart->title);
    fputs("</b>", page);
    for (int s = 0; s < chart->n_series && chart->n_series > 1; s++) {
        fprintf(page,
                " <span class=\"key\"><svg width=\"12\" height=\"12\" aria-hidden=\"true\">"
                "<rect class=\"k%d\" width=\"12\" height=\"12\" rx=\"2\"/></svg> ",
                chart->series[s].colour);
        html_text(page, chart->series[s].name);
        fputs("</span>", page);
    }
    fprintf(page,
            "</figcaption>\n<svg class=\"chart\" role=\"img\" viewBox=\"0 0 %d %d\" "
            "style=\"max-width:%dpx\" aria-label=\"",
            width, height, width);
    html_text(page, chart->title);
    if (chart->value_title) {
        fputs(": ", page);
        html_text(page, chart->value_title);
    }
    fputs("\">\n", page);
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
    fprintf(page, "<g transform=\"translate(13 %.0f) rotate(-90)\">", (axis->from + axis->to) / 2);
    svg_text(page, 0, 0, "class=\"title\" text-anchor=\"middle\"", title);
    fputs("</g>\n", page);
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
    axis.from = BOTTOM;
    axis.to = TOP;
    return axis;
}

static double place_width(const struct svg_chart *chart)
{
    return (double)(RIGHT - LEFT) / (double)(chart->n_places > 0 ? chart->n_places : 1);
}

static double place_centre(const struct svg_chart *chart, int64_t i)
{
    return LEFT + ((double)i + 0.5) * place_width(chart);
}

/* Labels at round numbers, or, where places are groups, at every k-th group. */
static void draw_labels(FILE *page, const struct svg_chart *chart)
{
    double n = (double)(chart->n_places > 0 ? chart->n_places : 1);
    int64_t every = (int64_t)fmax(1, axis_nice_step(n / MAX_LABELS));
    for (int64_t i = 0; i < chart->n_places; i++) {
        int64_t label = chart->first_label + i * chart->label_step;
        if ((chart->label_step > 1 ? i : label) % every != 0)
            continue;
        char text[32];
        snprintf(text, sizeof text, "%lld", (long long)label);
        svg_text(page, place_centre(chart, i), BOTTOM + 17, "text-anchor=\"middle\"", text);
    }
}

static void draw_place_frame(FILE *page, const struct svg_chart *chart, const struct axis *axis)
{
    svg_vertical_axis(page, axis, LEFT, RIGHT, chart->value_title);
    draw_labels(page, chart);
    svg_text(page, 0.5 * (LEFT + RIGHT), HEIGHT - 8, "class=\"title\" text-anchor=\"middle\"",
             chart->place_title);
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
    svg_start(page, chart, WIDTH, HEIGHT);
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
    svg_start(page, chart, WIDTH, HEIGHT);
    draw_place_frame(page, chart, &axis);
    for (int s = 0; s < chart->n_series; s++)
        draw_line(page, chart, s, &axis);
    svg_end(page);
}

/* --- rows --- */

enum { ROW_LEFT = 220, ROW_RIGHT = 570, ROW_TOP = 8, ROW = 26, BAR = 16, BELOW = 48 };
enum { MAX_SUM_TICKS = 5, MAX_NAME = 30 };

static double row_sum(const struct svg_chart *chart, int64_t row)
{
    double sum = 0;
    for (int s = 0; s < chart->n_series; s++)
        sum += fmax(chart->series[s].values[row], 0); /* fmax ignores NAN */
    return sum;
}

static struct axis sum_axis(const struct svg_chart *chart)
{
    double high = chart->high;
    for (int64_t row = 0; row < chart->n_places; row++)
        high = fmax(high, row_sum(chart, row));
    struct axis axis = axis_linear(0, high, MAX_SUM_TICKS);
    axis.from = ROW_LEFT;
    axis.to = ROW_RIGHT;
    return axis;
}

static void draw_row_frame(FILE *page, const struct svg_chart *chart, const struct axis *axis,
                           double bottom)
{
    for (int i = 0; i < axis_n_ticks(axis); i++) {
        char text[AXIS_TEXT_SIZE];
        double x = axis_place(axis, axis_tick(axis, i));
        axis_tick_text(axis, i, text);
        fprintf(page, "<path class=\"grid\" d=\"M%.1f %dV%.1f\"/>", x, ROW_TOP, bottom);
        svg_text(page, x, bottom + 17, "text-anchor=\"middle\"", text);
    }
    svg_text(page, 0.5 * (ROW_LEFT + ROW_RIGHT), bottom + BELOW - 8,
             "class=\"title\" text-anchor=\"middle\"", chart->value_title);
}

static void draw_row(FILE *page, const struct svg_chart *chart, const struct axis *axis,
                     int64_t row)
{
    double y = ROW_TOP + ROW * (double)row + 0.5 * (ROW - BAR), sum = 0;
    fprintf(page, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\"><title>", ROW_LEFT - 8, y + 12);
    html_text(page, chart->names[row]);
    fputs("</title>", page);
    html_text_cut(page, chart->names[row], MAX_NAME);
    fputs("</text>\n", page);
    for (int s = 0; s < chart->n_series; s++) {
        double value = chart->series[s].values[row];
        if (!(value > 0))
            continue;
        double from = axis_place(axis, sum), to = axis_place(axis, sum + value);
        sum += value;
        fprintf(page,
                "<rect class=\"k%d\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\"><title>",
                chart->series[s].colour, from, y, to - from, BAR);
        html_text(page, chart->series[s].name);
        fprintf(page, " %.4g</title></rect>\n", value);
    }
    char text[32];
    snprintf(text, sizeof text, "%.4g", sum);
    svg_text(page, axis_place(axis, sum) + 6, y + 12, "class=\"figure\"", text);
}

void svg_rows(FILE *page, const struct svg_chart *chart)
{
    struct axis axis = sum_axis(chart);
    double bottom = ROW_TOP + ROW * (double)chart->n_places;
    svg_start(page, chart, WIDTH, (int)bottom + BELOW);
    draw_row_frame(page, chart, &axis, bottom);
    for (int64_t row = 0; row < chart->n_places; row++)
        draw_row(page, chart, &axis, row);
    svg_end(page);
}
