/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/base/array.h"
#include "tce/plan/plan_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A tensor with indices of the product at hand. */
struct plan_use {
    int tensor;
    struct product_operand operand;
};

/* The step's numbers of an operand's indices; new names are given the next number. */
static struct plan_operand number_operand(const struct product *product, const struct plan_use *use,
                                          struct plan_step *step)
{
    struct plan_operand numbered = {.tensor = use->tensor};
    for (int d = 0; d < use->operand.rank; d++) {
        int name = product->index[use->operand.index[d]].name, number = 0;
        while (step->name[number] >= 0 && step->name[number] != name)
            number++;
        step->name[number] = name;
        numbered.index[d] = number;
    }
    return numbered;
}

/* A step of which no tensor is known yet. */
static enum status append_empty_step(struct plan_step_list *list, int statement,
                                     struct plan_step **appended)
{
    TRY(array_append(&list->steps, &list->n, sizeof *list->steps));
    struct plan_step *step = &list->steps[list->n - 1];
    *step = (struct plan_step){
        .loop = -1, .statement = statement, .B.tensor = -1, .factor = 1, .create = -1};
    for (int i = 0; i < MAX_INDICES; i++)
        step->name[i] = -1;
    *appended = step;
    return STATUS_OK;
}

/* Appends C = A * B, or C = A if B is NULL, and returns it for what else is to be set. */
static enum status append_step(struct plan_step_list *list, const struct plan_term *term,
                               const struct plan_use *C, const struct plan_use *A,
                               const struct plan_use *B, struct plan_step **appended)
{
    struct plan_step *step;
    TRY(append_empty_step(list, term->statement, &step));
    step->C = number_operand(&term->product, C, step);
    step->A = number_operand(&term->product, A, step);
    if (B)
        step->B = number_operand(&term->product, B, step);
    *appended = step;
    return STATUS_OK;
}

/* A new intermediate with the labels of use->operand; sets use->tensor. */
static enum status add_intermediate(struct plan_builder *builder, const struct plan_term *term,
                                    struct plan_use *use)
{
    const struct product *product = &term->product;
    struct plan *plan = builder->plan;
    const struct product_operand *operand = &use->operand;
    TRY(array_append(&plan->tensors, &plan->n_tensors, sizeof *plan->tensors));
    use->tensor = plan->n_tensors - 1;
    struct plan_tensor *tensor = &plan->tensors[use->tensor];
    *tensor = (struct plan_tensor){
        .loop = builder->program->statements[term->statement].loop,
        .labels = {.rank = operand->rank, .irrep = operand->irrep, .spin = operand->spin}};
    for (int d = 0; d < operand->rank; d++) {
        int space = product->index[operand->index[d]].space;
        tensor->labels.space[d] = label_spaces_with(&plan->spaces, space, operand->has_irrep[d]);
        tensor->labels.sign[d] = operand->sign[d];
    }
    TRY(product_count(product, 1, &operand, &tensor->elements));
    char name[16];
    snprintf(name, sizeof name, "#%d", plan->n_tensors - plan->n_program_tensors);
    tensor->name = strdup(name);
    return CHECK_MEMORY(tensor->name, "no memory for intermediate %s", name);
}

/* An intermediate that is there, with its indices named as this product does. */
static void use_made(const struct plan_builder *builder, const struct plan_made *made,
                     const struct product_key *key, struct plan_use *use)
{
    const struct block_labels *labels = &builder->plan->tensors[made->tensor].labels;
    const struct label_spaces *spaces = &builder->plan->spaces;
    *use = (struct plan_use){
        .tensor = made->tensor,
        .operand = {.rank = labels->rank, .irrep = labels->irrep, .spin = labels->spin}};
    for (int d = 0; d < labels->rank; d++) {
        use->operand.index[d] = key->index[made->number[d]];
        use->operand.sign[d] = labels->sign[d];
        use->operand.has_irrep[d] = true;
        for (int s = 0; s < spaces->n; s++)
            if (labels->space[d] == spaces->spaces[s].without_irreps)
                use->operand.has_irrep[d] = false;
    }
}

static void remember_made(const struct product_key *key, const struct plan_use *use,
                          struct plan_made *made)
{
    made->tensor = use->tensor;
    for (int d = 0; d < use->operand.rank; d++) {
        made->number[d] = 0;
        while (key->index[made->number[d]] != use->operand.index[d])
            made->number[d]++;
    }
}

static enum status make_node(struct plan_builder *builder, const struct plan_term *term, int number,
                             struct plan_step_list *list, struct plan_use *use);

/* The tensors that a node's step reads: a factor as it is, or what its parts have become. */
static enum status make_operands(struct plan_builder *builder, const struct plan_term *term,
                                 const struct factorization_node *node, struct plan_step_list *list,
                                 struct plan_use *A, struct plan_use *B)
{
    if (node->left >= 0) {
        TRY(make_node(builder, term, node->left, list, A));
        return make_node(builder, term, node->right, list, B);
    }
    const struct product_factor *factor = &term->product.factor[__builtin_ctzll(node->part)];
    *A = (struct plan_use){.tensor = factor->tensor, .operand = factor->operand};
    return STATUS_OK;
}

static double elements_of(const struct plan_builder *builder, const struct plan_use *use)
{
    return builder->plan->tensors[use->tensor].elements;
}

/* Appends the step of a node, into C; its labels, if *C is new, are made here. */
static enum status append_node(struct plan_builder *builder, const struct plan_term *term,
                               const struct factorization_node *node, struct plan_step_list *list,
                               struct plan_use *C, bool is_new, struct plan_step **step)
{
    struct plan_use A, B;
    bool has_B = node->left >= 0;
    TRY(make_operands(builder, term, node, list, &A, &B));
    if (is_new) {
        product_combine(&term->product, node->part, &A.operand, has_B ? &B.operand : NULL,
                        &C->operand);
        TRY(add_intermediate(builder, term, C));
    }
    /* The tasks of a scalar are the blocks of A. */
    bool swap =
        has_B && C->operand.rank == 0 && elements_of(builder, &A) < elements_of(builder, &B);
    TRY(append_step(list, term, C, swap ? &B : &A, has_B ? swap ? &A : &B : NULL, step));
    return product_flops(&term->product, &A.operand, has_B ? &B.operand : NULL, !is_new,
                         &(*step)->flops);
}

static bool is_in_loop(const struct plan_builder *builder, const struct plan_term *term)
{
    return builder->program->statements[term->statement].loop >= 0;
}

/* Whether a part that the iterations want does not change in them. */
static bool is_constant(const struct plan_builder *builder, const struct plan_term *term,
                        uint64_t part)
{
    if (term->statement < builder->program->first_iterated ||
        term->statement >= builder->program->first_final || is_in_loop(builder, term))
        return false;
    for (int f = 0; f < term->product.n_factors; f++)
        if ((part >> f & 1) && builder->changes[term->product.factor[f].tensor])
            return false;
    return true;
}

static enum status make_node(struct plan_builder *builder, const struct plan_term *term, int number,
                             struct plan_step_list *list, struct plan_use *use)
{
    const struct factorization_node *node = &term->factorization.node[number];
    struct product_key key;
    struct plan_step *step;
    *use = (struct plan_use){0};
    if (node->is_factor)
        return make_operands(builder, term, node, list, use, NULL);
    bool has_key = !is_in_loop(builder, term) && product_key(&term->product, node->part, &key);
    struct plan_part *part = has_key ? plan_builder_find(builder, &key) : NULL;
    if (part && part->before.tensor >= 0) {
        use_made(builder, &part->before, &key, use);
        return STATUS_OK;
    }
    if (part && list != &builder->before && part->iterated.tensor >= 0) {
        use_made(builder, &part->iterated, &key, use);
        return STATUS_OK;
    }
    if (is_constant(builder, term, node->part))
        list = &builder->before;
    TRY(append_node(builder, term, node, list, use, true, &step));
    step->create = use->tensor;
    if (part)
        remember_made(&key, use, list == &builder->before ? &part->before : &part->iterated);
    return STATUS_OK;
}

/* Whether the whole product becomes an intermediate that is then copied: it is wanted
 * again, or it is kept for the iterations. */
static enum status is_shared(const struct plan_builder *builder, const struct plan_term *term,
                             bool *shared)
{
    const struct factorization *factorization = &term->factorization;
    const struct factorization_node *root = &factorization->node[factorization->n_nodes - 1];
    struct product_key key;
    *shared = false;
    if (is_in_loop(builder, term))
        return STATUS_OK;
    TRY(plan_builder_pays(term, shared));
    *shared = *shared && product_key(&term->product, root->part, &key);
    *shared = *shared && (is_constant(builder, term, root->part) ||
                          plan_builder_find(builder, &key)->n_uses > 1);
    return STATUS_OK;
}

/* The list of the steps of a statement outside of loops. */
static struct plan_step_list *list_of_statement(struct plan_builder *builder, int statement)
{
    const struct program *program = builder->program;
    if (statement < program->first_iterated)
        return &builder->before;
    return statement < program->first_final ? &builder->iterated : &builder->final;
}

/* A step that stands for a whole loop. */
static enum status append_loop(struct plan_builder *builder, int loop)
{
    const struct program *program = builder->program;
    const struct program_loop *of = &program->loops[loop];
    struct plan_step_list *list = list_of_statement(builder, of->first_statement);
    int scalar = -1;
    for (int s = of->first_statement; s < of->end_statement; s++)
        if (program->tensors[program->statements[s].target.tensor].loop < 0)
            scalar = program->statements[s].target.tensor;
    if (scalar < 0)
        return source_fail(program->file, of->place,
                           "this loop computes nothing that outlasts it: sum a scalar in it");
    struct plan_step *step;
    TRY(append_empty_step(list, of->first_statement, &step));
    step->loop = loop;
    step->C.tensor = scalar;
    step->A.tensor = scalar;
    step->add = true;
    return STATUS_OK;
}

static enum status make_term(struct plan_builder *builder, const struct plan_term *term)
{
    const struct program *program = builder->program;
    int loop = program->statements[term->statement].loop;
    struct plan_step_list *list =
        loop >= 0 ? &builder->loops[loop] : list_of_statement(builder, term->statement);
    if (loop >= 0 && list->n == 0)
        TRY(append_loop(builder, loop));
    const int root = term->factorization.n_nodes - 1;
    struct plan_use target = {.tensor = program->statements[term->statement].target.tensor,
                              .operand = term->product.target};
    struct plan_use whole;
    struct plan_step *step;
    bool shared;
    TRY(is_shared(builder, term, &shared));
    if (shared) {
        TRY(make_node(builder, term, root, list, &whole));
        TRY(append_step(list, term, &target, &whole, NULL, &step));
        TRY(product_flops(&term->product, &whole.operand, NULL, true, &step->flops));
    } else {
        TRY(append_node(builder, term, &term->factorization.node[root], list, &target, false,
                        &step));
    }
    step->factor = term->coefficient;
    step->add = term->add;
    step->tried =
        program->statements[term->statement].tries_symmetry &&
        (term + 1 == builder->terms + builder->n_terms || term[1].statement != term->statement);
    return STATUS_OK;
}

enum status plan_builder_steps(struct plan_builder *builder)
{
    for (int t = 0; t < builder->n_terms; t++)
        TRY(make_term(builder, &builder->terms[t]));
    return STATUS_OK;
}
