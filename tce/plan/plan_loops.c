/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/plan/plan_loops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Elements of a local tensor that a second-level cache holds: what is added up in several orders should lie in
 * it. A tile larger than MAX_LOOP_TILE saves nothing more. */
#define LOCAL_ELEMENTS (96 * 1024)
enum { MAX_LOOP_TILE = 16 };

/* Upper bound of the local tensors of a tuple: beyond the memory of any machine, and within 64-bit counts. */
#define MAX_LOCAL_BYTES 0x1p50

_Static_assert((int)PROGRAM_MAX_LOOP_INDICES <= (int)TILE_LOOP_MAX_INDICES,
               "each loop of a program is one over tuples of tiles");

/* State while the problem is made. */
struct loop_builder {
    const struct plan *plan;
    int loop;
    const struct program_loop *of;
    struct plan_loop_problem *made;
};

/* Which of the loop's indices an index of the program is; -1: none. */
static int find_loop_index(const struct program_loop *of, int index)
{
    for (int i = 0; i < of->n; i++)
        if (of->index[i] == index)
            return i;
    return -1;
}

/* --- tensors --- */

/* The number of a local tensor, or of the part of a scalar; a new one is entered. The loop's
 * indices of a declared tensor have the positions of its declaration, those in an intermediate the
 * positions of the step that makes it. */
static int number_local(const struct loop_builder *builder, const struct plan_step *step,
                        const struct plan_operand *operand)
{
    const struct plan *plan = builder->plan;
    struct tile_loop *loop = &builder->made->loop;
    const struct plan_tensor *planned = &plan->tensors[operand->tensor];
    bool is_declared = operand->tensor < plan->n_program_tensors;
    int i = 0;
    while (i < loop->n_locals && builder->made->tensor[i] != operand->tensor)
        i++;
    if (i < loop->n_locals)
        return i;
    builder->made->tensor[i] = operand->tensor;
    loop->locals[i] = (struct tile_loop_local){
        .name = planned->name, .scalar = planned->loop >= 0 ? -1 : loop->n_scalars++};
    for (int d = 0; d < planned->labels.rank; d++)
        loop->locals[i].loop_index[d] = find_loop_index(
            builder->of, is_declared ? plan->program->tensors[operand->tensor].loop_index[d]
                                     : step->name[operand->index[d]]);
    return loop->n_locals++;
}

static void number_locals(const struct loop_builder *builder)
{
    const struct plan_loop *steps = &builder->plan->loops[builder->loop];
    for (int s = 0; s < steps->n_steps; s++) {
        const struct plan_step *step = &steps->steps[s];
        const struct plan_operand *const factors[] = {&step->A, &step->B};
        for (int f = 0; f < 2; f++)
            if (factors[f]->tensor >= 0 && builder->plan->tensors[factors[f]->tensor].loop >= 0)
                number_local(builder, step, factors[f]);
        number_local(builder, step, &step->C);
    }
}

/* --- spaces --- */

/* Elements of a local tensor of the problem for one value of each of the loop's indices that it has.
 * n  how many of these it has. */
static double count_elements_of_value(const struct loop_builder *builder, int t, int *n)
{
    const struct tile_loop_local *tensor = &builder->made->loop.locals[t];
    const struct plan_tensor *planned = &builder->plan->tensors[builder->made->tensor[t]];
    double elements = planned->elements;
    *n = 0;
    for (int d = 0; d < planned->labels.rank; d++)
        if (tensor->loop_index[d] >= 0) {
            elements /= (double)planned->labels.space[d]->size;
            ++*n;
        }
    return elements;
}

/* The largest tile of the loop's indices with which each local tensor has at most LOCAL_ELEMENTS: by
 * their mean over all tuples. */
static int64_t choose_loop_tile(const struct loop_builder *builder)
{
    double tile = MAX_LOOP_TILE;
    if (builder->of->tile > 0)
        return builder->of->tile;
    for (int t = 0; t < builder->made->loop.n_locals; t++) {
        int n;
        double elements = count_elements_of_value(builder, t, &n);
        if (n > 0 && elements > 0)
            tile = fmin(tile, pow(LOCAL_ELEMENTS / elements, 1.0 / n));
    }
    return tile < 1 ? 1 : (int64_t)tile;
}

/* The space of a place, cut for the loop. */
static enum status cut_for_loop(const struct loop_builder *builder, const struct index_space *space,
                                bool by_tile, const struct index_space **cut)
{
    const struct label_spaces *spaces = &builder->plan->spaces;
    int s = 0;
    while (spaces->spaces[s].space != space && spaces->spaces[s].without_irreps != space)
        s++;
    struct index_space **place =
        &builder->made->spaces[s][spaces->spaces[s].space != space][by_tile];
    if (!*place)
        TRY(index_space_recut(space, spaces->spaces[s].space,
                              by_tile ? builder->made->tile : space->size, place));
    *cut = *place;
    return STATUS_OK;
}

/* Labels with spaces cut for the loop. */
static enum status cut_labels(const struct loop_builder *builder, const struct block_labels *labels,
                              const int loop_index[MAX_RANK], struct block_labels *cut)
{
    *cut = *labels;
    for (int d = 0; d < labels->rank; d++)
        TRY(cut_for_loop(builder, labels->space[d], loop_index[d] >= 0, &cut->space[d]));
    return STATUS_OK;
}

static enum status cut_tensors(const struct loop_builder *builder)
{
    for (int t = 0; t < builder->made->loop.n_locals; t++) {
        struct tile_loop_local *local = &builder->made->loop.locals[t];
        TRY(cut_labels(builder, &builder->plan->tensors[builder->made->tensor[t]].labels,
                       local->loop_index, &local->labels));
    }
    return STATUS_OK;
}

static enum status set_tuples(const struct loop_builder *builder)
{
    struct tile_tuples *tuples = &builder->made->loop.tuples;
    const struct program *program = builder->plan->program;
    *tuples = (struct tile_tuples){.n = builder->of->n, .ordered = builder->of->ordered};
    for (int i = 0; i < builder->of->n; i++) {
        int space = program->indices[builder->of->index[i]].space;
        const struct index_space *cut;
        TRY(cut_for_loop(builder, builder->plan->spaces.spaces[space].space, true, &cut));
        tuples->n_tiles[i] = cut->n_tiles;
        builder->made->loop.space[i] = cut;
    }
    return STATUS_OK;
}

/* --- steps --- */

static enum status set_operand(const struct loop_builder *builder, const struct plan_step *from,
                               const struct plan_operand *planned, enum contraction_place place,
                               struct tile_loop_step *step)
{
    struct contraction_problem *problem = &step->problem;
    struct contraction_operand *const operands[] = {&problem->C, &problem->A, &problem->B};
    const struct plan_tensor *tensor = &builder->plan->tensors[planned->tensor];
    bool is_local = place == CONTRACTION_C || tensor->loop >= 0;
    int loop_index[MAX_RANK];
    step->local[place] = is_local ? number_local(builder, from, planned) : -1;
    operands[place]->labels = &step->labels[place];
    for (int d = 0; d < tensor->labels.rank; d++) {
        int index = operands[place]->index[d] = planned->index[d];
        loop_index[d] = step->loop_index[index] = find_loop_index(builder->of, from->name[index]);
    }
    return cut_labels(builder, &tensor->labels, loop_index, &step->labels[place]);
}

static enum status set_steps(const struct loop_builder *builder)
{
    const struct plan_loop *steps = &builder->plan->loops[builder->loop];
    struct tile_loop *loop = &builder->made->loop;
    for (int s = 0; s < steps->n_steps; s++) {
        const struct plan_step *from = &steps->steps[s];
        struct tile_loop_step *step = &loop->steps[loop->n_steps++];
        *step = (struct tile_loop_step){
            .problem = {.has_B = from->B.tensor >= 0, .add = from->add, .factor = from->factor},
            .local[CONTRACTION_B] = -1};
        for (int i = 0; i < MAX_INDICES; i++)
            step->loop_index[i] = -1;
        TRY(set_operand(builder, from, &from->C, CONTRACTION_C, step));
        TRY(set_operand(builder, from, &from->A, CONTRACTION_A, step));
        if (step->problem.has_B)
            TRY(set_operand(builder, from, &from->B, CONTRACTION_B, step));
    }
    return STATUS_OK;
}

/* --- size --- */

/* Upper bound on the bytes of all local tensors; ignores labels. */
static double count_local_bytes(const struct plan_loop_problem *made)
{
    double bytes = 0;
    for (int t = 0; t < made->loop.n_locals; t++) {
        const struct tile_loop_local *tensor = &made->loop.locals[t];
        double elements = 1;
        for (int d = 0; d < tensor->labels.rank; d++)
            elements *= (double)(tensor->loop_index[d] < 0 ? tensor->labels.space[d]->size
                                                           : tensor->labels.space[d]->max_tile);
        bytes += elements * sizeof(double);
    }
    return bytes;
}

/* Beyond these a tile is a slip. */
static enum status check_loop_size(const struct plan_loop_problem *made)
{
    double n_tuples = tile_tuples_count(&made->loop.tuples);
    if (n_tuples > TILE_LOOP_MAX_TASKS)
        return FAIL(STATUS_LIMIT, "%.3g tuples of tiles in this loop: take larger tiles", n_tuples);
    if (made->local_bytes > MAX_LOCAL_BYTES)
        return FAIL(
            STATUS_LIMIT,
            "the tensors of this loop have up to %.3g GB for a tuple of tiles: take smaller "
            "tiles",
            1e-9 * made->local_bytes);
    return STATUS_OK;
}

static enum status make_loop_problem(const struct plan *plan, int loop,
                                     struct plan_loop_problem *made)
{
    struct loop_builder builder = {plan, loop, &plan->program->loops[loop], made};
    size_t n_steps = (size_t)plan->loops[loop].n_steps + 1;
    size_t n_locals = N_CONTRACTION_PLACES * n_steps;
    *made = (struct plan_loop_problem){.n_spaces = plan->spaces.n};
    made->tensor = calloc(n_locals, sizeof *made->tensor);
    made->spaces = calloc((size_t)made->n_spaces + 1, sizeof *made->spaces);
    made->loop.locals = calloc(n_locals, sizeof *made->loop.locals);
    made->loop.steps = calloc(n_steps, sizeof *made->loop.steps);
    TRY(CHECK_MEMORY(made->tensor && made->spaces && made->loop.locals && made->loop.steps,
                     "no memory for a loop of %zu steps", n_steps));
    number_locals(&builder);
    made->tile = choose_loop_tile(&builder);
    TRY(set_tuples(&builder));
    TRY(cut_tensors(&builder));
    TRY(set_steps(&builder));
    made->local_bytes = count_local_bytes(made);
    return check_loop_size(made);
}

enum status plan_loop_problem_init(const struct plan *plan, int loop,
                                   struct plan_loop_problem *made)
{
    enum status status = make_loop_problem(plan, loop, made);
    if (status != STATUS_LIMIT)
        return status;
    return source_fail(plan->program->file, plan->program->loops[loop].place, "%s", status_text());
}

void plan_loop_problem_fini(struct plan_loop_problem *made)
{
    for (int i = 0; made->spaces && i < 4 * made->n_spaces; i++)
        index_space_destroy(made->spaces[i / 4][i / 2 % 2][i % 2]);
    free(made->spaces);
    free(made->tensor);
    free(made->loop.locals);
    free(made->loop.steps);
    *made = (struct plan_loop_problem){0};
}
