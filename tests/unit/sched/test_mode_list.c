/* SPDX-License-Identifier: BSD-3-Clause */
/* --compare keeps the order of its modes, and each mode gets its own options only. */
#include "sched/pool/modes/mode_options.h"
#include "sched/pool/modes/modes.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

/* All options of the settings, by name. */
static json_t *options_in_force(const struct taskpool_settings *settings)
{
    struct taskpool_settings copy = *settings;
    const struct option_table table = mode_options_table(&copy);
    return options_to_json(&(struct options){.tables = &table, .n_tables = 1});
}

/* Whether an option has the value, as typed. */
static bool has_value(const struct taskpool_settings *settings, const char *option,
                      const char *value)
{
    struct taskpool_settings same = *settings;
    check_ok(taskpool_settings_set(&same, option, value));
    json_t *expected = options_in_force(&same), *actual = options_in_force(settings);
    bool equal = json_equal(expected, actual);
    json_decref(expected);
    json_decref(actual);
    return equal;
}

TEST(names_keep_their_order)
{
    struct mode_list list;
    check_ok(mode_list_parse("compare", "steal,static,auto", &list));
    assert_int_equal(list.n, 3);
    assert_string_equal(list.modes[0], "steal");
    assert_string_equal(list.modes[1], "static");
    assert_string_equal(list.modes[2], "auto");
}

TEST(all_is_every_mode_once)
{
    struct mode_list list;
    check_ok(mode_list_parse("compare", "all", &list));
    assert_int_equal(list.n, mode_count());
    for (int i = 0; i < list.n; i++)
        assert_string_equal(list.modes[i], mode_at(i)->name);
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

TEST(a_bound_is_named_and_never_meant_by_all)
{
    struct mode_list list;
    check_ok(mode_list_parse("compare", "all", &list));
    check_ok(mode_options_check_real(&list));
    for (int i = 0; i < list.n; i++)
        assert_string_not_equal(list.modes[i], "lpt");
    check_ok(mode_list_parse("compare", "static,lpt", &list));
    assert_string_equal(list.modes[1], "lpt");
    check_status(STATUS_USAGE, mode_options_check_real(&list));
    assert_non_null(strstr(status_text(), "mode lpt"));
}

TEST(a_mode_may_be_named_again)
{
    struct mode_list list;
    check_ok(mode_list_parse("compare", "static,auto,static", &list));
    assert_int_equal(list.n, 3);
    assert_string_equal(list.modes[2], "static");
    char many[(MODES_MAX + 1) * sizeof "auto"] = "auto";
    for (int i = 1; i < MODES_MAX; i++)
        strcat(many, ",auto");
    check_ok(mode_list_parse("compare", many, &list));
    assert_int_equal(list.n, MODES_MAX);
    strcat(many, ",auto");
    check_status(STATUS_USAGE, mode_list_parse("compare", many, &list));
}

TEST(rounds_need_a_comparison)
{
    struct taskpool_settings settings;
    struct mode_list list;
    taskpool_settings_default(&settings);
    check_ok(mode_options_choose(&settings, NULL, 1, &list));
    check_ok(mode_options_choose(&settings, "static,auto", 2, &list));
    check_status(STATUS_USAGE, mode_options_choose(&settings, NULL, 2, &list));
    assert_non_null(strstr(status_text(), "--rounds has no effect without --compare"));
}

TEST(what_is_no_list_is_refused)
{
    static const char *const bad[] = {
        "",         ",",       "static,",        ",static", "static,,steal", "static, steal",
        "nonsense", "all,all", "all,static,all", "stat"};
    struct mode_list list;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        check_status(STATUS_USAGE, mode_list_parse("compare", bad[i], &list));
        assert_non_null(strstr(status_text(), "--compare"));
    }
    check_status(STATUS_USAGE, mode_list_parse("compare", "all,stat", &list));
    assert_non_null(strstr(status_text(), "'stat' is not a mode; give 'all', or some of "
                                          "static, counter, "));
    check_status(STATUS_USAGE, mode_list_parse("compare", "static,Stael", &list));
    assert_non_null(strstr(status_text(), ": did you mean steal?"));
    char *many = calloc(1, 1000);
    memset(many, 'x', 999);
    check_status(STATUS_USAGE, mode_list_parse("compare", many, &list));
    free(many);
}

TEST(a_value_that_a_mode_cannot_use_is_refused)
{
    struct taskpool_settings settings;
    struct mode_list list;
    taskpool_settings_default(&settings);
    settings.mode = "steal";
    check_ok(taskpool_settings_set(&settings, "steal", "12"));
    check_ok(mode_options_check(&settings));
    check_ok(taskpool_settings_set(&settings, "steal", "0"));
    check_status(STATUS_USAGE, mode_options_check(&settings));
    assert_non_null(strstr(status_text(), "--steal 0"));
    check_ok(mode_list_parse("compare", "static,retentive", &list));
    check_status(STATUS_USAGE, mode_options_check_list(&settings, &list));
}

TEST(an_option_must_be_for_one_of_the_modes)
{
    struct taskpool_settings settings;
    struct mode_list list;
    taskpool_settings_default(&settings);
    check_ok(taskpool_settings_set(&settings, "fan-out", "2"));
    check_ok(mode_list_parse("compare", "static,dtree", &list));
    check_ok(mode_options_check_list(&settings, &list));
    check_ok(mode_list_parse("compare", "static,steal,auto", &list));
    check_status(STATUS_USAGE, mode_options_check_list(&settings, &list));
    assert_non_null(strstr(status_text(), "--fan-out"));
}

TEST(a_mode_gets_its_own_options_only)
{
    struct taskpool_settings settings, selected;
    taskpool_settings_default(&settings);
    settings.poll_every = 3;
    settings.seeding = TASKPOOL_SEEDING_CYCLIC;
    settings.chunk = 5;
    check_ok(taskpool_settings_set(&settings, "steal", "2"));
    check_ok(taskpool_settings_set(&settings, "skew", "true"));
    check_ok(taskpool_settings_set(&settings, "drain", "0.25"));

    mode_options_select(&settings, "steal", &selected);
    assert_string_equal(selected.mode, "steal");
    assert_int_equal(selected.poll_every, 3);
    assert_int_equal(selected.seeding, TASKPOOL_SEEDING_CYCLIC);
    assert_true(has_value(&selected, "steal", "2"));
    assert_int_equal(selected.chunk, 5);
    assert_true(has_value(&selected, "skew", "false"));
    assert_true(has_value(&selected, "drain", "0.5"));

    mode_options_select(&settings, "dtree", &selected);
    assert_int_equal(selected.seeding, TASKPOOL_SEEDING_BY_MODE);
    assert_true(has_value(&selected, "steal", "half"));
    assert_int_equal(selected.chunk, 0);
    assert_true(has_value(&selected, "drain", "0.25"));

    mode_options_select(&settings, "auto", &selected);
    assert_int_equal(selected.poll_every, 3);
    assert_int_equal(selected.seeding, TASKPOOL_SEEDING_CYCLIC);
    assert_true(has_value(&selected, "steal", "2"));
}

TEST(as_published_is_for_the_modes_that_steal)
{
    static const char *const stealing[] = {"steal", "retentive", "persist"};
    struct taskpool_settings settings, selected;
    struct mode_list list;
    taskpool_settings_default(&settings);
    check_ok(taskpool_settings_set(&settings, "as-published", NULL));
    for (int i = 0; i < 3; i++) {
        settings.mode = stealing[i];
        check_ok(mode_options_check(&settings));
    }
    settings.mode = "dtree";
    check_status(STATUS_USAGE, mode_options_check(&settings));
    assert_non_null(strstr(status_text(), "it is for steal, retentive, persist"));
    check_ok(mode_list_parse("compare", "static,steal", &list));
    check_ok(mode_options_check_list(&settings, &list));
    mode_options_select(&settings, "steal", &selected);
    assert_true(has_value(&selected, "as-published", "true"));
    mode_options_select(&settings, "static", &selected);
    assert_true(has_value(&selected, "as-published", "false"));
}
