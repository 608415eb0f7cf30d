/* SPDX-License-Identifier: BSD-3-Clause */
/* Agreement of all processes on an outcome, so that every rank leaves a function the same way. */
#ifndef BERYL_SUPPORT_AGREE_H
#define BERYL_SUPPORT_AGREE_H

#include "support/base/status.h"

#include <mpi.h>

/* The first failure, by rank, of all the processes' own outcomes; STATUS_OK if
 * there is none. Its text and origin are copied to every process. Collective over comm. */
enum status status_agree(MPI_Comm comm, enum status own);

#endif
