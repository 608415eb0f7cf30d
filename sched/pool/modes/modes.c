/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/modes/modes.h"

#include "sched/pool/core/settings.h"
#include "sched/pool/modes/mode_check.h"
#include "support/base/die.h"
#include "support/io/options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define MODE(name)  extern const struct taskpool_mode mode_##name;
#define BOUND(name) MODE(name)
#include "sched/pool/modes/built_in_modes.h"
#undef MODE
#undef BOUND

#define MODE(name) &mode_##name,
#define BOUND(name)
static const struct taskpool_mode *const built_in[] = {
#include "sched/pool/modes/built_in_modes.h"
};
#undef MODE
#undef BOUND

#define MODE(name)
#define BOUND(name) &mode_##name,
static const struct taskpool_mode *const bounds[] = {
#include "sched/pool/modes/built_in_modes.h"
};
#undef MODE
#undef BOUND

enum {
    N_BUILT_IN = sizeof built_in / sizeof built_in[0],
    N_BOUNDS = sizeof bounds / sizeof bounds[0],
    NAMES_SIZE = 33 * MODES_MAX
};

static_assert((int)N_BUILT_IN <= (int)MODES_MAX, "room for the modes of this library");

/* Modes registered so far; the built-in ones are added at the first use. */
static struct {
    const struct taskpool_mode *modes[MODES_MAX];
    int n;
    size_t settings_size; /* bytes of taskpool_settings.of_modes in use */
    char names[NAMES_SIZE];
    char choices[NAMES_SIZE + 33 * N_BOUNDS]; /* names of modes, then bounds */
} registry;

static const struct taskpool_mode *find_registered(const char *name)
{
    for (int i = 0; name && i < registry.n; i++)
        if (strcmp(registry.modes[i]->name, name) == 0)
            return registry.modes[i];
    for (int i = 0; name && i < N_BOUNDS; i++)
        if (strcmp(bounds[i]->name, name) == 0)
            return bounds[i];
    return NULL;
}

static bool has_row(const struct taskpool_mode_options *options, const char *name)
{
    for (size_t r = 0; r < options->n_rows; r++)
        if (strcmp(options->rows[r].name, name) == 0)
            return true;
    return false;
}

/* Whether a registered mode has other options of this name. */
static bool is_taken(const char *name, const struct taskpool_mode_options *by)
{
    for (int i = 0; i < registry.n; i++) {
        struct taskpool_mode_options *const *all = registry.modes[i]->options;
        for (int o = 0; all && all[o]; o++)
            if (all[o] != by && has_row(all[o], name))
                return true;
    }
    return strcmp(name, "sched") == 0 || has_row(&common_options, name);
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
    TRY(mode_check(mode));
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
    for (int i = registry.n; i < N_BUILT_IN; i++)
        if (register_checked(built_in[i]) != STATUS_OK)
            die("%s", status_text());
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
    for (int i = 0; i < N_BOUNDS; i++)
        length += (size_t)snprintf(registry.choices + length, sizeof registry.choices - length,
                                   ",%s", bounds[i]->name);
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
                    "--sched %s knows all durations beforehand, which only beryl-sched --simulate "
                    "can: use one of %s",
                    mode->name, mode_names_where(NULL, NULL, names, sizeof names));
    return STATUS_OK;
}

enum status mode_register(const struct taskpool_mode *mode)
{
    register_built_in();
    return register_checked(mode);
}
