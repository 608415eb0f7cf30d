/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a mode over MPI: each process is a worker, which polls for messages
 * between tasks or has a thread that receives them. Times, counts and errors of tasks are
 * recorded here, once for all modes. */
#include "sched/pool/core/driver.h"
#include "sched/pool/core/history.h"
#include "sched/pool/core/poll_interval.h"
#include "sched/pool/drivers/mpi/mpi_comm.h"
#include "sched/pool/drivers/mpi/mpi_watchdog.h"
#include "support/base/agree.h"
#include "support/base/clock.h"
#include "support/base/die.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

struct driver_mpi {
    struct driver driver; /* first */
    struct mpi_comm comm;
    const struct taskpool_mode *mode;
    const struct taskpool_problem *problem;
    bool reports_tasks; /* to the mode, when they have finished */
    bool needs_times;   /* the mode or the history needs the time of each task */
    bool times_tasks;   /* they do, or the recorder does */
    bool shares_core;   /* tasks compute, and other workers may have the core meanwhile */
    void *state;
    void *record; /* of the task that runs, in a dynamic pool */

    struct poll_interval interval;
    int64_t poll_every;
    int64_t n_since_poll; /* tasks */
    double polled_task_s; /* task seconds at the last poll */
    bool measures_next;   /* the mode's next decision is timed: see statistics.h */
    double clock_s;       /* time is accounted for up to here */
    double polled_s;      /* spent in polls from inside the task that runs */
    double core_s;        /* if shares_core: this thread's processor clock at clock_s */
    bool running;         /* an iteration; else added tasks are initial ones */
    struct statistics_worker worker;

    struct mpi_watchdog *watchdog; /* NULL: none */
    struct pulse_slot *slot;       /* of the watchdog's pulse, or the one below */
    struct pulse_slot unwatched;

    pthread_t thread; /* of --progress thread */
    atomic_bool stop;
};

static struct driver_mpi *driver_mpi_of(struct driver *driver)
{
    return (struct driver_mpi *)driver;
}

/* --- time --- */

/* Records a use of the time from begin_s to clock_s; of tasks first their own time, then polls from
 * inside them, then their wait for a core.
 * Apart from what every run does: without a recorder it is not even in a cache.
 * task  that was timed by itself, or TRACE_UNTIMED */
__attribute__((noinline, cold)) static void record_use(struct driver_mpi *driver,
                                                       enum trace_use use, int64_t task,
                                                       double begin_s, double waited_s)
{
    struct recorder *recorder = driver->driver.records.recorder;
    bool is_task = use == TRACE_TASK;
    int32_t n = task == TRACE_UNTIMED ? (int32_t)driver->n_since_poll : 1;
    double wait_s = driver->clock_s - waited_s, poll_s = wait_s - (is_task ? driver->polled_s : 0);
    const struct trace_span spans[] = {
        {begin_s, poll_s, .number = task, .n = is_task ? n : 0, .use = (int32_t)use},
        {poll_s, wait_s, .use = TRACE_COMMUNICATION},
        {wait_s, driver->clock_s, .use = TRACE_IDLE}};
    for (int i = 0; i < 3; i++)
        recorder_span(recorder, 0, &spans[i]);
}

/* Turns those seconds since the last account in which tasks waited for a core into idle time, and
 * returns them; time_s: of the tasks, without polls. */
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
    double begin_s = driver->clock_s;
    *use_s += now_s - begin_s - waited_s;
    driver->clock_s = now_s;
    if (driver->driver.records.recorder)
        record_use(driver, (enum trace_use)(use_s - &driver->worker.task_s), TRACE_UNTIMED, begin_s,
                   waited_s);
}

/* Adds the time since the last account to one of the worker's times, task_s to communication_s. */
static void account_time(struct driver_mpi *driver, double *use_s)
{
    account(driver, use_s, clock_now_s(), 0);
    if (driver->shares_core)
        driver->core_s = clock_thread_s();
}

/* Adds the time since the last account to task_s, without polls from inside tasks. */
static void account_tasks(struct driver_mpi *driver)
{
    double now_s = clock_now_s();
    double waited_s = take_wait(driver, now_s - driver->clock_s - driver->polled_s);
    account(driver, &driver->worker.task_s, now_s, waited_s);
    driver->worker.task_s -= driver->polled_s;
    driver->polled_s = 0;
}

/* --- polls, and the thread that answers messages in their place --- */

/* Whether anything can arrive: messages, accesses, or the answer of the counter. */
static bool polls(const struct driver_mpi *driver)
{
    return !driver->comm.threaded && (driver->comm.fetching || mpi_comm_serves(&driver->comm));
}

/* Polls between two tasks, and adapts the interval. */
static void poll_between_tasks(struct driver_mpi *driver)
{
    const struct statistics_worker *worker = &driver->worker;
    poll_interval_next(&driver->interval, driver->n_since_poll,
                       worker->task_s - driver->polled_task_s);
    driver->n_since_poll = 0;
    if (polls(driver)) {
        pulse_set(driver->slot, PULSE_MESSAGES);
        mpi_comm_deliver(&driver->comm);
        account_time(driver, &driver->worker.communication_s);
    }
    driver->polled_task_s = worker->task_s;
    driver->measures_next = !driver->needs_times;
}

static void poll_inside_task(struct driver *base)
{
    struct driver_mpi *driver = driver_mpi_of(base);
    if (!polls(driver))
        return;
    double start_s = clock_now_s();
    mpi_comm_deliver(&driver->comm);
    double time_s = clock_now_s() - start_s;
    driver->polled_s += time_s;
    driver->worker.communication_s += time_s;
}

static void *answer_messages(void *argument)
{
    struct driver_mpi *driver = argument;
    /* Often enough for a thief, rarely enough for the tasks, which may have no
     * other core. */
    const struct timespec pause = {.tv_nsec = 50000};
    while (!atomic_load(&driver->stop)) {
        mpi_comm_lock(&driver->comm);
        mpi_comm_deliver(&driver->comm);
        mpi_comm_unlock(&driver->comm);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

/* The thread also serves other nodes' accesses while tasks run. */
static bool needs_thread(const struct driver_mpi *driver)
{
    return driver->comm.threaded && mpi_comm_serves(&driver->comm);
}

static void start_thread(struct driver_mpi *driver)
{
    atomic_store(&driver->stop, false);
    if (needs_thread(driver) && pthread_create(&driver->thread, NULL, answer_messages, driver) != 0)
        die("cannot start the thread of --progress thread");
}

static void stop_thread(struct driver_mpi *driver)
{
    atomic_store(&driver->stop, true);
    if (needs_thread(driver))
        pthread_join(driver->thread, NULL);
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
    mpi_comm_lock(&driver->comm);
    driver->mode->finished(driver->state, task, time_s);
    mpi_comm_unlock(&driver->comm);
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
    driver->worker.task_s += time_s;
    driver->worker.tasks++;
    if (driver->driver.records.recorder)
        record_use(driver, TRACE_TASK, task, start_s, waited_s);
    driver->polled_s = 0;
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

static void count_tasks(struct driver_mpi *driver, int64_t n)
{
    driver->n_since_poll += n;
    if (driver->n_since_poll < driver->interval.n)
        return;
    /* Timed tasks are accounted for already. */
    if (!driver->times_tasks)
        account_tasks(driver);
    poll_between_tasks(driver);
}

/* Runs the tasks, with polls between them. After a failure tasks are skipped, but the mode is still
 * notified of them, so that it comes to its end. */
static void run_range(struct driver_mpi *driver, struct taskpool_range range)
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
    for (int64_t task = range.first; driver->reports_tasks && task < range.last; task += range.step)
        report_finished(driver, task, -1);
}

static void run_one_record(struct driver_mpi *driver)
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

/* --- an iteration --- */

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
    mpi_comm_lock(&driver->comm);
    const struct taskpool_comm_counts before = driver->comm.base.counts;
    enum taskpool_mode_step step = mode->next(driver->state, work);
    if (driver->driver.records.recorder)
        recorder_arrived(driver->driver.records.recorder, 0, &driver->comm.base,
                         (struct trace_message){.kind = TRACE_MEMORY_STEAL}, &before);
    *n_events = driver->comm.n_events;
    mpi_comm_unlock(&driver->comm);
    return step;
}

/* Starts the recorded messages at once, without a poll. */
static void start_messages(struct driver_mpi *driver)
{
    mpi_comm_lock(&driver->comm);
    if (driver->comm.recorded || driver->comm.fetch_recorded) {
        mpi_comm_start(&driver->comm);
        account_time(driver, &driver->worker.communication_s);
    }
    mpi_comm_unlock(&driver->comm);
}

/* Waits until the mode has work or is done. The time counts for the search, or
 * as idle, from the end of the last task. */
static enum taskpool_mode_step wait_for_work(struct driver_mpi *driver,
                                             enum taskpool_mode_step step,
                                             struct taskpool_mode_work *work, int64_t n_events)
{
    struct statistics_worker *worker = &driver->worker;
    if (driver->n_since_poll > 0 && !driver->times_tasks)
        account_tasks(driver);
    else
        account_time(driver, &worker->scheduler_s);
    while (step == TASKPOOL_MODE_SEARCH || step == TASKPOOL_MODE_WAIT) {
        double *use_s = step == TASKPOOL_MODE_SEARCH ? &worker->search_s : &worker->idle_s;
        pulse_set(driver->slot, step == TASKPOOL_MODE_SEARCH ? PULSE_SEARCHES : PULSE_WAITS);
        mpi_comm_wait(&driver->comm, n_events);
        account_time(driver, use_s);
        step = ask_mpi_mode(driver, true, work, &n_events);
    }
    account_time(driver, &worker->scheduler_s);
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
            account_time(driver, &driver->worker.scheduler_s);
        if (step == TASKPOOL_MODE_DONE)
            break;
        if (driver->record)
            run_one_record(driver);
        else
            run_range(driver, work.range);
    }
}

/* Returns the statistics of the iteration and clears them. Messages between
 * two iterations count for the later one. */
static struct statistics_worker take_mpi_statistics(struct driver_mpi *driver)
{
    struct statistics_worker worker = driver->worker;
    struct mpi_comm *comm = &driver->comm;
    worker.messages = comm->n_sent + comm->n_fetches;
    worker.bytes = comm->bytes_sent + comm->n_fetches * (int64_t)sizeof comm->increment;
    worker.steals_attempted = comm->base.counts.steals_attempted;
    worker.steals_successful = comm->base.counts.steals_successful;
    worker.tasks_moved = comm->base.counts.tasks_moved;

    driver->worker = (struct statistics_worker){0};
    comm->base.counts = (struct taskpool_comm_counts){0};
    comm->n_sent = comm->n_received = comm->bytes_sent = comm->n_fetches = 0;
    return worker;
}

static enum status driver_mpi_run(struct driver *base, struct statistics_worker *worker)
{
    struct driver_mpi *driver = driver_mpi_of(base);
    struct mpi_comm *comm = &driver->comm;
    *worker = (struct statistics_worker){0};
    base->ran = (struct task_census){0};
    driver->interval = poll_interval_begin(driver->poll_every);
    driver->n_since_poll = 0;
    driver->polled_task_s = driver->polled_s = 0;
    driver->measures_next = false;
    pulse_set_finished(driver->slot, 0);
    base->mode_failed = comm->mode_failed; /* before the run, by init or restore */
    TRY(mpi_comm_begin(comm));
    if (driver->watchdog)
        mpi_watchdog_begin(driver->watchdog);
    driver->running = true;
    comm->idling = driver->problem;
    start_thread(driver);
    double start_s = driver->clock_s = clock_now_s();
    if (driver->shares_core)
        driver->core_s = clock_thread_s();
    mpi_comm_lock(comm);
    recorder_begin(base->records.recorder, start_s);
    mpi_comm_unlock(comm);
    run_until_done(driver);
    driver->worker.started_s = mpi_comm_spans_nodes(comm) ? 0 : start_s;
    driver->worker.elapsed_s = driver->clock_s - start_s;
    stop_thread(driver);
    driver->running = false;

    pulse_set(driver->slot, PULSE_ENDS);
    mpi_comm_finish(comm);
    base->undelivered = comm->n_sent - comm->n_received - base->undelivered_before;
    if (driver->watchdog)
        mpi_watchdog_end(driver->watchdog);
    else
        mpi_comm_await_end(comm);
    comm->idling = NULL;
    pulse_set(driver->slot, PULSE_OUTSIDE);
    *worker = take_mpi_statistics(driver);
    base->mode_failed = comm->mode_failed;
    return (enum status)comm->status;
}

static enum status driver_mpi_restore(struct driver *base)
{
    struct driver_mpi *driver = driver_mpi_of(base);
    struct mpi_comm *comm = &driver->comm;
    double start_s = clock_now_s();
    comm->status = STATUS_OK; /* a task may have failed */
    while (driver->mode->restore(driver->state) != TASKPOOL_MODE_DONE)
        mpi_comm_wait(comm, comm->n_events);
    double end_s = clock_now_s();
    driver->worker.balance_s += end_s - start_s;
    recorder_span(base->records.recorder, 0,
                  &(struct trace_span){start_s, end_s, .use = TRACE_BALANCE});
    mpi_comm_finish(comm);
    base->undelivered_before = comm->n_sent - comm->n_received;
    return STATUS_OK;
}

/* --- calls from the bodies of tasks, which take the lock: the thread may be inside the mode --- */

static enum status driver_mpi_add(struct driver *base, const void *record)
{
    struct driver_mpi *driver = driver_mpi_of(base);
    mpi_comm_lock(&driver->comm);
    enum status status = driver->mode->add(driver->state, record, !driver->running);
    mpi_comm_unlock(&driver->comm);
    return status;
}

static double driver_mpi_progress(struct driver *base)
{
    struct driver_mpi *driver = driver_mpi_of(base);
    mpi_comm_lock(&driver->comm);
    double progress = driver->mode->progress(driver->state, driver->worker.tasks);
    mpi_comm_unlock(&driver->comm);
    return progress;
}

/* --- life --- */

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
    if (driver->comm.state && driver->mode->fini)
        driver->mode->fini(driver->state);
    mpi_comm_fini(&driver->comm);
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
    driver->shares_core = setup->problem->computes && record_size == 0 &&
                          mpi_doorbells_per_core(driver->comm.bells) > 1;
    driver->times_tasks = driver->needs_times || (record_size == 0 && records->recorder);
    return driver_init_mode(driver->mode, setup, &driver->comm.base, driver->state,
                            &driver->comm.state);
}

static enum status check_threads(const struct driver_mpi *driver)
{
    int level;
    MPI_Query_thread(&level);
    if (driver->comm.threaded && level < MPI_THREAD_MULTIPLE)
        return FAIL(STATUS_USAGE, "--progress thread: this MPI, or this program, does not allow"
                                  " several threads to communicate; call MPI_Init_thread with"
                                  " taskpool_thread_level, or use --progress poll");
    return STATUS_OK;
}

static enum status init_mpi_parts(struct driver_mpi *driver, MPI_Comm comm,
                                  const struct taskpool_mode_setup *setup)
{
    const struct taskpool_settings *settings = setup->settings;
    TRY(mpi_comm_init(&driver->comm, comm, driver->mode, setup));
    driver->comm.threaded = settings->progress == TASKPOOL_PROGRESS_THREAD;
    driver->comm.recorder = driver->driver.records.recorder;
    if (settings->watchdog_s > 0) {
        TRY(mpi_watchdog_create(&driver->comm, settings->watchdog_s, &driver->watchdog));
        driver->slot = driver->comm.pulse->own;
    }
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
    driver->slot = &driver->unwatched;
    enum status status = status_agree(comm, init_mpi_parts(driver, comm, setup));
    if (status != STATUS_OK) {
        driver_mpi_destroy(&driver->driver);
        return status;
    }
    *out = &driver->driver;
    return STATUS_OK;
}
