#include "sched/drivers/mpi/driver_mpi_private.h"

#include "support/base/agree.h"
#include "support/base/clock.h"

#include <math.h>
#include <time.h>

void mpi_worker_account(struct driver_mpi *driver, double *use_s)
{
    double now_s = clock_now_s();
    *use_s += now_s - driver->clock_s;
    driver->clock_s = now_s;
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
    const struct timespec pause = {.tv_nsec = 50 * 1000};
    while (!atomic_load(&driver->stop)) {
        mpi_worker_lock(driver);
        mpi_worker_deliver(driver);
        mpi_worker_unlock(driver);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

void mpi_worker_start_thread(struct driver_mpi *driver)
{
    if (!driver->threaded || !driver->mode->receive)
        return;
    atomic_store(&driver->stop, false);
    if (pthread_create(&driver->thread, NULL, answer_messages, driver) != 0)
        die("cannot start the thread of --progress thread");
}

void mpi_worker_stop_thread(struct driver_mpi *driver)
{
    if (!driver->threaded || !driver->mode->receive)
        return;
    atomic_store(&driver->stop, true);
    pthread_join(driver->thread, NULL);
}

bool mpi_worker_has_messages(const struct driver_mpi *driver)
{
    return driver->mode->receive || driver->comm.fetching;
}

void mpi_worker_look(struct driver_mpi *driver)
{
    const struct statistics_worker *worker = &driver->worker;
    pace_next(&driver->pace, driver->n_since_look, worker->task_s - driver->looked_task_s);
    driver->n_since_look = 0;
    if (!driver->threaded && mpi_worker_has_messages(driver)) {
        mpi_worker_deliver(driver);
        mpi_worker_account(driver, &driver->worker.communication_s);
    }
    driver->looked_task_s = worker->task_s;
    driver->measures_next = !mpi_worker_is_timed(driver);
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
