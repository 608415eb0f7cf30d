/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/workloads/bnsl/bnsl_search.h"

#include "support/base/array.h"
#include "support/base/random.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

void bnsl_families_sort(struct bnsl_families *families)
{
    if (families->n > 0)
        qsort(families->list, (size_t)families->n, sizeof *families->list, compare_families);
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

void bnsl_families_fini(struct bnsl_families *families)
{
    free(families->list);
    *families = (struct bnsl_families){0};
}

/* Gains up to this are rounding: equivalent networks have the same score in exact arithmetic. */
static const double least_gain = 1e-7;

/* Variables that a kick moves. */
enum { KICKED = 8 };

struct search {
    const struct bnsl_candidates *candidates;
    const struct bnsl_family *families;
    int n;                             /* variables */
    int64_t *first;                    /* n: family that a variable's begin with */
    int8_t *index;                     /* [variable][other]: candidate's number, -1 for none */
    int *order;                        /* n */
    uint32_t *before;                  /* n: candidates of each that come before it */
    const struct bnsl_family **chosen; /* n: the best that those allow */
    const struct bnsl_family **best;   /* n: of the best order so far */
    int *best_order;                   /* n */
};

/* --- creation --- */

static void number_candidates(struct search *search)
{
    memset(search->index, -1, (size_t)search->n * (size_t)search->n);
    for (int variable = 0; variable < search->n; variable++)
        for (int i = 0; i < search->candidates->n[variable]; i++) {
            int other = bnsl_candidates_of(search->candidates, variable)[i];
            search->index[(size_t)variable * (size_t)search->n + (size_t)other] = (int8_t)i;
        }
}

static void find_families(struct search *search, const struct bnsl_families *families)
{
    for (int64_t i = families->n - 1; i >= 0; i--)
        search->first[families->list[i].variable] = i;
}

static void end_search(struct search *search)
{
    free(search->first);
    free(search->index);
    free(search->order);
    free(search->before);
    free(search->chosen);
    free(search->best);
    free(search->best_order);
}

static enum status begin_search(struct search *search, const struct bnsl_candidates *candidates,
                                const struct bnsl_families *families)
{
    size_t n = (size_t)candidates->n_variables;
    *search = (struct search){candidates, families->list, (int)n, .first = NULL};
    search->first = calloc(n, sizeof *search->first);
    search->index = malloc(n * n);
    search->order = malloc(n * sizeof *search->order);
    search->before = malloc(n * sizeof *search->before);
    search->chosen = calloc(n, sizeof *search->chosen);
    search->best = calloc(n, sizeof *search->best);
    search->best_order = malloc(n * sizeof *search->best_order);
    TRY(CHECK_MEMORY(search->first && search->index && search->order && search->before &&
                         search->chosen && search->best && search->best_order,
                     "no memory to search a network of %zu variables", n));
    number_candidates(search);
    find_families(search, families);
    return STATUS_OK;
}

/* --- orders --- */

/* The first of the variable's families that what is before it allows; the empty set is one. */
static void choose_parents(struct search *search, int variable)
{
    const struct bnsl_family *family = search->families + search->first[variable];
    while (family->parents & ~search->before[variable])
        family++;
    search->chosen[variable] = family;
}

/* Notes that `other` comes before the variable, which it did not, or no longer; returns what is
 * gained. */
static double toggle(struct search *search, int variable, int other)
{
    int index = search->index[(size_t)variable * (size_t)search->n + (size_t)other];
    if (index < 0)
        return 0;
    double score = search->chosen[variable]->score;
    search->before[variable] ^= UINT32_C(1) << index;
    choose_parents(search, variable);
    return search->chosen[variable]->score - score;
}

/* Swaps the variable at a position with the next one; returns the gain. */
static double swap_with_next(struct search *search, int place)
{
    int a = search->order[place], b = search->order[place + 1];
    search->order[place] = b;
    search->order[place + 1] = a;
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

static void shuffle(struct search *search, struct random_stream *random)
{
    for (int i = 0; i < search->n; i++) {
        int k = (int)random_below(random, (uint64_t)i + 1);
        search->order[i] = search->order[k];
        search->order[k] = i;
    }
}

/* Chooses the families of all variables anew. */
static void choose_all(struct search *search)
{
    memset(search->before, 0, (size_t)search->n * sizeof *search->before);
    for (int i = 0; i < search->n; i++) {
        int variable = search->order[i];
        for (int k = 0; k < i; k++) {
            size_t pair = (size_t)variable * (size_t)search->n + (size_t)search->order[k];
            if (search->index[pair] >= 0)
                search->before[variable] |= UINT32_C(1) << search->index[pair];
        }
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
    int variable = search->order[random_below(random, n)];
    const int *candidates = bnsl_candidates_of(search->candidates, variable);
    int n_candidates = search->candidates->n[variable];
    for (int i = 0; i < KICKED; i++) {
        int from = 0, moved = variable;
        if (i > 0 && n_candidates > 0)
            moved = candidates[random_below(random, (uint64_t)n_candidates)];
        while (search->order[from] != moved)
            from++;
        move(search, from, (int)random_below(random, n));
    }
}

/* --- all --- */

static double total(const struct search *search)
{
    double sum = 0;
    for (int variable = 0; variable < search->n; variable++)
        sum += search->chosen[variable]->score;
    return sum;
}

static void keep_order(struct search *search)
{
    size_t n = (size_t)search->n;
    memcpy(search->best_order, search->order, n * sizeof *search->order);
    memcpy(search->best, search->chosen, n * sizeof *search->best);
}

static void go_back(struct search *search)
{
    memcpy(search->order, search->best_order, (size_t)search->n * sizeof *search->order);
    choose_all(search);
}

/* Leaves the best families in search->best, returns their score. */
static double search_best_order(struct search *search, int64_t n_kicks, uint64_t seed)
{
    struct random_stream random;
    random_stream_init(&random, seed, 0);
    shuffle(search, &random);
    choose_all(search);
    descend(search);
    keep_order(search);
    double best = total(search);
    for (int64_t i = 0; i < n_kicks; i++) {
        kick(search, &random);
        descend(search);
        double score = total(search);
        if (score < best + least_gain) {
            go_back(search);
        } else {
            best = score;
            keep_order(search);
        }
    }
    return best;
}

static void make_network(const struct search *search, struct bnsl_graph *network)
{
    for (int variable = 0; variable < search->n; variable++)
        for (int i = 0; i < search->candidates->n[variable]; i++)
            if (search->best[variable]->parents >> i & 1)
                bnsl_graph_set(network, bnsl_candidates_of(search->candidates, variable)[i],
                               variable, true);
}

enum status bnsl_search(const struct bnsl_candidates *candidates,
                        const struct bnsl_families *families, int64_t n_kicks, uint64_t seed,
                        struct bnsl_graph *network, double *score)
{
    struct search search;
    *network = (struct bnsl_graph){0};
    enum status status = begin_search(&search, candidates, families);
    if (status != STATUS_OK)
        goto done;
    status = bnsl_graph_init(network, candidates->n_variables);
    if (status != STATUS_OK)
        goto done;
    *score = search_best_order(&search, n_kicks, seed);
    make_network(&search, network);
done:
    end_search(&search);
    return status;
}
