/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/base/array.h"
#include "tce/plan/plan_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Refuses a tensor with more blocks than can be numbered. */
static enum status check_blocks(const struct program *program, const struct program_tensor *tensor,
                                const struct block_labels *labels)
{
    struct block_index *blocks;
    enum status status = block_index_create(labels, &blocks);
    block_index_destroy(blocks);
    if (status != STATUS_LIMIT)
        return status;
    return source_fail(program->file, tensor->place, "tensor %s: %s", tensor->name, status_text());
}

enum status plan_builder_add_tensor(struct plan *plan, const char *name,
                                    const struct block_labels *labels, int loop)
{
    TRY(array_append(&plan->tensors, &plan->n_tensors, sizeof *plan->tensors));
    struct plan_tensor *tensor = &plan->tensors[plan->n_tensors - 1];
    *tensor = (struct plan_tensor){.name = strdup(name),
                                   .labels = *labels,
                                   .elements = tensor_count_elements(labels),
                                   .loop = loop,
                                   .filled_from = -1};
    return CHECK_MEMORY(tensor->name, "no memory for tensor %s of a plan", name);
}

static enum status add_program_tensors(struct plan_builder *builder)
{
    const struct program *program = builder->program;
    struct plan *plan = builder->plan;
    plan->n_program_tensors = program->n_tensors;
    for (int t = 0; t < program->n_tensors; t++) {
        const struct program_tensor *from = &program->tensors[t];
        struct block_labels labels = {.rank = from->rank, .irrep = from->irrep, .spin = from->spin};
        for (int d = 0; d < from->rank; d++) {
            labels.space[d] = plan->spaces.spaces[from->space[d]].space;
            labels.sign[d] = from->sign[d];
        }
        TRY(check_blocks(program, from, &labels));
        TRY(plan_builder_add_tensor(plan, from->name, &labels, from->loop));
    }
    return STATUS_OK;
}

/* Marks the tensors that iterations assign to, and the unknowns, which change between them. */
static void find_changes(struct plan_builder *builder)
{
    const struct program *program = builder->program;
    for (int s = program->first_iterated; s < program->n_statements; s++)
        builder->changes[program->statements[s].target.tensor] = true;
    for (int u = 0; u < program->n_unknowns; u++)
        builder->changes[program->unknowns[u].tensor] = true;
}

/* One list of all steps, owned by the plan. */
static enum status join_lists(struct plan_builder *builder)
{
    struct plan *plan = builder->plan;
    const struct plan_step_list *lists = builder->steps;
    plan->first_iterated = lists[PLAN_BEFORE].n;
    plan->first_final = plan->first_iterated + lists[PLAN_ITERATED].n;
    plan->n_steps = plan->first_final + lists[PLAN_FINAL].n;
    plan->steps = calloc((size_t)plan->n_steps + 1, sizeof *plan->steps);
    TRY(CHECK_MEMORY(plan->steps, "no memory for a plan of %d steps", plan->n_steps));
    struct plan_step *next = plan->steps;
    for (int time = 0; time < N_PLAN_TIMES; time++)
        for (int s = 0; s < lists[time].n; s++)
            *next++ = lists[time].steps[s];
    for (int l = 0; l < builder->program->n_loops; l++) {
        plan->loops[l].n_steps = builder->loops[l].n;
        plan->loops[l].steps = builder->loops[l].steps;
        builder->loops[l] = (struct plan_step_list){0};
    }
    return STATUS_OK;
}

static double naive_flops(const struct plan *plan, const struct product *product)
{
    double flops = product->n_factors > 1 ? product->n_factors : 2;
    for (int i = 0; i < product->n_indices; i++)
        flops *= (double)plan->spaces.spaces[product->index[i].space].space->size;
    return flops;
}

/* Operations of a loop. Ordered ones compute one of the permutations of a tuple: tiles are taken to save
 * as much as values would. */
static void sum_loop_flops(struct plan *plan, int l)
{
    const struct program_loop *of = &plan->program->loops[l];
    struct plan_loop *loop = &plan->loops[l];
    loop->share = 1;
    for (int i = 2; i <= of->n && of->ordered; i++)
        loop->share /= i;
    for (int s = 0; s < loop->n_steps; s++) {
        const struct plan_step *step = &loop->steps[s];
        plan->statement_flops[step->statement] += loop->share * step->flops;
        loop->flops += step->B.tensor >= 0 ? loop->share * step->flops : 0;
    }
}

static void sum_flops(const struct plan_builder *builder)
{
    struct plan *plan = builder->plan;
    for (int s = 0; s < plan->n_steps; s++)
        plan->statement_flops[plan->steps[s].statement] += plan->steps[s].flops;
    for (int l = 0; l < plan->program->n_loops; l++)
        sum_loop_flops(plan, l);
    for (int t = 0; t < builder->n_terms; t++)
        plan->naive_flops[builder->terms[t].statement] +=
            naive_flops(plan, &builder->terms[t].product);
}

static enum status build_plan(struct plan_builder *builder, const struct index_space *const space[])
{
    const struct program *program = builder->program;
    struct plan *plan = builder->plan;
    for (int s = 0; s < program->n_spaces; s++)
        TRY(label_spaces_add(&plan->spaces, space[s]));
    size_t n_statements = (size_t)program->n_statements + 1;
    size_t n_tensors = (size_t)program->n_tensors + 1;
    plan->statement_flops = calloc(n_statements, sizeof *plan->statement_flops);
    plan->naive_flops = calloc(n_statements, sizeof *plan->naive_flops);
    builder->version = calloc(n_tensors, sizeof *builder->version);
    builder->changes = calloc(n_tensors, sizeof *builder->changes);
    plan->loops = calloc((size_t)program->n_loops + 1, sizeof *plan->loops);
    builder->loops = calloc((size_t)program->n_loops + 1, sizeof *builder->loops);
    TRY(CHECK_MEMORY(plan->statement_flops && plan->naive_flops && builder->version &&
                         builder->changes && plan->loops && builder->loops,
                     "no memory for a plan of %d statements", program->n_statements));
    TRY(add_program_tensors(builder));
    find_changes(builder);
    TRY(plan_builder_factor(builder));
    TRY(plan_builder_steps(builder));
    TRY(join_lists(builder));
    TRY(plan_builder_store(builder));
    TRY(plan_builder_stages(plan));
    sum_flops(builder);
    return STATUS_OK;
}

static void fini_builder(struct plan_builder *builder)
{
    for (int t = 0; t < builder->n_terms; t++) {
        product_fini(&builder->terms[t].product);
        free(builder->terms[t].node);
    }
    free(builder->terms);
    plan_builder_free_parts(builder);
    free(builder->version);
    free(builder->changes);
    for (int time = 0; time < N_PLAN_TIMES; time++)
        free(builder->steps[time].steps);
    for (int l = 0; builder->loops && l < builder->program->n_loops; l++)
        free(builder->loops[l].steps);
    free(builder->loops);
    free(builder->packed);
    free(builder->sums.steps);
}

enum status plan_create(const struct program *program, const struct index_space *const space[],
                        enum plan_pairs pairs, struct plan **plan)
{
    *plan = NULL;
    struct plan *made = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for a plan"));
    made->program = program;
    struct plan_builder builder = {.plan = made, .program = program, .pairs = pairs};
    enum status status = build_plan(&builder, space);
    fini_builder(&builder);
    if (status != STATUS_OK)
        plan_destroy(made);
    else
        *plan = made;
    return status;
}

void plan_destroy(struct plan *plan)
{
    if (!plan)
        return;
    for (int t = 0; t < plan->n_tensors; t++) {
        free(plan->tensors[t].name);
        free(plan->tensors[t].packing);
        symmetry_fini(&plan->tensors[t].inherited);
    }
    free(plan->tensors);
    free(plan->steps);
    for (int l = 0; plan->loops && l < plan->program->n_loops; l++)
        free(plan->loops[l].steps);
    free(plan->loops);
    free(plan->stage_begin);
    free(plan->statement_flops);
    free(plan->naive_flops);
    label_spaces_fini(&plan->spaces);
    free(plan);
}

bool plan_keeps_tensor(const struct plan *plan, int tensor)
{
    const struct plan_tensor *asked = &plan->tensors[tensor];
    bool declared = tensor < plan->n_program_tensors && asked->loop < 0 && !asked->unstored;
    return declared || asked->filled_from >= 0;
}

int plan_stage_loop(const struct plan *plan, int stage)
{
    return plan->steps[plan->stage_begin[stage]].loop;
}

void plan_stage_phase(const struct plan *plan, int stage, enum plan_phase phase, int *begin,
                      int *end)
{
    *begin = plan->stage_begin[stage];
    while (*begin < plan->stage_begin[stage + 1] && plan->steps[*begin].phase < phase)
        ++*begin;
    *end = *begin;
    while (*end < plan->stage_begin[stage + 1] && plan->steps[*end].phase == phase)
        ++*end;
}
