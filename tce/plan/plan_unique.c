/* SPDX-License-Identifier: BSD-3-Clause */
/* Tensors of which only those blocks are stored, and computed, that their symmetry does not make of others: what
 * is filled or packed, or written by statements, and read by contractions and by packing
 * alone. Unknowns of iterations and loops over tiles know whole tensors. */
#include "tce/plan/plan_builder.h"

/* Blocks of a tensor whose stored ones may be listed. */
enum { MOST_LISTED = 1 << 20 };

static bool is_read_in_loop(const struct plan_builder *builder, int tensor)
{
    for (int l = 0; l < builder->program->n_loops; l++)
        for (int s = 0; s < builder->loops[l].n; s++) {
            const struct plan_step *step = &builder->loops[l].steps[s];
            if (step->A.tensor == tensor || step->B.tensor == tensor)
                return true;
        }
    return false;
}

/* Whether the tensor is outside of loops and no unknown. */
static bool keeps_symmetry(const struct program *program, int tensor)
{
    for (int u = 0; u < program->n_unknowns; u++)
        if (program->unknowns[u].tensor == tensor || program->unknowns[u].residual == tensor)
            return false;
    return program->tensors[tensor].loop < 0;
}

/* Contractions compute what is stored. */
static void scale_flops(struct plan_step_list *list, int tensor, double fraction)
{
    for (int s = 0; s < list->n; s++)
        if (list->steps[s].C.tensor == tensor && list->steps[s].phase == PLAN_CONTRACT)
            list->steps[s].flops *= fraction;
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

/* A packed tensor has what its places inherit. */
static enum status store_unique_pairs(const struct plan_builder *builder,
                                      const struct plan_packed *packed)
{
    struct plan *plan = builder->plan;
    struct plan_tensor *tensor = &plan->tensors[packed->tensor];
    if (packed->of >= plan->n_program_tensors || is_read_in_loop(builder, packed->tensor))
        return STATUS_OK;
    TRY(packing_symmetry(&plan->packings[packed->packing],
                         &builder->program->tensors[packed->of].symmetry, &tensor->inherited));
    return store_unique(tensor, &tensor->inherited);
}

enum status plan_builder_store_unique(struct plan_builder *builder)
{
    struct plan *plan = builder->plan;
    for (int t = 0; t < plan->n_program_tensors; t++) {
        double all = plan->tensors[t].elements;
        if (plan->tensors[t].unstored || !keeps_symmetry(builder->program, t) ||
            is_read_in_loop(builder, t))
            continue;
        TRY(store_unique(&plan->tensors[t], &builder->program->tensors[t].symmetry));
        double fraction = all > 0 ? plan->tensors[t].elements / all : 1;
        scale_flops(&builder->before, t, fraction);
        scale_flops(&builder->iterated, t, fraction);
        scale_flops(&builder->final, t, fraction);
    }
    for (int p = 0; p < builder->n_packed; p++)
        TRY(store_unique_pairs(builder, &builder->packed[p]));
    return STATUS_OK;
}
