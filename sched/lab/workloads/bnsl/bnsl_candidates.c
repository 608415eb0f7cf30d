/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/workloads/bnsl/bnsl_candidates.h"

#include "sched/lab/workloads/bnsl/bnsl_score.h"

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
