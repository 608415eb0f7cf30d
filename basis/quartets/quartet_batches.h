/* SPDX-License-Identifier: BSD-3-Clause */
/* The shell quartets of two sets of pairs, in batches of one class: the loop that every user of
 * many two-electron integrals shares. */
#pragma once

#include "basis/integrals/shell_pairs.h"
#include "basis/integrals/two_electron.h"
#include "basis/quartets/class_costs.h"
#include "basis/quartets/kept_quartets.h"
#include "basis/quartets/ket_rows.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* A batch with its integrals. */
struct computed_batch {
    struct quartet_batch quartets; /* in the engine's order */
    bool exchanged;                /* its bra comes from the ket pairs of the source */
    const double *integrals;       /* as two_electron_compute leaves them */
    struct class_cost *cost;       /* of the class, or NULL: `use` adds integrals and time */
};

/* Two classes that have rows (two_electron.h). */
struct rows_of_classes {
    struct two_electron *two_electron;
    const struct pair_class *bra, *ket;
    bool triangle;           /* bra number i has only kets up to i: (P|Q) stands for (Q|P), too */
    struct class_cost *cost; /* or NULL: the user adds quartets, integrals and time */
};

/* Quartets to be computed and their use. */
struct quartet_source {
    const struct shell_pairs *bra, *ket;
    bool unique; /* bra and ket are the same pairs, and (P|Q) stands for (Q|P), too */

    /* Quartets that may be computed; all of them have a bound product of at least the threshold. The other
     * ones are not kept either. NULL: all may be. */
    represent_function *represent;

    /* Puts the candidates to be computed, among n, into selected, ascending, and returns their
     * number. Candidate i is kets[positions[i]], or kets[i] where positions is NULL. NULL: all are
     * computed. */
    int32_t (*select)(const struct shell_pair *bra, const struct shell_pair *kets,
                      const int16_t *positions, int32_t n, int16_t *selected, void *context);

    /* Called instead of the others for two classes that have rows, to compute and use their
     * quartets. NULL: batches for all classes. */
    void (*use_rows)(const struct rows_of_classes *rows, void *context);

    /* Called with each batch in turn. The batch is valid until it returns. */
    void (*use)(const struct computed_batch *batch, void *context);
    void *context;

    struct class_costs *costs; /* added to; NULL: nothing is measured */

    /* To which integrals of small bounds are rounded (kept_quartets.h); 0: none is. */
    double unit;

    /* Kept integrals, of quartet_batches_fill for this unit: batches take theirs from it, in the order and
     * with the bits of computing them. NULL: nothing is kept. */
    struct kept_quartets *kept;
};

/* Scratch of one caller; not shared between threads. */
struct quartet_batches;

/* An object for pairs of these shells, whose bounds are known. Not collective.
 * threshold  quartets whose product of Schwarz bounds is below it are left out, hartree
 * engines    see two_electron_create
 * Errors: STATUS_NO_MEMORY, STATUS_LIMIT. */
enum status quartet_batches_create(const struct shells *shells, double threshold,
                                   struct engine_use *engines, struct quartet_batches **batches);
void quartet_batches_destroy(struct quartet_batches *batches);

/* Upper bound for the bytes that they take. */
int64_t quartet_batches_bytes(const struct shells *shells);

/* All quartets of the source except in rows, independent of `select`. */
struct kept_size quartet_batches_kept_size(struct quartet_batches *batches,
                                           const struct quartet_source *source);

/* Whether that size is not 0, which takes less time to find. */
bool quartet_batches_may_keep(struct quartet_batches *batches, const struct quartet_source *source);

/* Computes the integrals of all these quartets and keeps them in source->kept, which has their size. Calls
 * `use` with each batch. */
void quartet_batches_fill(struct quartet_batches *batches, const struct quartet_source *source);

/* Computes all quartets of the source, one pair of classes after another, in an order that
 * depends on the source alone; a batch takes a few milliseconds at most. */
void quartet_batches_compute(struct quartet_batches *batches, const struct quartet_source *source);
