/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/io/command_line.h"

#include "support/io/json.h"
#include "support/io/options_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
            /* A value that begins with dashes would be taken for an option, and that of a flag for
             * a file. */
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
