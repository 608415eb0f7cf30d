/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/io/options.h"

#include "support/io/options_private.h"
#include "support/io/words.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The values that getopt_long returns for long options: above every character. */
enum { RETURN_REQUEST = 256, RETURN_FIRST_ROW = RETURN_REQUEST + 16 };

/* Options of programs with modes (the first one) and of every program. */
static const struct option request_options[] = {
    {"help-modes", no_argument, NULL, RETURN_REQUEST + OPTION_REQUEST_HELP_MODES},
    {"help", no_argument, NULL, RETURN_REQUEST + OPTION_REQUEST_HELP},
    {"help-all", no_argument, NULL, RETURN_REQUEST + OPTION_REQUEST_HELP_ALL},
    {"version", no_argument, NULL, RETURN_REQUEST + OPTION_REQUEST_VERSION},
    {0},
};

/* The tables in getopt's form. long_options has room for the rows and request_options,
 * letters for two more than twice as many as rows and a NUL. */
static void fill_getopt_tables(const struct options *options, struct option *long_options,
                               char *letters)
{
    size_t n_rows = options_count_rows(options);
    *letters++ = ':'; /* distinguishes a missing value from an unknown option */
    *letters++ = 'h';
    for (size_t i = 0; i < n_rows; i++) {
        const struct option_table *table;
        const struct option_row *row = options_find_row(options, i, &table);
        int has_value =
            row->kind == OPTION_FLAG || row->bare ? optional_argument : required_argument;
        long_options[i] = (struct option){row->name, has_value, NULL, RETURN_FIRST_ROW + (int)i};
        if (row->letter != 0) {
            *letters++ = row->letter;
            if (has_value == required_argument)
                *letters++ = ':';
        }
        for (size_t j = 0; j < i; j++)
            assert(strcmp(long_options[j].name, row->name) != 0);
    }
    *letters = '\0';
    const struct option_row *modes;
    size_t first = options_find_modes(options, &modes) ? 0 : 1;
    memcpy(&long_options[n_rows], request_options + first,
           sizeof request_options - first * sizeof *request_options);
}

/* The row of a value that getopt_long returns. */
static const struct option_row *row_of_return(const struct options *options, int value,
                                              const struct option_table **table)
{
    if (value >= RETURN_FIRST_ROW)
        return options_find_row(options, (size_t)(value - RETURN_FIRST_ROW), table);
    size_t n_rows = options_count_rows(options);
    for (size_t i = 0; value != 0 && i < n_rows; i++) {
        const struct option_row *row = options_find_row(options, i, table);
        if (row->letter == value)
            return row;
    }
    return NULL;
}

/* Fails with getopt_long's refusal in words; argument is the one it stopped at. */
static enum status fail_refused(const struct options *options, const struct option *long_options,
                                int returned, const char *argument)
{
    const struct option_table *table;
    const struct option_row *row = row_of_return(options, optopt, &table);
    if (returned == ':' && row)
        return FAIL(STATUS_USAGE, "--%s: a value is missing, %s (see %s)", row->name,
                    option_value_name(row), option_help_name(row));
    if (optopt >= RETURN_REQUEST)
        return FAIL(STATUS_USAGE, "'%s': this option takes no value", argument);
    if (optopt != 0)
        return FAIL(STATUS_USAGE, "unknown option '-%c' (%s --help-all lists all)", optopt,
                    options->program);

    size_t length = strcspn(argument, "=") - 2;
    const char *first = NULL;
    struct suggestion suggestion = {.typed = {argument + 2, length}, .dashes = "--"};
    for (const struct option *option = long_options; option->name; option++) {
        suggestion_add(&suggestion, option->name);
        if (strncmp(option->name, argument + 2, length) != 0)
            continue;
        if (first)
            return FAIL(STATUS_USAGE, "'%s' could be --%s or --%s (see --help-all)", argument,
                        first, option->name);
        first = option->name;
    }
    return FAIL(STATUS_USAGE, "unknown option '%s' (%s --help-all lists all)%s", argument,
                options->program, suggestion.text);
}

static enum status store_given(const struct option_table *table, const struct option_row *row,
                               char **argv)
{
    if (row->kind == OPTION_FLAG)
        return option_store(table, row, optarg ? optarg : "true");
    if (row->bare && !optarg)
        return option_store(table, row, row->bare);
    /* `--basis --tile 40` is a forgotten value; `--basis=--odd` is intended. */
    bool separate = optarg == argv[optind - 1];
    if (optarg[0] == '\0' || (separate && strncmp(optarg, "--", 2) == 0))
        return FAIL(STATUS_USAGE, "--%s: a value is missing, %s; found '%s' (see %s)", row->name,
                    option_value_name(row), optarg, option_help_name(row));
    return option_store(table, row, optarg);
}

/* Takes the operand as the value of an option that answers, unless it was given with `=`. */
static enum status take_value(const struct options *options, int argc, char **argv)
{
    const struct option_table *table;
    const struct option_row *row;
    size_t i = 0;
    do
        row = options_find_row(options, i++, &table);
    while (!row->answers);
    const char *given = *(const char **)((char *)table->fields + row->offset);
    int n_taken = strcmp(given, row->bare) == 0;
    if (argc - optind > n_taken)
        return FAIL(STATUS_USAGE, "'%s' is one argument too many: --%s takes %s (see %s)",
                    argv[optind + n_taken], row->name, option_value_name(row),
                    option_help_name(row));
    return argc > optind ? option_store(table, row, argv[optind]) : STATUS_OK;
}

static enum status parse_all(const struct options *options, int argc, char **argv,
                             const struct option *long_options, const char *letters,
                             enum option_request *request)
{
    opterr = 0;
    optind = 0; /* glibc: start afresh */
    for (;;) {
        int returned = getopt_long(argc, argv, letters, long_options, NULL);
        if (returned == -1)
            return STATUS_OK;
        if (returned == '?' || returned == ':')
            return fail_refused(options, long_options, returned, argv[optind - 1]);
        if (returned == 'h')
            returned = RETURN_REQUEST + OPTION_REQUEST_HELP;
        if (returned >= RETURN_REQUEST && returned < RETURN_FIRST_ROW) {
            *request = (enum option_request)(returned - RETURN_REQUEST);
            return STATUS_OK;
        }
        const struct option_table *table;
        const struct option_row *row = row_of_return(options, returned, &table);
        TRY(store_given(table, row, argv));
        if (row->answers)
            *request = OPTION_REQUEST_ANSWER;
    }
}

static enum status check_operands(const struct options *options, int argc, char **argv, int first)
{
    int n = argc - first;
    /* Length of the synopsis's first line; tests have none. */
    int length = options->synopsis ? (int)strcspn(options->synopsis, "\n") : 0;
    if (n < options->min_operands)
        return FAIL(STATUS_USAGE, "%s is missing (usage: %s %.*s; see --help)",
                    options->operand_name, options->program, length, options->synopsis);
    if (n > options->max_operands)
        return FAIL(STATUS_USAGE, "'%s' is one argument too many (usage: %s %.*s; see --help)",
                    argv[first + options->max_operands], options->program, length,
                    options->synopsis);
    for (int i = first; i < argc; i++)
        if (argv[i][0] == '\0')
            return FAIL(STATUS_USAGE, "%s is an empty name (see --help)", options->operand_name);
    return STATUS_OK;
}

/* Sets the options that a file gives. */
static enum status store_of_file(const struct options *options)
{
    const char *path;
    json_t *text;
    json_object_foreach(options->given, path, text)
    {
        char name[64];
        const struct option_table *table = NULL;
        snprintf(name, sizeof name, "%s", strchr(path, '.') + 1);
        for (char *c = name; *c != '\0'; c++)
            *c = *c == '_' ? '-' : *c;
        struct suggestion suggestion = {.typed = word_from_text(name)};
        bool found = false;
        for (size_t i = 0; i < options_count_rows(options) && !found; i++) {
            const struct option_row *row = options_find_row(options, i, &table);
            if (row->answers)
                continue;
            suggestion_add(&suggestion, row->name);
            found = strcmp(row->name, name) == 0;
        }
        if (!found)
            return FAIL(STATUS_USAGE, "%s: %s: no such option (%s --help-all lists all)%s",
                        options->giver, path, options->program, suggestion.text);
        if (option_set(table, name, json_string_value(text)) != STATUS_OK) {
            status_set_text("%s: %s: %s", options->giver, path, status_text());
            return STATUS_USAGE;
        }
    }
    return STATUS_OK;
}

static bool is_request(const char *name)
{
    for (const struct option *option = request_options; option->name; option++)
        if (strcmp(option->name, name) == 0)
            return true;
    return false;
}

enum status option_row_check(const struct option_row *row, size_t size)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    bool has_name = row->name && row->name[0] != '\0' && row->name[0] != '-';
    if (!has_name || strspn(row->name, letters) != strlen(row->name))
        return FAIL(STATUS_USAGE,
                    "the name of an option must consist of the characters %s, the first no '-'",
                    letters);
    if (is_request(row->name))
        return FAIL(STATUS_USAGE, "--%s is an option of every program: choose another name",
                    row->name);
    if (!row->help)
        return FAIL(STATUS_USAGE, "the option --%s has no help", row->name);
    if (row->kind > OPTION_WORD)
        return FAIL(STATUS_USAGE, "the option --%s is of no kind", row->name);
    if ((row->kind == OPTION_CHOICE || row->kind == OPTION_WORD) && !option_choices(row))
        return FAIL(STATUS_USAGE, "the option --%s has no choices", row->name);
    size_t n = option_field_size(row->kind);
    if (n > size || row->offset > size - n || row->offset % n != 0)
        return FAIL(STATUS_USAGE,
                    "the option --%s needs %zu bytes at offset %zu, which are not a field of a "
                    "struct of %zu",
                    row->name, n, row->offset, size);
    return STATUS_OK;
}

enum status options_parse(const struct options *options, int argc, char **argv,
                          enum option_request *request, int *first_operand)
{
    *request = OPTION_REQUEST_RUN;
    *first_operand = argc;
    for (size_t t = 0; t < options->n_tables; t++)
        TRY(options_set_defaults(&options->tables[t]));
    TRY(store_of_file(options));
    size_t n_rows = options_count_rows(options);
    struct option *long_options =
        calloc(n_rows + sizeof request_options / sizeof *request_options, sizeof *long_options);
    char *letters = calloc(2 * n_rows + 3, 1);
    enum status status;
    if (long_options && letters) {
        fill_getopt_tables(options, long_options, letters);
        status = parse_all(options, argc, argv, long_options, letters, request);
    } else
        status = FAIL(STATUS_NO_MEMORY, "no memory for the command line");
    free(long_options);
    free(letters);
    TRY(status);
    if (*request == OPTION_REQUEST_ANSWER)
        return take_value(options, argc, argv);
    if (*request != OPTION_REQUEST_RUN)
        return STATUS_OK;
    *first_operand = optind;
    return check_operands(options, argc, argv, optind);
}
