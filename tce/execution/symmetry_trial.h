/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a tensor has the symmetry that it declares, by its elements: where the program does not show
 * that a statement keeps it (symmetry_check.h). */
#pragma once

#include "support/base/status.h"
#include "tce/language/program.h"
#include "tce/tensor/tensor.h"

#include <mpi.h>

/* Compares each block of the target of a statement with those that the declared exchanges make of it, to
 * within rounding of the largest element; numbers that are not finite are left to finite_check.h.
 * Collective; what was written to the target must have been synchronised.
 * Errors: STATUS_INPUT, with the place of the statement and the exchange that its target lacks,
 * STATUS_NO_MEMORY; the same everywhere. */
enum status symmetry_trial(const struct program *program, int statement,
                           const struct tensor *target, MPI_Comm comm);
