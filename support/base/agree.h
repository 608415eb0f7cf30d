/* SPDX-License-Identifier: BSD-3-Clause */
/* Agreement of all processes on an outcome, so that every rank leaves a function the same way. */
#pragma once

#include "support/base/status.h"

#include <mpi.h>
#include <stddef.h>

/* The first failure, by rank, of all the processes' own outcomes, or STATUS_OK.
 * Its text and origin are copied to every process. Collective over comm. */
enum status status_agree(MPI_Comm comm, enum status own);

/* size bytes of zeros, to be freed with free; NULL on all processes if any process has no memory: the
 * failure is STATUS_NO_MEMORY then, and its text says what they are for. Collective over comm. */
void *agree_calloc(MPI_Comm comm, size_t size, const char *what);
