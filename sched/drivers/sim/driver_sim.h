/* Runs a mode on a machine that does not exist: a discrete-event simulation of
 * any number of workers in one process, with the tasks' bodies run for real if
 * the problem has some. The same seed gives the same run.
 *
 * A worker looks for messages as a process would: between tasks (--progress
 * poll), or at once, by a thread that costs nothing (--progress thread), and
 * whenever it waits. What it sends in bulk is read when it arrives, the latest
 * moment that MPI allows. A protocol that breaks its promises is found out:
 * messages for a worker that is done, or on their way when all are, and workers
 * that wait for ever are failures. */
#ifndef BERYL_SCHED_DRIVER_SIM_H
#define BERYL_SCHED_DRIVER_SIM_H

#include "sched/core/driver.h"
#include "sched/core/history.h"
#include "sched/core/mode.h"
#include "sched/drivers/sim/machine.h"

/* Creates the workers and seeds them. Not collective.
 * mode, machine, setup, history  borrowed; history NULL: none is kept
 * Errors: those of the mode, STATUS_LIMIT, STATUS_NO_MEMORY. Its run and restore may fail with
 * STATUS_PROTOCOL, and with STATUS_LIMIT when tasks end after 10^9 s, where microseconds get
 * lost in a double. */
enum status driver_sim_create(const struct mode *mode, const struct taskpool_machine *machine,
                              const struct mode_setup *setup, struct history *history,
                              struct driver **driver);

#endif
