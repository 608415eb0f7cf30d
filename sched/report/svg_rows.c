#include "sched/report/axis.h"
#include "sched/report/html.h"
#include "sched/report/svg_chart.h"

#include <math.h>

enum { WIDTH = 640, LEFT = 220, RIGHT = 570, TOP = 8, ROW = 26, BAR = 16, BELOW = 48 };
enum { MAX_TICKS = 5, MAX_NAME = 30 };

static double row_sum(const struct svg_chart *chart, int64_t row)
{
    double sum = 0;
    for (int s = 0; s < chart->n_series; s++)
        sum += fmax(chart->series[s].values[row], 0); /* fmax passes over NAN */
    return sum;
}

static struct axis sum_axis(const struct svg_chart *chart)
{
    double high = chart->high;
    for (int64_t row = 0; row < chart->n_places; row++)
        high = fmax(high, row_sum(chart, row));
    struct axis axis = axis_linear(0, high, MAX_TICKS);
    axis.from = LEFT;
    axis.to = RIGHT;
    return axis;
}

static void draw_frame(FILE *page, const struct svg_chart *chart, const struct axis *axis,
                       double bottom)
{
    for (int i = 0; i < axis_n_ticks(axis); i++) {
        char text[AXIS_TEXT_SIZE];
        double x = axis_place(axis, axis_tick(axis, i));
        axis_tick_text(axis, i, text);
        fprintf(page, "<path class=\"grid\" d=\"M%.1f %dV%.1f\"/>", x, TOP, bottom);
        svg_text(page, x, bottom + 17, "text-anchor=\"middle\"", text);
    }
    svg_text(page, 0.5 * (LEFT + RIGHT), bottom + BELOW - 8,
             "class=\"title\" text-anchor=\"middle\"", chart->value_title);
}

static void draw_row(FILE *page, const struct svg_chart *chart, const struct axis *axis,
                     int64_t row)
{
    double y = TOP + ROW * (double)row + 0.5 * (ROW - BAR), sum = 0;
    fprintf(page, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\"><title>", LEFT - 8, y + 12);
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
    double bottom = TOP + ROW * (double)chart->n_places;
    svg_start(page, chart, WIDTH, (int)bottom + BELOW);
    draw_frame(page, chart, &axis, bottom);
    for (int64_t row = 0; row < chart->n_places; row++)
        draw_row(page, chart, &axis, row);
    svg_end(page);
}
