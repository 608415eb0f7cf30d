/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/modes/modes.h"

#include "sched/pool/modes/mode_options.h"
#include "support/base/die.h"
#include "support/io/options.h"
#include "support/io/words.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define MODE(name) extern const struct taskpool_mode mode_##name;
#include "sched/pool/modes/built_in_modes.h"
#undef MODE

#define MODE(name) &mode_##name,
static const struct taskpool_mode *const built_in[] = {
#include "sched/pool/modes/built_in_modes.h"
};
#undef MODE

enum { N_BUILT_IN = sizeof built_in / sizeof built_in[0], NAMES_SIZE = 33 * MODES_MAX };

static_assert((int)N_BUILT_IN <= (int)MODES_MAX, "room for the modes of this library");

/* Modes registered so far; the built-in ones are added at the first use, but for the bounds. */
static struct {
    const struct taskpool_mode *modes[MODES_MAX];
    int n;
    int n_built_in;       /* those that were added, and the bounds that were left out */
    size_t settings_size; /* bytes of taskpool_settings.of_modes in use */
    char names[NAMES_SIZE];
    char choices[2 * NAMES_SIZE]; /* names of modes, then bounds */
} registry;

static const struct taskpool_mode *find_registered(const char *name)
{
    for (int i = 0; name && i < registry.n; i++)
        if (strcmp(registry.modes[i]->name, name) == 0)
            return registry.modes[i];
    for (int i = 0; name && i < N_BUILT_IN; i++)
        if (built_in[i]->is_bound && strcmp(built_in[i]->name, name) == 0)
            return built_in[i];
    return NULL;
}

/* --- a new mode, by itself --- */

/* Whether an option of this name is among the first n_rows. */
static bool has_row(const struct taskpool_mode_options *options, size_t n_rows, const char *name)
{
    for (size_t r = 0; r < n_rows; r++)
        if (strcmp(options->rows[r].name, name) == 0)
            return true;
    return false;
}

static enum status check_mode_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    size_t length = name ? strlen(name) : 0;
    if (length == 0 || length > 32 || name[0] == '-' || strspn(name, letters) != length)
        return FAIL(STATUS_USAGE,
                    "the name of a mode must be 1 to 32 characters of %s and not begin with '-'",
                    letters);
    if (strcmp(name, "all") == 0)
        return FAIL(STATUS_USAGE, "a mode cannot be called 'all', which stands for all modes");
    return STATUS_OK;
}

/* Whether an option of this name comes before row r of options o of the mode. */
static bool is_repeated(const struct taskpool_mode *mode, int o, size_t r, const char *name)
{
    for (int i = 0; i < o; i++)
        if (has_row(mode->options[i], mode->options[i]->n_rows, name))
            return true;
    return has_row(mode->options[o], r, name);
}

static enum status check_options_of(const struct taskpool_mode *mode, int o)
{
    struct taskpool_settings scratch = {0};
    const struct taskpool_mode_options *options = mode->options[o];
    bool own = options->size > 0;
    if (!options->rows || options->n_rows == 0)
        return FAIL(STATUS_USAGE, "options without rows: leave them out");
    if (options->size > sizeof scratch.of_modes)
        return FAIL(STATUS_LIMIT, "no room for its options in taskpool_settings, only %zu bytes",
                    sizeof scratch.of_modes);
    for (size_t r = 0; r < options->n_rows; r++) {
        const struct option_row row = mode_option_row(&options->rows[r]);
        TRY(option_row_check(&row, own ? options->size : sizeof scratch));
        if (is_repeated(mode, o, r, row.name))
            return FAIL(STATUS_USAGE, "two of its options are called --%s", row.name);
        /* Checks the default: the value is not used. */
        TRY(options_set_defaults(&(struct option_table){
            NULL, &row, 1, own ? (void *)&scratch.of_modes : (void *)&scratch}));
    }
    return STATUS_OK;
}

static enum status check_by_itself(const struct taskpool_mode *mode)
{
    if (!mode)
        return FAIL(STATUS_USAGE, "the mode to register is NULL");
    TRY(check_mode_name(mode->name));
    if (!mode->help || !mode->init || !mode->next || !mode->restore || !mode->progress)
        return FAIL(STATUS_USAGE, "mode %s lacks help, init, next, restore or progress",
                    mode->name);
    for (int o = 0; mode->options && mode->options[o]; o++) {
        enum status status = check_options_of(mode, o);
        if (status != STATUS_OK) {
            status_set_text("mode %s: %s", mode->name, status_text());
            return status;
        }
    }
    return STATUS_OK;
}

/* --- a new mode among the others --- */

/* Whether a registered mode has other options of this name. */
static bool is_taken(const char *name, const struct taskpool_mode_options *by)
{
    for (int i = 0; i < registry.n; i++) {
        struct taskpool_mode_options *const *all = registry.modes[i]->options;
        for (int o = 0; all && all[o]; o++)
            if (all[o] != by && has_row(all[o], all[o]->n_rows, name))
                return true;
    }
    return strcmp(name, "sched") == 0 || has_row(&common_options, common_options.n_rows, name);
}

static size_t round_up(size_t size)
{
    size_t unit = _Alignof(max_align_t);
    return (size + unit - 1) / unit * unit;
}

static enum status check_options(const struct taskpool_mode *mode)
{
    size_t size = registry.settings_size;
    for (int o = 0; mode->options && mode->options[o]; o++) {
        const struct taskpool_mode_options *options = mode->options[o];
        for (size_t r = 0; r < options->n_rows; r++)
            if (!options->is_registered && is_taken(options->rows[r].name, options))
                return FAIL(STATUS_USAGE, "mode %s: the option --%s exists already; rename it",
                            mode->name, options->rows[r].name);
        size += options->is_registered ? 0 : round_up(options->size);
    }
    if (size > sizeof((struct taskpool_settings *)NULL)->of_modes)
        return FAIL(STATUS_LIMIT, "mode %s: no room for its options in taskpool_settings",
                    mode->name);
    return STATUS_OK;
}

static enum status check_new_mode(const struct taskpool_mode *mode)
{
    TRY(check_by_itself(mode));
    if (find_registered(mode->name))
        return FAIL(STATUS_USAGE, "the name %s is taken by another mode", mode->name);
    if (registry.n == MODES_MAX)
        return FAIL(STATUS_LIMIT, "mode %s: at most %d modes are possible", mode->name, MODES_MAX);
    return check_options(mode);
}

static enum status register_checked(const struct taskpool_mode *mode)
{
    TRY(check_new_mode(mode));
    for (int o = 0; mode->options && mode->options[o]; o++) {
        struct taskpool_mode_options *options = mode->options[o];
        if (options->is_registered)
            continue;
        options->place = registry.settings_size;
        options->is_registered = true;
        registry.settings_size += round_up(options->size);
    }
    size_t length = strlen(registry.names);
    snprintf(registry.names + length, sizeof registry.names - length, "%s%s",
             registry.n > 0 ? "," : "", mode->name);
    registry.modes[registry.n++] = mode;
    return STATUS_OK;
}

static void register_built_in(void)
{
    while (registry.n_built_in < N_BUILT_IN) {
        const struct taskpool_mode *mode = built_in[registry.n_built_in++];
        if (!mode->is_bound && register_checked(mode) != STATUS_OK)
            die("%s", status_text());
    }
}

int mode_count(void)
{
    register_built_in();
    return registry.n;
}

const struct taskpool_mode *mode_at(int i)
{
    assert(i >= 0 && i < mode_count());
    return registry.modes[i];
}

const struct taskpool_mode *mode_find(const char *name)
{
    register_built_in();
    return find_registered(name);
}

const struct taskpool_mode *mode_for(const char *name, bool dynamic)
{
    const struct taskpool_mode *mode = mode_find(name);
    return mode && dynamic && mode->dynamic ? mode_find(mode->dynamic) : mode;
}

size_t mode_settings_size(void)
{
    register_built_in();
    return registry.settings_size;
}

const char *mode_names(void)
{
    register_built_in();
    return registry.names;
}

const char *mode_choices(void)
{
    register_built_in();
    size_t length = strlen(registry.names);
    memcpy(registry.choices, registry.names, length + 1);
    for (int i = 0; i < N_BUILT_IN; i++)
        if (built_in[i]->is_bound)
            length += (size_t)snprintf(registry.choices + length, sizeof registry.choices - length,
                                       ",%s", built_in[i]->name);
    return registry.choices;
}

const char *mode_names_where(bool (*holds)(const struct taskpool_mode *mode, const void *context),
                             const void *context, char *names, size_t size)
{
    size_t length = 0;
    names[0] = '\0';
    for (int i = 0; i < mode_count() && length < size; i++)
        if (!holds || holds(mode_at(i), context))
            length += (size_t)snprintf(names + length, size - length, "%s%s",
                                       length > 0 ? ", " : "", mode_at(i)->name);
    return names;
}

enum status mode_check_real(const struct taskpool_mode *mode)
{
    char names[1024];
    if (mode->is_bound)
        return FAIL(STATUS_USAGE,
                    "mode %s knows all durations beforehand, which only beryl-sched --simulate "
                    "can: use one of %s",
                    mode->name, mode_names_where(NULL, NULL, names, sizeof names));
    return STATUS_OK;
}

enum status mode_register(const struct taskpool_mode *mode)
{
    register_built_in();
    return register_checked(mode);
}

/* --- lists of modes --- */

/* A name of a list of names separated by commas, and the rest of the list. */
struct listed_name {
    char name[64];    /* longer ones are cut off, and no mode's */
    const char *rest; /* NULL after the last name */
};

static struct listed_name cut_name(const char *text)
{
    struct listed_name cut;
    size_t length = strcspn(text, ",");
    snprintf(cut.name, sizeof cut.name, "%.*s",
             (int)(length < sizeof cut.name ? length : sizeof cut.name), text);
    cut.rest = text[length] == ',' ? text + length + 1 : NULL;
    return cut;
}

/* How often a name stands in a list. */
static int count_name(const char *text, const char *name)
{
    int n = 0;
    while (text) {
        const struct listed_name cut = cut_name(text);
        n += strcmp(cut.name, name) == 0;
        text = cut.rest;
    }
    return n;
}

static enum status add_mode(const char *option, const char *name, bool by_all,
                            struct mode_list *list)
{
    const struct taskpool_mode *mode = mode_find(name);
    char names[1024];
    struct suggestion suggestion = {.typed = word_from_text(name)};
    if (!mode) {
        suggestion_add(&suggestion, mode_names_where(NULL, NULL, names, sizeof names));
        return FAIL(STATUS_USAGE, "--%s: '%s' is not a mode; give 'all', or some of %s%s", option,
                    name, names, suggestion.text);
    }
    if (list->n == MODES_MAX)
        return FAIL(STATUS_USAGE, "--%s names more than %d modes", option, (int)MODES_MAX);
    list->by_all[list->n] = by_all;
    list->modes[list->n++] = mode->name;
    return STATUS_OK;
}

static enum status add_all_others(const char *option, const char *text, struct mode_list *list)
{
    for (int i = 0; i < mode_count(); i++)
        if (count_name(text, mode_at(i)->name) == 0)
            TRY(add_mode(option, mode_at(i)->name, true, list));
    return STATUS_OK;
}

enum status mode_list_parse(const char *option, const char *text, struct mode_list *list)
{
    *list = (struct mode_list){0};
    if (count_name(text, "all") > 1)
        return FAIL(STATUS_USAGE, "--%s: 'all' may be there once only", option);
    for (const char *rest = text; rest;) {
        const struct listed_name cut = cut_name(rest);
        TRY(strcmp(cut.name, "all") == 0 ? add_all_others(option, text, list)
                                         : add_mode(option, cut.name, false, list));
        rest = cut.rest;
    }
    return STATUS_OK;
}
