#include "tce/plan/product.h"

#include <stdlib.h>

/* The number of an index of the program in the product, where it may be new. */
static int number_of(struct product *product, const struct program *program, int name)
{
    for (int i = 0; i < product->n_indices; i++)
        if (product->index[i].name == name)
            return i;
    product->index[product->n_indices] =
        (struct product_index){.name = name, .space = program->indices[name].space};
    return product->n_indices++;
}

static struct product_operand operand_of(struct product *product, const struct program *program,
                                         const struct program_factor *factor)
{
    const struct program_tensor *tensor = &program->tensors[factor->tensor];
    struct product_operand operand = {
        .rank = tensor->rank, .irrep = tensor->irrep, .spin = tensor->spin};
    for (int d = 0; d < tensor->rank; d++) {
        operand.index[d] = number_of(product, program, factor->index[d]);
        operand.has_irrep[d] = true;
        operand.sign[d] = tensor->sign[d];
    }
    return operand;
}

enum status product_init(const struct program *program, const struct label_spaces *spaces,
                         const struct program_factor *target, const struct program_term *term,
                         const int version[], struct product *product)
{
    int n_places = program->tensors[target->tensor].rank;
    for (int f = 0; f < term->n_factors; f++)
        n_places += program->tensors[term->factors[f].tensor].rank;
    *product =
        (struct product){.spaces = spaces,
                         .n_factors = term->n_factors,
                         .factor = calloc((size_t)term->n_factors + 1, sizeof *product->factor),
                         .index = calloc((size_t)n_places + 1, sizeof *product->index)};
    if (!product->factor || !product->index) {
        product_fini(product);
        return FAIL(STATUS_NO_MEMORY, "no memory for a product of %d tensors", term->n_factors);
    }
    product->target = operand_of(product, program, target);
    for (int i = 0; i < product->n_indices; i++)
        product->index[i].outer = true;
    for (int f = 0; f < term->n_factors; f++) {
        struct product_factor *factor = &product->factor[f];
        factor->tensor = term->factors[f].tensor;
        factor->version = version[factor->tensor];
        factor->operand = operand_of(product, program, &term->factors[f]);
        for (int d = 0; d < factor->operand.rank; d++)
            product->index[factor->operand.index[d]].factors |= UINT64_C(1) << f;
    }
    return STATUS_OK;
}

void product_fini(struct product *product)
{
    free(product->factor);
    free(product->index);
    *product = (struct product){0};
}

uint64_t product_all(const struct product *product)
{
    return UINT64_MAX >> (64 - product->n_factors);
}

bool product_has(const struct product *product, uint64_t part, int index)
{
    const struct product_index *asked = &product->index[index];
    return (asked->factors & part) != 0 && (asked->outer || (asked->factors & ~part) != 0);
}

int product_rank(const struct product *product, uint64_t part)
{
    int rank = 0;
    for (int i = 0; i < product->n_indices; i++)
        rank += product_has(product, part, i);
    return rank;
}
