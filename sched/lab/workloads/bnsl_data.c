/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/workloads/bnsl.h"

#include "support/io/text_file.h"

#include <stdlib.h>
#include <string.h>

/* A table being read. */
struct reading {
    struct line_reader lines;
    struct bnsl_data *data;
    struct word states[BNSL_MAX_VARIABLES][BNSL_MAX_STATES]; /* words of each, n_states of them */
};

/* --- the first line --- */

static enum status add_variable(struct reading *reading, struct word name)
{
    struct bnsl_data *data = reading->data;
    if (data->n_variables == BNSL_MAX_VARIABLES)
        return line_reader_fail(&reading->lines, "more than %d variables", BNSL_MAX_VARIABLES);
    if (name.length == 0 || name.length >= BNSL_NAME_SIZE)
        return line_reader_fail(&reading->lines,
                                "the name of variable %d has %zu characters, not 1 to %d",
                                data->n_variables + 1, name.length, BNSL_NAME_SIZE - 1);
    if (bnsl_data_find(data, name) >= 0)
        return line_reader_fail(&reading->lines, "two variables are named '%s'",
                                word_show(name).text);
    memcpy(data->names[data->n_variables++], name.begin, name.length);
    return STATUS_OK;
}

static enum status read_variable_names(struct reading *reading)
{
    struct line_reader *lines = &reading->lines;
    struct word rest, name;
    bool found = line_reader_next_filled(lines);
    rest = lines->all;
    while (found && take_field(&rest, &name))
        TRY(add_variable(reading, name));
    if (reading->data->n_variables < 2)
        return line_reader_fail(lines,
                                "the first line names two variables or more, with commas between "
                                "them");
    return STATUS_OK;
}

/* --- the samples --- */

static enum status allocate_values(struct reading *reading)
{
    struct bnsl_data *data = reading->data;
    struct line_reader ahead = reading->lines;
    int n = 0;
    while (line_reader_next_filled(&ahead))
        n++;
    if (n == 0)
        return FAIL(STATUS_INPUT, "%s: a table without samples", ahead.name);
    data->n_samples = n;
    data->values = malloc((size_t)n * (size_t)data->n_variables);
    return CHECK_MEMORY(data->values, "%s: no memory for %d samples", ahead.name, n);
}

static enum status find_category(struct reading *reading, int variable, struct word word,
                                 uint8_t *state)
{
    struct bnsl_data *data = reading->data;
    struct word *states = reading->states[variable];
    int n = data->n_states[variable], i = 0;
    if (word.length == 0)
        return line_reader_fail(&reading->lines, "the value of '%s' is missing",
                                data->names[variable]);
    while (i < n && !words_match(states[i], word))
        i++;
    if (i == BNSL_MAX_STATES)
        return line_reader_fail(&reading->lines,
                                "'%s' has more than %d categories: measured values have to be "
                                "discretised first",
                                data->names[variable], BNSL_MAX_STATES);
    if (i == n)
        states[data->n_states[variable]++] = word;
    *state = (uint8_t)i;
    return STATUS_OK;
}

static enum status read_sample(struct reading *reading, size_t sample)
{
    struct bnsl_data *data = reading->data;
    struct word values[BNSL_MAX_VARIABLES];
    if (!split_fields(reading->lines.all, data->n_variables, values))
        return line_reader_fail(&reading->lines, "a sample has %d values, one for each variable",
                                data->n_variables);
    for (int variable = 0; variable < data->n_variables; variable++) {
        size_t place = (size_t)variable * (size_t)data->n_samples + sample;
        TRY(find_category(reading, variable, values[variable], &data->values[place]));
    }
    return STATUS_OK;
}

static enum status read_samples(struct reading *reading)
{
    TRY(read_variable_names(reading));
    TRY(allocate_values(reading));
    for (size_t sample = 0; line_reader_next_filled(&reading->lines); sample++)
        TRY(read_sample(reading, sample));
    return STATUS_OK;
}

enum status bnsl_data_parse(const char *text, size_t length, const char *path,
                            struct bnsl_data *data)
{
    *data = (struct bnsl_data){.values = NULL};
    struct reading *reading = malloc(sizeof *reading);
    TRY(CHECK_MEMORY(reading, "%s: no memory for the categories of variables", path));
    reading->data = data;
    line_reader_init(&reading->lines, text, length, path, "");
    enum status status = read_samples(reading);
    free(reading);
    return status;
}

int bnsl_data_find(const struct bnsl_data *data, struct word name)
{
    for (int i = 0; i < data->n_variables; i++)
        if (words_match(name, word_from_text(data->names[i])))
            return i;
    return -1;
}
