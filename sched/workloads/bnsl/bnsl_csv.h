/* Lines and fields of a text of comma-separated values, in place. */
#ifndef BERYL_SCHED_WORKLOADS_BNSL_CSV_H
#define BERYL_SCHED_WORKLOADS_BNSL_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Position in a text. */
struct bnsl_csv {
    const char *next; /* after the current line */
    const char *end;  /* of the text without trailing blank lines */
    const char *field, *line_end;
    int64_t line; /* from 1 on; 0 before the first */
};

/* Characters of the text, not terminated by a NUL. */
struct bnsl_word {
    const char *text;
    size_t length;
};

void bnsl_csv_init(struct bnsl_csv *csv, const char *text, size_t length);

/* Advances to the next line; false at the end of the text. */
bool bnsl_csv_next_line(struct bnsl_csv *csv);

/* The next field of the line without blanks and quotation marks around it; false at the end of
 * the line. A comma within quotation marks separates fields, too. */
bool bnsl_csv_next_field(struct bnsl_csv *csv, struct bnsl_word *field);

bool bnsl_word_equal(struct bnsl_word a, struct bnsl_word b);

#endif
