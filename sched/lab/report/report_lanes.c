/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/report/report_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1280, LEFT = 116, RIGHT = 1264, TOP = 4, LANE = 22, BAR = 16, BELOW = 44 };
enum { MAX_LANES = 64, MAX_TICKS = 8 };

/* Units of time across the plot: the script counts on it. */
#define PLOT_UNITS 1e6

/* By the letters of `uses`. */
static const struct lane_use {
    char letter;
    const char *name;
    int colour;
} lane_uses[] = {
    {'t', "task", 0}, {'s', "search", 1}, {'a', "scheduler", 3}, {'c', "communication", 4}};

enum { N_LANE_USES = sizeof lane_uses / sizeof lane_uses[0] };

/* The chart of a run's lanes. */
struct lane_chart {
    double end_s;
    size_t n_lanes;
};

static double unit_of(const struct lane_chart *chart, double time_s)
{
    return PLOT_UNITS * fmin(fmax(time_s / chart->end_s, 0), 1);
}

static const struct lane_use *use_of_letter(char letter)
{
    for (int i = 0; i < N_LANE_USES; i++)
        if (lane_uses[i].letter == letter)
            return &lane_uses[i];
    return NULL;
}

static void draw_span(FILE *page, const struct lane_chart *chart, const struct lane_use *use,
                      const double span[3], double y)
{
    double from = unit_of(chart, span[0]), to = unit_of(chart, span[1]);
    fprintf(page,
            "<rect class=\"k%d\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%d\">"
            "<title>%s %.6g\u2013%.6g s",
            use->colour, floor(from), y, fmax(ceil(to) - floor(from), 1), BAR, use->name, span[0],
            span[1]);
    if (span[2] > 0)
        fprintf(page, ", %.0f %s", span[2], span[2] == 1 ? "task" : "tasks");
    fputs("</title></rect>\n", page);
}

static void draw_steal_marks(FILE *page, const struct lane_chart *chart, const json_t *lane,
                             double y)
{
    double *times_s;
    int64_t n = report_numbers(json_object_get(lane, "steals_seconds"), &times_s);
    for (int64_t i = 0; i < n; i++)
        if (isfinite(times_s[i]))
            fprintf(page,
                    "<path class=\"steal\" d=\"M%.0f %.0fv%d\"><title>steal %.6g s</title>"
                    "</path>\n",
                    unit_of(chart, times_s[i]), y - 2, BAR + 4, times_s[i]);
    free(times_s);
}

static void draw_lane(FILE *page, const struct lane_chart *chart, const json_t *lane, double y)
{
    double *from, *to, *tasks;
    int64_t n_from = report_numbers(json_object_get(lane, "from_seconds"), &from);
    int64_t n_to = report_numbers(json_object_get(lane, "to_seconds"), &to);
    int64_t n = report_numbers(json_object_get(lane, "tasks"), &tasks);
    const char *letters = report_text(lane, "uses");
    fprintf(page, "<rect class=\"back\" y=\"%.0f\" width=\"%.0f\" height=\"%d\"/>\n", y, PLOT_UNITS,
            BAR);
    if (letters && n_from == n && n_to == n && (int64_t)strlen(letters) == n)
        for (int64_t i = 0; i < n; i++) {
            const struct lane_use *use = use_of_letter(letters[i]);
            if (use && isfinite(from[i]) && isfinite(to[i]))
                draw_span(page, chart, use, (const double[]){from[i], to[i], tasks[i]}, y);
        }
    draw_steal_marks(page, chart, lane, y);
    free(from);
    free(to);
    free(tasks);
}

static void start_lanes(FILE *page, const struct report_run *run, const struct lane_chart *chart)
{
    fprintf(page,
            "<figure class=\"lanes\" data-chart=\"lanes\" data-seconds=\"%.9g\" "
            "role=\"group\" aria-label=\"Lanes of workers, zoomable\"><figcaption><b>"
            "What ",
            chart->end_s);
    bool threads = run->n_threads > 1;
    if ((int64_t)chart->n_lanes < run->n_lanes)
        html_print(page, "%lld of the %.0f %s", (long long)chart->n_lanes, (double)run->n_lanes,
                   threads ? "workers\u2019 threads" : "workers");
    else
        fputs(threads             ? "the workers\u2019 threads"
              : run->workers == 1 ? "the worker"
                                  : "the workers",
              page);
    fputs(" did in the last iteration</b>", page);
    for (int i = 0; i < N_LANE_USES; i++)
        svg_key(page, lane_uses[i].colour, lane_uses[i].name);
    fputs(" <span class=\"key\"><svg width=\"12\" height=\"12\" aria-hidden=\"true\">"
          "<path class=\"steal\" d=\"M6 0v12\"/></svg> steal</span></figcaption>\n",
          page);
}

static void draw_lane_ticks(FILE *page, const struct lane_chart *chart, double y)
{
    struct axis axis = axis_to_end(axis_linear(0, chart->end_s, MAX_TICKS), chart->end_s);
    fprintf(page, "<g class=\"ticks\" data-y=\"%.0f\">\n", y);
    for (int i = 0; i < axis_n_ticks(&axis); i++) {
        char text[AXIS_TEXT_SIZE];
        axis_tick_text(&axis, i, text);
        svg_text(page, LEFT + (RIGHT - LEFT) * axis_tick(&axis, i) / chart->end_s, y,
                 "text-anchor=\"middle\"", text);
    }
    fputs("</g>\n", page);
    svg_text(page, 0.5 * (LEFT + RIGHT), y + 20, "class=\"title\" text-anchor=\"middle\"",
             "seconds from the start of the iteration");
}

/* "worker 2", or of its thread 1 "worker 2.1". */
static void name_lane(const struct report_run *run, const json_t *lane, char *name, size_t size)
{
    double number = report_real(lane, "worker"), n_threads = (double)run->n_threads;
    if (!(number >= 0))
        snprintf(name, size, "worker");
    else if (run->n_threads > 1)
        snprintf(name, size, "worker %.0f.%.0f", floor(number / n_threads),
                 fmod(floor(number), n_threads));
    else
        snprintf(name, size, "worker %.0f", number);
}

static void draw_lane_chart(FILE *page, const struct report_run *run,
                            const struct lane_chart *chart, const json_t *lanes)
{
    double height = LANE * (double)chart->n_lanes;
    start_lanes(page, run, chart);
    fprintf(page,
            "<svg class=\"chart\" viewBox=\"0 0 %d %.0f\" role=\"img\" "
            "aria-label=\"Tasks, searches and steals of workers over time\">\n",
            WIDTH, TOP + height + BELOW);
    for (size_t i = 0; i < chart->n_lanes; i++) {
        char name[64];
        name_lane(run, json_array_get(lanes, i), name, sizeof name);
        svg_text(page, LEFT - 8, TOP + LANE * (double)i + 15, "text-anchor=\"end\"", name);
    }
    fprintf(page,
            "<svg class=\"plot\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" preserveAspectRatio=\"none\">\n"
            "<rect class=\"held\" width=\"%.0f\" height=\"%.0f\"/>\n",
            LEFT, TOP, RIGHT - LEFT, height, PLOT_UNITS, height, PLOT_UNITS, height);
    for (size_t i = 0; i < chart->n_lanes; i++)
        draw_lane(page, chart, json_array_get(lanes, i), LANE * (double)i + 3);
    fputs("</svg>\n", page);
    draw_lane_ticks(page, chart, TOP + height + 16);
    fputs("</svg></figure>\n", page);
}

/* The end of the last iteration: the lanes have no more than its makespan. */
static double end_of_lanes(const struct report_run *run, const json_t *timeline)
{
    const json_t *iterations = json_object_get(run->figures, "iterations");
    double end_s = report_real(timeline, "makespan_seconds");
    return isnan(end_s) ? report_real(json_array_get(iterations, json_array_size(iterations) - 1),
                                      "makespan_seconds")
                        : end_s;
}

void report_lanes(FILE *page, const struct report_run *run)
{
    const json_t *timeline = report_figure(run, "timeline");
    const json_t *lanes = json_object_get(timeline, "lanes");
    size_t n = json_array_size(lanes);
    const struct lane_chart chart = {.end_s = end_of_lanes(run, timeline),
                                     .n_lanes = n < MAX_LANES ? n : MAX_LANES};
    if (n > 0 && chart.end_s > 0)
        draw_lane_chart(page, run, &chart, lanes);
}
