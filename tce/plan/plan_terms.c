/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/base/array.h"
#include "tce/plan/plan_builder.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

static int compare_parts(const void *left, const void *right)
{
    const struct plan_part *l = left, *r = right;
    if (l->n_words != r->n_words)
        return l->n_words < r->n_words ? -1 : 1;
    return memcmp(l->words, r->words, (size_t)l->n_words * sizeof *l->words);
}

struct plan_part *plan_builder_find(const struct plan_builder *builder,
                                    const struct product_key *key)
{
    const struct plan_part asked = {.n_words = key->n_words, .words = key->word};
    struct plan_part *const *found = tfind(&asked, &builder->parts, compare_parts);
    return found ? *found : NULL;
}

void plan_builder_free_parts(struct plan_builder *builder)
{
    while (builder->parts) {
        struct plan_part *part = *(struct plan_part **)builder->parts;
        tdelete(part, &builder->parts, compare_parts);
        free(part);
    }
}

enum status plan_builder_pays(const struct plan_term *term, bool *pays)
{
    const struct factorization *factorization = &term->factorization;
    const struct factorization_node *root = &factorization->node[factorization->n_nodes - 1];
    const struct product_operand *operand = &root->operand;
    double elements;
    *pays = false;
    if (root->is_factor)
        return STATUS_OK;
    TRY(product_count(&term->product, 1, &operand, &elements));
    double operations = root->left < 0 ? root->flops / 2 * PLAN_MOVE_FLOPS : root->flops;
    *pays = operations > 2 * PLAN_MOVE_FLOPS * elements;
    return STATUS_OK;
}

struct use_context {
    const struct plan_builder *builder;
    const struct product *product;
};

static struct part_use use_of(void *context, uint64_t part)
{
    const struct use_context *asked = context;
    struct product_key key;
    product_key(asked->product, part, &key);
    const struct plan_part *found = plan_builder_find(asked->builder, &key);
    return (struct part_use){.known = found->n_uses > 0, .wanted = found->n_places > 1};
}

static enum status add_part(struct plan_builder *builder, const struct product_key *key,
                            struct plan_part **added)
{
    size_t size = (size_t)key->n_words * sizeof *key->word;
    struct plan_part *part = malloc(sizeof *part + size);
    *added = part;
    TRY(CHECK_MEMORY(part, "no memory for the products of a program"));
    *part = (struct plan_part){.n_words = key->n_words,
                               .words = memcpy(part + 1, key->word, size),
                               .before.tensor = -1,
                               .iterated.tensor = -1};
    if (tsearch(part, &builder->parts, compare_parts))
        return STATUS_OK;
    free(part);
    return FAIL(STATUS_NO_MEMORY, "no memory for the products of a program");
}

/* The entry of a part, added if it is not there; NULL if it has too many factors. */
static enum status enter_part(struct plan_builder *builder, const struct product *product,
                              uint64_t part, struct plan_part **entry)
{
    struct product_key key;
    bool has_key = product_key(product, part, &key);
    *entry = has_key ? plan_builder_find(builder, &key) : NULL;
    return has_key && !*entry ? add_part(builder, &key, entry) : STATUS_OK;
}

/* Counts the uses of parts, from a node downwards. A part that has been used before will exist:
 * its own parts are not needed again. */
static enum status use_node(struct plan_builder *builder, const struct plan_term *term, int number)
{
    const struct factorization_node *node = &term->factorization.node[number];
    struct plan_part *part = NULL;
    bool shared = !node->is_factor;
    if (number == term->factorization.n_nodes - 1)
        TRY(plan_builder_pays(term, &shared));
    if (shared)
        TRY(enter_part(builder, &term->product, node->part, &part));
    if ((part && part->n_uses++ > 0) || node->left < 0)
        return STATUS_OK;
    TRY(use_node(builder, term, node->left));
    return use_node(builder, term, node->right);
}

/* Local tensors of a loop are nobody else's. */
static struct part_use use_nothing(void *context, uint64_t part)
{
    (void)context;
    (void)part;
    return (struct part_use){0};
}

static enum status factor_term(struct plan_builder *builder, struct plan_term *term)
{
    const struct program_statement *statement = &builder->program->statements[term->statement];
    struct use_context context = {builder, &term->product};
    TRY(factorization_init(&term->product, statement->loop < 0 ? use_of : use_nothing, &context,
                           &term->factorization));
    if (!term->factorization.possible)
        return source_fail(builder->program->file, term->place,
                           "in '%.80s' this product of %d tensors has no order in which no "
                           "intermediate has more than %d indices; write it as several statements",
                           statement->text, term->product.n_factors, MAX_RANK);
    return statement->loop < 0 ? use_node(builder, term, term->factorization.n_nodes - 1)
                               : STATUS_OK;
}

/* All parts of a product that might be formed, single tensors among them. */
static enum status add_parts(struct plan_builder *builder, const struct product *product)
{
    if (product->n_factors > FACTORIZATION_EXHAUSTIVE)
        return STATUS_OK;
    for (uint64_t part = 1; part <= product_all(product); part++) {
        struct plan_part *entry;
        TRY(enter_part(builder, product, part, &entry));
        entry->n_places++;
    }
    return STATUS_OK;
}

static enum status list_term(struct plan_builder *builder, int s, int t)
{
    const struct program_statement *statement = &builder->program->statements[s];
    TRY(array_append(&builder->terms, &builder->n_terms, sizeof *builder->terms));
    struct plan_term *term = &builder->terms[builder->n_terms - 1];
    *term = (struct plan_term){.statement = s,
                               .place = statement->terms[t].place,
                               .coefficient = statement->terms[t].coefficient};
    TRY(product_init(builder->program, &builder->plan->spaces, &statement->target,
                     &statement->terms[t], builder->version, &term->product));
    return statement->loop < 0 ? add_parts(builder, &term->product) : STATUS_OK;
}

static enum status list_terms(struct plan_builder *builder)
{
    const struct program *program = builder->program;
    for (int s = 0; s < program->n_statements; s++) {
        const struct program_statement *statement = &program->statements[s];
        /* Tensors that iterations change are new versions of those before. */
        bool begins = s == program->first_iterated || s == program->first_final;
        for (int t = 0; begins && t < program->n_tensors; t++)
            builder->version[t] += builder->changes[t];
        for (int t = 0; t < statement->n_terms; t++)
            TRY(list_term(builder, s, t));
        builder->version[statement->target.tensor]++;
    }
    return STATUS_OK;
}

enum status plan_builder_factor(struct plan_builder *builder)
{
    TRY(list_terms(builder));
    for (int t = 0; t < builder->n_terms; t++)
        TRY(factor_term(builder, &builder->terms[t]));
    return STATUS_OK;
}
