/* SPDX-License-Identifier: BSD-3-Clause */
/* The course of a run on all processes, as JSON. */
#pragma once

#include "sched/pool/trace/timeline.h"
#include "support/base/status.h"
#include "taskpool/taskpool.h"

#include <jansson.h>
#include <mpi.h>

struct timeline_problem {
    const struct taskpool_problem *problem;      /* for predicted costs */
    const struct taskpool_iteration *statistics; /* of the last iteration */
    const struct taskpool_iteration *all;        /* up to that; NULL: not kept */
    /* Task seconds of the n_workers of this process in the first iteration that is known, and in
     * this one; as many on every process. */
    const double *first_loads_s, *loads_s;
    int n_workers;
};

/* The key `timeline` of a result (RESULTS.md), on process 0; NULL elsewhere. Collective. Widens
 * the bins to those of all processes.
 * Errors: STATUS_NO_MEMORY, STATUS_LIMIT; the same on every process. */
enum status timeline_to_json(MPI_Comm comm, struct timeline *timeline,
                             const struct timeline_problem *problem, json_t **json);
