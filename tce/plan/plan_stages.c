/* SPDX-License-Identifier: BSD-3-Clause */
/* The stages of a plan: which steps run together, and how long intermediates live.
 *
 * A step must come after an earlier one if it reads what that one writes, writes what that one
 * reads, or replaces what that one writes; if it adds to it, both may be in one stage, where
 * they join. In a stage, what is packed comes first and what is unpacked last, so that a step may read what an earlier phase makes. A
 * step is put into the last stage that lets all others follow: intermediates
 * are then made late, and terms of a sum meet in one stage. */
#include "tce/plan/plan_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Stages may take so much more memory than one step after another: a part, or elements. */
#define STAGES_MORE_PART     0.1
#define STAGES_MORE_ELEMENTS 1e6

/* --- lifetimes --- */

static void note_use(struct plan *plan, const struct plan_operand *operand, int step)
{
    if (operand->tensor >= plan->n_program_tensors)
        plan->tensors[operand->tensor].last_step = step;
}

static void find_last_steps(struct plan *plan)
{
    for (int s = 0; s < plan->n_steps; s++) {
        struct plan_step *step = &plan->steps[s];
        step->n_destroy = 0;
        if (step->create >= 0)
            plan->tensors[step->create].first_step = s;
        note_use(plan, &step->C, s);
        note_use(plan, &step->A, s);
        note_use(plan, &step->B, s);
    }
    for (int t = plan->n_program_tensors; t < plan->n_tensors; t++) {
        struct plan_tensor *tensor = &plan->tensors[t];
        if (tensor->filled_from < 0 && tensor->loop < 0 &&
            tensor->first_step < plan->first_iterated && tensor->last_step >= plan->first_iterated)
            tensor->last_step = plan->n_steps;
    }
}

/* The most elements at a time: nothing grows after the first iteration. */
static void find_peak(struct plan *plan)
{
    double elements = 0;
    for (int t = 0; t < plan->n_tensors; t++)
        elements += plan_keeps_tensor(plan, t) ? plan->tensors[t].elements : 0;
    plan->peak_elements = elements;
    for (int k = 0; k < plan->n_stages; k++) {
        for (int s = plan->stage_begin[k]; s < plan->stage_begin[k + 1]; s++)
            if (plan->steps[s].create >= 0)
                elements += plan->tensors[plan->steps[s].create].elements;
        plan->peak_elements = elements > plan->peak_elements ? elements : plan->peak_elements;
        for (int s = plan->stage_begin[k]; s < plan->stage_begin[k + 1]; s++)
            for (int d = 0; d < plan->steps[s].n_destroy; d++)
                elements -= plan->tensors[plan->steps[s].destroy[d]].elements;
    }
}

/* Sets from when to when intermediates live, and the peak of memory. */
static void find_lifetimes(struct plan *plan)
{
    find_last_steps(plan);
    for (int t = plan->n_program_tensors; t < plan->n_tensors; t++) {
        int last = plan->tensors[t].last_step;
        if (plan->tensors[t].loop < 0 && plan->tensors[t].filled_from < 0 && last < plan->n_steps) {
            struct plan_step *step = &plan->steps[last];
            step->destroy[step->n_destroy++] = t;
        }
    }
    find_peak(plan);
}

/* --- stages --- */

static bool may_join(const struct plan_step *earlier, const struct plan_step *later)
{
    return later->C.tensor == earlier->C.tensor && later->phase == earlier->phase && later->add;
}

/* How many stages follow the first of the steps that write, replace or read a tensor, among those
 * after the one at hand, by what they do in their stage; -1: there is none. */
struct plan_depth {
    int written[N_PLAN_PHASES], replaced[N_PLAN_PHASES], read[N_PLAN_PHASES];
};

static int max_depth(int a, int b)
{
    return a > b ? a : b;
}

/* The stages that must follow a step: those of each that must come after it, and one more unless that one
 * comes after it in the stage. */
static int find_depth(const struct plan_step *step, const struct plan_depth *of)
{
    const struct plan_depth *C = &of[step->C.tensor];
    int depth = 0;
    for (int phase = 0; phase < N_PLAN_PHASES; phase++) {
        int more = (int)step->phase < phase ? 0 : 1;
        /* A step that replaces C shares no stage with sums of an earlier phase into C. */
        int after_sum = !step->add && (int)step->phase > phase;
        depth = max_depth(depth, of[step->A.tensor].written[phase] + more);
        if (step->B.tensor >= 0)
            depth = max_depth(depth, of[step->B.tensor].written[phase] + more);
        depth = max_depth(depth, max_depth(C->replaced[phase], C->read[phase]) + more);
        depth = max_depth(depth, C->written[phase] + after_sum);
    }
    return depth;
}

static void note_depth(const struct plan_step *step, int depth, struct plan_depth *of)
{
    struct plan_depth *C = &of[step->C.tensor];
    int *read_A = &of[step->A.tensor].read[step->phase];
    C->written[step->phase] = max_depth(C->written[step->phase], depth);
    if (!step->add)
        C->replaced[step->phase] = max_depth(C->replaced[step->phase], depth);
    *read_A = max_depth(*read_A, depth);
    if (step->B.tensor >= 0) {
        int *read_B = &of[step->B.tensor].read[step->phase];
        *read_B = max_depth(*read_B, depth);
    }
}

/* Where a step goes: those of a stage that do the same and write to the same tensor follow the first of
 * them. */
struct stage_place {
    int stage, phase, first, step;
};

/* Scratch of the rules. */
struct stage_scratch {
    struct plan_depth *depths; /* n_tensors */
    int *stage;                /* of each step, n_steps */
    struct stage_place *order; /* n_steps */
    int *last;                 /* n_tensors x N_PLAN_PHASES */
};

/* Stages, counted from first_stage on, of the steps [begin, end); returns the next stage. */
static int find_stages(const struct plan *plan, int begin, int end, int first_stage,
                       struct stage_scratch *scratch)
{
    int deepest = -1, *stage = scratch->stage;
    for (int t = 0; t < plan->n_tensors; t++)
        memset(&scratch->depths[t], -1, sizeof scratch->depths[t]);
    /* First how many stages must follow each. */
    for (int s = end - 1; s >= begin; s--) {
        stage[s] = find_depth(&plan->steps[s], scratch->depths);
        note_depth(&plan->steps[s], stage[s], scratch->depths);
        deepest = max_depth(deepest, stage[s]);
    }
    for (int s = begin; s < end; s++)
        stage[s] = first_stage + deepest - stage[s];
    return first_stage + deepest + 1;
}

/* Whether a step may be in the stage of the one before it, where one step is to follow another. */
static bool may_follow(const struct plan_step *before, const struct plan_step *step)
{
    if (before->phase > step->phase)
        return false;
    return before->phase < step->phase || step->phase != PLAN_CONTRACT || may_join(before, step);
}

/* One step after another, but for those that join the one before, and for what is packed and unpacked. */
static int find_sequence(const struct plan *plan, int begin, int end, int first_stage,
                         struct stage_scratch *scratch)
{
    int next = first_stage, *stage = scratch->stage;
    for (int s = begin; s < end; s++)
        stage[s] =
            s > begin && may_follow(&plan->steps[s - 1], &plan->steps[s]) ? next - 1 : next++;
    return next;
}

static int compare_places(const void *left, const void *right)
{
    const struct stage_place *a = left, *b = right;
    if (a->stage != b->stage)
        return a->stage < b->stage ? -1 : 1;
    if (a->phase != b->phase)
        return a->phase < b->phase ? -1 : 1;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return a->step < b->step ? -1 : 1;
}

/* The order of the steps. Of those that write to a tensor, none is in a stage before an earlier
 * one's. */
static void order_steps(const struct plan *plan, const struct plan_step from[],
                        struct stage_scratch *scratch)
{
    struct stage_place *order = scratch->order;
    for (int t = 0; t < plan->n_tensors * N_PLAN_PHASES; t++)
        scratch->last[t] = -1;
    for (int s = 0; s < plan->n_steps; s++) {
        int *last = &scratch->last[from[s].C.tensor * N_PLAN_PHASES + (int)from[s].phase];
        bool has_first = *last >= 0 && scratch->stage[*last] == scratch->stage[s];
        order[s] = (struct stage_place){scratch->stage[s], (int)from[s].phase,
                                        has_first ? order[*last].first : s, s};
        *last = s;
    }
    qsort(order, (size_t)plan->n_steps, sizeof *order, compare_places);
}

/* Orders the steps by their stages, those that join side by side. from: as they were */
static void arrange_steps(struct plan *plan, const struct plan_step from[],
                          struct stage_scratch *scratch)
{
    int n = 0;
    order_steps(plan, from, scratch);
    for (int k = 0; k < plan->n_stages; k++) {
        plan->stage_begin[k] = n;
        for (; n < plan->n_steps && scratch->order[n].stage == k; n++) {
            const struct stage_place *place = &scratch->order[n];
            plan->steps[n] = from[place->step];
            plan->steps[n].joins = place->phase == PLAN_CONTRACT && place->step > place->first &&
                                   plan->tensors[plan->steps[n].C.tensor].labels.rank > 0;
        }
    }
    plan->stage_begin[plan->n_stages] = n;
    find_lifetimes(plan);
}

typedef int stage_rule(const struct plan *plan, int begin, int end, int first_stage,
                       struct stage_scratch *scratch);

/* Applies it between loops, each of which is a stage. */
static int apply_between_loops(const struct plan *plan, stage_rule *rule, int begin, int end,
                               int first_stage, struct stage_scratch *scratch)
{
    int stage = first_stage;
    for (int s = begin; s <= end; s++) {
        if (s < end && plan->steps[s].loop < 0)
            continue;
        if (begin < s)
            stage = rule(plan, begin, s, stage, scratch);
        if (s < end)
            scratch->stage[s] = stage++;
        begin = s + 1;
    }
    return stage;
}

static void apply_rule(struct plan *plan, stage_rule *rule, const struct plan_step from[],
                       struct stage_scratch *scratch)
{
    memcpy(plan->steps, from, (size_t)plan->n_steps * sizeof *from);
    plan->first_iterated_stage =
        apply_between_loops(plan, rule, 0, plan->first_iterated, 0, scratch);
    plan->first_final_stage = apply_between_loops(
        plan, rule, plan->first_iterated, plan->first_final, plan->first_iterated_stage, scratch);
    plan->n_stages = apply_between_loops(plan, rule, plan->first_final, plan->n_steps,
                                         plan->first_final_stage, scratch);
    arrange_steps(plan, from, scratch);
}

/* Stages, if they do not take much more memory than a sequence. */
static void choose_rule(struct plan *plan, const struct plan_step from[],
                        struct stage_scratch *scratch)
{
    apply_rule(plan, find_sequence, from, scratch);
    double least = plan->peak_elements;
    apply_rule(plan, find_stages, from, scratch);
    plan->in_sequence =
        plan->peak_elements > least + fmax(STAGES_MORE_PART * least, STAGES_MORE_ELEMENTS);
    if (plan->in_sequence)
        apply_rule(plan, find_sequence, from, scratch);
}

enum status plan_builder_stages(struct plan *plan)
{
    size_t n = (size_t)plan->n_steps + 1, n_tensors = (size_t)plan->n_tensors + 1;
    struct plan_step *from = malloc(n * sizeof *from);
    struct stage_scratch scratch = {.depths = malloc(n_tensors * sizeof *scratch.depths),
                                    .stage = malloc(n * sizeof *scratch.stage),
                                    .order = malloc(n * sizeof *scratch.order),

                                    .last =
                                        malloc(n_tensors * N_PLAN_PHASES * sizeof *scratch.last)};
    plan->stage_begin = calloc(n, sizeof *plan->stage_begin);
    bool complete = from && scratch.depths && scratch.stage && scratch.order && scratch.last &&
                    plan->stage_begin;
    if (complete) {
        memcpy(from, plan->steps, (size_t)plan->n_steps * sizeof *from);
        choose_rule(plan, from, &scratch);
    }
    free(from);
    free(scratch.depths);
    free(scratch.stage);
    free(scratch.order);
    free(scratch.last);
    return CHECK_MEMORY(complete, "no memory for a plan of %d steps", plan->n_steps);
}
