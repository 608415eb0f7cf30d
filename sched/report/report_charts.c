#include "sched/report/report_charts.h"

#include <math.h>

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

static void draw_steals(FILE *page, const struct report_run *run)
{
    struct svg_chart chart = chart_over_iterations(run);
    if (!(run->means[REPORT_STEALS_ATTEMPTED] > 0))
        return;
    chart.title = "Steals";
    chart.value_title = "per worker";
    add_series(&chart, run, REPORT_STEALS_ATTEMPTED, "tried", 0);
    add_series(&chart, run, REPORT_STEALS_SUCCESSFUL, "done", 3);
    svg_lines(page, &chart);
}

void report_charts(FILE *page, const struct report_run *run)
{
    if (run->n_places == 0)
        return;
    draw_times(page, run);
    draw_seconds(page, run);
    draw_efficiency(page, run);
    draw_steals(page, run);
}
