/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a mode over MPI: each process is a worker, which polls for messages
 * between tasks or has a thread that receives them. Times, counts and errors of tasks are
 * recorded here, once for all modes. */
#include "sched/pool/drivers/mpi/driver_mpi_private.h"
#include "support/base/agree.h"
#include "support/base/clock.h"
#include "support/base/die.h"

#include <stdlib.h>

static struct driver_mpi *driver_mpi_of(struct driver *driver)
{
    return (struct driver_mpi *)driver;
}

static void poll_inside_task(struct driver *base)
{
    struct driver_mpi *driver = driver_mpi_of(base);
    if (driver->threaded || !mpi_comm_can_receive(&driver->comm))
        return;
    double start_s = clock_now_s();
    mpi_worker_deliver(driver);
    double end_s = clock_now_s(), time_s = end_s - start_s;
    if (base->records.recorder && driver->running)
        recorder_poll(base->records.recorder, start_s, end_s);
    driver->polled_s += time_s;
    driver->worker.communication_s += time_s;
}

static enum status driver_mpi_add(struct driver *base, const void *record)
{
    struct driver_mpi *driver = driver_mpi_of(base);
    mpi_worker_lock(driver);
    enum status status = driver->mode->add(driver->state, record, !driver->running);
    mpi_worker_unlock(driver);
    return status;
}

/* waits  the last step was to wait: the thread that answers messages may be adding tasks, and
 *        next_local, which takes no lock, must not be called */
static enum taskpool_mode_step ask_mpi_mode(struct driver_mpi *driver, bool waits,
                                            struct taskpool_mode_work *work, int64_t *n_events)
{
    const struct taskpool_mode *mode = driver->mode;
    pulse_set(driver->slot, PULSE_SCHEDULES);
    *work = (struct taskpool_mode_work){.n_wanted = driver->interval.n - driver->n_since_poll,
                                        .tasks_are_long = driver->interval.n == 1,
                                        .record = driver->record};
    if (!waits && mode->next_local && mode->next_local(driver->state, work))
        return TASKPOOL_MODE_RUN;
    mpi_worker_lock(driver);
    const struct taskpool_comm_counts before = driver->comm.base.counts;
    enum taskpool_mode_step step = mode->next(driver->state, work);
    if (driver->driver.records.recorder)
        recorder_decided(driver->driver.records.recorder, 0, &driver->comm.base, &before);
    *n_events = driver->n_events;
    mpi_worker_unlock(driver);
    return step;
}

/* Starts the recorded messages at once, without a poll. */
static void start_messages(struct driver_mpi *driver)
{
    mpi_worker_lock(driver);
    if (mpi_comm_recorded(&driver->comm)) {
        mpi_comm_start(&driver->comm);
        mpi_worker_account(driver, &driver->worker.communication_s);
    }
    mpi_worker_unlock(driver);
}

/* Waits until the mode has work or is done. The time counts for the search, or
 * as idle, from the end of the last task. */
static enum taskpool_mode_step wait_for_work(struct driver_mpi *driver,
                                             enum taskpool_mode_step step,
                                             struct taskpool_mode_work *work, int64_t n_events)
{
    struct statistics_worker *worker = &driver->worker;
    if (driver->n_since_poll > 0 && !driver->times_tasks)
        mpi_worker_account_tasks(driver);
    else
        mpi_worker_account(driver, &worker->scheduler_s);
    while (step == TASKPOOL_MODE_SEARCH || step == TASKPOOL_MODE_WAIT) {
        double *use_s = step == TASKPOOL_MODE_SEARCH ? &worker->search_s : &worker->idle_s;
        pulse_set(driver->slot, step == TASKPOOL_MODE_SEARCH ? PULSE_SEARCHES : PULSE_WAITS);
        mpi_worker_wait(driver, n_events);
        mpi_worker_account(driver, use_s);
        step = ask_mpi_mode(driver, true, work, &n_events);
    }
    mpi_worker_account(driver, &worker->scheduler_s);
    start_messages(driver);
    driver->n_since_poll = 0;
    driver->polled_task_s = worker->task_s;
    return step;
}

static void run_until_done(struct driver_mpi *driver)
{
    struct taskpool_mode_work work;
    int64_t n_events = 0;
    for (;;) {
        enum taskpool_mode_step step = ask_mpi_mode(driver, false, &work, &n_events);
        if (step != TASKPOOL_MODE_RUN)
            step = wait_for_work(driver, step, &work, n_events);
        else if (driver->measures_next)
            mpi_worker_account(driver, &driver->worker.scheduler_s);
        if (step == TASKPOOL_MODE_DONE)
            break;
        if (driver->record)
            mpi_worker_run_record(driver);
        else
            mpi_worker_run_range(driver, work.range);
    }
}

/* Returns the statistics of the iteration and clears them. Messages between
 * two iterations count for the later one. */
static struct statistics_worker take_mpi_statistics(struct driver_mpi *driver)
{
    struct statistics_worker worker = driver->worker;
    struct mpi_comm *comm = &driver->comm;
    worker.messages = comm->messages.n_sent + comm->n_fetches;
    worker.bytes = comm->messages.bytes_sent + comm->n_fetches * (int64_t)sizeof comm->increment;
    worker.steals_attempted = comm->base.counts.steals_attempted;
    worker.steals_successful = comm->base.counts.steals_successful;
    worker.tasks_moved = comm->base.counts.tasks_moved;

    driver->worker = (struct statistics_worker){0};
    comm->base.counts = (struct taskpool_comm_counts){0};
    comm->messages.n_sent = comm->messages.n_received = comm->messages.bytes_sent = 0;
    comm->n_fetches = 0;
    return worker;
}

static enum status driver_mpi_run(struct driver *base, struct statistics_worker *worker)
{
    struct driver_mpi *driver = driver_mpi_of(base);
    *worker = (struct statistics_worker){0};
    driver->driver.ran = (struct task_census){0};
    driver->interval = poll_interval_begin(driver->poll_every);
    driver->n_since_poll = 0;
    driver->polled_task_s = driver->polled_s = 0;
    driver->measures_next = false;
    pulse_set_finished(driver->slot, 0);
    base->mode_failed = driver->comm.mode_failed; /* before the run, by init or restore */
    TRY(mpi_comm_begin(&driver->comm));
    if (driver->watchdog)
        mpi_watchdog_begin(driver->watchdog);
    driver->running = true;
    driver->comm.idling = driver->problem;
    mpi_worker_start_thread(driver);
    driver->start_s = driver->clock_s = clock_now_s();
    if (driver->shares_core)
        driver->core_s = clock_thread_s();
    if (base->records.recorder)
        recorder_begin(base->records.recorder, driver->start_s);
    run_until_done(driver);
    driver->worker.started_s = mpi_comm_spans_nodes(&driver->comm) ? 0 : driver->start_s;
    driver->worker.elapsed_s = driver->clock_s - driver->start_s;
    mpi_worker_stop_thread(driver);
    driver->running = false;

    pulse_set(driver->slot, PULSE_ENDS);
    mpi_comm_finish(&driver->comm);
    if (driver->watchdog)
        mpi_watchdog_await(driver->watchdog);
    else
        mpi_comm_await_end(&driver->comm);
    driver->comm.idling = NULL;
    base->undelivered = mpi_comm_undelivered(&driver->comm) - base->undelivered_before;
    /* The watchdog counts, and takes part in its messages, until all processes have come here. */
    if (driver->watchdog)
        mpi_watchdog_end(driver->watchdog);
    pulse_set(driver->slot, PULSE_OUTSIDE);
    *worker = take_mpi_statistics(driver);
    base->mode_failed = driver->comm.mode_failed;
    return (enum status)driver->comm.status;
}

static enum status driver_mpi_restore(struct driver *base)
{
    struct driver_mpi *driver = driver_mpi_of(base);
    double start_s = clock_now_s();
    driver->comm.status = STATUS_OK; /* a task may have failed */
    while (driver->mode->restore(driver->state) != TASKPOOL_MODE_DONE)
        mpi_comm_wait(&driver->comm);
    double end_s = clock_now_s();
    driver->worker.balance_s += end_s - start_s;
    if (base->records.recorder)
        recorder_balance(base->records.recorder, 0, start_s, end_s);
    mpi_comm_finish(&driver->comm);
    base->undelivered_before = mpi_comm_undelivered(&driver->comm);
    return STATUS_OK;
}

/* Polls within the body of a task; takes the lock, as the thread may be inside the mode. */
static double driver_mpi_progress(struct driver *base)
{
    struct driver_mpi *driver = driver_mpi_of(base);
    mpi_worker_lock(driver);
    double progress = driver->mode->progress(driver->state, driver->worker.tasks);
    mpi_worker_unlock(driver);
    return progress;
}

static void driver_mpi_explain(struct driver *base, struct taskpool_choice *choice)
{
    struct driver_mpi *driver = driver_mpi_of(base);
    if (driver->mode->explain)
        driver->mode->explain(driver->state, choice);
}

static void driver_mpi_destroy(struct driver *base)
{
    struct driver_mpi *driver = driver_mpi_of(base);
    mpi_watchdog_destroy(driver->watchdog);
    mpi_comm_fini(&driver->comm);
    if (driver->comm.state && driver->mode->fini)
        driver->mode->fini(driver->state);
    mpi_node_memory_close(&driver->comm.memory);
    pthread_mutex_destroy(&driver->lock);
    free(driver->state);
    free(driver->record);
    free(driver);
}

static const struct driver_functions mpi_driver_functions = {.run = driver_mpi_run,
                                                             .restore = driver_mpi_restore,
                                                             .add = driver_mpi_add,
                                                             .poll = poll_inside_task,
                                                             .progress = driver_mpi_progress,
                                                             .explain = driver_mpi_explain,
                                                             .destroy = driver_mpi_destroy};

static enum status init_mpi_state(struct driver_mpi *driver,
                                  const struct taskpool_mode_setup *setup)
{
    const struct driver_records *records = &driver->driver.records;
    size_t record_size = setup->problem->record_size;
    driver->state = calloc(1, driver->mode->state_size);
    driver->record = record_size > 0 ? malloc(record_size) : NULL;
    TRY(CHECK_MEMORY(driver->state && (record_size == 0 || driver->record),
                     "no memory for the scheduler"));
    driver->reports_tasks = driver_reports_tasks(driver->mode, setup->problem);
    driver->needs_times = driver->reports_tasks || (record_size == 0 && records->history);
    driver->shares_core = setup->problem->computes && record_size == 0 && driver->comm.per_core > 1;
    driver->times_tasks = driver->needs_times || (record_size == 0 && records->recorder);
    return driver_init_mode(driver->mode, setup, &driver->comm.base, driver->state,
                            &driver->comm.state);
}

static enum status init_watchdog(struct driver_mpi *driver, double limit_s)
{
    if (limit_s <= 0)
        return STATUS_OK;
    TRY(mpi_watchdog_create(&driver->comm, limit_s, &driver->watchdog));
    driver->comm.pulse = mpi_watchdog_pulse(driver->watchdog);
    driver->slot = driver->comm.pulse->own;
    return STATUS_OK;
}

static enum status check_threads(const struct driver_mpi *driver)
{
    int level;
    MPI_Query_thread(&level);
    if (driver->threaded && level < MPI_THREAD_MULTIPLE)
        return FAIL(STATUS_USAGE, "--progress thread: this MPI, or this program, does not allow"
                                  " several threads to communicate; use --progress poll");
    return STATUS_OK;
}

static enum status init_mpi_parts(struct driver_mpi *driver, MPI_Comm comm,
                                  const struct taskpool_mode_setup *setup)
{
    TRY(mpi_comm_init(&driver->comm, comm, driver->mode, (uint64_t)setup->settings->seed));
    mpi_comm_open_memory(&driver->comm, setup);
    driver->comm.recorder = driver->driver.records.recorder;
    TRY(init_watchdog(driver, setup->settings->watchdog_s));
    TRY(check_threads(driver));
    return init_mpi_state(driver, setup);
}

enum status driver_mpi_create(MPI_Comm comm, const struct taskpool_mode *mode,
                              const struct taskpool_mode_setup *setup,
                              const struct driver_records *records, struct driver **out)
{
    struct driver_mpi *driver = calloc(1, sizeof *driver);
    if (!driver)
        die_no_memory("no memory for the scheduler");
    driver->driver =
        (struct driver){.functions = &mpi_driver_functions, .records = *records, .n_workers = 1};
    driver->mode = mode;
    driver->problem = setup->problem;
    driver->poll_every = setup->settings->poll_every;
    driver->threaded = setup->settings->progress == TASKPOOL_PROGRESS_THREAD;
    pthread_mutex_init(&driver->lock, NULL);
    driver->slot = &driver->unwatched;
    enum status status = status_agree(comm, init_mpi_parts(driver, comm, setup));
    if (status != STATUS_OK) {
        driver_mpi_destroy(&driver->driver);
        return status;
    }
    *out = &driver->driver;
    return STATUS_OK;
}
