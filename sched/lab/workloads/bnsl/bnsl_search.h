/* SPDX-License-Identifier: BSD-3-Clause */
/* The best network that scored parent sets allow, by a search over orders of the variables: in
 * an order every variable takes the best of its parent sets among those before it, so that
 * there is no cycle. Starting from a random order, variables are moved to better positions one at a
 * time until no move improves the score; then the best order so far is perturbed at random (a kick)
 * and the descent repeated. Moves are swaps of neighbours, each of which changes two variables
 * only.
 * Sources: Teyssier, Koller, Ordering-based search, UAI 2005; moves: Alonso-Barba, de la Ossa,
 * Puerta, ISDA 2011; kicks: Lourenco, Martin, Stuetzle, Iterated local search, in Handbook of
 * Metaheuristics, 2003. */
#pragma once

#include "sched/lab/workloads/bnsl/bnsl_cubes.h"
#include "sched/lab/workloads/bnsl/bnsl_graph.h"
#include "support/base/status.h"

#include <stdint.h>

/* Lists of scored parent sets, without useless ones: no best network needs a set if a subset of it
 * scores as well, since removing edges never makes a cycle. */
struct bnsl_family {
    double score;
    int32_t variable;
    uint32_t parents; /* bits of the variable's candidates */
};

struct bnsl_families {
    struct bnsl_family *list; /* n; owned */
    int64_t n, capacity;
};

/* Adds the parent sets of a cube, except those that another set of the cube or the empty set makes
 * useless.
 * empty   score of the variable without parents
 * scores  2^n_free, as by bnsl_score_cube; overwritten
 * Errors: STATUS_NO_MEMORY. */
enum status bnsl_families_add_cube(struct bnsl_families *families, const struct bnsl_cube *cube,
                                   double empty, double *scores);

/* Puts families into order: by variable, the best first, then by the bits of the parents. */
void bnsl_families_sort(struct bnsl_families *families);

/* Removes the useless sets; the families are sorted and stay so. */
void bnsl_families_prune(struct bnsl_families *families);

void bnsl_families_fini(struct bnsl_families *families);

/* families   sorted, pruned; has the empty set of every variable
 * n_kicks    of the best order
 * seed       of the first order and of the kicks
 * network    out, acyclic; the same for the same arguments
 * score      out, of the network: the sum over the variables, by number
 * Errors: STATUS_NO_MEMORY, network is then empty. */
enum status bnsl_search(const struct bnsl_candidates *candidates,
                        const struct bnsl_families *families, int64_t n_kicks, uint64_t seed,
                        struct bnsl_graph *network, double *score);
