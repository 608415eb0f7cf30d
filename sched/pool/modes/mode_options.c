/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/modes/mode_options.h"

#include "sched/pool/modes/modes.h"
#include "support/base/array.h"
#include "support/base/die.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- the options of all modes, and those that several read --- */

#define FIELD(name) offsetof(struct taskpool_settings, name)

static const struct taskpool_option common_rows[] = {
    TASKPOOL_CHOICE_OPTION(
        "progress", FIELD(progress), "by-mode,poll,thread", .default_text = "by-mode",
        .value = "RULE", .expert = true,
        .help = "poll for messages between tasks, or receive them in a thread; by-mode: "
                "poll, but simulated parents of dtree have a thread"),
    TASKPOOL_INTEGER_OPTION("poll-every", FIELD(poll_every), 1, 1e15, .default_text = "8",
                            .value = "N", .expert = true,
                            .help = "tasks between two polls, fewer if they take long"),
    TASKPOOL_INTEGER_OPTION("seed", FIELD(seed), 0, 1e15, .default_text = "1", .value = "N",
                            .expert = true, .help = "every random choice derives from it"),
    TASKPOOL_REAL_OPTION(
        "watchdog", FIELD(watchdog_s), 0, 1e9, .default_text = "0", .value = "SECONDS",
        .expert = true,
        .help = "end a run over MPI when no task has finished for this long, and report "
                "what each process does; 0: never"),
    TASKPOOL_TEXT_OPTION(
        "trace", FIELD(trace_folder), .value = "DIR", .expert = true,
        .help = "write a timeline of every worker to the folder: trace.json for "
                "ui.perfetto.dev, traces.otf2 for readers of OTF2, at most 200 MB together; "
                "with --compare one per mode, from the last round, in DIR/MODE"),
};

struct taskpool_mode_options common_options = TASKPOOL_MODE_OPTIONS(common_rows, 0);

static const struct taskpool_option seeding_rows[] = {
    TASKPOOL_CHOICE_OPTION("seeding", FIELD(seeding), "block,cyclic,owner,cost,by-mode",
                           .default_text = "by-mode", .value = "RULE",
                           .help =
                               "first tasks of a worker; by-mode: block, for auto cost or cyclic"),
};

struct taskpool_mode_options taskpool_seeding_options = TASKPOOL_MODE_OPTIONS(seeding_rows, 0);

static const struct taskpool_option chunk_rows[] = {
    TASKPOOL_INTEGER_OPTION(
        "chunk", FIELD(chunk), 0, 1e15, .default_text = "0", .value = "N",
        .help = "tasks handed out together; where their number varies, or they are stolen, its "
                "minimum; 0: 20 for share, else 1"),
};

struct taskpool_mode_options taskpool_chunk_options = TASKPOOL_MODE_OPTIONS(chunk_rows, 0);

static const struct taskpool_option speeds_rows[] = {
    TASKPOOL_TEXT_OPTION("speeds", FIELD(speeds), .default_text = "", .value = "FILE",
                         .help = "relative speeds of the workers, separated by blanks or newlines"),
};

#undef FIELD

struct taskpool_mode_options taskpool_speeds_options = TASKPOOL_MODE_OPTIONS(speeds_rows, 0);

/* --- the table --- */

static const char *describe_mode(const char *name)
{
    return mode_find(name)->help;
}

static const struct option_row sched_row =
    OPTION_OF_KIND(OPTION_WORD, "sched", offsetof(struct taskpool_settings, mode),
                   .default_text = "auto", .list_choices = mode_choices, .value = "MODE",
                   .describe_choice = describe_mode, .help = "scheduling mode");

/* The table, for as many modes as were registered when it was made. */
static struct {
    int n_modes;
    int64_t n_rows, capacity;
    struct option_row *rows;      /* n_rows */
    struct option_row *real_rows; /* the same without bounds */
} table;

static bool reads(const struct taskpool_mode *mode, const void *options)
{
    for (int o = 0; mode->options && mode->options[o]; o++)
        if (mode->options[o] == options)
            return true;
    return false;
}

static_assert((int)OPTION_WORD == (int)TASKPOOL_OPTION_WORD, "the same kinds of options");

struct option_row mode_option_row(const struct taskpool_option *option)
{
    return (struct option_row){.name = option->name,
                               .kind = (enum option_kind)option->kind,
                               .offset = option->offset,
                               .default_text = option->default_text,
                               .min = option->min,
                               .max = option->max,
                               .min_excluded = option->min_excluded,
                               .choices = option->choices,
                               .expert = option->expert,
                               .value = option->value,
                               .help = option->help};
}

static struct option_row *append_row(const struct option_row *row)
{
    if (array_reserve(&table.rows, table.n_rows + 1, &table.capacity, sizeof *table.rows) !=
        STATUS_OK)
        die_no_memory("no memory for the scheduler's options");
    table.rows[table.n_rows] = *row;
    return &table.rows[table.n_rows++];
}

/* "steal,retentive"; owned by the table. */
static char *list_readers(const struct taskpool_mode_options *options)
{
    char names[1024];
    mode_names_where(reads, options, names, sizeof names);
    char *list = strdup(names), *end = list;
    if (!list)
        die_no_memory("no memory for the scheduler's options");
    for (const char *c = names; *c; c++)
        if (*c != ' ')
            *end++ = *c;
    *end = '\0';
    return list;
}

/* Adds the rows, unless another mode that reads them has. */
static void add_options(const struct taskpool_mode_options *options)
{
    for (int64_t i = 0; i < table.n_rows; i++)
        if (strcmp(table.rows[i].name, options->rows[0].name) == 0)
            return;
    size_t place = offsetof(struct taskpool_settings, of_modes) + options->place;
    for (size_t r = 0; r < options->n_rows; r++) {
        const struct option_row own = mode_option_row(&options->rows[r]);
        struct option_row *row = append_row(&own);
        row->modes = list_readers(options);
        row->offset += options->size > 0 ? place : 0;
    }
}

static void copy_for_real_runs(void)
{
    size_t size = (size_t)table.n_rows * sizeof *table.rows;
    free(table.real_rows);
    table.real_rows = malloc(size);
    if (!table.real_rows)
        die_no_memory("no memory for the scheduler's options");
    memcpy(table.real_rows, table.rows, size);
    table.real_rows[0].list_choices = mode_names;
}

static void make_table(void)
{
    int64_t n_common = 1 + (int64_t)common_options.n_rows;
    for (int64_t i = n_common; i < table.n_rows; i++)
        free((void *)table.rows[i].modes);
    table.n_rows = 0;
    append_row(&sched_row);
    for (size_t r = 0; r < common_options.n_rows; r++) {
        const struct option_row row = mode_option_row(&common_options.rows[r]);
        append_row(&row);
    }
    for (table.n_modes = 0; table.n_modes < mode_count(); table.n_modes++) {
        const struct taskpool_mode *mode = mode_at(table.n_modes);
        for (int o = 0; mode->options && mode->options[o]; o++)
            add_options(mode->options[o]);
    }
    copy_for_real_runs();
}

struct option_table mode_options_table(struct taskpool_settings *settings)
{
    if (table.n_modes != mode_count())
        make_table();
    settings->n_of_modes = mode_settings_size();
    return (struct option_table){"Scheduling", table.rows, (size_t)table.n_rows, settings};
}

struct option_table mode_options_table_real(struct taskpool_settings *settings)
{
    struct option_table real = mode_options_table(settings);
    real.rows = table.real_rows;
    return real;
}

void mode_options_default(struct taskpool_settings *settings)
{
    *settings = (struct taskpool_settings){0};
    struct option_table rows = mode_options_table(settings);
    if (options_set_defaults(&rows) != STATUS_OK)
        die("%s", status_text());
}

static bool is_read_by_any(const struct taskpool_mode_options *options,
                           const struct mode_list *list)
{
    for (int i = 0; i < list->n; i++)
        if (reads(mode_find(list->modes[i]), options))
            return true;
    return false;
}

static enum status refuse_option(const char *option, const struct taskpool_mode_options *options,
                                 const struct mode_list *list)
{
    char readers[1024];
    mode_names_where(reads, options, readers, sizeof readers);
    if (list->n > 1)
        return FAIL(STATUS_USAGE, "--%s has no effect with these modes: it is for %s", option,
                    readers);
    return FAIL(STATUS_USAGE, "--%s has no effect with --sched %s: it is for %s", option,
                list->modes[0], readers);
}

static enum status check_values(const struct taskpool_settings *settings,
                                const struct taskpool_mode *mode)
{
    for (int o = 0; mode->options && mode->options[o]; o++)
        if (mode->options[o]->check)
            TRY(mode->options[o]->check(settings));
    return STATUS_OK;
}

/* The options that contain a row of the table; NULL: all modes read it. */
static const struct taskpool_mode_options *options_of(const char *name)
{
    for (int i = 0; i < mode_count(); i++) {
        struct taskpool_mode_options *const *all = mode_at(i)->options;
        for (int o = 0; all && all[o]; o++)
            for (size_t r = 0; r < all[o]->n_rows; r++)
                if (strcmp(all[o]->rows[r].name, name) == 0)
                    return all[o];
    }
    return NULL;
}

enum status mode_options_check_list(const struct taskpool_settings *settings,
                                    const struct mode_list *list)
{
    struct taskpool_settings defaults;
    mode_options_default(&defaults);
    for (int64_t i = 0; i < table.n_rows; i++) {
        const struct option_row *row = &table.rows[i];
        const struct taskpool_mode_options *options = options_of(row->name);
        if (options && option_differs(row, settings, &defaults) && !is_read_by_any(options, list))
            return refuse_option(row->name, options, list);
    }
    for (int i = 0; i < list->n; i++)
        TRY(check_values(settings, mode_find(list->modes[i])));
    return STATUS_OK;
}

enum status mode_options_check_made(const struct taskpool_settings *settings,
                                    const struct taskpool_mode *mode)
{
    for (int o = 0; mode->options && mode->options[o]; o++)
        if (mode->options[o]->size > 0 && mode->options[o]->place >= settings->n_of_modes)
            return FAIL(STATUS_USAGE,
                        "the settings lack the options of mode %s: call taskpool_settings_default "
                        "after taskpool_register_mode",
                        mode->name);
    return STATUS_OK;
}

/* Whether the mode, or the pool under any mode, reads an option of the table. */
static bool concerns(const struct taskpool_mode *mode, const struct option_row *row)
{
    return row->offset < offsetof(struct taskpool_settings, of_modes) ||
           reads(mode, options_of(row->name));
}

enum status mode_options_check_values(struct taskpool_settings *settings,
                                      const struct taskpool_mode *mode)
{
    const struct taskpool_settings copy = *settings;
    mode_options_table(settings);
    *settings = copy;
    for (int64_t i = 0; i < table.n_rows; i++)
        if (concerns(mode, &table.rows[i]))
            TRY(option_check_value(&table.rows[i], settings));
    return check_values(settings, mode);
}

uint64_t mode_options_hash(const struct taskpool_settings *settings,
                           const struct taskpool_mode *mode)
{
    uint64_t hash = 0;
    for (int64_t i = 0; i < table.n_rows; i++)
        if (concerns(mode, &table.rows[i]))
            hash += option_hash(&table.rows[i], settings);
    return hash;
}

enum status mode_options_choose(const struct taskpool_settings *settings, const char *compare,
                                int64_t n_rounds, struct mode_list *modes)
{
    struct taskpool_settings defaults;
    *modes = (struct mode_list){.n = 1, .modes = {settings->mode}};
    if (!compare && n_rounds > 1)
        return FAIL(STATUS_USAGE, "--rounds has no effect without --compare");
    if (!compare)
        return mode_options_check(settings);
    TRY(mode_list_parse("compare", compare, modes));
    mode_options_default(&defaults);
    if (strcmp(settings->mode, defaults.mode) != 0)
        return FAIL(STATUS_USAGE, "--compare names the modes itself: leave --sched out");
    return mode_options_check_list(settings, modes);
}

enum status mode_options_check_real(const struct mode_list *list)
{
    for (int i = 0; i < list->n; i++)
        TRY(mode_check_real(mode_find(list->modes[i])));
    return STATUS_OK;
}

enum status mode_options_check(const struct taskpool_settings *settings)
{
    const struct mode_list only = {.n = 1, .modes = {settings->mode}};
    return mode_options_check_list(settings, &only);
}

void mode_options_select(const struct taskpool_settings *settings, const char *mode,
                         struct taskpool_settings *selected)
{
    struct taskpool_settings defaults;
    mode_options_default(&defaults);
    *selected = *settings;
    selected->mode = mode;
    for (int64_t i = 0; i < table.n_rows; i++) {
        const struct taskpool_mode_options *options = options_of(table.rows[i].name);
        if (options && !reads(mode_find(mode), options))
            option_copy(&table.rows[i], &defaults, selected);
    }
}
