/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/products.h"

#include "tce/dense/dense_product.h"

#include <stdlib.h>

/* A product, with its pinned factors. */
struct pinned_product {
    struct step_product product;
    struct operand_block factors[2];
};

struct products {
    const struct block_pairs *steps;
    int n_together;
    struct operands *operands;
    struct block_buffers *buffers;
    struct product_scratch *scratch;
    struct taskpool *polled;
    int n;
    struct pinned_product pinned[PRODUCTS_MAX_TOGETHER];
    struct dense_product dense[PRODUCTS_MAX_TOGETHER];
};

int64_t products_bytes(void)
{
    return product_scratch_bytes();
}

static enum status create_operands(struct products *products, int n, struct factor_view (*views)[2],
                                   const struct contraction_settings *settings)
{
    struct factor *factors = calloc(2 * (size_t)n + 1, sizeof *factors);
    TRY(CHECK_MEMORY(factors, "no memory for the factors of %d steps", n));
    for (int i = 0; i < 2 * n; i++) {
        const struct block_pairs *step = &products->steps[i / 2];
        bool is_A = i % 2 == 0;
        factors[i].tensor = is_A ? step->problem->A.tensor : step->problem->B.tensor;
        factors[i].own = is_A ? step->indices.A : step->indices.B;
        if (views)
            factors[i].view = views[i / 2][i % 2];
    }
    enum status status = operands_create(2 * n, factors, settings, &products->operands);
    free(factors);
    return status;
}

enum status products_create(int n, const struct block_pairs steps[], struct factor_view (*views)[2],
                            const struct contraction_settings *settings, int n_together,
                            struct taskpool *polled, struct products **products)
{
    struct products *made = *products = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for products of blocks"));
    made->steps = steps;
    made->n_together = n_together;
    made->buffers = settings->buffers;
    made->polled = polled;
    TRY(create_operands(made, n, views, settings));
    return product_scratch_create(made->buffers, &made->scratch);
}

/* --- factors --- */

/* The number of a factor among the operands. */
static int factor_number(const struct products *products, const struct step_product *product, int f)
{
    return 2 * (int)(product->step - products->steps) + f;
}

static enum status pin_factor(const struct products *products, int f, struct pinned_product *pinned)
{
    const struct step_product *product = &pinned->product;
    const struct index_list *own = f == 0 ? &product->step->indices.A : &product->step->indices.B;
    if (!product->local[f])
        return operands_pin(products->operands, factor_number(products, product, f),
                            &product->block[f], product->extent, &pinned->factors[f]);
    pinned->factors[f] = (struct operand_block){.elements = product->local[f],
                                                .strides = block_strides_of(own, product->extent),
                                                .sign = 1};
    return STATUS_OK;
}

/* The first n factors. */
static void release_factors(const struct products *products, const struct pinned_product *pinned,
                            int n)
{
    const struct step_product *product = &pinned->product;
    for (int f = n - 1; f >= 0; f--)
        if (!product->local[f])
            operands_release(products->operands, factor_number(products, product, f),
                             &product->block[f]);
}

/* --- products --- */

/* A larger block does not fit into a second-level cache, from which products read. */
enum { MAX_NEAR_ELEMENTS = 64 * 1024 };

/* Products pack their blocks in short strides, which hardware does not foresee: small blocks that lie in
 * memory are read several times slower than what one sweep asked for. */
static void bring_near(const struct operand_block *block)
{
    const int64_t line = 64 / sizeof(double);
    for (int64_t i = 0; i < block->n_stored && block->n_stored <= MAX_NEAR_ELEMENTS; i += line)
        __builtin_prefetch(block->elements + i, 0, 2);
}

static void set_product(const struct pinned_product *pinned, const struct product_target *target,
                        struct dense_product *dense)
{
    const struct step_product *product = &pinned->product;
    const struct operand_block *A = &pinned->factors[0], *B = &pinned->factors[1];
    const struct block_strides of_C = block_strides_of(&product->step->indices.C, product->extent);
    *dense = (struct dense_product){.n = MAX_INDICES,
                                    .C = target->elements,
                                    .A = A->elements,
                                    .B = B->elements,
                                    .form_A = A->form,
                                    .form_B = B->form,
                                    .factor = A->sign * B->sign * product->step->problem->factor,
                                    .add = target->add};
    for (int x = 0; x < MAX_INDICES; x++) {
        dense->dimension[x].extent = product->extent[x];
        dense->dimension[x].stride[SIDE_C] = of_C.of[x];
        dense->dimension[x].stride[SIDE_A] = A->strides.of[x];
        dense->dimension[x].stride[SIDE_B] = B->strides.of[x];
    }
}

_Static_assert((int)MAX_INDICES <= (int)PRODUCT_MAX_DIMENSIONS,
               "each index of a step is a dimension of its products");

void products_run(struct products *products)
{
    for (int i = 0; i < products->n; i++)
        for (int f = 0; f < 2; f++)
            bring_near(&products->pinned[i].factors[f]);
    if (products->n > 0)
        dense_products_run(products->n, products->dense, products->scratch);
    for (int i = 0; i < products->n; i++)
        release_factors(products, &products->pinned[i], 2);
    if (products->n > 0 && products->polled)
        taskpool_poll(products->polled);
    products->n = 0;
}

/* Without B: the factor is copied, summed over what C lacks. */
static void copy_factor(const struct pinned_product *pinned, const struct product_target *target)
{
    const struct step_product *product = &pinned->product;
    const struct operand_block *A = &pinned->factors[0];
    blocks_copy(&A->strides, &product->step->indices.C, product->extent,
                A->sign * product->step->problem->factor, A->elements, target->add,
                target->elements);
}

static void announce(const struct products *products, const struct step_product *next)
{
    for (int f = 0; f < 1 + next->step->problem->has_B; f++)
        if (!next->local[f])
            operands_announce(products->operands, factor_number(products, next, f),
                              &next->block[f]);
}

enum status products_add(struct products *products, const struct step_product *product,
                         const struct step_product *next, struct product_target *target)
{
    bool has_B = product->step->problem->has_B;
    int n_factors = 1 + has_B;
    if (!has_B)
        products_run(products);
    struct pinned_product *pinned = &products->pinned[products->n];
    *pinned = (struct pinned_product){.product = *product};
    for (int f = 0; f < n_factors; f++) {
        enum status status = pin_factor(products, f, pinned);
        if (status != STATUS_OK) {
            release_factors(products, pinned, f);
            return status;
        }
    }
    if (next)
        announce(products, next);
    if (has_B) {
        set_product(pinned, target, &products->dense[products->n++]);
    } else {
        copy_factor(pinned, target);
        release_factors(products, pinned, 1);
    }
    target->add = true;
    if (products->n == products->n_together)
        products_run(products);
    return STATUS_OK;
}

/* After a failure products may be pinned that were not multiplied. */
void products_destroy(struct products *products)
{
    if (!products)
        return;
    for (int i = 0; i < products->n; i++)
        release_factors(products, &products->pinned[i], 2);
    product_scratch_destroy(products->buffers, products->scratch);
    operands_destroy(products->operands);
    free(products);
}
