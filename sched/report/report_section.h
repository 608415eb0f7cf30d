/* What the tasks of a run are for, where a report is to tell of it beside their
 * scheduling: the part of a page that the folder writes which knows. */
#ifndef BERYL_SCHED_REPORT_REPORT_SUBJECT_H
#define BERYL_SCHED_REPORT_REPORT_SUBJECT_H

#include "sched/report/report_run.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdio.h>

/* Each function writes HTML, and nothing for a run of which it knows nothing. */
struct report_subject {
    /* What ran, in a few words, such as a formula. Whether it wrote any. */
    bool (*name)(FILE *page, const struct report_run *run);
    /* Tables before that of the scheduler. Whether it wrote any. */
    bool (*tables)(FILE *page, const struct report_run *run);
    /* Charts before those of the scheduler, and after them. Errors: STATUS_NO_MEMORY. */
    enum status (*first_charts)(FILE *page, const struct report_run *run);
    enum status (*last_charts)(FILE *page, const struct report_run *run);
};

#endif
