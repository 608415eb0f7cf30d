/* SPDX-License-Identifier: BSD-3-Clause */
/* IDs beyond 32 bits and up to the last one of the largest pool. Modes that begin with a seeding are simulated:
 * each task runs once in every iteration, after it was stolen and balanced, too. Few tasks of such a pool are
 * seeded. Modes over a counter and the tree hand out all. */
#include "sched/pool/core/driver.h"
#include "sched/pool/core/seeding.h"
#include "support/base/random.h"
#include "tests/cases/pool_cases.h"

#define N_OF(array) (sizeof(array) / sizeof(array)[0])

/* --- seeded modes --- */

enum { N_WORKERS = 9, N_OF_WORKER = 40, N_SEEDED = N_WORKERS * N_OF_WORKER, N_ITERATIONS = 4 };

struct far_pool {
    int64_t first, step; /* of the IDs */
    int n_runs[N_SEEDED];
};

/* A thousand times as long for the last workers as for the first ones. */
static double seconds_of_far_task(int64_t task, const void *record, const void *context)
{
    const struct far_pool *pool = context;
    (void)record;
    return 1e-6 * (1 + (double)((task - pool->first) / pool->step * 1000 / N_SEEDED));
}

static int run_far_task(int64_t task, void *context)
{
    struct far_pool *pool = context;
    assert_int_equal((task - pool->first) % pool->step, 0);
    assert_in_range((task - pool->first) / pool->step, 0, N_SEEDED - 1);
    pool->n_runs[(task - pool->first) / pool->step]++;
    return STATUS_OK;
}

static void run_far_pool(const struct taskpool_mode *mode, int64_t first, int64_t step)
{
    struct far_pool pool = {.first = first, .step = step};
    struct task_ranges owned[N_WORKERS] = {0};
    struct statistics_worker workers[N_WORKERS];
    /* Ranges of the same number of IDs for each worker. */
    struct taskpool_seeding seeding = {.rule = TASKPOOL_SEEDING_OWNER,
                                       .n_tasks = TASKPOOL_MAX_TASKS,
                                       .n_workers = N_WORKERS,
                                       .owned = owned,
                                       .n_owned = N_WORKERS};
    for (int worker = 0; worker < N_WORKERS; worker++) {
        struct taskpool_range range = {.first = first + worker * N_OF_WORKER * step, .step = step};
        range.last = range.first + (N_OF_WORKER - 1) * step + 1;
        check_ok(task_ranges_add_range(&owned[worker], range));
    }
    const struct taskpool_problem problem = {
        .n_tasks = TASKPOOL_MAX_TASKS, .run = run_far_task, .context = &pool};
    const struct taskpool_machine machine = {.n_workers = N_WORKERS,
                                             .latency_s = 1e-6,
                                             .latency_spread_s = 1e-6,
                                             .time = seconds_of_far_task,
                                             .context = &pool};
    struct taskpool_settings settings;
    struct driver *driver;
    taskpool_settings_default(&settings);
    settings.mode = mode->name;
    const struct taskpool_mode_setup setup = {
        .problem = &problem, .settings = &settings, .seeding = &seeding};
    check_ok(driver_sim_create(mode, &machine, &setup, &(struct driver_records){0}, &driver));
    for (int iteration = 0; iteration < N_ITERATIONS; iteration++) {
        if (iteration > 0)
            check_ok(driver->functions->restore(driver));
        memset(pool.n_runs, 0, sizeof pool.n_runs);
        memset(workers, 0, sizeof workers);
        check_ok(driver->functions->run(driver, workers));
        for (int i = 0; i < N_SEEDED; i++)
            assert_int_equal(pool.n_runs[i], 1);
    }
    driver->functions->destroy(driver);
    for (int worker = 0; worker < N_WORKERS; worker++)
        task_ranges_fini(&owned[worker]);
}

TEST(far_ids_run_once)
{
    const int64_t steps[] = {1, 7, INT64_C(1) << 33};
    int n_modes = 0;
    for (int i = 0; i < mode_count(); i++) {
        const struct taskpool_mode *mode = mode_at(i);
        if (!mode->seeded || mode->is_bound)
            continue;
        n_modes++;
        for (size_t s = 0; s < N_OF(steps); s++) {
            run_far_pool(mode, INT64_C(22000000000), steps[s]);
            run_far_pool(mode, TASKPOOL_MAX_TASKS - 1 - (N_SEEDED - 1) * steps[s], steps[s]);
        }
    }
    assert_true(n_modes >= 8);
}

/* --- workers by hand, whose counter answers late and in any order --- */

struct fake_worker {
    struct taskpool_comm comm; /* first */
    bool asked, done;
    int64_t increment;
    void *state;
};

static void fake_fetch_add(struct taskpool_comm *comm, int64_t increment)
{
    struct fake_worker *worker = (struct fake_worker *)comm;
    assert_false(worker->asked);
    worker->asked = true;
    worker->increment = increment;
}

static void send_nothing(struct taskpool_comm *comm, int to,
                         const struct taskpool_comm_message *message)
{
    (void)comm, (void)to, (void)message;
}

static const struct taskpool_comm_functions fake_functions = {.fetch_add = fake_fetch_add,
                                                              .send = send_nothing};

static void init_fakes(const struct taskpool_settings *settings, int64_t n_tasks,
                       struct fake_worker *workers, int n_workers)
{
    const struct taskpool_problem problem = {.n_tasks = n_tasks};
    const struct taskpool_mode_setup setup = {.problem = &problem, .settings = settings};
    const struct taskpool_mode *mode = mode_find(settings->mode);
    for (int i = 0; i < n_workers; i++) {
        workers[i] = (struct fake_worker){
            .comm = {.functions = &fake_functions, .rank = i, .size = n_workers},
            .state = calloc(1, mode->state_size)};
        check_ok(mode->init(workers[i].state, &setup, &workers[i].comm));
    }
}

/* Ranges are [0, n_tasks), in the order of the counter's answers. */
static void run_over_counter(const struct taskpool_mode *mode, struct fake_worker *workers,
                             int n_workers, int64_t n_tasks, struct random_stream *random)
{
    int64_t counter = 0, next_task = 0;
    for (int n_done = 0; n_done < n_workers;) {
        struct fake_worker *worker = &workers[random_below(random, (uint64_t)n_workers)];
        struct taskpool_mode_work work = {.n_wanted = 8};
        if (worker->done)
            continue;
        if (worker->asked) {
            int64_t value = counter;
            assert_false(__builtin_add_overflow(counter, worker->increment, &counter));
            worker->asked = false;
            mode->fetched(worker->state, value);
        }
        enum taskpool_mode_step step = mode->next(worker->state, &work);
        if (step == TASKPOOL_MODE_RUN) {
            assert_int_equal(work.range.first, next_task);
            assert_true(work.range.last > next_task && work.range.step == 1);
            next_task = work.range.last;
        }
        worker->done = step == TASKPOOL_MODE_DONE;
        n_done += worker->done;
    }
    assert_int_equal(next_task, n_tasks);
}

TEST(a_counter_hands_out_the_largest_pool)
{
    static const char *const modes[] = {"counter", "guided", "factoring", "trapezoid"};
    static const struct {
        int64_t n_tasks, chunk;
    } rows[] = {{TASKPOOL_MAX_TASKS, INT64_MAX},
                {TASKPOOL_MAX_TASKS, INT64_C(1) << 50},
                {INT64_C(21743271936), 1000000},
                {1000, INT64_MAX},
                {7, 0},
                {0, 1}};
    const int n_workers[] = {1, 2, 7, 64};
    struct random_stream random;
    random_stream_init(&random, 1, 0);
    for (size_t i = 0; i < N_OF(modes) * N_OF(rows) * N_OF(n_workers); i++) {
        const struct taskpool_mode *mode = mode_find(modes[i % 4]);
        int64_t n_tasks = rows[i / 4 % N_OF(rows)].n_tasks;
        int n = n_workers[i / 4 / N_OF(rows)];
        struct taskpool_settings settings;
        struct fake_worker workers[64];
        taskpool_settings_default(&settings);
        settings.mode = mode->name;
        settings.chunk = rows[i / 4 % N_OF(rows)].chunk;
        init_fakes(&settings, n_tasks, workers, n);
        for (int iteration = 0; iteration < 3; iteration++) {
            run_over_counter(mode, workers, n, n_tasks, &random);
            for (int w = 0; w < n; w++) {
                workers[w].done = false;
                assert_true(mode->progress(workers[w].state, 0) == 1);
                assert_int_equal(mode->restore(workers[w].state), TASKPOOL_MODE_DONE);
            }
        }
        for (int w = 0; w < n; w++)
            free(workers[w].state);
    }
}

/* Three workers in a chain begin with consecutive parts of all tasks. */
TEST(a_tree_hands_out_the_largest_pool)
{
    const struct taskpool_settings settings =
        pool_case_settings("--sched=dtree --fan-out=1 --first-share=1");
    const struct taskpool_mode *dtree = mode_find("dtree");
    struct fake_worker workers[3];
    int64_t next_task = 0;
    init_fakes(&settings, TASKPOOL_MAX_TASKS, workers, 3);
    for (int i = 0; i < 3; i++) {
        struct taskpool_mode_work work = {.n_wanted = INT64_MAX};
        assert_int_equal(dtree->next(workers[i].state, &work), TASKPOOL_MODE_RUN);
        assert_int_equal(work.range.first, next_task);
        next_task = work.range.last;
        dtree->fini(workers[i].state);
        free(workers[i].state);
    }
    assert_int_equal(next_task, TASKPOOL_MAX_TASKS);
}
