#include "sched/modes/mode_options.h"

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

/* Options of some modes only; the others of taskpool_option_rows are for all. */
static const struct {
    const char *option;
    const char *modes;
} owners[] = {
    {"seeding", "static,steal,retentive,persist,hybrid"},
    {"chunk", "counter,share,steal,retentive,persist"},
    {"guided", "counter"},
    {"managers", "share"},
    {"release-every", "share"},
    {"steal", "steal,retentive,persist"},
    {"victim", "steal,retentive,persist"},
    {"termination", "steal,retentive,persist"},
    {"deque", "steal,retentive,persist"},
    {"balancer", "persist"},
    {"branching", "persist"},
    {"donate-above", "persist"},
    {"fill-to", "persist"},
    {"balance-over", "persist"},
    {"fan-out", "dtree"},
    {"first-share", "dtree"},
    {"drain", "dtree"},
    {"min-grant", "dtree"},
    {"static-fraction", "hybrid"},
    {"tasklets", "hybrid"},
    {"group", "hybrid"},
    {"skew", "hybrid"},
    {"no-locality", "hybrid"},
};

enum { N_OWNERS = sizeof owners / sizeof owners[0] };

/* The settings by the options' names; NULL when out of memory. */
static json_t *to_json(struct taskpool_settings *settings)
{
    const struct option_table table = {"", taskpool_option_rows, taskpool_n_option_rows, settings};
    const struct options options = {.tables = &table, .n_tables = 1};
    return options_to_json(&options);
}

/* Whether an option, of owners, is for the mode. */
static bool is_for(size_t owner, int mode)
{
    return option_choice_index(owners[owner].modes, taskpool_mode_name(mode)) >= 0;
}

static bool is_for_any(size_t owner, const struct mode_list *list)
{
    for (int i = 0; i < list->n; i++)
        if (is_for(owner, list->modes[i]))
            return true;
    return false;
}

static enum status refuse(size_t owner, const struct mode_list *list)
{
    const char *option = owners[owner].option, *modes = owners[owner].modes;
    if (list->n > 1)
        return FAIL(STATUS_USAGE, "--%s does nothing with these modes: it is for %s", option,
                    modes);
    return FAIL(STATUS_USAGE, "--%s does nothing with --sched %s: it is for %s", option,
                taskpool_mode_name(list->modes[0]), modes);
}

static enum status check(const struct mode_list *list, const json_t *given, const json_t *defaults)
{
    for (size_t i = 0; i < N_OWNERS; i++) {
        const char *option = owners[i].option;
        bool changed =
            !json_equal(json_object_get(given, option), json_object_get(defaults, option));
        if (changed && !is_for_any(i, list))
            return refuse(i, list);
    }
    return STATUS_OK;
}

enum status mode_options_check_list(const struct taskpool_settings *settings,
                                    const struct mode_list *list)
{
    struct taskpool_settings copy = *settings, initial;
    taskpool_settings_default(&initial);
    json_t *given = to_json(&copy), *defaults = to_json(&initial);
    enum status status = given && defaults ? check(list, given, defaults)
                                           : FAIL(STATUS_NO_MEMORY, "no memory for the options");
    json_decref(given);
    json_decref(defaults);
    return status;
}

enum status mode_options_check(const struct taskpool_settings *settings)
{
    const struct mode_list only = {.n = 1, .modes = {settings->mode}};
    return mode_options_check_list(settings, &only);
}

static size_t field_size(enum option_kind kind)
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

static void copy_option(const char *name, const struct taskpool_settings *from,
                        struct taskpool_settings *to)
{
    for (size_t i = 0; i < taskpool_n_option_rows; i++) {
        const struct option_row *row = &taskpool_option_rows[i];
        if (strcmp(row->name, name) == 0)
            memcpy((char *)to + row->offset, (const char *)from + row->offset,
                   field_size(row->kind));
    }
}

void mode_options_select(const struct taskpool_settings *settings, int mode,
                         struct taskpool_settings *selected)
{
    struct taskpool_settings defaults;
    taskpool_settings_default(&defaults);
    *selected = *settings;
    selected->mode = mode;
    for (size_t i = 0; i < N_OWNERS; i++)
        if (!is_for(i, mode))
            copy_option(owners[i].option, &defaults, selected);
}
