/* What a program or a method did under each of several scheduling modes, and what --compare
 * makes of it. Not collective. */
#ifndef BERYL_TCE_MODE_RECORDS_H
#define BERYL_TCE_MODE_RECORDS_H

#include "sched/modes/comparison.h"
#include "sched/modes/mode_list.h"
#include "support/base/sha256.h"
#include "support/base/status.h"
#include "tce/execution/executor.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct mode_record {
    int mode;
    int64_t n_iterations;
    double energy;                /* of a method: of correlation, hartree */
    char sha256[SHA256_HEX_SIZE]; /* of the results; empty until they are complete */
    json_t *iterations;           /* array: the figures of each */
    struct comparison_row row;
};

struct mode_records {
    int n; /* modes that were begun */
    struct mode_record list[MODE_LIST_MAX];
};

void mode_records_fini(struct mode_records *records);

/* The record of a mode that begins; it stays where it is. */
struct mode_record *mode_records_begin(struct mode_records *records, int mode);

/* Notes the next iteration. Returns its entry in `iterations`, borrowed, for the caller to add
 * to; NULL when out of memory. */
json_t *mode_record_note(struct mode_record *record, const struct executor_record *iteration);

/* Whether all modes came to the same results. Errors: STATUS_PROTOCOL. */
enum status mode_records_check(const struct mode_records *records);

/* Prints the table of --compare. what  an iteration is, "iteration" */
void mode_records_print(const struct mode_records *records, const char *what);

/* {"sched", "tasks", "sha256", "iterations"} of a mode; the caller owns it. NULL when out of
 * memory. */
json_t *mode_record_to_json(const struct mode_record *record);

#endif
