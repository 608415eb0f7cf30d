/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/contraction_sums.h"

#include "support/base/agree.h"
#include "taskpool/taskpool.h"
#include "tce/run/contraction_slices.h"

#include <stdlib.h>
#include <string.h>

/* --- terms --- */

/* A task of a scalar fixes all indices of A. */
static enum status init_term(const struct contraction_problem *problem, struct block_pairs *term)
{
    bool is_fixed[MAX_INDICES] = {false};
    for (int d = 0; problem->C.labels->rank == 0 && d < problem->A.labels->rank; d++)
        is_fixed[problem->A.index[d]] = true;
    return block_pairs_init(problem, is_fixed, NULL, term);
}

/* Product of the extents of all indices: a bound on the operations that ignores labels. */
static double index_volume(const struct block_pairs *term)
{
    double product = 1;
    for (int x = 0; x < MAX_INDICES; x++)
        if (term->indices.space[x])
            product *= (double)term->indices.space[x]->size;
    return product;
}

/* --- tasks of a sum --- */

/* Indices of C in the order of the tasks' tuples. */
static struct index_list task_order(const struct contraction_indices *indices)
{
    struct index_list order = indices->group[ROLE_BATCH];
    const struct index_list *rows = &indices->group[ROLE_ROW];
    const struct index_list *columns = &indices->group[ROLE_COLUMN];
    for (int d = 0; d < rows->n || d < columns->n; d++) {
        if (d < rows->n)
            index_list_append(&order, rows->index[d]);
        if (d < columns->n)
            index_list_append(&order, columns->index[d]);
    }
    return order;
}

/* The tasks of a sum: the tuples of tiles of its C, or of its A where C is a scalar, in the order of task_order. The
 * stored blocks of a symmetric C are listed in the order of its own positions, and so are tuples of A, in which an
 * index may occur twice. */
static enum status init_tuples(const struct block_pairs *lead, struct contraction_sum *sum)
{
    const struct contraction_indices *indices = &lead->indices;
    const struct block_labels *labels =
        sum->scalar ? lead->problem->A.labels : lead->problem->C.labels;
    struct block_labels reordered = *labels;
    bool keeps_order = sum->scalar || labels->symmetry;
    struct index_list order = task_order(indices);
    if (sum->scalar)
        reordered.symmetry = NULL; /* a task for each tuple of tiles of A */
    for (int d = 0; d < labels->rank; d++) {
        sum->place[d] = keeps_order ? d : index_list_place(&indices->C, order.index[d]);
        reordered.space[d] = labels->space[sum->place[d]];
        reordered.sign[d] = labels->sign[sum->place[d]];
    }
    return block_index_create(&reordered, &sum->tuples);
}

static void get_tiles(const struct contraction_sum *sum, int64_t tuple, int32_t at[MAX_RANK])
{
    int32_t in_order[MAX_RANK];
    block_index_tuple(sum->tuples, tuple, in_order);
    for (int d = 0; d < block_index_labels(sum->tuples)->rank; d++)
        at[sum->place[d]] = in_order[d];
}

/* --- walks --- */

static void begin_term(struct term_walk *walk, enum pair_wants wants)
{
    const struct block_pairs *term = &walk->sums->terms[walk->term];
    const struct index_list *fixed = walk->task->sum->scalar ? &term->indices.A : &term->indices.C;
    const int32_t *at = walk->task->at;
    int32_t tile[MAX_INDICES] = {0};
    for (int d = 0; d < fixed->n; d++)
        tile[fixed->index[d]] = at[d];
    pair_walk_begin(term, tile, wants, &walk->pairs);
    /* Where A has an index twice, a task of a scalar may be off the diagonal: the walk is empty (of_A NULL). */
    for (int d = 0; d < fixed->n; d++)
        if (tile[fixed->index[d]] != at[d])
            walk->pairs.of_A = NULL;
}

static void begin_walk(const struct contraction_sums *sums, const struct contraction_task *task,
                       enum pair_wants wants, struct term_walk *walk)
{
    *walk = (struct term_walk){
        .sums = sums, .task = task, .term = task->sum->first_term, .left = INT64_MAX};
    begin_term(walk, wants);
}

bool term_walk_next(struct term_walk *walk)
{
    if (walk->left == 0)
        return false;
    walk->left--;
    while (!pair_walk_next(&walk->pairs)) {
        if (++walk->term == walk->task->sum->end_term)
            return false;
        begin_term(walk, walk->pairs.wants);
    }
    return true;
}

void term_walk_begin(const struct contraction_sums *sums, const struct contraction_task *task,
                     enum pair_wants wants, struct term_walk *walk)
{
    int64_t n = 0;
    begin_walk(sums, task, PAIR_TILES, walk);
    while (task->n_slices > 1 && term_walk_next(walk))
        n++;
    int64_t first = n * task->slice / task->n_slices, end = n * (task->slice + 1) / task->n_slices;
    if (n > 0)
        begin_walk(sums, task, PAIR_TILES, walk);
    for (int64_t i = 0; i < first; i++)
        term_walk_next(walk);
    walk->pairs.wants = wants;
    if (task->n_slices > 1)
        walk->left = end - first;
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
    struct task_cost cost = {0};
    *shape = (struct sum_shape){.n_blocks = (double)sum->n_blocks};
    for (int t = sum->first_term; t < sum->end_term; t++)
        shape->elements_factors += factor_elements(&sums->problems[t]);
    for (int64_t tuple = 0; tuple < sum->n_blocks; tuple++) {
        struct contraction_task block = {.sum = sum, .n_slices = 1};
        struct term_walk walk;
        get_tiles(sum, tuple, block.at);
        shape->elements_C += (double)block_index_size(sum->C, block.at);
        term_walk_begin(sums, &block, PAIR_TILES, &walk);
        while (term_walk_next(&walk))
            block_pairs_add_cost(&sums->terms[walk.term], walk.pairs.tile, &cost);
    }
    shape->n_products = (double)cost.n_products / shape->n_blocks;
    shape->flops = cost.flops;
}

static int64_t choose_slices(const struct contraction_sums *sums, const struct contraction_sum *sum)
{
    struct sum_shape shape;
    if (sum->n_blocks == 0 || 2 * sum->n_blocks > WANTED_TASKS)
        return 1;
    find_sum_shape(sums, sum, &shape);
    return (int64_t)contraction_slices_wanted(&shape);
}

/* --- sums --- */

static void list_term(struct contraction_sums *sums, int term)
{
    if (!sums->problems[term].joins)
        sums->list[sums->n++] = (struct contraction_sum){
            .first_term = term, .lead = term, .scalar = sums->problems[term].C.labels->rank == 0};
    struct contraction_sum *sum = &sums->list[sums->n - 1];
    sum->end_term = term + 1;
    if (index_volume(&sums->terms[term]) > index_volume(&sums->terms[sum->lead]))
        sum->lead = term;
}

static enum status number_tasks(struct contraction_sums *sums, struct contraction_sum *sum)
{
    TRY(block_index_create(sums->problems[sum->first_term].C.labels, &sum->C));
    TRY(init_tuples(&sums->terms[sum->lead], sum));
    sum->n_blocks = block_index_n(sum->scalar ? sum->C : sum->tuples);
    sum->n_parts = sum->scalar ? block_index_n(sum->tuples) : choose_slices(sums, sum);
    sum->first_task = sums->n_tasks;
    if ((double)sum->n_blocks * (double)sum->n_parts > (double)(TASKPOOL_MAX_TASKS - sums->n_tasks))
        return FAIL(STATUS_LIMIT, "more than 2^62 tasks in a stage: take larger tiles");
    sums->n_tasks += sum->n_blocks * sum->n_parts;
    sum->first_part = -1;
    if (sum->scalar || sum->n_parts > 1) {
        sum->first_part = sums->n_parts;
        sums->n_parts += sum->n_blocks * sum->n_parts;
    }
    return STATUS_OK;
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
        TRY(init_term(&sums->problems[t], &sums->terms[t]));
        list_term(sums, t);
    }
    for (int s = 0; s < sums->n; s++)
        TRY(number_tasks(sums, &sums->list[s]));
    return STATUS_OK;
}

void contraction_sums_fini(struct contraction_sums *sums)
{
    for (int t = 0; sums->terms && t < sums->n_terms; t++)
        block_pairs_fini(&sums->terms[t]);
    for (int s = 0; s < sums->n; s++) {
        block_index_destroy(sums->list[s].C);
        block_index_destroy(sums->list[s].tuples);
    }
    free(sums->problems);
    free(sums->terms);
    free(sums->list);
    *sums = (struct contraction_sums){0};
}

void contraction_sums_bind(struct contraction_sums *sums, int term,
                           struct tensor *const tensor[N_CONTRACTION_PLACES])
{
    struct contraction_problem *problem = &sums->problems[term];
    problem->C.tensor = tensor[CONTRACTION_C];
    problem->A.tensor = tensor[CONTRACTION_A];
    problem->B.tensor = tensor[CONTRACTION_B];
}

/* The task of a sum that makes part `part` of the block of tuple `tuple`, or the whole of it. Each part of a scalar is
 * a tuple of A: `part` is its number, and `tuple` is 0. */
static void set_task(const struct contraction_sum *sum, int64_t tuple, int64_t part,
                     struct contraction_task *task)
{
    *task = (struct contraction_task){.sum = sum, .part = -1, .n_slices = 1};
    get_tiles(sum, sum->scalar ? part : tuple, task->at);
    task->block = sum->scalar ? 0 : block_index_number(sum->C, task->at);
    if (sum->first_part >= 0)
        task->part = sum->first_part + part * sum->n_blocks + tuple;
    if (!sum->scalar) {
        task->slice = part;
        task->n_slices = sum->n_parts;
    }
}

void contraction_sums_task(const struct contraction_sums *sums, int64_t task,
                           struct contraction_task *found)
{
    int s = sums->n - 1;
    while (sums->list[s].first_task > task)
        s--;
    const struct contraction_sum *sum = &sums->list[s];
    int64_t number = task - sum->first_task;
    set_task(sum, number % sum->n_blocks, number / sum->n_blocks, found);
}

int64_t contraction_task_elements(const struct contraction_task *task)
{
    return task->sum->scalar ? 1 : block_index_size(task->sum->C, task->at);
}

/* --- parts --- */

/* The elements of part number n of a sum. */
static int64_t part_elements(const struct contraction_sum *sum, int64_t n)
{
    struct contraction_task task;
    set_task(sum, n % sum->n_blocks, n / sum->n_blocks, &task);
    return contraction_task_elements(&task);
}

static void list_part_sizes(const struct contraction_sums *sums, int64_t size[])
{
    for (int s = 0; s < sums->n; s++) {
        const struct contraction_sum *sum = &sums->list[s];
        for (int64_t n = 0; sum->first_part >= 0 && n < sum->n_blocks * sum->n_parts; n++)
            size[sum->first_part + n] = part_elements(sum, n);
    }
}

double contraction_parts_elements(const struct contraction_sums *sums)
{
    double elements = 0;
    for (int s = 0; s < sums->n; s++) {
        const struct contraction_sum *sum = &sums->list[s];
        for (int64_t n = 0; sum->first_part >= 0 && sum->n_parts > 0 && n < sum->n_blocks; n++)
            elements += (double)sum->n_parts * (double)part_elements(sum, n);
    }
    return elements;
}

enum status contraction_parts_create(const struct contraction_sums *sums, struct darray **parts)
{
    *parts = NULL;
    if (sums->n_parts == 0)
        return STATUS_OK;
    int64_t *size = calloc((size_t)sums->n_parts, sizeof *size);
    enum status status =
        status_agree(darray_comm(), CHECK_MEMORY(size, "no memory for the parts of a contraction"));
    if (status == STATUS_OK) {
        list_part_sizes(sums, size);
        status = darray_create("parts of a contraction", DARRAY_DOUBLE, sums->n_parts, size, parts);
    }
    free(size);
    return status;
}

/* Adds part number n to the block. */
static void add_part(const struct darray *parts, int64_t n, double *scratch, double *block)
{
    const double *part = darray_near(parts, n);
    if (!part) {
        darray_get(parts, n, scratch);
        part = scratch;
    }
    for (int64_t i = 0; i < darray_block_size(parts, n); i++)
        block[i] += part[i];
}

void contraction_parts_add_up(const struct contraction_sums *sums, const struct darray *parts,
                              double *scratch)
{
    for (int s = 0; s < sums->n; s++) {
        const struct contraction_sum *sum = &sums->list[s];
        const struct contraction_problem *first = &sums->problems[sum->first_term];
        for (int64_t tuple = 0; sum->first_part >= 0 && tuple < sum->n_blocks; tuple++) {
            struct contraction_task task = {.block = 0};
            if (!sum->scalar)
                set_task(sum, tuple, 0, &task);
            double *block = darray_local(first->C.tensor->data, task.block);
            if (block && !first->add)
                memset(block, 0,
                       (size_t)darray_block_size(first->C.tensor->data, task.block) *
                           sizeof *block);
            for (int64_t part = 0; block && part < sum->n_parts; part++)
                add_part(parts, sum->first_part + part * sum->n_blocks + tuple, scratch, block);
        }
    }
}
