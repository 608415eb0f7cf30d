/* Several modes compared: the same work done under each of them, one after another; its table,
 * the check that all came to the same results, its JSON. Not collective. */
#ifndef BERYL_SCHED_MODE_RECORDS_H
#define BERYL_SCHED_MODE_RECORDS_H

#include "sched/core/statistics.h"
#include "sched/modes/mode_list.h"
#include "support/base/sha256.h"
#include "support/base/status.h"

#include <jansson.h>
#include <stdint.h>

enum { MODE_RECORD_DIGESTS = 2 };

/* The work under one mode. */
struct mode_record {
    const char *mode; /* its name, borrowed */
    int64_t n_iterations;
    double first_s, best_s, last_s;                    /* seconds of an iteration */
    struct statistics_iteration last;                  /* the last iteration */
    char sha256[MODE_RECORD_DIGESTS][SHA256_HEX_SIZE]; /* of the results; "" until complete */
    json_t *iterations;                                /* array: statistics of each */
    json_t *timeline; /* of the last iteration (taskpool_timeline), owned; or NULL */
};

struct mode_records {
    int n; /* modes that were begun */
    struct mode_record list[MODES_MAX];
};

void mode_records_fini(struct mode_records *records);

/* The record of a mode that begins; its address stays valid. */
struct mode_record *mode_records_begin(struct mode_records *records, const char *mode);

/* Records the next iteration. Returns its entry in `iterations`, borrowed, for the caller to add
 * to; NULL when out of memory. */
json_t *mode_record_note(struct mode_record *record, double seconds,
                         const struct statistics_iteration *statistics);

/* Errors: STATUS_PROTOCOL, with the names of the modes, if results differ from the first mode's.
 * result  for the message, "Fock matrix" */
enum status mode_records_check(const struct mode_records *records, const char *result);

/* Prints a row for each mode, with the ratio of its best iteration to the best of static, or of
 * the first mode if static is not there. iteration  its name, "Fock build" */
void mode_records_print(const struct mode_records *records, const char *iteration);

/* {"sched", "tasks", digests, "iterations", "timeline"} of a mode, or an object of these by mode;
 * the caller owns it. NULL when out of memory. keys  of the digests, NULL for one that is left out
 */
json_t *mode_record_to_json(const struct mode_record *record,
                            const char *const keys[MODE_RECORD_DIGESTS]);
json_t *mode_records_to_json(const struct mode_records *records,
                             const char *const keys[MODE_RECORD_DIGESTS]);

#endif
