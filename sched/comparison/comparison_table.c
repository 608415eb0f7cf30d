#include "sched/comparison/comparison_table.h"

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

const char *comparison_ratio_row(const struct comparison_mode *mode, struct comparison_row *row)
{
    bool is_first = mode->ratio_confidence == 1;
    snprintf(row->text, sizeof row->text, "%-12s %9.4f %9.4f %9.4f %9.3g   %s", mode->name,
             mode->ratio.value, mode->ratio.low, mode->ratio.high, mode->adjusted_p,
             is_first ? "" : comparison_verdict_words(mode->verdict));
    return row->text;
}

const char *comparison_oversubscribed_words(void)
{
    return "Oversubscribed: there are more processes than cores, so that these are times of the "
           "operating\nsystem's scheduler, too";
}
