/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/plan/tile_choice.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Operations of DGEMM in the time that a product of blocks takes besides them. */
#define PRODUCT_FLOPS 1e5

/* Elements of a result, and of a factor, that caches hold: of a block as large as that half is taken to be
 * there when it is added to, or when it is packed for multiplication after it arrived. */
#define RESULT_ELEMENTS (128 * 1024)
#define FACTOR_ELEMENTS (256 * 1024)

/* Elements of a line of the cache: a run of neighbours costs one more. */
enum { LINE_ELEMENTS = 8 };

/* Processes that a contraction should keep busy. */
enum { WORKERS = 4 };

/* A space as it would be cut. */
struct space_cut {
    int64_t tile;  /* values at most */
    double mean;   /* values in a tile, over all runs of labels */
    bool fixed;    /* by the program */
    int64_t least; /* a smaller tile would make more tiles than all spaces may have */
    int64_t next;  /* a smaller tile, and what it saves */
    double gain;
    bool stale; /* that is of other tiles than now */
};

struct tile_choice {
    const struct plan *plan;
    struct space_cut *cuts; /* plan->program->n_spaces */
    /* The steps that have space i: those at [begin[i], begin[i + 1]). */
    int *begin;
    const struct plan_step **steps;
};

/* The space of an index of a step. */
static int space_of_step_index(const struct tile_choice *choice, const struct plan_step *step,
                               int index)
{
    return choice->plan->program->indices[step->name[index]].space;
}

static void set_tile(const struct tile_choice *choice, int space, int64_t tile)
{
    const struct index_space *whole = choice->plan->spaces.spaces[space].space;
    struct space_cut *cut = &choice->cuts[space];
    cut->tile = tile;
    int64_t n_tiles = 0;
    for (int32_t run = 0; run < whole->n_tiles; run++)
        n_tiles += (index_space_tile_size(whole, run) + tile - 1) / tile;
    cut->mean = (double)whole->size / (double)n_tiles;
}

/* --- the model --- */

/* Operations of DGEMM in the time in which a block's elements are read or written. */
static double move_flops(const struct tile_choice *choice, const struct plan_step *step,
                         const struct plan_operand *operand, double *elements)
{
    int rank = choice->plan->tensors[operand->tensor].labels.rank;
    double run = 1;
    *elements = 1;
    for (int d = 0; d < rank; d++) {
        run = choice->cuts[space_of_step_index(choice, step, operand->index[d])].mean;
        *elements *= run;
    }
    return PLAN_MOVE_FLOPS * *elements * (1 + LINE_ELEMENTS / run);
}

/* The fraction of a block that a cache does not hold. */
static double fraction_beyond(double elements, double cache)
{
    return elements / (elements + cache);
}

static double factor_flops(const struct tile_choice *choice, const struct plan_step *step,
                           const struct plan_operand *factor)
{
    double elements, flops = move_flops(choice, step, factor, &elements);
    return flops * (1 + fraction_beyond(elements, FACTOR_ELEMENTS));
}

/* A product of two blocks without its multiplications. */
static double block_product_flops(const struct tile_choice *choice, const struct plan_step *step)
{
    double elements, added = move_flops(choice, step, &step->C, &elements);
    double flops = PRODUCT_FLOPS + added * fraction_beyond(elements, RESULT_ELEMENTS) +
                   factor_flops(choice, step, &step->A);
    return step->B.tensor >= 0 ? flops + factor_flops(choice, step, &step->B) : flops;
}

/* Blocks that labels allow, in the mean over all tuples of tiles. */
static double mean_blocks_of(const struct tile_choice *choice, const struct plan_step *step,
                             const struct plan_operand *operand)
{
    const struct plan_tensor *tensor = &choice->plan->tensors[operand->tensor];
    double n = tensor->elements;
    for (int d = 0; d < tensor->labels.rank; d++)
        n /= choice->cuts[space_of_step_index(choice, step, operand->index[d])].mean;
    return n < 1 ? 1 : n;
}

/* The tasks of a scalar are blocks of A. */
static double mean_tasks_of(const struct tile_choice *choice, const struct plan_step *step)
{
    bool scalar = choice->plan->tensors[step->C.tensor].labels.rank == 0;
    return mean_blocks_of(choice, step, scalar ? &step->A : &step->C);
}

static double step_cost(const struct tile_choice *choice, const struct plan_step *step)
{
    double n_products = step->flops / (step->B.tensor >= 0 ? 2 : 1);
    for (int x = 0; x < MAX_INDICES; x++)
        if (step->name[x] >= 0)
            n_products /= choice->cuts[space_of_step_index(choice, step, x)].mean;
    double flops = step->flops + n_products * block_product_flops(choice, step);
    return flops * (1 + WORKERS / mean_tasks_of(choice, step));
}

/* --- the search --- */

/* Of the steps that have the space. */
static double cost_with_space(const struct tile_choice *choice, int space)
{
    double cost = 0;
    for (int s = choice->begin[space]; s < choice->begin[space + 1]; s++)
        cost += step_cost(choice, choice->steps[s]);
    return cost;
}

/* About a quarter more tiles; 0 after the smallest. */
static int64_t smaller_tile(const struct tile_choice *choice, int space, int64_t tile)
{
    int64_t size = choice->plan->spaces.spaces[space].space->max_tile, n = (size + tile - 1) / tile;
    n += n < 4 ? 1 : n / 4;
    int64_t smaller = (size + n - 1) / n;
    smaller = smaller < tile ? smaller : tile - 1;
    return smaller < choice->cuts[space].least ? 0 : smaller;
}

/* What a space's tiles of this length save. */
static double gain_of_tile(const struct tile_choice *choice, int space, int64_t tile)
{
    int64_t now = choice->cuts[space].tile;
    double cost = cost_with_space(choice, space);
    set_tile(choice, space, tile);
    double gain = cost - cost_with_space(choice, space);
    set_tile(choice, space, now);
    return gain;
}

/* The nearest smaller tile that saves anything: the next one may not where only a much smaller block fits into
 * a cache. */
static void find_gain(const struct tile_choice *choice, int space)
{
    struct space_cut *cut = &choice->cuts[space];
    cut->gain = 0;
    cut->stale = false;
    for (int64_t tile = smaller_tile(choice, space, cut->tile); tile > 0 && cut->gain <= 0;
         tile = smaller_tile(choice, space, tile)) {
        cut->next = tile;
        cut->gain = gain_of_tile(choice, space, tile);
    }
}

/* The space whose smaller tiles save most; -1: none saves anything. */
static int find_best_cut(const struct tile_choice *choice)
{
    int best = -1;
    for (int i = 0; i < choice->plan->program->n_spaces; i++) {
        struct space_cut *cut = &choice->cuts[i];
        if (cut->fixed || choice->begin[i] == choice->begin[i + 1])
            continue;
        if (cut->stale)
            find_gain(choice, i);
        if (cut->gain > 0 && (best < 0 || cut->gain > choice->cuts[best].gain))
            best = i;
    }
    return best;
}

/* Gains are other ones for the spaces that meet this one in a step. */
static void mark_stale(const struct tile_choice *choice, int space)
{
    for (int s = choice->begin[space]; s < choice->begin[space + 1]; s++)
        for (int x = 0; x < MAX_INDICES; x++)
            if (choice->steps[s]->name[x] >= 0)
                choice->cuts[space_of_step_index(choice, choice->steps[s], x)].stale = true;
}

/* --- the steps of each space --- */

/* Whether an index of the step that comes first has its space. */
static bool is_first_of_space(const struct tile_choice *choice, const struct plan_step *step,
                              int index)
{
    int space = space_of_step_index(choice, step, index);
    for (int x = 0; x < index; x++)
        if (step->name[x] >= 0 && space_of_step_index(choice, step, x) == space)
            return false;
    return true;
}

/* Counts the steps of each space, or enters them where begin[space] says, which then counts. Steps of loops
 * over tiles are cut for these. */
static void list_steps(const struct tile_choice *choice, bool enter)
{
    for (int s = 0; s < choice->plan->n_steps; s++) {
        const struct plan_step *step = &choice->plan->steps[s];
        for (int x = 0; x < MAX_INDICES && step->loop < 0; x++) {
            if (step->name[x] < 0 || !is_first_of_space(choice, step, x))
                continue;
            int *at = &choice->begin[space_of_step_index(choice, step, x)];
            if (enter)
                choice->steps[*at] = step;
            ++*at;
        }
    }
}

/* From numbers of steps to where each space's begin, and from where they end back to that. */
static void shift_begins(const struct tile_choice *choice, bool sum)
{
    int before = 0;
    for (int i = 0; i <= choice->plan->program->n_spaces; i++) {
        int here = choice->begin[i];
        choice->begin[i] = before;
        before = sum ? before + here : here;
    }
}

/* Spaces without tiles of their own share what tiles of others and runs of labels leave of
 * INDEX_SPACE_MAX_TILES. */
static void set_least_tiles(const struct tile_choice *choice)
{
    const struct label_space *spaces = choice->plan->spaces.spaces;
    int n_spaces = choice->plan->program->n_spaces;
    int64_t left = INDEX_SPACE_MAX_TILES, n_chosen = 0;
    for (int i = 0; i < n_spaces; i++) {
        left -= llround((double)spaces[i].space->size / choice->cuts[i].mean);
        n_chosen += !choice->cuts[i].fixed;
    }
    int64_t more = n_chosen > 0 && left > n_chosen ? left / n_chosen : 1;
    for (int i = 0; i < n_spaces; i++)
        choice->cuts[i].least = (spaces[i].space->size + more - 1) / more;
}

static enum status begin_tile_search(struct tile_choice *choice, const int64_t tile[])
{
    const struct plan *plan = choice->plan;
    size_t n = (size_t)plan->program->n_spaces;
    choice->cuts = calloc(n + 1, sizeof *choice->cuts);
    choice->begin = calloc(n + 1, sizeof *choice->begin);
    choice->steps = calloc((size_t)plan->n_steps * MAX_INDICES + 1, sizeof(struct plan_step *));
    TRY(CHECK_MEMORY(choice->cuts && choice->begin && choice->steps,
                     "no memory for the tiles of %zu spaces", n));
    list_steps(choice, false);
    shift_begins(choice, true);
    list_steps(choice, true);
    shift_begins(choice, false);
    for (int i = 0; i < plan->program->n_spaces; i++) {
        int64_t whole = plan->spaces.spaces[i].space->max_tile;
        choice->cuts[i].fixed = tile[i] > 0;
        choice->cuts[i].stale = true;
        set_tile(choice, i, tile[i] > 0 && tile[i] < whole ? tile[i] : whole);
    }
    set_least_tiles(choice);
    return STATUS_OK;
}

static int64_t chosen_tile(const struct tile_choice *choice, int space)
{
    const struct space_cut *cut = &choice->cuts[space];
    if (choice->begin[space] < choice->begin[space + 1])
        return cut->tile;
    return cut->least > PROGRAM_TILE ? cut->least : PROGRAM_TILE;
}

enum status tile_choice_make(const struct plan *plan, int64_t tile[])
{
    struct tile_choice choice = {.plan = plan};
    enum status status = begin_tile_search(&choice, tile);
    if (status != STATUS_OK)
        goto done;
    for (int i; (i = find_best_cut(&choice)) >= 0;) {
        set_tile(&choice, i, choice.cuts[i].next);
        mark_stale(&choice, i);
    }
    for (int i = 0; i < plan->program->n_spaces; i++)
        if (!choice.cuts[i].fixed)
            tile[i] = chosen_tile(&choice, i);
done:
    free(choice.cuts);
    free(choice.begin);
    free(choice.steps);
    return status;
}
