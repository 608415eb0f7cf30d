#include "sched/report/report_charts.h"

#include <math.h>
#include <stdlib.h>

const struct svg_series report_times[REPORT_N_TIMES] = {
    {.name = "task", .colour = 0},          {.name = "search", .colour = 1},
    {.name = "idle", .colour = 2},          {.name = "scheduler", .colour = 3},
    {.name = "communication", .colour = 4},
};

static struct svg_chart chart_over_iterations(const struct report_run *run)
{
    return (struct svg_chart){
        .place_title = run->has_fock && run->group > 1 ? "Fock build, each point a mean of several"
                       : run->has_fock                 ? "Fock build"
                       : run->group > 1                ? "iteration, each point a mean of several"
                                                       : "iteration",
        .n_places = run->n_places,
        .label_step = run->group,
    };
}

/* A column of the run, unless the file says nothing of it. */
static void add_series(struct svg_chart *chart, const struct report_run *run,
                       enum report_column column, const char *name, int colour)
{
    if (!isnan(run->means[column]))
        chart->series[chart->n_series++] =
            (struct svg_series){.name = name, .values = run->columns[column], .colour = colour};
}

static void draw_times(FILE *page, const struct report_run *run)
{
    struct svg_chart chart = chart_over_iterations(run);
    chart.title = "Where the workers\u2019 time went";
    chart.value_title = "seconds, mean over the workers";
    for (int i = 0; i < REPORT_N_TIMES; i++)
        add_series(&chart, run, (enum report_column)(REPORT_TASK + i), report_times[i].name,
                   report_times[i].colour);
    if (chart.n_series > 0)
        svg_bars(page, &chart);
}

static void draw_seconds(FILE *page, const struct report_run *run)
{
    struct svg_chart chart = chart_over_iterations(run);
    chart.title = run->has_fock ? "Time of each Fock build" : "Time of each iteration";
    chart.value_title = "seconds";
    add_series(&chart, run, REPORT_FOCK_SECONDS, "whole build", 0);
    add_series(&chart, run, REPORT_MAKESPAN, "tasks, first to last (makespan)", 3);
    if (chart.n_series > 0)
        svg_lines(page, &chart);
}

static void draw_efficiency(FILE *page, const struct report_run *run)
{
    struct svg_chart chart = chart_over_iterations(run);
    chart.title = "Efficiency and imbalance";
    chart.value_title = "per cent";
    chart.high = 100;
    add_series(&chart, run, REPORT_EFFICIENCY, "efficiency", 0);
    add_series(&chart, run, REPORT_IMBALANCE, "imbalance (max/mean \u2212 1)", 3);
    if (chart.n_series > 0)
        svg_lines(page, &chart);
}

/* |change of the energy| and gradient of every k-th iteration, so that there are
 * at most REPORT_MAX_PLACES. */
static enum status draw_convergence(FILE *page, const struct report_run *run)
{
    const json_t *iterations = report_figure(run, "scf_iterations");
    int64_t n = (int64_t)json_array_size(iterations);
    int64_t every = (n + REPORT_MAX_PLACES - 1) / REPORT_MAX_PLACES;
    if (n == 0)
        return STATUS_OK;
    int64_t n_places = (n + every - 1) / every;
    double *change = malloc(2 * (size_t)n_places * sizeof *change), *gradient = change + n_places;
    if (!change)
        return FAIL(STATUS_NO_MEMORY, "no memory for the iterations of %s", run->name);
    for (int64_t place = 0; place < n_places; place++) {
        const json_t *now = json_array_get(iterations, (size_t)(place * every));
        const json_t *before = json_array_get(iterations, (size_t)(place * every - 1));
        change[place] = fabs(report_real(now, "energy") - report_real(before, "energy"));
        gradient[place] = report_real(now, "gradient");
    }
    struct svg_chart chart = {
        .title = "Convergence of the self-consistent field",
        .place_title = "iteration",
        .value_title = "hartree",
        .n_places = n_places,
        .first_label = 1,
        .label_step = every,
        .n_series = 2,
        .series = {{.name = "|change of energy|", .values = change, .colour = 0},
                   {.name = "orbital gradient", .values = gradient, .colour = 3}},
        .logarithmic = true,
    };
    svg_lines(page, &chart);
    free(change);
    return STATUS_OK;
}

enum status report_charts(FILE *page, const struct report_run *run)
{
    TRY(draw_convergence(page, run));
    if (run->n_places == 0)
        return STATUS_OK;
    draw_times(page, run);
    draw_seconds(page, run);
    draw_efficiency(page, run);
    return STATUS_OK;
}
