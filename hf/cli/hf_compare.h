/* --compare: the same Fock builds under several scheduling modes, one after another. */
#ifndef BERYL_HF_HF_COMPARE_H
#define BERYL_HF_HF_COMPARE_H

#include "hf/fock/fock_build.h"
#include "sched/modes/mode_list.h"
#include "support/arrays/darray.h"
#include "support/base/sha256.h"
#include "support/base/status.h"

#include <jansson.h>
#include <mpi.h>
#include <stdint.h>

/* What is built, and how. All borrowed. */
struct hf_compare_problem {
    const struct mode_list *modes;
    const struct taskpool_settings *pool; /* those of its options that are for a mode are used */
    int64_t n_builds;                     /* under each mode */
    struct fock *fock;
    MPI_Comm comm;
    const struct tiling *tiling;
    int n_spins;
    struct darray *const *D; /* n_spins: read */
    struct darray *const *F; /* n_spins: those of the last build */
};

/* What a mode did. */
struct hf_compared {
    int mode; /* index into taskpool_mode_names */
    int64_t tasks;
    struct fock_record *builds;      /* n_builds */
    char sha256[2][SHA256_HEX_SIZE]; /* of the last F, per spin */
};

struct hf_comparison {
    int64_t n_builds;
    int n_spins;
    int n; /* modes that are done */
    struct hf_compared modes[MODE_LIST_MAX];
};

/* Finds out whether every mode can have its pool with these options. Collective.
 * Errors: as taskpool_create. */
enum status hf_compare_check(const struct hf_compare_problem *problem);

/* Runs the modes in the order of the list and prints a line for each build. Every mode begins
 * as if it were the first, with the same tasks. Collective.
 * comparison  out, also of a failure: what was done so far
 * Errors: as fock_restart and fock_build. */
enum status hf_compare_run(const struct hf_compare_problem *problem,
                           struct hf_comparison *comparison);
void hf_comparison_fini(struct hf_comparison *comparison);

/* Prints a row for each mode. */
void hf_comparison_print(const struct hf_comparison *comparison);

/* STATUS_PROTOCOL, naming the modes, unless all have one digest. */
enum status hf_comparison_check(const struct hf_comparison *comparison);

/* {mode: {"tasks", "fock_sha256", "iterations"}}; the caller owns it. NULL when out of memory. */
json_t *hf_comparison_to_json(const struct hf_comparison *comparison);

#endif
