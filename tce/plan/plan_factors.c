/* SPDX-License-Identifier: BSD-3-Clause */
/* The first pass: terms become trees of binary contractions, and parts that occur again are found.
 *
 * For up to six factors, the tree with the fewest floating-point operations is found by dynamic programming over
 * the parts (bits of factors); parts that are there cost nothing. Beyond six factors, greedily: the next contraction is that of the
 * pair with the least size(result) - size(A) - size(B). Parts of more than MAX_RANK indices are not formed.
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

/* Factors up to which all trees are considered. */
enum { MOST_FACTORS = 6, MAX_PARTS = 1 << MOST_FACTORS };

/* --- parts --- */

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

/* Whether the last step of the product takes so many operations that an intermediate
 * which is then copied pays if it is used twice. */
static enum status find_whether_pays(struct plan_term *term)
{
    const struct plan_node *root = &term->node[term->n_nodes - 1];
    const struct product_operand *operand = &root->operand;
    double elements;
    if (root->is_factor)
        return STATUS_OK;
    TRY(product_count(&term->product, 1, &operand, &elements));
    double operations = root->left < 0 ? root->flops / 2 * PLAN_MOVE_FLOPS : root->flops;
    term->pays = operations > 2 * PLAN_MOVE_FLOPS * elements;
    return STATUS_OK;
}

/* The entry of a part, added if it is not there; NULL if it has too many factors. */
static enum status enter_part(struct plan_builder *builder, const struct product *product,
                              uint64_t part, struct plan_part **entry)
{
    struct product_key key;
    bool has_key = product_key(product, part, &key);
    *entry = has_key ? plan_builder_find(builder, &key) : NULL;
    if (*entry || !has_key)
        return STATUS_OK;
    size_t size = (size_t)key.n_words * sizeof *key.word;
    struct plan_part *added = malloc(sizeof *added + size);
    TRY(CHECK_MEMORY(added, "no memory for the products of a program"));
    *added = (struct plan_part){
        .n_words = key.n_words, .words = memcpy(added + 1, key.word, size), .made.tensor = -1};
    if (tsearch(added, &builder->parts, compare_parts))
        *entry = added;
    else
        free(added);
    return CHECK_MEMORY(*entry, "no memory for the products of a program");
}

/* Counts the uses of parts, from a node downwards. A part that has been used before will exist:
 * its own parts are not needed again. */
static enum status use_node(struct plan_builder *builder, const struct plan_term *term, int number)
{
    const struct plan_node *node = &term->node[number];
    struct plan_part *part = NULL;
    if (number == term->n_nodes - 1 ? term->pays : !node->is_factor)
        TRY(enter_part(builder, &term->product, node->part, &part));
    if ((part && part->n_uses++ > 0) || node->left < 0)
        return STATUS_OK;
    TRY(use_node(builder, term, node->left));
    return use_node(builder, term, node->right);
}

/* --- all trees --- */

/* The best way found to make a part; total is infinite if there is none. */
struct best_part {
    double total, flops; /* of all its steps, of the last one */
    uint64_t left;       /* the part that joins the rest of it; 0: a single factor */
    struct product_operand operand;
};

/* Considers left * right, the first one of several with the fewest operations. */
static enum status try_split(const struct product *product, uint64_t part,
                             const struct best_part *left, const struct best_part *right,
                             uint64_t left_part, struct best_part *best)
{
    struct best_part tried = {.total = left->total + right->total, .left = left_part};
    if (!isfinite(tried.total) || tried.total >= best->total)
        return STATUS_OK;
    TRY(product_flops(product, &left->operand, &right->operand, part == product_all(product),
                      &tried.flops));
    tried.total += tried.flops;
    if (tried.total >= best->total)
        return STATUS_OK;
    product_combine(product, part, &left->operand, &right->operand, &tried.operand);
    *best = tried;
    return STATUS_OK;
}

static enum status find_best_split(const struct product *product, uint64_t part,
                                   struct best_part *parts)
{
    struct best_part *best = &parts[part];
    *best = (struct best_part){.total = INFINITY};
    if (product_rank(product, part) > MAX_RANK)
        return STATUS_OK;
    uint64_t lowest = part & -part;
    for (uint64_t left = (part - 1) & part; left > 0; left = (left - 1) & part)
        if (left & lowest)
            TRY(try_split(product, part, &parts[left], &parts[part & ~left], left, best));
    return STATUS_OK;
}

/* Appends the nodes below a part and its own. */
static int append_nodes(const struct best_part *parts, uint64_t part, struct plan_term *term)
{
    if (parts[part].left == 0)
        return __builtin_ctzll(part);
    int left = append_nodes(parts, parts[part].left, term);
    int right = append_nodes(parts, part & ~parts[part].left, term);
    term->node[term->n_nodes] = (struct plan_node){.part = part,
                                                   .left = left,
                                                   .right = right,
                                                   .flops = parts[part].flops,
                                                   .operand = parts[part].operand};
    return term->n_nodes++;
}

/* Appends the nodes that join the factors. */
static enum status search_all_trees(const struct plan_builder *builder, struct plan_term *term)
{
    const struct product *product = &term->product;
    struct best_part parts[MAX_PARTS] = {0};
    struct product_key key;
    uint64_t all = product_all(product);
    for (uint64_t part = 1; part <= all; part++) {
        const struct plan_node *factor = &term->node[__builtin_ctzll(part)];
        bool is_single = (part & (part - 1)) == 0;
        if (is_single)
            parts[part] = (struct best_part){
                .total = factor->flops, .flops = factor->flops, .operand = factor->operand};
        else
            TRY(find_best_split(product, part, parts));
        if (part == all || term->loop >= 0 || (is_single && factor->is_factor))
            continue;
        product_key(product, part, &key);
        const struct plan_part *known = plan_builder_find(builder, &key);
        if (known && known->n_uses > 0 && isfinite(parts[part].total))
            parts[part].total = 0;
    }
    if (isfinite(parts[all].total))
        append_nodes(parts, all, term);
    return STATUS_OK;
}

/* --- greedily --- */

/* The elements that joining two nodes adds; infinite if they cannot be joined. */
static enum status count_growth(const struct product *product, const struct plan_node *A,
                                const struct plan_node *B, double *growth)
{
    struct product_operand result;
    const struct product_operand *operand[] = {&A->operand, &B->operand, &result};
    double elements[3];
    *growth = INFINITY;
    if (product_rank(product, A->part | B->part) > MAX_RANK)
        return STATUS_OK;
    product_combine(product, A->part | B->part, &A->operand, &B->operand, &result);
    for (int i = 0; i < 3; i++)
        TRY(product_count(product, 1, &operand[i], &elements[i]));
    *growth = elements[2] - elements[0] - elements[1];
    return STATUS_OK;
}

/* Appends the node that joins two others, of whom the first then stands for both.
 * left  n_left nodes that are not joined yet */
static enum status join_least(struct plan_term *term, int left[], int n_left, bool *joined)
{
    double least = INFINITY, growth;
    int first = 0, second = 0;
    for (int i = 0; i < n_left; i++)
        for (int j = i + 1; j < n_left; j++) {
            TRY(count_growth(&term->product, &term->node[left[i]], &term->node[left[j]], &growth));
            if (growth < least) {
                least = growth;
                first = i;
                second = j;
            }
        }
    *joined = isfinite(least);
    if (!*joined)
        return STATUS_OK;
    const struct plan_node *A = &term->node[left[first]], *B = &term->node[left[second]];
    struct plan_node *node = &term->node[term->n_nodes];
    *node =
        (struct plan_node){.part = A->part | B->part, .left = left[first], .right = left[second]};
    product_combine(&term->product, node->part, &A->operand, &B->operand, &node->operand);
    left[first] = term->n_nodes++;
    memmove(&left[second], &left[second + 1], (size_t)(n_left - second - 1) * sizeof *left);
    return product_flops(&term->product, &A->operand, &B->operand, n_left == 2, &node->flops);
}

static enum status search_greedily(struct plan_term *term)
{
    int left[PROGRAM_MAX_FACTORS];
    bool joined = true;
    for (int f = 0; f < term->product.n_factors; f++)
        left[f] = f;
    for (int n_left = term->product.n_factors; n_left > 1 && joined; n_left--)
        TRY(join_least(term, left, n_left, &joined));
    return STATUS_OK;
}

/* --- terms --- */

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

static enum status add_factor(struct plan_term *term, int f)
{
    const struct product *product = &term->product;
    struct plan_node *node = &term->node[term->n_nodes++];
    const struct product_operand *operand = &product->factor[f].operand;
    *node = (struct plan_node){
        .part = UINT64_C(1) << f, .left = -1, .right = -1, .is_factor = true, .operand = *operand};
    if (product->n_factors > 1 && !needs_sum(product, f))
        return STATUS_OK;
    node->is_factor = false;
    product_combine(product, node->part, operand, NULL, &node->operand);
    return product_flops(product, operand, NULL, product->n_factors == 1, &node->flops);
}

static enum status factor_term(struct plan_builder *builder, struct plan_term *term)
{
    const struct program_statement *statement = &builder->program->statements[term->statement];
    const struct product *product = &term->product;
    int n_nodes = 2 * product->n_factors - 1;
    term->node = calloc((size_t)n_nodes, sizeof *term->node);
    TRY(CHECK_MEMORY(term->node, "no memory for a product of %d tensors", product->n_factors));
    for (int f = 0; f < product->n_factors; f++)
        TRY(add_factor(term, f));
    if (product->n_factors > MOST_FACTORS)
        TRY(search_greedily(term));
    else if (product->n_factors > 1)
        TRY(search_all_trees(builder, term));
    if (term->n_nodes < n_nodes)
        return source_fail(builder->program->file, term->place,
                           "in '%.80s' this product of %d tensors has no order in which no "
                           "intermediate has more than %d indices; write it as several statements",
                           statement->text, product->n_factors, MAX_RANK);
    if (term->loop >= 0)
        return STATUS_OK;
    TRY(find_whether_pays(term));
    return use_node(builder, term, n_nodes - 1);
}

static enum status list_term(struct plan_builder *builder, int s, int t)
{
    const struct program_statement *statement = &builder->program->statements[s];
    TRY(array_append(&builder->terms, &builder->n_terms, sizeof *builder->terms));
    struct plan_term *term = &builder->terms[builder->n_terms - 1];
    *term = (struct plan_term){.statement = s,
                               .loop = statement->loop,
                               .place = statement->terms[t].place,
                               .coefficient = statement->terms[t].coefficient};
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
