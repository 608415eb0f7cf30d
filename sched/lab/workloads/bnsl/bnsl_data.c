/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/workloads/bnsl/bnsl_data.h"

#include "support/base/agree.h"
#include "support/io/line_reader.h"
#include "support/io/text_file.h"

#include <stdlib.h>
#include <string.h>

/* A table being read. */
struct reading {
    struct line_reader lines;
    struct bnsl_data *data;
    struct word (*states)[BNSL_MAX_STATES]; /* words of each variable, n_states of them */
};

/* --- the first line --- */

static int count_fields(struct word line)
{
    struct word field;
    int n = 0;
    while (take_field(&line, &field))
        n++;
    return n;
}

static enum status allocate_variables(struct reading *reading, int n_variables)
{
    struct bnsl_data *data = reading->data;
    size_t n = (size_t)n_variables;
    data->names = calloc(n, sizeof *data->names);
    data->n_states = calloc(n, sizeof *data->n_states);
    reading->states = calloc(n, sizeof *reading->states);
    return CHECK_MEMORY(data->names && data->n_states && reading->states,
                        "%s: no memory for %d variables", reading->lines.name, n_variables);
}

static enum status add_variable(struct reading *reading, struct word name)
{
    struct bnsl_data *data = reading->data;
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
    int n = line_reader_next_filled(lines) ? count_fields(lines->all) : 0;
    if (n < 2 || n > BNSL_MAX_VARIABLES)
        return line_reader_fail(lines,
                                "the first line names the variables, with commas between them: 2 "
                                "to %d, not %d",
                                BNSL_MAX_VARIABLES, n);
    TRY(allocate_variables(reading, n));
    struct word rest = lines->all, name;
    while (take_field(&rest, &name))
        TRY(add_variable(reading, name));
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
    struct word rest = reading->lines.all, word;
    int n = count_fields(rest);
    if (n != data->n_variables)
        return line_reader_fail(&reading->lines, "%d values; there are %d variables", n,
                                data->n_variables);
    for (int variable = 0; take_field(&rest, &word); variable++) {
        size_t place = (size_t)variable * (size_t)data->n_samples + sample;
        TRY(find_category(reading, variable, word, &data->values[place]));
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
    struct reading reading = {.data = data};
    *data = (struct bnsl_data){0};
    line_reader_init(&reading.lines, text, length, path, "");
    enum status status = read_samples(&reading);
    free(reading.states);
    if (status != STATUS_OK)
        bnsl_data_fini(data);
    return status;
}

enum status bnsl_data_read(MPI_Comm comm, const char *path, struct bnsl_data *data)
{
    struct text_file file;
    *data = (struct bnsl_data){0};
    TRY(text_file_read_all(path, comm, &file));
    enum status status = status_agree(comm, bnsl_data_parse(file.bytes, file.length, path, data));
    if (status != STATUS_OK)
        bnsl_data_fini(data);
    text_file_fini(&file);
    return status;
}

void bnsl_data_fini(struct bnsl_data *data)
{
    free(data->names);
    free(data->n_states);
    free(data->values);
    *data = (struct bnsl_data){0};
}

int bnsl_data_find(const struct bnsl_data *data, struct word name)
{
    for (int i = 0; i < data->n_variables; i++)
        if (words_match(name, word_from_text(data->names[i])))
            return i;
    return -1;
}
