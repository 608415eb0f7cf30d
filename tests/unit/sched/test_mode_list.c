/* SPDX-License-Identifier: BSD-3-Clause */
/* --compare keeps the order of its modes, options must be for one of them, and each mode gets its own
 * options only. */
#include "sched/pool/modes/mode_options.h"
#include "sched/pool/modes/modes.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

#define N_OF(array) (sizeof(array) / sizeof(array)[0])

/* Whether an option has the value, as typed. */
static bool has_value(const struct taskpool_settings *settings, const char *option,
                      const char *value)
{
    struct taskpool_settings pair[2] = {*settings, *settings};
    json_t *json[2];
    check_ok(taskpool_settings_set(&pair[0], option, value));
    for (int i = 0; i < 2; i++) {
        const struct option_table table = mode_options_table(&pair[i]);
        json[i] = options_to_json(&(struct options){.tables = &table, .n_tables = 1});
    }
    bool equal = json_equal(json[0], json[1]);
    json_decref(json[0]);
    json_decref(json[1]);
    return equal;
}

TEST(lists_keep_their_order)
{
    static const char *const given[] = {"steal,static,auto", "static,lpt", "static,auto,static",
                                        "all"};
    struct mode_list list;
    for (size_t i = 0; i < N_OF(given); i++) {
        char names[1024] = "";
        check_ok(mode_list_parse("compare", given[i], &list));
        for (int m = 0; m < list.n; m++)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", m > 0 ? "," : "",
                     list.modes[m]);
        assert_string_equal(names, strcmp(given[i], "all") ? given[i] : taskpool_mode_names());
        check_status(strstr(given[i], "lpt") ? STATUS_USAGE : STATUS_OK,
                     mode_options_check_real(&list));
    }
    assert_null(strstr(taskpool_mode_names(), "lpt"));
}

TEST(names_are_those_of_the_modes)
{
    char names[1024] = "";
    for (int i = 0; i < mode_count(); i++) {
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i > 0 ? "," : "",
                 mode_at(i)->name);
        assert_ptr_equal(mode_find(mode_at(i)->name), mode_at(i));
    }
    assert_string_equal(taskpool_mode_names(), names);
    assert_null(mode_find("stat"));
    check_ok(mode_check_real(mode_find("static")));
    check_status(STATUS_USAGE, mode_check_real(mode_find("lpt")));
}

TEST(all_is_every_mode_not_named_beside_it)
{
    struct mode_list list;
    check_ok(mode_list_parse("compare", "auto,all,lpt", &list));
    assert_int_equal(list.n, mode_count() + 1);
    assert_string_equal(list.modes[0], "auto");
    assert_string_equal(list.modes[1], "static");
    assert_string_equal(list.modes[list.n - 1], "lpt");
    for (int i = 0; i < list.n; i++) {
        assert_int_equal(list.by_all[i], i > 0 && i < list.n - 1);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(list.modes[i], list.modes[k]);
    }
}

TEST(a_list_has_room_for_so_many)
{
    struct mode_list list;
    char many[(MODES_MAX + 1) * sizeof "auto"] = "auto";
    for (int i = 1; i < MODES_MAX; i++)
        strcat(many, ",auto");
    check_ok(mode_list_parse("compare", many, &list));
    assert_int_equal(list.n, MODES_MAX);
    strcat(many, ",auto");
    check_status(STATUS_USAGE, mode_list_parse("compare", many, &list));
    char *word = calloc(1, 1000);
    memset(word, 'x', 999);
    check_status(STATUS_USAGE, mode_list_parse("compare", word, &list));
    free(word);
}

static void check_message(enum status status, const char *text)
{
    check_status(text ? STATUS_USAGE : STATUS_OK, status);
    if (text && !strstr(status_text(), text))
        fail_msg("'%s' is not in '%s'", text, status_text());
}

TEST(lists_that_are_refused)
{
    static const char *const rows[][2] = {
        {"", "--compare"},
        {",", "--compare"},
        {"static,", "--compare"},
        {",static", "--compare"},
        {"static,,steal", "--compare"},
        {"static, steal", "--compare"},
        {"nonsense", "--compare"},
        {"all,all", "--compare"},
        {"all,static,all", "--compare"},
        {"all,stat", "'stat' is not a mode; give 'all', or some of static, counter, "},
        {"static,Stael", ": did you mean steal?"},
    };
    struct taskpool_settings settings;
    struct mode_list list;
    for (size_t i = 0; i < N_OF(rows); i++)
        check_message(mode_list_parse("compare", rows[i][0], &list), rows[i][1]);
    taskpool_settings_default(&settings);
    check_message(mode_options_choose(&settings, NULL, 1, &list), NULL);
    check_message(mode_options_choose(&settings, "static,auto", 2, &list), NULL);
    check_message(mode_options_choose(&settings, NULL, 2, &list),
                  "--rounds has no effect without --compare");
}

TEST(options_that_fit_no_mode_are_refused)
{
    static const struct {
        const char *modes, *option, *value, *text; /* text  NULL: accepted */
    } rows[] = {
        {"steal", "steal", "12", NULL},
        {"steal", "steal", "0", "--steal 0"},
        {"static,retentive", "steal", "0", "--steal 0"},
        {"static,dtree", "fan-out", "2", NULL},
        {"static,steal,auto", "fan-out", "2", "--fan-out"},
        {"steal", "as-published", NULL, NULL},
        {"retentive", "as-published", NULL, NULL},
        {"persist", "as-published", NULL, NULL},
        {"dtree", "as-published", NULL, "it is for steal, retentive, persist"},
        {"static,steal", "as-published", NULL, NULL},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct taskpool_settings settings;
        struct mode_list list;
        taskpool_settings_default(&settings);
        settings.mode = rows[i].modes;
        check_ok(taskpool_settings_set(&settings, rows[i].option, rows[i].value));
        check_ok(mode_list_parse("compare", rows[i].modes, &list));
        check_message(list.n == 1 ? mode_options_check(&settings)
                                  : mode_options_check_list(&settings, &list),
                      rows[i].text);
    }
}

TEST(a_mode_gets_its_own_options_only)
{
    static const char *const given[][2] = {
        {"poll-every", "3"}, {"seeding", "cyclic"}, {"chunk", "5"},           {"steal", "2"},
        {"skew", "true"},    {"drain", "0.25"},     {"as-published", "true"},
    };
    static const char *const rows[][8] = {
        {"steal", "3", "cyclic", "5", "2", "false", "0.5", "true"},
        {"dtree", "3", "by-mode", "0", "half", "false", "0.25", "false"},
        {"hybrid", "3", "cyclic", "0", "half", "true", "0.5", "false"},
        {"auto", "3", "cyclic", "5", "2", "false", "0.5", "true"},
        {"static", "3", "cyclic", "0", "half", "false", "0.5", "false"},
    };
    struct taskpool_settings settings, selected;
    taskpool_settings_default(&settings);
    for (size_t k = 0; k < N_OF(given); k++)
        check_ok(taskpool_settings_set(&settings, given[k][0], given[k][1]));
    for (size_t i = 0; i < N_OF(rows); i++) {
        mode_options_select(&settings, rows[i][0], &selected);
        assert_string_equal(selected.mode, rows[i][0]);
        for (size_t k = 0; k < N_OF(given); k++)
            if (!has_value(&selected, given[k][0], rows[i][k + 1]))
                fail_msg("--%s of %s is not %s", given[k][0], rows[i][0], rows[i][k + 1]);
    }
}
