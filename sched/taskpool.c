#include "sched/taskpool.h"

#include "sched/driver_mpi.h"
#include "sched/mode.h"
#include "support/agree.h"

#include <assert.h>
#include <stdlib.h>

struct taskpool {
    MPI_Comm comm; /* owned */
    struct taskpool_problem problem;
    struct taskpool_settings settings;
    struct seeding seeding;
    struct mode_setup setup;
    struct history history;
    struct driver_mpi *driver;

    int64_t n_iterations, capacity;
    struct statistics_iteration *iterations; /* n_iterations */
    struct statistics_worker *worker;        /* n_iterations: this worker in each */
};

static enum status check(const struct taskpool_problem *problem)
{
    if (problem->n_tasks < 0 || problem->n_tasks > TASKPOOL_MAX_TASKS)
        return FAIL(STATUS_LIMIT, "a pool of %lld tasks; at most %lld are possible",
                    (long long)problem->n_tasks, (long long)TASKPOOL_MAX_TASKS);
    return STATUS_OK;
}

static enum status init(struct taskpool *pool)
{
    const struct mode *mode = mode_find(pool->settings.mode);
    TRY(check(&pool->problem));
    pool->setup.problem = &pool->problem;
    pool->setup.settings = &pool->settings;
    if (mode->seeded) {
        int n_workers;
        MPI_Comm_size(pool->comm, &n_workers);
        TRY(seeding_init(&pool->seeding, pool->comm, &pool->problem, pool->settings.seeding,
                         n_workers));
        pool->setup.seeding = &pool->seeding;
    }
    return driver_mpi_create(pool->comm, mode, &pool->setup,
                             pool->settings.keep_history ? &pool->history : NULL, &pool->driver);
}

enum status taskpool_create(MPI_Comm comm, const struct taskpool_problem *problem,
                            const struct taskpool_settings *settings, struct taskpool **out)
{
    struct taskpool *pool = calloc(1, sizeof *pool);
    enum status status = STATUS_OK;
    if (!pool)
        status = FAIL(STATUS_NO_MEMORY, "no memory for a pool of tasks");
    status = status_agree(comm, status);
    if (status != STATUS_OK) {
        free(pool);
        return status;
    }
    MPI_Comm_dup(comm, &pool->comm);
    pool->problem = *problem;
    pool->settings = *settings;
    status = init(pool);
    if (status != STATUS_OK) {
        taskpool_destroy(pool);
        return status;
    }
    *out = pool;
    return STATUS_OK;
}

void taskpool_destroy(struct taskpool *pool)
{
    if (!pool)
        return;
    driver_mpi_destroy(pool->driver);
    seeding_fini(&pool->seeding);
    history_fini(&pool->history);
    free(pool->iterations);
    free(pool->worker);
    MPI_Comm_free(&pool->comm);
    free(pool);
}

/* Room for the figures of one more iteration. */
static enum status reserve_iteration(struct taskpool *pool)
{
    if (pool->n_iterations < pool->capacity)
        return STATUS_OK;
    size_t capacity = pool->capacity ? 2 * (size_t)pool->capacity : 16;
    struct statistics_iteration *iterations =
        realloc(pool->iterations, capacity * sizeof *iterations);
    if (iterations)
        pool->iterations = iterations;
    struct statistics_worker *worker = realloc(pool->worker, capacity * sizeof *worker);
    if (worker)
        pool->worker = worker;
    if (!iterations || !worker)
        return FAIL(STATUS_NO_MEMORY, "no memory for the statistics of %zu iterations", capacity);
    pool->capacity = (int64_t)capacity;
    return STATUS_OK;
}

enum status taskpool_run(struct taskpool *pool)
{
    TRY(status_agree(pool->comm, reserve_iteration(pool)));
    history_clear(&pool->history);
    struct statistics_worker *worker = &pool->worker[pool->n_iterations];
    struct statistics_iteration *iteration = &pool->iterations[pool->n_iterations];
    enum status status = driver_mpi_run(pool->driver, worker);
    iteration->iteration = pool->n_iterations;
    statistics_summarize(pool->comm, worker, 1, iteration);
    pool->n_iterations++;
    return status_agree(pool->comm, status);
}

enum status taskpool_restore(struct taskpool *pool)
{
    driver_mpi_restore(pool->driver);
    return STATUS_OK;
}

void taskpool_poll(struct taskpool *pool)
{
    driver_mpi_poll(pool->driver);
}

double taskpool_progress(const struct taskpool *pool)
{
    return driver_mpi_progress(pool->driver);
}

int64_t taskpool_n_iterations(const struct taskpool *pool)
{
    return pool->n_iterations;
}

const struct statistics_iteration *taskpool_statistics(const struct taskpool *pool,
                                                       int64_t iteration)
{
    assert(iteration >= 0 && iteration < pool->n_iterations);
    return &pool->iterations[iteration];
}

enum status taskpool_write_statistics(const struct taskpool *pool, const char *path)
{
    return statistics_write_csv(pool->comm, pool->worker, pool->n_iterations, 1, path);
}

const struct history *taskpool_history(const struct taskpool *pool)
{
    return &pool->history;
}
