/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a comparison, row by row: seconds of the modes, and their ratios to the first. */
#ifndef BERYL_SCHED_COMPARISON_TABLE_H
#define BERYL_SCHED_COMPARISON_TABLE_H

#include "sched/lab/comparison/comparison.h"

struct comparison_row {
    char text[160];
};

/* The headings, and the rows of an analysed mode: without line ends. Valid as long as *row, which
 * they are in. */
const char *comparison_seconds_heading(struct comparison_row *row);
const char *comparison_seconds_row(const struct comparison_mode *mode, struct comparison_row *row);
const char *comparison_ratio_heading(struct comparison_row *row);
const char *comparison_ratio_row(const struct comparison_mode *mode, struct comparison_row *row);

/* A ratio in 9 columns. */
struct comparison_number {
    char text[16];
};
const char *comparison_ratio_text(double ratio, struct comparison_number *number);

/* A sentence where there are too few rounds to tell any two of the modes apart; else NULL. */
const char *comparison_too_few_words(int n_modes, int64_t n_rounds, struct comparison_row *row);

/* The mark of a comparison that is oversubscribed, a line. */
const char *comparison_oversubscribed_words(void);

#endif
