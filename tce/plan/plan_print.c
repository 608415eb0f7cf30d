/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/plan/plan.h"
#include "tce/plan/plan_tasks.h"

#include <inttypes.h>

/* "a", or "a>=b" of a space of pairs. */
static void print_index(const struct plan *plan, const struct plan_step *step, int number,
                        const struct index_space *space, FILE *stream)
{
    const struct program_index *indices = plan->program->indices;
    fprintf(stream, "%s", indices[step->name[number]].name);
    if (step->with[number] < 0)
        return;
    int pairs = label_spaces_number(&plan->spaces, space);
    fprintf(stream, "%s%s", plan->spaces.spaces[pairs].pairs->sign > 0 ? ">=" : ">",
            indices[step->with[number]].name);
}

static void print_operand(const struct plan *plan, const struct plan_step *step,
                          const struct plan_operand *operand, FILE *stream)
{
    const struct plan_tensor *tensor = &plan->tensors[operand->tensor];
    fprintf(stream, "%s", tensor->name);
    for (int d = 0; d < tensor->labels.rank; d++) {
        fprintf(stream, "%s", d == 0 ? "[" : ",");
        print_index(plan, step, operand->index[d], tensor->labels.space[d], stream);
    }
    fprintf(stream, "%s", tensor->labels.rank > 0 ? "]" : "");
}

static void print_formula(const struct plan *plan, const struct plan_step *step, FILE *stream)
{
    fprintf(stream, "  ");
    print_operand(plan, step, &step->C, stream);
    fprintf(stream, step->add ? " += " : " = ");
    if (step->phase != PLAN_CONTRACT)
        fprintf(stream, step->phase == PLAN_PACK ? "pack " : "unpack ");
    if (step->factor != 1)
        fprintf(stream, "%.10g * ", step->factor);
    print_operand(plan, step, &step->A, stream);
    if (step->B.tensor < 0)
        return;
    fprintf(stream, " * ");
    print_operand(plan, step, &step->B, stream);
}

static double megabytes_of(double elements)
{
    return 1e-6 * sizeof(double) * elements;
}

static void print_step(const struct plan *plan, int s, FILE *stream)
{
    const struct plan_step *step = &plan->steps[s];
    fprintf(stream, "%5d %5d  %12.4g", s + 1, plan->program->statements[step->statement].place.line,
            step->flops);
    if (step->create >= 0)
        fprintf(stream, "  %10.4g  %10.4g", plan->tensors[step->create].elements,
                megabytes_of(plan->tensors[step->create].elements));
    else
        fprintf(stream, "%24s", "");
    print_formula(plan, step, stream);
    for (int d = 0; d < step->n_destroy; d++)
        fprintf(stream, "%s%s", d == 0 ? "   last use of " : ", ",
                plan->tensors[step->destroy[d]].name);
    fprintf(stream, "\n");
}

/* "for a >= b >= c" */
static void print_loop_head(const struct program *program, const struct program_loop *loop,
                            FILE *stream)
{
    fprintf(stream, "for ");
    for (int i = 0; i < loop->n; i++)
        fprintf(stream, "%s%s",
                i == 0          ? ""
                : loop->ordered ? " >= "
                                : ", ",
                program->indices[loop->index[i]].name);
}

/* A loop over tiles and its steps, with the operations of all its tuples. */
static void print_loop(const struct plan *plan, int number, const struct plan_loop_problem *problem,
                       FILE *stream)
{
    const struct program_loop *of = &plan->program->loops[number];
    const struct plan_loop *loop = &plan->loops[number];
    fprintf(stream, "      %5d  %12.4g  %10s  %10.4g  ", of->place.line, loop->flops, "",
            1e-6 * problem->local_bytes);
    print_loop_head(plan->program, of, stream);
    fprintf(stream, " by tiles of %" PRId64 ", local tensors in each process\n", problem->tile);
    for (int s = 0; s < loop->n_steps; s++) {
        const struct plan_step *step = &loop->steps[s];
        fprintf(stream, "      %5d  %12.4g%24s  ",
                plan->program->statements[step->statement].place.line, loop->share * step->flops,
                "");
        print_formula(plan, step, stream);
        fprintf(stream, "\n");
    }
}

static enum status print_stage(const struct plan *plan, int k, FILE *stream)
{
    static const struct contraction_settings settings = {0};
    struct plan_tasks tasks;
    enum status status = plan_tasks_init(plan, k, &settings, &tasks);
    if (status != STATUS_OK)
        goto done;
    fprintf(stream, "stage %d", k + 1);
    if (tasks.stage)
        fprintf(stream, ": %" PRId64 " tasks", stage_n_tasks(tasks.stage));
    fprintf(stream, "\n");
    if (tasks.is_loop)
        print_loop(plan, plan_stage_loop(plan, k), &tasks.of_loop, stream);
    for (int s = plan->stage_begin[k]; s < plan->stage_begin[k + 1] && !tasks.is_loop; s++)
        print_step(plan, s, stream);
done:
    plan_tasks_fini(&tasks);
    return status;
}

static enum status print_stages(const struct plan *plan, int begin, int end, FILE *stream)
{
    for (int k = begin; k < end; k++)
        TRY(print_stage(plan, k, stream));
    return STATUS_OK;
}

/* Blocks that are read from others. */
static void print_unique(const struct plan *plan, FILE *stream)
{
    double left_out = 0;
    for (int t = 0; t < plan->n_tensors; t++) {
        struct block_labels labels = plan->tensors[t].labels;
        labels.symmetry = NULL;
        if (plan->tensors[t].labels.symmetry)
            left_out += tensor_count_elements(&labels) - plan->tensors[t].elements;
    }
    if (left_out > 0)
        fprintf(stream, "blocks that symmetries make of others, not stored: %.4g elements less\n",
                left_out);
}

static void print_statements(const struct plan *plan, FILE *stream)
{
    double flops = 0, naive = 0;
    fprintf(stream, "\n        flops         naive  statement\n");
    for (int s = 0; s < plan->program->n_statements; s++) {
        const struct program_statement *statement = &plan->program->statements[s];
        fprintf(stream, " %12.4g  %12.4g  line %d: %s\n", plan->statement_flops[s],
                plan->naive_flops[s], statement->place.line, statement->text);
        flops += plan->statement_flops[s];
        naive += plan->naive_flops[s];
    }
    fprintf(stream, " %12.4g  %12.4g  all\n", flops, naive);
}

static void print_pairs(const struct plan *plan, FILE *stream)
{
    if (plan->saved_flops != 0)
        fprintf(stream, "pairs of indices that symmetries exchange, each once: %.4g flops less\n",
                plan->saved_flops);
    for (int t = 0; t < plan->n_tensors; t++)
        if (plan->tensors[t].filled_from >= 0)
            fprintf(stream, "%s holds pairs of %s, which is not stored: %.4g elements\n",
                    plan->tensors[t].name, plan->tensors[plan->tensors[t].filled_from].name,
                    plan->tensors[t].elements);
}

/* The steps with pairs of indices. */
static void print_pair_steps(const struct plan *plan, FILE *stream)
{
    for (int s = 0; s < plan->n_steps; s++) {
        bool has_pairs = false;
        for (int x = 0; x < MAX_INDICES; x++)
            has_pairs = has_pairs || plan->steps[s].with[x] >= 0;
        if (!has_pairs)
            continue;
        print_formula(plan, &plan->steps[s], stream);
        fprintf(stream, "\n");
    }
}

/* Intermediates that several steps read. */
static void print_shared(const struct plan *plan, FILE *stream)
{
    bool any = false;
    for (int t = plan->n_program_tensors; t < plan->n_tensors; t++) {
        int n = 0;
        for (int s = 0; s < plan->n_steps; s++)
            n += plan->steps[s].A.tensor == t || plan->steps[s].B.tensor == t;
        for (int s = 0; s < plan->n_steps && n > 1; s++) {
            if (plan->steps[s].create != t)
                continue;
            print_formula(plan, &plan->steps[s], stream);
            fprintf(stream, "   read by %d contractions\n", n);
            any = true;
        }
    }
    if (!any)
        fprintf(stream, "no intermediate is read by several contractions\n");
}

static void print_tiles(const struct plan *plan, FILE *stream)
{
    fprintf(stream, "space           values     tiles   longest\n");
    for (int i = 0; i < plan->spaces.n; i++) {
        const struct index_space *space = plan->spaces.spaces[i].space;
        fprintf(stream, "%-10s  %10" PRId64 "  %8" PRId32 "  %8" PRId64 "\n", space->name,
                space->size, space->n_tiles, space->max_tile);
    }
    fprintf(stream, "\n");
}

static enum status print_all_stages(const struct plan *plan, FILE *stream)
{
    fprintf(stream, " step  line         flops    elements          MB  contraction\n");
    TRY(print_stages(plan, 0, plan->first_iterated_stage, stream));
    if (plan->first_iterated_stage < plan->n_stages)
        fprintf(stream, "in every iteration:\n");
    TRY(print_stages(plan, plan->first_iterated_stage, plan->first_final_stage, stream));
    if (plan->first_final_stage < plan->n_stages)
        fprintf(stream, "after the iterations:\n");
    return print_stages(plan, plan->first_final_stage, plan->n_stages, stream);
}

enum status plan_print(const struct plan *plan, enum plan_pass pass, FILE *stream)
{
    bool all = pass == PLAN_PASS_ALL;
    if (all || pass == PLAN_PASS_TILE)
        print_tiles(plan, stream);
    if (all || pass == PLAN_PASS_STAGE)
        TRY(print_all_stages(plan, stream));
    if (all || pass == PLAN_PASS_FACTORIZE)
        print_statements(plan, stream);
    if (pass == PLAN_PASS_SHARE)
        print_shared(plan, stream);
    if (all || pass == PLAN_PASS_PAIR)
        print_pairs(plan, stream);
    if (pass == PLAN_PASS_PAIR)
        print_pair_steps(plan, stream);
    if (all || pass == PLAN_PASS_STAGE) {
        print_unique(plan, stream);
        fprintf(stream, "tensors at most: %.4g elements, %.4g MB\n", plan->peak_elements,
                megabytes_of(plan->peak_elements));
    }
    return STATUS_OK;
}
