/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a mode over MPI: each process is a worker, which polls for messages
 * between tasks or has a thread that receives them. Times, counts and errors of tasks are
 * recorded here, once for all modes. */
#ifndef BERYL_SCHED_DRIVER_MPI_H
#define BERYL_SCHED_DRIVER_MPI_H

#include "sched/pool/core/driver.h"
#include "taskpool/mode.h"

#include <mpi.h>

/* Creates the worker of this process and seeds it. Collective over comm, which
 * must carry no other point-to-point messages until destruction; collective calls between runs
 * are allowed.
 * comm, mode, setup  borrowed
 * Errors: those of the mode, STATUS_NO_MEMORY, STATUS_USAGE (--progress thread
 * without MPI_THREAD_MULTIPLE); the same on every process. */
enum status driver_mpi_create(MPI_Comm comm, const struct taskpool_mode *mode,
                              const struct taskpool_mode_setup *setup,
                              const struct driver_records *records, struct driver **driver);

#endif
