/* SPDX-License-Identifier: BSD-3-Clause */
/* The watchdog of a run (--watchdog): a thread of each process that makes no MPI call. When no task
 * has finished for the given time, on any process that it knows of (mpi_pulse.h), each process
 * reports to standard error its running task or its wait, and the state of its mode's
 * machine, and ends with exit status 1; for a stopped one (SIGSTOP) another on its node reports.
 * Time counts from the start of an iteration on all processes to its end on all. */
#pragma once

#include "sched/pool/drivers/mpi/mpi_comm.h"
#include "sched/pool/drivers/mpi/mpi_pulse.h"
#include "support/base/status.h"

struct mpi_watchdog;

/* Creates a watchdog for the worker behind comm, which is borrowed and from then on takes part in
 * its pulse. Collective over comm's processes. Errors: as mpi_pulse_init; *watchdog is then
 * unchanged. */
enum status mpi_watchdog_create(struct mpi_comm *comm, double limit_s,
                                struct mpi_watchdog **watchdog);
void mpi_watchdog_destroy(struct mpi_watchdog *watchdog); /* NULL is fine */

/* An iteration has begun on all processes: starts the thread. */
void mpi_watchdog_begin(struct mpi_watchdog *watchdog);

/* It has finished on this process: returns when it has on all, and stops the thread. Unlike a
 * process in a collective call of MPI, one that waits here hears of tasks that finish on other
 * nodes. Collective. */
void mpi_watchdog_end(struct mpi_watchdog *watchdog);
