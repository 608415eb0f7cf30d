#include "sched/mode_options.h"

#include <jansson.h>
#include <stdbool.h>

/* Options of some modes only; the others of taskpool_option_rows are for all. */
static const struct {
    const char *option;
    const char *modes;
} owners[] = {
    {"seeding", "static,steal,retentive,persist,hybrid,auto"},
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

/* The settings by the options' names; NULL when out of memory. */
static json_t *to_json(struct taskpool_settings *settings)
{
    const struct option_table table = {"", taskpool_option_rows, taskpool_n_option_rows, settings};
    const struct options options = {.tables = &table, .n_tables = 1};
    return options_to_json(&options);
}

static enum status set_defaults(struct taskpool_settings *settings)
{
    const struct option_table table = {"", taskpool_option_rows, taskpool_n_option_rows, settings};
    const struct options options = {.program = "", .tables = &table, .n_tables = 1};
    char *argv[] = {(char[]){""}, NULL};
    enum option_request request;
    int first_operand;
    return options_parse(&options, 1, argv, &request, &first_operand);
}

static enum status check(const struct taskpool_settings *settings, const json_t *given,
                         const json_t *defaults)
{
    char mode[32];
    option_choice_word(taskpool_mode_names, settings->mode, mode, sizeof mode);
    for (size_t i = 0; i < sizeof owners / sizeof owners[0]; i++) {
        const char *option = owners[i].option;
        bool changed =
            !json_equal(json_object_get(given, option), json_object_get(defaults, option));
        if (changed && option_choice_index(owners[i].modes, mode) < 0)
            return FAIL(STATUS_USAGE, "--%s does nothing with --sched %s: it is for %s", option,
                        mode, owners[i].modes);
    }
    return STATUS_OK;
}

enum status mode_options_check(const struct taskpool_settings *settings)
{
    struct taskpool_settings copy = *settings, initial = {0};
    TRY(set_defaults(&initial));
    json_t *given = to_json(&copy), *defaults = to_json(&initial);
    enum status status = given && defaults ? check(settings, given, defaults)
                                           : FAIL(STATUS_NO_MEMORY, "no memory for the options");
    json_decref(given);
    json_decref(defaults);
    return status;
}
