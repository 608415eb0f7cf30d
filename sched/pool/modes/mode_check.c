/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/modes/mode_check.h"

#include "sched/pool/modes/mode_options.h"
#include "support/io/options.h"

#include <stdio.h>
#include <string.h>

static enum status check_mode_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    size_t length = name ? strlen(name) : 0;
    if (length == 0 || length > 32 || name[0] == '-' || strspn(name, letters) != length)
        return FAIL(STATUS_USAGE,
                    "the name of a mode must have 1 to 32 of the characters %s, the first no '-'",
                    letters);
    if (strcmp(name, "all") == 0)
        return FAIL(STATUS_USAGE, "a mode cannot be called 'all', which stands for all modes");
    return STATUS_OK;
}

/* Whether an option of this name comes before row r of options o of the mode. */
static bool is_repeated(const struct taskpool_mode *mode, int o, size_t r, const char *name)
{
    for (int i = 0; i <= o; i++)
        for (size_t j = 0; j < (i < o ? mode->options[i]->n_rows : r); j++)
            if (strcmp(mode->options[i]->rows[j].name, name) == 0)
                return true;
    return false;
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
        TRY(options_set_defaults(&(struct option_table){
            NULL, &row, 1, own ? (void *)&scratch.of_modes : (void *)&scratch}));
    }
    return STATUS_OK;
}

enum status mode_check(const struct taskpool_mode *mode)
{
    if (!mode)
        return FAIL(STATUS_USAGE, "no mode to register, but NULL");
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
