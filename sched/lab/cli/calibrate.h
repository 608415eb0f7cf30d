/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurement of this machine for simulations of it: messages, shared counter, cost of a task,
 * contention of a node's processes. */
#pragma once

#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>

/* Measures, prints a table and writes a file for machine_file_read. Collective over comm, of
 * two processes or more; takes some seconds.
 * accepted  out: set before the first measurement
 * Errors: STATUS_USAGE (one process only), STATUS_IO, STATUS_NO_MEMORY; the same on every
 * process. */
enum status calibrate(MPI_Comm comm, const char *path, bool *accepted);
