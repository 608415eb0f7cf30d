/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tensor/permute.h"
#include "tce/tile_loop/loop_worker_private.h"

#include <string.h>

/* Multiplies what is pinned, and releases it. */
static void run_terms(struct loop_worker *worker)
{
    struct sum_terms *terms = &worker->terms;
    if (terms->n > 0)
        dense_products_run(terms->n, terms->products, worker->scratch);
    for (int t = 0; t < terms->n; t++)
        loop_worker_release(worker, terms->step[t], terms->factors[t]);
    terms->n = 0;
    if (worker->polled)
        taskpool_poll(worker->polled);
}

static enum status pin_term(struct loop_worker *worker, int s, const struct loop_product *product,
                            struct product_target *target)
{
    struct sum_terms *terms = &worker->terms;
    int64_t extent[MAX_INDICES];
    if (terms->n == MAX_SUM_TERMS)
        run_terms(worker);
    struct pinned_block *factors = terms->factors[terms->n];
    loop_worker_set_extents(worker, s, product, extent);
    enum status status = loop_worker_pin(worker, s, product, extent, factors);
    if (status != STATUS_OK) {
        loop_worker_release(worker, s, factors);
        return status;
    }
    loop_worker_set_product(&worker->body.steps[s], extent, factors, target,
                            &terms->products[terms->n]);
    terms->step[terms->n++] = s;
    target->add = true;
    return STATUS_OK;
}

/* A block of the sum. is_image: of the sum's steps, those to leave out */
static enum status sum_block(struct loop_worker *worker, const struct loop_sum *sum, int block,
                             const bool is_image[])
{
    const struct loop_products *products = worker->at.products;
    const struct tile_loop_step *first = &worker->body.problem->steps[sum->first];
    const struct local_tensor *local = &worker->locals[first->tensor[LOOP_C]];
    struct product_target target = {.elements = local->elements + local->offsets[block],
                                    .add = first->add};
    for (int i = 0; i < sum->end - sum->first; i++) {
        int s = sum->first + sum->order[i];
        const struct loop_target *of_step = &products->targets[products->first_target[s] + block];
        for (int p = of_step->first; p < of_step->end && !is_image[sum->order[i]]; p++)
            TRY(pin_term(worker, s, &products->products[p], &target));
    }
    run_terms(worker);
    if (!target.add)
        loop_worker_clear_target(worker, sum->first,
                                 &products->targets[products->first_target[sum->first] + block],
                                 target.elements);
    return STATUS_OK;
}

/* --- images --- */

static int find_local_block(const struct local_blocks *blocks, int rank, const int32_t tiles[])
{
    int b = 0;
    while (b < blocks->n && memcmp(blocks->at[b], tiles, (size_t)rank * sizeof tiles[0]) != 0)
        b++;
    return b;
}

/* Adds the image of one of the blocks of `from` to a block of a local tensor: element x of it is
 * from[x_p(0), x_p(1), ...]. */
static void add_image(const struct loop_worker *worker, int tensor, int block,
                      const struct sum_permutation *permutation, const double *from)
{
    const struct tile_loop_tensor *of = &worker->body.problem->tensors[tensor];
    const struct local_blocks *blocks = &worker->at.products->locals[tensor];
    const struct local_tensor *local = &worker->locals[tensor];
    const int rank = of->labels.rank, *place = permutation->place;
    struct permute_shape shape = {.rank = rank};
    int32_t tiles[MAX_RANK];
    int64_t stride = 1;
    loop_local_extents(&worker->at, of, blocks->at[block], shape.extent);
    for (int d = 0; d < rank; d++)
        tiles[d] = blocks->at[block][place[d]];
    for (int d = rank - 1; d >= 0; d--) {
        shape.stride[place[d]] = stride;
        stride *= shape.extent[place[d]];
    }
    int source = find_local_block(blocks, rank, tiles);
    if (source < blocks->n)
        permute(&shape, permutation->sign, from + local->offsets[source], true,
                local->elements + local->offsets[block]);
}

/* Replaces a local tensor of a whole tuple by the sum of itself and of its images under the first n kept
 * permutations of its places, signs included. */
static enum status add_kept_images(const struct loop_worker *worker, const struct loop_sum *sum,
                                   int tensor, int n)
{
    const struct local_tensor *local = &worker->locals[tensor];
    if (n == 0 || local->size == 0)
        return STATUS_OK;
    double *from = block_buffers_take(worker->buffers, local->size);
    TRY(CHECK_MEMORY(from, "no memory for local tensor %s: take smaller tiles for its loop",
                     worker->body.problem->tensors[tensor].name));
    memcpy(from, local->elements, (size_t)local->size * sizeof *from);
    for (int i = 0; i < n; i++)
        for (int block = 0; block < worker->at.products->locals[tensor].n; block++)
            add_image(worker, tensor, block, &sum->permutations[worker->kept[i]], from);
    block_buffers_give_back(worker->buffers, from);
    return STATUS_OK;
}

/* --- the sum --- */

enum status loop_worker_run_sum(struct loop_worker *worker, const struct loop_sum *sum)
{
    const struct tile_loop_problem *problem = worker->body.problem;
    int tensor = problem->steps[sum->first].tensor[LOOP_C], n_kept = 0;
    const struct local_blocks *blocks = &worker->at.products->locals[tensor];
    bool *is_image = worker->is_image;
    loop_sum_choose(problem, sum, worker->at.tuple, &n_kept, worker->kept, is_image);
    for (int block = 0; block < blocks->n; block++) {
        enum status status = sum_block(worker, sum, block, is_image);
        if (status != STATUS_OK) {
            run_terms(worker);
            return status;
        }
    }
    return add_kept_images(worker, sum, tensor, n_kept);
}
