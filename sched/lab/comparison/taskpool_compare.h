/* SPDX-License-Identifier: BSD-3-Clause */
/* Modes compared on a pool (taskpool/simulation.h), with all that comparison.h keeps of it. */
#pragma once

#include "sched/lab/comparison/comparison.h"
#include "support/base/status.h"
#include "taskpool/simulation.h"

/* As taskpool_compare, for callers that need the comparison itself.
 * comparison  out; the caller ends it with comparison_fini, also after a failure */
enum status comparison_of_pools(MPI_Comm comm, const struct taskpool_problem *problem,
                                const struct taskpool_settings *settings,
                                const struct taskpool_comparison *plan,
                                struct comparison *comparison);
