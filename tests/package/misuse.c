/* SPDX-License-Identifier: BSD-3-Clause */
/* Misuses of the library: each must be refused with TASKPOOL_STATUS_USAGE, or as its line says,
 * and a text that names what to do, or do no harm. Runs on any number of processes. */
#pragma GCC diagnostic ignored "-Wunused-parameter" /* of callbacks */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taskpool/mode.h>
#include <taskpool/simulation.h>
#include <taskpool/taskpool.h>

static int n_wrong, rank, size;

/* Arguments of a case: good, until the case spoils one. */
static struct taskpool_problem problem;
static struct taskpool_settings settings;
static struct taskpool_machine machine;
static struct taskpool *pool;

#define USAGE TASKPOOL_STATUS_USAGE
#define LIMIT TASKPOOL_STATUS_LIMIT

static void check(const char *what, int status, int expected, const char *text)
{
    if (status == expected && strstr(taskpool_error_text(), text))
        return;
    n_wrong++;
    fprintf(stderr, "process %d: %s: status %d (%s), text '%s'\n", rank, what, status,
            taskpool_status_words(status), taskpool_error_text());
}

static int run_nothing(int64_t task, void *context)
{
    return 0;
}

static int run_record(void *record, void *context)
{
    return 0;
}

static double one_second(int64_t task, const void *record, const void *context)
{
    return 1;
}

static void begin(void)
{
    problem = (struct taskpool_problem){.n_tasks = 200, .run = run_nothing};
    machine = (struct taskpool_machine){.n_workers = 4, .time = one_second};
    taskpool_settings_default(&settings);
    settings.mode = "static";
    pool = (struct taskpool *)&machine; /* no pool */
}

/* A creation or simulation with the spoiled argument, which must fail and leave NULL. */
static void refuse(const char *what, bool simulated, int expected, const char *text)
{
    int status = simulated ? taskpool_simulate(&problem, &settings, &machine, &pool)
                           : taskpool_create(MPI_COMM_WORLD, &problem, &settings, &pool);
    check(what, status, expected, text);
    check("the pool is NULL", pool ? TASKPOOL_STATUS_OK : USAGE, USAGE, "");
    begin();
}

#define BAD_AS(status, change, text) ((change), refuse(#change, false, (status), (text)))
#define BAD(change, text)            BAD_AS(USAGE, change, text)
#define BAD_MACHINE(change, text)    ((change), refuse(#change, true, USAGE, (text)))
#define CALL(call, text)             check(#call, call, USAGE, text)
#define GOOD(call)                   check(#call, call, TASKPOOL_STATUS_OK, "")
#define CREATE()                     GOOD(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &pool))

/* --- creation --- */

static void misuse_problem(void)
{
    BAD(problem.run = NULL, "run is NULL");
    BAD(problem.record_size = 8, "n_tasks is 200 and record_size 8");
    BAD((problem.record_size = 8, problem.n_tasks = 0), "run_record is NULL");
    BAD((problem.record_size = 8, problem.n_tasks = 0, problem.run_record = run_record),
        "--sched static cannot run tasks that add tasks");
    BAD((problem.run = NULL, problem.run_record = run_record), "set record_size");
    BAD_AS(LIMIT, problem.n_tasks = -1, "-1 tasks");
    BAD_AS(LIMIT, problem.n_tasks = TASKPOOL_MAX_TASKS + 1, "are possible");
    BAD_AS(LIMIT,
           (problem.n_tasks = 0, problem.record_size = (size_t)-1, problem.run_record = run_record),
           "are possible");
    BAD(settings.seeding = TASKPOOL_SEEDING_OWNER, "have no owner");
    BAD(settings.seeding = TASKPOOL_SEEDING_COST, "--seeding cost");
}

static void misuse_settings(void)
{
    BAD(memset(&settings, 0, sizeof settings), "call taskpool_settings_default");
    BAD(settings.mode = NULL, "call taskpool_settings_default");
    BAD(settings.mode = "", "there is no scheduling mode");
    BAD(settings.mode = "quick", "use one of");
    BAD(settings.mode = "lpt", "mode lpt knows all durations");
    BAD(settings.poll_every = 0, "--poll-every: '0'");
    BAD(settings.seed = -1, "--seed: '-1'");
    BAD(settings.seeding = 17, "--seeding: '17'");
    BAD(settings.seeding = TASKPOOL_SEEDING_LONGEST, "--seeding: '5'");
    BAD((settings.mode = "auto", settings.seeding = 99), "--seeding: '99'");
    BAD((settings.mode = "static", settings.chunk = -1), "--chunk: '-1'");
    BAD(settings.progress = 3, "--progress: '3'");
    BAD(settings.watchdog_s = -1, "--watchdog: '-1'");
    BAD(settings.watchdog_s = (double)NAN, "--watchdog: 'nan'");
    BAD(settings.keep_iterations = -1, "keep_iterations is -1");
    BAD((settings.mode = "steal", settings.n_of_modes = 0), "call taskpool_settings_default");
    BAD((settings.mode = "steal", memset(&settings.of_modes, 0xff, sizeof settings.of_modes)),
        "--");
    BAD_AS(TASKPOOL_STATUS_IO, (settings.mode = "share", settings.speeds = "/no/such/file"),
           "/no/such/file");
    CALL(taskpool_settings_set(NULL, "steal", "2"), "settings are NULL");
    CALL(taskpool_settings_set(&settings, NULL, "2"), "the option is NULL");
    CALL(taskpool_settings_set(&settings, "steal", NULL), "a value is missing");
    CALL(taskpool_settings_set(&settings, "stael", "2"), "unknown option");
    CALL(taskpool_settings_set(&settings, "poll-every", "0"), "'0' is not");
    taskpool_settings_default(NULL);
    taskpool_task_bytes(NULL);
    taskpool_thread_level(NULL);
    settings.mode = "quick";
    taskpool_task_bytes(&settings);
    begin();
}

static double cost_by_process(int64_t task, void *context)
{
    return task == 7 ? 1 + rank : 1;
}

/* Seeds of processes that do not fit together. */
static void misuse_costs(void)
{
    static const char *const modes[] = {"static", "steal", "auto"};
    for (int m = 0; m < 3; m++)
        for (int64_t n = 20; n < 10000; n *= 10) {
            settings.mode = modes[m];
            settings.seeding = m < 2 ? TASKPOOL_SEEDING_COST : TASKPOOL_SEEDING_BY_MODE;
            problem.n_tasks = n;
            BAD(problem.cost = cost_by_process, "what problem.cost returns for the same task");
        }
    settings.mode = "auto";
    BAD(settings.seeding = rank == 0 ? TASKPOOL_SEEDING_BLOCK : TASKPOOL_SEEDING_CYCLIC,
        "disagree on the settings");
}

static void misuse_communicator(void)
{
    MPI_Comm other = MPI_COMM_NULL, half;
    CALL(taskpool_create(MPI_COMM_NULL, &problem, &settings, &pool), "MPI_COMM_NULL");
    CALL(taskpool_create(MPI_COMM_WORLD, NULL, &settings, &pool), "the problem is NULL");
    CALL(taskpool_create(MPI_COMM_WORLD, &problem, NULL, &pool), "the settings are NULL");
    n_wrong += pool != NULL;
    CALL(taskpool_create(MPI_COMM_WORLD, &problem, &settings, NULL), "address for the pool");
    if (size < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &other);
    CALL(taskpool_create(other, &problem, &settings, &pool), "intercommunicator");
    MPI_Comm_free(&other);
    MPI_Comm_free(&half);
    BAD(problem.n_tasks += rank, "disagree on n_tasks");
    BAD(settings.mode = rank == 0 ? "static" : "counter", "disagree on the mode");
    BAD(settings.poll_every += rank, "disagree on the settings");
    BAD(settings.keep_iterations = rank, "disagree on the settings");
    BAD(problem.finish = rank == 0 ? NULL : (int (*)(void *))abort, "or which of owner");
    BAD(problem.tasks_keep_data = rank == 0, "disagree on tasks_keep_data");
    BAD(problem.run = rank == 1 ? NULL : run_nothing, "run is NULL");
    BAD(settings.poll_every = rank == size - 1 ? 0 : 8, "--poll-every");
    misuse_costs();
}

/* --- the life of a pool --- */

static void misuse_states(const char *mode)
{
    int64_t record = 1, sum;
    begin();
    settings.mode = mode;
    CREATE();
    CALL(taskpool_add(pool, &record), "one of numbered tasks");
    GOOD(taskpool_restore(pool));
    GOOD(taskpool_run(pool));
    CALL(taskpool_run(pool), "call taskpool_restore");
    GOOD(taskpool_restore(pool));
    GOOD(taskpool_restore(pool));
    GOOD(taskpool_run(pool));
    sum = taskpool_statistics(pool, 0)->tasks + taskpool_statistics(pool, 1)->tasks;
    n_wrong += sum != 400;
    taskpool_poll(pool);
    taskpool_progress(pool);
    check("statistics", taskpool_statistics(pool, 2) ? 0 : USAGE, USAGE, "");
    check("statistics", taskpool_statistics(pool, -1) ? 0 : USAGE, USAGE, "");
    CALL(taskpool_write_statistics(pool, NULL), "path is NULL");
    taskpool_destroy(pool);
}

static void misuse_null_pools(void)
{
    CALL(taskpool_run(NULL), "the pool is NULL");
    CALL(taskpool_restore(NULL), "the pool is NULL");
    CALL(taskpool_add(NULL, &rank), "the pool is NULL");
    CALL(taskpool_write_statistics(NULL, "x"), "the pool is NULL");
    CALL(taskpool_trace_start(MPI_COMM_WORLD, NULL), "the settings are NULL");
    taskpool_trace_restart(NULL, MPI_COMM_WORLD);
    taskpool_trace_write(NULL, MPI_COMM_WORLD, NULL);
    taskpool_trace_destroy(NULL);
    taskpool_destroy(NULL);
    taskpool_poll(NULL);
    taskpool_progress(NULL);
    taskpool_n_iterations(NULL);
    taskpool_statistics(NULL, 0);
    (void)taskpool_history(NULL)->n_entries;
    taskpool_fail(TASKPOOL_STATUS_OK, NULL);
    taskpool_status_words(12345);
}

static void misuse_records(void)
{
    int64_t record = 1;
    begin();
    settings.mode = "steal";
    problem = (struct taskpool_problem){.record_size = sizeof record, .run_record = run_record};
    CREATE();
    CALL(taskpool_add(pool, NULL), "the record is NULL");
    GOOD(taskpool_add(pool, &record));
    GOOD(taskpool_run(pool));
    CALL(taskpool_add(pool, &record), "after taskpool_restore");
    GOOD(taskpool_restore(pool));
    GOOD(taskpool_add(pool, &record));
    GOOD(taskpool_run(pool));
    n_wrong += taskpool_statistics(pool, 1)->tasks != 2 * size;
    taskpool_destroy(pool);
    settings.keep_iterations = 1;
    CREATE();
    CALL(taskpool_write_statistics(pool, "x"), "set keep_iterations to 0");
    taskpool_destroy(pool);
}

/* --- inside of tasks --- */

static enum { NESTED_CALLS, NESTED_DESTROY, FAILS, FAILS_WITH_TEXT } inside;

static int misuse_in_task(int64_t task, void *context)
{
    if (task != 3 || inside == FAILS)
        return task == 3 ? 99 : 0;
    if (inside == FAILS_WITH_TEXT)
        return taskpool_fail(TASKPOOL_STATUS_NUMERIC, "three is no number");
    if (inside == NESTED_DESTROY) {
        taskpool_destroy(pool);
        return 0;
    }
    CALL(taskpool_run(pool), "from a task");
    CALL(taskpool_restore(pool), "from a task");
    CALL(taskpool_write_statistics(pool, "x"), "from a task");
    return 0;
}

static void misuse_tasks(void)
{
    static const int statuses[] = {TASKPOOL_STATUS_OK, USAGE, 99, TASKPOOL_STATUS_NUMERIC};
    static const char *const texts[] = {"", "after taskpool_run", "returned 99 without a text",
                                        "three is no number"};
    for (int i = NESTED_CALLS; i <= FAILS_WITH_TEXT; i++) {
        begin();
        inside = i;
        problem.run = misuse_in_task;
        taskpool_fail(TASKPOOL_STATUS_IO, "an older failure");
        CREATE();
        check("run", taskpool_run(pool), statuses[i], texts[i]);
        taskpool_destroy(pool);
    }
}

/* --- simulations --- */

static double negative(int64_t task, const void *record, const void *context)
{
    return task == 5 ? -1 : 1;
}

static void misuse_machines(void)
{
    double speeds[4] = {1, 0, 1, 1}, zeros[2] = {0, 0};
    struct taskpool_noise noise = {.n = 1, .start_s = zeros, .free_s = zeros};
    BAD_MACHINE(machine.n_workers = 0, "0 workers");
    BAD_MACHINE(machine.time = NULL, "time is NULL");
    double *const numbers[] = {&machine.latency_s, &machine.bandwidth, &machine.overhead_s,
                               &machine.counter_s, &machine.atomic_s,  &machine.poll_s,
                               &machine.task_s};
    const char *const names[] = {"latency_s", "bandwidth", "overhead_s", "counter_s",
                                 "atomic_s",  "poll_s",    "task_s"};
    const double bad[] = {-1e-6, (double)NAN, (double)INFINITY};
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 3; k++)
            BAD_MACHINE(*numbers[i] = bad[k], names[i]);
    BAD_MACHINE(machine.n_threads = -2, "n_threads");
    BAD_MACHINE(machine.node_size = -2, "node_size");
    BAD_MACHINE(machine.cache_bytes = -2, "cache_bytes");
    BAD_MACHINE(machine.speeds = speeds, "worker 1 is 0");
    BAD_MACHINE(machine.noise = &noise, "taskpool_noise_init_periodic");
    CALL(taskpool_noise_init_periodic(&noise, 0, 0), "period");
    CALL(taskpool_noise_init_periodic(&noise, 1, 2), "period");
    CALL(taskpool_noise_init_periodic(NULL, 1, 0.1), "NULL");
    CALL(taskpool_noise_read(NULL, "noise.csv"), "NULL");
    CALL(taskpool_noise_read(&noise, NULL), "NULL");
    taskpool_noise_fini(NULL);
    CALL(taskpool_simulate(&problem, &settings, NULL, &pool), "the machine is NULL");
    CALL(taskpool_simulate(&problem, &settings, &machine, NULL), "address for the pool");
    CALL(taskpool_simulate(NULL, &settings, &machine, &pool), "the problem is NULL");
    begin();
    machine.time = negative;
    GOOD(taskpool_simulate(&problem, &settings, &machine, &pool));
    CALL(taskpool_run(pool), "task 5 is -1 s");
    taskpool_destroy(pool);
    begin();
}

/* --- modes and comparisons --- */

static void misuse_modes(void)
{
    static struct taskpool_mode mode; /* the library keeps it */
    CALL(taskpool_register_mode(NULL), "NULL");
    CALL(taskpool_register_mode(&mode), "the name of a mode");
    mode.name = "static";
    CALL(taskpool_register_mode(&mode), "lacks help");
    mode.name = "all";
    CALL(taskpool_register_mode(&mode), "stands for all modes");
}

static void misuse_comparisons(void)
{
    struct taskpool_comparison plan = {.n_rounds = 2, .n_iterations = 1};
    struct taskpool_compared *compared;
    begin();
#define BAD_PLAN(change, text)                                                                     \
    ((change),                                                                                     \
     check(#change, taskpool_compare(MPI_COMM_WORLD, &problem, &settings, &plan, &compared),       \
           USAGE, text))
    BAD_PLAN(plan.modes = NULL, "the names of modes");
    BAD_PLAN(plan.modes = "static,quick", "'quick' is not a mode");
    BAD_PLAN((plan.modes = "static,steal", plan.n_rounds = 1), "give 2 to");
    BAD_PLAN((plan.n_rounds = 2, plan.n_iterations = 0), "give 1 or more");
    BAD_PLAN((plan.n_iterations = 1, problem.run = NULL), "run is NULL");
    CALL(taskpool_compare(MPI_COMM_NULL, &problem, &settings, &plan, &compared), "MPI_COMM_NULL");
    CALL(taskpool_compare(MPI_COMM_WORLD, &problem, &settings, NULL, &compared), "NULL");
    CALL(taskpool_compare(MPI_COMM_WORLD, &problem, NULL, &plan, &compared), "NULL");
    n_wrong += compared != NULL;
    taskpool_compared_n(NULL);
    taskpool_compared_at(NULL, 0);
    taskpool_compared_print(NULL, stdout);
    taskpool_compared_destroy(NULL);
}

int main(int argc, char **argv)
{
    begin();
    CALL(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &pool), "MPI does not run");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    misuse_problem();
    misuse_settings();
    misuse_communicator();
    misuse_null_pools();
    misuse_states("static");
    misuse_states("steal");
    misuse_states("counter");
    misuse_records();
    misuse_tasks();
    misuse_machines();
    misuse_modes();
    misuse_comparisons();
    MPI_Allreduce(MPI_IN_PLACE, &n_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong\n", n_wrong);
    MPI_Finalize();
    CALL(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &pool), "MPI does not run");
    return n_wrong != 0;
}
