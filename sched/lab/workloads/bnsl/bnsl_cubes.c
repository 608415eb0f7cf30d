/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/workloads/bnsl/bnsl_cubes.h"

#include "support/base/array.h"

#include <stdlib.h>

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
