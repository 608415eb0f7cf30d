/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/integrals/shell_pairs.h"

#include "support/base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Primitive products of a smaller weight are left out: the largest weights that occur are some 1e3,
 * so a primitive quartet with one contributes some 1e-17 hartree at most. */
#define PRODUCT_CUTOFF 1e-20

/* sqrt(2) pi^(5/4) */
#define ROOT_TWO_PI_54 5.914967172795612

enum { N_ARRAYS = 9 }; /* of struct primitive_products, factors apart */

/* The first record's zeta until records are made. */
#define NOT_MADE 0.0

/* The product of primitives i and j: its factors are scale c_ai c_bj; if `both`, which stands for
 * (i, j) and (j, i), they are scale (c_ai c_bj + c_aj c_bi). */
struct product {
    double zeta, scale, weight, P[3], PA[3];
    int32_t i, j;
    bool both;
};

/* A class while the pairs of the rectangle are appended. */
struct growing_class {
    struct shell_pair *pairs;
    int64_t n_pairs, pair_capacity;
    struct product *products;
    int64_t n_products, product_capacity;
};

static int class_index(int type_first, int type_second)
{
    return type_first * (type_first + 1) / 2 + type_second;
}

/* The factor of a product for shell k of group a and shell m of group b. */
static double shell_factor(const struct product *product, const struct shell_group *a, int k,
                           const struct shell_group *b, int m)
{
    const double *c_a = a->coefficients + (int64_t)k * a->n_primitives;
    const double *c_b = b->coefficients + (int64_t)m * b->n_primitives;
    double c = c_a[product->i] * c_b[product->j];
    if (product->both)
        c += c_a[product->j] * c_b[product->i];
    return product->scale * c;
}

/* The weight of a product with zeta, scale, i, j and `both` set; PA and PB: distances. */
static double product_weight(const struct product *product, const struct shell_group *a,
                             const struct group_type *type_a, double PA,
                             const struct shell_group *b, const struct group_type *type_b,
                             double PB)
{
    double width = 1 / sqrt(2 * product->zeta), largest = 0;
    for (int k = 0; k < type_a->n_shells; k++) {
        double of_a = pow(fmax(1, PA + width), type_a->l[k]);
        for (int m = 0; m < type_b->n_shells; m++) {
            double factor = fabs(shell_factor(product, a, k, b, m));
            largest = fmax(largest, factor * of_a * pow(fmax(1, PB + width), type_b->l[m]));
        }
    }
    return largest;
}

/* Appends the primitive products of groups a and b, largest weight first;
 * returns how many. */
static int32_t append_products(const struct shells *shells, const struct shell_group *a,
                               const struct shell_group *b, struct growing_class *class)
{
    double AB2 = 0;
    for (int x = 0; x < 3; x++)
        AB2 += (a->center[x] - b->center[x]) * (a->center[x] - b->center[x]);
    double AB = sqrt(AB2);
    struct product *out = class->products + class->n_products;
    int32_t n = 0;
    for (int i = 0; i < a->n_primitives; i++) {
        for (int j = 0; j < (a == b ? i + 1 : b->n_primitives); j++) {
            double alpha = a->exponents[i], beta = b->exponents[j], zeta = alpha + beta;
            struct product product = {.zeta = zeta,
                                      .scale =
                                          ROOT_TWO_PI_54 / zeta * exp(-alpha * beta / zeta * AB2),
                                      .i = i,
                                      .j = j,
                                      .both = a == b && i != j};
            product.weight = product_weight(&product, a, &shells->types[a->type], AB * beta / zeta,
                                            b, &shells->types[b->type], AB * alpha / zeta);
            if (product.weight < PRODUCT_CUTOFF)
                continue;
            for (int x = 0; x < 3; x++) {
                /* P - A would have the rounding of coordinates, which may be large. */
                product.PA[x] = beta / zeta * (b->center[x] - a->center[x]);
                product.P[x] = a->center[x] + product.PA[x];
            }
            /* Insertion: the lists are short and mostly come in order. */
            int32_t at = n++;
            for (; at > 0 && out[at - 1].weight < product.weight; at--)
                out[at] = out[at - 1];
            out[at] = product;
        }
    }
    return n;
}

static enum status append_pair(const struct shells *shells, int64_t bra, int64_t ket, double bound,
                               struct growing_class *classes)
{
    bool swapped = shells->groups[bra].type < shells->groups[ket].type;
    int64_t first = swapped ? ket : bra, second = swapped ? bra : ket;
    const struct shell_group *a = &shells->groups[first], *b = &shells->groups[second];
    struct growing_class *class = &classes[class_index(a->type, b->type)];
    TRY(array_reserve(&class->pairs, class->n_pairs + 1, &class->pair_capacity,
                      sizeof *class->pairs));
    TRY(array_reserve(&class->products,
                      class->n_products + (int64_t)a->n_primitives * b->n_primitives,
                      &class->product_capacity, sizeof *class->products));
    int32_t n_primitives = append_products(shells, a, b, class);
    if (n_primitives == 0)
        return STATUS_OK;
    struct shell_pair *pair = &class->pairs[class->n_pairs++];
    *pair =
        (struct shell_pair){.first = (int32_t)first,
                            .second = (int32_t)second,
                            .function = {(int32_t)a->first_function, (int32_t)b->first_function},
                            .swapped = swapped,
                            .bound = bound,
                            .first_primitive = (int32_t) class->n_products,
                            .n_primitives = n_primitives};
    for (int x = 0; x < 3; x++)
        pair->AB[x] = a->center[x] - b->center[x];
    class->n_products += n_primitives;
    return STATUS_OK;
}

/* Larger bound first; equal ones in the order of groups, so that the order
 * does not depend on the sorting algorithm. */
static int compare_pairs(const void *left, const void *right)
{
    const struct shell_pair *a = left, *b = right;
    if (a->bound != b->bound)
        return a->bound > b->bound ? -1 : 1;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->second > b->second) - (a->second < b->second);
}

static int count_factors(const struct group_type *first, const struct group_type *second)
{
    return first->n_shells * second->n_shells;
}

int64_t shell_pair_product_bytes(const struct group_type *first, const struct group_type *second)
{
    const struct hermite_pattern *pattern = hermite_pattern(first, second);
    int64_t n = N_ARRAYS + count_factors(first, second) + (pattern ? pattern->record : 0);
    return n * (int64_t)sizeof(double);
}

/* Bytes rounded up to 64, so that the next array starts on such a boundary. */
static size_t padded_bytes(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static size_t products_in_blocks(int64_t n_products)
{
    return (size_t)(n_products + PRODUCT_BLOCK - 1) / PRODUCT_BLOCK * PRODUCT_BLOCK;
}

static size_t growing_class_bytes(const struct shells *shells, const struct growing_class *class)
{
    if (class->n_pairs == 0)
        return 0;
    const struct shell_group *a = &shells->groups[class->pairs->first];
    const struct shell_group *b = &shells->groups[class->pairs->second];
    size_t product_bytes =
        (size_t)shell_pair_product_bytes(&shells->types[a->type], &shells->types[b->type]);
    return padded_bytes((size_t) class->n_pairs * sizeof(struct shell_pair)) +
           products_in_blocks(class->n_products) * product_bytes;
}

/* Stores product number `at` of the class. */
static void put_product(const struct shells *shells, const struct product *product,
                        const struct shell_pair *pair, size_t at, struct pair_class *class)
{
    struct primitive_products *to = &class->products;
    to->zeta[at] = product->zeta;
    to->half_inverse[at] = 0.5 / product->zeta;
    to->weight[at] = product->weight;
    for (int x = 0; x < 3; x++) {
        to->P[x][at] = product->P[x];
        to->PA[x][at] = product->PA[x];
    }
    double *factor = to->factors + at * (size_t) class->n_factors;
    for (int k = 0; k < class->type[0]->n_shells; k++)
        for (int m = 0; m < class->type[1]->n_shells; m++)
            *factor++ = shell_factor(product, &shells->groups[pair->first], k,
                                     &shells->groups[pair->second], m);
}

/* Stores products in the order of the sorted pairs, so that products of consecutive pairs are
 * consecutive in memory. Returns the first double after them. */
static double *put_products(const struct shells *shells, const struct growing_class *from,
                            double *numbers, struct pair_class *class)
{
    size_t n = products_in_blocks(from->n_products), filled = 0;
    struct primitive_products *to = &class->products;
    double **arrays[N_ARRAYS] = {&to->zeta, &to->half_inverse, &to->weight, &to->P[0], &to->P[1],
                                 &to->P[2], &to->PA[0],        &to->PA[1],  &to->PA[2]};
    for (int i = 0; i < N_ARRAYS; i++)
        *arrays[i] = numbers + (size_t)i * n;
    to->factors = numbers + N_ARRAYS * n;
    for (int32_t i = 0; i < class->n_pairs; i++) {
        struct shell_pair *pair = &class->pairs[i];
        const struct product *product = from->products + pair->first_primitive;
        pair->first_primitive = (int32_t)filled;
        if (pair->n_primitives > class->max_primitives)
            class->max_primitives = pair->n_primitives;
        for (int32_t p = 0; p < pair->n_primitives; p++)
            put_product(shells, product++, pair, filled++, class);
    }
    double *end = to->factors + n * (size_t) class->n_factors;
    memset(to->factors + filled * (size_t) class->n_factors, 0,
           (n - filled) * (size_t) class->n_factors * sizeof(double));
    for (; filled < n; filled++) {
        for (int i = 0; i < N_ARRAYS; i++)
            arrays[i][0][filled] = 0;
        to->zeta[filled] = 1;
    }
    class->single = from->n_products == from->n_pairs;
    return end;
}

/* Sorts pairs into kinds by their number of primitives, ascending; the last kind takes the rest. */
static void set_kinds(struct pair_class *class)
{
    int32_t last = 0, lowest;
    for (class->n_kinds = 0; last < class->max_primitives; last = lowest) {
        bool is_last = class->n_kinds == PAIR_KINDS_MAX - 1;
        lowest = class->max_primitives;
        for (int32_t i = 0; i < class->n_pairs && !is_last; i++)
            if (class->pairs[i].n_primitives > last && class->pairs[i].n_primitives < lowest)
                lowest = class->pairs[i].n_primitives;
        for (int32_t i = 0; i < class->n_pairs; i++)
            if (class->pairs[i].n_primitives > last && class->pairs[i].n_primitives <= lowest)
                class->pairs[i].kind = (uint8_t) class->n_kinds;
        class->n_kinds++;
    }
}

/* Copies a grown class to *next and advances *next past it. */
static enum status pack_class(const struct shells *shells, struct growing_class *from, char **next,
                              struct pair_class *class)
{
    const struct group_type *a = &shells->types[shells->groups[from->pairs[0].first].type];
    const struct group_type *b = &shells->types[shells->groups[from->pairs[0].second].type];
    *class = (struct pair_class){.type = {a, b},
                                 .l_first = a->max_l,
                                 .l_second = b->max_l,
                                 .n_first = a->n_functions,
                                 .n_second = b->n_functions,
                                 .n_factors = count_factors(a, b),
                                 .n_pairs = (int32_t)from->n_pairs,
                                 .pairs = (struct shell_pair *)*next};
    qsort(from->pairs, (size_t)from->n_pairs, sizeof *from->pairs, compare_pairs);
    memcpy(class->pairs, from->pairs, (size_t)from->n_pairs * sizeof *from->pairs);
    for (int32_t i = 0; i < class->n_pairs; i++)
        class->has_squares |= class->pairs[i].first == class->pairs[i].second;
    *next += growing_class_bytes(shells, from);
    char *numbers =
        (char *)class->pairs + padded_bytes((size_t)from->n_pairs * sizeof *from->pairs);
    class->records = put_products(shells, from, (double *)numbers, class);
    class->records[HERMITE_ZETA] = NOT_MADE;
    set_kinds(class);
    class->pattern = hermite_pattern(a, b);
    return CHECK_MEMORY(class->pattern, "no memory for a pattern of shell pairs");
}

/* Moves the grown classes into one allocation. */
static enum status pack(struct growing_class *growing, int n_growing, struct shell_pairs *pairs)
{
    size_t bytes = 0;
    for (int k = 0; k < n_growing; k++) {
        pairs->n_classes += growing[k].n_pairs > 0;
        bytes += growing_class_bytes(pairs->shells, &growing[k]);
    }
    pairs->classes = calloc((size_t)pairs->n_classes + 1, sizeof *pairs->classes);
    pairs->storage = aligned_alloc(64, bytes + 64);
    TRY(CHECK_MEMORY(pairs->classes && pairs->storage, "no memory for %zu bytes of shell pairs",
                     bytes));
    pairs->bytes =
        (int64_t)(sizeof *pairs + bytes + (size_t)pairs->n_classes * sizeof *pairs->classes);
    char *next = pairs->storage;
    struct pair_class *class = pairs->classes;
    int32_t n_pairs = 0;
    for (int k = 0; k < n_growing; k++) {
        if (growing[k].n_pairs == 0)
            continue;
        TRY(pack_class(pairs->shells, &growing[k], &next, class));
        class->first_pair = n_pairs;
        n_pairs += class->n_pairs;
        if (class->pairs[0].bound > pairs->max_bound)
            pairs->max_bound = class->pairs[0].bound;
        class ++;
    }
    return STATUS_OK;
}

/* growing: the classes that the rectangle's pairs are appended to. */
static enum status list_rectangle_pairs(const struct shells *shells,
                                        const struct shell_rectangle *rectangle,
                                        const double *bounds, double min_bound,
                                        struct growing_class *growing)
{
    int64_t n_ket = rectangle->last[1] - rectangle->first[1];
    for (int64_t i = rectangle->first[0]; i < rectangle->last[0]; i++) {
        int64_t end = rectangle->triangle ? i + 1 : rectangle->last[1];
        for (int64_t j = rectangle->first[1]; j < end; j++) {
            double bound = INFINITY;
            if (bounds)
                bound = bounds[(i - rectangle->first[0]) * n_ket + (j - rectangle->first[1])];
            if (bound >= min_bound && bound > 0)
                TRY(append_pair(shells, i, j, bound, growing));
        }
    }
    return STATUS_OK;
}

enum status shell_pairs_create(const struct shells *shells, const struct shell_rectangle *rectangle,
                               const double *bounds, double min_bound, struct shell_pairs **pairs)
{
    int n_growing = class_index(shells->n_types, 0);
    struct growing_class *growing = calloc((size_t)n_growing, sizeof *growing);
    *pairs = calloc(1, sizeof **pairs);
    enum status status = CHECK_MEMORY(growing && *pairs, "no memory for shell pairs");
    if (status != STATUS_OK)
        goto done;
    (*pairs)->shells = shells;
    status = list_rectangle_pairs(shells, rectangle, bounds, min_bound, growing);
    if (status != STATUS_OK)
        goto done;
    status = pack(growing, n_growing, *pairs);
done:
    for (int k = 0; growing && k < n_growing; k++) {
        free(growing[k].pairs);
        free(growing[k].products);
    }
    free(growing);
    if (status != STATUS_OK) {
        shell_pairs_destroy(*pairs);
        *pairs = NULL;
    }
    return status;
}

void shell_pairs_destroy(struct shell_pairs *pairs)
{
    if (!pairs)
        return;
    free(pairs->classes);
    free(pairs->storage);
    free(pairs);
}

void pair_class_make_records(const struct pair_class *class)
{
    const struct primitive_products *products = &class->products;
    double *record = class->records;
    if (record[HERMITE_ZETA] != NOT_MADE)
        return;
    for (int32_t i = 0; i < class->n_pairs; i++) {
        const struct shell_pair *pair = &class->pairs[i];
        int32_t end = pair->first_primitive + pair->n_primitives;
        for (int32_t p = pair->first_primitive; p < end; p++, record += class->pattern->record) {
            struct hermite_product product = {.zeta = products->zeta[p],
                                              .weight = products->weight[p],
                                              .factors = products->factors +
                                                         (int64_t)p * class->n_factors};
            for (int x = 0; x < 3; x++) {
                product.P[x] = products->P[x][p];
                product.PA[x] = products->PA[x][p];
                product.PB[x] = product.PA[x] + pair->AB[x];
            }
            hermite_set_record(class->pattern, &product, record);
        }
    }
}
