#include "tce/plan/plan_builder.h"

static void use(struct plan *plan, const struct plan_operand *operand, int step)
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
        use(plan, &step->C, s);
        use(plan, &step->A, s);
        use(plan, &step->B, s);
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

void plan_builder_lifetimes(struct plan *plan)
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
