/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/workloads/bnsl.h"
#include "support/base/array.h"
#include "support/base/random.h"

#include <stdlib.h>
#include <string.h>

/* --- scored parent sets --- */

enum status bnsl_families_add_cube(struct bnsl_families *families, const struct bnsl_cube *cube,
                                   double empty, double *scores)
{
    uint32_t n_sets = UINT32_C(1) << cube->n_free;
    /* Subsets have smaller numbers: their entry already is the best score of them and theirs. */
    for (uint32_t set = 0; set < n_sets; set++) {
        uint32_t parents = bnsl_cube_parents(cube, set);
        double below = parents == 0 ? scores[0] : empty;
        for (int i = 0; i < cube->n_free; i++)
            if (set >> i & 1 && scores[set & ~(UINT32_C(1) << i)] > below)
                below = scores[set & ~(UINT32_C(1) << i)];
        if (parents != 0 && !(scores[set] > below)) {
            scores[set] = below;
            continue;
        }
        TRY(array_reserve(&families->list, families->n + 1, &families->capacity,
                          sizeof *families->list));
        families->list[families->n++] = (struct bnsl_family){scores[set], cube->variable, parents};
    }
    return STATUS_OK;
}

static int compare_families(const void *left, const void *right)
{
    const struct bnsl_family *a = left, *b = right;
    if (a->variable != b->variable)
        return a->variable < b->variable ? -1 : 1;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return (a->parents > b->parents) - (a->parents < b->parents);
}

/* Whether one of the families in [first, end) has a subset of these parents. */
static bool has_subset(const struct bnsl_family *list, int64_t first, int64_t end, uint32_t parents)
{
    for (int64_t i = first; i < end; i++)
        if ((list[i].parents & ~parents) == 0)
            return true;
    return false;
}

void bnsl_families_prune(struct bnsl_families *families)
{
    struct bnsl_family *list = families->list;
    int64_t n = 0, first = 0;
    if (families->n > 0)
        qsort(list, (size_t)families->n, sizeof *list, compare_families);
    for (int64_t i = 0; i < families->n; i++) {
        /* Families before score at least as well: a subset of equal score has the smaller number.
         */
        if (n > 0 && list[n - 1].variable != list[i].variable)
            first = n;
        if (!has_subset(list, first, n, list[i].parents))
            list[n++] = list[i];
    }
    families->n = n;
}

/* --- orders --- */

/* Gains up to this are rounding: equivalent networks have the same score in exact arithmetic. */
static const double least_gain = 1e-7;

/* Variables that a kick moves. */
enum { KICKED = 8 };

/* An order of the variables, and the best parents of each variable in it. */
struct order {
    int list[BNSL_MAX_VARIABLES];
    uint32_t before[BNSL_MAX_VARIABLES];                  /* candidates that come before it */
    const struct bnsl_family *chosen[BNSL_MAX_VARIABLES]; /* the best that those allow */
};

struct search {
    const struct bnsl_candidates *candidates;
    int n;                                               /* variables */
    const struct bnsl_family *first[BNSL_MAX_VARIABLES]; /* the best of each variable */
    int8_t index[BNSL_MAX_VARIABLES]
                [BNSL_MAX_VARIABLES]; /* [variable][other]: candidate's number, -1 for none */
    struct order now, best;
};

/* The first of the variable's families that what is before it allows; the empty set is one. */
static void choose_parents(struct search *search, int variable)
{
    const struct bnsl_family *family = search->first[variable];
    while (family->parents & ~search->now.before[variable])
        family++;
    search->now.chosen[variable] = family;
}

/* Notes that `other` comes before the variable, which it did not, or no longer; returns what is
 * gained. */
static double toggle(struct search *search, int variable, int other)
{
    struct order *now = &search->now;
    int index = search->index[variable][other];
    if (index < 0)
        return 0;
    double score = now->chosen[variable]->score;
    now->before[variable] ^= UINT32_C(1) << index;
    choose_parents(search, variable);
    return now->chosen[variable]->score - score;
}

/* Swaps the variable at a position with the next one; returns the gain. */
static double swap_with_next(struct search *search, int place)
{
    int *list = search->now.list, a = list[place], b = list[place + 1];
    list[place] = b;
    list[place + 1] = a;
    return toggle(search, a, b) + toggle(search, b, a);
}

/* Moves the variable from one position to another; returns the gain. */
static double move(struct search *search, int from, int to)
{
    double gain = 0;
    for (; from < to; from++)
        gain += swap_with_next(search, from);
    for (; from > to; from--)
        gain += swap_with_next(search, from - 1);
    return gain;
}

/* Moves the variable at a position to its best one; false if it stays. */
static bool improve(struct search *search, int place)
{
    double gain = move(search, place, 0), best_gain = least_gain;
    int best_place = place;
    for (int to = 0;; to++) {
        if (to != place && gain > best_gain) {
            best_gain = gain;
            best_place = to;
        }
        if (to == search->n - 1)
            break;
        gain += swap_with_next(search, to);
    }
    move(search, search->n - 1, best_place);
    return best_place != place;
}

/* A random order. */
static void shuffle(struct search *search, struct random_stream *random)
{
    struct order *now = &search->now;
    for (int i = 0; i < search->n; i++) {
        int k = (int)random_below(random, (uint64_t)i + 1);
        now->list[i] = now->list[k];
        now->list[k] = i;
    }
    for (int i = 0; i < search->n; i++) {
        int variable = now->list[i];
        now->before[variable] = 0;
        for (int k = 0; k < i; k++)
            if (search->index[variable][now->list[k]] >= 0)
                now->before[variable] |= UINT32_C(1) << search->index[variable][now->list[k]];
        choose_parents(search, variable);
    }
}

static void descend(struct search *search)
{
    bool improved = true;
    while (improved) {
        improved = false;
        for (int place = 0; place < search->n; place++)
            improved |= improve(search, place);
    }
}

/* Takes a variable and some of those that it may depend on to random places. */
static void kick(struct search *search, struct random_stream *random)
{
    uint64_t n = (uint64_t)search->n;
    const int *list = search->now.list;
    int variable = list[random_below(random, n)];
    const int *candidates = search->candidates->list[variable];
    int n_candidates = search->candidates->n[variable];
    for (int i = 0; i < KICKED; i++) {
        int from = 0, moved = variable;
        if (i > 0 && n_candidates > 0)
            moved = candidates[random_below(random, (uint64_t)n_candidates)];
        while (list[from] != moved)
            from++;
        move(search, from, (int)random_below(random, n));
    }
}

/* --- the search --- */

static void begin_search(struct search *search, const struct bnsl_candidates *candidates,
                         const struct bnsl_families *families)
{
    search->candidates = candidates;
    search->n = candidates->n_variables;
    for (int64_t i = families->n - 1; i >= 0; i--)
        search->first[families->list[i].variable] = &families->list[i];
    memset(search->index, -1, sizeof search->index);
    for (int variable = 0; variable < search->n; variable++)
        for (int i = 0; i < candidates->n[variable]; i++)
            search->index[variable][candidates->list[variable][i]] = (int8_t)i;
}

static double total(const struct search *search)
{
    double sum = 0;
    for (int variable = 0; variable < search->n; variable++)
        sum += search->now.chosen[variable]->score;
    return sum;
}

/* Leaves the best order in search->best, returns its score. */
static double search_best_order(struct search *search, int64_t n_kicks, uint64_t seed)
{
    struct random_stream random;
    random_stream_init(&random, seed, 0);
    shuffle(search, &random);
    descend(search);
    search->best = search->now;
    double best = total(search);
    for (int64_t i = 0; i < n_kicks; i++) {
        kick(search, &random);
        descend(search);
        double score = total(search);
        if (score < best + least_gain) {
            search->now = search->best;
        } else {
            best = score;
            search->best = search->now;
        }
    }
    return best;
}

static void make_network(const struct search *search, struct bnsl_graph *network)
{
    const struct bnsl_candidates *candidates = search->candidates;
    for (int variable = 0; variable < search->n; variable++)
        for (int i = 0; i < candidates->n[variable]; i++)
            if (search->best.chosen[variable]->parents >> i & 1)
                bnsl_graph_set(network, candidates->list[variable][i], variable, true);
}

enum status bnsl_search(const struct bnsl_candidates *candidates,
                        const struct bnsl_families *families, int64_t n_kicks, uint64_t seed,
                        struct bnsl_graph *network, double *score)
{
    *network = (struct bnsl_graph){0};
    struct search *search = malloc(sizeof *search);
    TRY(CHECK_MEMORY(search, "no memory to search a network of %d variables",
                     candidates->n_variables));
    enum status status = bnsl_graph_init(network, candidates->n_variables);
    if (status == STATUS_OK) {
        begin_search(search, candidates, families);
        *score = search_best_order(search, n_kicks, seed);
        make_network(search, network);
    }
    free(search);
    return status;
}
