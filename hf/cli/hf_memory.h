/* Whether a run fits into memory, found out before anything large is allocated. */
#ifndef BERYL_HF_HF_MEMORY_H
#define BERYL_HF_HF_MEMORY_H

#include "hf/cli/hf_input.h"
#include "hf/cli/hf_options.h"
#include "hf/tiles/tiling.h"
#include "support/arrays/dense.h"
#include "support/base/status.h"

#include <mpi.h>

/* Prints what each process takes and what it may have: --memory, or an equal share of what
 * its node still has. Collective.
 * Errors: STATUS_NO_MEMORY with both numbers if it does not fit; the same everywhere. */
enum status hf_memory_check(const struct hf_options *options, const struct hf_input *input,
                            const struct tiling *tiling, const struct dense_grid *grid,
                            MPI_Comm comm);

#endif
