/* Rows of a table in an HTML page: a heading and what it is the heading of. */
#ifndef BERYL_SCHED_REPORT_HTML_ROWS_H
#define BERYL_SCHED_REPORT_HTML_ROWS_H

#include <stdio.h>

/* Before and after what the caller writes into the row. The heading is markup. */
void html_row_start(FILE *page, const char *heading);
void html_row_end(FILE *page);

/* A row of text; no row if that is NULL. */
void html_row_text(FILE *page, const char *heading, const char *text);

/* A row of a number, as html_number, with its unit; no row for NAN. */
void html_row_number(FILE *page, const char *heading, double number, int decimals,
                     const char *unit);

#endif
