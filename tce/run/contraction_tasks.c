/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/contraction_tasks.h"

#include <stdlib.h>

/* --- the tuples of tiles that are summed over --- */

/* The label of a tile of an index in an operand, summed over all its occurrences there. */
static struct tile_label tile_label_in(const struct block_labels *labels,
                                       const struct index_list *own, int index, int32_t tile)
{
    struct tile_label label = {0, 0};
    for (int d = 0; d < own->n; d++)
        if (own->index[d] == index) {
            label.irrep ^= labels->space[d]->irrep[tile];
            label.spin += labels->sign[d] * labels->space[d]->spin[tile];
        }
    return label;
}

static enum status fold_labels(const struct block_labels *labels, const struct index_list *own,
                               int index, const struct index_space *original,
                               struct index_space *folded, int *max_spin)
{
    *folded = *original;
    folded->irrep = calloc((size_t)original->n_tiles + 1, sizeof *folded->irrep);
    folded->spin = calloc((size_t)original->n_tiles + 1, sizeof *folded->spin);
    TRY(CHECK_MEMORY(folded->irrep && folded->spin, "no memory for the tiles of a summed index"));
    int largest = 0;
    for (int32_t tile = 0; tile < original->n_tiles; tile++) {
        struct tile_label label = tile_label_in(labels, own, index, tile);
        folded->irrep[tile] = (int8_t)label.irrep;
        folded->spin[tile] = (int8_t)label.spin;
        largest = abs(label.spin) > largest ? abs(label.spin) : largest;
    }
    *max_spin += largest;
    return STATUS_OK;
}

static const struct index_space *space_of_index(const struct block_labels *labels,
                                                const struct index_list *own, int index)
{
    for (int d = 0; d < own->n; d++)
        if (own->index[d] == index)
            return labels->space[d];
    return NULL;
}

/* labels, own: of the operand that counts; summed: the indices that are summed over, each once, in
 * the order of the tuples. fini_summed_tiles follows in any case. */
static enum status init_summed_tiles(struct summed_tiles *tiles, const struct block_labels *labels,
                                     const struct index_list *own, const struct index_list *summed)
{
    struct block_labels tuples = {.rank = summed->n};
    for (tiles->n = 0; tiles->n < summed->n;) {
        int d = tiles->n++;
        TRY(fold_labels(labels, own, summed->index[d],
                        space_of_index(labels, own, summed->index[d]), &tiles->space[d],
                        &tiles->max_spin));
        tuples.space[d] = &tiles->space[d];
        tuples.sign[d] = 1;
    }
    int n_spin_sums = 2 * tiles->max_spin + 1;
    tiles->index = calloc((size_t)(n_spin_sums * N_IRREPS), sizeof(struct block_index *));
    TRY(CHECK_MEMORY(tiles->index, "no memory for the tuples of summed tiles"));
    for (int i = 0; i < n_spin_sums * N_IRREPS; i++) {
        tuples.irrep = i % N_IRREPS;
        tuples.spin = i / N_IRREPS - tiles->max_spin;
        TRY(block_index_create(&tuples, &tiles->index[i]));
    }
    return STATUS_OK;
}

static void fini_summed_tiles(struct summed_tiles *tiles)
{
    for (int i = 0; tiles->index && i < (2 * tiles->max_spin + 1) * N_IRREPS; i++)
        block_index_destroy(tiles->index[i]);
    for (int d = 0; d < tiles->n; d++) {
        free(tiles->space[d].irrep);
        free(tiles->space[d].spin);
    }
    free(tiles->index);
}

/* Borrowed; NULL if there are no tuples with this label. */
static const struct block_index *tuples_with_label(const struct summed_tiles *tiles,
                                                   struct tile_label label)
{
    if (abs(label.spin) > tiles->max_spin)
        return NULL;
    return tiles->index[(label.spin + tiles->max_spin) * N_IRREPS + label.irrep];
}

/* --- tasks --- */

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

static enum status init_tuples(struct contraction_tasks *tasks)
{
    const struct contraction_problem *problem = tasks->problem;
    const struct contraction_indices *indices = &tasks->indices;
    const struct block_labels *labels = tasks->scalar ? problem->A.labels : problem->C.labels;
    const struct index_list *own = tasks->scalar ? &indices->A.own : &indices->C.own;
    /* An index may be in A twice, but not in C. A symmetric C has tasks for the blocks that it stores: those are
     * listed in the order of its own places. */
    struct index_list order = tasks->scalar || labels->symmetry ? *own : task_order(indices);
    struct block_labels reordered = *labels;
    if (tasks->scalar)
        reordered.symmetry = NULL; /* a task for each tuple of tiles of A */
    for (int d = 0; d < order.n; d++) {
        tasks->place[d] = tasks->scalar ? d : index_list_place(own, order.index[d]);
        reordered.space[d] = labels->space[tasks->place[d]];
        reordered.sign[d] = labels->sign[tasks->place[d]];
    }
    return block_index_create(&reordered, &tasks->tuples);
}

static struct index_list summed_in_A(const struct contraction_tasks *tasks)
{
    const struct contraction_indices *indices = &tasks->indices;
    struct index_list list = {0};
    if (tasks->scalar)
        return list;
    list = indices->group[ROLE_SUMMED];
    for (int d = 0; d < indices->group[ROLE_LONE_A].n; d++)
        index_list_append(&list, indices->group[ROLE_LONE_A].index[d]);
    return list;
}

enum status contraction_tasks_init(const struct contraction_problem *problem,
                                   struct contraction_tasks *tasks)
{
    const struct contraction_indices *indices = &tasks->indices;
    *tasks = (struct contraction_tasks){.problem = problem, .scalar = problem->C.labels->rank == 0};
    contraction_indices_init(problem, &tasks->indices);
    TRY(block_index_create(problem->C.labels, &tasks->C));
    TRY(block_index_create(problem->A.labels, &tasks->A));
    TRY(init_tuples(tasks));
    tasks->summed_in_A = summed_in_A(tasks);
    TRY(init_summed_tiles(&tasks->tiles_of_A, problem->A.labels, &indices->A.own,
                          &tasks->summed_in_A));
    if (!problem->has_B)
        return STATUS_OK;
    tasks->summed_in_B = indices->group[ROLE_LONE_B];
    TRY(block_index_create(problem->B.labels, &tasks->B));
    return init_summed_tiles(&tasks->tiles_of_B, problem->B.labels, &indices->B.own,
                             &tasks->summed_in_B);
}

void contraction_tasks_fini(struct contraction_tasks *tasks)
{
    block_index_destroy(tasks->C);
    block_index_destroy(tasks->A);
    block_index_destroy(tasks->B);
    block_index_destroy(tasks->tuples);
    fini_summed_tiles(&tasks->tiles_of_A);
    fini_summed_tiles(&tasks->tiles_of_B);
    *tasks = (struct contraction_tasks){0};
}

int64_t contraction_tasks_n(const struct contraction_tasks *tasks)
{
    /* A scalar that its own labels forbid has no block to put a sum into. */
    if (tasks->scalar && block_index_n(tasks->C) == 0)
        return 0;
    return block_index_n(tasks->tuples);
}

/* The tiles of an operand's own places. */
static void tiles_at(const struct index_list *own, const int32_t tile[MAX_INDICES],
                     int32_t at[MAX_RANK])
{
    for (int d = 0; d < own->n; d++)
        at[d] = tile[own->index[d]];
}

int64_t contraction_tasks_block(const struct contraction_tasks *tasks, int64_t task,
                                int32_t at[MAX_RANK])
{
    int32_t in_order[MAX_RANK];
    int n = block_index_labels(tasks->tuples)->rank;
    block_index_tuple(tasks->tuples, task, in_order);
    for (int d = 0; d < n; d++)
        at[tasks->place[d]] = in_order[d];
    return tasks->scalar ? 0 : block_index_number(tasks->C, at);
}

int64_t contraction_tasks_extent(const struct contraction_tasks *tasks,
                                 const struct index_list *list, const int32_t tile[MAX_INDICES])
{
    int64_t extent = 1;
    for (int d = 0; d < list->n; d++)
        extent *= index_space_tile_size(tasks->indices.space[list->index[d]], tile[list->index[d]]);
    return extent;
}

double contraction_tasks_flops(const struct contraction_tasks *tasks,
                               const int32_t tile[MAX_INDICES])
{
    const struct contraction_indices *indices = &tasks->indices;
    if (!tasks->problem->has_B)
        return 0;
    return 2 * (double)contraction_tasks_extent(tasks, &indices->C.own, tile) *
           (double)contraction_tasks_extent(tasks, &indices->group[ROLE_SUMMED], tile);
}

/* The label that an operand's other indices must have when the tiles of some indices are known;
 * each is counted with all its occurrences. */
static struct tile_label subtract_labels(struct tile_label label, const struct block_labels *labels,
                                         const struct index_list *own,
                                         const struct index_list *known,
                                         const int32_t tile[MAX_INDICES])
{
    for (int d = 0; d < known->n; d++) {
        struct tile_label taken =
            tile_label_in(labels, own, known->index[d], tile[known->index[d]]);
        label.irrep ^= taken.irrep;
        label.spin -= taken.spin;
    }
    return label;
}

/* The tiles of the indices that a task fixes. Where A has an index twice, a task of a scalar
 * may be off the diagonal: there is nothing to do, and false is returned. */
static bool fix_tiles(const struct index_list *own, const int32_t at[MAX_RANK],
                      int32_t tile[MAX_INDICES])
{
    for (int d = 0; d < own->n; d++)
        tile[own->index[d]] = at[d];
    for (int d = 0; d < own->n; d++)
        if (tile[own->index[d]] != at[d])
            return false;
    return true;
}

void pair_walk_begin(const struct contraction_tasks *tasks, const int32_t at[MAX_RANK],
                     enum pair_wants wants, struct pair_walk *walk)
{
    const struct contraction_problem *problem = tasks->problem;
    const struct contraction_indices *indices = &tasks->indices;
    *walk = (struct pair_walk){.tasks = tasks, .wants = wants};
    int32_t *tile = walk->pair.tile;
    if (!fix_tiles(tasks->scalar ? &indices->A.own : &indices->C.own, at, tile))
        return;
    struct tile_label left = {problem->A.labels->irrep, problem->A.labels->spin};
    if (tasks->scalar)
        left = (struct tile_label){0, 0};
    else {
        left = subtract_labels(left, problem->A.labels, &indices->A.own,
                               &indices->group[ROLE_BATCH], tile);
        left = subtract_labels(left, problem->A.labels, &indices->A.own, &indices->group[ROLE_ROW],
                               tile);
    }
    walk->of_A = tuples_with_label(&tasks->tiles_of_A, left);
    if (!problem->has_B)
        return;
    left = (struct tile_label){problem->B.labels->irrep, problem->B.labels->spin};
    left = subtract_labels(left, problem->B.labels, &indices->B.own, &indices->group[ROLE_BATCH],
                           tile);
    walk->left_in_B = subtract_labels(left, problem->B.labels, &indices->B.own,
                                      &indices->group[ROLE_COLUMN], tile);
}

/* Moves on to a tuple of summed tiles, which follows the one that is in tile. */
static void step_summed(const struct block_index *tuples, int64_t number,
                        const struct index_list *summed, int32_t tile[MAX_INDICES])
{
    int32_t at[MAX_RANK];
    tiles_at(summed, tile, at);
    (number == 0 ? block_index_first : block_index_next)(tuples, at);
    for (int d = 0; d < summed->n; d++)
        tile[summed->index[d]] = at[d];
}

/* The block of an operand with the tiles of a pair. */
static struct stored_block find_operand(const struct pair_walk *walk,
                                        const struct block_index *blocks,
                                        const struct index_list *own)
{
    int32_t at[MAX_RANK];
    if (walk->wants == PAIR_TILES)
        return (struct stored_block){.block = -1};
    tiles_at(own, walk->pair.tile, at);
    return block_index_find(blocks, at);
}

/* Moves on in A: its block, and which tuples of B go with it. */
static bool next_in_A(struct pair_walk *walk)
{
    const struct contraction_tasks *tasks = walk->tasks;
    const struct contraction_indices *indices = &tasks->indices;
    int32_t *tile = walk->pair.tile;
    if (!walk->of_A || walk->next_A == block_index_n(walk->of_A))
        return false;
    step_summed(walk->of_A, walk->next_A++, &tasks->summed_in_A, tile);
    walk->pair.A = find_operand(walk, tasks->A, &indices->A.own);
    if (tasks->problem->has_B) {
        struct tile_label left =
            subtract_labels(walk->left_in_B, tasks->problem->B.labels, &indices->B.own,
                            &indices->group[ROLE_SUMMED], tile);
        walk->of_B = tuples_with_label(&tasks->tiles_of_B, left);
        walk->next_B = 0;
    }
    return true;
}

bool pair_walk_next(struct pair_walk *walk)
{
    const struct contraction_tasks *tasks = walk->tasks;
    if (!tasks->problem->has_B) {
        walk->pair.B.block = -1;
        return next_in_A(walk);
    }
    while (!walk->of_B || walk->next_B == block_index_n(walk->of_B))
        if (!next_in_A(walk))
            return false;
    step_summed(walk->of_B, walk->next_B++, &tasks->summed_in_B, walk->pair.tile);
    walk->pair.B = find_operand(walk, tasks->B, &tasks->indices.B.own);
    return true;
}
