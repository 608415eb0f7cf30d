/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/workloads/bnsl/bnsl_families.h"

#include "support/base/array.h"

#include <stdbool.h>
#include <stdlib.h>

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
