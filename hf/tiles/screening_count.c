/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the integrals that pass the Schwarz test without visiting them: with
 * the pairs of groups sorted by bound, the partners of a pair are a prefix. */
#include "hf/tiles/screening.h"
#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/mpi/gather.h"

#include <stdlib.h>

/* A pair of groups a >= b that can pass at all, and its products of functions. */
struct counted_pair {
    double bound;            /* first: the order of array_descending */
    int32_t ordered, unique; /* mn; m >= n where a = b */
};

struct pair_list {
    struct counted_pair *pairs;
    int64_t n, capacity;
};

static enum status append_counted_pair(struct pair_list *list, const struct shells *shells,
                                       int64_t a, int64_t b, double bound)
{
    int n_a = n_functions_of_group(shells, a);
    int n = n_a * n_functions_of_group(shells, b);
    TRY(array_reserve(&list->pairs, list->n + 1, &list->capacity, sizeof *list->pairs));
    list->pairs[list->n++] = a == b ? (struct counted_pair){bound, n, n_a * (n_a + 1) / 2}
                                    : (struct counted_pair){bound, 2 * n, n};
    return STATUS_OK;
}

/* Appends the pairs of tile (I, J) from the bounds over its groups. */
static enum status append_tile(const struct tiling *tiling, const struct own_tile *own,
                               const double *bounds, double least, struct pair_list *list)
{
    for (int64_t a = tiling->first_group[own->I]; a < tiling->first_group[own->I + 1]; a++)
        for (int64_t b = tiling->first_group[own->J]; b < tiling->first_group[own->J + 1]; b++) {
            double bound = *bounds++;
            if (a >= b && bound >= least)
                TRY(append_counted_pair(list, tiling->shells, a, b, bound));
        }
    return STATUS_OK;
}

/* The pairs of the tiles that this process owns. */
static enum status list_own_pairs(const struct screening *screening, struct pair_list *list)
{
    const struct tiling *tiling = screening->tiling;
    double least = screening->threshold / screening->max_bound;
    struct own_tile own = {0};
    while (own_tile_next(tiling, screening->group_bounds, &own)) {
        if (screening->tile_bounds[own.pair] < least)
            continue;
        const double *bounds = darray_local(screening->group_bounds, own.pair);
        TRY(append_tile(tiling, &own, bounds, least, list));
    }
    return STATUS_OK;
}

/* Moves the lists of all processes to rank 0, where list becomes the whole. Collective. */
static enum status gather_pairs(MPI_Comm comm, struct pair_list *list)
{
    const struct gather_part part = {.items = list->pairs,
                                     .n_items = list->n,
                                     .item_size = sizeof *list->pairs,
                                     .what = "pairs of shells"};
    void *all;
    int64_t n;
    TRY(gather_to_first(comm, &part, &all, &n));
    free(list->pairs);
    *list = (struct pair_list){.pairs = all, .n = n, .capacity = n};
    return STATUS_OK;
}

/* Sorts the list, and sums over the pairs of pairs (p, q) that pass. Unique integrals: (q, p) is a
 * copy of (p, q), and (p, p) has only the half below its diagonal. */
static void count_sorted(struct pair_list *list, double threshold, struct integral_count *count)
{
    const struct counted_pair *pairs = list->pairs;
    int64_t ordered = 0, unique = 0, partners = list->n, twice_unique = 0;
    if (list->n > 0)
        qsort(list->pairs, (size_t)list->n, sizeof *list->pairs, array_descending);
    for (int64_t q = 0; q < list->n; q++) {
        ordered += pairs[q].ordered;
        unique += pairs[q].unique;
    }
    for (int64_t p = 0; p < list->n; p++) {
        while (partners > 0 && pairs[p].bound * pairs[partners - 1].bound < threshold) {
            partners--;
            ordered -= pairs[partners].ordered;
            unique -= pairs[partners].unique;
        }
        count->all += pairs[p].ordered * ordered;
        twice_unique += pairs[p].unique * (unique + (p < partners));
    }
    count->unique = twice_unique / 2;
}

enum status screening_count_integrals(const struct screening *screening, MPI_Comm comm,
                                      struct integral_count *count)
{
    struct pair_list list = {0};
    *count = (struct integral_count){0};
    enum status status = status_agree(comm, list_own_pairs(screening, &list));
    if (status != STATUS_OK)
        goto done;
    status = gather_pairs(comm, &list);
    if (status != STATUS_OK)
        goto done;
    count_sorted(&list, screening->threshold, count);
    MPI_Bcast(count, 2, MPI_INT64_T, 0, comm);
done:
    free(list.pairs);
    return status;
}
