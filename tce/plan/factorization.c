#include "tce/plan/factorization.h"

#include <stdlib.h>

/* Whether an index occurs in this factor only and vanishes, or twice and stays once: only
 * the first asks for a sum. */
static bool needs_sum(const struct product *product, int f)
{
    const struct product_operand *operand = &product->factor[f].operand;
    for (int d = 0; d < operand->rank; d++)
        if (!product_has(product, UINT64_C(1) << f, operand->index[d]))
            return true;
    return false;
}

static enum status add_factor(const struct product *product, int f,
                              struct factorization *factorization)
{
    struct factorization_node *node = &factorization->node[factorization->n_nodes++];
    const struct product_operand *operand = &product->factor[f].operand;
    *node = (struct factorization_node){
        .part = UINT64_C(1) << f, .left = -1, .right = -1, .is_factor = true, .operand = *operand};
    if (product->n_factors > 1 && !needs_sum(product, f))
        return STATUS_OK;
    node->is_factor = false;
    product_combine(product, node->part, operand, NULL, &node->operand);
    return product_flops(product, operand, NULL, product->n_factors == 1, &node->flops);
}

static enum status search(const struct product *product, factorization_use *use, void *context,
                          struct factorization *factorization)
{
    for (int f = 0; f < product->n_factors; f++)
        TRY(add_factor(product, f, factorization));
    factorization->possible = true;
    if (product->n_factors == 1)
        return STATUS_OK;
    if (product->n_factors <= FACTORIZATION_EXHAUSTIVE)
        return factorization_search_all(product, use, context, factorization);
    return factorization_search_greedily(product, factorization);
}

enum status factorization_init(const struct product *product, factorization_use *use, void *context,
                               struct factorization *factorization)
{
    size_t n_nodes = 2 * (size_t)product->n_factors;
    *factorization = (struct factorization){.node = calloc(n_nodes, sizeof *factorization->node)};
    if (!factorization->node)
        return FAIL(STATUS_NO_MEMORY, "no memory for a product of %d tensors", product->n_factors);
    enum status status = search(product, use, context, factorization);
    if (status != STATUS_OK)
        factorization_fini(factorization);
    return status;
}

void factorization_fini(struct factorization *factorization)
{
    free(factorization->node);
    *factorization = (struct factorization){0};
}
