#include "sched/lab/cli/machine_file.h"

#include "support/base/agree.h"
#include "support/io/json.h"
#include "support/io/text_file.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The old name of an option that is the machine's. */
static enum status refuse_machine_key(const char *path, const char *key)
{
    for (size_t i = 0; i < machine_n_option_rows; i++) {
        const struct option_row *row = &machine_option_rows[i];
        if (row->formerly && strcmp(row->formerly, key) == 0)
            return FAIL(STATUS_INPUT, "%s: \"%s\" is now \"%s\"", path, key, row->name);
    }
    return FAIL(STATUS_INPUT, "%s: unknown key \"%.60s\"", path, key);
}

/* The option of this name; --simulate, which has a default, is not the machine's. */
static const struct option_row *find_machine_row(const char *key)
{
    for (size_t i = 0; i < machine_n_option_rows; i++) {
        const struct option_row *row = &machine_option_rows[i];
        bool is_number = row->kind == OPTION_INTEGER || row->kind == OPTION_REAL;
        if (is_number && !row->default_text && strcmp(row->name, key) == 0)
            return row;
    }
    return NULL;
}

/* 1e6 is a whole number, too. */
static bool is_whole_number(const json_t *value)
{
    double number = json_number_value(value);
    return json_is_integer(value) || (json_is_real(value) && number == floor(number));
}

static bool is_allowed(const struct option_row *row, const json_t *value)
{
    double number = json_number_value(value);
    if (row->kind == OPTION_INTEGER ? !is_whole_number(value) : !json_is_number(value))
        return false;
    return number <= row->max && (row->min_excluded ? number > row->min : number >= row->min);
}

static enum status refuse_machine_value(const char *path, const struct option_row *row,
                                        const json_t *value)
{
    char range[128], *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    option_describe_range(row, range, sizeof range);
    enum status status =
        FAIL(STATUS_INPUT, "%s: \"%s\" must be a %s %s, not %.40s", path, row->name,
             row->kind == OPTION_INTEGER ? "whole number" : "number", range, text ? text : "that");
    free(text);
    return status;
}

static void set_machine_value(const struct option_row *row, const json_t *value,
                              struct machine_settings *settings)
{
    char *field = (char *)settings + row->offset;
    if (row->kind == OPTION_INTEGER && *(int64_t *)field < 0)
        *(int64_t *)field =
            json_is_integer(value) ? json_integer_value(value) : (int64_t)json_real_value(value);
    else if (row->kind == OPTION_REAL && *(double *)field < 0)
        *(double *)field = json_number_value(value);
}

static enum status require_machine_key(const char *path, const json_t *machine, const char *key,
                                       const char *other)
{
    if (json_object_get(machine, key) || (other && json_object_get(machine, other)))
        return STATUS_OK;
    return FAIL(STATUS_INPUT, "%s: there is no \"%s\"", path, key);
}

static enum status take_machine(const char *path, json_t *machine,
                                struct machine_settings *settings)
{
    const char *key;
    json_t *value;
    if (!json_is_object(machine))
        return FAIL(STATUS_INPUT, "%s: not a JSON object, as --calibrate writes it", path);
    json_object_foreach(machine, key, value)
    {
        const struct option_row *row = find_machine_row(key);
        if (strcmp(key, "measured") == 0)
            continue;
        if (!row)
            return refuse_machine_key(path, key);
        if (!is_allowed(row, value))
            return refuse_machine_value(path, row, value);
        set_machine_value(row, value, settings);
    }
    TRY(require_machine_key(path, machine, "node-size", NULL));
    TRY(require_machine_key(path, machine, "overhead", NULL));
    return require_machine_key(path, machine, "latency", "node-latency");
}

static enum status parse_machine(const char *path, const struct text_file *file,
                                 struct machine_settings *settings)
{
    json_t *machine;
    TRY(json_read_text(path, file->bytes, file->length, JSON_REJECT_DUPLICATES, &machine));
    enum status status = take_machine(path, machine, settings);
    json_decref(machine);
    return status;
}

enum status machine_file_read(const char *path, MPI_Comm comm, struct machine_settings *settings)
{
    struct text_file file;
    TRY(text_file_read_all(path, comm, &file));
    enum status status = parse_machine(path, &file, settings);
    text_file_fini(&file);
    return status_agree(comm, status);
}
