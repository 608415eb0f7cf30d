/* SPDX-License-Identifier: BSD-3-Clause */
/* Section that an application adds to a report: hooks for its tables and charts, and by
 * inclusion all that they are written with. */
#pragma once

#include "sched/lab/report/markup/html.h"
#include "sched/lab/report/markup/svg_chart.h"
#include "sched/lab/report/report_run.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdio.h>

/* Each function writes HTML, and nothing for a run that the application does not know. */
struct report_section {
    /* Sentences that the answer begins with, each followed by a blank; or NULL. */
    void (*answer)(FILE *page, const struct report_run *run);
    /* Name of the problem, in a few words, such as a formula. Returns whether it wrote any. */
    bool (*name)(FILE *page, const struct report_run *run);
    /* Tables before those of the scheduler. Returns whether it wrote any. */
    bool (*tables)(FILE *page, const struct report_run *run);
    /* Charts before those of the scheduler, and after them. Errors: STATUS_NO_MEMORY. */
    enum status (*first_charts)(FILE *page, const struct report_run *run);
    enum status (*last_charts)(FILE *page, const struct report_run *run);
};
