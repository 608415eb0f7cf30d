/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/loop_body.h"

#include <assert.h>
#include <stdlib.h>

/* --- views --- */

/* Whether an index occurs twice. */
static bool has_diagonal(const struct index_list *list)
{
    bool has = false;
    for (int d = 0; d < list->n; d++)
        has = has || index_list_count(list, list->index[d]) > 1;
    return has;
}

/* The order of a view: what is summed over first, by its number, and then as in C: products pack neighbours
 * in C together. A diagonal stays as it is. */
static struct index_list order_of_view(const struct contraction_indices *indices,
                                       const struct index_list *own)
{
    struct index_list order = {0};
    if (has_diagonal(own))
        return *own;
    for (int x = 0; x < MAX_INDICES; x++)
        if (index_list_count(own, x) > 0 && index_list_count(&indices->C, x) == 0)
            index_list_append(&order, x);
    for (int d = 0; d < indices->C.n; d++)
        if (index_list_count(own, indices->C.index[d]) > 0)
            index_list_append(&order, indices->C.index[d]);
    return order;
}

/* Whether the factor is a matrix, of rows or columns of C and what is summed over, and the other one, too. */
static bool is_matrix(const struct contraction_indices *indices, const struct index_list *own)
{
    return !has_diagonal(own) && indices->group[ROLE_BATCH].n == 0 &&
           indices->group[ROLE_ROW].n > 0 && indices->group[ROLE_COLUMN].n > 0 &&
           indices->group[ROLE_SUMMED].n > 0;
}

/* The form of a view: panels where products of matrices read it again and again. */
static enum factor_form form_of_view(const struct contraction_indices *indices,
                                     const struct index_list *own)
{
    if (!is_matrix(indices, own))
        return BY_STRIDES;
    int nearest = indices->C.index[indices->C.n - 1];
    return index_list_count(own, nearest) > 0 ? ROW_PANELS : COLUMN_PANELS;
}

/* How the step reads a factor that is stored, of these blocks. */
static struct factor_view view_of(const struct contraction_indices *indices,
                                  const struct index_list *own, const struct block_index *blocks)
{
    return (struct factor_view){.blocks = blocks,
                                .order = order_of_view(indices, own),
                                .form = form_of_view(indices, own),
                                .n_summed = indices->group[ROLE_SUMMED].n};
}

/* --- steps and local tensors --- */

static enum status init_step(struct loop_body *body, int s)
{
    const struct tile_loop_step *step = &body->loop->steps[s];
    struct block_pairs *pairs = &body->pairs[s];
    bool is_fixed[MAX_INDICES];
    const bool local[] = {step->local[CONTRACTION_A] >= 0, step->local[CONTRACTION_B] >= 0};
    for (int x = 0; x < MAX_INDICES; x++)
        is_fixed[x] = step->loop_index[x] >= 0;
    body->problems[s] = step->problem;
    assert(!step->labels[CONTRACTION_A].symmetry && !step->labels[CONTRACTION_B].symmetry);
    TRY(block_pairs_init(&body->problems[s], is_fixed, local, pairs));
    if (pairs->A)
        body->views[s][0] = view_of(&pairs->indices, &pairs->indices.A, pairs->A);
    if (pairs->B)
        body->views[s][1] = view_of(&pairs->indices, &pairs->indices.B, pairs->B);
    return STATUS_OK;
}

/* A local tensor's places count as indices of its own. */
static enum status init_local(const struct tile_loop_local *from, struct open_tiles *local)
{
    struct index_list places = {0};
    bool is_known[MAX_INDICES] = {false};
    for (int d = 0; d < from->labels.rank; d++) {
        index_list_append(&places, d);
        is_known[d] = from->loop_index[d] >= 0;
    }
    return open_tiles_init(&from->labels, &places, is_known, local);
}

enum status loop_body_init(const struct tile_loop *loop, struct loop_body *body)
{
    size_t n_steps = (size_t)loop->n_steps + 1;
    *body = (struct loop_body){.loop = loop};
    body->problems = calloc(n_steps, sizeof *body->problems);
    body->pairs = calloc(n_steps, sizeof *body->pairs);
    body->views = calloc(n_steps, sizeof *body->views);
    body->locals = calloc((size_t)loop->n_locals + 1, sizeof *body->locals);
    body->fills = calloc((size_t)loop->n_locals + 1, sizeof *body->fills);
    TRY(CHECK_MEMORY(body->problems && body->pairs && body->views && body->locals && body->fills,
                     "no memory for a loop over tiles"));
    for (int t = 0; t < loop->n_locals; t++)
        TRY(init_local(&loop->locals[t], &body->locals[t]));
    for (int s = 0; s < loop->n_steps; s++)
        TRY(init_step(body, s));
    return STATUS_OK;
}

void loop_body_fini(struct loop_body *body)
{
    for (int s = 0; body->pairs && s < body->loop->n_steps; s++)
        block_pairs_fini(&body->pairs[s]);
    for (int t = 0; body->locals && t < body->loop->n_locals; t++)
        open_tiles_fini(&body->locals[t]);
    free(body->problems);
    free(body->pairs);
    free(body->views);
    free(body->locals);
    free(body->fills);
}

/* --- walks --- */

void local_walk_begin(const struct loop_body *body, int local, const int32_t tuple[],
                      struct local_walk *walk)
{
    const struct tile_loop_local *tensor = &body->loop->locals[local];
    *walk = (struct local_walk){.tiles = &body->locals[local]};
    for (int d = 0; d < tensor->labels.rank; d++)
        if (tensor->loop_index[d] >= 0)
            walk->at[d] = tuple[tensor->loop_index[d]];
    walk->blocks = open_tiles_find(walk->tiles, walk->at);
}

bool local_walk_next(struct local_walk *walk)
{
    if (!walk->blocks || walk->next == block_index_n(walk->blocks))
        return false;
    open_tiles_step(walk->tiles, walk->blocks, walk->next++, walk->at);
    return true;
}

int64_t local_walk_size(const struct local_walk *walk)
{
    const struct block_labels *labels = walk->tiles->labels;
    int64_t size = 1;
    for (int d = 0; d < labels->rank; d++)
        size *= index_space_tile_size(labels->space[d], walk->at[d]);
    return size;
}

void loop_pairs_begin(const struct loop_body *body, int s, const int32_t tuple[],
                      const int32_t at[], enum pair_wants wants, struct pair_walk *pairs)
{
    const struct tile_loop_step *step = &body->loop->steps[s];
    const struct index_list *of_C = &body->pairs[s].indices.C;
    int32_t tile[MAX_INDICES] = {0};
    for (int x = 0; x < MAX_INDICES; x++)
        if (step->loop_index[x] >= 0)
            tile[x] = tuple[step->loop_index[x]];
    for (int d = 0; d < of_C->n; d++)
        tile[of_C->index[d]] = at[d];
    pair_walk_begin(&body->pairs[s], tile, wants, pairs);
}

struct task_cost loop_body_cost(const struct loop_body *body, const int32_t tuple[])
{
    struct task_cost cost = {0};
    for (int s = 0; s < body->loop->n_steps; s++) {
        struct local_walk blocks;
        struct pair_walk pairs;
        local_walk_begin(body, body->loop->steps[s].local[CONTRACTION_C], tuple, &blocks);
        while (local_walk_next(&blocks)) {
            cost.elements += (double)local_walk_size(&blocks);
            loop_pairs_begin(body, s, tuple, blocks.at, PAIR_TILES, &pairs);
            while (pair_walk_next(&pairs))
                block_pairs_add_cost(&body->pairs[s], pairs.tile, &cost);
        }
    }
    return cost;
}
