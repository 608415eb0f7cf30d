/* Shared by the files that make up options.h; for nobody else. */
#ifndef BERYL_SUPPORT_OPTIONS_PRIVATE_H
#define BERYL_SUPPORT_OPTIONS_PRIVATE_H

#include "support/io/options.h"

/* Rows of all tables together. */
size_t options_count_rows(const struct options *options);

/* Row number i, counted through all tables, and the table that holds it. */
const struct option_row *options_find_row(const struct options *options, size_t i,
                                          const struct option_table **table);

/* Where the value of the row is. */
void *option_field(const struct option_table *table, const struct option_row *row);

/* Sets the row's field to what the text says; an OPTION_TEXT keeps the pointer.
 * Errors: STATUS_USAGE, naming the option, the text and what it takes. */
enum status option_store(const struct option_table *table, const struct option_row *row,
                         const char *text);

/* "from 1 to 8", "larger than 0 and at most 1", "" where any number will do. */
void option_describe_range(const struct option_row *row, char *text, size_t size);

/* Choices of a row, "a,b,c". */
const char *option_choices(const struct option_row *row);

/* "a,b,c" as "a, b, c". */
void option_describe_choices(const char *choices, char *text, size_t size);

#endif
