/* SPDX-License-Identifier: BSD-3-Clause */
/* The printed and written results of `beryl-tce run`, and of what methods share with it. */
#pragma once

#include "sched/lab/comparison/mode_records.h"
#include "support/base/memory.h"
#include "support/base/status.h"
#include "support/mpi/wall_time.h"
#include "tce/cli/tce_options.h"
#include "tce/execution/program_instance.h"
#include "tce/plan/plan.h"

#include <mpi.h>

/* Records an evaluation of a program's statements under the mode at this position. Returns its
 * entry in the record's iterations, borrowed; NULL when out of memory. */
json_t *program_result_note(struct mode_records *records, int position,
                            const struct executor_record *iteration);

/* Records executor_timeline, if pools keep one. Collective; errors likewise. */
enum status program_result_note_timeline(const struct executor *executor,
                                         struct mode_record *record);

/* Prints how many tasks a plan has and their useful flops, as a line of JSON. Collective. Errors:
 * those of predicted_tasks_count. */
enum status program_result_print_tasks(const struct plan *plan, MPI_Comm comm);

/* Prints the memory that processes used. */
void program_result_print_memory(const struct memory_use *memory);

/* Prints the values of the scalars. Not collective. */
void program_result_print_scalars(const struct program_instance *instance);

/* {name: value} of those that statements assign to. Not collective; NULL when out of memory. */
json_t *program_result_scalars_to_json(const struct program_instance *instance);

/* All borrowed. */
struct program_result {
    const struct tce_options *options;
    int n_workers;
    struct memory_use memory;
    struct wall_time wall;              /* until the result was written */
    const struct mode_records *records; /* after a failure, of what was completed */
    const struct program_instance *instance;
    json_t *hardware;   /* hardware_to_json */
    enum status status; /* of the run */
    const char *error;  /* text of its failure */
};

/* Writes --json: the figures of the mode, or of each that was compared. Not collective.
 * Errors: STATUS_NO_MEMORY, STATUS_IO. */
enum status program_result_write(const struct program_result *result);
