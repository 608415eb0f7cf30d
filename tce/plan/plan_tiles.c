/* SPDX-License-Identifier: BSD-3-Clause */
/* The pass that chooses tiles: those with the least time of all contractions by a simple model. The time of a
 * contraction of blocks is
 *
 *     (operations + moves + products) (1 + (WORKERS - 1) / 2 tasks)
 *
 * with the seconds of an operation, an element and a product of contraction.h.
 * - Every product of two blocks packs both, and adds to a block of the result. An element costs more where the
 *   tensor's last index is short and where the block is large; less where a cache holds the result. So blocks of
 *   the result are as large as a cache allows, and sums come in few, long pieces.
 * - A task is a block of the result, or a slice of its sum (contraction_slices.h), and some wait for the one that
 *   ends last: so there are many.
 *
 * The search begins with whole spaces. Each step makes the tile smaller that saves most. If no tile
 * saves anything, tiles of one space grow and tiles of another shrink. */
#include "tce/plan/plan.h"
#include "tce/run/contraction_slices.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Elements of a result that caches hold: of a block as large as that half is taken to be there when it is added
 * to. */
#define RESULT_ELEMENTS (128 * 1024)

/* Elements of a factor are also packed for DGEMM: read and written, in short strides, for which a second-level
 * cache is to hold all of them. */
#define PACKING_MOVES   1.5
#define PACKED_ELEMENTS (128 * 1024)

/* Elements of a factor's block with which it costs as much again: a process keeps several of them beside its share of
 * the tensors. */
#define LARGE_ELEMENTS (1024 * 1024)

/* Elements of a line of the cache: a run of neighbours costs one more. */
enum { LINE_ELEMENTS = 8 };

/* Processes that a contraction should keep busy. Of n equal tasks those that run last leave (WORKERS - 1) / 2 of
 * them idle on average, for the time of a task. */
enum { WORKERS = 5 };

/* A choice must save this fraction of the seconds: sums of other orders are rounded otherwise, so that two
 * choices of equal cost could both seem better than the other. */
#define LEAST_GAIN 1e-9

struct tile_search {
    const struct plan *plan;
    int n; /* spaces of the program */
    int64_t *tile;
    bool *fixed;    /* by the program */
    int64_t *least; /* a smaller tile would make more tiles than all spaces may have */
    double *mean;   /* values in a tile, over all runs of labels */
};

/* --- cost --- */

static int space_of_index(const struct tile_search *search, const struct plan_step *step, int index)
{
    return search->plan->program->indices[step->name[index]].space;
}

/* Values in a tile of an index; of n tiles, n (n + 1) / 2 are there of pairs. */
static double mean_of_index(const struct tile_search *search, const struct plan_step *step,
                            int index)
{
    int space = space_of_index(search, step, index);
    double mean = search->mean[space];
    if (step->with[index] < 0)
        return mean;
    double n_tiles = (double)search->plan->spaces.spaces[space].space->size / mean;
    return mean * mean * n_tiles / (n_tiles + 1);
}

static const struct plan_tensor *tensor_of(const struct tile_search *search,
                                           const struct plan_operand *operand)
{
    return &search->plan->tensors[operand->tensor];
}

/* Seconds in which a block's elements are read or written. */
static double move_seconds(const struct tile_search *search, const struct plan_step *step,
                           const struct plan_operand *operand, double *elements)
{
    double run = 1;
    *elements = 1;
    for (int d = 0; d < tensor_of(search, operand)->labels.rank; d++) {
        run = mean_of_index(search, step, operand->index[d]);
        *elements *= run;
    }
    return SECONDS_PER_ELEMENT * *elements * (1 + LINE_ELEMENTS / run);
}

static double factor_seconds(const struct tile_search *search, const struct plan_step *step,
                             const struct plan_operand *factor)
{
    double elements, seconds = move_seconds(search, step, factor, &elements);
    double far = elements > PACKED_ELEMENTS ? 1 - PACKED_ELEMENTS / elements : 0;
    double large = elements / LARGE_ELEMENTS;
    bool packed = step->B.tensor >= 0;
    return seconds * ((packed ? PACKING_MOVES * (1 + far) : 1) + large * large);
}

/* A product of two blocks without its multiplications. */
static double block_product_seconds(const struct tile_search *search, const struct plan_step *step)
{
    double elements, added = move_seconds(search, step, &step->C, &elements);
    double seconds = SECONDS_PER_PRODUCT + added * elements / (elements + RESULT_ELEMENTS) +
                     factor_seconds(search, step, &step->A);
    return step->B.tensor < 0 ? seconds : seconds + factor_seconds(search, step, &step->B);
}

/* Blocks that labels allow, in the mean over all tuples of tiles. */
static double mean_blocks_of(const struct tile_search *search, const struct plan_step *step,
                             const struct plan_operand *operand)
{
    const struct plan_tensor *tensor = tensor_of(search, operand);
    double n = tensor->elements;
    for (int d = 0; d < tensor->labels.rank; d++)
        n /= mean_of_index(search, step, operand->index[d]);
    return n < 1 ? 1 : n;
}

/* The tasks of a scalar are blocks of A; others' are blocks of C, or slices of their sums. */
static double mean_tasks_of(const struct tile_search *search, const struct plan_step *step,
                            double n_products)
{
    const struct plan_tensor *C = tensor_of(search, &step->C), *A = tensor_of(search, &step->A);
    bool has_B = step->B.tensor >= 0;
    if (C->labels.rank == 0)
        return mean_blocks_of(search, step, &step->A);
    double n_blocks = mean_blocks_of(search, step, &step->C);
    const struct sum_shape shape = {
        .n_blocks = n_blocks,
        .n_products = n_products / n_blocks,
        .flops = has_B ? step->flops : 0,
        .elements_C = C->elements,
        .elements_factors = A->elements + (has_B ? tensor_of(search, &step->B)->elements : 0)};
    return n_blocks * contraction_slices_wanted(&shape);
}

static double step_seconds(const struct tile_search *search, const struct plan_step *step)
{
    double n_products = step->flops / (step->B.tensor >= 0 ? 2 : 1);
    for (int x = 0; x < MAX_INDICES; x++)
        if (step->name[x] >= 0)
            n_products /= mean_of_index(search, step, x);
    double seconds =
        SECONDS_PER_FLOP * step->flops + n_products * block_product_seconds(search, step);
    return seconds * (1 + (WORKERS - 1) / (2 * mean_tasks_of(search, step, n_products)));
}

/* Whether a contraction has an index of the space. Steps of loops over tiles are cut for these; packing takes as
 * long with any tiles. */
static bool has_space(const struct tile_search *search, const struct plan_step *step, int space)
{
    bool has = false;
    for (int x = 0; x < MAX_INDICES; x++)
        has = has || (step->name[x] >= 0 && space_of_index(search, step, x) == space);
    return has && step->phase == PLAN_CONTRACT;
}

/* Seconds of the steps that have one of two spaces. */
static double seconds_with(const struct tile_search *search, int i, int j)
{
    double seconds = 0;
    for (int s = 0; s < search->plan->n_steps; s++) {
        const struct plan_step *step = &search->plan->steps[s];
        if (has_space(search, step, i) || (j != i && has_space(search, step, j)))
            seconds += step_seconds(search, step);
    }
    return seconds;
}

/* --- search --- */

static void set_tile(struct tile_search *search, int space, int64_t tile)
{
    const struct index_space *whole = search->plan->spaces.spaces[space].space;
    int64_t n_tiles = 0;
    for (int32_t run = 0; run < whole->n_tiles; run++)
        n_tiles += (index_space_tile_size(whole, run) + tile - 1) / tile;
    search->tile[space] = tile;
    search->mean[space] = (double)whole->size / (double)n_tiles;
}

/* About a quarter more tiles; 0 after the smallest. */
static int64_t smaller_tile(const struct tile_search *search, int space, int64_t tile)
{
    int64_t size = search->plan->spaces.spaces[space].space->max_tile, n = (size + tile - 1) / tile;
    n += n < 4 ? 1 : n / 4;
    int64_t smaller = (size + n - 1) / n;
    smaller = smaller < tile ? smaller : tile - 1;
    return smaller < search->least[space] ? 0 : smaller;
}

/* About a fifth fewer tiles; 0 after the whole space. */
static int64_t larger_tile(const struct tile_search *search, int space, int64_t tile)
{
    int64_t size = search->plan->spaces.spaces[space].space->max_tile, n = (size + tile - 1) / tile;
    if (n == 1)
        return 0;
    n -= n <= 5 ? 1 : n / 5;
    return (size + n - 1) / n;
}

/* Tiles of one or two spaces that save most so far. */
struct tile_move {
    int space[2];
    int64_t tile[2];
    double gain;
};

/* Notes two tiles if they save more; i and j may be equal. */
static void try_move(struct tile_search *search, int i, int64_t tile_i, int j, int64_t tile_j,
                     struct tile_move *best)
{
    int64_t now_i = search->tile[i], now_j = search->tile[j];
    double seconds = seconds_with(search, i, j);
    set_tile(search, i, tile_i);
    set_tile(search, j, tile_j);
    double gain = seconds - seconds_with(search, i, j);
    set_tile(search, i, now_i);
    set_tile(search, j, now_j);
    if (gain > best->gain && gain > LEAST_GAIN * seconds)
        *best = (struct tile_move){{i, j}, {tile_i, tile_j}, gain};
}

/* The nearest smaller tile that saves anything: the next one may not where only a much smaller block fits into
 * a cache. */
static void try_cuts(struct tile_search *search, int space, struct tile_move *best)
{
    struct tile_move nearest = {.gain = 0};
    for (int64_t tile = smaller_tile(search, space, search->tile[space]);
         tile > 0 && nearest.gain == 0; tile = smaller_tile(search, space, tile))
        try_move(search, space, tile, space, tile, &nearest);
    if (nearest.gain > best->gain)
        *best = nearest;
}

static void try_exchange(struct tile_search *search, int larger, int smaller,
                         struct tile_move *best)
{
    int64_t more = larger_tile(search, larger, search->tile[larger]);
    int64_t less = smaller_tile(search, smaller, search->tile[smaller]);
    if (larger != smaller && more > 0 && less > 0)
        try_move(search, larger, more, smaller, less, best);
}

/* Makes the cut that saves most; if none does, the exchange. False: nothing saves anything. */
static bool make_best_move(struct tile_search *search)
{
    struct tile_move best = {.gain = 0};
    for (int i = 0; i < search->n; i++)
        if (!search->fixed[i])
            try_cuts(search, i, &best);
    for (int i = 0; i < search->n && best.gain == 0; i++)
        for (int j = 0; j < search->n && !search->fixed[i]; j++)
            if (!search->fixed[j])
                try_exchange(search, i, j, &best);
    for (int m = 0; m < 2 && best.gain > 0; m++)
        set_tile(search, best.space[m], best.tile[m]);
    return best.gain > 0;
}

static bool is_used(const struct tile_search *search, int space)
{
    for (int s = 0; s < search->plan->n_steps; s++)
        if (has_space(search, &search->plan->steps[s], space))
            return true;
    return false;
}

/* Begins with given tiles and whole spaces. Spaces without tiles of their own share what tiles of others and runs
 * of labels leave of INDEX_SPACE_MAX_TILES. */
static void begin_search(struct tile_search *search, const int64_t tile[])
{
    const struct label_space *spaces = search->plan->spaces.spaces;
    int64_t left = INDEX_SPACE_MAX_TILES, n_chosen = 0;
    for (int i = 0; i < search->n; i++) {
        int64_t whole = spaces[i].space->max_tile;
        set_tile(search, i, tile[i] > 0 && tile[i] < whole ? tile[i] : whole);
        search->fixed[i] = tile[i] > 0;
        n_chosen += !search->fixed[i];
        left -= llround((double)spaces[i].space->size / search->mean[i]);
    }
    int64_t more = n_chosen > 0 && left > n_chosen ? left / n_chosen : 1;
    for (int i = 0; i < search->n; i++)
        search->least[i] = (spaces[i].space->size + more - 1) / more;
}

enum status plan_choose_tiles(const struct plan *plan, int64_t tile[])
{
    size_t n = (size_t)plan->program->n_spaces + 1;
    struct tile_search search = {.plan = plan,
                                 .n = plan->program->n_spaces,
                                 .tile = calloc(n, sizeof *search.tile),
                                 .fixed = calloc(n, sizeof *search.fixed),
                                 .least = calloc(n, sizeof *search.least),
                                 .mean = calloc(n, sizeof *search.mean)};
    enum status status = CHECK_MEMORY(search.tile && search.fixed && search.least && search.mean,
                                      "no memory for the tiles of %d spaces", search.n);
    if (status != STATUS_OK)
        goto done;
    begin_search(&search, tile);
    while (make_best_move(&search))
        ;
    for (int i = 0; i < search.n; i++)
        if (!search.fixed[i])
            tile[i] = is_used(&search, i)              ? search.tile[i]
                      : search.least[i] > PROGRAM_TILE ? search.least[i]
                                                       : PROGRAM_TILE;
done:
    free(search.tile);
    free(search.fixed);
    free(search.least);
    free(search.mean);
    return status;
}
