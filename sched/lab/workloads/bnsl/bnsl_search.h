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
#ifndef BERYL_SCHED_WORKLOADS_BNSL_SEARCH_H
#define BERYL_SCHED_WORKLOADS_BNSL_SEARCH_H

#include "sched/lab/workloads/bnsl/bnsl_candidates.h"
#include "sched/lab/workloads/bnsl/bnsl_families.h"
#include "sched/lab/workloads/bnsl/bnsl_graph.h"
#include "support/base/status.h"

#include <stdint.h>

/* families   sorted, pruned; has the empty set of every variable
 * n_kicks    of the best order
 * seed       of the first order and of the kicks
 * network    out, acyclic; the same for the same arguments
 * score      out, of the network: the sum over the variables, by number
 * Errors: STATUS_NO_MEMORY, network is then empty. */
enum status bnsl_search(const struct bnsl_candidates *candidates,
                        const struct bnsl_families *families, int64_t n_kicks, uint64_t seed,
                        struct bnsl_graph *network, double *score);

#endif
