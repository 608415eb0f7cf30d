/* SPDX-License-Identifier: BSD-3-Clause */
/* The first pass: terms become trees of binary contractions, and parts that occur again are found.
 *
 * The tree with the fewest floating-point operations is found by dynamic programming over the parts (bits of
 * factors); parts that are there cost nothing. Parts of more than MAX_RANK indices are not formed.
 *
 * An index that occurs in one factor only and not in the target is summed over first, by
 * a step of its own: it reads the factor once, and later steps have fewer operations.
 * Only a product of one factor is summed on its way into the target.
 * Source (dynamic programming over subsets): Lam, Sadayappan, Wenger, Parallel Processing
 * Letters 7, 157 (1997). */
#include "support/base/array.h"
#include "tce/plan/plan_builder.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* --- parts --- */

/* Orders keys, and parts by their keys. */
static int compare_keys(const void *left, const void *right)
{
    const struct product_key *l = left, *r = right;
    if (l->n_words != r->n_words)
        return l->n_words < r->n_words ? -1 : 1;
    return memcmp(l->word, r->word, (size_t)l->n_words * sizeof *l->word);
}

struct plan_part *plan_builder_find(const struct plan_builder *builder,
                                    const struct product_key *key)
{
    struct plan_part *const *found = tfind(key, &builder->parts, compare_keys);
    return found ? *found : NULL;
}

void plan_builder_free_parts(struct plan_builder *builder)
{
    while (builder->parts) {
        struct plan_part *part = *(struct plan_part **)builder->parts;
        tdelete(part, &builder->parts, compare_keys);
        free(part);
    }
}

/* Whether the last step of the product takes so many operations that an intermediate
 * which is then copied pays if it is used twice. */
static enum status find_whether_pays(struct plan_term *term)
{
    const struct plan_node *root = &term->node[product_all(&term->product)];
    double elements;
    if (root->is_factor)
        return STATUS_OK;
    TRY(product_count(&term->product, &root->operand, NULL, &elements));
    double operations = root->left == 0 ? root->flops / 2 * PLAN_MOVE_FLOPS : root->flops;
    term->pays = operations > 2 * PLAN_MOVE_FLOPS * elements;
    return STATUS_OK;
}

/* The entry of a part, added if it is not there. */
static enum status enter_part(struct plan_builder *builder, const struct product *product,
                              uint64_t part, struct plan_part **entry)
{
    struct product_key key;
    product_key(product, part, &key);
    *entry = plan_builder_find(builder, &key);
    if (*entry)
        return STATUS_OK;
    struct plan_part *added = malloc(sizeof *added);
    TRY(CHECK_MEMORY(added, "no memory for the products of a program"));
    *added = (struct plan_part){.key = key, .made.tensor = -1};
    if (tsearch(added, &builder->parts, compare_keys))
        *entry = added;
    else
        free(added);
    return CHECK_MEMORY(*entry, "no memory for the products of a program");
}

/* Counts the uses of parts, from a node downwards. A part that has been used before will exist:
 * its own parts are not needed again. */
static enum status use_node(struct plan_builder *builder, const struct plan_term *term,
                            uint64_t number)
{
    const struct plan_node *node = &term->node[number];
    struct plan_part *part = NULL;
    if (number == product_all(&term->product) ? term->pays : !node->is_factor)
        TRY(enter_part(builder, &term->product, number, &part));
    if ((part && part->n_uses++ > 0) || node->left == 0)
        return STATUS_OK;
    TRY(use_node(builder, term, node->left));
    return use_node(builder, term, number & ~node->left);
}

/* --- trees --- */

/* Considers the step that joins left and the rest of a part, the first one of several with the fewest operations. */
static enum status try_split(const struct plan_term *term, uint64_t part, uint64_t left)
{
    const struct product *product = &term->product;
    const struct plan_node *A = &term->node[left], *B = &term->node[part & ~left];
    struct plan_node *best = &term->node[part];
    struct plan_node tried = {.left = left, .total = A->total + B->total};
    if (tried.total >= best->total)
        return STATUS_OK;
    TRY(product_count(product, &A->operand, &B->operand, &tried.flops));
    tried.flops *= 2;
    tried.total += tried.flops;
    if (tried.total >= best->total)
        return STATUS_OK;
    product_combine(product, part, &A->operand, &B->operand, &tried.operand);
    *best = tried;
    return STATUS_OK;
}

static enum status find_best_split(const struct plan_term *term, uint64_t part)
{
    term->node[part].total = INFINITY;
    if (product_rank(&term->product, part) > MAX_RANK)
        return STATUS_OK;
    uint64_t lowest = part & -part;
    for (uint64_t left = (part - 1) & part; left > 0; left = (left - 1) & part)
        if (left & lowest)
            TRY(try_split(term, part, left));
    return STATUS_OK;
}

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

static enum status set_factor(const struct plan_term *term, uint64_t part)
{
    const struct product *product = &term->product;
    struct plan_node *node = &term->node[part];
    int f = __builtin_ctzll(part);
    const struct product_operand *operand = &product->factor[f].operand;
    *node = (struct plan_node){.is_factor = product->n_factors > 1 && !needs_sum(product, f),
                               .operand = *operand};
    if (node->is_factor)
        return STATUS_OK;
    product_combine(product, part, operand, NULL, &node->operand);
    TRY(product_count(product, operand, NULL, &node->flops));
    node->total = node->flops *= 2;
    return STATUS_OK;
}

static enum status search_trees(const struct plan_builder *builder, const struct plan_term *term)
{
    struct product_key key;
    uint64_t all = product_all(&term->product);
    for (uint64_t part = 1; part <= all; part++) {
        struct plan_node *node = &term->node[part];
        TRY((part & (part - 1)) == 0 ? set_factor(term, part) : find_best_split(term, part));
        if (part == all || term->loop >= 0 || node->is_factor || !isfinite(node->total))
            continue;
        product_key(&term->product, part, &key);
        const struct plan_part *known = plan_builder_find(builder, &key);
        if (known && known->n_uses > 0)
            node->total = 0;
    }
    return STATUS_OK;
}

/* --- terms --- */

static enum status factor_term(struct plan_builder *builder, struct plan_term *term)
{
    const struct program_statement *statement = &builder->program->statements[term->statement];
    uint64_t all = product_all(&term->product);
    term->node = calloc(all + 1, sizeof *term->node);
    TRY(CHECK_MEMORY(term->node, "no memory for a product of %d tensors", term->product.n_factors));
    TRY(search_trees(builder, term));
    if (!isfinite(term->node[all].total))
        return source_fail(builder->program->file, term->of->place,
                           "in '%.80s' this product of %d tensors has no order in which no "
                           "intermediate has more than %d indices; write it as several statements",
                           statement->text, term->product.n_factors, MAX_RANK);
    if (term->loop >= 0)
        return STATUS_OK;
    TRY(find_whether_pays(term));
    return use_node(builder, term, all);
}

static enum status list_term(struct plan_builder *builder, int s, int t)
{
    const struct program_statement *statement = &builder->program->statements[s];
    TRY(array_append(&builder->terms, &builder->n_terms, sizeof *builder->terms));
    struct plan_term *term = &builder->terms[builder->n_terms - 1];
    *term = (struct plan_term){.statement = s, .loop = statement->loop, .of = &statement->terms[t]};
    return product_init(builder->program, &builder->plan->spaces, &statement->target,
                        &statement->terms[t], builder->version, &term->product);
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
