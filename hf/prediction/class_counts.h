/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of shell quartets above the Schwarz threshold by class: the types of the pairs ab and cd
 * (class_costs.h). They are counted without visiting quartets: with the pairs of a type sorted by
 * bound, the partners of a pair are a prefix. */
#pragma once

#include "basis/quartets/class_costs.h"
#include "hf/fock/fock_tasks.h"
#include "hf/tiles/screening.h"
#include "hf/tiles/tile_symmetry.h"
#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* A pair of groups that can pass the threshold. */
struct listed_pair {
    double bound;
    int64_t tile_pair;  /* tile_pair_index */
    int32_t primitives; /* products of primitives */
    int16_t type;
    uint8_t copies;    /* 2 where ab and ba are two pairs, else 1 */
    uint64_t fixed_by; /* bit k: operation k leaves the pair as it is; 1 without symmetry */
};

/* Sums of copies, and of primitives of all copies, over the pairs before one of the list. */
struct pair_sums {
    double pairs, primitives;
};

struct class_count {
    double quartets;
    double primitives; /* primitive quartets, before any is left out for its weight */
};

struct class_counts {
    const struct shells *shells; /* borrowed */
    double threshold;            /* hartree */
    bool ordered;                /* quartets of FOCK_SYMMETRY_NONE, each by itself */
    int order;                   /* number of symmetry operations; 1: none is used */
    int n_pair_types;
    struct class_count *of; /* [t][u], t >= u; both orders of the two pairs together */

    /* On process 0, else NULL. */
    struct listed_pair *pairs; /* by type, then by descending bound */
    int64_t *first;            /* of each type; n_pair_types + 1 */
    struct pair_sums *before;  /* of each pair and of the end, sums from the first of all */
};

/* Counts the quartets of a build that computes all above the threshold or, with the symmetry of a
 * molecule (NULL: none), one of each orbit (quartet_orbits.h). The number of orbits is the mean over the
 * operations of the number of quartets that each leaves unchanged (Burnside's lemma), where those whose
 * pairs it exchanges, fewer than pairs, are left out. Walks and lists are of all quartets. The screening
 * is not needed afterwards. Collective. Errors: STATUS_NO_MEMORY, STATUS_LIMIT (2^31 pairs); the same
 * everywhere. */
enum status class_counts_create(const struct screening *screening, enum fock_symmetry symmetry,
                                const struct tile_symmetry *of_molecule, MPI_Comm comm,
                                struct class_counts **counts);
void class_counts_destroy(struct class_counts *counts);

/* A walk over the bras of class (t, u), from {0}; on process 0. */
struct class_walk {
    int64_t bra, n; /* indices into pairs: the bra, and its n kets from first[u] on */
    int64_t next, end;
    bool begun;
    struct class_count sum; /* of this bra and those before it */
};

/* Goes to the first or the next bra that has kets; false after the last. */
bool class_walk_next(const struct class_counts *counts, int t, int u, struct class_walk *walk);

/* Integrals of a quartet of pair types t and u. */
int class_counts_n_integrals(const struct class_counts *counts, int t, int u);

/* Functions of a pair. */
int class_counts_pair_functions(const struct class_counts *counts, int pair_type);

/* Sum of the largest angular momenta of the two groups of a pair. */
int class_counts_pair_l(const struct class_counts *counts, int pair_type);
