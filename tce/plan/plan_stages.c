/* The stages of a plan: which steps run together, and how long intermediates live.
 *
 * A step must come after an earlier one if it reads what that one writes, writes what that one
 * reads, or replaces what that one writes; if it adds to it, both may be in one stage, where
 * they join. A step is put into the last stage that lets all others follow: intermediates
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
        if (tensor->first_step < plan->first_iterated && tensor->last_step >= plan->first_iterated)
            tensor->last_step = plan->n_steps;
    }
}

/* The most elements at a time: nothing grows after the first iteration. */
static void find_peak(struct plan *plan)
{
    double elements = 0;
    for (int t = 0; t < plan->n_program_tensors; t++)
        elements += plan->tensors[t].elements;
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
        if (last < plan->n_steps) {
            struct plan_step *step = &plan->steps[last];
            step->destroy[step->n_destroy++] = t;
        }
    }
    find_peak(plan);
}

/* --- stages --- */

static bool reads_tensor(const struct plan_step *step, int tensor)
{
    return step->A.tensor == tensor || step->B.tensor == tensor;
}

static bool may_join(const struct plan_step *earlier, const struct plan_step *later)
{
    return later->C.tensor == earlier->C.tensor && later->add;
}

static bool must_follow(const struct plan_step *earlier, const struct plan_step *later)
{
    bool replaces = later->C.tensor == earlier->C.tensor && !later->add;
    return replaces || reads_tensor(later, earlier->C.tensor) ||
           reads_tensor(earlier, later->C.tensor);
}

/* Stages, counted from first_stage on, of the steps [begin, end); returns the next stage. */
static int find_stages(const struct plan *plan, int begin, int end, int first_stage, int *stage)
{
    int deepest = -1;
    /* First how many stages must follow each. */
    for (int s = end - 1; s >= begin; s--) {
        stage[s] = 0;
        for (int later = s + 1; later < end; later++) {
            int depth = -1;
            if (must_follow(&plan->steps[s], &plan->steps[later]))
                depth = stage[later] + 1;
            else if (may_join(&plan->steps[s], &plan->steps[later]))
                depth = stage[later];
            stage[s] = depth > stage[s] ? depth : stage[s];
        }
        deepest = stage[s] > deepest ? stage[s] : deepest;
    }
    for (int s = begin; s < end; s++)
        stage[s] = first_stage + deepest - stage[s];
    return first_stage + deepest + 1;
}

/* One step after another, but for those that join the one before. */
static int find_sequence(const struct plan *plan, int begin, int end, int first_stage, int *stage)
{
    int next = first_stage;
    for (int s = begin; s < end; s++)
        stage[s] = s > begin && may_join(&plan->steps[s - 1], &plan->steps[s]) ? next - 1 : next++;
    return next;
}

/* Orders the steps by their stages, those that join side by side. from: as they were */
static void arrange_steps(struct plan *plan, const struct plan_step from[], int stage[])
{
    int n = 0;
    for (int k = 0; k < plan->n_stages; k++) {
        plan->stage_begin[k] = n;
        for (int s = 0; s < plan->n_steps; s++) {
            int first = n;
            for (int other = s; stage[s] == k && other < plan->n_steps; other++) {
                if (stage[other] != k || from[other].C.tensor != from[s].C.tensor)
                    continue;
                plan->steps[n] = from[other];
                plan->steps[n].joins = n > first && plan->tensors[from[s].C.tensor].labels.rank > 0;
                n++;
                if (other != s)
                    stage[other] = -1; /* is placed */
            }
        }
    }
    plan->stage_begin[plan->n_stages] = n;
    find_lifetimes(plan);
}

typedef int stage_rule(const struct plan *plan, int begin, int end, int first_stage, int *stage);

static void apply_rule(struct plan *plan, stage_rule *rule, const struct plan_step from[],
                       int stage[])
{
    memcpy(plan->steps, from, (size_t)plan->n_steps * sizeof *from);
    plan->first_iterated_stage = rule(plan, 0, plan->first_iterated, 0, stage);
    plan->n_stages =
        rule(plan, plan->first_iterated, plan->n_steps, plan->first_iterated_stage, stage);
    arrange_steps(plan, from, stage);
}

enum status plan_builder_stages(struct plan *plan)
{
    size_t n = (size_t)plan->n_steps + 1;
    struct plan_step *from = malloc(n * sizeof *from);
    int *stage = malloc(n * sizeof *stage);
    plan->stage_begin = calloc(n, sizeof *plan->stage_begin);
    bool complete = from && stage && plan->stage_begin;
    if (complete) {
        memcpy(from, plan->steps, (size_t)plan->n_steps * sizeof *from);
        apply_rule(plan, find_sequence, from, stage);
        double least = plan->peak_elements;
        apply_rule(plan, find_stages, from, stage);
        plan->in_sequence =
            plan->peak_elements > least + fmax(STAGES_MORE_PART * least, STAGES_MORE_ELEMENTS);
        if (plan->in_sequence)
            apply_rule(plan, find_sequence, from, stage);
    }
    free(from);
    free(stage);
    return CHECK_MEMORY(complete, "no memory for a plan of %d steps", plan->n_steps);
}
