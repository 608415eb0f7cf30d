/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of the arguments of taskpool_create and taskpool_simulate. */
#pragma once

#include "support/base/status.h"
#include "taskpool/mode.h"
#include "taskpool/simulation.h"

/* The arguments of taskpool_create or taskpool_simulate; comm is MPI_COMM_SELF for a simulation. */
struct pool_request {
    MPI_Comm comm;
    bool simulated;
    const struct taskpool_problem *problem;
    struct taskpool_settings *settings;
    const struct taskpool_machine *machine; /* of a simulation */
    bool has_room;                          /* the caller's pointer for the pool is not NULL */
};

/* Whether MPI runs and comm can carry a pool. Not collective. Errors: STATUS_USAGE. */
enum status pool_check_comm(MPI_Comm comm);

/* Checks the problem, the settings and the machine, and that all processes ask for the same.
 * Collective over comm, in one reduction.
 * Errors: STATUS_USAGE, STATUS_LIMIT, and as the checks of the mode's own options; the same on
 * every process. */
enum status pool_check_request(const struct pool_request *request);
