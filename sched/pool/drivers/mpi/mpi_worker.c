/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/mpi/driver_mpi_private.h"

#include "support/base/clock.h"
#include "support/base/die.h"

#include <math.h>
#include <time.h>

/* Records what is idle at the end of tasks. */
static void record_wait(struct driver_mpi *driver, double begin_s, double end_s)
{
    const struct trace_span span = {
        .begin_s = begin_s, .end_s = end_s, .number = -1, .use = TRACE_IDLE};
    if (end_s > begin_s)
        recorder_span(driver->driver.records.recorder, 0, &span, 0);
}

/* Apart from what every run does: without a recorder it is not even in a cache. */
__attribute__((noinline, cold)) static void
record_account(struct driver_mpi *driver, const double *use_s, double now_s, double waited_s)
{
    bool is_task = use_s == &driver->worker.task_s;
    const struct trace_span span = {.begin_s = driver->clock_s,
                                    .end_s = now_s - waited_s,
                                    .number = -1,
                                    .n = is_task ? (int32_t)driver->n_since_poll : 0,
                                    .use = (int32_t)(use_s - &driver->worker.task_s)};
    recorder_span(driver->driver.records.recorder, 0, &span, is_task ? driver->polled_s : 0);
    record_wait(driver, span.end_s, now_s);
}

/* Records a task that has a number. */
__attribute__((noinline, cold)) static void record_task(struct driver_mpi *driver, int64_t task,
                                                        double start_s, double polled_s,
                                                        double waited_s)
{
    const struct trace_span span = {.begin_s = start_s,
                                    .end_s = driver->clock_s - waited_s,
                                    .number = task,
                                    .n = 1,
                                    .use = TRACE_TASK};
    recorder_task(driver->driver.records.recorder, 0, &span, polled_s);
    record_wait(driver, span.end_s, driver->clock_s);
}

/* Turns those seconds since the last account in which tasks waited for a core into idle time, and returns them; time_s:
 * of the tasks, without polls. */
static double take_wait(struct driver_mpi *driver, double time_s)
{
    if (!driver->shares_core)
        return 0;
    double before_s = driver->core_s;
    driver->core_s = clock_thread_s();
    double waited_s = fmin(time_s, fmax(0, time_s - (driver->core_s - before_s)));
    driver->worker.idle_s += waited_s;
    return waited_s;
}

static void account(struct driver_mpi *driver, double *use_s, double now_s, double waited_s)
{
    *use_s += now_s - driver->clock_s - waited_s;
    if (driver->driver.records.recorder)
        record_account(driver, use_s, now_s, waited_s);
    driver->clock_s = now_s;
}

void mpi_worker_account(struct driver_mpi *driver, double *use_s)
{
    account(driver, use_s, clock_now_s(), 0);
    if (driver->shares_core)
        driver->core_s = clock_thread_s();
}

void mpi_worker_deliver(struct driver_mpi *driver)
{
    if (mpi_comm_deliver(&driver->comm))
        driver->n_events++;
}

static void *answer_messages(void *argument)
{
    struct driver_mpi *driver = argument;
    /* Often enough for a thief, rarely enough for the tasks, which may have no
     * other core. */
    const struct timespec pause = {.tv_nsec = 50000};
    while (!atomic_load(&driver->stop)) {
        mpi_worker_lock(driver);
        mpi_worker_deliver(driver);
        mpi_worker_unlock(driver);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static bool needs_thread(const struct driver_mpi *driver)
{
    return driver->threaded && mpi_comm_serves(&driver->comm);
}

void mpi_worker_start_thread(struct driver_mpi *driver)
{
    if (!needs_thread(driver))
        return;
    atomic_store(&driver->stop, false);
    if (pthread_create(&driver->thread, NULL, answer_messages, driver) != 0)
        die("cannot start the thread of --progress thread");
}

void mpi_worker_stop_thread(struct driver_mpi *driver)
{
    if (!needs_thread(driver))
        return;
    atomic_store(&driver->stop, true);
    pthread_join(driver->thread, NULL);
}

void mpi_worker_poll(struct driver_mpi *driver)
{
    const struct statistics_worker *worker = &driver->worker;
    poll_interval_next(&driver->interval, driver->n_since_poll,
                       worker->task_s - driver->polled_task_s);
    driver->n_since_poll = 0;
    if (!driver->threaded && mpi_comm_can_receive(&driver->comm)) {
        pulse_set(driver->slot, PULSE_MESSAGES);
        mpi_worker_deliver(driver);
        mpi_worker_account(driver, &driver->worker.communication_s);
    }
    driver->polled_task_s = worker->task_s;
    driver->measures_next = !driver->needs_times;
}

void mpi_worker_wait(struct driver_mpi *driver, int64_t n_events)
{
    if (!driver->threaded) {
        mpi_comm_wait(&driver->comm);
        return;
    }
    for (bool waits = true; waits;) {
        double pause_s = 0;
        mpi_worker_lock(driver);
        mpi_worker_deliver(driver);
        waits = driver->n_events == n_events && clock_now_s() < driver->comm.wake_s;
        if (waits)
            pause_s = mpi_comm_pause(&driver->comm);
        else
            driver->comm.wake_s = INFINITY;
        mpi_worker_unlock(driver);
        mpi_comm_idle(&driver->comm);
        mpi_comm_rest(&driver->comm, pause_s);
    }
}

/* --- tasks --- */

static bool runs_tasks(const struct driver_mpi *driver)
{
    return atomic_load_explicit(&driver->comm.status, memory_order_relaxed) == STATUS_OK;
}

static void note_task_failure(struct driver_mpi *driver, enum status status)
{
    if (status != STATUS_OK)
        driver->comm.status = (int)status;
}

static void report_finished(struct driver_mpi *driver, int64_t task, double time_s)
{
    if (!driver->reports_tasks)
        return;
    mpi_worker_lock(driver);
    driver->mode->finished(driver->state, task, time_s);
    mpi_worker_unlock(driver);
}

/* Runs the first task of the range. One reading of the clock between two tasks is the end of one
 * and the start of the other. */
static inline void run_timed_task(struct driver_mpi *driver, struct taskpool_range *range)
{
    const struct taskpool_problem *problem = driver->problem;
    struct taskpool_history *history = driver->driver.records.history;
    int64_t task = range->first;
    range->first += range->step;
    pulse_set_task(driver->slot, task);
    double start_s = driver->clock_s;
    enum status status = problem->run(task, problem->context);
    driver->clock_s = clock_now_s();
    double polled_s = driver->polled_s;
    double waited_s = take_wait(driver, driver->clock_s - start_s - polled_s);
    double time_s = driver->clock_s - start_s - polled_s - waited_s;
    driver->polled_s = 0;
    driver->worker.task_s += time_s;
    driver->worker.tasks++;
    if (driver->driver.records.recorder)
        record_task(driver, task, start_s, polled_s, waited_s);
    pulse_set_finished(driver->slot, driver->worker.tasks);
    if (history && status == STATUS_OK)
        status = history_add(history, task, time_s, driver->comm.base.rank);
    note_task_failure(driver, status);
    report_finished(driver, task, time_s);
}

/* Runs the first n tasks of the range, up to a failure. */
static void run_timed(struct driver_mpi *driver, struct taskpool_range *range, int64_t n)
{
    for (; n > 0 && runs_tasks(driver); n--)
        run_timed_task(driver, range);
}

/* Runs a range without timing each task. */
static void run_untimed(struct driver_mpi *driver, struct taskpool_range *range, int64_t n)
{
    const struct taskpool_problem *problem = driver->problem;
    enum status status = STATUS_OK;
    for (; n > 0 && status == STATUS_OK; n--) {
        int64_t task = range->first;
        range->first += range->step;
        pulse_set_task(driver->slot, task);
        status = problem->run(task, problem->context);
        driver->worker.tasks++;
        pulse_set_finished(driver->slot, driver->worker.tasks);
    }
    note_task_failure(driver, status);
}

void mpi_worker_account_tasks(struct driver_mpi *driver)
{
    double now_s = clock_now_s();
    double waited_s = take_wait(driver, now_s - driver->clock_s - driver->polled_s);
    account(driver, &driver->worker.task_s, now_s, waited_s);
    driver->worker.task_s -= driver->polled_s;
    driver->polled_s = 0;
}

static void count_tasks(struct driver_mpi *driver, int64_t n)
{
    driver->n_since_poll += n;
    if (driver->n_since_poll < driver->interval.n)
        return;
    /* Timed tasks are accounted for already. */
    if (!driver->times_tasks)
        mpi_worker_account_tasks(driver);
    mpi_worker_poll(driver);
}

/* After a failure the mode is still notified of the tasks, so that it comes to its end. */
static void skip_tasks(struct driver_mpi *driver, const struct taskpool_range *range)
{
    if (!driver->reports_tasks)
        return;
    for (int64_t task = range->first; task < range->last; task += range->step)
        report_finished(driver, task, -1);
}

void mpi_worker_run_range(struct driver_mpi *driver, struct taskpool_range range)
{
    int64_t left = taskpool_range_count(&range);
    while (left > 0 && runs_tasks(driver)) {
        int64_t n = driver->interval.n - driver->n_since_poll;
        if (n > left)
            n = left;
        driver->measures_next = false;
        struct taskpool_range next = {range.first, range.first + n * range.step, range.step};
        task_census_add_range(&driver->driver.ran, &next);
        pulse_set_task(driver->slot, range.first);
        pulse_set(driver->slot, PULSE_TASK);
        if (driver->times_tasks)
            run_timed(driver, &range, n);
        else
            run_untimed(driver, &range, n);
        left -= n;
        count_tasks(driver, n);
    }
    skip_tasks(driver, &range);
}

void mpi_worker_run_record(struct driver_mpi *driver)
{
    const struct taskpool_problem *problem = driver->problem;
    driver->measures_next = false;
    if (runs_tasks(driver)) {
        /* The task may change its record. */
        task_census_add_record(&driver->driver.ran, driver->record, problem->record_size);
        pulse_set(driver->slot, PULSE_RECORD);
        note_task_failure(driver, problem->run_record(driver->record, problem->context));
        driver->worker.tasks++;
        pulse_set_finished(driver->slot, driver->worker.tasks);
    }
    count_tasks(driver, 1);
}
