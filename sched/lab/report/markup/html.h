/* SPDX-License-Identifier: BSD-3-Clause */
/* Text, numbers and rows of tables in an HTML page. */
#pragma once

#include <stdint.h>
#include <stdio.h>

/* A blank at which no line ends. */
#define HTML_NO_BREAK "\u00a0"

/* Writes UTF-8 text with HTML's special characters escaped, for use inside an element or a
 * quoted attribute. Control characters become spaces; NULL is "". */
void html_text(FILE *page, const char *text);

/* Text as by html_text, cut to max characters with an ellipsis at the end; the number of characters
 * of a text. */
void html_text_cut(FILE *page, const char *text, int64_t max);
int64_t html_text_length(const char *text);

/* Text as by html_text with each word in a <span>, which breaks only if longer than a line. */
void html_words(FILE *page, const char *text);

/* A number with this many decimals and commas between thousands; a dash if it is not finite. */
void html_number(FILE *page, double number, int decimals);

/* Writes as fprintf does, but %s as by html_text and %.3f as by html_number; in addition to these
 * it knows %d, %lld and %%. The format is markup. */
void html_print(FILE *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Numbers in sentences: counts up to twelve as words; a time with four digits, in the unit that
 * suits the scale in seconds (0.5230 s, 12.30 ms); a fraction as 47 % or 8.2 %. */
struct html_phrase {
    char text[96];
};
struct html_phrase html_count(int64_t n);
struct html_phrase html_seconds(double seconds, double scale);
struct html_phrase html_per_cent(double fraction);

/* Begin and end of a table row, around its content. The heading is markup. */
void html_row_start(FILE *page, const char *heading);
void html_row_end(FILE *page);

/* A row of text; no row if that is NULL. */
void html_row_text(FILE *page, const char *heading, const char *text);

/* A row of a number, as html_number, on one line with its unit; no row for NAN. */
void html_row_number(FILE *page, const char *heading, double number, int decimals,
                     const char *unit);
