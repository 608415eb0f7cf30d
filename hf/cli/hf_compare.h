/* SPDX-License-Identifier: BSD-3-Clause */
/* --compare: the same Fock builds under several scheduling modes, in rounds. */
#ifndef BERYL_HF_HF_COMPARE_H
#define BERYL_HF_HF_COMPARE_H

#include "hf/fock/fock_build.h"
#include "sched/lab/comparison/mode_records.h"
#include "sched/pool/modes/modes.h"
#include "support/arrays/darray.h"
#include "support/base/status.h"

#include <stdint.h>

/* The builds and their data. All borrowed. */
struct hf_compare_problem {
    const struct mode_list *modes;
    const struct taskpool_settings *pool; /* each mode takes the options that are for it */
    int64_t n_builds;                     /* under each mode in each round */
    struct fock *fock;
    const struct tiling *tiling;
    int n_spins;
    struct darray *const *D; /* n_spins: read */
    struct darray *const *F; /* n_spins: of the last build */
};

/* Checks that every mode can have its pool with these options. Collective.
 * Errors: as taskpool_create. */
enum status hf_compare_check(const struct hf_compare_problem *problem);

/* Runs all modes records->n_rounds times, each time in a random order, and prints a line for each
 * build. In every round every mode begins as if it were the first, with the same tasks. Collective.
 * records  appended to, also before a failure; digests: SHA-256 of F, per spin
 * Errors: as fock_restart and fock_build. */
enum status hf_compare_run(const struct hf_compare_problem *problem, struct mode_records *records);

#endif
