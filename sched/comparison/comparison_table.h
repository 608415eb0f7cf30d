/* The tables of a comparison, row by row: seconds of the modes, and their ratios to the first. */
#ifndef BERYL_SCHED_COMPARISON_TABLE_H
#define BERYL_SCHED_COMPARISON_TABLE_H

#include "sched/comparison/comparison.h"

struct comparison_row {
    char text[160];
};

/* The headings, and the rows of an analysed mode: without line ends. Valid as long as *row, which
 * they are in. */
const char *comparison_seconds_heading(struct comparison_row *row);
const char *comparison_seconds_row(const struct comparison_mode *mode, struct comparison_row *row);
const char *comparison_ratio_heading(struct comparison_row *row);
const char *comparison_ratio_row(const struct comparison_mode *mode, struct comparison_row *row);

/* The mark of a comparison that is oversubscribed. */
const char *comparison_oversubscribed_words(void);

#endif
