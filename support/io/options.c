#include "support/io/options.h"

#include "support/io/options_private.h"

#include <assert.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* What getopt_long returns for a long option: above every character. */
enum { RETURN_HELP = 256, RETURN_VERSION, RETURN_FIRST_ROW };

static enum status store_defaults(const struct options *options)
{
    for (size_t t = 0; t < options->n_tables; t++) {
        const struct option_table *table = &options->tables[t];
        for (size_t r = 0; r < table->n_rows; r++) {
            const struct option_row *row = &table->rows[r];
            if (row->kind == OPTION_FLAG)
                *(bool *)option_field(table, row) = false;
            else if (row->default_text)
                TRY(option_store(table, row, row->default_text));
        }
    }
    return STATUS_OK;
}

/* The tables in getopt's form. long_options has room for three more than there
 * are rows, letters for two more than twice as many and a NUL. */
static void fill_getopt_tables(const struct options *options, struct option *long_options,
                               char *letters)
{
    size_t n_rows = options_count_rows(options);
    *letters++ = ':'; /* tells a missing value from an unknown option */
    *letters++ = 'h';
    for (size_t i = 0; i < n_rows; i++) {
        const struct option_table *table;
        const struct option_row *row = options_find_row(options, i, &table);
        int has_value = row->kind == OPTION_FLAG ? no_argument : required_argument;
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
    long_options[n_rows] = (struct option){"help", no_argument, NULL, RETURN_HELP};
    long_options[n_rows + 1] = (struct option){"version", no_argument, NULL, RETURN_VERSION};
    long_options[n_rows + 2] = (struct option){0};
}

/* The row that getopt's return value means. */
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

/* What getopt_long refused, in words; argument is the one it stopped at. */
static enum status fail_refused(const struct options *options, int returned, const char *argument)
{
    const struct option_table *table;
    const struct option_row *row = row_of_return(options, optopt, &table);
    if (returned == ':' && row)
        return FAIL(STATUS_USAGE, "--%s: a value is missing, %s (see --help)", row->name,
                    row->value);
    if (row)
        return FAIL(STATUS_USAGE, "--%s takes no value: '%s' (see --help)", row->name, argument);
    if (optopt == RETURN_HELP || optopt == RETURN_VERSION)
        return FAIL(STATUS_USAGE, "'%s': this option takes no value", argument);
    if (optopt != 0)
        return FAIL(STATUS_USAGE, "unknown option '-%c' (%s --help lists all)", optopt,
                    options->program);

    size_t length = strcspn(argument, "=") - 2;
    size_t n_rows = options_count_rows(options);
    const char *first = NULL;
    for (size_t i = 0; i < n_rows; i++) {
        row = options_find_row(options, i, &table);
        if (strncmp(row->name, argument + 2, length) != 0)
            continue;
        if (first)
            return FAIL(STATUS_USAGE, "'%s' could be --%s or --%s (see --help)", argument, first,
                        row->name);
        first = row->name;
    }
    return FAIL(STATUS_USAGE, "unknown option '%s' (%s --help lists all)", argument,
                options->program);
}

static enum status store_given(const struct option_table *table, const struct option_row *row,
                               char **argv)
{
    if (row->kind == OPTION_FLAG)
        return option_store(table, row, "true");
    /* `--basis --tile 40` is a forgotten value; `--basis=--odd` is meant so. */
    bool separate = optarg == argv[optind - 1];
    if (optarg[0] == '\0' || (separate && strncmp(optarg, "--", 2) == 0))
        return FAIL(STATUS_USAGE, "--%s: a value is missing, %s; found '%s' (see --help)",
                    row->name, row->value, optarg);
    return option_store(table, row, optarg);
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
            return fail_refused(options, returned, argv[optind - 1]);
        if (returned == 'h' || returned == RETURN_HELP || returned == RETURN_VERSION) {
            *request = returned == RETURN_VERSION ? OPTION_REQUEST_VERSION : OPTION_REQUEST_HELP;
            return STATUS_OK;
        }
        const struct option_table *table;
        const struct option_row *row = row_of_return(options, returned, &table);
        TRY(store_given(table, row, argv));
    }
}

static enum status check_operands(const struct options *options, int argc, char **argv, int first)
{
    int n = argc - first;
    if (n < options->min_operands)
        return FAIL(STATUS_USAGE, "%s is missing (usage: %s %s; see --help)", options->operand_name,
                    options->program, options->synopsis);
    if (n > options->max_operands)
        return FAIL(STATUS_USAGE, "'%s' is one argument too many (usage: %s %s; see --help)",
                    argv[first + options->max_operands], options->program, options->synopsis);
    for (int i = first; i < argc; i++)
        if (argv[i][0] == '\0')
            return FAIL(STATUS_USAGE, "%s is an empty name (see --help)", options->operand_name);
    return STATUS_OK;
}

enum status options_parse(const struct options *options, int argc, char **argv,
                          enum option_request *request, int *first_operand)
{
    *request = OPTION_REQUEST_RUN;
    *first_operand = argc;
    TRY(store_defaults(options));
    size_t n_rows = options_count_rows(options);
    struct option *long_options = calloc(n_rows + 3, sizeof *long_options);
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
    if (*request != OPTION_REQUEST_RUN)
        return STATUS_OK;
    *first_operand = optind;
    return check_operands(options, argc, argv, optind);
}
