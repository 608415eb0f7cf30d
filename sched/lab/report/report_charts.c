/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/report/report_parts.h"

#include <math.h>
#include <string.h>

const struct svg_series report_times[REPORT_N_TIMES] = {
    {.name = "task", .colour = 0},          {.name = "search", .colour = 1},
    {.name = "idle", .colour = 2},          {.name = "scheduler", .colour = 3},
    {.name = "communication", .colour = 4},
};

static struct svg_chart chart_over_iterations(const struct report_run *run, const char *id,
                                              const char *title, const char *value_title)
{
    return (struct svg_chart){
        .id = id,
        .title = title,
        .place_title = run->has_fock && run->group > 1 ? "Fock build, each point a mean of several"
                       : run->has_fock                 ? "Fock build"
                       : run->group > 1                ? "iteration, each point a mean of several"
                                                       : "iteration",
        .value_title = value_title,
        .n_places = run->n_places,
        .label_step = run->group,
    };
}

/* A column of the run, unless the file does not have it. */
static void add_series(struct svg_chart *chart, const struct report_run *run,
                       enum report_column column, const char *name, int colour)
{
    if (!isnan(run->means[column]))
        chart->series[chart->n_series++] =
            (struct svg_series){.name = name, .values = run->columns[column], .colour = colour};
}

static void draw_times(FILE *page, const struct report_run *run)
{
    struct svg_chart chart = chart_over_iterations(
        run, "times", "Where the workers\u2019 time went", "seconds, mean of the workers");
    for (int i = 0; i < REPORT_N_TIMES; i++)
        add_series(&chart, run, (enum report_column)(REPORT_TASK + i), report_times[i].name,
                   report_times[i].colour);
    if (chart.n_series > 0)
        svg_bars(page, &chart);
}

/* Up to two columns as lines; no chart if the file has neither. */
static void draw_lines(FILE *page, const struct report_run *run, struct svg_chart chart,
                       enum report_column first, const char *first_name, enum report_column second,
                       const char *second_name)
{
    add_series(&chart, run, first, first_name, 0);
    add_series(&chart, run, second, second_name, 3);
    if (chart.n_series > 0)
        svg_lines(page, &chart);
}

/* In any iteration, warm-up included. */
static bool is_ever_positive(const struct report_run *run, enum report_column column)
{
    for (int64_t i = 0; i < run->n_places; i++)
        if (run->columns[column][i] > 0)
            return true;
    return false;
}

static void draw_seconds(FILE *page, const struct report_run *run)
{
    const char *title = run->has_fock ? "Time of each Fock build" : "Time of each iteration";
    struct svg_chart chart = chart_over_iterations(run, "seconds", title, "seconds");
    if (run->has_fock || is_ever_positive(run, REPORT_BALANCE))
        add_series(&chart, run, REPORT_SECONDS,
                   run->has_fock ? "Fock build, total" : "with the balancing before it", 0);
    add_series(&chart, run, REPORT_MAKESPAN, "tasks, first to last (makespan)", 3);
    if (chart.n_series > 0)
        svg_lines(page, &chart);
}

static void draw_efficiency(FILE *page, const struct report_run *run)
{
    struct svg_chart chart =
        chart_over_iterations(run, "efficiency", "Efficiency and imbalance", "per cent");
    chart.high = 100;
    draw_lines(page, run, chart, REPORT_EFFICIENCY, "efficiency", REPORT_IMBALANCE,
               "imbalance (max/mean \u2212 1)");
}

static void draw_steals(FILE *page, const struct report_run *run)
{
    if (is_ever_positive(run, REPORT_STEALS_ATTEMPTED))
        draw_lines(page, run, chart_over_iterations(run, "steals", "Steals", "per worker"),
                   REPORT_STEALS_SUCCESSFUL, "done", REPORT_STEALS_ATTEMPTED, "attempted");
}

/* --- blocks --- */

enum { MAX_BLOCK_CELLS = 64, BLOCKS_WIDTH = 640, BLOCKS_SIDE = 320 };

/* Squares whose areas are the fractions of blocks that exist. */
static void draw_block_line(FILE *page, const char *digits, double y, double cell)
{
    double left = 0.5 * (BLOCKS_WIDTH - BLOCKS_SIDE);
    for (int i = 0; i < MAX_BLOCK_CELLS && digits[i] != '\0'; i++) {
        double part = (digits[i] - '0') / 9.0, side = cell * sqrt(part), margin = (cell - side) / 2;
        if (part > 0 && part <= 1)
            fprintf(page,
                    "<rect class=\"k0\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\">"
                    "<title>%.0f %%</title></rect>\n",
                    left + cell * i + margin, y + margin, side, side, 100 * part);
    }
}

void report_blocks(FILE *page, const struct report_run *run)
{
    const json_t *blocks = json_object_get(run->shared, "blocks");
    const json_t *lines = json_object_get(blocks, "filled");
    size_t n = json_array_size(lines), n_columns = 1;
    if (n == 0 || n > MAX_BLOCK_CELLS)
        return;
    for (size_t i = 0; i < n; i++) {
        const char *digits = json_string_value(json_array_get(lines, i));
        n_columns = digits && strlen(digits) > n_columns ? strlen(digits) : n_columns;
    }
    char title[160];
    double cell = (double)BLOCKS_SIDE / (double)(n > n_columns ? n : n_columns);
    snprintf(title, sizeof title, "Blocks of %.60s: %.0f of %.0f \u00d7 %.0f exist",
             report_text(blocks, "tensor") ? report_text(blocks, "tensor") : "a tensor",
             report_real(blocks, "blocks"), report_real(blocks, "rows"),
             report_real(blocks, "columns"));
    const struct svg_chart chart = {.id = "blocks", .title = title};
    svg_start(page, &chart, BLOCKS_WIDTH, (int)(cell * (double)n) + 2);
    for (size_t i = 0; i < n; i++) {
        const char *digits = json_string_value(json_array_get(lines, i));
        if (digits)
            draw_block_line(page, digits, 1 + cell * (double)i, cell);
    }
    svg_end(page);
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
