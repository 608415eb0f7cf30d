/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/prediction/class_counts.h"

#include "basis/integrals/shell_pairs.h"
#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/mpi/gather.h"

#include <stdlib.h>

struct listing {
    const struct screening *screening;
    const struct tile_symmetry *of_molecule;
    bool ordered;
    struct listed_pair *pairs;
    int64_t n, capacity;
};

static enum status list_pairs_of_class(struct listing *listing, int64_t tile_pair,
                                       const struct pair_class *class)
{
    const struct tile_symmetry *symmetry = listing->of_molecule;
    int type = pair_type_of(listing->screening->tiling->shells, class);
    TRY(array_reserve(&listing->pairs, listing->n + class->n_pairs, &listing->capacity,
                      sizeof *listing->pairs));
    for (int32_t i = 0; i < class->n_pairs; i++) {
        const struct shell_pair *pair = &class->pairs[i];
        int copies = listing->ordered && pair->first != pair->second ? 2 : 1;
        uint64_t fixed_by = symmetry ? tile_symmetry_fixing(symmetry, symmetry->group->order,
                                                            pair->first, pair->second)
                                     : 1;
        listing->pairs[listing->n++] = (struct listed_pair){.bound = pair->bound,
                                                            .tile_pair = tile_pair,
                                                            .primitives = pair->n_primitives,
                                                            .type = (int16_t)type,
                                                            .copies = (uint8_t)copies,
                                                            .fixed_by = fixed_by};
    }
    return STATUS_OK;
}

/* bounds: those of the tile's groups. */
static enum status list_pairs_of_tile(struct listing *listing, const struct own_tile *own,
                                      const double *bounds)
{
    const struct screening *screening = listing->screening;
    const struct tiling *tiling = screening->tiling;
    struct shell_rectangle rectangle = tile_rectangle(tiling, own->I, own->J, own->I == own->J);
    struct shell_pairs *pairs;
    TRY(shell_pairs_create(tiling->shells, &rectangle, bounds,
                           screening->threshold / screening->max_bound, &pairs));
    enum status status = STATUS_OK;
    for (int c = 0; c < pairs->n_classes && status == STATUS_OK; c++)
        status = list_pairs_of_class(listing, own->pair, &pairs->classes[c]);
    shell_pairs_destroy(pairs);
    return status;
}

static enum status list_pairs_of_process(struct listing *listing)
{
    const struct screening *screening = listing->screening;
    struct own_tile own = {0};
    while (own_tile_next(screening->tiling, screening->group_bounds, &own))
        if (screening->tile_bounds[own.pair] * screening->max_bound >= screening->threshold)
            TRY(list_pairs_of_tile(listing, &own, darray_local(screening->group_bounds, own.pair)));
    return STATUS_OK;
}

static int by_type_and_bound(const void *left, const void *right)
{
    const struct listed_pair *a = left, *b = right;
    if (a->type != b->type)
        return a->type - b->type;
    return (a->bound < b->bound) - (a->bound > b->bound);
}

/* Sorts n pairs, which counts takes, and sums over them. */
static enum status index_pairs(struct class_counts *counts, struct listed_pair *pairs, int64_t n)
{
    counts->pairs = pairs;
    counts->first = calloc((size_t)counts->n_pair_types + 1, sizeof *counts->first);
    counts->before = calloc((size_t)n + 1, sizeof *counts->before);
    if (!counts->first || !counts->before)
        return FAIL(STATUS_NO_MEMORY, "no memory for the counts of shell quartets");
    qsort(pairs, (size_t)n, sizeof *pairs, by_type_and_bound);
    for (int64_t i = 0; i < n; i++) {
        const struct listed_pair *pair = &pairs[i];
        double primitives = (double)pair->copies * pair->primitives;
        counts->first[pair->type + 1] = i + 1;
        counts->before[i + 1].pairs = counts->before[i].pairs + pair->copies;
        counts->before[i + 1].primitives = counts->before[i].primitives + primitives;
    }
    for (int t = 0; t < counts->n_pair_types; t++)
        if (counts->first[t + 1] < counts->first[t])
            counts->first[t + 1] = counts->first[t];
    return STATUS_OK;
}

/* Number of kets of the walk's bra: those above the threshold, with symmetry up to itself. */
static int64_t count_kets_of_bra(const struct class_counts *counts, int t, int u,
                                 struct class_walk *walk)
{
    const struct listed_pair *pairs = counts->pairs;
    double bound = pairs[walk->bra].bound;
    while (walk->end > counts->first[u] && bound * pairs[walk->end - 1].bound < counts->threshold)
        walk->end--;
    int64_t n = walk->end - counts->first[u], up_to_bra = walk->bra + 1 - counts->first[u];
    return t == u && !counts->ordered && up_to_bra < n ? up_to_bra : n;
}

bool class_walk_next(const struct class_counts *counts, int t, int u, struct class_walk *walk)
{
    if (!walk->begun) {
        walk->next = counts->first[t];
        walk->end = counts->first[u + 1];
        walk->begun = true;
    }
    if (walk->next >= counts->first[t + 1])
        return false;
    walk->bra = walk->next++;
    walk->n = count_kets_of_bra(counts, t, u, walk);
    if (walk->n == 0)
        return false;
    const struct listed_pair *bra = &counts->pairs[walk->bra];
    const struct pair_sums *from = &counts->before[counts->first[u]], *to = from + walk->n;
    double copies = bra->copies * (counts->ordered && t != u ? 2.0 : 1.0);
    walk->sum.quartets += copies * (to->pairs - from->pairs);
    walk->sum.primitives += copies * bra->primitives * (to->primitives - from->primitives);
    return true;
}

static void count_classes(struct class_counts *counts)
{
    for (int t = 0; t < counts->n_pair_types; t++)
        for (int u = 0; u <= t; u++) {
            struct class_walk walk = {0};
            while (class_walk_next(counts, t, u, &walk))
                ;
            counts->of[t * counts->n_pair_types + u] = walk.sum;
        }
}

/* Adds to counts->of the quartets of pairs that operation k leaves unchanged. */
static enum status add_fixed_quartets(struct class_counts *counts, int k)
{
    int64_t n_all = counts->first[counts->n_pair_types], n = 0;
    struct class_counts fixed = {.threshold = counts->threshold,
                                 .ordered = counts->ordered,
                                 .n_pair_types = counts->n_pair_types};
    int n_classes = counts->n_pair_types * counts->n_pair_types;
    struct listed_pair *pairs = malloc(((size_t)n_all + 1) * sizeof *pairs);
    fixed.of = calloc((size_t)n_classes, sizeof *fixed.of);
    enum status status =
        CHECK_MEMORY(pairs && fixed.of, "no memory for the counts of shell quartets");
    for (int64_t i = 0; status == STATUS_OK && i < n_all; i++)
        if (counts->pairs[i].fixed_by >> k & 1)
            pairs[n++] = counts->pairs[i];
    if (status == STATUS_OK)
        status = index_pairs(&fixed, pairs, n);
    if (status == STATUS_OK) {
        count_classes(&fixed);
        for (int i = 0; i < n_classes; i++) {
            counts->of[i].quartets += fixed.of[i].quartets;
            counts->of[i].primitives += fixed.of[i].primitives;
        }
    }
    free(pairs);
    free(fixed.of);
    free(fixed.first);
    free(fixed.before);
    return status;
}

/* Takes the n pairs of all processes. */
static enum status count_all(struct class_counts *counts, struct listed_pair *pairs, int64_t n)
{
    TRY(index_pairs(counts, pairs, n));
    count_classes(counts);
    for (int k = 1; k < counts->order; k++)
        TRY(add_fixed_quartets(counts, k));
    for (int i = 0; i < counts->n_pair_types * counts->n_pair_types; i++) {
        counts->of[i].quartets /= counts->order;
        counts->of[i].primitives /= counts->order;
    }
    return STATUS_OK;
}

static enum status gather_and_count(struct class_counts *counts, const struct listing *listing,
                                    MPI_Comm comm)
{
    int n_numbers = 2 * counts->n_pair_types * counts->n_pair_types;
    const struct gather_part part = {.items = listing->pairs,
                                     .n_items = listing->n,
                                     .item_size = sizeof *listing->pairs,
                                     .what = "pairs of shells"};
    void *all;
    int64_t n;
    TRY(gather_to_first(comm, &part, &all, &n));
    TRY(status_agree(comm, all ? count_all(counts, all, n) : STATUS_OK));
    MPI_Bcast(counts->of, n_numbers, MPI_DOUBLE, 0, comm);
    return STATUS_OK;
}

static enum status fill_counts(struct class_counts *counts, struct listing *listing, MPI_Comm comm)
{
    size_t n = (size_t)counts->n_pair_types * (size_t)counts->n_pair_types;
    counts->of = agree_calloc(comm, n * sizeof *counts->of, "the counts of shell quartets");
    if (!counts->of)
        return STATUS_NO_MEMORY;
    enum status status = status_agree(comm, list_pairs_of_process(listing));
    if (status == STATUS_OK)
        status = gather_and_count(counts, listing, comm);
    free(listing->pairs);
    return status;
}

enum status class_counts_create(const struct screening *screening, enum fock_symmetry symmetry,
                                const struct tile_symmetry *of_molecule, MPI_Comm comm,
                                struct class_counts **counts)
{
    const struct shells *shells = screening->tiling->shells;
    struct class_counts *made = agree_calloc(comm, sizeof *made, "the counts of shell quartets");
    *counts = NULL;
    if (!made)
        return STATUS_NO_MEMORY;
    *made = (struct class_counts){.shells = shells,
                                  .threshold = screening->threshold,
                                  .ordered = symmetry == FOCK_SYMMETRY_NONE,
                                  .order = of_molecule ? of_molecule->group->order : 1,
                                  .n_pair_types = shells->n_types * (shells->n_types + 1) / 2};
    struct listing listing = {
        .screening = screening, .of_molecule = of_molecule, .ordered = made->ordered};
    enum status status = fill_counts(made, &listing, comm);
    if (status == STATUS_OK)
        *counts = made;
    else
        class_counts_destroy(made);
    return status;
}

void class_counts_destroy(struct class_counts *counts)
{
    if (!counts)
        return;
    free(counts->of);
    free(counts->pairs);
    free(counts->first);
    free(counts->before);
    free(counts);
}

int class_counts_pair_functions(const struct class_counts *counts, int pair_type)
{
    int types[2];
    pair_type_split(pair_type, types);
    const struct group_type *all = counts->shells->types;
    return all[types[0]].n_functions * all[types[1]].n_functions;
}

int class_counts_n_integrals(const struct class_counts *counts, int t, int u)
{
    return class_counts_pair_functions(counts, t) * class_counts_pair_functions(counts, u);
}

int class_counts_pair_l(const struct class_counts *counts, int pair_type)
{
    int types[2];
    pair_type_split(pair_type, types);
    return counts->shells->types[types[0]].max_l + counts->shells->types[types[1]].max_l;
}
