/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the files that implement options.h, and by no others. */
#pragma once

#include "support/io/options.h"

/* Rows of all tables together. */
size_t options_count_rows(const struct options *options);

/* Row number i, counted through all tables, and the table that holds it. */
const struct option_row *options_find_row(const struct options *options, size_t i,
                                          const struct option_table **table);

/* The table that has the option for the scheduling mode, and its row; NULL: the program schedules
 * nothing, and has no --help-modes. */
const struct option_table *options_find_modes(const struct options *options,
                                              const struct option_row **modes);

/* The field with the value of the row. */
void *option_field(const struct option_table *table, const struct option_row *row);

/* Sets the row's field from the text; an OPTION_TEXT or OPTION_WORD keeps the pointer.
 * Errors: STATUS_USAGE, naming the option, the text and the allowed values. */
enum status option_store(const struct option_table *table, const struct option_row *row,
                         const char *text);

/* Bytes of the field of a row. */
size_t option_field_size(enum option_kind kind);

/* Name of the value in help and messages. */
const char *option_value_name(const struct option_row *row);

/* The option that shows the row: "--help", "--help-modes" or "--help-all". */
const char *option_help_name(const struct option_row *row);

/* Choices of a row, "a,b,c"; NULL unless it is an OPTION_CHOICE or OPTION_WORD. */
const char *option_choices(const struct option_row *row);

/* "a,b,c" as "a, b, c". */
void option_describe_choices(const char *choices, char *text, size_t size);
