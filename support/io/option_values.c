/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of options in the struct that they fill. A row (option_row.h) has the offset of its field,
 * and its kind implies the field's type:
 *
 *     kind             field at offset   text        stored
 *     OPTION_FLAG      bool              "true"      true
 *     OPTION_INTEGER   int64_t           "1e3"       1000
 *     OPTION_REAL      double            "1e-8"      1e-8
 *     OPTION_CHOICE    int               "none"      1, its position in "full,none"
 *     OPTION_TEXT      const char *      "run.h5"    the pointer: the text is not copied
 *     OPTION_WORD      const char *      "steal"     likewise, after a check against the choices */
#include "support/io/options_private.h"

#include "support/io/words.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int option_choice_index(const char *choices, const char *word)
{
    size_t length = strlen(word);
    const char *start = choices;
    for (int i = 0; length > 0; i++) {
        size_t word_length = strcspn(start, ",");
        if (word_length == length && strncmp(start, word, length) == 0)
            return i;
        if (start[word_length] == '\0')
            break;
        start += word_length + 1;
    }
    return -1;
}

void option_choice_word(const char *choices, int i, char *word, size_t size)
{
    const char *start = choices;
    while (i-- > 0 && *start != '\0') {
        start += strcspn(start, ",");
        start += *start == ',';
    }
    snprintf(word, size, "%.*s", (int)strcspn(start, ","), start);
}

void option_describe_range(const struct option_row *row, char *text, size_t size)
{
    bool any = row->min == 0 && row->max == 0;
    bool bounded_below = !any && row->min > (row->kind == OPTION_INTEGER ? -9e18 : -INFINITY);
    bool bounded_above = !any && row->max < (row->kind == OPTION_INTEGER ? 9e18 : INFINITY);
    int length = 0;
    text[0] = '\0';
    if (bounded_below && bounded_above && !row->min_excluded)
        snprintf(text, size, "from %.15g to %.15g", row->min, row->max);
    else {
        if (bounded_below)
            length = snprintf(text, size, "%s %.15g",
                              row->min_excluded ? "larger than" : "at least", row->min);
        if (bounded_above)
            snprintf(text + length, size - (size_t)length, "%sat most %.15g",
                     bounded_below ? " and " : "", row->max);
    }
}

void option_describe_choices(const char *choices, char *text, size_t size)
{
    size_t n = 0;
    for (const char *c = choices; *c != '\0' && n + 3 < size; c++) {
        text[n++] = *c;
        if (*c == ',')
            text[n++] = ' ';
    }
    text[n] = '\0';
}

const char *option_choices(const struct option_row *row)
{
    if (row->kind != OPTION_CHOICE && row->kind != OPTION_WORD)
        return NULL;
    return row->list_choices ? row->list_choices() : row->choices;
}

const char *option_value_name(const struct option_row *row)
{
    return row->value ? row->value : "WORD";
}

const char *option_help_name(const struct option_row *row)
{
    return row->modes ? "--help-modes" : row->expert ? "--help-all" : "--help";
}

static enum status fail_value(const struct option_row *row, const char *text)
{
    char takes[512];
    struct suggestion suggestion = {.typed = word_from_text(text)};
    const char *choices = option_choices(row);
    if (choices) {
        option_describe_choices(choices, takes, sizeof takes);
        suggestion_add(&suggestion, choices);
        return FAIL(STATUS_USAGE, "--%s: '%s' is not one of %s (see %s)%s", row->name, text, takes,
                    option_help_name(row), suggestion.text);
    }
    option_describe_range(row, takes, sizeof takes);
    return FAIL(STATUS_USAGE, "--%s: '%s' is not a %s%s%s (see %s)", row->name, text,
                row->kind == OPTION_INTEGER ? "whole number" : "finite number",
                takes[0] != '\0' ? " " : "", takes, option_help_name(row));
}

static bool in_range(const struct option_row *row, double number)
{
    if (row->min == 0 && row->max == 0)
        return true;
    return number <= row->max && (row->min_excluded ? number > row->min : number >= row->min);
}

static enum status store_flag(const struct option_row *row, const char *text, bool *field)
{
    bool is_true = strcmp(text, "true") == 0;
    if (!is_true && strcmp(text, "false") != 0)
        return FAIL(STATUS_USAGE, "--%s: '%s' is not one of true, false (see %s)", row->name, text,
                    option_help_name(row));
    *field = is_true;
    return STATUS_OK;
}

enum status option_store(const struct option_table *table, const struct option_row *row,
                         const char *text)
{
    void *field = option_field(table, row);
    int64_t integer;
    double real;
    const char *choices = option_choices(row);
    int choice = choices ? option_choice_index(choices, text) : 0;
    if (choice < 0)
        return fail_value(row, text);
    switch (row->kind) {
    case OPTION_FLAG:
        return store_flag(row, text, field);
    case OPTION_INTEGER:
        if (!word_to_whole(word_from_text(text), &integer) || !in_range(row, (double)integer))
            return fail_value(row, text);
        *(int64_t *)field = integer;
        return STATUS_OK;
    case OPTION_REAL:
        if (!word_to_real(word_from_text(text), &real) || !in_range(row, real))
            return fail_value(row, text);
        *(double *)field = real;
        return STATUS_OK;
    case OPTION_CHOICE:
        *(int *)field = choice;
        return STATUS_OK;
    case OPTION_TEXT:
    case OPTION_WORD:
        *(const char **)field = text;
        return STATUS_OK;
    }
    assert(!"a row of no kind");
    return STATUS_OK;
}

enum status options_set_defaults(const struct option_table *table)
{
    for (size_t r = 0; r < table->n_rows; r++) {
        const struct option_row *row = &table->rows[r];
        const char *text = row->kind == OPTION_FLAG ? "false" : NULL;
        if (row->default_text)
            text = row->default_text;
        if (text)
            TRY(option_store(table, row, text));
    }
    return STATUS_OK;
}

enum status option_set(const struct option_table *table, const char *name, const char *value)
{
    struct suggestion suggestion = {.typed = word_from_text(name), .dashes = "--"};
    for (size_t r = 0; r < table->n_rows; r++) {
        const struct option_row *row = &table->rows[r];
        suggestion_add(&suggestion, row->name);
        if (strcmp(row->name, name) != 0)
            continue;
        if (row->kind == OPTION_FLAG && !value)
            value = "true";
        if (!value || value[0] == '\0')
            return FAIL(STATUS_USAGE, "--%s: a value is missing, %s (see %s)", name,
                        option_value_name(row), option_help_name(row));
        return option_store(table, row, value);
    }
    return FAIL(STATUS_USAGE, "unknown option '--%s'%s", name, suggestion.text);
}

size_t option_field_size(enum option_kind kind)
{
    switch (kind) {
    case OPTION_FLAG:
        return sizeof(bool);
    case OPTION_INTEGER:
        return sizeof(int64_t);
    case OPTION_REAL:
        return sizeof(double);
    case OPTION_TEXT:
    case OPTION_WORD:
        return sizeof(const char *);
    case OPTION_CHOICE:
        break;
    }
    return sizeof(int);
}

bool option_differs(const struct option_row *row, const void *fields, const void *others)
{
    const char *field = (const char *)fields + row->offset;
    const char *other = (const char *)others + row->offset;
    if (memcmp(field, other, option_field_size(row->kind)) == 0)
        return false;
    if (row->kind != OPTION_TEXT && row->kind != OPTION_WORD)
        return true;
    const char *text = *(const char *const *)field, *other_text = *(const char *const *)other;
    return !text || !other_text || strcmp(text, other_text) != 0;
}

enum status options_check_no_effect(const struct option_table *tables,
                                    const struct option_table *initial, size_t n_tables,
                                    const char *names, const char *with)
{
    for (size_t t = 0; t < n_tables; t++) {
        TRY(options_set_defaults(&initial[t]));
        for (size_t r = 0; r < tables[t].n_rows; r++) {
            const struct option_row *row = &tables[t].rows[r];
            if (option_choice_index(names, row->name) >= 0 &&
                option_differs(row, tables[t].fields, initial[t].fields))
                return FAIL(STATUS_USAGE, "--%s has no effect with --%s", row->name, with);
        }
    }
    return STATUS_OK;
}

void option_copy(const struct option_row *row, const void *from, void *to)
{
    memcpy((char *)to + row->offset, (const char *)from + row->offset,
           option_field_size(row->kind));
}

enum status option_check_value(const struct option_row *row, const void *fields)
{
    const char *field = (const char *)fields + row->offset;
    char value[64], word[64];
    const char *text = value;
    bool fits = true;
    switch (row->kind) {
    case OPTION_INTEGER:
        fits = in_range(row, (double)*(const int64_t *)field);
        snprintf(value, sizeof value, "%lld", (long long)*(const int64_t *)field);
        break;
    case OPTION_REAL:
        fits = isfinite(*(const double *)field) && in_range(row, *(const double *)field);
        snprintf(value, sizeof value, "%g", *(const double *)field);
        break;
    case OPTION_CHOICE:
        option_choice_word(option_choices(row), *(const int *)field, word, sizeof word);
        fits = *(const int *)field >= 0 && word[0] != '\0';
        snprintf(value, sizeof value, "%d", *(const int *)field);
        break;
    case OPTION_WORD:
        text = *(const char *const *)field ? *(const char *const *)field : "NULL";
        fits = option_choice_index(option_choices(row), text) >= 0;
        break;
    case OPTION_FLAG:
    case OPTION_TEXT:
        break;
    }
    return fits ? STATUS_OK : fail_value(row, text);
}

/* FNV-1a. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
    return hash;
}

uint64_t option_hash(const struct option_row *row, const void *fields)
{
    const char *field = (const char *)fields + row->offset;
    uint64_t hash = hash_bytes(UINT64_C(14695981039346656037), row->name, strlen(row->name));
    if (row->kind != OPTION_TEXT && row->kind != OPTION_WORD)
        return hash_bytes(hash, field, option_field_size(row->kind));
    const char *text = *(const char *const *)field;
    return text ? hash_bytes(hash, text, strlen(text)) : hash;
}
