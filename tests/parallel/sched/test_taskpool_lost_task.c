/* SPDX-License-Identifier: BSD-3-Clause */
/* A mode that loses a task or a record, or runs one twice, fails the run on every process. */
#include "taskpool/taskpool.h"
#include "tests/cases/sabotage_mode.h"

static int run_nothing(int64_t task, void *context)
{
    (void)task, (void)context;
    return STATUS_OK;
}

static int change_record(void *record, void *context)
{
    (void)context;
    *(int64_t *)record = 0;
    return STATUS_OK;
}

static void check_found(const char *mode, bool has_records, enum status expected)
{
    const struct taskpool_problem problem = {.n_tasks = has_records ? 0 : 1000,
                                             .run = run_nothing,
                                             .record_size = has_records ? sizeof(int64_t) : 0,
                                             .run_record = change_record};
    struct taskpool_settings settings;
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    settings.mode = mode;
    check_ok(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &pool));
    for (int64_t record = 0; has_records && record < 50; record++)
        check_ok(taskpool_add(pool, &record));
    check_status(expected, taskpool_run(pool));
    if (expected != STATUS_OK)
        assert_non_null(strstr(status_text(), mode));
    taskpool_destroy(pool);
}

TEST(wrong_modes_are_found_out)
{
    register_sabotages();
    check_found("steal", true, STATUS_OK);
    for (int i = 0; i < N_SABOTAGES; i++)
        check_found(sabotages[i], sabotages[i][0] == 'f', STATUS_PROTOCOL);
}
