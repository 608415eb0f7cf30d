/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/report/report_parts.h"

#include <math.h>

/* Below these a loss, or an imbalance in per cent, is not worth a reason. */
#define LEAST_LOSS      0.01
#define LEAST_IMBALANCE 5

/* A cause of more than this fraction of a loss is named as the only one. */
#define ALL_OF_IT 0.85

/* A task that takes more than this fraction of the makespan explains its length. */
#define LONG_TASK 0.6

/* The workers that the others wait for, where they are known: those of the last iteration. */
static void write_uneven_loads(FILE *page, const struct report_run *run)
{
    double last = run->n_places > 0 ? run->columns[REPORT_IMBALANCE][run->n_places - 1] : NAN;
    int64_t n = last >= LEAST_IMBALANCE ? report_overloaded(run) : -1;
    if (n <= 0 || n > run->n_lanes / 2) {
        fputs(" to uneven loads", page);
        return;
    }
    html_print(page, " to %s overloaded %s", html_count(n).text, n == 1 ? "worker" : "workers");
}

/* A task too long for any schedule to have even loads. */
static void write_longest_task(FILE *page, const struct report_run *run)
{
    double longest = report_longest_task(run);
    double makespan = report_real(report_figure(run, "timeline"), "makespan_seconds");
    if (longest > LONG_TASK * makespan && longest > 1.2 * run->means[REPORT_TASK])
        html_print(page, "; one task alone takes %s or more, which no schedule can beat",
                   html_seconds(longest, longest).text);
}

/* The largest use of time other than tasks, for workers with even loads or waiting for another. */
static void write_largest_use(FILE *page, const struct report_run *run, double lost)
{
    static const struct {
        enum report_column column;
        const char *words;
    } causes[] = {{REPORT_IDLE, " to waiting for messages and for the end"},
                  {REPORT_SEARCH, " to the search for tasks"},
                  {REPORT_SCHEDULER, " to the scheduler"},
                  {REPORT_COMMUNICATION, " to communication"}};
    int most = -1;
    for (int i = 0; i < 4; i++)
        if (run->means[causes[i].column] > 0 &&
            (most < 0 || run->means[causes[i].column] > run->means[causes[most].column]))
            most = i;
    if (most < 0)
        return;
    double share = run->means[causes[most].column] / lost;
    fputs(share > ALL_OF_IT ? "" : share > 0.5 ? ", most of it" : ", above all", page);
    fputs(causes[most].words, page);
}

/* Uneven loads cost what the most loaded worker has above the mean, whatever the others do
 * meanwhile: wait, or search in vain. */
static void write_cause(FILE *page, const struct report_run *run)
{
    double lost = run->means[REPORT_MAKESPAN] - run->means[REPORT_TASK];
    double uneven = run->means[REPORT_IMBALANCE] / 100 * run->means[REPORT_TASK];
    if (run->means[REPORT_IMBALANCE] >= LEAST_IMBALANCE && uneven > 0.5 * lost) {
        fputs(uneven > ALL_OF_IT * lost ? "" : ", most of it", page);
        write_uneven_loads(page, run);
        write_longest_task(page, run);
    } else {
        write_largest_use(page, run, lost);
    }
}

void report_loss(FILE *page, const struct report_run *run)
{
    double lost = 1 - run->means[REPORT_TASK] / run->means[REPORT_MAKESPAN];
    if (!(lost >= 0 && lost <= 1))
        return;
    bool alone = run->workers == 1 && lost < 0.05;
    html_print(page, " <b>%s</b> %slost %s of its time", report_mode_name(run),
               alone ? "ran on one worker, which " : "", html_per_cent(lost).text);
    if (!alone && lost >= LEAST_LOSS)
        write_cause(page, run);
    fputs(".", page);
}
