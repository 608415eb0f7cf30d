/* Text and numbers in an HTML page. */
#ifndef BERYL_SCHED_REPORT_HTML_TEXT_H
#define BERYL_SCHED_REPORT_HTML_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes UTF-8 text so that no character of it is taken for markup, inside an
 * element or a quoted attribute. Control characters become spaces; NULL is "". */
void html_text(FILE *page, const char *text);

/* The same, cut to max characters of which the last is then an ellipsis. */
void html_text_cut(FILE *page, const char *text, int64_t max);

/* A number with so many decimals and commas between thousands; a dash if it is
 * not finite. */
void html_number(FILE *page, double number, int decimals);

#endif
