/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tile_loop/loop_worker_private.h"

#include "support/base/integers.h"
#include "support/mpi/wall_time.h"

#include <stdlib.h>

static enum status begin_locals(struct loop_worker *worker)
{
    return loop_locals_begin(worker->body.problem, worker->body.fills, &worker->at, worker->buffers,
                             worker->locals);
}

static enum status run_steps(struct loop_worker *worker, int first, int end, double scalars[])
{
    for (int s = first; s < end;) {
        const struct loop_sum *sum = loop_sums_find(worker->body.sums, s);
        TRY(sum ? loop_worker_run_sum(worker, sum) : loop_worker_run_step(worker, s, scalars));
        s = sum ? sum->end : s + 1;
    }
    return STATUS_OK;
}

static struct value_range whole_range(const struct loop_worker *worker)
{
    const struct tile_loop_problem *problem = worker->body.problem;
    struct value_range range = {{0}, {0}};
    for (int i = 0; i < problem->tuples.n; i++)
        range.extent[i] = index_space_tile_size(problem->space[i], worker->at.tuple[i]);
    return range;
}

/* The next slice of the tuple; false after the last. */
static bool next_slice(struct loop_worker *worker, const struct value_range *whole)
{
    const struct tile_loop_problem *problem = worker->body.problem;
    struct value_range *range = &worker->at.range;
    for (int i = problem->tuples.n - 1; i >= 0; i--) {
        bool more = range->first[i] + range->extent[i] < whole->extent[i];
        range->first[i] = more ? range->first[i] + range->extent[i] : 0;
        range->extent[i] = min_int64(whole->extent[i] - range->first[i], problem->slice[i]);
        if (more)
            return true;
    }
    return false;
}

/* Whether a sliced step replaces what steps before it added to a scalar. */
static bool is_replaced_in_slices(const struct loop_worker *worker, int scalar)
{
    const struct tile_loop_problem *problem = worker->body.problem;
    for (int s = problem->first_sliced; s < problem->n_steps; s++)
        if (worker->body.steps[s].scalar == scalar && !problem->steps[s].add)
            return true;
    return false;
}

/* Runs the steps for a slice and adds what they make to scalars. */
static enum status run_slice(struct loop_worker *worker, double scalars[])
{
    const struct tile_loop_problem *problem = worker->body.problem;
    for (int i = 0; i < worker->body.n_scalars; i++)
        worker->of_slice[i] = 0;
    TRY(begin_locals(worker));
    TRY(run_steps(worker, problem->first_sliced, problem->n_steps, worker->of_slice));
    for (int i = 0; i < worker->body.n_scalars; i++)
        scalars[i] += worker->of_slice[i];
    return STATUS_OK;
}

static enum status run_slices(struct loop_worker *worker, double scalars[])
{
    const struct tile_loop_problem *problem = worker->body.problem;
    const struct value_range whole = worker->at.range;
    for (int i = 0; i < worker->body.n_scalars; i++)
        if (is_replaced_in_slices(worker, i))
            scalars[i] = 0;
    for (int i = 0; i < problem->tuples.n; i++)
        if (problem->slice[i] < whole.extent[i])
            worker->at.range.extent[i] = problem->slice[i];
    worker->at.in_slice = true;
    do
        TRY(run_slice(worker, scalars));
    while (next_slice(worker, &whole));
    return STATUS_OK;
}

static enum status run_loop_steps(struct loop_worker *worker, double scalars[])
{
    const struct tile_loop_problem *problem = worker->body.problem;
    TRY(loop_product_lists_find(&worker->lists, worker->at.tuple, &worker->at.products));
    worker->at.in_slice = false;
    worker->at.range = whole_range(worker);
    TRY(begin_locals(worker));
    TRY(run_steps(worker, 0, problem->first_sliced, scalars));
    return problem->first_sliced < problem->n_steps ? run_slices(worker, scalars) : STATUS_OK;
}

enum status loop_worker_run(struct loop_worker *worker, const int32_t tuple[], double scalars[])
{
    enum wall_use use = wall_time_begin(WALL_ALGEBRA);
    worker->at.tuple = tuple;
    for (int i = 0; i < worker->body.n_scalars; i++)
        scalars[i] = 0;
    enum status status = run_loop_steps(worker, scalars);
    wall_time_end(use);
    return status;
}

/* --- creation --- */

int64_t loop_worker_bytes(void)
{
    return product_scratch_bytes();
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
    made->lists.problem = body->problem;
    made->locals = calloc((size_t)body->problem->n_tensors + 1, sizeof *made->locals);
    made->of_slice = calloc((size_t)body->n_scalars + 1, sizeof *made->of_slice);
    made->is_image = calloc((size_t)body->problem->n_steps + 1, sizeof *made->is_image);
    made->kept = calloc(2 * (size_t)body->problem->n_steps + 1, sizeof *made->kept);
    bool complete = made->locals && made->of_slice && made->is_image && made->kept;
    TRY(CHECK_MEMORY(complete, "no memory for a loop over tiles"));
    TRY(product_scratch_create(made->buffers, &made->scratch));
    made->operands = (struct loop_operands){
        .body = &made->body, .buffers = made->buffers, .locals = made->locals, .at = &made->at};
    return loop_operands_create_views(&made->operands, settings->cache_bytes);
}

void loop_worker_destroy(struct loop_worker *worker)
{
    if (!worker)
        return;
    loop_views_destroy(worker->operands.views);
    product_scratch_destroy(worker->buffers, worker->scratch);
    loop_product_lists_fini(&worker->lists);
    for (int t = 0; worker->locals && t < worker->body.problem->n_tensors; t++)
        local_tensor_fini(&worker->locals[t], worker->buffers);
    free(worker->locals);
    free(worker->of_slice);
    free(worker->is_image);
    free(worker->kept);
    free(worker);
}
