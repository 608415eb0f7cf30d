/* SPDX-License-Identifier: BSD-3-Clause */
/* A run for test_taskpool_watchdog.sh: watchdog_case CASE [OPTION=VALUE ...]. Prints "done" if
 * it ends well. */
#include "taskpool/taskpool.h"
#include "tests/cases/sabotage_mode.h"

#include <signal.h>
#include <time.h>

enum { N_TASKS = 40, BAD_TASK = 17, N_SLOW = 10 /* of each process */ };

static int rank, size;

static void nap(double time_s)
{
    struct timespec pause = {.tv_sec = (time_t)time_s};
    pause.tv_nsec = (long)((time_s - (double)pause.tv_sec) * 1e9);
    nanosleep(&pause, NULL);
}

/* slow: process 0 has one task for twice the time that the watchdog waits, which is 1 s, while others
 * finish theirs. uneven: the others wait longer for process 0 than the watchdog does. stopped: the process
 * stops in its midst, and with it its watchdog. */
static int run(int64_t task, void *context)
{
    bool has_long = size > 1 && task < N_SLOW;
    double time_s = 1e-3;
    if (strcmp(context, "slow") == 0)
        time_s = !has_long ? 0.25 : task == 0 ? 2.2 : 0.01;
    if (strcmp(context, "uneven") == 0)
        time_s = task < N_SLOW ? 0.25 : 0.01;
    if (strcmp(context, "stopped") == 0 && task == BAD_TASK)
        raise(SIGSTOP);
    if ((strcmp(context, "endless") == 0 || strcmp(context, "records") == 0) && task == BAD_TASK)
        time_s = 1e9;
    nap(time_s);
    return STATUS_OK;
}

static int run_record(void *record, void *context)
{
    return run(*(int64_t *)record, context);
}

/* --- modes that hang --- */

/* Worker 0 never finds that it is done. */
static enum taskpool_mode_step stall_next(void *state, struct taskpool_mode_work *work)
{
    enum taskpool_mode_step step = sabotage_of(state)->under->next(state, work);
    return step == TASKPOOL_MODE_DONE && rank == 0 ? TASKPOOL_MODE_WAIT : step;
}

static enum taskpool_mode_step deaf_next(void *state, struct taskpool_mode_work *work)
{
    return sabotage_of(state)->under->next(state, work);
}

/* Worker 0 does not read its messages. */
static void deaf_receive(void *state, int from, const void *message, size_t message_size)
{
    if (rank > 0)
        sabotage_of(state)->under->receive(state, from, message, message_size);
}

static void register_hanging(void)
{
    static struct taskpool_mode stalls, deaf;
    stalls = sabotage_make("stalls-static", stall_next);
    deaf = sabotage_make("deaf-steal", deaf_next);
    deaf.receive = deaf_receive;
    check_ok(mode_register(&stalls));
    check_ok(mode_register(&deaf));
}

int main(int argc, char **argv)
{
    struct taskpool_settings settings;
    struct taskpool *pool;
    int provided;
    register_hanging();
    taskpool_settings_default(&settings);
    for (int i = 2; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        assert_non_null(value);
        *value = '\0';
        check_ok(taskpool_settings_set(&settings, argv[i], value + 1));
    }
    MPI_Init_thread(NULL, NULL, taskpool_thread_level(&settings), &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct taskpool_problem problem = {
        .n_tasks = N_TASKS, .run = run, .run_record = run_record, .context = argv[1]};
    if (strcmp(argv[1], "slow") == 0 || strcmp(argv[1], "uneven") == 0)
        problem.n_tasks = (int64_t)N_SLOW * size;
    if (strcmp(argv[1], "records") == 0) {
        problem.n_tasks = 0;
        problem.record_size = sizeof(int64_t);
    }
    check_ok(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &pool));
    for (int64_t record = 0; problem.record_size > 0 && record < N_TASKS && rank == 0; record++)
        check_ok(taskpool_add(pool, &record));
    /* The others wait for this process, but not in a pool. */
    if (strcmp(argv[1], "late") == 0 && rank == 0)
        nap(2.5);
    check_ok(taskpool_run(pool));
    taskpool_destroy(pool);
    MPI_Finalize();
    if (rank == 0)
        puts("done");
    return 0;
}
