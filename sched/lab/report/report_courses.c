#include "sched/lab/report/report_courses.h"

#include "sched/lab/report/markup/svg_ridges.h"
#include "sched/lab/report/report_timeline.h"

#include <stdbool.h>
#include <stdlib.h>

/* --- the iterations --- */

/* Colours of runs in one chart; grey is for what is idle. */
static const int run_colours[SVG_MAX_SERIES] = {0, 3, 4, 1, 5, 6, 2};

/* Whether the run is the first or among the SVG_MAX_SERIES - 1 fastest others. */
static bool is_shown_run(const struct report_runs *runs, int64_t first, int64_t n, int64_t i)
{
    int64_t n_faster = 0;
    for (int64_t k = first + 1; k < first + n; k++) {
        double seconds = runs->runs[k].seconds.median, own = runs->runs[i].seconds.median;
        n_faster += seconds < own || (seconds == own && k < i);
    }
    return i == first || n_faster < SVG_MAX_SERIES - 1;
}

static enum status draw_iterations(FILE *page, const struct report_runs *runs, int64_t first,
                                   int64_t n)
{
    struct svg_plot plot = {.id = "compared-seconds",
                            .title = n > SVG_MAX_SERIES
                                         ? "Iteration by iteration: the first and the fastest"
                                         : "Iteration by iteration",
                            .x_title = "iteration or Fock build",
                            .y_title = "seconds",
                            .unit = " s",
                            .whole_x = true};
    double *places = malloc((REPORT_MAX_PLACES + 1) * sizeof *places);
    TRY(CHECK_MEMORY(places, "no memory for the iterations"));
    const int64_t group = runs->runs[first].group;
    for (int64_t i = 0; i < REPORT_MAX_PLACES; i++)
        places[i] = (double)(i * group);
    for (int64_t i = first; i < first + n; i++) {
        const struct report_run *run = &runs->runs[i];
        if (!is_shown_run(runs, first, n, i) || run->group != group || run->n_places == 0)
            continue;
        plot.series[plot.n_series] =
            (struct svg_plot_series){report_mode_name(run), places, run->columns[REPORT_SECONDS],
                                     run->n_places, run_colours[plot.n_series]};
        plot.n_series++;
    }
    svg_plot_lines(page, &plot);
    free(places);
    return STATUS_OK;
}

/* --- a row for each run --- */

/* Values of a run and the n + 1 edges between which they lie, to be freed. Returns their
 * number. */
typedef int64_t (*course_reader)(const struct report_run *run, double **edges, double **values);

/* The part of the workers in tasks. */
static int64_t read_utilisation(const struct report_run *run, double **edges, double **values)
{
    const json_t *timeline = report_figure(run, "timeline");
    int64_t n =
        report_numbers(json_object_get(json_object_get(timeline, "utilisation"), "task"), values);
    *edges = malloc((size_t)(n + 1) * sizeof **edges);
    if (!*edges)
        return 0;
    report_find_edges(run, n, *edges);
    for (int64_t i = 0; i < n; i++)
        (*values)[i] *= 100;
    return n;
}

static int64_t read_loads(const struct report_run *run, double **edges, double **values)
{
    const json_t *timeline = report_figure(run, "timeline");
    int64_t n =
        report_numbers(json_object_get(json_object_get(timeline, "loads"), "seconds"), values);
    *edges = malloc((size_t)(n + 1) * sizeof **edges);
    for (int64_t i = 0; *edges && i <= n; i++)
        (*edges)[i] = 100 * (double)i / (double)(n > 0 ? n : 1);
    return *edges && n > 1 ? n : 0;
}

static enum status draw_rows(FILE *page, const struct svg_plot *plot,
                             const struct report_runs *runs, int64_t first, int64_t n,
                             course_reader read)
{
    struct svg_plot_series *rows = calloc((size_t)n, sizeof *rows);
    double **owned = calloc(2 * (size_t)n, sizeof *owned);
    enum status status =
        CHECK_MEMORY(rows && owned, "no memory for the courses of %lld runs", (long long)n);
    int64_t n_points = 0;
    for (int64_t i = 0; i < n && status == STATUS_OK; i++) {
        const struct report_run *run = &runs->runs[first + i];
        double **edges = &owned[2 * i], **values = &owned[2 * i + 1];
        int64_t n_own = read(run, edges, values);
        status = CHECK_MEMORY(*edges && *values, "no memory for the course of %s", run->name);
        rows[i] = (struct svg_plot_series){report_mode_name(run), *edges, *values, n_own, 0};
        n_points += n_own;
    }
    if (status == STATUS_OK && n_points > 0)
        svg_ridges(page, plot, rows, n);
    for (int64_t i = 0; owned && i < 2 * n; i++)
        free(owned[i]);
    free(owned);
    free(rows);
    return status;
}

enum status report_courses(FILE *page, const struct report_runs *runs, int64_t first, int64_t n)
{
    const struct svg_plot utilisation = {.id = "compared-utilisation",
                                         .title = "Utilisation over time: per cent in tasks",
                                         .x_title = "seconds, all iterations; a row is 100 % high",
                                         .unit = " %",
                                         .y_high = 100};
    const struct svg_plot loads = {
        .id = "compared-loads",
        .title = "Load of the workers, last iteration: seconds in tasks",
        .x_title = "per cent of the workers, most loaded first; all rows of one scale",
        .unit = " s"};
    TRY(draw_rows(page, &utilisation, runs, first, n, read_utilisation));
    TRY(draw_rows(page, &loads, runs, first, n, read_loads));
    return runs->runs[first].n_iterations > 1 ? draw_iterations(page, runs, first, n) : STATUS_OK;
}
