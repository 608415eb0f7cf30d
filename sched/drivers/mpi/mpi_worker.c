#include "sched/drivers/mpi/driver_mpi_private.h"

#include "support/base/clock.h"
#include "support/base/die.h"

#include <math.h>
#include <time.h>

/* The time until now was in one of the uses, whose order is that of the worker's times. */
static void note_account(struct driver_mpi *driver, enum timeline_use use, double now_s)
{
    bool records = driver->record && use == TIMELINE_TASK;
    timeline_add(driver->driver.timeline, driver->comm.base.rank, use,
                 driver->noted_s - driver->start_s, now_s - driver->start_s,
                 records ? driver->n_since_poll : 0);
    driver->noted_s = now_s;
}

/* Records the time since the last account as what it was added to. */
static void record_span(struct driver_mpi *driver, const double *use_s, double now_s)
{
    const struct statistics_worker *worker = &driver->worker;
    struct trace_log *log = driver->trace->log;
    if (use_s == &worker->task_s)
        trace_log_tasks(log,
                        &(struct trace_span){.begin_s = driver->clock_s,
                                             .end_s = now_s,
                                             .number = -1,
                                             .n = (int32_t)driver->n_since_poll},
                        driver->polled_s);
    else
        trace_log_span(log,
                       use_s == &worker->search_s      ? TRACE_SEARCH
                       : use_s == &worker->idle_s      ? TRACE_IDLE
                       : use_s == &worker->scheduler_s ? TRACE_SCHEDULER
                                                       : TRACE_COMMUNICATION,
                       driver->clock_s, now_s);
}

void mpi_worker_account(struct driver_mpi *driver, double *use_s)
{
    double now_s = clock_now_s();
    if (driver->driver.timeline)
        note_account(driver, (enum timeline_use)(use_s - &driver->worker.task_s), now_s);
    *use_s += now_s - driver->clock_s;
    if (driver->trace)
        record_span(driver, use_s, now_s);
    driver->clock_s = now_s;
}

void mpi_worker_note_steals(struct driver_mpi *driver)
{
    struct timeline *timeline = driver->driver.timeline;
    int64_t n = driver->comm.base.counts.steals_successful;
    if (timeline && n > driver->n_noted)
        timeline_add_steals(timeline, driver->comm.base.rank, driver->clock_s - driver->start_s,
                            n - driver->n_noted);
    driver->n_noted = n;
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
    driver->measures_next = !driver->timed;
}

void mpi_worker_wait(struct driver_mpi *driver, int64_t n_events)
{
    if (!driver->threaded) {
        mpi_comm_wait(&driver->comm);
        return;
    }
    for (bool waits = true; waits;) {
        mpi_worker_lock(driver);
        mpi_worker_deliver(driver);
        waits = driver->n_events == n_events && clock_now_s() < driver->comm.wake_s;
        if (!waits)
            driver->comm.wake_s = INFINITY;
        mpi_worker_unlock(driver);
    }
}

/* --- tasks --- */

/* A task with a number ended now. */
static void note_mpi_task(struct driver_mpi *driver, int64_t task, double now_s, double polled_s)
{
    timeline_add_task(driver->driver.timeline, driver->comm.base.rank, task,
                      driver->noted_s - driver->start_s, now_s - driver->start_s, polled_s);
    driver->noted_s = now_s;
}

static void report_finished(struct driver_mpi *driver, int64_t task, double time_s)
{
    if (!driver->mode->finished)
        return;
    mpi_worker_lock(driver);
    driver->mode->finished(driver->state, task, time_s);
    mpi_worker_unlock(driver);
}

/* Runs the first task of the range. One reading of the clock between two tasks is the end of one
 * and the begin of the other. Returns the time of polls from inside it. */
static inline double run_timed_task(struct driver_mpi *driver, struct task_range *range)
{
    const struct taskpool_problem *problem = driver->problem;
    int64_t task = range->first;
    range->first += range->step;
    pulse_set_task(driver->slot, task);
    double start_s = driver->clock_s;
    enum status status = problem->run(task, problem->context);
    driver->clock_s = clock_now_s();
    double polled_s = driver->polled_s;
    double time_s = driver->clock_s - start_s - polled_s;
    driver->polled_s = 0;
    driver->worker.task_s += time_s;
    driver->worker.tasks++;
    if (driver->driver.timeline)
        note_mpi_task(driver, task, driver->clock_s, polled_s);
    pulse_set_finished(driver->slot, driver->worker.tasks);
    if (driver->history && status == STATUS_OK)
        status = history_add(driver->history, task, time_s, driver->comm.base.rank);
    driver->status = status;
    report_finished(driver, task, time_s);
    return polled_s;
}

/* Runs the first n tasks of the range, up to a failure. */
static void run_timed(struct driver_mpi *driver, struct task_range *range, int64_t n)
{
    for (; n > 0 && driver->status == STATUS_OK; n--)
        run_timed_task(driver, range);
}

/* The same, with --trace. */
static void run_traced(struct driver_mpi *driver, struct task_range *range, int64_t n)
{
    for (; n > 0 && driver->status == STATUS_OK; n--) {
        struct trace_span task = {.begin_s = driver->clock_s, .number = range->first, .n = 1};
        double polled_s = run_timed_task(driver, range);
        task.end_s = driver->clock_s;
        trace_log_tasks(driver->trace->log, &task, polled_s);
    }
}

/* The same without the time of each task. */
static void run_untimed(struct driver_mpi *driver, struct task_range *range, int64_t n)
{
    const struct taskpool_problem *problem = driver->problem;
    for (; n > 0 && driver->status == STATUS_OK; n--) {
        int64_t task = range->first;
        range->first += range->step;
        pulse_set_task(driver->slot, task);
        driver->status = problem->run(task, problem->context);
        driver->worker.tasks++;
        pulse_set_finished(driver->slot, driver->worker.tasks);
    }
}

/* The same, with the time of each for the timeline alone. */
static void run_noted(struct driver_mpi *driver, struct task_range *range, int64_t n)
{
    for (; n > 0 && driver->status == STATUS_OK; n--) {
        int64_t task = range->first;
        double polled_s = driver->polled_s;
        run_untimed(driver, range, 1);
        note_mpi_task(driver, task, clock_now_s(), driver->polled_s - polled_s);
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
    driver->n_since_poll += n;
    if (driver->n_since_poll < driver->interval.n)
        return;
    /* Timed tasks are accounted for already. */
    if (!driver->timed)
        mpi_worker_account_tasks(driver);
    mpi_worker_poll(driver);
}

/* After a failure the mode is still notified of the tasks, so that it comes to its end. */
static void skip_tasks(struct driver_mpi *driver, const struct task_range *range)
{
    if (!driver->mode->finished)
        return;
    for (int64_t task = range->first; task < range->last; task += range->step)
        report_finished(driver, task, 0);
}

void mpi_worker_run_range(struct driver_mpi *driver, struct task_range range)
{
    int64_t left = task_range_count(&range);
    while (left > 0 && driver->status == STATUS_OK) {
        int64_t n = driver->interval.n - driver->n_since_poll;
        if (n > left)
            n = left;
        driver->measures_next = false;
        struct task_range next = {range.first, range.first + n * range.step, range.step};
        task_census_add_range(&driver->driver.ran, &next);
        pulse_set_task(driver->slot, range.first);
        pulse_set(driver->slot, PULSE_TASK);
        if (driver->timed && driver->trace)
            run_traced(driver, &range, n);
        else if (driver->timed)
            run_timed(driver, &range, n);
        else if (driver->driver.timeline)
            run_noted(driver, &range, n);
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
    if (driver->status == STATUS_OK) {
        /* The task may change its record. */
        task_census_add_record(&driver->driver.ran, driver->record, problem->record_size);
        pulse_set(driver->slot, PULSE_RECORD);
        driver->status = problem->run_record(driver->record, problem->context);
        driver->worker.tasks++;
        pulse_set_finished(driver->slot, driver->worker.tasks);
    }
    count_tasks(driver, 1);
}
