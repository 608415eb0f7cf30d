/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/report/report_parts.h"

#include <math.h>
#include <stdlib.h>

/* Less than this is no balancing, but the look that there is none to do. */
#define LEAST_BALANCE_S 1e-4

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

double *report_bin_edges(const struct report_run *run, int64_t n)
{
    const json_t *utilisation = json_object_get(timeline_of(run), "utilisation");
    double bin_s = report_real(utilisation, "bin_seconds");
    double end_s = report_real(utilisation, "seconds");
    double *edges = malloc((size_t)(n + 1) * sizeof *edges);
    for (int64_t i = 0; edges && i <= n; i++)
        edges[i] = fmin((double)i * bin_s, end_s);
    return edges;
}

int64_t report_utilisation(const struct report_run *run, const char *use, double **per_cent)
{
    const json_t *utilisation = json_object_get(timeline_of(run), "utilisation");
    int64_t n = report_numbers(json_object_get(utilisation, use), per_cent);
    for (int64_t i = 0; i < n; i++)
        (*per_cent)[i] *= 100;
    return n;
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
        int64_t n_use = report_utilisation(run, uses[use].key, &fractions[use]);
        n = use == 0 || n_use < n ? n_use : n;
    }
    edges = report_bin_edges(run, n);
    enum status status = CHECK_MEMORY(edges, "no memory for the course of %s", run->name);
    if (edges && n > 0) {
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

/* Reads the bins from the first to the last with tasks in them: *edges, *tasks, to be freed, and
 * the first bin. Returns their number, 0 if there are none or they do not fit. */
static int64_t read_duration_bins(const struct report_run *run, double **edges, double **tasks,
                                  int64_t *first)
{
    const json_t *durations = json_object_get(timeline_of(run), "durations");
    int64_t n_edges = report_numbers(json_object_get(durations, "edges_seconds"), edges);
    int64_t n = report_numbers(json_object_get(durations, "tasks"), tasks);
    *first = 0;
    if (n_edges != n + 1)
        return 0;
    while (n > 0 && !((*tasks)[n - 1] > 0))
        n--;
    while (*first < n && !((*tasks)[*first] > 0))
        (*first)++;
    return n - *first;
}

double report_longest_task(const struct report_run *run)
{
    double *edges, *tasks;
    int64_t first, n = read_duration_bins(run, &edges, &tasks, &first);
    double longest = n > 0 ? edges[first + n - 1] : NAN;
    free(edges);
    free(tasks);
    return longest;
}

static void draw_durations(FILE *page, const struct report_run *run)
{
    double *edges, *tasks;
    int64_t first, n = read_duration_bins(run, &edges, &tasks, &first);
    const struct svg_plot plot = {.id = "durations",
                                  .title = "Durations of the tasks",
                                  .x_title = "seconds, last iteration",
                                  .y_title = "tasks",
                                  .unit = " tasks",
                                  .n_series = 1,
                                  .series = {{"tasks", edges + first, tasks + first, n, 0}},
                                  .logarithmic_x = true};
    if (n > 0)
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

/* Ranks of the workers, the most loaded first: their number, or of a sample the per cent of the
 * workers. NULL if there is no memory. */
static double *rank_workers(const struct report_run *run, int64_t n)
{
    double *ranks = malloc((size_t)(n + 1) * sizeof *ranks);
    for (int64_t i = 0; ranks && i < n; i++)
        ranks[i] = n == run->n_lanes ? (double)i + 1 : 100 * (double)i / (double)(n - 1);
    return ranks;
}

/* Loads of the workers in the first iteration and, after balancing if there was any, the last. */
static const char *title_of_loads(const struct report_run *run)
{
    if (run->n_iterations == 1)
        return "Load of the workers";
    return run->means[REPORT_BALANCE] > LEAST_BALANCE_S
               ? "Load of the workers, before and after balancing"
               : "Load of the workers, first and last iteration";
}

static enum status draw_loads(FILE *page, const struct report_run *run)
{
    const json_t *before = json_object_get(timeline_of(run), "first_loads");
    const json_t *after = json_object_get(timeline_of(run), "loads");
    double *first, *last;
    int64_t n_first = report_numbers(json_object_get(before, "seconds"), &first);
    int64_t n = report_numbers(json_object_get(after, "seconds"), &last);
    struct svg_plot plot = {.id = "loads",
                            .title = title_of_loads(run),
                            .x_title = n == run->n_lanes
                                           ? "workers, most loaded first"
                                           : "per cent of the workers, most loaded first",
                            .y_title = "seconds in tasks",
                            .unit = " s",
                            .whole_x = true};
    double *ranks = rank_workers(run, n);
    enum status status = CHECK_MEMORY(ranks, "no memory for the loads of %s", run->name);
    if (status == STATUS_OK && n > 1) {
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
    if (part)
        html_print(page,
                   "</div>\n<p class=\"lead\">Utilisation, lanes, durations, costs and loads are "
                   "those of %s.</p>\n<div class=\"charts\">\n",
                   part);
    TRY(draw_utilisation(page, run));
    report_lanes(page, run);
    draw_durations(page, run);
    draw_costs(page, run);
    return draw_loads(page, run);
}
