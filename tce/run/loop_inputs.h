/* SPDX-License-Identifier: BSD-3-Clause */
/* Digest of all that a loop over tiles reads: parts of scalars may be taken from an earlier run only if it had
 * this digest. */
#pragma once

#include "support/base/sha256.h"
#include "support/base/status.h"
#include "tce/run/tile_loop.h"
#include "tce/tensor/tensor.h"

#include <mpi.h>

/* The digest of the tuples of tiles and of the elements of stored tensors. Fills and the steps themselves are
 * left to the caller. Collective.
 * tensors  of the problem; NULL: local, or only written
 * Errors: STATUS_NO_MEMORY, those of sha256_create; the same on every process. */
enum status loop_inputs_digest(const struct tile_loop_problem *problem,
                               struct tensor *const tensors[], MPI_Comm comm,
                               char hex[SHA256_HEX_SIZE]);
