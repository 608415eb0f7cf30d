/* SPDX-License-Identifier: BSD-3-Clause */
/* A contraction by nested loops over elements: the oracle of the contraction tests. */
#pragma once

#include "tce/run/contraction.h"

#include <mpi.h>

/* Does what stage_run does. Collective: every process computes, the first one writes.
 * Errors: STATUS_NO_MEMORY. */
enum status contraction_reference(const struct contraction_problem *problem, MPI_Comm comm);
