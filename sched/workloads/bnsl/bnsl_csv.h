/* Lines and fields of a text of comma-separated values, in place. */
#ifndef BERYL_SCHED_WORKLOADS_BNSL_CSV_H
#define BERYL_SCHED_WORKLOADS_BNSL_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a walk over a text is. */
struct bnsl_csv {
    const char *next; /* what comes after the current line */
    const char *end;  /* of the text, the blank lines at its end left out */
    const char *field, *line_end;
    int64_t line; /* from 1 on; 0 before the first */
};

/* Characters of the text, not terminated by a NUL. */
struct bnsl_word {
    const char *text;
    size_t length;
};

void bnsl_csv_init(struct bnsl_csv *csv, const char *text, size_t length);

/* Goes on to the next line; false at the end of the text. */
bool bnsl_csv_next_line(struct bnsl_csv *csv);

/* The next field of the line without the blanks and the quotation marks around it; false at
 * the end of the line. A line has one field more than commas: quotation marks protect none. */
bool bnsl_csv_next_field(struct bnsl_csv *csv, struct bnsl_word *field);

bool bnsl_word_equal(struct bnsl_word a, struct bnsl_word b);

#endif
