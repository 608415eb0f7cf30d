#include "tce/plan/factorization.h"

#include <math.h>
#include <stdlib.h>

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

static enum status join(struct greedy_search *search, int left, int right)
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
        TRY(join(search, left, right));
    search->factorization->possible = search->n_left == 1;
    return STATUS_OK;
}

enum status factorization_search_greedily(const struct product *product,
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
    enum status status = STATUS_OK;
    if (search.node && search.elements && search.growth)
        status = join_all(&search);
    else
        status = FAIL(STATUS_NO_MEMORY, "no memory for a product of %d tensors", search.n);
    free(search.node);
    free(search.elements);
    free(search.growth);
    return status;
}
