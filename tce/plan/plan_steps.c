/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/base/array.h"
#include "tce/plan/plan_builder.h"

#include <stdio.h>
#include <string.h>

/* The step's numbers of an operand's indices; new names are given the next number. */
static struct plan_operand number_indices(const struct product *product, const struct plan_use *use,
                                          struct plan_step *step)
{
    struct plan_operand numbered = {.tensor = use->tensor};
    for (int d = 0; d < use->operand.rank; d++) {
        const struct product_index *index = &product->index[use->operand.index[d]];
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

/* A step of which no tensor is known yet. */
static struct plan_step make_empty_step(int statement)
{
    struct plan_step step = {.phase = PLAN_CONTRACT,
                             .packing = -1,
                             .loop = -1,
                             .statement = statement,
                             .B.tensor = -1,
                             .factor = 1,
                             .create = -1};
    for (int i = 0; i < MAX_INDICES; i++)
        step.name[i] = step.with[i] = -1;
    return step;
}

struct plan_step plan_builder_step(const struct plan_builder *builder, int statement,
                                   const struct product *product, const struct plan_use *C,
                                   const struct plan_use *A, const struct plan_use *B)
{
    const struct plan_tensor *tensors = builder->plan->tensors;
    struct plan_step step = make_empty_step(statement);
    bool swap =
        B && C->operand.rank == 0 && tensors[A->tensor].elements < tensors[B->tensor].elements;
    step.C = number_indices(product, C, &step);
    step.A = number_indices(product, swap ? B : A, &step);
    if (B)
        step.B = number_indices(product, swap ? A : B, &step);
    return step;
}

enum status plan_builder_append(struct plan_step_list *list, const struct plan_step *step)
{
    TRY(array_append(&list->steps, &list->n, sizeof *list->steps));
    list->steps[list->n - 1] = *step;
    return STATUS_OK;
}

enum status plan_builder_intermediate(struct plan_builder *builder, const struct product *product,
                                      int loop, struct plan_use *use)
{
    struct plan *plan = builder->plan;
    const struct product_operand *operand = &use->operand;
    TRY(array_append(&plan->tensors, &plan->n_tensors, sizeof *plan->tensors));
    use->tensor = plan->n_tensors - 1;
    struct plan_tensor *tensor = &plan->tensors[use->tensor];
    *tensor = (struct plan_tensor){
        .loop = loop,
        .filled_from = -1,
        .packing = -1,
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
                                 const struct plan_node *node, struct plan_step_list *list,
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

bool plan_builder_adds(const struct plan_builder *builder, int statement)
{
    return builder->is_set || builder->program->statements[statement].add;
}

/* Appends C = or += A * B as it is. */
static enum status append_product(struct plan_builder *builder, const struct plan_term *term,
                                  struct plan_step_list *list, const struct plan_write *write,
                                  const struct plan_use *A, const struct plan_use *B)
{
    struct plan_step step =
        plan_builder_step(builder, term->statement, &term->product, &write->C, A, B);
    step.factor = write->factor;
    step.add = !write->is_new && plan_builder_adds(builder, term->statement);
    step.create = write->is_new ? write->C.tensor : -1;
    builder->is_set = builder->is_set || !write->is_new;
    TRY(product_flops(&term->product, &A->operand, B ? &B->operand : NULL, !write->is_new,
                      &step.flops));
    return plan_builder_append(list, &step);
}

static int loop_of_term(const struct plan_builder *builder, const struct plan_term *term)
{
    return builder->program->statements[term->statement].loop;
}

/* Appends the steps of a node; the labels of what they make, if it is new, are found here. */
static enum status append_node(struct plan_builder *builder, const struct plan_term *term,
                               const struct plan_node *node, struct plan_step_list *list,
                               struct plan_write *write)
{
    struct plan_use A, B;
    bool has_B = node->left >= 0, made = false;
    TRY(make_operands(builder, term, node, list, &A, &B));
    if (write->is_new) {
        product_combine(&term->product, node->part, &A.operand, has_B ? &B.operand : NULL,
                        &write->C.operand);
        TRY(plan_builder_intermediate(builder, &term->product, loop_of_term(builder, term),
                                      &write->C));
    }
    if (has_B && loop_of_term(builder, term) < 0)
        TRY(plan_builder_pairs(builder, term, list, write, &A, &B, &made));
    return made ? STATUS_OK : append_product(builder, term, list, write, &A, has_B ? &B : NULL);
}

static bool is_in_loop(const struct plan_builder *builder, const struct plan_term *term)
{
    return loop_of_term(builder, term) >= 0;
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
    const struct plan_node *node = &term->node[number];
    struct product_key key;
    struct plan_write write = {.is_new = true, .factor = 1};
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
    TRY(append_node(builder, term, node, list, &write));
    *use = write.C;
    if (part)
        remember_made(&key, use, list == &builder->before ? &part->before : &part->iterated);
    return STATUS_OK;
}

/* Whether the whole product becomes an intermediate that is then copied: it is wanted
 * again, or it is kept for the iterations. */
static enum status is_shared(const struct plan_builder *builder, const struct plan_term *term,
                             bool *shared)
{
    const struct plan_node *root = &term->node[term->n_nodes - 1];
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
    struct plan_step step = make_empty_step(of->first_statement);
    step.loop = loop;
    step.C.tensor = step.A.tensor = scalar;
    step.add = true;
    return plan_builder_append(list, &step);
}

static enum status make_term(struct plan_builder *builder, const struct plan_term *term)
{
    const struct program *program = builder->program;
    int loop = program->statements[term->statement].loop;
    struct plan_step_list *list =
        loop >= 0 ? &builder->loops[loop] : list_of_statement(builder, term->statement);
    if (loop >= 0 && list->n == 0)
        TRY(append_loop(builder, loop));
    const int root = term->n_nodes - 1;
    struct plan_write target = {.C = {.tensor = program->statements[term->statement].target.tensor,
                                      .operand = term->product.target},
                                .factor = term->coefficient};
    struct plan_use whole;
    bool shared;
    TRY(is_shared(builder, term, &shared));
    if (!shared)
        return append_node(builder, term, &term->node[root], list, &target);
    TRY(make_node(builder, term, root, list, &whole));
    return append_product(builder, term, list, &target, &whole, NULL);
}

enum status plan_builder_steps(struct plan_builder *builder)
{
    for (int t = 0; t < builder->n_terms; t++) {
        const struct plan_term *term = &builder->terms[t];
        if (t == 0 || term[-1].statement != term->statement)
            builder->is_set = false;
        TRY(make_term(builder, term));
        bool ends = t == builder->n_terms - 1 || term[1].statement != term->statement;
        if (ends && !is_in_loop(builder, term))
            TRY(plan_builder_unpack(builder, term->statement,
                                    list_of_statement(builder, term->statement)));
    }
    return STATUS_OK;
}
