/* A run of beryl-hf, from options to result. */
#ifndef BERYL_HF_HF_RUN_H
#define BERYL_HF_HF_RUN_H

#include "hf/hf_options.h"
#include "support/status.h"

#include <mpi.h>

/* Does what the options ask: counts tasks, times Fock builds, or runs a
 * self-consistent field; prints as it goes and writes the files asked for.
 * Collective over comm, which is all processes. Errors: those of every part;
 * the same on every process. With STATUS_NOT_CONVERGED the result is written too. */
enum status hf_run(const struct hf_options *options, MPI_Comm comm);

#endif
