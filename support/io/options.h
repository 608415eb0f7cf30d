/* SPDX-License-Identifier: BSD-3-Clause */
/* Command lines from tables: one row binds an option's name, field, default,
 * range and help; parsing, --help and the echo in a run's output all read it.
 *
 *     struct settings { int64_t tile; double screen; const char *basis; };
 *     static const struct option_row rows[] = {
 *         INTEGER_OPTION("tile", offsetof(struct settings, tile), 1, 1e6, .default_text = "40",
 *                        .value = "N", .help = "basis functions in a tile"),
 *         ...
 *     };
 *
 * A value follows its option as `--name value` or `--name=value`; a name may be
 * cut short where that leaves one option (as with all GNU programs); of an
 * option given twice the last counts; `--` ends the options. An input file may
 * give options, too, which the command line beats. */
#pragma once

#include "support/base/status.h"
#include "support/io/option_row.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Some rows and the struct that they fill. */
struct option_table {
    const char *heading; /* in --help; NULL: the table continues the last */
    const struct option_row *rows;
    size_t n_rows;
    void *fields;
};

/* The table of all rows of an array. */
#define OPTION_TABLE(heading, rows, fields)                                                        \
    ((struct option_table){heading, rows, sizeof(rows) / sizeof((rows)[0]), fields})

struct options {
    const char *program;  /* "beryl-hf" */
    const char *synopsis; /* "MOLECULE.xyz [options]"; messages have its first line */
    const char *purpose;  /* a sentence or two for --help */
    const struct option_table *tables;
    size_t n_tables;
    int min_operands, max_operands; /* arguments that are not options */
    const char *operand_name;       /* "MOLECULE.xyz", for messages */
    json_t *given; /* path -> text, of the options that a file gives; NULL: none. The name of the
                    * option, with - or _, follows the first dot of the path, as in
                    * "keywords.max_iter", which messages name. Borrowed, texts too */
    const char *giver; /* the file */
};

enum option_request {
    OPTION_REQUEST_RUN,
    OPTION_REQUEST_HELP,
    OPTION_REQUEST_HELP_MODES,
    OPTION_REQUEST_HELP_ALL,
    OPTION_REQUEST_VERSION,
    OPTION_REQUEST_ANSWER, /* by an option that `answers` */
};

/* Sets every field to its default, then to what the file and argv say. argv is reordered;
 * operands are left at argv[*first_operand] to argv[argc - 1].
 * --help (-h), --help-all, --version and, of programs with modes, --help-modes are recognised, end
 * the parsing and are returned as *request. OPTION_REQUEST_ANSWER does not end it; then there are
 * no operands. No two rows may have the same name.
 * Errors: STATUS_USAGE with a message that names the option, the text at fault
 * and what the option takes; STATUS_NO_MEMORY. */
enum status options_parse(const struct options *options, int argc, char **argv,
                          enum option_request *request, int *first_operand);

/* Checks a row that another's code wrote, for a struct of size bytes, all but its default.
 * Errors: STATUS_USAGE. */
enum status option_row_check(const struct option_row *row, size_t size);

/* Sets the fields of one table to their defaults. Errors: as option_set. */
enum status options_set_defaults(const struct option_table *table);

/* Sets the option of this name (in full, without dashes) as a command line would.
 * value is kept, not copied, by an OPTION_TEXT or OPTION_WORD; NULL or "true" sets
 * an OPTION_FLAG, "false" clears it.
 * Errors: STATUS_USAGE as of options_parse, also where no option has this name. */
enum status option_set(const struct option_table *table, const char *name, const char *value);

/* Refuses a value in the field of an option that no command line could have set.
 * Errors: STATUS_USAGE. */
enum status option_check_value(const struct option_row *row, const void *fields);

/* A hash of the value in the field of an option, the same on every process. */
uint64_t option_hash(const struct option_row *row, const void *fields);

/* Prints the version, or help: the rows that are neither for experts nor of modes; all rows; or the
 * scheduling modes, each with the rows that it reads, the first mode that reads a row showing its
 * text. */
void options_answer(const struct options *options, enum option_request request);

/* The value in force of every option of a run, as a JSON object: name -> value. The
 * caller owns it; NULL when out of memory. */
json_t *options_to_json(const struct options *options);

/* The command that options_parse accepted, as a shell takes it: options under their full names,
 * without outputs, so that the text of a run does not depend on names of files.
 * command  the program, and what stands before argv[1]
 * argv     as options_parse left it
 * outputs  names of the options left out, "json,report"
 * NULL when out of memory. */
json_t *command_line_to_json(const struct options *options, const char *command, int argc,
                             char *const argv[], const char *outputs);

/* "from 1 to 8", "larger than 0 and at most 1", "" where any number will do. */
void option_describe_range(const struct option_row *row, char *text, size_t size);

/* Whether two structs of a table's type differ in the field of an option. */
bool option_differs(const struct option_row *row, const void *fields, const void *others);

/* Refuses options whose values differ from their defaults.
 * tables, initial  as parsed, and as before: over structs of their own, whose fields are set to the
 *                  defaults here
 * names            of the options, "a,b,c"
 * with             the option given that leaves them without effect
 * Errors: STATUS_USAGE, naming the first of them. */
enum status options_check_no_effect(const struct option_table *tables,
                                    const struct option_table *initial, size_t n_tables,
                                    const char *names, const char *with);

/* Copies the field of an option from one struct of a table's type to another. */
void option_copy(const struct option_row *row, const void *from, void *to);

/* The index of word in "a,b,c"; -1 if it is not there. */
int option_choice_index(const char *choices, const char *word);

/* Word i of choices, copied to word (size bytes); "" beyond the last. */
void option_choice_word(const char *choices, int i, char *word, size_t size);
