/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of the page: answers in words, tables and charts of one run, several runs side by side.
 * A part is left out where the file does not have its data. Parts of a comparison take its runs,
 * the first of them its reference, and their number. */
#pragma once

#include "sched/lab/report/markup/svg_plot.h"
#include "sched/lab/report/report_section.h"

/* --- the answer that the page begins with --- */

/* One or a few sentences on one run, or on the n runs of a comparison: which mode was fastest, and
 * what the time was lost to.
 * section  may begin with its own, or NULL */
void report_answer(FILE *page, const struct report_run *runs, int64_t n,
                   const struct report_section *section);

/* One sentence on all runs. */
void report_range(FILE *page, const struct report_runs *runs);

/* Seconds of the run relative to the reference, the first of a comparison: by rounds, or of the
 * medians. */
double report_ratio(const struct report_run *run, const struct report_run *reference);

/* "faster", "slower", "not distinguishable" from the first mode of several rounds; NULL: one round.
 */
const char *report_verdict(const struct report_run *run);

/* The run with the lowest median of those that are faster than the first, by their verdicts where
 * there are any; the first if there is none. */
const struct report_run *report_fastest(const struct report_run *runs, int64_t n);

/* " static lost 47 % of its time to two overloaded workers.", with the blank. */
void report_loss(FILE *page, const struct report_run *run);

/* --- tables of one run --- */

/* Name of the run: by the section (NULL for none), or that of the workload. */
void report_name(FILE *page, const struct report_run *run, const struct report_section *section);

/* Outcome, tables of the section (NULL for none) or the workload, workers, tasks, ...; the error
 * of a run that failed. */
void report_summary(FILE *page, const struct report_run *run, const struct report_section *section);

/* Table of all measurements of every iteration, or group of iterations, folded. */
void report_iterations(FILE *page, const struct report_run *run);

/* Choices of a mode that chooses, and why: a row for each that differs from the one before. */
void report_choices(FILE *page, const struct report_run *run);

/* --- charts of one run --- */

/* Breakdown of the workers' time: one series for each use of the makespan, in the order of enum
 * report_column from REPORT_TASK, with its name and colour. */
enum { REPORT_N_TIMES = REPORT_COMMUNICATION - REPORT_TASK + 1 };
extern const struct svg_series report_times[REPORT_N_TIMES];

/* Which blocks of a tensor exist: the key `blocks` of a result. */
void report_blocks(FILE *page, const struct report_run *run);

/* Per iteration: where the workers' time went, seconds, efficiency and imbalance, steals. */
void report_charts(FILE *page, const struct report_run *run);

/* The course of the run, the key `timeline` of a result: utilisation over time, lanes of workers,
 * durations of tasks, predicted against measured cost, load before and after balancing. Within a
 * <div class="charts">, which it may end to begin another. Errors: STATUS_NO_MEMORY. */
enum status report_timeline(FILE *page, const struct report_run *run);

/* The lanes alone: a row for a worker, with its tasks and steals. */
void report_lanes(FILE *page, const struct report_run *run);

/* Workers whose load is above the middle of mean and maximum in the last iteration, for which the
 * others wait; -1: not known. */
int64_t report_overloaded(const struct report_run *run);

/* Seconds that the longest task of the last iteration took, or more, as a class of the histogram
 * begins there; NAN: not known. */
double report_longest_task(const struct report_run *run);

/* Reads the fractions of time, in per cent, that a use has in each bin of utilisation over time, to
 * be freed; NULL when out of memory. Returns the number of bins. */
int64_t report_utilisation(const struct report_run *run, const char *use, double **per_cent);

/* Edges of the n bins, n + 1 of them, to be freed; NULL when out of memory. */
double *report_bin_edges(const struct report_run *run, int64_t n);

/* --- several runs --- */

/* The n modes of a comparison: a table with the ratio to the reference, charts of their seconds, of
 * where their time went, of utilisation and loads. Errors: STATUS_NO_MEMORY. */
enum status report_compare_modes(FILE *page, const struct report_run *runs, int64_t n);

/* A table of the runs, numbered from 1, and charts of where their time went, of the seconds of an
 * iteration and of the efficiency.
 * section  names the runs, or NULL
 * Errors: STATUS_NO_MEMORY. */
enum status report_compare(FILE *page, const struct report_runs *runs,
                           const struct report_section *section);
