#include "sched/driver_mpi.h"

#include "sched/mpi_comm.h"
#include "sched/pace.h"
#include "support/agree.h"
#include "support/clock.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

struct driver_mpi {
    struct driver driver; /* first */
    struct mpi_comm comm;
    const struct mode *mode;
    const struct taskpool_problem *problem;
    struct history *history;
    void *state;
    void *record; /* of the task that runs, in a dynamic pool */

    struct pace pace;
    int64_t poll_every;
    int64_t n_since_look; /* tasks */
    double looked_task_s; /* task seconds at the last look for messages */
    bool measures_next;   /* the mode's next answer is timed: see statistics.h */
    double clock_s;  /* the last moment up to which time is accounted for */
    double polled_s; /* spent in polls from inside the task that runs */
    bool running;    /* an iteration; else what is added is initial */
    struct statistics_worker worker;
    enum status status; /* of the tasks of this iteration */

    /* --progress thread: the lock is held by whoever is inside the mode or MPI
     * on its behalf, except for next_local. */
    bool threaded;
    pthread_mutex_t lock;
    pthread_t thread;
    atomic_bool stop;
    int64_t n_events; /* told to the mode */
};

static struct driver_mpi *own(struct driver *driver)
{
    return (struct driver_mpi *)driver;
}

/* Puts the time since the last call down to one use of it. */
static void account(struct driver_mpi *driver, double *use_s)
{
    double now_s = clock_now_s();
    *use_s += now_s - driver->clock_s;
    driver->clock_s = now_s;
}

static void lock(struct driver_mpi *driver)
{
    if (driver->threaded)
        pthread_mutex_lock(&driver->lock);
}

static void unlock(struct driver_mpi *driver)
{
    if (driver->threaded)
        pthread_mutex_unlock(&driver->lock);
}

static void deliver(struct driver_mpi *driver)
{
    if (mpi_comm_deliver(&driver->comm))
        driver->n_events++;
}

/* --- the thread that answers messages while tasks run --- */

static void *answer_messages(void *argument)
{
    struct driver_mpi *driver = argument;
    /* Often enough for a thief, rarely enough for the tasks, which may have no
     * other core. */
    const struct timespec pause = {.tv_nsec = 50 * 1000};
    while (!atomic_load(&driver->stop)) {
        lock(driver);
        deliver(driver);
        unlock(driver);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static void start_thread(struct driver_mpi *driver)
{
    if (!driver->threaded || !driver->mode->receive)
        return;
    atomic_store(&driver->stop, false);
    if (pthread_create(&driver->thread, NULL, answer_messages, driver) != 0)
        die("cannot start the thread of --progress thread");
}

static void stop_thread(struct driver_mpi *driver)
{
    if (!driver->threaded || !driver->mode->receive)
        return;
    atomic_store(&driver->stop, true);
    pthread_join(driver->thread, NULL);
}

/* Whether somebody wants to know how long each task took. */
static bool is_timed(const struct driver_mpi *driver)
{
    return !driver->record && (driver->history || driver->mode->finished);
}

/* --- looking for messages --- */

static bool has_messages(const struct driver_mpi *driver)
{
    return driver->mode->receive || driver->comm.fetching;
}

static void look_for_messages(struct driver_mpi *driver)
{
    const struct statistics_worker *worker = &driver->worker;
    pace_next(&driver->pace, driver->n_since_look, worker->task_s - driver->looked_task_s);
    driver->n_since_look = 0;
    if (!driver->threaded && has_messages(driver)) {
        deliver(driver);
        account(driver, &driver->worker.communication_s);
    }
    driver->looked_task_s = worker->task_s;
    driver->measures_next = !is_timed(driver);
}

/* Until something happens or the moment of comm_wake; n_events is how much had
 * happened when the mode was asked. */
static void wait_for_event(struct driver_mpi *driver, int64_t n_events)
{
    if (!driver->threaded) {
        mpi_comm_wait(&driver->comm);
        return;
    }
    for (bool waits = true; waits;) {
        lock(driver);
        deliver(driver);
        waits = driver->n_events == n_events && clock_now_s() < driver->comm.wake_s;
        if (!waits)
            driver->comm.wake_s = INFINITY;
        unlock(driver);
    }
}

static void poll_inside_task(struct driver *base)
{
    struct driver_mpi *driver = own(base);
    if (driver->threaded || !has_messages(driver))
        return;
    double start_s = clock_now_s();
    deliver(driver);
    double time_s = clock_now_s() - start_s;
    driver->polled_s += time_s;
    driver->worker.communication_s += time_s;
}

/* --- tasks --- */

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
        if (driver->mode->finished) {
            lock(driver);
            driver->mode->finished(driver->state, task, time_s);
            unlock(driver);
        }
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

/* The time since the last account belongs to tasks, but for what they spent
 * answering messages. */
static void account_tasks(struct driver_mpi *driver)
{
    account(driver, &driver->worker.task_s);
    driver->worker.task_s -= driver->polled_s;
    driver->polled_s = 0;
}

static void count_tasks(struct driver_mpi *driver, int64_t n)
{
    driver->n_since_look += n;
    if (driver->n_since_look < driver->pace.n)
        return;
    /* What is timed task by task is accounted for up to a moment ago. */
    if (!is_timed(driver))
        account_tasks(driver);
    look_for_messages(driver);
}

/* After a failure tasks are only reported, so that the mode comes to its end. */
static void pass_over(struct driver_mpi *driver, const struct task_range *range)
{
    if (!driver->mode->finished)
        return;
    for (int64_t task = range->first; task < range->last; task += range->step)
        driver->mode->finished(driver->state, task, 0);
}

static void run_range(struct driver_mpi *driver, struct task_range range)
{
    bool timed = is_timed(driver);
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

static void run_record(struct driver_mpi *driver)
{
    const struct taskpool_problem *problem = driver->problem;
    driver->measures_next = false;
    if (driver->status == STATUS_OK) {
        driver->status = problem->run_record(driver->record, problem->context);
        driver->worker.tasks++;
    }
    count_tasks(driver, 1);
}

static enum status add(struct driver *base, const void *record)
{
    struct driver_mpi *driver = own(base);
    lock(driver);
    enum status status = driver->mode->add(driver->state, record, !driver->running);
    unlock(driver);
    return status;
}

/* --- an iteration --- */

static enum mode_step ask_mode(struct driver_mpi *driver, struct mode_work *work, int64_t *n_events)
{
    const struct mode *mode = driver->mode;
    *work = (struct mode_work){.n_wanted = driver->pace.n - driver->n_since_look,
                               .record = driver->record};
    if (mode->next_local && mode->next_local(driver->state, work))
        return MODE_RUN;
    lock(driver);
    enum mode_step step = mode->next(driver->state, work);
    *n_events = driver->n_events;
    unlock(driver);
    return step;
}

/* Starts what the mode asked for without waiting for anything. */
static void start_messages(struct driver_mpi *driver)
{
    lock(driver);
    if (mpi_comm_recorded(&driver->comm)) {
        mpi_comm_start(&driver->comm);
        account(driver, &driver->worker.communication_s);
    }
    unlock(driver);
}

/* Waits until the mode has work or is done. The time counts for the search, or
 * as idle, from the end of the last task. */
static enum mode_step wait_for_work(struct driver_mpi *driver, enum mode_step step,
                                    struct mode_work *work, int64_t n_events)
{
    struct statistics_worker *worker = &driver->worker;
    if (driver->n_since_look > 0 && !is_timed(driver))
        account_tasks(driver);
    else
        account(driver, &worker->scheduler_s);
    while (step == MODE_SEARCH || step == MODE_WAIT) {
        double *use_s = step == MODE_SEARCH ? &worker->search_s : &worker->idle_s;
        wait_for_event(driver, n_events);
        account(driver, use_s);
        step = ask_mode(driver, work, &n_events);
    }
    account(driver, &worker->scheduler_s);
    start_messages(driver);
    driver->n_since_look = 0;
    driver->looked_task_s = worker->task_s;
    return step;
}

static void run_until_done(struct driver_mpi *driver)
{
    struct mode_work work;
    int64_t n_events = 0;
    for (;;) {
        enum mode_step step = ask_mode(driver, &work, &n_events);
        if (step != MODE_RUN)
            step = wait_for_work(driver, step, &work, n_events);
        else if (driver->measures_next)
            account(driver, &driver->worker.scheduler_s);
        if (step == MODE_DONE)
            break;
        if (driver->record)
            run_record(driver);
        else
            run_range(driver, work.range);
    }
}

/* Moves the figures of the iteration out and clears them. What is sent between
 * two iterations counts for the later one. */
static struct statistics_worker take_figures(struct driver_mpi *driver)
{
    struct statistics_worker worker = driver->worker;
    struct mpi_comm *comm = &driver->comm;
    worker.messages = comm->messages.n_sent + comm->n_fetches;
    worker.bytes = comm->messages.bytes_sent + comm->n_fetches * (int64_t)sizeof comm->increment;
    worker.steals_attempted = comm->comm.counts.steals_attempted;
    worker.steals_successful = comm->comm.counts.steals_successful;
    worker.tasks_moved = comm->comm.counts.tasks_moved;

    driver->worker = (struct statistics_worker){0};
    comm->comm.counts = (struct comm_counts){0};
    comm->messages.n_sent = comm->messages.n_received = comm->messages.bytes_sent = 0;
    comm->n_fetches = 0;
    return worker;
}

static enum status end_phase(struct driver_mpi *driver)
{
    mpi_comm_finish(&driver->comm);
    if (driver->mode->receive && mpi_comm_n_lost(&driver->comm) != 0)
        return FAIL(STATUS_PROTOCOL, "the mode %s ended with messages on their way",
                    driver->mode->name);
    return STATUS_OK;
}

static enum status run(struct driver *base, struct statistics_worker *worker)
{
    struct driver_mpi *driver = own(base);
    driver->status = STATUS_OK;
    driver->pace = pace_begin(driver->poll_every);
    driver->n_since_look = 0;
    driver->looked_task_s = driver->polled_s = 0;
    driver->measures_next = false;
    mpi_comm_begin(&driver->comm);
    driver->running = true;
    start_thread(driver);
    double start_s = clock_now_s();
    driver->clock_s = start_s;
    run_until_done(driver);
    driver->worker.elapsed_s = driver->clock_s - start_s;
    stop_thread(driver);
    driver->running = false;

    enum status status = end_phase(driver);
    *worker = take_figures(driver);
    return driver->status != STATUS_OK ? driver->status : status;
}

static enum status restore(struct driver *base)
{
    struct driver_mpi *driver = own(base);
    double start_s = clock_now_s();
    while (driver->mode->restore(driver->state) != MODE_DONE)
        mpi_comm_wait(&driver->comm);
    driver->worker.balance_s += clock_now_s() - start_s;
    return end_phase(driver);
}

static double progress(const struct driver *base)
{
    const struct driver_mpi *driver = (const struct driver_mpi *)base;
    return driver->mode->progress(driver->state, driver->worker.tasks);
}

static void destroy(struct driver *base)
{
    struct driver_mpi *driver = own(base);
    mpi_comm_fini(&driver->comm);
    if (driver->state && driver->mode->fini)
        driver->mode->fini(driver->state);
    pthread_mutex_destroy(&driver->lock);
    free(driver->state);
    free(driver->record);
    free(driver);
}

static const struct driver_functions functions = {.run = run,
                                                  .restore = restore,
                                                  .add = add,
                                                  .poll = poll_inside_task,
                                                  .progress = progress,
                                                  .destroy = destroy};

/* --- creation --- */

static enum status init_state(struct driver_mpi *driver, const struct mode_setup *setup)
{
    const struct mode *mode = driver->mode;
    size_t record_size = setup->problem->record_size;
    void *state = calloc(1, mode->state_size);
    driver->record = record_size > 0 ? malloc(record_size) : NULL;
    if (!state || (record_size > 0 && !driver->record)) {
        free(state);
        return FAIL(STATUS_NO_MEMORY, "no memory for the scheduler");
    }
    enum status status = mode->init(state, setup, &driver->comm.comm);
    if (status != STATUS_OK) {
        free(state);
        return status;
    }
    driver->state = driver->comm.state = state;
    return mode->seed && record_size == 0 ? mode->seed(state) : STATUS_OK;
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

enum status driver_mpi_create(MPI_Comm comm, const struct mode *mode,
                              const struct mode_setup *setup, struct history *history,
                              struct driver **out)
{
    struct driver_mpi *driver = calloc(1, sizeof *driver);
    enum status status = STATUS_OK;
    if (!driver)
        status = FAIL(STATUS_NO_MEMORY, "no memory for the scheduler");
    status = status_agree(comm, status);
    if (status != STATUS_OK) {
        free(driver);
        return status;
    }
    driver->driver = (struct driver){.functions = &functions, .n_workers = 1};
    driver->mode = mode;
    driver->problem = setup->problem;
    driver->history = history;
    driver->poll_every = setup->settings->poll_every;
    driver->threaded = setup->settings->progress == PROGRESS_THREAD;
    pthread_mutex_init(&driver->lock, NULL);
    mpi_comm_init(&driver->comm, comm, mode, (uint64_t)setup->settings->seed);
    status = check_threads(driver);
    if (status == STATUS_OK)
        status = init_state(driver, setup);
    status = status_agree(comm, status);
    if (status != STATUS_OK) {
        destroy(&driver->driver);
        return status;
    }
    *out = &driver->driver;
    return STATUS_OK;
}
