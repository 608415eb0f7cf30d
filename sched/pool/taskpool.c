#include "sched/pool/taskpool.h"

#include "sched/pool/core/mode.h"
#include "sched/pool/core/run_outcome.h"
#include "sched/pool/core/seeding_build.h"
#include "sched/pool/core/speeds.h"
#include "sched/pool/core/statistics_report.h"
#include "sched/pool/drivers/mpi/driver_mpi.h"
#include "sched/pool/drivers/mpi/mpi_doorbell.h"
#include "sched/pool/drivers/sim/driver_sim.h"
#include "sched/pool/modes/mode_options.h"
#include "sched/pool/modes/modes.h"
#include "sched/pool/trace/recorder.h"
#include "sched/pool/trace/timeline_report.h"
#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/base/die.h"
#include "support/base/node.h"

#include <assert.h>
#include <stdlib.h>

struct taskpool {
    MPI_Comm comm; /* owned */
    struct taskpool_problem problem;
    struct taskpool_settings settings;
    const struct taskpool_machine *bound; /* of a bound: the machine that it knows; else NULL */
    struct taskpool_seeding seeding;
    int64_t *speed_sums;
    struct taskpool_mode_setup setup;
    struct taskpool_history history;
    struct driver *driver;
    struct recorder *recorder; /* NULL: neither trace nor timeline */
    struct task_census added;  /* by this process: records of a dynamic pool before the first run */
    struct task_census made;   /* and by the tasks of the iteration */
    bool running;

    int64_t n_iterations, capacity;
    struct taskpool_iteration *iterations; /* n_iterations */
    struct statistics_worker *workers;     /* [iteration][worker of this process] */
};

const char *taskpool_mode_names(void)
{
    return mode_names();
}

enum status taskpool_register_mode(const struct taskpool_mode *mode)
{
    return mode_register(mode);
}

void taskpool_settings_default(struct taskpool_settings *settings)
{
    mode_options_default(settings);
}

enum status taskpool_settings_set(struct taskpool_settings *settings, const char *option,
                                  const char *value)
{
    size_t n_of_modes = settings->n_of_modes;
    const struct option_table table = mode_options_table(settings);
    settings->n_of_modes = n_of_modes; /* the other options get no defaults */
    return option_set(&table, option, value);
}

int taskpool_thread_level(const struct taskpool_settings *settings)
{
    return settings->progress == TASKPOOL_PROGRESS_THREAD ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
}

static bool is_dynamic(const struct taskpool_mode *mode, const void *context)
{
    (void)context;
    return mode->add != NULL;
}

static enum status check_problem(const struct taskpool_problem *problem,
                                 const struct taskpool_mode *mode)
{
    char names[1024];
    if (problem->n_tasks < 0 || problem->n_tasks > TASKPOOL_MAX_TASKS)
        return FAIL(STATUS_LIMIT, "a pool of %lld tasks; at most %lld are possible",
                    (long long)problem->n_tasks, (long long)TASKPOOL_MAX_TASKS);
    if (problem->record_size > 0 && !mode->add)
        return FAIL(STATUS_USAGE, "--sched %s cannot run tasks that add tasks: use one of %s",
                    mode->name, mode_names_where(is_dynamic, NULL, names, sizeof names));
    return STATUS_OK;
}

static enum status sum_speeds(struct taskpool *pool, int n_workers)
{
    double *speeds;
    TRY(speeds_read(pool->comm, pool->settings.speeds, n_workers, &speeds));
    enum status status = speeds_sum(speeds, n_workers, &pool->speed_sums);
    free(speeds);
    pool->setup.speed_sums = pool->speed_sums;
    return status_agree(pool->comm, status);
}

/* The schedule of a bound for the next iteration. */
static enum status seed_bound(struct taskpool *pool)
{
    const struct taskpool_machine *machine = pool->bound;
    const struct seeding_knowledge knowledge = {
        .time = machine->time,
        .context = machine->context,
        .task_s = machine->task_s,
        .speeds = machine->speeds,
        .n_threads = machine->n_threads > 0 ? machine->n_threads : 1,
    };
    seeding_fini(&pool->seeding);
    return seeding_longest_init(&pool->seeding, pool->problem.n_tasks, machine->n_workers,
                                &knowledge);
}

static enum status seed_mode(struct taskpool *pool, const struct taskpool_mode *mode, int n_workers)
{
    int rule = pool->settings.seeding;
    if (mode->prefers_cost && rule == TASKPOOL_SEEDING_BLOCK && pool->problem.cost)
        rule = TASKPOOL_SEEDING_COST;
    return seeding_init(&pool->seeding, pool->comm, &pool->problem, rule, n_workers);
}

/* Fills pool->setup, the data that the workers share. */
static enum status set_up(struct taskpool *pool, const struct taskpool_mode *mode, int n_workers)
{
    const char *speeds = pool->settings.speeds;
    TRY(check_problem(&pool->problem, mode));
    pool->setup.problem = &pool->problem;
    pool->setup.settings = &pool->settings;
    if (speeds && *speeds)
        TRY(sum_speeds(pool, n_workers));
    if (mode->seeded && pool->problem.record_size == 0) {
        TRY(pool->bound ? seed_bound(pool) : seed_mode(pool, mode, n_workers));
        pool->setup.seeding = &pool->seeding;
    }
    return STATUS_OK;
}

/* For the driver to fill. */
static enum status start_recorder(struct taskpool *pool, const struct taskpool_machine *machine,
                                  const struct taskpool_mode *mode)
{
    int rank, size, n_threads = machine && machine->n_threads > 0 ? machine->n_threads : 1;
    MPI_Comm_rank(pool->comm, &rank);
    MPI_Comm_size(pool->comm, &size);
    int64_t n = machine ? (int64_t)machine->n_workers * n_threads : 1;
    const struct trace_shape shape = {.n_lanes = n * size,
                                      .first = n * rank,
                                      .n = n,
                                      .n_threads = n_threads,
                                      .is_simulated = machine != NULL};
    return recorder_create(&pool->settings, &shape, mode->name, &pool->recorder);
}

/* machine  NULL: over MPI, a worker per process */
static enum status init_pool(struct taskpool *pool, const struct taskpool_machine *machine)
{
    const struct taskpool_mode *mode = mode_find(pool->settings.mode);
    int n_workers;
    char names[1024];
    if (!pool->settings.mode)
        return FAIL(STATUS_USAGE, "the settings name no mode: call taskpool_settings_default");
    if (!mode)
        return FAIL(STATUS_USAGE, "there is no scheduling mode '%s': use one of %s",
                    pool->settings.mode, mode_names_where(NULL, NULL, names, sizeof names));
    TRY(mode_options_check_made(&pool->settings, mode));
    MPI_Comm_size(pool->comm, &n_workers);
    if (!machine)
        TRY(mode_check_real(mode));
    pool->bound = mode->is_bound ? machine : NULL;
    TRY(set_up(pool, mode, machine ? machine->n_workers : n_workers));
    TRY(start_recorder(pool, machine, mode));
    const struct driver_records records = {
        .history = pool->settings.keep_history ? &pool->history : NULL, .recorder = pool->recorder};
    if (machine)
        return driver_sim_create(mode, machine, &pool->setup, &records, &pool->driver);
    return driver_mpi_create(pool->comm, mode, &pool->setup, &records, &pool->driver);
}

static enum status create_pool_of(MPI_Comm comm, const struct taskpool_problem *problem,
                                  const struct taskpool_settings *settings,
                                  const struct taskpool_machine *machine, struct taskpool **out)
{
    struct taskpool *pool = calloc(1, sizeof *pool);
    if (!pool)
        die_no_memory("no memory for a pool of tasks");
    /* Found once for all pools of a communicator, as they stay with duplicates. */
    node_count(comm);
    if (!machine)
        mpi_doorbells_of(comm);
    MPI_Comm_dup(comm, &pool->comm);
    pool->problem = *problem;
    pool->settings = *settings;
    enum status status = init_pool(pool, machine);
    if (status != STATUS_OK) {
        taskpool_destroy(pool);
        return status;
    }
    *out = pool;
    return STATUS_OK;
}

enum status taskpool_create(MPI_Comm comm, const struct taskpool_problem *problem,
                            const struct taskpool_settings *settings, struct taskpool **pool)
{
    return create_pool_of(comm, problem, settings, NULL, pool);
}

enum status taskpool_simulate(const struct taskpool_problem *problem,
                              const struct taskpool_settings *settings,
                              const struct taskpool_machine *machine, struct taskpool **pool)
{
    return create_pool_of(MPI_COMM_SELF, problem, settings, machine, pool);
}

int64_t taskpool_task_bytes(const struct taskpool_settings *settings)
{
    const struct taskpool_mode *mode = mode_find(settings->mode);
    size_t bytes = mode ? mode->task_bytes : 0;
    /* A history doubles when it is full, and the old one is copied meanwhile. */
    if (settings->keep_history)
        bytes += 3 * sizeof(struct taskpool_history_entry);
    return (int64_t)bytes;
}

void taskpool_destroy(struct taskpool *pool)
{
    if (!pool)
        return;
    if (pool->driver)
        pool->driver->functions->destroy(pool->driver);
    recorder_destroy(pool->recorder);
    seeding_fini(&pool->seeding);
    history_fini(&pool->history);
    free(pool->speed_sums);
    free(pool->iterations);
    free(pool->workers);
    MPI_Comm_free(&pool->comm);
    free(pool);
}

enum status taskpool_add(struct taskpool *pool, const void *record)
{
    struct task_census *census = pool->running ? &pool->made : &pool->added;
    TRY(pool->driver->functions->add(pool->driver, record));
    task_census_add_record(census, record, pool->problem.record_size);
    return STATUS_OK;
}

/* Where the statistics of an iteration are: in a ring, if not all are kept. */
static int64_t slot_of_iteration(const struct taskpool *pool, int64_t iteration)
{
    int64_t keep = pool->settings.keep_iterations;
    return keep > 0 ? iteration % keep : iteration;
}

/* Room for the statistics of one more iteration. */
static enum status reserve_iteration(struct taskpool *pool)
{
    /* The arrays grow together: pool->capacity is that of both. */
    int64_t n = pool->n_iterations + 1, capacity = pool->capacity;
    TRY(array_reserve(&pool->iterations, n, &capacity, sizeof *pool->iterations));
    return array_reserve(&pool->workers, n, &pool->capacity,
                         (size_t)pool->driver->n_workers * sizeof *pool->workers);
}

/* Agrees only when the arrays have to grow: on all processes at the same iteration. */
static enum status make_room(struct taskpool *pool)
{
    if (slot_of_iteration(pool, pool->n_iterations) < pool->capacity)
        return STATUS_OK;
    enum status status = status_agree(pool->comm, reserve_iteration(pool));
    if (status != STATUS_OK)
        pool->capacity = pool->n_iterations;
    return status;
}

/* The tasks of the pool that this process answers for. */
static struct task_census tasks_there(const struct taskpool *pool)
{
    struct task_census there = pool->made;
    int rank;
    MPI_Comm_rank(pool->comm, &rank);
    task_census_join(&there, &pool->added);
    const struct taskpool_range all = {.first = 0, .last = pool->problem.n_tasks, .step = 1};
    if (rank == 0)
        task_census_add_range(&there, &all);
    return there;
}

/* Sums up an iteration that ended on this process with a status of its own. */
static enum status end_iteration(struct taskpool *pool, enum status own)
{
    const struct driver *driver = pool->driver;
    int64_t slot = slot_of_iteration(pool, pool->n_iterations);
    struct statistics_worker *workers = &pool->workers[slot * driver->n_workers];
    struct taskpool_iteration *iteration = &pool->iterations[slot];
    struct run_outcome outcome = {.totals = statistics_totals_of(workers, driver->n_workers),
                                  .there = tasks_there(pool),
                                  .ran = driver->ran,
                                  .undelivered_before = driver->undelivered_before,
                                  .undelivered = driver->undelivered,
                                  .n_failed = own != STATUS_OK};
    run_outcome_reduce(pool->comm, &outcome);
    iteration->iteration = pool->n_iterations++;
    if (pool->recorder)
        recorder_end(pool->recorder, iteration->iteration, workers,
                     outcome.totals.maxima.elapsed_s);
    statistics_summarize(&outcome.totals, workers, driver->n_workers, iteration);
    if (outcome.n_failed > 0)
        return status_agree(pool->comm, own);
    return run_outcome_check(&outcome, pool->settings.mode);
}

/* Makespan of the last iteration, s. */
static double past_makespan(const struct taskpool *pool)
{
    int64_t last = pool->n_iterations - 1;
    return last >= 0 ? pool->iterations[slot_of_iteration(pool, last)].makespan_s : 0;
}

enum status taskpool_run(struct taskpool *pool)
{
    TRY(make_room(pool));
    history_clear(&pool->history);
    if (pool->recorder && pool->recorder->timeline)
        timeline_begin(pool->recorder->timeline, past_makespan(pool));
    pool->made = (struct task_census){0};
    pool->running = true;
    int64_t slot = slot_of_iteration(pool, pool->n_iterations);
    enum status status =
        pool->driver->functions->run(pool->driver, &pool->workers[slot * pool->driver->n_workers]);
    pool->running = false;
    enum status finished =
        pool->problem.finish ? pool->problem.finish(pool->problem.context) : STATUS_OK;
    return end_iteration(pool, status != STATUS_OK ? status : finished);
}

enum status taskpool_restore(struct taskpool *pool)
{
    if (pool->bound)
        TRY(seed_bound(pool));
    return pool->driver->functions->restore(pool->driver);
}

void taskpool_poll(struct taskpool *pool)
{
    pool->driver->functions->poll(pool->driver);
}

double taskpool_progress(const struct taskpool *pool)
{
    return pool->driver->functions->progress(pool->driver);
}

int64_t taskpool_n_iterations(const struct taskpool *pool)
{
    return pool->n_iterations;
}

const struct taskpool_iteration *taskpool_statistics(const struct taskpool *pool, int64_t iteration)
{
    assert(iteration >= 0 && iteration < pool->n_iterations);
    assert(pool->settings.keep_iterations == 0 ||
           iteration >= pool->n_iterations - pool->settings.keep_iterations);
    return &pool->iterations[slot_of_iteration(pool, iteration)];
}

enum status taskpool_write_statistics(const struct taskpool *pool, const char *path)
{
    assert(pool->settings.keep_iterations == 0);
    return statistics_write_csv(pool->comm, pool->workers, pool->n_iterations,
                                pool->driver->n_workers, path);
}

/* Task seconds of this process's workers in one iteration. */
static void copy_loads(const struct taskpool *pool, int64_t iteration, double *loads_s)
{
    int n = pool->driver->n_workers;
    const struct statistics_worker *workers =
        &pool->workers[slot_of_iteration(pool, iteration) * n];
    for (int i = 0; i < n; i++)
        loads_s[i] = workers[i].task_s;
}

enum status taskpool_timeline(const struct taskpool *pool, json_t **timeline)
{
    int64_t last = pool->n_iterations - 1, keep = pool->settings.keep_iterations;
    int n = pool->driver->n_workers;
    *timeline = NULL;
    if (!pool->recorder || !pool->recorder->timeline || last < 0)
        return STATUS_OK;
    double *loads_s = malloc(2 * (size_t)n * sizeof *loads_s);
    enum status status =
        status_agree(pool->comm, CHECK_MEMORY(loads_s, "no memory for %d loads", n));
    if (status == STATUS_OK) {
        copy_loads(pool, keep > 0 && last >= keep ? last - keep + 1 : 0, loads_s);
        copy_loads(pool, last, loads_s + n);
        const struct timeline_problem problem = {.problem = &pool->problem,
                                                 .statistics = taskpool_statistics(pool, last),
                                                 .all = keep == 0 ? pool->iterations : NULL,
                                                 .first_loads_s = loads_s,
                                                 .loads_s = loads_s + n,
                                                 .n_workers = n};
        status = timeline_to_json(pool->comm, pool->recorder->timeline, &problem, timeline);
    }
    free(loads_s);
    return status;
}

const struct taskpool_history *taskpool_history(const struct taskpool *pool)
{
    return &pool->history;
}
