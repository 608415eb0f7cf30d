/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of seconds per task of a Fock build, and the tiles that each task reads and writes. */
#pragma once

#include "hf/fock/fock_tasks.h"
#include "hf/tiles/tiling.h"
#include "support/base/status.h"
#include "taskpool/taskpool.h"

#include <mpi.h>

/* A build; borrowed. */
struct fock_profile {
    const struct fock_tasks *tasks;
    const struct tiling *tiling;
    int n_matrices;
    const struct taskpool_history *history; /* by position of the tasks */
    MPI_Comm comm;
};

/* As fock_write_profile (fock_build.h). Collective. Errors: STATUS_IO, STATUS_NO_MEMORY. */
enum status fock_profile_write(const struct fock_profile *profile, const char *path);
