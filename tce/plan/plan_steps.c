/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/base/array.h"
#include "tce/plan/plan_builder.h"

#include <stdio.h>
#include <string.h>

/* The step's numbers of an operand's indices; new names are given the next number. */
static struct plan_operand number_indices(const struct product *product,
                                          const struct product_factor *factor,
                                          struct plan_step *step)
{
    struct plan_operand numbered = {.tensor = factor->tensor};
    for (int d = 0; d < factor->operand.rank; d++) {
        const struct product_index *index = &product->index[factor->operand.index[d]];
        int number = 0;
        while (step->name[number] >= 0 &&
               (step->name[number] != index->name || step->with[number] != index->with))
            number++;
        step->name[number] = index->name;
        step->with[number] = index->with;
        numbered.index[d] = number;
    }
    return numbered;
}

/* A step without tensors. */
static struct plan_step make_empty_step(int statement)
{
    struct plan_step step = {
        .phase = PLAN_CONTRACT, .loop = -1, .statement = statement, .B.tensor = -1, .factor = 1};
    for (int i = 0; i < MAX_INDICES; i++)
        step.name[i] = step.with[i] = -1;
    return step;
}

struct plan_step plan_builder_step(const struct plan_builder *builder, int statement,
                                   const struct product *product, const struct product_factor *C,
                                   const struct product_factor *A, const struct product_factor *B)
{
    const struct plan_tensor *tensors = builder->plan->tensors;
    struct plan_step step = make_empty_step(statement);
    bool has_B = B && B->tensor >= 0;
    bool swap =
        has_B && C->operand.rank == 0 && tensors[A->tensor].elements < tensors[B->tensor].elements;
    step.C = number_indices(product, C, &step);
    step.A = number_indices(product, swap ? B : A, &step);
    if (has_B)
        step.B = number_indices(product, swap ? A : B, &step);
    return step;
}

enum plan_time plan_builder_time(const struct plan_builder *builder, int statement)
{
    if (statement < builder->program->first_iterated)
        return PLAN_BEFORE;
    return statement < builder->program->first_final ? PLAN_ITERATED : PLAN_FINAL;
}

static enum status append_step(struct plan_step_list *list, const struct plan_step *step)
{
    TRY(array_append(&list->steps, &list->n, sizeof *list->steps));
    list->steps[list->n - 1] = *step;
    return STATUS_OK;
}

enum status plan_builder_append(struct plan_builder *builder, struct plan_step_list *list,
                                struct plan_step step)
{
    bool *is_set = &builder->plan->tensors[step.C.tensor].is_set;
    step.add = *is_set;
    *is_set = true;
    return append_step(list, &step);
}

enum status plan_builder_intermediate(struct plan_builder *builder, const struct product *product,
                                      int loop, struct product_factor *made)
{
    struct plan *plan = builder->plan;
    const struct product_operand *operand = &made->operand;
    struct block_labels labels = {
        .rank = operand->rank, .irrep = operand->irrep, .spin = operand->spin};
    for (int d = 0; d < operand->rank; d++) {
        int space = product->index[operand->index[d]].space;
        labels.space[d] = label_spaces_with(&plan->spaces, space, operand->has_irrep[d]);
        labels.sign[d] = operand->sign[d];
    }
    char name[16];
    made->tensor = plan->n_tensors;
    snprintf(name, sizeof name, "#%d", made->tensor - plan->n_program_tensors + 1);
    return plan_builder_add_tensor(plan, name, &labels, loop);
}

/* An intermediate that is there, with its indices named as this product does. */
static struct product_factor use_part(const struct plan_part *part, const struct product_key *key)
{
    struct product_factor use = part->made;
    for (int d = 0; d < use.operand.rank; d++)
        use.operand.index[d] = key->index[use.operand.index[d]];
    return use;
}

static void remember_made(const struct product_key *key, const struct product_factor *made,
                          struct plan_part *part)
{
    part->made = *made;
    for (int d = 0; d < made->operand.rank; d++) {
        int number = 0;
        while (key->index[number] != made->operand.index[d])
            number++;
        part->made.operand.index[d] = number;
    }
}

enum status plan_builder_contract(struct plan_builder *builder,
                                  const struct plan_contraction *contraction)
{
    const struct product_factor *A = &contraction->A, *B = &contraction->B;
    struct plan_step step = plan_builder_step(builder, contraction->term->statement,
                                              contraction->product, &contraction->C, A, B);
    step.factor = contraction->factor;
    TRY(product_count(contraction->product, &A->operand, B->tensor >= 0 ? &B->operand : NULL,
                      &step.flops));
    step.flops *= 2;
    return plan_builder_append(builder, contraction->list, step);
}

static enum status make_part(struct plan_builder *builder, const struct plan_term *term,
                             uint64_t part, struct plan_step_list *list,
                             struct product_factor *made);

/* Appends the steps of a part; C becomes a new intermediate where it is not the target. */
static enum status append_part(struct plan_builder *builder, uint64_t part,
                               struct plan_contraction *contraction)
{
    const struct plan_term *term = contraction->term;
    struct product_factor *C = &contraction->C, *A = &contraction->A, *B = &contraction->B;
    uint64_t left = term->node[part].left;
    bool has_B = left != 0, made = false;
    B->tensor = -1;
    if (has_B) {
        TRY(make_part(builder, term, left, contraction->list, A));
        TRY(make_part(builder, term, part & ~left, contraction->list, B));
    } else {
        *A = term->product.factor[__builtin_ctzll(part)];
    }
    if (!contraction->into_target) {
        product_combine(&term->product, part, &A->operand, has_B ? &B->operand : NULL, &C->operand);
        TRY(plan_builder_intermediate(builder, &term->product, term->loop, C));
    }
    if (has_B && term->loop < 0)
        TRY(plan_builder_pairs(builder, contraction, &made));
    return made ? STATUS_OK : plan_builder_contract(builder, contraction);
}

/* Whether a part that the iterations want does not change in them. */
static bool is_constant(const struct plan_builder *builder, const struct plan_term *term,
                        uint64_t part)
{
    if (plan_builder_time(builder, term->statement) != PLAN_ITERATED || term->loop >= 0)
        return false;
    for (int f = 0; f < term->product.n_factors; f++)
        if ((part >> f & 1) && builder->changes[term->product.factor[f].tensor])
            return false;
    return true;
}

static enum status make_part(struct plan_builder *builder, const struct plan_term *term,
                             uint64_t part, struct plan_step_list *list,
                             struct product_factor *made)
{
    struct plan_contraction contraction = {.term = term, .product = &term->product, .factor = 1};
    struct product_key key;
    *made = term->product.factor[__builtin_ctzll(part)];
    if (term->node[part].is_factor)
        return STATUS_OK;
    product_key(&term->product, part, &key);
    struct plan_part *shared = term->loop < 0 ? plan_builder_find(builder, &key) : NULL;
    if (shared && shared->made.tensor >= 0) {
        *made = use_part(shared, &key);
        return STATUS_OK;
    }
    contraction.list = is_constant(builder, term, part) ? &builder->steps[PLAN_BEFORE] : list;
    TRY(append_part(builder, part, &contraction));
    *made = contraction.C;
    if (shared)
        remember_made(&key, made, shared);
    return STATUS_OK;
}

/* Whether the whole product becomes an intermediate that is then copied: it is wanted
 * again, or it is kept for the iterations. */
static bool is_shared(const struct plan_builder *builder, const struct plan_term *term)
{
    const uint64_t all = product_all(&term->product);
    struct product_key key;
    if (!term->pays)
        return false;
    product_key(&term->product, all, &key);
    return is_constant(builder, term, all) || plan_builder_find(builder, &key)->n_uses > 1;
}

/* A step that stands for a whole loop. */
static enum status append_loop(struct plan_builder *builder, int loop)
{
    const struct program *program = builder->program;
    const struct program_loop *of = &program->loops[loop];
    int scalar = -1;
    for (int s = of->first_statement; s < of->end_statement; s++)
        if (program->tensors[program->statements[s].target.tensor].loop < 0)
            scalar = program->statements[s].target.tensor;
    if (scalar < 0)
        return source_fail(program->file, of->place,
                           "this loop computes nothing that outlasts it: sum a scalar in it");
    struct plan_step step = make_empty_step(of->first_statement);
    step.loop = loop;
    step.C.tensor = step.A.tensor = scalar;
    step.add = true;
    return append_step(&builder->steps[plan_builder_time(builder, of->first_statement)], &step);
}

static enum status make_term(struct plan_builder *builder, const struct plan_term *term,
                             struct plan_step_list *list)
{
    const uint64_t all = product_all(&term->product);
    struct plan_contraction contraction = {.term = term,
                                           .product = &term->product,
                                           .list = list,
                                           .factor = term->of->coefficient,
                                           .into_target = true,
                                           .C = term->product.target,
                                           .B.tensor = -1};
    if (!is_shared(builder, term))
        return append_part(builder, all, &contraction);
    TRY(make_part(builder, term, all, list, &contraction.A));
    return plan_builder_contract(builder, &contraction);
}

enum status plan_builder_steps(struct plan_builder *builder)
{
    const struct program_statement *statements = builder->program->statements;
    for (int t = 0; t < builder->n_terms; t++) {
        const struct plan_term *term = &builder->terms[t];
        const struct program_statement *statement = &statements[term->statement];
        struct plan_step_list *list =
            term->loop >= 0 ? &builder->loops[term->loop]
                            : &builder->steps[plan_builder_time(builder, term->statement)];
        if (term->loop >= 0 && list->n == 0)
            TRY(append_loop(builder, term->loop));
        if (t == 0 || term[-1].statement != term->statement)
            builder->plan->tensors[statement->target.tensor].is_set = statement->add;
        TRY(make_term(builder, term, list));
        if (t == builder->n_terms - 1 || term[1].statement != term->statement)
            TRY(plan_builder_unpack(builder, 0, list));
    }
    return STATUS_OK;
}
