/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/loop_products.h"

#include "support/base/array.h"

#include <stdlib.h>
#include <string.h>

/* The spaces of the loop's indices with one tile each, that of the tuple. */
struct tuple_spaces {
    const int32_t *tuple;
    int64_t first[2];
    int8_t label[MAX_RANK * N_LOOP_OPERANDS][2]; /* irrep and spin */
    int n;
    struct index_space spaces[MAX_RANK * N_LOOP_OPERANDS];
};

/* The labels of an operand within the tuple. loop_index: of its places */
static struct block_labels labels_in_tuple(const struct block_labels *labels,
                                           const int loop_index[], struct tuple_spaces *spaces)
{
    struct block_labels within = *labels;
    for (int d = 0; d < labels->rank; d++) {
        const struct index_space *space = labels->space[d];
        if (loop_index[d] < 0)
            continue;
        int32_t tile = spaces->tuple[loop_index[d]];
        struct index_space *one = &spaces->spaces[spaces->n];
        int8_t *label = spaces->label[spaces->n++];
        label[0] = space->irrep[tile];
        label[1] = space->spin[tile];
        *one = (struct index_space){.name = space->name,
                                    .size = 1,
                                    .n_tiles = 1,
                                    .first = spaces->first,
                                    .irrep = label,
                                    .spin = label + 1,
                                    .max_tile = 1};
        within.space[d] = one;
    }
    return within;
}

static struct tuple_spaces begin_spaces(const int32_t *tuple)
{
    return (struct tuple_spaces){.tuple = tuple, .first = {0, 1}};
}

/* --- blocks of local tensors --- */

static enum status list_local_blocks(const struct tile_loop_tensor *tensor,
                                     struct tuple_spaces *spaces, struct local_blocks *blocks)
{
    struct block_labels labels = labels_in_tuple(&tensor->labels, tensor->loop_index, spaces);
    struct block_index *index;
    TRY(block_index_create(&labels, &index));
    int64_t n = block_index_n(index);
    blocks->at = calloc((size_t)n + 1, sizeof *blocks->at);
    enum status status = CHECK_MEMORY(blocks->at, "no memory for %lld blocks of local tensor %s",
                                      (long long)n, tensor->name);
    for (blocks->n = 0; blocks->n < n && status == STATUS_OK; blocks->n++)
        block_index_tuple(index, blocks->n, blocks->at[blocks->n]);
    block_index_destroy(index);
    return status;
}

/* --- products --- */

/* A step within the tuple. */
struct step_in_tuple {
    const struct tile_loop_step *step;
    struct block_labels labels[N_LOOP_OPERANDS];
    struct contraction_problem problem;
    struct contraction_tasks tasks;
};

static void places_of_operand(const struct tile_loop_step *step, enum loop_operand operand,
                              int loop_index[MAX_RANK])
{
    for (int d = 0; d < step->labels[operand].rank; d++)
        loop_index[d] = step->loop_index[step->index[operand][d]];
}

static enum status begin_step(const struct tile_loop_step *step, struct tuple_spaces *spaces,
                              struct step_in_tuple *within)
{
    struct contraction_operand *const operands[] = {&within->problem.C, &within->problem.A,
                                                    &within->problem.B};
    bool has_B = step->tensor[LOOP_B] >= 0;
    *within = (struct step_in_tuple){.step = step, .problem.has_B = has_B};
    for (int operand = LOOP_C; operand <= (has_B ? LOOP_B : LOOP_A); operand++) {
        int loop_index[MAX_RANK];
        places_of_operand(step, (enum loop_operand)operand, loop_index);
        within->labels[operand] = labels_in_tuple(&step->labels[operand], loop_index, spaces);
        operands[operand]->labels = &within->labels[operand];
        memcpy(operands[operand]->index, step->index[operand], sizeof step->index[operand]);
    }
    return contraction_tasks_init(&within->problem, &within->tasks);
}

static enum status add_loop_product(const struct tile_loop_problem *problem,
                                    const struct step_in_tuple *within,
                                    const struct block_pair *pair, struct loop_products *products)
{
    TRY(array_append(&products->products, &products->n_products, sizeof *products->products));
    struct loop_product *added = &products->products[products->n_products - 1];
    const int64_t blocks[] = {-1, pair->A.block, pair->B.block};
    memcpy(added->tile, pair->tile, sizeof added->tile);
    for (int operand = LOOP_C; operand < N_LOOP_OPERANDS; operand++) {
        int tensor = within->step->tensor[operand];
        bool local = operand != LOOP_C && tensor >= 0 && problem->tensors[tensor].local;
        added->block[operand] = local ? (int)blocks[operand] : -1;
    }
    return STATUS_OK;
}

/* The products of a task: of a block of C, or of a scalar those with a block of A. */
static enum status add_target(const struct tile_loop_problem *problem,
                              const struct step_in_tuple *within, int64_t task,
                              struct loop_products *products)
{
    struct loop_target target = {.block = -1, .first = products->n_products};
    struct pair_walk walk;
    int32_t at[MAX_RANK];
    int64_t block = contraction_tasks_block(&within->tasks, task, at);
    if (!within->tasks.scalar) {
        target.block = (int)block;
        memcpy(target.at, at, sizeof target.at);
    }
    pair_walk_begin(&within->tasks, at, PAIR_BLOCKS, &walk);
    while (pair_walk_next(&walk))
        TRY(add_loop_product(problem, within, &walk.pair, products));
    target.end = products->n_products;
    if (within->tasks.scalar && target.end == target.first)
        return STATUS_OK;
    TRY(array_append(&products->targets, &products->n_targets, sizeof *products->targets));
    products->targets[products->n_targets - 1] = target;
    return STATUS_OK;
}

static int compare_targets(const void *a, const void *b)
{
    const struct loop_target *left = a, *right = b;
    return (left->block > right->block) - (left->block < right->block);
}

static enum status list_step(const struct tile_loop_problem *problem, int s, const int32_t tuple[],
                             struct loop_products *products)
{
    struct tuple_spaces spaces = begin_spaces(tuple);
    struct step_in_tuple within;
    enum status status = begin_step(&problem->steps[s], &spaces, &within);
    int64_t n = status == STATUS_OK ? contraction_tasks_n(&within.tasks) : 0;
    for (int64_t task = 0; task < n && status == STATUS_OK; task++)
        status = add_target(problem, &within, task, products);
    int first = products->first_target[s];
    if (!within.tasks.scalar && products->n_targets > first)
        qsort(products->targets + first, (size_t)(products->n_targets - first),
              sizeof *products->targets, compare_targets);
    contraction_tasks_fini(&within.tasks);
    return status;
}

/* --- lists --- */

static void labels_of_tuple(const struct tile_loop_problem *problem, const int32_t tuple[],
                            struct tile_label label[])
{
    for (int i = 0; i < problem->tuples.n; i++)
        label[i] = (struct tile_label){problem->space[i]->irrep[tuple[i]],
                                       problem->space[i]->spin[tuple[i]]};
}

enum status loop_products_init(const struct tile_loop_problem *problem, const int32_t tuple[],
                               struct loop_products *products)
{
    *products = (struct loop_products){0};
    labels_of_tuple(problem, tuple, products->label);
    products->locals = calloc((size_t)problem->n_tensors + 1, sizeof *products->locals);
    products->first_target = calloc((size_t)problem->n_steps + 1, sizeof *products->first_target);
    TRY(CHECK_MEMORY(products->locals && products->first_target,
                     "no memory for the products of a loop over tiles"));
    for (int t = 0; t < problem->n_tensors; t++) {
        struct tuple_spaces spaces = begin_spaces(tuple);
        if (problem->tensors[t].local)
            TRY(list_local_blocks(&problem->tensors[t], &spaces, &products->locals[t]));
    }
    for (int s = 0; s < problem->n_steps; s++) {
        TRY(list_step(problem, s, tuple, products));
        products->first_target[s + 1] = products->n_targets;
    }
    return STATUS_OK;
}

void loop_products_fini(const struct tile_loop_problem *problem, struct loop_products *products)
{
    for (int t = 0; products->locals && t < problem->n_tensors; t++)
        free(products->locals[t].at);
    free(products->locals);
    free(products->first_target);
    free(products->targets);
    free(products->products);
}

static bool same_labels(int n, const struct tile_label a[], const struct tile_label b[])
{
    for (int i = 0; i < n; i++)
        if (a[i].irrep != b[i].irrep || a[i].spin != b[i].spin)
            return false;
    return true;
}

enum status loop_product_lists_find(struct loop_product_lists *lists, const int32_t tuple[],
                                    const struct loop_products **found)
{
    struct tile_label label[TILE_LOOP_MAX_INDICES];
    labels_of_tuple(lists->problem, tuple, label);
    int i = 0;
    while (i < lists->n && !same_labels(lists->problem->tuples.n, lists->list[i].label, label))
        i++;
    if (i == lists->n) {
        TRY(array_append(&lists->list, &lists->n, sizeof *lists->list));
        enum status status = loop_products_init(lists->problem, tuple, &lists->list[i]);
        if (status != STATUS_OK) {
            loop_products_fini(lists->problem, &lists->list[i]);
            lists->n--;
            return status;
        }
    }
    *found = &lists->list[i];
    return STATUS_OK;
}

void loop_product_lists_fini(struct loop_product_lists *lists)
{
    for (int i = 0; i < lists->n; i++)
        loop_products_fini(lists->problem, &lists->list[i]);
    free(lists->list);
    *lists = (struct loop_product_lists){0};
}
