/* SPDX-License-Identifier: BSD-3-Clause */
/* A mode of the program's own is refused with the reason where it is ill-described, and leaves
 * nothing behind then; settings made before it was registered do not run it. */
#include "sched/pool/modes/modes.h"
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <string.h>

#define N_OF(array) (sizeof(array) / sizeof(array)[0])

struct own_settings {
    int64_t n;
    int word;
    const char *text;
};

static struct taskpool_comm *last_comm;

static int keep_comm(void *state, const struct taskpool_mode_setup *setup,
                     struct taskpool_comm *comm)
{
    (void)state, (void)setup;
    last_comm = comm;
    return STATUS_OK;
}

/* Neither answer would have a function to go to. */
static enum taskpool_mode_step fetching_next(void *state, struct taskpool_mode_work *work)
{
    (void)state, (void)work;
    taskpool_comm_fetch_add(last_comm, 1);
    return TASKPOOL_MODE_SEARCH;
}

static enum taskpool_mode_step sending_next(void *state, struct taskpool_mode_work *work)
{
    (void)state, (void)work;
    taskpool_comm_send(last_comm, 0, "", 1);
    return TASKPOOL_MODE_SEARCH;
}

static const struct taskpool_option good_row =
    TASKPOOL_INTEGER_OPTION("own", offsetof(struct own_settings, n), 1, 9, .default_text = "3",
                            .value = "N", .help = "a number");

static struct taskpool_mode mode_called(const char *name)
{
    struct taskpool_mode mode = *mode_find("static");
    mode.name = name;
    mode.help = "static under another name";
    mode.options = NULL;
    return mode;
}

static void check_refused(enum status status, const struct taskpool_mode *mode, const char *text)
{
    char before[1024];
    snprintf(before, sizeof before, "%s", taskpool_mode_names());
    size_t size = mode_settings_size();
    check_status(status, taskpool_register_mode(mode));
    if (!strstr(status_text(), text))
        fail_msg("'%s' is not in '%s'", text, status_text());
    assert_string_equal(taskpool_mode_names(), before);
    assert_int_equal(mode_settings_size(), size);
}

TEST(bad_modes_are_refused)
{
    static const char *const names[] = {NULL,    "",    "-bad",
                                        "--all", "Bad", "b,d",
                                        "b d",   "all", "a-name-that-is-much-too-long-to-type"};
    struct taskpool_mode mode;
    check_refused(STATUS_USAGE, NULL, "NULL");
    for (size_t i = 0; i < N_OF(names); i++) {
        mode = mode_called(names[i]);
        check_refused(STATUS_USAGE, &mode, "a mode");
    }
    mode = mode_called("static");
    check_refused(STATUS_USAGE, &mode, "the name static is taken");
    for (int i = 0; i < 2; i++) {
        mode = mode_called("bad");
        mode.next = i == 0 ? NULL : mode.next;
        mode.help = i == 1 ? NULL : mode.help;
        check_refused(STATUS_USAGE, &mode, "mode bad lacks");
    }
}

static void refuse_rows(const struct taskpool_option *rows, size_t n, size_t size, const char *text)
{
    struct taskpool_mode_options options = {.rows = rows, .n_rows = n, .size = size};
    struct taskpool_mode mode = mode_called("bad");
    mode.options = (struct taskpool_mode_options *[]){&options, NULL};
    check_refused(size > 1024 ? STATUS_LIMIT : STATUS_USAGE, &mode, text);
    assert_non_null(strstr(status_text(), "mode bad: "));
    assert_false(options.is_registered);
}

TEST(bad_options_are_refused)
{
    const size_t size = sizeof(struct own_settings);
    static const char *const names[] = {
        NULL,       "",           "-own",    "o=n",   "o n",  "Own",   /* taken: */ "help",
        "help-all", "help-modes", "version", "sched", "seed", "victim"};
    const size_t offsets[] = {1, size, size - 4, SIZE_MAX, SIZE_MAX - 7};
    struct taskpool_option row = good_row;
    for (size_t i = 0; i < N_OF(names); i++) {
        row.name = names[i];
        refuse_rows(&row, 1, size, i < 6 ? "the name of an option" : names[i]);
    }
    row = good_row;
    for (size_t i = 0; i < N_OF(offsets); i++) {
        row.offset = offsets[i];
        refuse_rows(&row, 1, size, "--own needs 8 bytes");
    }
    row = good_row;
    row.default_text = "10";
    refuse_rows(&row, 1, size, "--own: '10' is not a whole number from 1 to 9");
    row = good_row;
    row.help = NULL;
    refuse_rows(&row, 1, size, "--own has no help");
    row = good_row;
    row.kind = (enum taskpool_option_kind)17;
    refuse_rows(&row, 1, size, "--own is of no kind");
    row.kind = TASKPOOL_OPTION_CHOICE;
    refuse_rows(&row, 1, size, "--own has no choices");
    refuse_rows(&good_row, 1, 4, "--own needs 8 bytes");
    refuse_rows(NULL, 1, size, "without rows");
    refuse_rows(&good_row, 0, size, "without rows");
    refuse_rows(&good_row, 1, 1025, "no room");
    refuse_rows(&good_row, 1, SIZE_MAX, "no room");
    refuse_rows((struct taskpool_option[]){good_row, good_row}, 2, size, "two of its options");
}

/* Options in two tables of one mode. */
TEST(options_of_one_mode_differ)
{
    struct taskpool_mode_options first = {.rows = &good_row, .n_rows = 1, .size = 24},
                                 second = first;
    struct taskpool_mode mode = mode_called("bad");
    mode.options = (struct taskpool_mode_options *[]){&first, &second, NULL};
    check_refused(STATUS_USAGE, &mode, "mode bad: two of its options are called --own");
    mode.options = (struct taskpool_mode_options *[]){&first, &first, NULL};
    check_refused(STATUS_USAGE, &mode, "mode bad: two of its options are called --own");
}

static double one_second(int64_t task, const void *record, const void *context)
{
    (void)task, (void)record, (void)context;
    return 1;
}

/* The status of a simulated run with the settings. */
static enum status simulate(const struct taskpool_settings *settings)
{
    struct taskpool_problem problem = {.n_tasks = 10};
    struct taskpool_machine machine = {.n_workers = 2, .time = one_second};
    struct taskpool *pool = NULL;
    enum status status = taskpool_simulate(&problem, settings, &machine, &pool);
    if (status == STATUS_OK)
        status = taskpool_run(pool);
    taskpool_destroy(pool);
    return status;
}

TEST(settings_must_know_the_mode)
{
    static struct taskpool_mode late;
    static struct taskpool_mode_options options = {
        .rows = &good_row, .n_rows = 1, .size = sizeof(struct own_settings)};
    static struct taskpool_mode_options *const all[] = {&options, NULL};
    struct taskpool_settings settings;
    taskpool_settings_default(&settings);
    settings.mode = NULL;
    check_status(STATUS_USAGE, simulate(&settings));
    assert_non_null(strstr(status_text(), "taskpool_settings_default"));
    assert_int_equal(taskpool_task_bytes(&settings), 0);

    late = mode_called("late");
    late.options = all;
    check_ok(taskpool_register_mode(&late));
    settings.mode = "late";
    check_status(STATUS_USAGE, simulate(&settings));
    assert_non_null(strstr(status_text(), "options of mode late: call taskpool_settings_default"));
    check_ok(taskpool_settings_set(&settings, "poll-every", "3"));
    check_status(STATUS_USAGE, simulate(&settings));
    settings.mode = "static";
    check_ok(simulate(&settings));

    taskpool_settings_default(&settings);
    settings.mode = "late";
    check_ok(simulate(&settings));
    assert_int_equal(((const struct own_settings *)taskpool_settings_of(&settings, &options))->n,
                     3);
}

TEST(calls_without_their_functions_name_the_mode)
{
    static struct taskpool_mode modes[2];
    static const char *const rows[2][2] = {{"fetching", "it calls taskpool_comm_fetch_add"},
                                           {"sending", "it sends messages"}};
    for (int i = 0; i < 2; i++) {
        struct taskpool_settings settings;
        modes[i] = (struct taskpool_mode){.name = rows[i][0],
                                          .help = "lacks a function",
                                          .init = keep_comm,
                                          .next = i == 0 ? fetching_next : sending_next,
                                          .restore = mode_find("static")->restore,
                                          .progress = mode_find("static")->progress};
        check_ok(taskpool_register_mode(&modes[i]));
        taskpool_settings_default(&settings);
        settings.mode = rows[i][0];
        check_status(STATUS_PROTOCOL, simulate(&settings));
        assert_non_null(strstr(status_text(), rows[i][0]));
        assert_non_null(strstr(status_text(), rows[i][1]));
    }
}

TEST(there_is_room_for_so_many_modes)
{
    static struct taskpool_mode modes[MODES_MAX];
    static char names[MODES_MAX][8];
    int n = 0;
    for (; mode_count() < MODES_MAX; n++) {
        snprintf(names[n], sizeof names[n], "more%d", n);
        modes[n] = mode_called(names[n]);
        check_ok(taskpool_register_mode(&modes[n]));
    }
    struct taskpool_mode mode = mode_called("bad");
    check_refused(STATUS_LIMIT, &mode, "at most 64 modes");
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
