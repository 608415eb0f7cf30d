/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/report/report_parts.h"

#include <math.h>
#include <string.h>

/* Rows of the table of choices. */
enum { MAX_CHOICES = 32 };

void report_name(FILE *page, const struct report_run *run, const struct report_section *section)
{
    if (!section || !section->name(page, run))
        html_words(page, report_text(run->shared, "workload"));
}

static void scheduling_rows(FILE *page, const struct report_run *run)
{
    if (!run->mode)
        html_row_text(page, "Scheduling mode", report_mode_name(run));
    html_row_number(page, "Workers", (double)run->workers, 0, "");
    if (run->n_threads > 1)
        html_row_number(page, "Threads of each", (double)run->n_threads, 0, "");
    const json_t *tasks = report_figure(run, "tasks"), *non_null = report_figure(run, "non_null");
    if (json_is_number(tasks))
        html_row_number(page, "Tasks", json_number_value(tasks), 0, "");
    if (json_is_number(non_null))
        html_row_number(page, "Tasks that are not null", json_number_value(non_null), 0, "");
    html_row_number(page, run->has_fock ? "Fock builds" : "Iterations", (double)run->n_iterations,
                    0, "");
    double seconds = run->means[REPORT_SECONDS];
    if (!run->mode) {
        html_row_number(page, "Time of each, mean", seconds, seconds < 0.1 ? 6 : 4, "s");
        html_row_number(page, "Efficiency, mean", run->means[REPORT_EFFICIENCY], 1, "%");
        html_row_number(page, "Imbalance, mean", run->means[REPORT_IMBALANCE], 1, "%");
    }
    html_row_number(page, "Peak memory", report_real(run->shared, "memory_peak_bytes") * 1e-6, 0,
                    "MB in the largest process");
}

/* Workload of a run of beryl-sched. */
static void workload_rows(FILE *page, const struct report_run *run)
{
    html_row_text(page, "Workload", report_text(run->shared, "workload"));
    html_row_text(page, "Program", report_text(run->shared, "program"));
    html_row_text(page, "Options", report_text(run->shared, "options_text"));
    html_row_number(page, "Nodes of the tree", report_real(run->shared, "nodes"), 0, "");
    html_row_number(page, "Leaves", report_real(run->shared, "leaves"), 0, "");
    html_row_number(page, "Depth", report_real(run->shared, "depth"), 0, "");
}

/* The command to repeat the run with, and the hardware that it ran on. */
static void origin_table(FILE *page, const struct report_run *run)
{
    const char *command = report_text(run->shared, "command");
    const json_t *hardware = json_object_get(run->shared, "hardware");
    if (!command && !hardware)
        return;
    fputs("<table class=\"origin\">\n", page);
    if (command) {
        html_row_start(page, "Command");
        fputs("<code>", page);
        /* Simulated runs take one process. */
        if (run->workers > 1 && hardware)
            fprintf(page, "mpirun -np %lld ", (long long)run->workers);
        html_words(page, command);
        fputs("</code>", page);
        html_row_end(page);
    }
    html_row_text(page, "Processor", report_text(hardware, "processor"));
    html_row_number(page, "Cores of a node", report_real(hardware, "cores"), 0, "");
    html_row_number(page, "Nodes", report_real(hardware, "nodes"), 0, "");
    html_row_text(page, "Beryl",
                  report_text(json_object_get(run->result, "provenance"), "version"));
    fputs("</table>\n", page);
}

/* The options of a simulated machine, as given or by default. */
static void machine_table(FILE *page, const struct report_run *run)
{
    const char *name;
    json_t *value;
    char text[40];
    if (!json_object_get(run->shared, "machine"))
        return;
    fputs("<table class=\"machine\">\n", page);
    html_row_text(page, "<b>Simulated machine</b>", "");
    json_object_foreach(json_object_get(run->shared, "machine"), name, value)
    {
        const char *words = json_string_value(value);
        if (json_is_null(value) || json_is_false(value) || (words && *words == '\0'))
            continue;
        html_print(page, "<tr><th scope=\"row\">--%s</th><td class=\"text\">", name);
        snprintf(text, sizeof text, "%.6g", json_number_value(value));
        html_words(page, json_is_number(value) ? text : words);
        html_row_end(page);
    }
    const char *speeds = report_text(json_object_get(run->shared, "options"), "speeds");
    html_row_text(page, "--speeds", speeds && *speeds ? speeds : NULL);
    fputs("</table>", page);
}

static void write_outcome(FILE *page, const struct report_run *run)
{
    const json_t *success = json_object_get(run->result, "success");
    const json_t *error = json_object_get(run->result, "error");
    const char *message = report_text(error, "error_message");
    if (json_is_false(success) || error)
        html_print(page, "<p class=\"failed\"><b>Failed</b>%s%s</p>\n", message ? ": " : "",
                   message ? message : "");
    else if (json_is_true(success))
        fputs("<p class=\"done\"><b>Completed</b></p>\n", page);
}

void report_summary(FILE *page, const struct report_run *run, const struct report_section *section)
{
    write_outcome(page, run);
    fputs("<div class=\"cards\">", page);
    if (!section || !section->tables(page, run)) {
        fputs("<table>\n", page);
        workload_rows(page, run);
        fputs("</table>\n", page);
    }
    fputs("<table>\n", page);
    scheduling_rows(page, run);
    fputs("</table>\n", page);
    machine_table(page, run);
    origin_table(page, run);
    fputs("</div>\n", page);
}

/* --- iterations --- */

static const struct table_column {
    enum report_column column;
    const char *heading, *unit;
    int decimals;
} table_columns[] = {
    {REPORT_FOCK_SECONDS, "Fock build", "s", 4},
    {REPORT_MAKESPAN, "makespan", "s", 4},
    {REPORT_TASK, "task", "s", 4},
    {REPORT_SEARCH, "search", "s", 4},
    {REPORT_IDLE, "idle", "s", 4},
    {REPORT_SCHEDULER, "scheduler", "s", 4},
    {REPORT_COMMUNICATION, "communication", "s", 4},
    {REPORT_BALANCE, "balancing", "s", 4},
    {REPORT_EFFICIENCY, "efficiency", "%", 1},
    {REPORT_IMBALANCE, "imbalance", "%", 1},
    {REPORT_STEALS_SUCCESSFUL, "steals done", "per worker", 1},
    {REPORT_STEALS_ATTEMPTED, "attempted", "per worker", 1},
    {REPORT_TASKS_MOVED, "tasks moved", "", 0},
    {REPORT_MESSAGES, "messages", "", 0},
    {REPORT_BYTES, "bytes", "", 0},
};

enum { N_TABLE_COLUMNS = sizeof table_columns / sizeof table_columns[0] };

static void write_iterations_head(FILE *page, const struct report_run *run)
{
    fprintf(page, "<thead><tr><th>%s</th>", report_iteration_word(run));
    for (int i = 0; i < N_TABLE_COLUMNS; i++)
        if (!isnan(run->means[table_columns[i].column]))
            fprintf(page, "<th>%s<br><small>%s</small></th>", table_columns[i].heading,
                    table_columns[i].unit);
    fputs("</tr></thead>\n", page);
}

void report_iterations(FILE *page, const struct report_run *run)
{
    if (run->n_places == 0)
        return;
    fprintf(page, "<details><summary>Figures of every %s</summary>\n<div class=\"wide\">",
            report_iteration_word(run));
    if (run->group > 1)
        fprintf(page, "<p>Each row is the mean of %lld, the last perhaps of fewer.</p>",
                (long long)run->group);
    fputs("<table class=\"figures\">\n", page);
    write_iterations_head(page, run);
    for (int64_t place = 0; place < run->n_places; place++) {
        fprintf(page, "<tr><td>%lld</td>", (long long)(place * run->group));
        for (int i = 0; i < N_TABLE_COLUMNS; i++) {
            enum report_column column = table_columns[i].column;
            if (!isnan(run->means[column]))
                html_print(page, "<td>%.*f</td>", table_columns[i].decimals,
                           run->columns[column][place]);
        }
        fputs("</tr>\n", page);
    }
    fputs("</table></div></details>\n", page);
}

/* --- choices --- */

static const char *choice_text(const json_t *iterations, size_t i, const char *key)
{
    return report_text(json_object_get(json_array_get(iterations, i), "choice"), key);
}

void report_choices(FILE *page, const struct report_run *run)
{
    const json_t *iterations = report_figure(run, "iterations");
    const char *last = "";
    int n_rows = 0;
    for (size_t i = 0; i < json_array_size(iterations); i++) {
        const char *what = choice_text(iterations, i, "what");
        bool is_new = what && strcmp(what, last) != 0;
        last = what ? what : "";
        if (!is_new || n_rows == MAX_CHOICES)
            continue;
        if (n_rows++ == 0)
            html_print(page,
                       "<table class=\"choices\">\n<thead><tr><th>%s</th><th>choice</th>"
                       "<th>because</th></tr></thead>\n",
                       report_iteration_word(run));
        fprintf(page, "<tr><td>%zu</td><td class=\"text\">", i);
        html_text(page, what);
        fputs("</td><td class=\"text\">", page);
        html_words(page, choice_text(iterations, i, "why"));
        fputs("</td></tr>\n", page);
    }
    if (n_rows > 0)
        fputs("</table>\n", page);
}
