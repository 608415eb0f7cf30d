/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/plan/factorization.h"

#include <math.h>
#include <stdlib.h>

/* --- all trees --- */

enum { MAX_PARTS = 1 << FACTORIZATION_EXHAUSTIVE };

/* The best way found to make a part; total is infinite if there is none. */
struct best_part {
    double total, elements; /* flops of all its steps; elements of it and its own parts */
    int n_wanted;           /* of its own parts and it, by other products */
    double flops;           /* of the last step */
    uint64_t left;          /* the part that joins the rest of it; 0: a single factor */
    struct product_operand operand;
};

static enum status add_elements(const struct product *product, struct best_part *part)
{
    const struct product_operand *operand = &part->operand;
    double elements;
    TRY(product_count(product, 1, &operand, &elements));
    part->elements += elements;
    return STATUS_OK;
}

static bool is_better_part(const struct best_part *tried, const struct best_part *best)
{
    if (tried->total != best->total)
        return tried->total < best->total;
    if (tried->n_wanted != best->n_wanted)
        return tried->n_wanted > best->n_wanted;
    return tried->elements < best->elements;
}

/* Considers left * right. What is known to cost no less than the best is not counted. */
static enum status try_split(const struct product *product, uint64_t part,
                             const struct best_part *left, const struct best_part *right,
                             uint64_t left_part, struct best_part *best)
{
    struct best_part tried = {.total = left->total + right->total, .left = left_part};
    if (!isfinite(tried.total) || tried.total > best->total)
        return STATUS_OK;
    TRY(product_flops(product, &left->operand, &right->operand, part == product_all(product),
                      &tried.flops));
    tried.total += tried.flops;
    if (tried.total > best->total)
        return STATUS_OK;
    product_combine(product, part, &left->operand, &right->operand, &tried.operand);
    tried.elements = left->elements + right->elements;
    tried.n_wanted = left->n_wanted + right->n_wanted;
    TRY(add_elements(product, &tried));
    if (is_better_part(&tried, best))
        *best = tried;
    return STATUS_OK;
}

static enum status find_best_split(const struct product *product, uint64_t part,
                                   struct best_part *parts)
{
    struct best_part *best = &parts[part];
    *best = (struct best_part){.total = INFINITY, .elements = INFINITY};
    if (product_rank(product, part) > MAX_RANK)
        return STATUS_OK;
    uint64_t lowest = part & -part;
    for (uint64_t left = (part - 1) & part; left > 0; left = (left - 1) & part)
        if (left & lowest)
            TRY(try_split(product, part, &parts[left], &parts[part & ~left], left, best));
    return STATUS_OK;
}

/* Appends the nodes below a part and its own. */
static int append_nodes(const struct best_part *parts, uint64_t part,
                        struct factorization *factorization)
{
    if (parts[part].left == 0)
        return __builtin_ctzll(part);
    int left = append_nodes(parts, parts[part].left, factorization);
    int right = append_nodes(parts, part & ~parts[part].left, factorization);
    factorization->node[factorization->n_nodes] =
        (struct factorization_node){.part = part,
                                    .left = left,
                                    .right = right,
                                    .flops = parts[part].flops,
                                    .operand = parts[part].operand};
    return factorization->n_nodes++;
}

/* Appends the nodes that join the factors. */
static enum status search_all_trees(const struct product *product, factorization_use *use,
                                    void *context, struct factorization *factorization)
{
    struct best_part parts[MAX_PARTS] = {0};
    uint64_t all = product_all(product);
    for (uint64_t part = 1; part <= all; part++) {
        const struct factorization_node *factor = &factorization->node[__builtin_ctzll(part)];
        bool is_single = (part & (part - 1)) == 0;
        if (is_single)
            parts[part] = (struct best_part){
                .total = factor->flops, .flops = factor->flops, .operand = factor->operand};
        else
            TRY(find_best_split(product, part, parts));
        if (part == all || (is_single && factor->is_factor))
            continue;
        struct part_use found = use(context, part);
        parts[part].n_wanted += found.wanted;
        if (found.known && isfinite(parts[part].total))
            parts[part].total = 0;
    }
    factorization->possible = isfinite(parts[all].total);
    if (factorization->possible)
        append_nodes(parts, all, factorization);
    return STATUS_OK;
}

/* --- greedily --- */

/* Parts that are not yet joined, as nodes, and what joining two of them adds in elements:
 * growth[left * n + right] for left < right, infinite if it cannot be. */
struct greedy_search {
    const struct product *product;
    struct factorization *factorization;
    int n, n_left;
    int *node;        /* n; -1: joined to another */
    double *elements; /* n */
    double *growth;   /* n x n */
};

static enum status count_growth(struct greedy_search *search, int left, int right)
{
    const struct factorization_node *nodes = search->factorization->node;
    const struct factorization_node *A = &nodes[search->node[left]],
                                    *B = &nodes[search->node[right]];
    double *growth = &search->growth[left * search->n + right];
    *growth = INFINITY;
    if (product_rank(search->product, A->part | B->part) > MAX_RANK)
        return STATUS_OK;
    struct product_operand result;
    const struct product_operand *operand = &result;
    product_combine(search->product, A->part | B->part, &A->operand, &B->operand, &result);
    TRY(product_count(search->product, 1, &operand, growth));
    *growth -= search->elements[left] + search->elements[right];
    return STATUS_OK;
}

/* Counts what is new with the node at a place: its elements, and its growth with others. */
static enum status count_place(struct greedy_search *search, int place)
{
    const struct product_operand *operand =
        &search->factorization->node[search->node[place]].operand;
    TRY(product_count(search->product, 1, &operand, &search->elements[place]));
    for (int other = 0; other < search->n; other++) {
        if (other == place || search->node[other] < 0)
            continue;
        TRY(count_growth(search, other < place ? other : place, other < place ? place : other));
    }
    return STATUS_OK;
}

/* The two places whose growth is least, the first ones of several. */
static bool find_pair(const struct greedy_search *search, int *left, int *right)
{
    double least = INFINITY;
    for (int i = 0; i < search->n; i++)
        for (int j = i + 1; j < search->n; j++)
            if (search->node[i] >= 0 && search->node[j] >= 0 &&
                search->growth[i * search->n + j] < least) {
                least = search->growth[i * search->n + j];
                *left = i;
                *right = j;
            }
    return isfinite(least);
}

static enum status join_parts(struct greedy_search *search, int left, int right)
{
    struct factorization *factorization = search->factorization;
    struct factorization_node *A = &factorization->node[search->node[left]];
    struct factorization_node *B = &factorization->node[search->node[right]];
    struct factorization_node *joined = &factorization->node[factorization->n_nodes];
    *joined = (struct factorization_node){
        .part = A->part | B->part, .left = search->node[left], .right = search->node[right]};
    product_combine(search->product, joined->part, &A->operand, &B->operand, &joined->operand);
    TRY(product_flops(search->product, &A->operand, &B->operand,
                      joined->part == product_all(search->product), &joined->flops));
    search->node[left] = factorization->n_nodes++;
    search->node[right] = -1;
    search->n_left--;
    return count_place(search, left);
}

static enum status join_all(struct greedy_search *search)
{
    int left = 0, right = 0;
    for (int f = 0; f < search->n; f++)
        search->node[f] = -1;
    for (int f = 0; f < search->n; f++) {
        search->node[f] = f;
        TRY(count_place(search, f));
    }
    while (search->n_left > 1 && find_pair(search, &left, &right))
        TRY(join_parts(search, left, right));
    search->factorization->possible = search->n_left == 1;
    return STATUS_OK;
}

/* Appends the nodes that join the factors. */
static enum status search_greedily(const struct product *product,
                                   struct factorization *factorization)
{
    size_t n = (size_t)product->n_factors;
    struct greedy_search search = {.product = product,
                                   .factorization = factorization,
                                   .n = product->n_factors,
                                   .n_left = product->n_factors,
                                   .node = calloc(n, sizeof *search.node),
                                   .elements = calloc(n, sizeof *search.elements),
                                   .growth = calloc(n * n, sizeof *search.growth)};
    enum status status = CHECK_MEMORY(search.node && search.elements && search.growth,
                                      "no memory for a product of %d tensors", search.n);
    if (status != STATUS_OK)
        goto done;
    status = join_all(&search);
done:
    free(search.node);
    free(search.elements);
    free(search.growth);
    return status;
}

/* --- factorizations --- */

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

static enum status search_trees(const struct product *product, factorization_use *use,
                                void *context, struct factorization *factorization)
{
    for (int f = 0; f < product->n_factors; f++)
        TRY(add_factor(product, f, factorization));
    factorization->possible = true;
    if (product->n_factors == 1)
        return STATUS_OK;
    if (product->n_factors <= FACTORIZATION_EXHAUSTIVE)
        return search_all_trees(product, use, context, factorization);
    return search_greedily(product, factorization);
}

enum status factorization_init(const struct product *product, factorization_use *use, void *context,
                               struct factorization *factorization)
{
    size_t n_nodes = 2 * (size_t)product->n_factors;
    *factorization = (struct factorization){.node = calloc(n_nodes, sizeof *factorization->node)};
    TRY(CHECK_MEMORY(factorization->node, "no memory for a product of %d tensors",
                     product->n_factors));
    enum status status = search_trees(product, use, context, factorization);
    if (status != STATUS_OK)
        factorization_fini(factorization);
    return status;
}

void factorization_fini(struct factorization *factorization)
{
    free(factorization->node);
    *factorization = (struct factorization){0};
}
