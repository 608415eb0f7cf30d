/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/history.h"
#include "sched/pool/core/seeding.h"
#include "sched/pool/core/speeds.h"
#include "sched/pool/drivers/mpi/mpi_doorbell.h"
#include "sched/pool/modes/mode_options.h"
#include "sched/pool/modes/modes.h"
#include "sched/pool/pool.h"
#include "sched/pool/pool_check.h"
#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/base/die.h"
#include "support/base/node.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static_assert((int)STATUS_USAGE == (int)TASKPOOL_STATUS_USAGE &&
                  (int)STATUS_LIMIT == (int)TASKPOOL_STATUS_LIMIT &&
                  (int)STATUS_NO_MEMORY == (int)TASKPOOL_STATUS_NO_MEMORY &&
                  (int)STATUS_PROTOCOL == (int)TASKPOOL_STATUS_PROTOCOL,
              "statuses are passed on as they are");

#define TEXT_OF(number)              #number
#define VERSION(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *taskpool_version(void)
{
    return VERSION(TASKPOOL_VERSION_MAJOR, TASKPOOL_VERSION_MINOR, TASKPOOL_VERSION_PATCH);
}

const char *taskpool_error_text(void)
{
    return status_text();
}

const char *taskpool_status_words(int status)
{
    return status_words((enum status)status);
}

int taskpool_fail(int status, const char *text)
{
    return FAIL((enum status)status, "%s", text ? text : "");
}

const char *taskpool_mode_names(void)
{
    return mode_names();
}

int taskpool_register_mode(const struct taskpool_mode *mode)
{
    return mode_register(mode);
}

void taskpool_settings_default(struct taskpool_settings *settings)
{
    if (settings)
        mode_options_default(settings);
}

int taskpool_settings_set(struct taskpool_settings *settings, const char *option, const char *value)
{
    if (!settings || !option)
        return FAIL(STATUS_USAGE, "%s NULL: give settings and the name of an option",
                    settings ? "the option is" : "the settings are");
    size_t n_of_modes = settings->n_of_modes;
    const struct option_table table = mode_options_table(settings);
    settings->n_of_modes = n_of_modes; /* the other options get no defaults */
    return option_set(&table, option, value);
}

int taskpool_thread_level(const struct taskpool_settings *settings)
{
    return settings && settings->progress == TASKPOOL_PROGRESS_THREAD ? MPI_THREAD_MULTIPLE
                                                                      : MPI_THREAD_SINGLE;
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
    seeding_fini(&pool->seeding);
    return seeding_longest_init(&pool->seeding, pool->problem.n_tasks, pool->bound);
}

static enum status seed_mode(struct taskpool *pool, const struct taskpool_mode *mode, int n_workers)
{
    int rule = pool->settings.seeding;
    if (rule == TASKPOOL_SEEDING_BY_MODE)
        rule = mode->seeding ? mode->seeding(&pool->problem) : TASKPOOL_SEEDING_BLOCK;
    return seeding_init(&pool->seeding, pool->comm, &pool->problem, rule, n_workers);
}

/* Fills pool->setup, the data that the workers share. */
static enum status set_up(struct taskpool *pool, const struct taskpool_mode *mode, int n_workers)
{
    const char *speeds = pool->settings.speeds;
    pool->setup.problem = &pool->problem;
    pool->setup.settings = &pool->settings;
    pool->setup.tasks_wait = pool->machine && pool->machine->data;
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
    const struct taskpool_mode *mode = mode_for(pool->settings.mode, pool->problem.record_size > 0);
    int n_workers;
    MPI_Comm_size(pool->comm, &n_workers);
    pool->machine = machine;
    pool->bound = mode->is_bound ? machine : NULL;
    TRY(set_up(pool, mode, machine ? machine->n_workers : n_workers));
    TRY(start_recorder(pool, machine, mode));
    const struct driver_records records = {
        .history = pool->settings.keep_history ? &pool->history : NULL, .recorder = pool->recorder};
    if (machine)
        return driver_sim_create(mode, machine, &pool->setup, &records, &pool->driver);
    return driver_mpi_create(pool->comm, mode, &pool->setup, &records, &pool->driver);
}

static enum status create_pool_of(const struct pool_request *request, struct taskpool **out)
{
    struct taskpool *pool = calloc(1, sizeof *pool);
    if (!pool)
        die_no_memory("no memory for a pool of tasks");
    /* Found once for all pools of a communicator, as they stay with duplicates. */
    node_count(request->comm);
    if (!request->simulated)
        mpi_doorbells_of(request->comm);
    MPI_Comm_dup(request->comm, &pool->comm);
    MPI_Comm_set_errhandler(pool->comm, MPI_ERRORS_ARE_FATAL); /* return codes are not checked */
    pool->n_failures = status_n_failures();
    pool->problem = *request->problem;
    pool->settings = *request->settings;
    enum status status = init_pool(pool, request->machine);
    if (status != STATUS_OK) {
        taskpool_destroy(pool);
        return status;
    }
    *out = pool;
    return STATUS_OK;
}

/* request  complete except for the settings, which are added here */
static enum status create_checked(struct pool_request *request,
                                  const struct taskpool_settings *settings, struct taskpool **pool)
{
    struct taskpool_settings copy;
    if (pool)
        *pool = NULL;
    TRY(pool_check_comm(request->comm));
    if (settings) {
        copy = *settings;
        request->settings = &copy;
    }
    request->has_room = pool != NULL;
    TRY(pool_check_request(request));
    return create_pool_of(request, pool);
}

int taskpool_create(MPI_Comm comm, const struct taskpool_problem *problem,
                    const struct taskpool_settings *settings, struct taskpool **pool)
{
    struct pool_request request = {.comm = comm, .problem = problem};
    return create_checked(&request, settings, pool);
}

int taskpool_simulate(const struct taskpool_problem *problem,
                      const struct taskpool_settings *settings,
                      const struct taskpool_machine *machine, struct taskpool **pool)
{
    struct pool_request request = {
        .comm = MPI_COMM_SELF, .simulated = true, .problem = problem, .machine = machine};
    return create_checked(&request, settings, pool);
}

int64_t taskpool_task_bytes(const struct taskpool_settings *settings)
{
    if (!settings)
        return 0;
    const struct taskpool_mode *mode = mode_find(settings->mode);
    size_t bytes = mode ? mode->task_bytes : 0;
    /* A history doubles when it is full, and the old one is copied meanwhile. */
    if (settings->keep_history)
        bytes += 3 * sizeof(struct taskpool_history_entry);
    return (int64_t)bytes;
}

static bool is_inside(const struct taskpool *pool)
{
    return pool->state == POOL_RUNNING || pool->state == POOL_ENDING;
}

void taskpool_destroy(struct taskpool *pool)
{
    if (!pool)
        return;
    if (is_inside(pool)) {
        pool->destroyed_in_task = true;
        return;
    }
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

static enum status check_addition(const struct taskpool *pool, const void *record)
{
    if (!pool || !record)
        return FAIL(STATUS_USAGE, "taskpool_add: the %s is NULL", pool ? "record" : "pool");
    if (pool->problem.record_size == 0)
        return FAIL(STATUS_USAGE,
                    "taskpool_add: the pool is one of numbered tasks; create it with a "
                    "record_size for tasks that are added");
    if (pool->state != POOL_SEEDED && pool->state != POOL_RUNNING)
        return FAIL(STATUS_USAGE,
                    "taskpool_add: the iteration has ended; add tasks from the body of "
                    "a task, or after taskpool_restore");
    return STATUS_OK;
}

int taskpool_add(struct taskpool *pool, const void *record)
{
    TRY(check_addition(pool, record));
    struct task_census *census = pool->state == POOL_RUNNING ? &pool->made : &pool->added;
    TRY(pool->driver->functions->add(pool->driver, record));
    task_census_add_record(census, record, pool->problem.record_size);
    return STATUS_OK;
}

/* Room for the statistics of one more iteration. */
static enum status reserve_iteration(struct taskpool *pool)
{
    /* Both arrays have pool->capacity entries. */
    int64_t n = pool->n_iterations + 1, capacity = pool->capacity;
    TRY(array_reserve(&pool->iterations, n, &capacity, sizeof *pool->iterations));
    return array_reserve(&pool->workers, n, &pool->capacity,
                         (size_t)pool->driver->n_workers * sizeof *pool->workers);
}

/* Agrees only when the arrays have to grow: on all processes at the same iteration. */
static enum status make_room(struct taskpool *pool)
{
    if (pool_slot(pool, pool->n_iterations) < pool->capacity)
        return STATUS_OK;
    enum status status = status_agree(pool->comm, reserve_iteration(pool));
    if (status != STATUS_OK) /* on any process: all try again in the next run */
        pool->capacity = pool->n_iterations;
    return status;
}

/* Makespan of the last iteration, s. */
/* Runs the tasks of this process. */
static enum status run_tasks(struct taskpool *pool)
{
    int64_t slot = pool_slot(pool, pool->n_iterations);
    pool->state = POOL_RUNNING;
    enum status status =
        pool->driver->functions->run(pool->driver, &pool->workers[slot * pool->driver->n_workers]);
    pool->state = POOL_ENDING;
    int finished = pool->problem.finish ? pool->problem.finish(pool->problem.context) : 0;
    if (status == STATUS_OK)
        status = (enum status)finished;
    pool->state = POOL_RAN;
    if (pool->destroyed_in_task) {
        pool->destroyed_in_task = false;
        return FAIL(STATUS_USAGE, "taskpool_destroy was called from a task of the pool: destroy it "
                                  "after taskpool_run");
    }
    return status_explain(status, pool->n_failures,
                          "a task, or finish, returned %d without a text: call taskpool_fail there",
                          (int)status);
}

/* Refuses a call from inside a task, or after a failure that leaves the mode's state undefined.
 * instead  for a call from inside a task */
static enum status check_between(const struct taskpool *pool, const char *function,
                                 const char *instead)
{
    if (!pool)
        return FAIL(STATUS_USAGE, "%s: the pool is NULL", function);
    if (is_inside(pool))
        return FAIL(STATUS_USAGE, "%s was called from a task of the pool: %s", function, instead);
    if (pool->state == POOL_BROKEN)
        return FAIL(STATUS_USAGE, "%s: the mode has failed; the pool can only be destroyed",
                    function);
    return STATUS_OK;
}

int taskpool_run(struct taskpool *pool)
{
    TRY(check_between(pool, "taskpool_run", "add tasks by taskpool_add"));
    if (pool->state == POOL_RAN)
        return FAIL(STATUS_USAGE, "taskpool_run: the tasks have run; call taskpool_restore before "
                                  "the next iteration");
    TRY(make_room(pool));
    history_clear(&pool->history);
    pool->made = (struct task_census){0};
    return pool_end_iteration(pool, run_tasks(pool));
}

int taskpool_restore(struct taskpool *pool)
{
    TRY(check_between(pool, "taskpool_restore", "restore it after taskpool_run"));
    if (pool->state == POOL_SEEDED)
        return STATUS_OK;
    pool->state = POOL_BROKEN; /* until it succeeds */
    pool->n_failures = status_n_failures();
    if (pool->bound)
        TRY(seed_bound(pool));
    TRY(pool->driver->functions->restore(pool->driver));
    pool->state = POOL_SEEDED;
    return STATUS_OK;
}

void taskpool_poll(struct taskpool *pool)
{
    if (pool && pool->state == POOL_RUNNING && pool->driver->functions->poll)
        pool->driver->functions->poll(pool->driver);
}

double taskpool_progress(const struct taskpool *pool)
{
    return pool ? pool->driver->functions->progress(pool->driver) : 0;
}
