#include "sched/report/report_timeline.h"

#include "sched/report/html.h"
#include "sched/report/svg_plot.h"

#include <math.h>
#include <stdlib.h>

static const json_t *timeline_of(const struct report_run *run)
{
    return report_figure(run, "timeline");
}

/* --- utilisation --- */

static const struct use {
    const char *key;
    int colour;
} uses[] = {{"task", 0}, {"search", 1}, {"scheduler", 3}, {"communication", 4}};

enum { N_USES = sizeof uses / sizeof uses[0] };

/* Edges of the bins, n + 1 of them. */
static void find_edges(const json_t *utilisation, int64_t n, double *edges)
{
    double bin_s = report_real(utilisation, "bin_seconds");
    double end_s = report_real(utilisation, "seconds");
    for (int64_t i = 0; i <= n; i++)
        edges[i] = fmin((double)i * bin_s, end_s);
}

static void scale_to_per_cent(double *fractions, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        fractions[i] *= 100;
}

static enum status draw_utilisation(FILE *page, const struct report_run *run)
{
    const json_t *utilisation = json_object_get(timeline_of(run), "utilisation");
    double *fractions[N_USES] = {0}, *starts = NULL, *edges = NULL;
    int64_t n = 0,
            n_starts = report_numbers(json_object_get(utilisation, "starts_seconds"), &starts);
    struct svg_plot plot = {.id = "utilisation",
                            .title = "Utilisation over time",
                            .x_title = "seconds, all iterations",
                            .y_title = "per cent of the workers",
                            .unit = " %",
                            .y_high = 100,
                            .marks = starts,
                            .n_marks = n_starts};
    for (int use = 0; use < N_USES; use++) {
        int64_t n_use =
            report_numbers(json_object_get(utilisation, uses[use].key), &fractions[use]);
        scale_to_per_cent(fractions[use], n_use);
        n = use == 0 || n_use < n ? n_use : n;
    }
    edges = malloc((size_t)(n + 1) * sizeof *edges);
    enum status status = CHECK_MEMORY(edges, "no memory for the course of %s", run->name);
    if (status == STATUS_OK && n > 0) {
        find_edges(utilisation, n, edges);
        for (int use = 0; use < N_USES; use++)
            plot.series[plot.n_series++] =
                (struct svg_plot_series){uses[use].key, edges, fractions[use], n, uses[use].colour};
        svg_plot_areas(page, &plot);
    }
    for (int use = 0; use < N_USES; use++)
        free(fractions[use]);
    free(edges);
    free(starts);
    return status;
}

/* --- durations --- */

static void draw_durations(FILE *page, const struct report_run *run)
{
    const json_t *durations = json_object_get(timeline_of(run), "durations");
    double *edges, *tasks;
    int64_t n_edges = report_numbers(json_object_get(durations, "edges_seconds"), &edges);
    int64_t n = report_numbers(json_object_get(durations, "tasks"), &tasks);
    const struct svg_plot plot = {.id = "durations",
                                  .title = "Durations of the tasks",
                                  .x_title = "seconds, last iteration",
                                  .y_title = "tasks",
                                  .unit = " tasks",
                                  .n_series = 1,
                                  .series = {{"tasks", edges, tasks, n, 0}},
                                  .logarithmic_x = true};
    if (n > 0 && n_edges == n + 1)
        svg_plot_areas(page, &plot);
    free(edges);
    free(tasks);
}

/* --- predicted cost --- */

static double sum_numbers(const double *numbers, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += isfinite(numbers[i]) ? numbers[i] : 0;
    return sum;
}

/* Costs have any unit: they are scaled to the sum of the durations. */
static void draw_costs(FILE *page, const struct report_run *run)
{
    const json_t *sample = json_object_get(timeline_of(run), "sample");
    double *seconds, *costs;
    int64_t n = report_numbers(json_object_get(sample, "seconds"), &seconds);
    int64_t n_costs = report_numbers(json_object_get(sample, "cost"), &costs);
    const struct svg_plot plot = {.id = "costs",
                                  .title = "Predicted and measured cost",
                                  .x_title = "predicted, scaled to the measured sum, seconds",
                                  .y_title = "measured, seconds",
                                  .unit = " s",
                                  .n_series = 1,
                                  .series = {{"tasks of a sample", costs, seconds, n, 0}},
                                  .logarithmic_x = true,
                                  .logarithmic_y = true,
                                  .diagonal = true};
    if (n > 0 && n_costs == n) {
        double scale = sum_numbers(seconds, n) / sum_numbers(costs, n);
        for (int64_t i = 0; i < n; i++)
            costs[i] *= scale;
        svg_plot_points(page, &plot);
    }
    free(seconds);
    free(costs);
}

/* --- loads --- */

/* Per cent of the workers, the most loaded first. */
static double *rank_workers(int64_t n)
{
    double *ranks = malloc((size_t)(n + 1) * sizeof *ranks);
    for (int64_t i = 0; ranks && i < n; i++)
        ranks[i] = n > 1 ? 100 * (double)i / (double)(n - 1) : 0;
    return ranks;
}

static const struct svg_plot load_plot = {.id = "loads",
                                          .title = "Load of the workers",
                                          .x_title = "per cent of the workers, most loaded first",
                                          .y_title = "seconds in tasks",
                                          .unit = " s"};

static enum status draw_loads(FILE *page, const struct report_run *run)
{
    const json_t *before = json_object_get(timeline_of(run), "first_loads");
    const json_t *after = json_object_get(timeline_of(run), "loads");
    double *first, *last;
    int64_t n_first = report_numbers(json_object_get(before, "seconds"), &first);
    int64_t n = report_numbers(json_object_get(after, "seconds"), &last);
    struct svg_plot plot = load_plot;
    double *ranks = rank_workers(n);
    enum status status = CHECK_MEMORY(ranks, "no memory for the loads of %s", run->name);
    if (status == STATUS_OK && n > 1) {
        if (run->n_iterations > 1)
            plot.title = "Load of the workers, before and after balancing";
        if (n_first == n && run->n_iterations > 1)
            plot.series[plot.n_series++] =
                (struct svg_plot_series){"first iteration", ranks, first, n, 3};
        plot.series[plot.n_series++] = (struct svg_plot_series){
            run->n_iterations > 1 ? "last iteration" : "the iteration", ranks, last, n, 0};
        svg_plot_lines(page, &plot);
    }
    free(ranks);
    free(first);
    free(last);
    return status;
}

int64_t report_overloaded(const struct report_run *run)
{
    double n = report_real(json_object_get(timeline_of(run), "loads"), "overloaded");
    return n >= 0 && n < 1e15 ? (int64_t)n : -1;
}

enum status report_timeline(FILE *page, const struct report_run *run)
{
    const char *part = report_text(timeline_of(run), "of");
    if (part) {
        fputs("<p class=\"lead part\">Utilisation, lanes, durations, costs and loads are those of ",
              page);
        html_text(page, part);
        fputs(".</p>\n", page);
    }
    TRY(draw_utilisation(page, run));
    report_lanes(page, run);
    draw_durations(page, run);
    draw_costs(page, run);
    return draw_loads(page, run);
}

/* --- several runs --- */

/* Colours of runs in one chart; grey is for what is idle. */
static const int run_colours[SVG_MAX_SERIES] = {0, 3, 4, 1, 5, 6, 2};

/* x and y of a series. Returns the number of points. */
typedef int64_t (*series_reader)(const struct report_run *run, double **x, double **y);

/* Seconds of the iterations. */
static int64_t read_seconds(const struct report_run *run, double **x, double **y)
{
    int64_t n = run->n_places;
    *x = malloc((size_t)(n + 1) * sizeof **x);
    *y = malloc((size_t)(n + 1) * sizeof **y);
    if (!*x || !*y)
        return 0;
    for (int64_t i = 0; i < n; i++) {
        (*x)[i] = (double)(i * run->group);
        (*y)[i] = run->columns[report_seconds_column(run)][i];
    }
    return n;
}

/* The part of the workers in tasks, at the middle of each bin. */
static int64_t read_utilisation(const struct report_run *run, double **x, double **y)
{
    const json_t *utilisation = json_object_get(timeline_of(run), "utilisation");
    int64_t n = report_numbers(json_object_get(utilisation, "task"), y);
    *x = malloc((size_t)(n + 1) * sizeof **x);
    if (!*x)
        return 0;
    find_edges(utilisation, n, *x);
    for (int64_t i = 0; i < n; i++)
        (*x)[i] = ((*x)[i] + (*x)[i + 1]) / 2;
    scale_to_per_cent(*y, n);
    return n;
}

static int64_t read_loads(const struct report_run *run, double **x, double **y)
{
    const json_t *loads = json_object_get(timeline_of(run), "loads");
    int64_t n = report_numbers(json_object_get(loads, "seconds"), y);
    *x = rank_workers(n);
    return *x && n > 1 ? n : 0;
}

static enum status draw_compared(FILE *page, struct svg_plot plot, const struct report_runs *runs,
                                 int64_t first, int64_t n, series_reader read)
{
    double *x[SVG_MAX_SERIES] = {0}, *y[SVG_MAX_SERIES] = {0};
    enum status status = STATUS_OK;
    n = n < SVG_MAX_SERIES ? n : SVG_MAX_SERIES;
    for (int64_t i = 0; i < n && status == STATUS_OK; i++) {
        const struct report_run *run = &runs->runs[first + i];
        int64_t n_points = read(run, &x[i], &y[i]);
        status = CHECK_MEMORY(x[i], "no memory for the course of %s", run->name);
        if (n_points > 0)
            plot.series[plot.n_series++] = (struct svg_plot_series){report_mode_name(run), x[i],
                                                                    y[i], n_points, run_colours[i]};
    }
    if (status == STATUS_OK && plot.n_series > 0)
        svg_plot_lines(page, &plot);
    for (int64_t i = 0; i < n; i++) {
        free(x[i]);
        free(y[i]);
    }
    return status;
}

enum status report_timeline_compare(FILE *page, const struct report_runs *runs, int64_t first,
                                    int64_t n)
{
    struct svg_plot loads = load_plot;
    loads.id = "compared-loads";
    loads.title = "Load of the workers, last iteration";
    const struct svg_plot utilisation = {.id = "compared-utilisation",
                                         .title = "Utilisation over time",
                                         .x_title = "seconds, all iterations",
                                         .y_title = "per cent of the workers in tasks",
                                         .unit = " %",
                                         .y_high = 100};
    const struct svg_plot seconds = {.id = "compared-seconds",
                                     .title = "Iteration by iteration",
                                     .x_title = "iteration or Fock build",
                                     .y_title = "seconds",
                                     .unit = " s",
                                     .whole_x = true};
    if (runs->runs[first].n_iterations > 1)
        TRY(draw_compared(page, seconds, runs, first, n, read_seconds));
    TRY(draw_compared(page, utilisation, runs, first, n, read_utilisation));
    return draw_compared(page, loads, runs, first, n, read_loads);
}
