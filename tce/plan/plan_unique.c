/* SPDX-License-Identifier: BSD-3-Clause */
/* Tensors of which only those blocks are stored that their symmetry does not make of others: what is filled or
 * packed, and read by contractions and by packing alone. Statements and loops over tiles know whole tensors. */
#include "tce/plan/plan_builder.h"

#include <stdlib.h>

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

static bool is_filled_only(const struct program *program, int tensor)
{
    for (int s = 0; s < program->n_statements; s++)
        if (program->statements[s].target.tensor == tensor)
            return false;
    for (int u = 0; u < program->n_unknowns; u++)
        if (program->unknowns[u].tensor == tensor)
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
    for (int t = 0; t < plan->n_program_tensors; t++)
        if (!plan->tensors[t].unstored && is_filled_only(builder->program, t) &&
            !is_read_in_loop(builder, t))
            TRY(store_unique(&plan->tensors[t], &builder->program->tensors[t].symmetry));
    for (int p = 0; p < builder->n_packed; p++)
        TRY(store_unique_pairs(builder, &builder->packed[p]));
    return STATUS_OK;
}
