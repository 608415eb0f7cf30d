/* A run of beryl-hf, from options to result. */
#ifndef BERYL_HF_HF_RUN_H
#define BERYL_HF_HF_RUN_H

#include "hf/cli/hf_options.h"
#include "support/base/status.h"

#include <mpi.h>

/* Does what the options ask: counts tasks, times Fock builds, or runs a
 * self-consistent field; prints as it goes and writes the files asked for.
 * Collective over comm, which is all processes. Errors: those of every part;
 * the same on every process.
 * *exit_status  2 for bad usage or input, of which nothing is written; 1 if the calculation
 *               failed: its --json tells why. An output that cannot be written after the
 *               work is such a failure, unlike one found out before. */
enum status hf_run(const struct hf_options *options, MPI_Comm comm, int *exit_status);

#endif
