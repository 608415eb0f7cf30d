/* Runs a mode over MPI: each process is a worker, which looks for messages
 * between tasks. Times, counts and errors of tasks are seen to here, once for
 * all modes. */
#ifndef BERYL_SCHED_DRIVER_MPI_H
#define BERYL_SCHED_DRIVER_MPI_H

#include "sched/history.h"
#include "sched/mode.h"
#include "sched/statistics.h"
#include "support/status.h"

#include <mpi.h>

struct driver_mpi;

/* Creates the worker of this process and seeds it. Collective over comm, which
 * must be used for nothing else until destruction.
 * comm, mode, setup, history   borrowed; history NULL: none is kept
 * Errors: those of the mode, STATUS_NO_MEMORY; the same on every process. */
enum status driver_mpi_create(MPI_Comm comm, const struct mode *mode,
                              const struct mode_setup *setup, struct history *history,
                              struct driver_mpi **driver);

/* Collective; NULL is fine. */
void driver_mpi_destroy(struct driver_mpi *driver);

/* One iteration. Collective. After a failed task this worker passes over its
 * other tasks and takes part to the end.
 * worker  out, the figures of this worker
 * Returns the failure of this worker's own task: the caller has to agree. */
enum status driver_mpi_run(struct driver_mpi *driver, struct statistics_worker *worker);

/* Prepares the next iteration. Collective. */
void driver_mpi_restore(struct driver_mpi *driver);

/* From the body of a task: looks for messages and answers them. */
void driver_mpi_poll(struct driver_mpi *driver);

/* The mode's view of what is done, in [0, 1]. */
double driver_mpi_progress(const struct driver_mpi *driver);

#endif
