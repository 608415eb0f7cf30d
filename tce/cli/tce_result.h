/* SPDX-License-Identifier: BSD-3-Clause */
/* The one writer of results of beryl-tce: the log's summary, and the JSON of programs and methods (RESULTS.md). */
#pragma once

#include "hf/calculation/hf_calculation.h"
#include "sched/lab/comparison/mode_records.h"
#include "support/base/status.h"
#include "support/io/text_file.h"
#include "tce/calculation/method_calculation.h"
#include "tce/cli/tce_options.h"
#include "tce/execution/program_instance.h"
#include "tce/methods/diagnostics.h"
#include "tce/plan/plan.h"
#include "tce/plan/predicted_tasks.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* --- of programs and methods --- */

/* Records an evaluation of a program's statements under the mode at this position. Returns its
 * entry in the record's iterations, borrowed; NULL when out of memory. */
json_t *tce_result_note(struct mode_records *records, int position,
                        const struct executor_record *iteration);

/* Records executor_timeline, if pools keep one. Collective; errors likewise. */
enum status tce_result_note_timeline(const struct executor *executor, struct mode_record *record);

/* Prints how many tasks a plan has and their useful flops, as a line of JSON. Collective. Errors:
 * as predicted_tasks_count. */
enum status tce_result_print_tasks(const struct plan *plan, MPI_Comm comm);

/* Prints the values of the scalars. Not collective. */
void tce_result_print_scalars(const struct program_instance *instance);

/* --- of a program alone --- */

struct program_run {
    const struct tce_options *options;
    MPI_Comm comm;
    int rank, n_workers;
    struct program_instance instance;
    struct mode_records records; /* after a failure, of what was completed */
    int64_t memory_bytes;        /* of this process, after a mode's iterations at most */
    bool *accepted;
    bool checked; /* the outputs can be written, and are to be */
};

/* Prints memory and wall time of a run that has not failed, and writes --json, if given: the figures of the
 * mode, or of each that was compared.
 * outcome, error  the status of the run, and the text of its failure
 * Collective. Errors: STATUS_NO_MEMORY, STATUS_IO; the same everywhere. */
enum status program_result_write(const struct program_run *run, enum status outcome,
                                 const char *error);

/* --- of a method --- */

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

/* Prints energies and diagnostics; of a user's program energies, if there are any, and scalars. */
void method_results_print(const struct method_run *run);

/* Writes the files: none after bad input, and after another failure the --json. Returns `status`,
 * or the status of a failed write. Collective. */
enum status method_results_write(const struct method_run *run, enum status status);
