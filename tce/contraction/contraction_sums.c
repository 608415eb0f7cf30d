/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/contraction/contraction_sums.h"

#include <stdlib.h>
#include <string.h>

/* Product of the extents of all indices: a bound on the operations that ignores labels. */
static double index_volume(const struct contraction_tasks *term)
{
    double product = 1;
    for (int x = 0; x < MAX_INDICES; x++)
        if (term->indices.space[x])
            product *= (double)term->indices.space[x]->size;
    return product;
}

static void append_sum(struct contraction_sums *sums, int term)
{
    const struct contraction_tasks *lead = &sums->terms[term];
    sums->list[sums->n++] = (struct contraction_sum){
        .first_term = term, .end_term = term + 1, .scalar = lead->scalar, .lead = lead};
}

static void join_sum(struct contraction_sum *sum, const struct contraction_tasks *term)
{
    sum->end_term++;
    if (index_volume(term) > index_volume(sum->lead))
        sum->lead = term;
}

enum status contraction_sums_init(int n_terms, const struct contraction_problem problems[],
                                  struct contraction_sums *sums)
{
    size_t n = (size_t)n_terms;
    *sums = (struct contraction_sums){.n_terms = n_terms};
    sums->problems = calloc(n, sizeof *sums->problems);
    sums->terms = calloc(n, sizeof *sums->terms);
    sums->list = calloc(n, sizeof *sums->list);
    TRY(CHECK_MEMORY(sums->problems && sums->terms && sums->list, "no memory for %d contractions",
                     sums->n_terms));
    memcpy(sums->problems, problems, n * sizeof *sums->problems);
    for (int t = 0; t < sums->n_terms; t++) {
        TRY(contraction_tasks_init(&sums->problems[t], &sums->terms[t]));
        if (problems[t].joins)
            join_sum(&sums->list[sums->n - 1], &sums->terms[t]);
        else
            append_sum(sums, t);
    }
    for (int s = 0; s < sums->n; s++) {
        int64_t n_tasks = contraction_tasks_n(sums->list[s].lead);
        sums->list[s].first_task = sums->n_tasks;
        sums->list[s].first_part = sums->n_parts;
        sums->n_tasks += n_tasks;
        sums->n_parts += sums->list[s].scalar ? n_tasks : 0;
        sums->has_scalars = sums->has_scalars || sums->list[s].scalar;
    }
    return STATUS_OK;
}

void contraction_sums_fini(struct contraction_sums *sums)
{
    for (int t = 0; sums->terms && t < sums->n_terms; t++)
        contraction_tasks_fini(&sums->terms[t]);
    free(sums->problems);
    free(sums->terms);
    free(sums->list);
    *sums = (struct contraction_sums){0};
}

void contraction_sums_task(const struct contraction_sums *sums, int64_t task,
                           struct contraction_task *found)
{
    int s = sums->n - 1;
    while (sums->list[s].first_task > task)
        s--;
    found->sum = &sums->list[s];
    found->block =
        contraction_tasks_block(found->sum->lead, task - found->sum->first_task, found->at);
}

void term_walk_begin(const struct contraction_sums *sums, const struct contraction_task *task,
                     enum pair_wants wants, struct term_walk *walk)
{
    walk->sums = sums;
    walk->task = task;
    walk->term = task->sum->first_term;
    pair_walk_begin(&sums->terms[walk->term], task->at, wants, &walk->pairs);
}

bool term_walk_next(struct term_walk *walk)
{
    while (!pair_walk_next(&walk->pairs)) {
        if (++walk->term == walk->task->sum->end_term)
            return false;
        pair_walk_begin(&walk->sums->terms[walk->term], walk->task->at, walk->pairs.wants,
                        &walk->pairs);
    }
    return true;
}
