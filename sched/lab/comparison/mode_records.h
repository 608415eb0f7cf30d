/* SPDX-License-Identifier: BSD-3-Clause */
/* --compare: the same work done under several modes, in rounds (B A C, A C B, ...); its tables, the
 * check that all came to the same results, its JSON. Not collective, but where there is a trace the
 * begin and the end of a round are. */
#pragma once

#include "sched/lab/comparison/comparison.h"
#include "sched/lab/trace/trace.h"
#include "sched/pool/modes/modes.h"
#include "support/base/sha256.h"
#include "support/base/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { MODE_RECORD_DIGESTS = 2 };

/* The work under one mode. */
struct mode_record {
    const char *mode; /* its name, borrowed; records may share it */
    const char *name; /* unique: "auto#2" */
    int64_t n_iterations;
    double first_s, best_s, last_s;                    /* seconds of an iteration of the round */
    struct taskpool_iteration last;                    /* the last iteration */
    char sha256[MODE_RECORD_DIGESTS][SHA256_HEX_SIZE]; /* of the results; "" until complete */
    char first_sha256[MODE_RECORD_DIGESTS][SHA256_HEX_SIZE]; /* of the first round */
    bool differs;       /* whether a round had other digests than the first one */
    json_t *iterations; /* array: statistics of each, of all rounds */
    json_t *timeline;   /* of the last iteration (pool_timeline), owned; or NULL */
    json_t *trace;      /* of the last round, once it is written, owned; or NULL */
};

/* Zero-initialised, but for the first members, is empty. */
struct mode_records {
    int64_t n_rounds;             /* asked for; 0: 1 */
    struct taskpool_trace *trace; /* of --trace, where each mode gets a folder by its name;
                                   * borrowed; NULL: none */
    MPI_Comm comm;                /* its own */
    struct comparison comparison; /* of the same modes in the same order; its first members too */
    int64_t n_begun;              /* calls of mode_records_begin */
    double lower_bound_s; /* least of all iterations, set by the caller; 0 or infinite: not known */
    int n;
    struct mode_record list[MODES_MAX];
};

void mode_records_fini(struct mode_records *records);

/* Adds the modes, whose names are borrowed, and prints what is to be known of their rounds before
 * these begin: whether they can tell so many modes apart, and that orders are random. */
void mode_records_start(struct mode_records *records, const struct mode_list *modes);

/* Runs all modes in every round, in the order that the comparison draws, and prints which round
 * begins.
 * run  does the work of a round under the mode at the position, between mode_records_begin and _end
 * Errors: as run. */
enum status mode_records_run(const struct mode_records *records,
                             enum status (*run)(void *context, int position, int64_t round),
                             void *context);

/* The record of a mode that begins its next round; its address stays valid.
 * position  in the list of modes */
struct mode_record *mode_records_begin(struct mode_records *records, int position);

/* Records the round's next iteration. Returns its entry in `iterations`, borrowed, for the caller
 * to add to; NULL when out of memory. */
json_t *mode_records_note(struct mode_records *records, int position, double seconds,
                          const struct taskpool_iteration *statistics);

/* Ends the round, whose digests are in the record; writes the trace of the last one.
 * Errors: as taskpool_trace_write; the same on every process. */
enum status mode_records_end(struct mode_records *records, int position);

/* Errors: STATUS_PROTOCOL, with the names of the modes, if results differ from the first mode's.
 * result  for the message, "Fock matrix" */
enum status mode_records_check(const struct mode_records *records, const char *result);

/* Prints a row for each mode: of one round the ratio of its best iteration to the best of the first
 * mode; of several also the median round, and the ratio with its interval and verdict, which it
 * finds here for the JSON, too.
 * iteration  its name, "Fock build" */
void mode_records_print(struct mode_records *records, const char *iteration);

/* Whether an iteration of the mode was recorded; before a failure others may have run alone. */
bool mode_record_has_run(const struct mode_record *record);

/* {"sched", "tasks", digests, "iterations", "timeline", "trace"} of a mode, with several rounds its
 * seconds and ratio, too; or an object of these by name, of modes that have run; the caller owns
 * it. NULL when out of memory. keys of the digests, NULL for one that is left out, as one that is
 * not complete is */
json_t *mode_record_to_json(const struct mode_records *records, int position,
                            const char *const keys[MODE_RECORD_DIGESTS]);
json_t *mode_records_to_json(const struct mode_records *records,
                             const char *const keys[MODE_RECORD_DIGESTS]);

/* {"rounds", "rounds_needed", "counted_from", "confidence", "oversubscribed", "seeds", "orders"}:
 * "comparison" of a result. As above. */
json_t *mode_records_summary_to_json(const struct mode_records *records);
