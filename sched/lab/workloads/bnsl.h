/* SPDX-License-Identifier: BSD-3-Clause */
/* The search for the structure of a Bayesian network: samples of categorical variables
 * (bnsl_data.c), the scores of possible parents of each variable (bnsl_score.c), the network that
 * these allow with the best score (bnsl_search.c), and its difference from a known one
 * (bnsl_graph.c). */
#pragma once

#include "support/base/status.h"
#include "support/io/words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets of candidates fit into 32 bits. */
enum {
    BNSL_MAX_VARIABLES = 1024,
    BNSL_MAX_STATES = 32,
    BNSL_MAX_CANDIDATES = 30,
    BNSL_NAME_SIZE = 64
};

/* --- samples --- */

struct bnsl_data {
    int n_variables;
    int n_samples;
    char names[BNSL_MAX_VARIABLES][BNSL_NAME_SIZE];
    int n_states[BNSL_MAX_VARIABLES]; /* categories that occur */
    uint8_t *values;                  /* [variable][sample], below the variable's n_states; owned */
};

/* The states of a variable in all samples. */
static inline const uint8_t *bnsl_data_column(const struct bnsl_data *data, int variable)
{
    return data->values + (size_t)variable * (size_t)data->n_samples;
}

/* Reads a table: a line with the names of the variables, then a line for each sample; the
 * entries of a column, numbers or words, are the variable's categories, numbered in order of
 * appearance.
 * path  for messages
 * data  out; its values are to be freed, also after a failure
 * Errors: STATUS_INPUT, naming path, line and column; STATUS_NO_MEMORY. */
enum status bnsl_data_parse(const char *text, size_t length, const char *path,
                            struct bnsl_data *data);

/* The variable of this name, or -1. */
int bnsl_data_find(const struct bnsl_data *data, struct word name);

/* --- tasks ---
 *
 * The sets of possible parents of a variable with c candidates are the corners of a hypercube of
 * dimension c. For c > r the first c - r candidates cut it into 2^(c - r) cubes of dimension r:
 * each of them is a parent in all sets of a cube or in none. A task is one cube. (The last r
 * candidates are free, so that sums over their states run along long rows.)
 * Source: Pamnany, Misra, Md. Vasimuddin, Liu, Chow, Aluru, Dtree: dynamic task scheduling at
 * petascale, ISC 2015, section 4.2. */

/* Candidate parents of each variable, chosen by a heuristic on pairs: all sets of parents would be
 * too many to score. */
struct bnsl_candidates {
    int n_variables;
    int n[BNSL_MAX_VARIABLES];                         /* how many each has */
    int list[BNSL_MAX_VARIABLES][BNSL_MAX_CANDIDATES]; /* the best first */
    int dimension;                                     /* r */
    int64_t
        first[BNSL_MAX_VARIABLES + 1]; /* task that a variable's begin with; the last: n_tasks */
};

struct bnsl_cube {
    int variable;
    int n_candidates;
    const int *candidates; /* n_candidates variables */
    int n_free;            /* the last candidates: parents or not */
    uint32_t fixed;        /* bits of the others that are parents */
};

/* Cuts the cubes of all variables into tasks. */
void bnsl_candidates_cut(struct bnsl_candidates *candidates, int dimension);

static inline int64_t bnsl_n_tasks(const struct bnsl_candidates *candidates)
{
    return candidates->first[candidates->n_variables];
}

/* The cube of a task in [0, n_tasks): tasks and cubes correspond one to one. */
struct bnsl_cube bnsl_cube_of(const struct bnsl_candidates *candidates, int64_t task);

/* The parents of a set of the cube, as bits of the candidates: the fixed parents, and the free
 * candidates with a bit in `set`. The lowest bit is the first free candidate's. */
static inline uint32_t bnsl_cube_parents(const struct bnsl_cube *cube, uint32_t set)
{
    return cube->fixed | set << (cube->n_candidates - cube->n_free);
}

/* --- scores ---
 *
 * The score of a set of parents of a variable is the Bayesian information criterion, which is the
 * negative description length of the data, s(X, A) = sum_j sum_k N_jk log(N_jk / N_j) - log(N) / 2
 * * q (r - 1) where N_jk of the N samples have configuration j of the parents A and state k of X,
 * N_j = sum_k N_jk; A has q configurations and X r states. The score of a network is the sum
 * over its variables, larger is better, and equivalent networks have the same.
 * Sources: Schwarz, Ann. Stat. 6 (1978) 461; Lam, Bacchus, Computational Intelligence 10 (1994)
 * 269. */

/* Scratch of one worker for contingency tables: counts of each state of a variable with each
 * configuration of its parents. */
struct bnsl_scorer {
    const struct bnsl_data *data; /* borrowed */
    double *n_log_n;              /* n log n of 0 to n_samples */
    uint32_t *codes;              /* n_samples: the configuration of each */
    int64_t n_numbers;
    uint32_t *numbers;  /* n_numbers: of configurations that occur */
    int64_t most_cells; /* of a table of all configurations */
    uint32_t *tables;   /* 2 most_cells: one within another, each half of it at most */
    uint32_t *rows;     /* table of the configurations that occur */
};

/* data  borrowed. Errors: STATUS_NO_MEMORY; bnsl_scorer_fini is fine then too. */
enum status bnsl_scorer_init(struct bnsl_scorer *scorer, const struct bnsl_data *data);
void bnsl_scorer_fini(struct bnsl_scorer *scorer);

/* The scores of all parent sets of a cube, equal to the last bit to bnsl_score with the parents in
 * the order of the candidates.
 * scores  out, 2^n_free; entry m is of bnsl_cube_parents(cube, m) */
void bnsl_score_cube(struct bnsl_scorer *scorer, const struct bnsl_cube *cube, double *scores);

/* The score of one set of parents, up to BNSL_MAX_CANDIDATES. */
double bnsl_score(struct bnsl_scorer *scorer, int variable, const int *parents, int n_parents);

/* Y is a candidate parent of X if Y alone explains X better than nothing does, which means that
 * the mutual information of the two is above a threshold:
 *   s(X, {Y}) > s(X, {}), that is N I(X, Y) > log(N) / 2 * (r_X - 1) (r_Y - 1)
 * Of those the ones with the largest difference are kept, on a tie those with lower numbers.
 * candidates  out, not cut yet
 * most        of a variable, at most BNSL_MAX_CANDIDATES */
void bnsl_candidates_choose(struct bnsl_candidates *candidates, struct bnsl_scorer *scorer,
                            int most);

/* --- graphs of networks ---
 *
 * Networks that differ only in edge directions which no data can determine are equivalent, and
 * share one graph in which those edges are undirected. */

/* An edge a -> b is edge[a * n + b] alone; an undirected one is both ways. */
struct bnsl_graph {
    int n; /* variables */
    bool *edge;
};

/* A graph without edges. Errors: STATUS_NO_MEMORY. */
enum status bnsl_graph_init(struct bnsl_graph *graph, int n);
void bnsl_graph_fini(struct bnsl_graph *graph);

static inline bool bnsl_graph_has(const struct bnsl_graph *graph, int from, int to)
{
    return graph->edge[(size_t)from * (size_t)graph->n + (size_t)to];
}

static inline void bnsl_graph_set(struct bnsl_graph *graph, int from, int to, bool present)
{
    graph->edge[(size_t)from * (size_t)graph->n + (size_t)to] = present;
}

/* Whether no directed edges lead from a variable back to it. */
bool bnsl_graph_is_acyclic(const struct bnsl_graph *graph);

/* The completed partially directed graph of the class of a network: all edges undirected whose
 * direction is not the same in all equivalent networks.
 * network    acyclic, its edges directed
 * completed  out; empty after a failure
 * Errors: STATUS_NO_MEMORY.
 * Source: Meek, Causal inference and causal explanation with background knowledge, UAI 1995. */
enum status bnsl_graph_complete(const struct bnsl_graph *network, struct bnsl_graph *completed);

/* Differences of two graphs over the same variables, in pairs of variables. */
struct bnsl_difference {
    int missing;  /* joined in the first only */
    int extra;    /* joined in the second only */
    int reversed; /* joined in both, not in the same way */
};

/* The sum of the three is the structural Hamming distance.
 * Source: Tsamardinos, Brown, Aliferis, Machine Learning 65 (2006) 31. */
struct bnsl_difference bnsl_graph_compare(const struct bnsl_graph *first,
                                          const struct bnsl_graph *second);

/* Reads the edges of a network: the line `parent,child`, then a line for each edge.
 * data   whose variables the names are
 * path   for messages
 * graph  out, acyclic; to be freed with bnsl_graph_fini, also after a failure
 * Errors: STATUS_INPUT, naming path and line; STATUS_NO_MEMORY. */
enum status bnsl_network_parse(const char *text, size_t length, const char *path,
                               const struct bnsl_data *data, struct bnsl_graph *graph);

/* --- the search ---
 *
 * The best network that scored parent sets allow is searched for over orders of the variables: in
 * an order every variable takes the best of its parent sets among those before it, so that
 * there is no cycle. Starting from a random order, variables are moved to better positions one at a
 * time until no move improves the score; then the best order so far is perturbed at random (a kick)
 * and the descent repeated. Moves are swaps of neighbours; a swap changes two variables only.
 * Sources: Teyssier, Koller, Ordering-based search, UAI 2005; moves: Alonso-Barba, de la Ossa,
 * Puerta, ISDA 2011; kicks: Lourenco, Martin, Stuetzle, Iterated local search, in Handbook of
 * Metaheuristics, 2003. */

/* Lists of scored parent sets, without useless ones: no best network needs a set if a subset of it
 * scores as well, since removing edges never makes a cycle. */
struct bnsl_family {
    double score;
    int32_t variable;
    uint32_t parents; /* bits of the variable's candidates */
};

struct bnsl_families {
    struct bnsl_family *list; /* n; owned, to be freed */
    int64_t n, capacity;
};

/* Adds the parent sets of a cube, except those that another set of the cube or the empty set makes
 * useless.
 * empty   score of the variable without parents
 * scores  2^n_free, as by bnsl_score_cube; overwritten
 * Errors: STATUS_NO_MEMORY. */
enum status bnsl_families_add_cube(struct bnsl_families *families, const struct bnsl_cube *cube,
                                   double empty, double *scores);

/* Puts families into order, by variable, the best first, then by the bits of the parents, and
 * removes the useless sets. */
void bnsl_families_prune(struct bnsl_families *families);

/* families   pruned; has the empty set of every variable
 * n_kicks    of the best order
 * seed       of the first order and of the kicks
 * network    out, acyclic; the same for the same arguments
 * score      out, of the network: the sum over the variables, by number
 * Errors: STATUS_NO_MEMORY, network is then empty. */
enum status bnsl_search(const struct bnsl_candidates *candidates,
                        const struct bnsl_families *families, int64_t n_kicks, uint64_t seed,
                        struct bnsl_graph *network, double *score);
