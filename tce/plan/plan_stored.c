/* SPDX-License-Identifier: BSD-3-Clause */
/* The pass over storage. Tensors that are read by what packs them alone are not stored where what fills them can
 * fill the packed ones, too. Of tensors with symmetry only those blocks are stored, and computed, that the
 * symmetry does not make of others: of those that are filled or packed, or written by statements, and read by
 * contractions and by packing alone. Unknowns of iterations and loops over tiles know whole tensors. */
#include "tce/plan/plan_builder.h"

/* Blocks of a tensor whose stored ones may be listed. */
enum { MOST_LISTED = 1 << 20 };

/* Whether steps read the tensor other than to pack it in a way that blocks may be added to in any
 * order (packing.h). */
static bool is_read(const struct plan *plan, int n, const struct plan_step steps[], int tensor)
{
    for (int s = 0; s < n; s++)
        if ((steps[s].A.tensor == tensor || steps[s].B.tensor == tensor) &&
            (steps[s].phase != PLAN_PACK || plan->tensors[steps[s].C.tensor].packing->n_terms > 2))
            return true;
    return false;
}

static bool is_read_in_loop(const struct plan *plan, int tensor)
{
    for (int l = 0; l < plan->program->n_loops; l++)
        if (is_read(plan, plan->loops[l].n_steps, plan->loops[l].steps, tensor))
            return true;
    return false;
}

/* A tensor that nothing reads is left as it is. */
static bool may_be_unstored(const struct plan_builder *builder, int tensor)
{
    const struct plan *plan = builder->plan;
    bool packed = false;
    for (int p = 0; p < builder->n_packed; p++)
        packed = packed || builder->packed[p].of == tensor;
    return packed && builder->program->tensors[tensor].fills_packed &&
           !is_read(plan, plan->n_steps, plan->steps, tensor) && !is_read_in_loop(plan, tensor);
}

/* Takes out the steps that pack unstored tensors; what they make is filled. */
static void drop_packing(struct plan *plan)
{
    int n = 0, first_iterated = plan->first_iterated, first_final = plan->first_final;
    for (int s = 0; s < plan->n_steps; s++) {
        const struct plan_step *step = &plan->steps[s];
        if (step->phase != PLAN_PACK || !plan->tensors[step->A.tensor].unstored) {
            plan->steps[n++] = *step;
            continue;
        }
        plan->tensors[step->C.tensor].filled_from = step->A.tensor;
        plan->first_iterated -= s < first_iterated;
        plan->first_final -= s < first_final;
    }
    plan->n_steps = n;
}

/* Whether the tensor is outside of loops and no unknown. */
static bool keeps_symmetry(const struct program *program, int tensor)
{
    for (int u = 0; u < program->n_unknowns; u++)
        if (program->unknowns[u].tensor == tensor || program->unknowns[u].residual == tensor)
            return false;
    return program->tensors[tensor].loop < 0;
}

/* Stores only the blocks that the symmetry, which stays, does not make of others. */
static enum status store_unique(struct plan_tensor *tensor, const struct symmetry *symmetry)
{
    struct block_index *blocks;
    if (symmetry->n < 2)
        return STATUS_OK;
    TRY(block_index_create(&tensor->labels, &blocks));
    bool few = block_index_n(blocks) <= MOST_LISTED;
    block_index_destroy(blocks);
    if (!few)
        return STATUS_OK;
    tensor->labels.symmetry = symmetry;
    tensor->elements = tensor_count_elements(&tensor->labels);
    return STATUS_OK;
}

/* Stores the unique blocks of a tensor of the program; contractions compute these only. */
static enum status store_unique_of_program(struct plan *plan, int t)
{
    struct plan_tensor *tensor = &plan->tensors[t];
    double all = tensor->elements;
    if (tensor->unstored || !keeps_symmetry(plan->program, t) || is_read_in_loop(plan, t))
        return STATUS_OK;
    TRY(store_unique(tensor, &plan->program->tensors[t].symmetry));
    for (int s = 0; s < plan->n_steps && tensor->elements < all; s++)
        if (plan->steps[s].C.tensor == t && plan->steps[s].phase == PLAN_CONTRACT)
            plan->steps[s].flops *= tensor->elements / all;
    return STATUS_OK;
}

/* Stores the unique blocks of a packed tensor under the symmetry that its positions inherit. */
static enum status store_unique_pairs(struct plan *plan, const struct plan_packed *packed)
{
    struct plan_tensor *tensor = &plan->tensors[packed->tensor];
    if (packed->of >= plan->n_program_tensors)
        return STATUS_OK;
    TRY(packing_symmetry(tensor->packing, &plan->program->tensors[packed->of].symmetry,
                         &tensor->inherited));
    return store_unique(tensor, &tensor->inherited);
}

enum status plan_builder_store(struct plan_builder *builder)
{
    struct plan *plan = builder->plan;
    for (int t = 0; t < plan->n_program_tensors; t++)
        plan->tensors[t].unstored = may_be_unstored(builder, t);
    drop_packing(plan);
    for (int t = 0; t < plan->n_program_tensors; t++)
        TRY(store_unique_of_program(plan, t));
    for (int p = 0; p < builder->n_packed; p++)
        TRY(store_unique_pairs(plan, &builder->packed[p]));
    return STATUS_OK;
}
