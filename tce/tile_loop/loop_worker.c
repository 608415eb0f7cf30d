/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tile_loop/loop_worker.h"

#include "support/mpi/wall_time.h"
#include "tce/contraction/contraction_matrix.h"
#include "tce/tensor/block_buffers.h"
#include "tce/tile_loop/loop_views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A local tensor's blocks of the tuple at hand. */
struct local_tensor {
    double *elements;
    int64_t capacity;
    int64_t size; /* of all blocks */
    int n_blocks, block_capacity;
    int64_t *numbers, *offsets; /* n_blocks; ascending, and n_blocks + 1 */
};

struct loop_worker {
    struct loop_body body;
    struct block_buffers *buffers;
    struct local_tensor *locals; /* n_tensors */
    struct loop_views *views;    /* source 2 s: A of step s, 2 s + 1: B */
    struct taskpool *polled;
    double *norms; /* of the run, or NULL */
};

/* --- walks --- */

void block_walk_begin(const struct block_labels *labels, const int loop_index[],
                      const int32_t tuple[], struct block_walk *walk)
{
    *walk = (struct block_walk){.labels = labels};
    for (int d = 0; d < labels->rank; d++) {
        walk->fixed[d] = loop_index[d] >= 0;
        walk->at[d] = walk->fixed[d] ? tuple[loop_index[d]] : 0;
    }
}

bool block_walk_next(struct block_walk *walk)
{
    if (!walk->begun) {
        walk->begun = true;
        return true;
    }
    for (int d = walk->labels->rank - 1; d >= 0; d--) {
        if (walk->fixed[d])
            continue;
        if (++walk->at[d] < walk->labels->space[d]->n_tiles)
            return true;
        walk->at[d] = 0;
    }
    return false;
}

void loop_step_places(const struct tile_loop_step *step, bool scalar, int loop_index[MAX_RANK])
{
    enum loop_operand operand = scalar ? LOOP_A : LOOP_C;
    for (int d = 0; d < step->labels[operand].rank; d++)
        loop_index[d] = step->loop_index[step->index[operand][d]];
}

bool loop_step_is_here(const struct tile_loop_step *step, const struct block_pair *pair,
                       const int32_t tuple[])
{
    for (int operand = LOOP_A; operand < N_LOOP_OPERANDS; operand++)
        for (int d = 0; step->tensor[operand] >= 0 && d < step->labels[operand].rank; d++) {
            int index = step->index[operand][d], of_loop = step->loop_index[index];
            if (of_loop >= 0 && pair->tile[index] != tuple[of_loop])
                return false;
        }
    return true;
}

/* --- local tensors --- */

static enum status no_memory_for_local(const struct tile_loop_tensor *tensor)
{
    return FAIL(STATUS_NO_MEMORY, "no memory for local tensor %s: take smaller tiles for its loop",
                tensor->name);
}

static enum status reserve_local_blocks(const struct tile_loop_tensor *tensor,
                                        struct local_tensor *local)
{
    int n = 2 * local->block_capacity + 16;
    if (local->n_blocks < local->block_capacity)
        return STATUS_OK;
    int64_t *numbers = realloc(local->numbers, (size_t)n * sizeof *numbers);
    local->numbers = numbers ? numbers : local->numbers;
    int64_t *offsets = realloc(local->offsets, ((size_t)n + 1) * sizeof *offsets);
    local->offsets = offsets ? offsets : local->offsets;
    if (!numbers || !offsets)
        return no_memory_for_local(tensor);
    local->block_capacity = n;
    return STATUS_OK;
}

static enum status reserve_local_elements(struct loop_worker *worker,
                                          const struct tile_loop_tensor *tensor, int64_t n,
                                          struct local_tensor *local)
{
    if (n <= local->capacity)
        return STATUS_OK;
    block_buffers_give_back(worker->buffers, local->elements);
    local->elements = block_buffers_take(worker->buffers, n);
    local->capacity = local->elements ? n : 0;
    return local->elements ? STATUS_OK : no_memory_for_local(tensor);
}

/* Lists the tensor's blocks of the tuple. */
static enum status lay_out_local(struct loop_worker *worker, int number, const int32_t tuple[])
{
    const struct tile_loop_tensor *tensor = &worker->body.problem->tensors[number];
    const struct block_index *blocks = worker->body.blocks[number];
    struct local_tensor *local = &worker->locals[number];
    struct block_walk walk;
    int64_t size = 0;
    local->n_blocks = 0;
    block_walk_begin(&tensor->labels, tensor->loop_index, tuple, &walk);
    while (block_walk_next(&walk)) {
        int64_t block = block_index_number(blocks, walk.at);
        if (block < 0)
            continue;
        TRY(reserve_local_blocks(tensor, local));
        local->numbers[local->n_blocks] = block;
        local->offsets[local->n_blocks++] = size;
        size += block_index_size(blocks, walk.at);
    }
    local->size = size;
    return reserve_local_elements(worker, tensor, size, local);
}

static double *find_local_block(const struct local_tensor *local, int64_t block)
{
    int low = 0, high = local->n_blocks - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (local->numbers[middle] < block)
            low = middle + 1;
        else
            high = middle;
    }
    return local->elements + local->offsets[low];
}

static void fill_local(struct loop_worker *worker, int number)
{
    const struct tile_loop_tensor *tensor = &worker->body.problem->tensors[number];
    const struct tile_fill *fill = &worker->body.fills[number];
    const struct local_tensor *local = &worker->locals[number];
    for (int b = 0; b < local->n_blocks; b++) {
        int64_t first[MAX_RANK], extent[MAX_RANK];
        int32_t tile[MAX_RANK];
        block_index_tuple(worker->body.blocks[number], local->numbers[b], tile);
        for (int d = 0; d < tensor->labels.rank; d++) {
            first[d] = tensor->labels.space[d]->first[tile[d]];
            extent[d] = index_space_tile_size(tensor->labels.space[d], tile[d]);
        }
        fill->fill(tensor->labels.rank, first, extent, local->elements + local->offsets[b],
                   fill->context);
    }
}

static double find_norm(int64_t n, const double *elements)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += elements[i] * elements[i];
    return sqrt(sum);
}

/* The norms of what is filled; of what is made, zeros. */
static void begin_norms(struct loop_worker *worker)
{
    for (int t = 0; worker->norms && t < worker->body.problem->n_tensors; t++) {
        const struct local_tensor *local = &worker->locals[t];
        worker->norms[t] = worker->body.fills[t].fill ? find_norm(local->size, local->elements) : 0;
    }
}

static enum status begin_locals(struct loop_worker *worker, const int32_t tuple[])
{
    for (int t = 0; t < worker->body.problem->n_tensors; t++) {
        if (!worker->body.problem->tensors[t].local)
            continue;
        TRY(lay_out_local(worker, t, tuple));
        if (worker->body.fills[t].fill)
            fill_local(worker, t);
    }
    return STATUS_OK;
}

/* --- operands --- */

/* A block as a matrix, in the order of the layout. */
struct pinned {
    const double *matrix, *elements; /* as a matrix, and as it lies in the tensor or its view */
    double *packed;                  /* scratch of its own; NULL: none */
    bool is_view;
};

/* Whether a view can have the layout's order: each index once, none summed on the way. */
static bool can_reorder(const struct matrix_layout *layout)
{
    return layout->packed && layout->order.n == layout->own.n;
}

static const struct matrix_layout *layout_of(const struct loop_step_tasks *step,
                                             enum loop_operand operand)
{
    return operand == LOOP_A ? &step->tasks.indices.A : &step->tasks.indices.B;
}

static enum status pack_operand(struct loop_worker *worker, const struct matrix_layout *layout,
                                const int64_t extent[MAX_INDICES], const double *elements,
                                struct pinned *pinned)
{
    int64_t size = 1;
    for (int d = 0; d < layout->order.n; d++)
        size *= extent[layout->order.index[d]];
    pinned->packed = block_buffers_take(worker->buffers, size);
    TRY(CHECK_MEMORY(pinned->packed, "no memory for a block of a loop over tiles"));
    contraction_pack(&layout->own, &layout->order, extent, 1, elements, false, pinned->packed);
    pinned->matrix = pinned->packed;
    return STATUS_OK;
}

static enum status pin_operand(struct loop_worker *worker, int s, enum loop_operand operand,
                               int64_t block, const int64_t extent[MAX_INDICES],
                               struct pinned *pinned)
{
    const struct loop_step_tasks *step = &worker->body.steps[s];
    const struct matrix_layout *layout = layout_of(step, operand);
    int tensor = worker->body.problem->steps[s].tensor[operand];
    const double *elements;
    *pinned = (struct pinned){.is_view = !worker->body.problem->tensors[tensor].local};
    if (pinned->is_view)
        TRY(loop_views_pin(worker->views, 2 * s + (operand == LOOP_B), block, &elements));
    else
        elements = find_local_block(&worker->locals[tensor], block);
    pinned->matrix = pinned->elements = elements;
    bool in_order =
        !step->problem.has_B || !layout->packed || (pinned->is_view && can_reorder(layout));
    return in_order ? STATUS_OK : pack_operand(worker, layout, extent, elements, pinned);
}

static void release_operand(struct loop_worker *worker, int s, enum loop_operand operand,
                            int64_t block, const struct pinned *pinned)
{
    block_buffers_give_back(worker->buffers, pinned->packed);
    if (pinned->is_view && pinned->matrix)
        loop_views_release(worker->views, 2 * s + (operand == LOOP_B), block);
}

/* --- steps --- */

/* Where a step's products go. */
struct product_target {
    double *elements;
    bool add; /* to what is there */
};

static void multiply_operands(const struct loop_step_tasks *step, const int64_t extent[MAX_INDICES],
                              const double *A, const double *B, struct product_target *target)
{
    const struct contraction_indices *indices = &step->tasks.indices;
    if (step->problem.has_B)
        contraction_multiply(indices, extent, step->problem.factor, A, B, target->add,
                             target->elements);
    else
        contraction_pack(&indices->A.order, &indices->C.own, extent, step->problem.factor, A,
                         target->add, target->elements);
    target->add = true;
}

/* The norm of a factor: of a local one, what it is made of. */
static double norm_of_factor(const struct loop_worker *worker, int s, enum loop_operand operand,
                             const int64_t extent[MAX_INDICES], const struct pinned *pinned)
{
    const struct tile_loop_step *step = &worker->body.problem->steps[s];
    int tensor = step->tensor[operand];
    int64_t size = 1;
    if (worker->body.problem->tensors[tensor].local)
        return worker->norms[tensor];
    for (int d = 0; d < step->labels[operand].rank; d++)
        size *= extent[step->index[operand][d]];
    return find_norm(size, pinned->elements);
}

static void note_norm(const struct loop_worker *worker, int s, const int64_t extent[MAX_INDICES],
                      const struct pinned *A, const struct pinned *B)
{
    const struct tile_loop_step *step = &worker->body.problem->steps[s];
    double norm = fabs(step->factor) * norm_of_factor(worker, s, LOOP_A, extent, A);
    if (step->tensor[LOOP_B] >= 0)
        norm *= norm_of_factor(worker, s, LOOP_B, extent, B);
    worker->norms[step->tensor[LOOP_C]] += norm;
}

static enum status add_product(struct loop_worker *worker, int s, const struct block_pair *pair,
                               const int64_t extent[MAX_INDICES], struct product_target *target)
{
    const struct loop_step_tasks *step = &worker->body.steps[s];
    struct pinned A = {0}, B = {0};
    enum status status = pin_operand(worker, s, LOOP_A, pair->block_A, extent, &A);
    if (status != STATUS_OK)
        goto done;
    if (step->problem.has_B)
        status = pin_operand(worker, s, LOOP_B, pair->block_B, extent, &B);
    if (status != STATUS_OK)
        goto done;
    multiply_operands(step, extent, A.matrix, B.matrix, target);
    if (worker->norms)
        note_norm(worker, s, extent, &A, &B);
    if (worker->polled)
        taskpool_poll(worker->polled);
done:
    if (step->problem.has_B)
        release_operand(worker, s, LOOP_B, pair->block_B, &B);
    release_operand(worker, s, LOOP_A, pair->block_A, &A);
    return status;
}

static void set_extents(const struct contraction_indices *indices, const struct block_pair *pair,
                        int64_t extent[MAX_INDICES])
{
    for (int x = 0; x < MAX_INDICES; x++)
        extent[x] = indices->space[x] ? index_space_tile_size(indices->space[x], pair->tile[x]) : 1;
}

/* All products of a block of C, or of a scalar those with a block of A. */
static enum status add_products(struct loop_worker *worker, int s, const int32_t at[],
                                const int32_t tuple[], struct product_target *target)
{
    const struct loop_step_tasks *step = &worker->body.steps[s];
    struct pair_walk walk;
    pair_walk_begin(&step->tasks, at, &walk);
    while (pair_walk_next(&walk)) {
        int64_t extent[MAX_INDICES];
        if (!loop_step_is_here(&worker->body.problem->steps[s], &walk.pair, tuple))
            continue;
        set_extents(&step->tasks.indices, &walk.pair, extent);
        TRY(add_product(worker, s, &walk.pair, extent, target));
    }
    return STATUS_OK;
}

/* The block of a local tensor, by way of a matrix where it is packed. */
static enum status run_local_block(struct loop_worker *worker, int s, const int32_t at[],
                                   const int32_t tuple[])
{
    const struct loop_step_tasks *step = &worker->body.steps[s];
    const struct contraction_indices *indices = &step->tasks.indices;
    int number = worker->body.problem->steps[s].tensor[LOOP_C];
    double *block =
        find_local_block(&worker->locals[number], block_index_number(step->tasks.C, at));
    int64_t size = block_index_size(step->tasks.C, at), extent[MAX_INDICES];
    bool packed = step->problem.has_B && indices->C.packed;
    struct product_target target = {.elements = block, .add = !packed && step->problem.add};
    if (packed)
        target.elements = block_buffers_take(worker->buffers, size);
    TRY(CHECK_MEMORY(target.elements, "no memory for a product of a loop over tiles"));
    bool before = target.add;
    enum status status = add_products(worker, s, at, tuple, &target);
    bool added = target.add != before || before;
    if (packed && added && status == STATUS_OK) {
        for (int d = 0; d < indices->C.own.n; d++) {
            int index = indices->C.own.index[d];
            extent[index] = index_space_tile_size(indices->space[index], at[d]);
        }
        contraction_pack(&indices->C.order, &indices->C.own, extent, 1, target.elements,
                         step->problem.add, block);
    }
    if (!added && !step->problem.add)
        memset(block, 0, (size_t)size * sizeof *block);
    if (packed)
        block_buffers_give_back(worker->buffers, target.elements);
    return status;
}

static enum status run_loop_step(struct loop_worker *worker, int s, const int32_t tuple[],
                                 double scalars[])
{
    const struct loop_step_tasks *step = &worker->body.steps[s];
    const struct tile_loop_step *from = &worker->body.problem->steps[s];
    bool scalar = step->scalar >= 0;
    const struct block_index *blocks = scalar ? step->tasks.A : step->tasks.C;
    int loop_index[MAX_RANK];
    struct block_walk walk;
    double value = 0;
    struct product_target target = {.elements = &value};
    loop_step_places(from, scalar, loop_index);
    block_walk_begin(&from->labels[scalar ? LOOP_A : LOOP_C], loop_index, tuple, &walk);
    while (block_walk_next(&walk)) {
        if (block_index_number(blocks, walk.at) < 0)
            continue;
        if (scalar)
            TRY(add_products(worker, s, walk.at, tuple, &target));
        else
            TRY(run_local_block(worker, s, walk.at, tuple));
    }
    if (scalar)
        scalars[step->scalar] += value;
    return STATUS_OK;
}

enum status loop_worker_run(struct loop_worker *worker, const int32_t tuple[], double scalars[],
                            double norms[])
{
    enum wall_use use = wall_time_begin(WALL_ALGEBRA);
    for (int i = 0; i < worker->body.n_scalars; i++)
        scalars[i] = 0;
    enum status status = begin_locals(worker, tuple);
    worker->norms = norms;
    begin_norms(worker);
    for (int s = 0; s < worker->body.problem->n_steps && status == STATUS_OK; s++)
        status = run_loop_step(worker, s, tuple, scalars);
    wall_time_end(use);
    return status;
}

/* --- creation --- */

static enum status create_views(struct loop_worker *worker,
                                const struct contraction_settings *settings)
{
    const struct tile_loop_problem *problem = worker->body.problem;
    struct loop_view_source *sources = calloc(2 * (size_t)problem->n_steps + 1, sizeof *sources);
    TRY(CHECK_MEMORY(sources, "no memory for the tensors of a loop"));
    for (int s = 0; s < problem->n_steps; s++)
        for (int operand = LOOP_A; operand < N_LOOP_OPERANDS; operand++) {
            const struct loop_step_tasks *step = &worker->body.steps[s];
            int tensor = problem->steps[s].tensor[operand];
            bool is_A = operand == LOOP_A;
            if (tensor >= 0 && !problem->tensors[tensor].local)
                sources[2 * s + !is_A] = (struct loop_view_source){
                    .tensor = worker->body.tensors[tensor],
                    .blocks = is_A ? step->tasks.A : step->tasks.B,
                    .layout = layout_of(step, (enum loop_operand)operand),
                    .reordered = step->problem.has_B &&
                                 can_reorder(layout_of(step, (enum loop_operand)operand))};
        }
    enum status status = loop_views_create(2 * problem->n_steps, sources, settings->cache_bytes,
                                           settings->buffers, &worker->views);
    free(sources);
    return status;
}

enum status loop_worker_create(const struct loop_body *body,
                               const struct contraction_settings *settings, struct taskpool *polled,
                               struct loop_worker **worker)
{
    struct loop_worker *made = *worker = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for a loop over tiles"));
    made->body = *body;
    made->buffers = settings->buffers;
    made->polled = polled;
    made->locals = calloc((size_t)body->problem->n_tensors + 1, sizeof *made->locals);
    TRY(CHECK_MEMORY(made->locals, "no memory for a loop over tiles"));
    return create_views(made, settings);
}

void loop_worker_destroy(struct loop_worker *worker)
{
    if (!worker)
        return;
    loop_views_destroy(worker->views);
    for (int t = 0; worker->locals && t < worker->body.problem->n_tensors; t++) {
        block_buffers_give_back(worker->buffers, worker->locals[t].elements);
        free(worker->locals[t].numbers);
        free(worker->locals[t].offsets);
    }
    free(worker->locals);
    free(worker);
}
