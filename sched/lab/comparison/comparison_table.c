/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/comparison/comparison_table.h"

#include <stdio.h>

#define PERCENT (100 * COMPARISON_CONFIDENCE)

const char *comparison_seconds_heading(struct comparison_row *row)
{
    snprintf(row->text, sizeof row->text, "%-12s %11s %11s %11s %6.0f %% from %11s", "mode",
             "median/s", "quartiles", "", PERCENT, "to");
    return row->text;
}

const char *comparison_seconds_row(const struct comparison_mode *mode, struct comparison_row *row)
{
    snprintf(row->text, sizeof row->text, "%-12s %11.6g %11.6g %11.6g %13.6g %11.6g", mode->name,
             mode->median_s.value, mode->first_quartile_s, mode->third_quartile_s,
             mode->median_s.low, mode->median_s.high);
    return row->text;
}

const char *comparison_ratio_heading(struct comparison_row *row)
{
    snprintf(row->text, sizeof row->text, "%-12s %9s %9s %9s %9s   %s", "mode", "ratio", "from",
             "to", "p", "verdict");
    return row->text;
}

const char *comparison_ratio_text(double ratio, struct comparison_number *number)
{
    snprintf(number->text, sizeof number->text, ratio < 9999 ? "%9.4f" : "%9.3g", ratio);
    return number->text;
}

const char *comparison_ratio_row(const struct comparison_mode *mode, struct comparison_row *row)
{
    bool is_first = mode->ratio_confidence == 1;
    struct comparison_number value, low, high;
    snprintf(row->text, sizeof row->text, "%-12s %s %s %s %9.3g%s%s", mode->name,
             comparison_ratio_text(mode->ratio.value, &value),
             comparison_ratio_text(mode->ratio.low, &low),
             comparison_ratio_text(mode->ratio.high, &high), mode->adjusted_p,
             is_first ? "" : "   ", is_first ? "" : comparison_verdict_words(mode->verdict));
    return row->text;
}

const char *comparison_too_few_words(int n_modes, int64_t n_rounds, struct comparison_row *row)
{
    int64_t n_needed = comparison_rounds_needed(n_modes);
    if (n_modes < 2 || n_rounds >= n_needed)
        return NULL;
    snprintf(row->text, sizeof row->text, "%lld rounds cannot tell %d modes apart: that takes %lld",
             (long long)n_rounds, n_modes, (long long)n_needed);
    return row->text;
}

const char *comparison_oversubscribed_words(void)
{
    return "Oversubscribed: with more processes than cores, times also depend on the operating "
           "system";
}
