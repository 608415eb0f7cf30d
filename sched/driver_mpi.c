#include "sched/driver_mpi.h"

#include "sched/mpi_comm.h"
#include "support/agree.h"
#include "support/clock.h"

#include <stdlib.h>

struct driver_mpi {
    struct mpi_comm comm;
    const struct mode *mode;
    const struct taskpool_problem *problem;
    struct history *history;
    void *state;

    int64_t poll_every;
    int64_t until_poll; /* tasks */
    double clock_s;     /* the last moment up to which time is accounted for */
    double polled_s;    /* spent in polls from inside the task that runs */
    struct statistics_worker worker;
    enum status status; /* of the tasks of this iteration */
};

/* Puts the time since the last call down to one use of it. */
static void account(struct driver_mpi *driver, double *use_s)
{
    double now_s = clock_now_s();
    *use_s += now_s - driver->clock_s;
    driver->clock_s = now_s;
}

static void poll_between_tasks(struct driver_mpi *driver)
{
    driver->until_poll = driver->poll_every;
    mpi_comm_deliver(&driver->comm);
    account(driver, &driver->worker.communication_s);
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
        driver->polled_s = 0;
        enum status status = problem->run(task, problem->context);
        driver->clock_s = clock_now_s();
        double time_s = driver->clock_s - start_s - driver->polled_s;
        driver->worker.task_s += time_s;
        driver->worker.tasks++;
        if (driver->history && status == STATUS_OK)
            status = history_add(driver->history, task, time_s, driver->comm.comm.rank);
        driver->status = status;
        if (driver->mode->finished)
            driver->mode->finished(driver->state, task, time_s);
    }
}

/* The same where nobody wants to know how long each task took. */
static void run_untimed(struct driver_mpi *driver, struct task_range *range, int64_t n)
{
    const struct taskpool_problem *problem = driver->problem;
    driver->polled_s = 0;
    for (; n > 0 && driver->status == STATUS_OK; n--) {
        int64_t task = range->first;
        range->first += range->step;
        driver->status = problem->run(task, problem->context);
        driver->worker.tasks++;
    }
    account(driver, &driver->worker.task_s);
    driver->worker.task_s -= driver->polled_s;
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
    bool timed = driver->history || driver->mode->finished;
    int64_t left = task_range_count(&range);
    while (left > 0 && driver->status == STATUS_OK) {
        bool polls = driver->mode->receive || driver->comm.fetching;
        int64_t n = polls && driver->until_poll < left ? driver->until_poll : left;
        if (timed)
            run_timed(driver, &range, n);
        else
            run_untimed(driver, &range, n);
        left -= n;
        driver->until_poll -= n;
        if (polls && driver->until_poll <= 0)
            poll_between_tasks(driver);
    }
    pass_over(driver, &range);
}

/* The use of the time before next() was called is known only after: without a
 * task it counts for the search, or as idle, from the end of the last task. */
static void run_until_done(struct driver_mpi *driver)
{
    struct statistics_worker *worker = &driver->worker;
    double *use_s = &worker->scheduler_s;
    for (;;) {
        struct task_range range;
        enum mode_step step = driver->mode->next(driver->state, &range);
        if (step == MODE_SEARCH || step == MODE_WAIT) {
            double *waiting_s = step == MODE_SEARCH ? &worker->search_s : &worker->idle_s;
            if (use_s != &worker->scheduler_s && use_s != waiting_s)
                account(driver, use_s);
            use_s = waiting_s;
            mpi_comm_wait(&driver->comm);
            continue;
        }
        account(driver, use_s);
        use_s = &worker->scheduler_s;
        if (mpi_comm_recorded(&driver->comm)) {
            mpi_comm_start(&driver->comm);
            account(driver, &worker->communication_s);
        }
        if (step == MODE_DONE)
            break;
        run_range(driver, range);
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

enum status driver_mpi_run(struct driver_mpi *driver, struct statistics_worker *worker)
{
    driver->status = STATUS_OK;
    driver->until_poll = driver->poll_every;
    mpi_comm_begin(&driver->comm);
    double start_s = clock_now_s();
    driver->clock_s = start_s;
    run_until_done(driver);
    driver->worker.elapsed_s = driver->clock_s - start_s;

    mpi_comm_finish(&driver->comm);
    if (driver->mode->receive && mpi_comm_n_lost(&driver->comm) != 0)
        die("the mode %s ended with messages on their way", driver->mode->name);
    *worker = take_figures(driver);
    return driver->status;
}

void driver_mpi_restore(struct driver_mpi *driver)
{
    double start_s = clock_now_s();
    while (driver->mode->restore(driver->state) != MODE_DONE)
        mpi_comm_wait(&driver->comm);
    mpi_comm_finish(&driver->comm);
    driver->worker.balance_s += clock_now_s() - start_s;
}

void driver_mpi_poll(struct driver_mpi *driver)
{
    if (!driver->mode->receive && !driver->comm.fetching)
        return;
    double start_s = clock_now_s();
    mpi_comm_deliver(&driver->comm);
    double time_s = clock_now_s() - start_s;
    driver->polled_s += time_s;
    driver->worker.communication_s += time_s;
}

double driver_mpi_progress(const struct driver_mpi *driver)
{
    return driver->mode->progress(driver->state, driver->worker.tasks);
}

static enum status init_state(struct driver_mpi *driver, const struct mode_setup *setup)
{
    const struct mode *mode = driver->mode;
    void *state = calloc(1, mode->state_size);
    if (!state)
        return FAIL(STATUS_NO_MEMORY, "no memory for the scheduler");
    enum status status = mode->init(state, setup, &driver->comm.comm);
    if (status != STATUS_OK) {
        free(state);
        return status;
    }
    driver->state = driver->comm.state = state;
    return mode->seed ? mode->seed(state) : STATUS_OK;
}

enum status driver_mpi_create(MPI_Comm comm, const struct mode *mode,
                              const struct mode_setup *setup, struct history *history,
                              struct driver_mpi **out)
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
    driver->mode = mode;
    driver->problem = setup->problem;
    driver->history = history;
    driver->poll_every = setup->settings->poll_every;
    mpi_comm_init(&driver->comm, comm, mode, (uint64_t)setup->settings->seed);
    status = status_agree(comm, init_state(driver, setup));
    if (status != STATUS_OK) {
        driver_mpi_destroy(driver);
        return status;
    }
    *out = driver;
    return STATUS_OK;
}

void driver_mpi_destroy(struct driver_mpi *driver)
{
    if (!driver)
        return;
    mpi_comm_fini(&driver->comm);
    if (driver->state && driver->mode->fini)
        driver->mode->fini(driver->state);
    free(driver->state);
    free(driver);
}
