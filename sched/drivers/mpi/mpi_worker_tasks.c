#include "sched/drivers/mpi/driver_mpi_private.h"

#include "support/base/clock.h"

bool mpi_worker_is_timed(const struct driver_mpi *driver)
{
    return !driver->record && (driver->history || driver->mode->finished);
}

static void tell_mode(struct driver_mpi *driver, int64_t task, double time_s)
{
    if (!driver->mode->finished)
        return;
    mpi_worker_lock(driver);
    driver->mode->finished(driver->state, task, time_s);
    mpi_worker_unlock(driver);
}

/* Of the first n tasks of the range, those up to a failure. One reading of the
 * clock between two tasks ends one and begins the other. */
static void run_timed(struct driver_mpi *driver, struct task_range *range, int64_t n)
{
    const struct taskpool_problem *problem = driver->problem;
    for (; n > 0 && driver->status == STATUS_OK; n--) {
        int64_t task = range->first;
        range->first += range->step;
        double start_s = driver->clock_s;
        enum status status = problem->run(task, problem->context);
        driver->clock_s = clock_now_s();
        double time_s = driver->clock_s - start_s - driver->polled_s;
        driver->polled_s = 0;
        driver->worker.task_s += time_s;
        driver->worker.tasks++;
        if (driver->history && status == STATUS_OK)
            status = history_add(driver->history, task, time_s, driver->comm.comm.rank);
        driver->status = status;
        tell_mode(driver, task, time_s);
    }
}

/* The same where nobody wants to know how long each task took. */
static void run_untimed(struct driver_mpi *driver, struct task_range *range, int64_t n)
{
    const struct taskpool_problem *problem = driver->problem;
    for (; n > 0 && driver->status == STATUS_OK; n--) {
        int64_t task = range->first;
        range->first += range->step;
        driver->status = problem->run(task, problem->context);
        driver->worker.tasks++;
    }
}

void mpi_worker_account_tasks(struct driver_mpi *driver)
{
    mpi_worker_account(driver, &driver->worker.task_s);
    driver->worker.task_s -= driver->polled_s;
    driver->polled_s = 0;
}

static void count_tasks(struct driver_mpi *driver, int64_t n)
{
    driver->n_since_look += n;
    if (driver->n_since_look < driver->pace.n)
        return;
    /* What is timed task by task is accounted for up to a moment ago. */
    if (!mpi_worker_is_timed(driver))
        mpi_worker_account_tasks(driver);
    mpi_worker_look(driver);
}

/* After a failure tasks are only reported, so that the mode comes to its end. */
static void pass_over(struct driver_mpi *driver, const struct task_range *range)
{
    if (!driver->mode->finished)
        return;
    for (int64_t task = range->first; task < range->last; task += range->step)
        tell_mode(driver, task, 0);
}

void mpi_worker_run_range(struct driver_mpi *driver, struct task_range range)
{
    bool timed = mpi_worker_is_timed(driver);
    int64_t left = task_range_count(&range);
    while (left > 0 && driver->status == STATUS_OK) {
        int64_t n = driver->pace.n - driver->n_since_look;
        if (n > left)
            n = left;
        driver->measures_next = false;
        if (timed)
            run_timed(driver, &range, n);
        else
            run_untimed(driver, &range, n);
        left -= n;
        count_tasks(driver, n);
    }
    pass_over(driver, &range);
}

void mpi_worker_run_record(struct driver_mpi *driver)
{
    const struct taskpool_problem *problem = driver->problem;
    driver->measures_next = false;
    if (driver->status == STATUS_OK) {
        driver->status = problem->run_record(driver->record, problem->context);
        driver->worker.tasks++;
    }
    count_tasks(driver, 1);
}
