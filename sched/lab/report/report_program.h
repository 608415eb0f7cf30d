/* The program beryl-report: recorded runs as a page. */
#ifndef BERYL_SCHED_REPORT_REPORT_PROGRAM_H
#define BERYL_SCHED_REPORT_REPORT_PROGRAM_H

#include "sched/lab/report/report_section.h"

/* main of the program: reads the results, writes the page, prints errors.
 * section  the application's part of the page, or NULL
 * Returns the exit status. */
int report_program(int argc, char **argv, const struct report_section *section);

#endif
