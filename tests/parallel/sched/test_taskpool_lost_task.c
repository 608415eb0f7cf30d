/* SPDX-License-Identifier: BSD-3-Clause */
/* A mode that loses a task, or runs one twice, fails the run on every process. With an argument,
 * a pool of that many tasks only. */
#include "taskpool/taskpool.h"
#include "tests/cases/sabotage_mode.h"

#include <stdlib.h>
#include <string.h>

static int64_t n_of_large_pool;

static int run_nothing(int64_t task, void *context)
{
    (void)task, (void)context;
    return STATUS_OK;
}

static void check_found(const char *mode, int64_t n_tasks)
{
    struct taskpool_problem problem = {.n_tasks = n_tasks, .run = run_nothing};
    struct taskpool_settings settings;
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    settings.mode = mode;
    check_ok(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &pool));
    check_status(STATUS_PROTOCOL, taskpool_run(pool));
    assert_non_null(strstr(status_text(), mode));
    taskpool_destroy(pool);
}

TEST(wrong_modes_are_found_out)
{
    check_found("loses", n_of_large_pool > 0 ? n_of_large_pool : 1000);
    check_found("swaps", n_of_large_pool > 0 ? n_of_large_pool : 1000);
}

TEST(wrong_modes_of_every_kind_are_found_out)
{
    for (int i = 0; i < N_SABOTAGED; i++)
        for (int swaps = 0; swaps < 2; swaps++)
            check_found(sabotage_names[i][swaps], 1000);
}

static int change_record(void *record, void *context)
{
    (void)context;
    *(int64_t *)record = 0;
    return STATUS_OK;
}

TEST(lost_records_are_found_out)
{
    struct taskpool_problem problem = {.record_size = sizeof(int64_t), .run_record = change_record};
    struct taskpool_settings settings;
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    for (int sabotage = 0; sabotage < 2; sabotage++) {
        settings.mode = sabotage ? "forgets" : "steal";
        check_ok(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &pool));
        for (int64_t record = 0; record < 50; record++)
            check_ok(taskpool_add(pool, &record));
        check_status(sabotage ? STATUS_PROTOCOL : STATUS_OK, taskpool_run(pool));
        taskpool_destroy(pool);
    }
}

static void start(void)
{
    n_of_large_pool = check_argc > 1 ? atoll(check_argv[1]) : 0;
    register_sabotage();
    register_sabotages_by_name();
}

TEST_SETUP(start)
