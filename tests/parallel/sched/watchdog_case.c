/* SPDX-License-Identifier: BSD-3-Clause */
/* A run for test_taskpool_watchdog.sh: watchdog_case CASE [OPTION=VALUE ...]. Prints "done" if
 * it ends well. */
#include "taskpool/taskpool.h"
#include "tests/cases/sabotage_mode.h"

#include <signal.h>
#include <string.h>
#include <time.h>

enum { N_TASKS = 40, BAD_TASK = 17, N_SLOW = 10 /* of each process */ };

static void nap(double time_s)
{
    struct timespec pause = {.tv_sec = (time_t)time_s};
    pause.tv_nsec = (long)((time_s - (double)pause.tv_sec) * 1e9);
    nanosleep(&pause, NULL);
}

static int run_short(int64_t task, void *context)
{
    (void)task, (void)context;
    nap(0.001);
    return STATUS_OK;
}

static int run_endless(int64_t task, void *context)
{
    (void)context;
    while (task == BAD_TASK)
        nap(0.1);
    return STATUS_OK;
}

/* The process stops in its midst, and with it its watchdog. */
static int run_stopped(int64_t task, void *context)
{
    (void)context;
    if (task == BAD_TASK)
        raise(SIGSTOP);
    return STATUS_OK;
}

static int run_endless_record(void *record, void *context)
{
    return run_endless(*(int64_t *)record, context);
}

/* On process 0 one task for twice the time that the watchdog waits, which is 1 s, while others
 * finish theirs. */
static int run_slow(int64_t task, void *context)
{
    (void)context;
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    bool has_long = size > 1 && task < N_SLOW;
    nap(!has_long ? 0.25 : task == 0 ? 2.2 : 0.01);
    return STATUS_OK;
}

/* The others wait longer for process 0 than the watchdog does. */
static int run_uneven(int64_t task, void *context)
{
    (void)context;
    nap(task < N_SLOW ? 0.25 : 0.01);
    return STATUS_OK;
}

/* --- modes that hang --- */

/* Worker 0 never finds that it is done. */
static enum taskpool_mode_step stall_next(void *state, struct taskpool_mode_work *work)
{
    struct sabotage_state *self = state;
    enum taskpool_mode_step step = self->under->next(sabotage_under(state), work);
    return step == TASKPOOL_MODE_DONE && self->saboteur ? TASKPOOL_MODE_WAIT : step;
}

/* Worker 0 does not read its messages. */
static void deaf_receive(void *state, int from, const void *message, size_t size)
{
    struct sabotage_state *self = state;
    if (!self->saboteur)
        self->under->receive(sabotage_under(state), from, message, size);
}

static enum taskpool_mode_step plain_next(void *state, struct taskpool_mode_work *work)
{
    struct sabotage_state *self = state;
    return self->under->next(sabotage_under(state), work);
}

static void describe_under(const void *state, char *text, size_t size)
{
    const struct sabotage_state *self = state;
    self->under->describe(self + 1, text, size);
}

static void register_hanging(void)
{
    static struct taskpool_mode stalls = {
        .name = "stalls", .init = sabotage_init_static, .next = stall_next};
    static struct taskpool_mode deaf = {
        .name = "deaf", .init = sabotage_init_steal, .next = plain_next};
    struct taskpool_mode *modes[] = {&stalls, &deaf};
    deaf.add = sabotage_add;
    deaf.receive = deaf_receive;
    deaf.sent = sabotage_sent;
    for (int i = 0; i < 2; i++) {
        struct taskpool_mode *mode = modes[i];
        mode->help = "hangs on purpose";
        mode->seeded = true;
        mode->state_size =
            sizeof(struct sabotage_state) + mode_find(i == 0 ? "static" : "steal")->state_size;
        mode->fini = sabotage_fini;
        mode->seed = sabotage_seed;
        mode->restore = sabotage_restore;
        mode->progress = sabotage_progress;
        mode->describe = describe_under;
        check_ok(mode_register(mode));
    }
}

static struct taskpool_problem find_problem(const char *name)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct taskpool_problem problem = {.n_tasks = N_TASKS, .run = run_short};
    if (strcmp(name, "endless") == 0)
        problem.run = run_endless;
    if (strcmp(name, "stopped") == 0)
        problem.run = run_stopped;
    if (strcmp(name, "records") == 0)
        problem = (struct taskpool_problem){.record_size = sizeof(int64_t),
                                            .run_record = run_endless_record};
    if (strcmp(name, "slow") == 0)
        problem = (struct taskpool_problem){.n_tasks = (int64_t)N_SLOW * size, .run = run_slow};
    if (strcmp(name, "uneven") == 0)
        problem = (struct taskpool_problem){.n_tasks = (int64_t)N_SLOW * size, .run = run_uneven};
    return problem;
}

static void set_options(struct taskpool_settings *settings, int n, char **words)
{
    for (int i = 0; i < n; i++) {
        char *value = strchr(words[i], '=');
        assert_non_null(value);
        *value = '\0';
        check_ok(taskpool_settings_set(settings, words[i], value + 1));
    }
}

int main(int argc, char **argv)
{
    struct taskpool_settings settings;
    struct taskpool *pool;
    int rank, provided;
    register_hanging();
    taskpool_settings_default(&settings);
    set_options(&settings, argc - 2, argv + 2);
    MPI_Init_thread(NULL, NULL, taskpool_thread_level(&settings), &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct taskpool_problem problem = find_problem(argv[1]);
    check_ok(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &pool));
    for (int64_t record = 0; problem.record_size > 0 && record < N_TASKS; record++)
        if (rank == 0)
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
