/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/plan/tile_choice.h"

#include "tce/plan/tile_cost.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* A space as it would be cut. */
struct space_cut {
    int64_t tile;  /* values at most */
    bool fixed;    /* by the program */
    int64_t least; /* a smaller tile would make more tiles than all spaces may have */
    int64_t next;  /* a smaller tile, and what it saves */
    double gain;
    bool stale; /* that is of other tiles than now */
};

struct tile_choice {
    const struct plan *plan;
    struct space_cut *cuts; /* plan->program->n_spaces */
    double *mean;           /* values in a tile of each, over all runs of labels */
    /* The steps that have space i: those at [begin[i], begin[i + 1]). */
    int *begin;
    const struct plan_step **steps;
};

static int space_of_step_index(const struct tile_choice *choice, const struct plan_step *step,
                               int index)
{
    return tile_cost_space(choice->plan, step, index);
}

static double step_cost(const struct tile_choice *choice, const struct plan_step *step)
{
    const struct tile_means means = {choice->plan, choice->mean};
    return tile_cost_of_step(&means, step);
}

static void set_tile(const struct tile_choice *choice, int space, int64_t tile)
{
    const struct index_space *whole = choice->plan->spaces.spaces[space].space;
    choice->cuts[space].tile = tile;
    int64_t n_tiles = 0;
    for (int32_t run = 0; run < whole->n_tiles; run++)
        n_tiles += (index_space_tile_size(whole, run) + tile - 1) / tile;
    choice->mean[space] = (double)whole->size / (double)n_tiles;
}

/* --- the search --- */

/* Cost of the steps that have the space. */
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

/* About a fifth fewer tiles; 0 after the whole space. */
static int64_t larger_tile(const struct tile_choice *choice, int space, int64_t tile)
{
    int64_t size = choice->plan->spaces.spaces[space].space->max_tile, n = (size + tile - 1) / tile;
    if (n == 1)
        return 0;
    n -= n <= 5 ? 1 : n / 5;
    return (size + n - 1) / n;
}

/* Cost that tiles of this length save in a space. */
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

static bool is_chosen(const struct tile_choice *choice, int space)
{
    return !choice->cuts[space].fixed && choice->begin[space] < choice->begin[space + 1];
}

/* The space whose smaller tiles save most; -1: none saves anything. */
static int find_best_cut(const struct tile_choice *choice)
{
    int best = -1;
    for (int i = 0; i < choice->plan->program->n_spaces; i++) {
        struct space_cut *cut = &choice->cuts[i];
        if (!is_chosen(choice, i))
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

/* --- exchanges --- */

/* An exchange must save this part of what the steps cost: sums of other orders are rounded otherwise, so that two
 * choices of equal cost could both seem better than the other. */
#define LEAST_GAIN 1e-9

/* A larger tile of one space and a smaller one of another; no gain: neither. */
struct tile_exchange {
    int larger, smaller;
    double gain;
};

static bool has_space(const struct tile_choice *choice, const struct plan_step *step, int space)
{
    for (int x = 0; x < MAX_INDICES; x++)
        if (step->name[x] >= 0 && space_of_step_index(choice, step, x) == space)
            return true;
    return false;
}

/* Cost of the steps that have one of two spaces. */
static double cost_with_either(const struct tile_choice *choice, int i, int j)
{
    double cost = cost_with_space(choice, i);
    for (int s = choice->begin[j]; s < choice->begin[j + 1]; s++)
        if (!has_space(choice, choice->steps[s], i))
            cost += step_cost(choice, choice->steps[s]);
    return cost;
}

static void try_exchange(const struct tile_choice *choice, int larger, int smaller,
                         struct tile_exchange *best)
{
    int64_t tile_larger = choice->cuts[larger].tile, tile_smaller = choice->cuts[smaller].tile;
    int64_t more = larger_tile(choice, larger, tile_larger);
    int64_t less = smaller_tile(choice, smaller, tile_smaller);
    if (more == 0 || less == 0)
        return;
    double cost = cost_with_either(choice, larger, smaller);
    set_tile(choice, larger, more);
    set_tile(choice, smaller, less);
    double gain = cost - cost_with_either(choice, larger, smaller);
    set_tile(choice, larger, tile_larger);
    set_tile(choice, smaller, tile_smaller);
    if (gain > best->gain && gain > LEAST_GAIN * cost)
        *best = (struct tile_exchange){larger, smaller, gain};
}

/* The best exchange with a space that meets this one in a step. */
static void try_exchanges_of(const struct tile_choice *choice, int space,
                             struct tile_exchange *best)
{
    for (int other = 0; other < choice->plan->program->n_spaces; other++) {
        bool meet = false;
        for (int s = choice->begin[space]; s < choice->begin[space + 1] && !meet; s++)
            meet = has_space(choice, choice->steps[s], other);
        if (meet && other != space && is_chosen(choice, other))
            try_exchange(choice, space, other, best);
    }
}

/* False: none saves anything. */
static bool make_best_exchange(const struct tile_choice *choice)
{
    struct tile_exchange best = {-1, -1, 0};
    for (int i = 0; i < choice->plan->program->n_spaces; i++)
        if (is_chosen(choice, i))
            try_exchanges_of(choice, i, &best);
    if (best.larger < 0)
        return false;
    set_tile(choice, best.larger, larger_tile(choice, best.larger, choice->cuts[best.larger].tile));
    set_tile(choice, best.smaller,
             smaller_tile(choice, best.smaller, choice->cuts[best.smaller].tile));
    return true;
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
 * over tiles are cut for these; packing takes as long with any tiles. */
static void list_steps(const struct tile_choice *choice, bool enter)
{
    for (int s = 0; s < choice->plan->n_steps; s++) {
        const struct plan_step *step = &choice->plan->steps[s];
        bool counts = step->loop < 0 && step->phase == PLAN_CONTRACT;
        for (int x = 0; x < MAX_INDICES && counts; x++) {
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
        left -= llround((double)spaces[i].space->size / choice->mean[i]);
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
    choice->mean = calloc(n + 1, sizeof *choice->mean);
    choice->begin = calloc(n + 1, sizeof *choice->begin);
    choice->steps = calloc((size_t)plan->n_steps * MAX_INDICES + 1, sizeof(struct plan_step *));
    TRY(CHECK_MEMORY(choice->cuts && choice->mean && choice->begin && choice->steps,
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
    while (make_best_exchange(&choice))
        ;
    for (int i = 0; i < plan->program->n_spaces; i++)
        if (!choice.cuts[i].fixed)
            tile[i] = chosen_tile(&choice, i);
done:
    free(choice.cuts);
    free(choice.mean);
    free(choice.begin);
    free(choice.steps);
    return status;
}
