#include "tce/plan/factorization.h"

#include <math.h>

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

static bool is_better(const struct best_part *tried, const struct best_part *best)
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
    if (is_better(&tried, best))
        *best = tried;
    return STATUS_OK;
}

static enum status find_best(const struct product *product, uint64_t part, struct best_part *parts)
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

enum status factorization_search_all(const struct product *product, factorization_use *use,
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
            TRY(find_best(product, part, parts));
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
