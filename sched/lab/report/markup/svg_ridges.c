#include "sched/lab/report/markup/svg_ridges.h"

#include "sched/lab/report/markup/html.h"

#include <math.h>

enum { TOP = 4, ROW = 34, HIGH = 28, MAX_TICKS = 6 };

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
    frame.x = axis_to_end(axis_linear(0, end, MAX_TICKS), end);
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
        double height = HIGH * fmin(row->y[i] / frame->highest, 1);
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
    double bottom = TOP + ROW * (double)n;
    svg_start(page, &chart, SVG_WIDTH, (int)bottom + SVG_BELOW);
    svg_horizontal_axis(page, &frame.x, TOP, bottom, plot->x_title);
    for (int64_t row = 0; row < n; row++)
        draw_ridge(page, plot, &frame, &rows[row], TOP + ROW * (double)(row + 1));
    svg_end(page);
}
