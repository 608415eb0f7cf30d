/* Measures the machine at hand for a simulation of it, by the means that the modes have:
 * their messages, their counter, their driver. */
#ifndef BERYL_SCHED_CALIBRATE_H
#define BERYL_SCHED_CALIBRATE_H

#include "support/base/status.h"

#include <mpi.h>

/* Measures, prints a table and writes what machine_file.h reads. Collective over comm, of two
 * processes or more; takes some seconds.
 * Errors: STATUS_USAGE (one process only), STATUS_IO, STATUS_NO_MEMORY; the same on every
 * process. */
enum status calibrate(MPI_Comm comm, const char *path);

#endif
