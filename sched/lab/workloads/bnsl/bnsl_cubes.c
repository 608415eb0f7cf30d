/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/workloads/bnsl/bnsl_cubes.h"

#include "sched/lab/workloads/bnsl/bnsl_score.h"
#include "support/base/array.h"

#include <stdlib.h>

/* A possible parent and the gain of it alone. */
struct gain {
    double gain;
    int parent;
};

static int compare_gains(const void *left, const void *right)
{
    const struct gain *a = left, *b = right;
    if (a->gain != b->gain)
        return a->gain > b->gain ? -1 : 1;
    return (a->parent > b->parent) - (a->parent < b->parent);
}

/* Finds the candidates of one variable. gains: scratch, one entry for each variable */
static void choose_candidates(struct bnsl_candidates *candidates, struct bnsl_scorer *scorer,
                              int variable, struct gain *gains)
{
    double alone = bnsl_score(scorer, &(struct bnsl_family_of){.variable = variable});
    size_t n = 0;
    for (int parent = 0; parent < candidates->n_variables; parent++) {
        if (parent == variable)
            continue;
        double gain = bnsl_score(scorer, &(struct bnsl_family_of){variable, 1, &parent}) - alone;
        if (gain > 0)
            gains[n++] = (struct gain){gain, parent};
    }
    qsort(gains, n, sizeof *gains, compare_gains);
    if (n > (size_t)candidates->most)
        n = (size_t)candidates->most;
    candidates->n[variable] = (int)n;
    for (size_t i = 0; i < n; i++)
        candidates->list[(size_t)variable * (size_t)candidates->most + i] = gains[i].parent;
}

enum status bnsl_candidates_init(struct bnsl_candidates *candidates, const struct bnsl_data *data,
                                 int most)
{
    size_t n = (size_t)data->n_variables;
    struct bnsl_scorer scorer;
    struct gain *gains = malloc(n * sizeof *gains);
    *candidates = (struct bnsl_candidates){.n_variables = data->n_variables, .most = most};
    candidates->n = calloc(n, sizeof *candidates->n);
    candidates->list = calloc(n * (size_t)most + 1, sizeof *candidates->list);
    enum status status = bnsl_scorer_init(&scorer, data);
    if (!gains || !candidates->n || !candidates->list)
        status = FAIL(STATUS_NO_MEMORY, "no memory for the candidates of %zu variables", n);
    for (int i = 0; status == STATUS_OK && i < data->n_variables; i++)
        choose_candidates(candidates, &scorer, i, gains);
    bnsl_scorer_fini(&scorer);
    free(gains);
    return status;
}

void bnsl_candidates_fini(struct bnsl_candidates *candidates)
{
    free(candidates->n);
    free(candidates->list);
    *candidates = (struct bnsl_candidates){0};
}

static int n_free(const struct bnsl_cubes *cubes, int variable)
{
    int n = cubes->candidates->n[variable];
    return n < cubes->dimension ? n : cubes->dimension;
}

enum status bnsl_cubes_init(struct bnsl_cubes *cubes, const struct bnsl_candidates *candidates,
                            int dimension)
{
    int n = candidates->n_variables;
    *cubes = (struct bnsl_cubes){.candidates = candidates, .dimension = dimension};
    cubes->first = calloc((size_t)n + 1, sizeof *cubes->first);
    TRY(CHECK_MEMORY(cubes->first, "no memory for the tasks of %d variables", n));
    for (int i = 0; i < n; i++)
        cubes->first[i + 1] =
            cubes->first[i] + (INT64_C(1) << (candidates->n[i] - n_free(cubes, i)));
    return STATUS_OK;
}

void bnsl_cubes_fini(struct bnsl_cubes *cubes)
{
    free(cubes->first);
    *cubes = (struct bnsl_cubes){0};
}

int64_t bnsl_cubes_n_tasks(const struct bnsl_cubes *cubes)
{
    return cubes->first[cubes->candidates->n_variables];
}

/* The last variable whose tasks begin at or before this one; each has at least one task. */
static int find_cube_variable(const struct bnsl_cubes *cubes, int64_t task)
{
    return (int)array_find_last(cubes->first, cubes->candidates->n_variables, task);
}

struct bnsl_cube bnsl_cubes_get(const struct bnsl_cubes *cubes, int64_t task)
{
    int variable = find_cube_variable(cubes, task), dimension = n_free(cubes, variable);
    return (struct bnsl_cube){
        .variable = variable,
        .n_candidates = cubes->candidates->n[variable],
        .candidates = bnsl_candidates_of(cubes->candidates, variable),
        .n_free = dimension,
        .fixed = (uint32_t)(task - cubes->first[variable]),
    };
}
