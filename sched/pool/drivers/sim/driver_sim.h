/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a mode on a simulated machine: a discrete-event simulation of
 * any number of workers in one process, with the tasks' bodies run for real if
 * the problem has some. The same seed gives the same run.
 *
 * A worker polls for messages as a process would: between tasks (--progress
 * poll), or at once, by a thread that costs nothing (--progress thread, or if its mode says so,
 * has_thread), and whenever it waits. The bulk of a message is read when it arrives, the latest
 * time that MPI allows. Errors of a protocol are detected: a message for a worker that is done,
 * or on its way when all are, and a deadlock of workers that wait, fail the run. */
#ifndef BERYL_SCHED_DRIVER_SIM_H
#define BERYL_SCHED_DRIVER_SIM_H

#include "sched/pool/core/driver.h"
#include "taskpool/mode.h"
#include "taskpool/simulation.h"

/* Creates the workers and seeds them. Not collective.
 * mode, machine, setup  borrowed
 * Errors: those of the mode, STATUS_LIMIT, STATUS_NO_MEMORY. Its run and restore may fail with
 * STATUS_PROTOCOL, and with STATUS_LIMIT when tasks end after 10^9 s, where microseconds get
 * lost in a double. */
enum status driver_sim_create(const struct taskpool_mode *mode,
                              const struct taskpool_machine *machine,
                              const struct taskpool_mode_setup *setup,
                              const struct driver_records *records, struct driver **driver);

#endif
