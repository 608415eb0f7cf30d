#include "support/base/version.h"
#include "support/io/json.h"
#include "support/io/options_private.h"

#include <stdio.h>
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

/* Prints the words of text with line breaks; column is where the line stands
 * now, later lines start at indent. */
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

/* The end of the help of a row: "(one of a, b; default: a)". */
static void describe_limits(const struct option_row *row, char *text, size_t size)
{
    char takes[512] = "";
    const char *choices = option_choices(row);
    if (choices)
        option_describe_choices(choices, takes, sizeof takes);
    else if (row->kind == OPTION_INTEGER || row->kind == OPTION_REAL)
        option_describe_range(row, takes, sizeof takes);
    bool has_default = row->default_text && *row->default_text;
    bool has_takes = takes[0] != '\0';
    text[0] = '\0';
    if (has_default || has_takes)
        snprintf(text, size, " (%s%s%s%s%s)", choices ? "one of " : "", takes,
                 has_default && has_takes ? "; " : "", has_default ? "default: " : "",
                 has_default ? row->default_text : "");
}

static void print_row(const struct option_row *row)
{
    char limits[1024], text[2048];
    describe_limits(row, limits, sizeof limits);
    snprintf(text, sizeof text, "%s%s", row->help, limits);
    int column = row->letter != 0 ? printf("  -%c, --%s", row->letter, row->name)
                                  : printf("  --%s", row->name);
    if (row->kind != OPTION_FLAG)
        column += printf(" %s", option_value_name(row));
    if (column + 2 > HELP_COLUMN) {
        putchar('\n');
        column = 0;
    }
    printf("%*s", HELP_COLUMN - column, "");
    print_wrapped(text, HELP_COLUMN, HELP_COLUMN);
}

/* Prints a table, its rows for experts only if all is set; returns their number. */
static size_t print_table(const struct option_table *table, bool all)
{
    size_t n_expert = 0;
    for (size_t r = 0; r < table->n_rows; r++)
        n_expert += table->rows[r].expert;
    if (table->heading && (all || n_expert < table->n_rows))
        printf("\n%s:\n", table->heading);
    for (size_t r = 0; r < table->n_rows; r++)
        if (all || !table->rows[r].expert)
            print_row(&table->rows[r]);
    return n_expert;
}

static void print_help(const struct options *options, bool all)
{
    printf("Usage: %s %s\n\n", options->program, options->synopsis);
    print_wrapped(options->purpose, 0, 0);
    size_t n_expert = 0;
    for (size_t t = 0; t < options->n_tables; t++)
        n_expert += print_table(&options->tables[t], all);
    printf("\nHelp:\n");
    printf("  -h, --help%*sThe options that most users need\n", HELP_COLUMN - 12, "");
    printf("  --help-all%*sAll options\n", HELP_COLUMN - 12, "");
    printf("  --version%*sName and version of the program\n", HELP_COLUMN - 11, "");
    if (!all && n_expert > 0)
        printf("\n%zu more options, for experts: %s --help-all\n", n_expert, options->program);
}

void options_answer(const struct options *options, enum option_request request)
{
    if (request == OPTION_REQUEST_VERSION)
        printf("%s %s\n", options->program, BERYL_VERSION);
    else
        print_help(options, request == OPTION_REQUEST_HELP_ALL);
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
        json_t *value = value_to_json(row, option_field(table, row));
        if (json_object_set_new(object, row->name, value) != 0) {
            json_decref(object);
            object = NULL;
        }
    }
    return object;
}
