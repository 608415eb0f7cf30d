#include "sched/report/report_iterations.h"

#include "sched/report/html.h"

#include <math.h>

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
    {REPORT_STEALS_ATTEMPTED, "steals tried", "per worker", 1},
    {REPORT_STEALS_SUCCESSFUL, "steals done", "per worker", 1},
    {REPORT_TASKS_MOVED, "tasks moved", "", 0},
    {REPORT_MESSAGES, "messages", "", 0},
    {REPORT_BYTES, "bytes", "", 0},
};

enum { N_TABLE_COLUMNS = sizeof table_columns / sizeof table_columns[0] };

static void heading(FILE *page, const struct report_run *run)
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
    heading(page, run);
    for (int64_t place = 0; place < run->n_places; place++) {
        fprintf(page, "<tr><td>%lld</td>", (long long)(place * run->group));
        for (int i = 0; i < N_TABLE_COLUMNS; i++) {
            enum report_column column = table_columns[i].column;
            if (isnan(run->means[column]))
                continue;
            fputs("<td>", page);
            html_number(page, run->columns[column][place], table_columns[i].decimals);
            fputs("</td>", page);
        }
        fputs("</tr>\n", page);
    }
    fputs("</table></div></details>\n", page);
}
