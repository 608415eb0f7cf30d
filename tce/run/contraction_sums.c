/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/contraction_sums.h"

#include "support/base/agree.h"
#include "tce/run/contraction_slices.h"

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

/* --- slices --- */

static double factor_elements(const struct contraction_problem *problem)
{
    return tensor_count_elements(problem->A.labels) +
           (problem->has_B ? tensor_count_elements(problem->B.labels) : 0);
}

/* The shape of a sum, by walking through its blocks: for sums of few. */
static void find_sum_shape(const struct contraction_sums *sums, const struct contraction_sum *sum,
                           struct sum_shape *shape)
{
    *shape = (struct sum_shape){.n_blocks = (double)sum->n_blocks};
    for (int t = sum->first_term; t < sum->end_term; t++)
        shape->elements_factors += factor_elements(&sums->problems[t]);
    for (int64_t task = 0; task < sum->n_blocks; task++) {
        struct contraction_task block = {.sum = sum};
        struct term_walk walk;
        contraction_tasks_block(sum->lead, task, block.at);
        shape->elements_C += (double)block_index_size(sum->lead->C, block.at);
        term_walk_begin(sums, &block, PAIR_TILES, &walk);
        while (term_walk_next(&walk)) {
            shape->n_products += 1 / shape->n_blocks;
            shape->flops += contraction_tasks_flops(&sums->terms[walk.term], walk.pairs.pair.tile);
        }
    }
}

static int64_t choose_sum_slices(const struct contraction_sums *sums,
                                 const struct contraction_sum *sum)
{
    struct sum_shape shape;
    if (sum->scalar || sum->n_blocks == 0 || 2 * sum->n_blocks > WANTED_TASKS)
        return 1;
    find_sum_shape(sums, sum, &shape);
    return (int64_t)contraction_slices_wanted(&shape);
}

/* --- sums --- */

static void number_sum_tasks(struct contraction_sums *sums)
{
    for (int s = 0; s < sums->n; s++) {
        struct contraction_sum *sum = &sums->list[s];
        sum->n_blocks = contraction_tasks_n(sum->lead);
        sum->n_slices = 1;
        sum->n_slices = choose_sum_slices(sums, sum);
        int64_t n_tasks = sum->n_blocks * sum->n_slices;
        sum->first_task = sums->n_tasks;
        sum->first_part = sum->scalar ? sums->n_parts : sums->n_block_parts;
        sums->n_tasks += n_tasks;
        sums->n_parts += sum->scalar ? n_tasks : 0;
        sums->n_block_parts += sum->n_slices > 1 ? n_tasks : 0;
        sums->has_scalars = sums->has_scalars || sum->scalar;
    }
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
    number_sum_tasks(sums);
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
    const struct contraction_sum *sum = found->sum = &sums->list[s];
    int64_t number = task - sum->first_task;
    found->slice = number / sum->n_blocks;
    found->part = sum->scalar || sum->n_slices > 1 ? sum->first_part + number : -1;
    found->block = contraction_tasks_block(sum->lead, number % sum->n_blocks, found->at);
}

static void begin_walk(const struct contraction_sums *sums, const struct contraction_task *task,
                       enum pair_wants wants, struct term_walk *walk)
{
    walk->sums = sums;
    walk->task = task;
    walk->term = task->sum->first_term;
    walk->left = INT64_MAX;
    pair_walk_begin(&sums->terms[walk->term], task->at, wants, &walk->pairs);
}

bool term_walk_next(struct term_walk *walk)
{
    if (walk->left == 0)
        return false;
    walk->left--;
    while (!pair_walk_next(&walk->pairs)) {
        if (++walk->term == walk->task->sum->end_term)
            return false;
        pair_walk_begin(&walk->sums->terms[walk->term], walk->task->at, walk->pairs.wants,
                        &walk->pairs);
    }
    return true;
}

void term_walk_begin(const struct contraction_sums *sums, const struct contraction_task *task,
                     enum pair_wants wants, struct term_walk *walk)
{
    int64_t n_slices = task->sum->n_slices, n = 0;
    begin_walk(sums, task, wants, walk);
    if (n_slices == 1)
        return;
    while (term_walk_next(walk))
        n++;
    int64_t first = n * task->slice / n_slices, end = n * (task->slice + 1) / n_slices;
    begin_walk(sums, task, wants, walk);
    for (int64_t i = 0; i < first; i++)
        term_walk_next(walk);
    walk->left = end - first;
}

/* --- parts of blocks --- */

/* Elements of the block that task number n of a sum makes, or of a part of it. */
static int64_t block_elements(const struct contraction_sum *sum, int64_t n)
{
    int32_t at[MAX_RANK];
    contraction_tasks_block(sum->lead, n % sum->n_blocks, at);
    return block_index_size(sum->lead->C, at);
}

static void list_part_sizes(const struct contraction_sums *sums, int64_t size[])
{
    for (int s = 0; s < sums->n; s++) {
        const struct contraction_sum *sum = &sums->list[s];
        for (int64_t n = 0; sum->n_slices > 1 && n < sum->n_blocks * sum->n_slices; n++)
            size[sum->first_part + n] = block_elements(sum, n);
    }
}

enum status contraction_parts_create(const struct contraction_sums *sums, struct darray **parts)
{
    *parts = NULL;
    if (sums->n_block_parts == 0)
        return STATUS_OK;
    int64_t *size = calloc((size_t)sums->n_block_parts, sizeof *size);
    enum status status =
        status_agree(darray_comm(), CHECK_MEMORY(size, "no memory for the parts of a contraction"));
    if (status != STATUS_OK)
        goto done;
    list_part_sizes(sums, size);
    status =
        darray_create("parts of a contraction", DARRAY_DOUBLE, sums->n_block_parts, size, parts);
done:
    free(size);
    return status;
}

double contraction_parts_elements(const struct contraction_sums *sums)
{
    double elements = 0;
    for (int s = 0; s < sums->n; s++) {
        const struct contraction_sum *sum = &sums->list[s];
        for (int64_t n = 0; sum->n_slices > 1 && n < sum->n_blocks; n++)
            elements += (double)sum->n_slices * (double)block_elements(sum, n);
    }
    return elements;
}

static void add_block_part(int64_t n, const double *restrict part, double *restrict block)
{
    for (int64_t i = 0; i < n; i++)
        block[i] += part[i];
}

/* The slices of the block that task number n of the first slice makes a part of. */
static void add_up_block(const struct contraction_sum *sum, int64_t n, bool add,
                         const struct darray *parts, double *scratch, double *block)
{
    for (int64_t slice = 0; slice < sum->n_slices; slice++) {
        int64_t number = sum->first_part + slice * sum->n_blocks + n;
        int64_t size = darray_block_size(parts, number);
        const double *part = darray_near(parts, number);
        if (!part) {
            darray_get(parts, number, scratch);
            part = scratch;
        }
        if (add)
            add_block_part(size, part, block);
        else
            memcpy(block, part, (size_t)size * sizeof *block);
        add = true;
    }
}

void contraction_parts_add_up(const struct contraction_sums *sums, const struct darray *parts,
                              double *scratch)
{
    for (int s = 0; s < sums->n; s++) {
        const struct contraction_sum *sum = &sums->list[s];
        const struct contraction_problem *first = &sums->problems[sum->first_term];
        for (int64_t n = 0; sum->n_slices > 1 && n < sum->n_blocks; n++) {
            int32_t at[MAX_RANK];
            double *block =
                darray_local(first->C.tensor->data, contraction_tasks_block(sum->lead, n, at));
            if (block)
                add_up_block(sum, n, first->add, parts, scratch, block);
        }
    }
}
