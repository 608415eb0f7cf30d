/* SPDX-License-Identifier: BSD-3-Clause */
/* Tensors that are read by what packs them alone: not stored where what fills them can fill the packed
 * ones, too. */
#include "tce/plan/plan_builder.h"

/* Whether a step reads the tensor other than to pack it in a way that blocks may be added to in any
 * order (packing.h). */
static bool needs_stored(const struct plan *plan, const struct plan_step *step, int tensor)
{
    if (step->A.tensor != tensor && step->B.tensor != tensor)
        return false;
    return step->phase != PLAN_PACK || plan->packings[step->packing].n_terms > 2;
}

static bool is_needed_by(const struct plan *plan, const struct plan_step_list *list, int tensor)
{
    for (int s = 0; s < list->n; s++)
        if (needs_stored(plan, &list->steps[s], tensor))
            return true;
    return false;
}

/* A tensor that nothing reads is left as it is. */
static bool may_be_unstored(const struct plan_builder *builder, int tensor)
{
    const struct plan *plan = builder->plan;
    bool packed = false;
    if (!builder->program->tensors[tensor].fills_packed)
        return false;
    for (int p = 0; p < builder->n_packed; p++)
        packed = packed || builder->packed[p].of == tensor;
    bool needed = is_needed_by(plan, &builder->before, tensor) ||
                  is_needed_by(plan, &builder->iterated, tensor) ||
                  is_needed_by(plan, &builder->final, tensor);
    for (int l = 0; l < builder->program->n_loops; l++)
        needed = needed || is_needed_by(plan, &builder->loops[l], tensor);
    return packed && !needed;
}

/* Takes out the steps that pack unstored tensors; what they make is filled. */
static void drop_packing(struct plan *plan, struct plan_step_list *list)
{
    int n = 0;
    for (int s = 0; s < list->n; s++) {
        const struct plan_step *step = &list->steps[s];
        if (step->phase == PLAN_PACK && plan->tensors[step->A.tensor].unstored) {
            plan->tensors[step->C.tensor].filled_from = step->A.tensor;
            plan->tensors[step->C.tensor].packing = step->packing;
            continue;
        }
        list->steps[n++] = *step;
    }
    list->n = n;
}

void plan_builder_leave_unstored(struct plan_builder *builder)
{
    struct plan *plan = builder->plan;
    for (int t = 0; t < plan->n_program_tensors; t++)
        plan->tensors[t].unstored = may_be_unstored(builder, t);
    drop_packing(plan, &builder->before);
    drop_packing(plan, &builder->iterated);
    drop_packing(plan, &builder->final);
}
