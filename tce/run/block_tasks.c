/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/block_tasks.h"

#include "support/mpi/wall_time.h"
#include "tce/run/products.h"

#include <stdlib.h>
#include <string.h>

/* --- runs --- */

enum status block_tasks_start(struct block_tasks *tasks)
{
    return tasks->parts ? STATUS_OK : contraction_parts_create(&tasks->sums, &tasks->parts);
}

static enum status take_block(struct block_tasks *tasks)
{
    const struct contraction_sums *sums = &tasks->sums;
    const struct tensor *largest = sums->problems[0].C.tensor;
    for (int t = 1; t < sums->n_terms; t++) {
        const struct tensor *C = sums->problems[t].C.tensor;
        largest = C->max_block > largest->max_block ? C : largest;
    }
    tasks->block = block_buffers_take(tasks->buffers, largest->max_block);
    return CHECK_MEMORY(tasks->block, "no memory for a block of tensor %s", largest->name);
}

enum status block_tasks_begin(struct block_tasks *tasks,
                              const struct contraction_settings *settings, struct taskpool *polled)
{
    tasks->buffers = settings->buffers;
    TRY(take_block(tasks));
    return products_create(tasks->sums.n_terms, tasks->sums.terms, NULL, settings, 1, polled,
                           &tasks->products);
}

static bool has_parts(const struct contraction_sums *sums)
{
    bool has = false;
    for (int s = 0; s < sums->n; s++)
        has = has || sums->list[s].first_part >= 0;
    return has;
}

void block_tasks_end(struct block_tasks *tasks, enum status status)
{
    if (status == STATUS_OK && has_parts(&tasks->sums)) {
        contraction_parts_add_up(&tasks->sums, tasks->parts, tasks->block);
        darray_sync();
    }
    products_destroy(tasks->products);
    block_buffers_give_back(tasks->buffers, tasks->block);
    tasks->products = NULL;
    tasks->block = NULL;
}

void block_tasks_fini(struct block_tasks *tasks)
{
    darray_destroy(tasks->parts);
    contraction_sums_fini(&tasks->sums);
}

int64_t block_tasks_bytes(int64_t max_block)
{
    return block_buffers_bytes(max_block) + products_bytes() + operands_bytes(max_block);
}

/* --- tasks --- */

/* The pair that the walk is at. */
static struct step_product product_at(const struct term_walk *walk)
{
    const struct block_pairs *term = &walk->sums->terms[walk->term];
    struct step_product product = {.step = term,
                                   .block = {walk->pairs.block[0], walk->pairs.block[1]}};
    pair_walk_extents(&walk->pairs, product.extent);
    return product;
}

static enum status add_all_pairs(struct block_tasks *tasks, const struct contraction_task *task,
                                 struct product_target *target)
{
    struct term_walk walk;
    struct step_product product, next;
    term_walk_begin(&tasks->sums, task, PAIR_BLOCKS, &walk);
    bool more = term_walk_next(&walk);
    if (more)
        next = product_at(&walk);
    while (more) {
        product = next;
        more = term_walk_next(&walk);
        if (more)
            next = product_at(&walk);
        TRY(products_add(tasks->products, &product, more ? &next : NULL, target));
    }
    products_run(tasks->products);
    return STATUS_OK;
}

/* A block that this process sees is written where it lies.
 * block  of the array, that the task makes or, to `add`, adds to */
static enum status make_block(struct block_tasks *tasks, const struct contraction_task *task,
                              struct darray *array, int64_t block, bool add)
{
    double *near = darray_near(array, block);
    struct product_target target = {.elements = near ? near : tasks->block, .add = add};
    if (add && !near)
        darray_get(array, block, target.elements);
    TRY(add_all_pairs(tasks, task, &target));
    if (!target.add)
        memset(target.elements, 0, (size_t)darray_block_size(array, block) * sizeof(double));
    if (!near)
        darray_put(array, block, target.elements);
    return STATUS_OK;
}

enum status block_tasks_run(struct block_tasks *tasks, int64_t task)
{
    struct contraction_task found;
    enum wall_use use = wall_time_begin(WALL_ALGEBRA);
    contraction_sums_task(&tasks->sums, task, &found);
    const struct contraction_problem *first = &tasks->sums.problems[found.sum->first_term];
    enum status status =
        found.part >= 0 ? make_block(tasks, &found, tasks->parts, found.part, false)
                        : make_block(tasks, &found, first->C.tensor->data, found.block, first->add);
    wall_time_end(use);
    return status;
}

int block_tasks_owner(const struct block_tasks *tasks, int64_t task, int n_workers)
{
    struct contraction_task found;
    contraction_sums_task(&tasks->sums, task, &found);
    return (int)((found.part >= 0 ? found.part : found.block) % n_workers);
}

struct task_cost block_tasks_cost(const struct block_tasks *tasks, int64_t task)
{
    const struct contraction_sums *sums = &tasks->sums;
    struct contraction_task found;
    struct term_walk walk;
    contraction_sums_task(sums, task, &found);
    bool add = found.part < 0 && sums->problems[found.sum->first_term].add;
    struct task_cost cost = {.elements = (add ? 2 : 1) * (double)contraction_task_elements(&found)};
    term_walk_begin(sums, &found, PAIR_TILES, &walk);
    while (term_walk_next(&walk))
        block_pairs_add_cost(&sums->terms[walk.term], walk.pairs.tile, &cost);
    return cost;
}

/* --- the blocks of a task --- */

static enum status visit_pair(const struct term_walk *walk, contraction_visitor *visit,
                              void *context)
{
    const struct block_pairs *term = &walk->sums->terms[walk->term];
    const struct contraction_indices *indices = &term->indices;
    for (int f = 0; f < 1 + term->problem->has_B; f++) {
        const struct contraction_access access = {
            .problem = walk->term,
            .place = f == 0 ? CONTRACTION_A : CONTRACTION_B,
            .block = walk->pairs.block[f].block,
            .elements =
                block_pairs_extent(term, f == 0 ? &indices->A : &indices->B, walk->pairs.tile)};
        TRY(visit(&access, context));
    }
    return STATUS_OK;
}

enum status block_tasks_visit(const struct block_tasks *tasks, int64_t task,
                              contraction_visitor *visit, void *context)
{
    const struct contraction_sums *sums = &tasks->sums;
    struct contraction_task found;
    struct term_walk walk;
    contraction_sums_task(sums, task, &found);
    struct contraction_access target = {.problem = found.sum->first_term,
                                        .place = CONTRACTION_C,
                                        .block = found.block,
                                        .elements = contraction_task_elements(&found)};
    if (found.part < 0 && sums->problems[target.problem].add)
        TRY(visit(&target, context));
    term_walk_begin(sums, &found, PAIR_BLOCKS, &walk);
    while (term_walk_next(&walk))
        TRY(visit_pair(&walk, visit, context));
    target.writes = true;
    return found.part >= 0 ? STATUS_OK : visit(&target, context);
}
