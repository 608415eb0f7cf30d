/* File of a simulated machine, as beryl-sched --calibrate writes it. */
#ifndef BERYL_SCHED_MACHINE_FILE_H
#define BERYL_SCHED_MACHINE_FILE_H

#include "sched/lab/cli/machine_options.h"
#include "support/base/status.h"

#include <mpi.h>

/* Sets the settings that were not given. The file is a JSON object of numbers under the names of
 * the machine's options; "node-size", "overhead" and one of "latency" and "node-latency" are
 * required, "measured" is ignored. Collective over comm; rank 0 reads.
 * Errors: STATUS_IO, STATUS_INPUT (names the file and the line or the key), STATUS_NO_MEMORY;
 * the same on every process. */
enum status machine_file_read(const char *path, MPI_Comm comm, struct machine_settings *settings);

#endif
