/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of the run of a method: energies and diagnostics as text, and the files that options name. */
#pragma once

#include "hf/calculation/hf_calculation.h"
#include "sched/lab/comparison/mode_records.h"
#include "support/base/status.h"
#include "support/io/text_file.h"
#include "tce/calculation/method_calculation.h"
#include "tce/cli/tce_options.h"
#include "tce/methods/diagnostics.h"
#include "tce/plan/predicted_tasks.h"

#include <mpi.h>
#include <stdbool.h>

struct method_run {
    const struct tce_options *options;
    MPI_Comm comm;
    int rank;
    struct hf_settings scf_settings;
    struct method_settings settings;
    struct text_file text; /* of a user's program */
    struct hf_calculation hf;
    struct method_calculation calculation;
    struct mode_records records;
    double energies[MODES_MAX];         /* of correlation, under each mode, hartree */
    struct predicted_seconds predicted; /* of --dry-run */
    struct diagnostics diagnostics;
    bool *accepted;
    bool checked; /* the outputs can be written */
};

void method_results_print(const struct method_run *run);

/* Writes the files: none after bad input, and after another failure the --json. Returns the status,
 * or that of a file that could not be written. Collective. */
enum status method_results_write(const struct method_run *run, enum status status);
