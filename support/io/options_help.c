/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/base/version.h"
#include "support/io/json.h"
#include "support/io/options_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELP_COLUMN = 26, HELP_WIDTH = 90 };

size_t options_count_rows(const struct options *options)
{
    size_t n = 0;
    for (size_t t = 0; t < options->n_tables; t++)
        n += options->tables[t].n_rows;
    return n;
}

const struct option_row *options_find_row(const struct options *options, size_t i,
                                          const struct option_table **table)
{
    *table = options->tables;
    while (i >= (*table)->n_rows) {
        i -= (*table)->n_rows;
        (*table)++;
    }
    return &(*table)->rows[i];
}

void *option_field(const struct option_table *table, const struct option_row *row)
{
    return (char *)table->fields + row->offset;
}

/* Prints the words of text with line breaks.
 * column  characters on the line so far
 * indent  column in which later lines start */
static void print_wrapped(const char *text, int column, int indent)
{
    while (*text != '\0') {
        int length = (int)strcspn(text, " ");
        if (column > indent && column + 1 + length > HELP_WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}

/* The end of the help of a row: "(one of a, b; default: a)", "(from 1 to 8; default: 2)".
 * brief: without ranges */
static void describe_limits(const struct option_row *row, bool brief, char *text, size_t size)
{
    char takes[512] = "";
    const char *choices = option_choices(row);
    if (choices)
        option_describe_choices(choices, takes, sizeof takes);
    else if (!brief && (row->kind == OPTION_INTEGER || row->kind == OPTION_REAL))
        option_describe_range(row, takes, sizeof takes);
    bool has_default = row->default_text && *row->default_text;
    bool has_takes = takes[0] != '\0';
    text[0] = '\0';
    if (has_default || has_takes)
        snprintf(text, size, " (%s%s%s%s%s)", choices ? "one of " : "", takes,
                 has_default && has_takes ? "; " : "", has_default ? "default: " : "",
                 has_default ? row->default_text : "");
}

/* Detail of a row in --help (without ranges of numbers), in --help-modes (with them) and in
 * --help-all (in addition after the names of the modes that read it). */
enum detail { BRIEF, OF_A_MODE, FULL };

static void print_row(const struct option_row *row, enum detail detail)
{
    char limits[1024], modes[512] = "", text[4096];
    describe_limits(row, detail == BRIEF, limits, sizeof limits);
    if (detail == FULL && row->modes)
        option_describe_choices(row->modes, modes, sizeof modes);
    snprintf(text, sizeof text, "%s%s%s%s", modes, *modes ? ": " : "", row->help, limits);
    int column = row->letter != 0 ? printf("  -%c, --%s", row->letter, row->name)
                                  : printf("  --%s", row->name);
    if (row->kind != OPTION_FLAG)
        column += printf(row->bare ? "[=%s]" : " %s", option_value_name(row));
    if (column + 2 > HELP_COLUMN) {
        putchar('\n');
        column = 0;
    }
    printf("%*s", HELP_COLUMN - column, "");
    print_wrapped(text, HELP_COLUMN, HELP_COLUMN);
}

static bool is_basic(const struct option_row *row)
{
    return !row->expert && !row->modes;
}

static void print_table(const struct option_table *table, bool all)
{
    bool begun = !table->heading;
    for (size_t r = 0; r < table->n_rows; r++) {
        if (!all && !is_basic(&table->rows[r]))
            continue;
        if (!begun)
            printf("\n%s:\n", table->heading);
        begun = true;
        print_row(&table->rows[r], all ? FULL : BRIEF);
    }
}

/* --- modes --- */

/* A mode with the rows that it reads: in full those that no mode before it reads. */
static void print_mode(const struct option_table *table, const char *mode, const char *help)
{
    char others[1024] = "";
    size_t n = 0;
    print_wrapped(help, printf("\n%s:", mode) - 1, 2);
    for (size_t r = 0; r < table->n_rows; r++) {
        const struct option_row *row = &table->rows[r];
        int position = row->modes ? option_choice_index(row->modes, mode) : -1;
        if (position == 0)
            print_row(row, OF_A_MODE);
        else if (position > 0 && n < sizeof others)
            n += (size_t)snprintf(others + n, sizeof others - n, "%s--%s",
                                  n > 0 ? ", " : "also: ", row->name);
    }
    if (n > 0)
        print_wrapped(others, printf("  "), 4);
}

const struct option_table *options_find_modes(const struct options *options,
                                              const struct option_row **modes)
{
    const struct option_table *table = NULL;
    size_t n_rows = options_count_rows(options);
    for (size_t i = 0; i < n_rows; i++) {
        *modes = options_find_row(options, i, &table);
        if ((*modes)->describe_choice)
            return table;
    }
    return NULL;
}

static void print_modes(const struct option_table *table, const struct option_row *modes)
{
    char mode[128];
    const char *choices = option_choices(modes);
    printf("Options of every mode:\n");
    for (size_t r = 0; r < table->n_rows; r++)
        if (!table->rows[r].modes)
            print_row(&table->rows[r], OF_A_MODE);
    for (int i = 0; option_choice_word(choices, i, mode, sizeof mode), *mode; i++)
        print_mode(table, mode, modes->describe_choice(mode));
}

static void print_request(const char *name, const char *text)
{
    printf("%s%*s%s\n", name, HELP_COLUMN - (int)strlen(name), "", text);
}

static void print_help(const struct options *options, enum option_request request)
{
    const struct option_row *row;
    const struct option_table *modes = options_find_modes(options, &row);
    printf("Usage: %s %s\n\n", options->program, options->synopsis);
    if (request == OPTION_REQUEST_HELP_MODES && modes) {
        print_modes(modes, row);
        return;
    }
    print_wrapped(options->purpose, 0, 0);
    for (size_t t = 0; t < options->n_tables; t++)
        print_table(&options->tables[t], request == OPTION_REQUEST_HELP_ALL);
    printf("\nHelp:\n");
    print_request("  --version", "name and version of the program");
    print_request("  -h, --help", "the options that most users need");
    if (modes)
        print_request("  --help-modes", "scheduling modes, each with its options");
    print_request("  --help-all", "all options");
}

void options_answer(const struct options *options, enum option_request request)
{
    if (request == OPTION_REQUEST_VERSION)
        printf("%.*s %s\n", (int)strcspn(options->program, " "), options->program, BERYL_VERSION);
    else
        print_help(options, request);
}

static json_t *value_to_json(const struct option_row *row, const void *field)
{
    char word[128];
    switch (row->kind) {
    case OPTION_FLAG:
        return json_boolean(*(const bool *)field);
    case OPTION_INTEGER:
        return json_integer(*(const int64_t *)field);
    case OPTION_REAL:
        return json_real_or_null(*(const double *)field);
    case OPTION_TEXT:
    case OPTION_WORD:
        return json_text(*(const char *const *)field);
    case OPTION_CHOICE:
        break;
    }
    option_choice_word(option_choices(row), *(const int *)field, word, sizeof word);
    return json_text(word);
}

json_t *options_to_json(const struct options *options)
{
    json_t *object = json_object();
    size_t n_rows = options_count_rows(options);
    for (size_t i = 0; object && i < n_rows; i++) {
        const struct option_table *table;
        const struct option_row *row = options_find_row(options, i, &table);
        if (row->answers)
            continue;
        json_t *value = value_to_json(row, option_field(table, row));
        if (json_object_set_new(object, row->name, value) != 0) {
            json_decref(object);
            object = NULL;
        }
    }
    return object;
}

/* --- the command line --- */

/* The row that `--name`, `--name=value` or the beginning of a name that no other has stands for;
 * NULL for another word. */
static const struct option_row *row_of_word(const struct options *options, const char *word)
{
    size_t n_rows = options_count_rows(options), length = strcspn(word, "=");
    const struct option_row *found = NULL;
    if (strncmp(word, "--", 2) != 0 || length < 3)
        return NULL;
    for (size_t i = 0; i < n_rows; i++) {
        const struct option_table *table;
        const struct option_row *row = options_find_row(options, i, &table);
        if (strncmp(row->name, word + 2, length - 2) != 0)
            continue;
        found = row;
        if (strlen(row->name) == length - 2)
            break;
    }
    return found;
}

static void write_quoted(FILE *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_=+,./:@%";
    if (*word != '\0' && strspn(word, plain) == strlen(word)) {
        fputs(word, text);
        return;
    }
    fputc('\'', text);
    for (; *word != '\0'; word++)
        fputs(*word == '\'' ? "'\\''" : (const char[]){*word, '\0'}, text);
    fputc('\'', text);
}

/* Writes the option at argv[i]. Returns the number of words it has. */
static int write_option(FILE *text, const struct option_row *row, int i, char *const argv[],
                        const char *outputs)
{
    const char *value = strchr(argv[i], '=');
    bool apart = !value && row->kind != OPTION_FLAG && argv[i + 1];
    value = apart ? argv[i + 1] : value ? value + 1 : NULL;
    if (option_choice_index(outputs, row->name) < 0) {
        fprintf(text, " --%s", row->name);
        if (value) {
            /* A value that begins with dashes would be taken for an option, the value of a flag
             * for a file. */
            bool joined = row->kind == OPTION_FLAG || strncmp(value, "--", 2) == 0;
            fputc(joined ? '=' : ' ', text);
            write_quoted(text, value);
        }
    }
    return apart ? 2 : 1;
}

static void write_words(FILE *text, const struct options *options, int argc, char *const argv[],
                        const char *outputs)
{
    int n_options = 1;
    const struct option_row *row;
    while (n_options < argc && (row = row_of_word(options, argv[n_options])))
        n_options += write_option(text, row, n_options, argv, outputs);
    for (int i = n_options; i < argc; i++) {
        fputc(' ', text);
        write_quoted(text, argv[i]);
    }
}

json_t *command_line_to_json(const struct options *options, const char *command, int argc,
                             char *const argv[], const char *outputs)
{
    char *line = NULL;
    size_t length;
    FILE *text = open_memstream(&line, &length);
    if (!text)
        return NULL;
    fputs(command, text);
    write_words(text, options, argc, argv, outputs);
    bool complete = fclose(text) == 0;
    json_t *json = complete ? json_text(line) : NULL;
    free(line);
    return json;
}
