/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/report/report_parts.h"

#include <stdbool.h>
#include <stdlib.h>

enum { LABEL_SIZE = 80 };

/* Data of the charts: for each run, its label and its means. */
struct comparison {
    int64_t n;
    char (*labels)[LABEL_SIZE];
    const char **names;
    double *means[REPORT_N_COLUMNS]; /* [0] owns the memory of all */
    double *least, *largest;         /* seconds of an iteration */
};

/* Runs of several files have a number and say their workers. */
static void write_label(const struct report_run *run, bool numbered, char *label)
{
    if (numbered)
        snprintf(label, LABEL_SIZE, "%lld \u00b7 %.40s, %lld %s", (long long)run->number,
                 report_mode_name(run), (long long)run->workers,
                 run->workers == 1 ? "worker" : "workers");
    else
        snprintf(label, LABEL_SIZE, "%.40s", report_mode_name(run));
}

static void fill_comparison(const struct report_run *runs, bool numbered,
                            struct comparison *comparison)
{
    for (int64_t i = 0; i < comparison->n; i++) {
        const struct report_run *run = &runs[i];
        write_label(run, numbered, comparison->labels[i]);
        comparison->names[i] = comparison->labels[i];
        for (int column = 0; column < REPORT_N_COLUMNS; column++)
            comparison->means[column][i] = run->means[column];
        /* Seconds of an iteration are shown by their median, not their mean. */
        comparison->means[REPORT_SECONDS][i] = run->seconds.median;
        comparison->least[i] = run->seconds.least;
        comparison->largest[i] = run->seconds.largest;
    }
}

static enum status create_comparison(const struct report_run *runs, int64_t n_runs, bool numbered,
                                     struct comparison *comparison)
{
    size_t n = (size_t)n_runs;
    *comparison = (struct comparison){.n = n_runs,
                                      .labels = calloc(n, sizeof *comparison->labels),
                                      .names = calloc(n, sizeof *comparison->names)};
    double *all = calloc((REPORT_N_COLUMNS + 2) * n, sizeof *all);
    for (int column = 0; all && column < REPORT_N_COLUMNS; column++)
        comparison->means[column] = all + (size_t)column * n;
    comparison->least = all ? all + REPORT_N_COLUMNS * n : NULL;
    comparison->largest = all ? all + (REPORT_N_COLUMNS + 1) * n : NULL;
    TRY(CHECK_MEMORY(comparison->labels && comparison->names && all,
                     "no memory to compare %lld runs", (long long)n_runs));
    fill_comparison(runs, numbered, comparison);
    return STATUS_OK;
}

static void destroy_comparison(struct comparison *comparison)
{
    free(comparison->labels);
    free(comparison->names);
    free(comparison->means[0]);
}

static void write_comparison_table(FILE *page, const struct report_runs *runs,
                                   const struct report_section *section)
{
    bool has_energies = false;
    for (int64_t i = 0; i < runs->n; i++)
        has_energies |= json_is_number(json_object_get(runs->runs[i].result, "return_result"));
    fprintf(page,
            "<div class=\"wide\"><table class=\"figures\">\n<thead><tr><th>run</th>"
            "<th class=\"word\">file</th><th class=\"word\">system</th>"
            "<th class=\"word\">mode</th><th>workers</th><th>iterations</th>"
            "<th>each<br><small>s</small></th><th>efficiency<br><small>%%</small></th>"
            "<th>imbalance<br><small>%%</small></th>%s</tr></thead>\n",
            has_energies ? "<th>energy<br><small>hartree</small></th>" : "");
    for (int64_t i = 0; i < runs->n; i++) {
        const struct report_run *run = &runs->runs[i];
        fprintf(page, "<tr><td>%lld</td><td class=\"word\"><a href=\"#run%lld\">",
                (long long)run->number, (long long)run->number);
        html_words(page, run->name);
        fputs("</a></td><td class=\"word\">", page);
        report_name(page, run, section);
        html_print(page, "</td><td class=\"mode\">%s</td>", report_mode_name(run));
        const struct {
            double figure;
            int decimals;
        } figures[] = {
            {(double)run->workers, 0},         {(double)run->n_iterations, 0},
            {run->seconds.median, 4},          {run->means[REPORT_EFFICIENCY], 1},
            {run->means[REPORT_IMBALANCE], 1}, {report_real(run->result, "return_result"), 8}};
        size_t n_figures = sizeof figures / sizeof figures[0] - (has_energies ? 0 : 1);
        for (size_t k = 0; k < n_figures; k++)
            html_print(page, "<td>%.*f</td>", figures[k].decimals, figures[k].figure);
        fputs("</tr>\n", page);
    }
    fputs("</table></div>\n", page);
}

static struct svg_chart chart_over_runs(const struct comparison *comparison, const char *id,
                                        const char *title, const char *value_title)
{
    return (struct svg_chart){.id = id,
                              .title = title,
                              .value_title = value_title,
                              .n_places = comparison->n,
                              .names = comparison->names};
}

static void draw_compared_seconds(FILE *page, const struct comparison *comparison)
{
    struct svg_chart chart = chart_over_runs(comparison, "compared-medians",
                                             "Time of an iteration: median, fastest and slowest",
                                             "seconds of an iteration");
    chart.n_series = 1;
    chart.series[0] = (struct svg_series){"median", comparison->means[REPORT_SECONDS], 0};
    chart.low = comparison->least;
    chart.high_end = comparison->largest;
    svg_rows(page, &chart);
}

static void draw_compared_efficiency(FILE *page, const struct comparison *comparison)
{
    struct svg_chart chart = chart_over_runs(comparison, "compared-efficiency", "Efficiency",
                                             "per cent, mean over the iterations");
    chart.n_series = 1;
    chart.series[0] = (struct svg_series){"efficiency", comparison->means[REPORT_EFFICIENCY], 0};
    chart.high = 100;
    svg_rows(page, &chart);
}

static void draw_compared_times(FILE *page, const struct comparison *comparison)
{
    struct svg_chart chart =
        chart_over_runs(comparison, "compared-times", "Where the workers\u2019 time went",
                        "seconds per iteration, mean of the workers");
    for (; chart.n_series < REPORT_N_TIMES; chart.n_series++) {
        chart.series[chart.n_series] = report_times[chart.n_series];
        chart.series[chart.n_series].values = comparison->means[REPORT_TASK + chart.n_series];
    }
    svg_rows(page, &chart);
}

enum status report_compare(FILE *page, const struct report_runs *runs,
                           const struct report_section *section)
{
    struct comparison comparison;
    enum status status = create_comparison(runs->runs, runs->n, true, &comparison);
    if (status != STATUS_OK)
        goto done;
    write_comparison_table(page, runs, section);
    fputs("<div class=\"charts\">\n", page);
    draw_compared_seconds(page, &comparison);
    draw_compared_efficiency(page, &comparison);
    draw_compared_times(page, &comparison);
    fputs("</div>\n", page);
done:
    destroy_comparison(&comparison);
    return status;
}

/* --- iterations of several runs --- */

/* Colours of runs in one chart; grey is for what is idle. */
static const int run_colours[SVG_MAX_SERIES] = {0, 3, 4, 1, 5, 6, 2};

/* Whether run i is the first or among the SVG_MAX_SERIES - 1 fastest others. */
static bool is_shown_run(const struct report_run *runs, int64_t n, int64_t i)
{
    int64_t n_faster = 0;
    for (int64_t k = 1; k < n; k++) {
        double seconds = runs[k].seconds.median, own = runs[i].seconds.median;
        n_faster += seconds < own || (seconds == own && k < i);
    }
    return i == 0 || n_faster < SVG_MAX_SERIES - 1;
}

/* Seconds by iteration, a line per run: the first and the fastest, at most SVG_MAX_SERIES. */
static void draw_iterations(FILE *page, const struct report_run *runs, int64_t n)
{
    struct svg_plot plot = {.id = "compared-seconds",
                            .title = n > SVG_MAX_SERIES
                                         ? "Iteration by iteration: the first and the fastest"
                                         : "Iteration by iteration",
                            .x_title = "iteration",
                            .y_title = "seconds",
                            .unit = " s",
                            .whole_x = true};
    double places[REPORT_MAX_PLACES];
    for (int64_t i = 0; i < REPORT_MAX_PLACES; i++)
        places[i] = (double)(i * runs->group);
    for (int64_t i = 0; i < n; i++) {
        if (!is_shown_run(runs, n, i) || runs[i].group != runs->group || runs[i].n_places == 0)
            continue;
        plot.series[plot.n_series] = (struct svg_plot_series){
            report_mode_name(&runs[i]), places, runs[i].columns[REPORT_SECONDS], runs[i].n_places,
            run_colours[plot.n_series]};
        plot.n_series++;
    }
    svg_plot_lines(page, &plot);
}

/* --- a row for each run --- */

/* Values of a run and the n + 1 edges between which they lie, to be freed; either is NULL when out
 * of memory. Returns their number. */
typedef int64_t (*course_reader)(const struct report_run *run, double **edges, double **values);

/* Per cent of the workers that run tasks. */
static int64_t read_utilisation(const struct report_run *run, double **edges, double **values)
{
    int64_t n = report_utilisation(run, "task", values);
    *edges = report_bin_edges(run, n);
    return n;
}

static int64_t read_loads(const struct report_run *run, double **edges, double **values)
{
    const json_t *loads = json_object_get(report_figure(run, "timeline"), "loads");
    int64_t n = report_numbers(json_object_get(loads, "seconds"), values);
    *edges = malloc((size_t)(n + 1) * sizeof **edges);
    for (int64_t i = 0; *edges && i <= n; i++)
        (*edges)[i] = 100 * (double)i / (double)(n > 0 ? n : 1);
    return n > 1 ? n : 0;
}

static enum status draw_rows(FILE *page, const struct svg_plot *plot, const struct report_run *runs,
                             int64_t n, course_reader read)
{
    struct svg_plot_series *rows = calloc((size_t)n, sizeof *rows);
    double **owned = calloc(2 * (size_t)n, sizeof *owned);
    enum status status =
        CHECK_MEMORY(rows && owned, "no memory for the courses of %lld runs", (long long)n);
    int64_t n_points = 0;
    for (int64_t i = 0; i < n && status == STATUS_OK; i++) {
        double **edges = &owned[2 * i], **values = &owned[2 * i + 1];
        int64_t n_own = read(&runs[i], edges, values);
        status = CHECK_MEMORY(*edges && *values, "no memory for the course of %s", runs[i].name);
        rows[i] = (struct svg_plot_series){report_mode_name(&runs[i]), *edges, *values, n_own, 0};
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

/* A row for each run: utilisation over time, and the sorted loads of the workers in the last
 * iteration. Each is left out where the file does not have its data. Errors: STATUS_NO_MEMORY. */
static enum status draw_courses(FILE *page, const struct report_run *runs, int64_t n)
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
    TRY(draw_rows(page, &utilisation, runs, n, read_utilisation));
    return draw_rows(page, &loads, runs, n, read_loads);
}

/* --- modes --- */

static void write_rounds_cells(FILE *page, const struct report_run *run)
{
    const json_t *interval = json_object_get(json_object_get(run->figures, "ratio"), "interval");
    fputs("<td>", page);
    if (interval)
        html_print(page, "%.3f\u2013%.3f", json_number_value(json_array_get(interval, 0)),
                   json_number_value(json_array_get(interval, 1)));
    html_print(page, "</td><td class=\"mode\">%s</td>", report_verdict(run));
}

static void write_mode_row(FILE *page, const struct report_run *run,
                           const struct report_run *reference, bool rounds)
{
    const double *means = run->means;
    int decimals = reference->seconds.median < 0.1 ? 6 : 4;
    html_print(page,
               "<tr><td class=\"mode\"><a href=\"#run%lld\">%s</a></td><td>%.*f</td><td>%.*f</td>"
               "<td>%.*f</td><td>%.3f</td>",
               (long long)run->number, report_mode_name(run), decimals, run->seconds.median,
               decimals, run->seconds.least, decimals, run->seconds.largest,
               report_ratio(run, reference));
    if (rounds)
        write_rounds_cells(page, run);
    html_print(page,
               "<td>%.1f</td><td>%.1f</td><td>%.1f</td><td>%.1f</td><td>%.0f</td><td>%.0f</td>"
               "</tr>\n",
               means[REPORT_EFFICIENCY], means[REPORT_IMBALANCE], means[REPORT_STEALS_SUCCESSFUL],
               means[REPORT_STEALS_ATTEMPTED], means[REPORT_TASKS_MOVED], means[REPORT_MESSAGES]);
}

static void write_mode_table(FILE *page, const struct report_run *runs, int64_t n)
{
    bool rounds = report_verdict(&runs[1]) != NULL;
    html_print(page,
               "<div class=\"wide\"><table class=\"figures modes\">\n<thead><tr><th "
               "class=\"word\">mode</th><th>median<br><small>s</small></th>"
               "<th>fastest<br><small>s</small></th><th>slowest<br><small>s</small></th>"
               "<th>ratio<br><small>to %s</small></th>",
               report_mode_name(runs));
    if (rounds)
        fputs("<th>interval<br><small>of the ratio</small></th><th class=\"word\">verdict</th>",
              page);
    fputs("<th>efficiency<br><small>%</small></th>"
          "<th>imbalance<br><small>%</small></th><th>steals done<br><small>per worker</small></th>"
          "<th>attempted<br><small>per worker</small></th><th>tasks moved</th><th>messages</th>"
          "</tr></thead>\n",
          page);
    for (int64_t i = 0; i < n; i++)
        write_mode_row(page, &runs[i], runs, rounds);
    fputs("</table></div>\n", page);
}

enum status report_compare_modes(FILE *page, const struct report_run *runs, int64_t n)
{
    struct comparison comparison;
    enum status status = create_comparison(runs, n, false, &comparison);
    if (status != STATUS_OK)
        goto done;
    if (runs->n_counted < runs->n_iterations)
        html_print(page,
                   "<p>Numbers and bars are of iteration %.0f and later ones%s, those before are "
                   "warm-up; charts over time show all.</p>\n",
                   runs->first_counted, report_verdict(&runs[1]) ? " of each round" : "");
    write_mode_table(page, runs, n);
    fputs("<div class=\"charts\">\n", page);
    draw_compared_seconds(page, &comparison);
    draw_compared_times(page, &comparison);
    status = draw_courses(page, runs, n);
    if (runs->n_iterations > 1)
        draw_iterations(page, runs, n);
    fputs("</div>\n", page);
done:
    destroy_comparison(&comparison);
    return status;
}
