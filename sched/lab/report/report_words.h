/* SPDX-License-Identifier: BSD-3-Clause */
/* The answer that the page begins with: what was fastest and what the time was lost to, in words.
 */
#ifndef BERYL_SCHED_REPORT_REPORT_WORDS_H
#define BERYL_SCHED_REPORT_REPORT_WORDS_H

#include "sched/lab/report/report_section.h"

#include <stdint.h>
#include <stdio.h>

/* One or a few sentences on one run, or on the n runs of a comparison from first on.
 * section  may begin with its own, or NULL */
void report_answer(FILE *page, const struct report_runs *runs, int64_t first, int64_t n,
                   const struct report_section *section);

/* One sentence on all runs. */
void report_range(FILE *page, const struct report_runs *runs);

/* Seconds of the run relative to the reference, the first of a comparison: by rounds, or of the
 * medians. */
double report_ratio(const struct report_run *run, const struct report_run *reference);

/* "faster", "slower", "not distinguishable" from the first mode of several rounds; NULL: one round.
 */
const char *report_verdict(const struct report_run *run);

/* Number of the run with the lowest median of those that are faster than the first, by their
 * verdicts where there are any; the first if there is none. */
int64_t report_fastest(const struct report_runs *runs, int64_t first, int64_t n);

/* " static lost 47 % of its time to two overloaded workers.", with the blank. Nothing where the
 * file does not have the times. */
void report_loss(FILE *page, const struct report_run *run);

#endif
