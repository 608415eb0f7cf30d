/* SPDX-License-Identifier: BSD-3-Clause */
/* The results of `beryl-tce METHOD`, printed and written. */
#ifndef BERYL_TCE_METHOD_RESULT_H
#define BERYL_TCE_METHOD_RESULT_H

#include "sched/lab/comparison/mode_records.h"
#include "support/base/status.h"
#include "tce/calculation/method_calculation.h"
#include "tce/cli/tce_options.h"

#include <mpi.h>

/* Results, as far as the run came; all borrowed. */
struct method_result {
    const struct tce_options *options;
    const struct hf_calculation *hf;
    const struct method_calculation *calculation;
    const struct mode_records *records;
    const double *energies; /* of correlation, hartree: one of each record, of its last round */
};

/* Prints the energies. Not collective. */
void method_result_print(const struct method_result *result);

/* Writes the files asked for. Collective.
 * status  of the run, whose text is the last one
 * Returns the status, or that of a file that could not be written; the same everywhere. */
enum status method_result_write(const struct method_result *result, enum status status,
                                MPI_Comm comm);

#endif
