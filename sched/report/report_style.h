/* How a report looks: its style sheet, for screens light and dark and for paper. */
#ifndef BERYL_SCHED_REPORT_REPORT_STYLE_H
#define BERYL_SCHED_REPORT_REPORT_STYLE_H

extern const char report_style[];

#endif
