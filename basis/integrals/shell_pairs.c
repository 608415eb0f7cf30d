#include "basis/integrals/shell_pairs.h"

#include "support/base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A product of this weight changes no integral: the largest weights that occur are
 * some 1e3. */
#define PRODUCT_CUTOFF 1e-20

/* sqrt(2) pi^(5/4) */
#define ROOT_TWO_PI_54 5.914967172795612

enum {
    N_CLASSES_MAX = (BASIS_MAX_L + 1) * (BASIS_MAX_L + 2) / 2,
    N_ARRAYS = 10, /* of struct primitive_products */
};

struct product {
    double zeta, factor, weight, P[3], PA[3];
};

/* A class while the pairs of the rectangle are appended. */
struct growing_class {
    struct shell_pair *pairs;
    int64_t n_pairs, pair_capacity;
    struct product *products;
    int64_t n_products, product_capacity;
};

static int class_index(int l_first, int l_second)
{
    return l_first * (l_first + 1) / 2 + l_second;
}

/* Appends the primitive products of shells a and b, largest weight first;
 * returns how many. */
static int32_t append_products(const struct shell *a, const struct shell *b,
                               struct growing_class *class)
{
    double AB2 = 0;
    for (int x = 0; x < 3; x++)
        AB2 += (a->center[x] - b->center[x]) * (a->center[x] - b->center[x]);
    double AB = sqrt(AB2);
    struct product *out = class->products + class->n_products;
    int32_t n = 0;
    for (int i = 0; i < a->n_primitives; i++) {
        for (int j = 0; j < b->n_primitives; j++) {
            double alpha = a->exponents[i], beta = b->exponents[j], zeta = alpha + beta;
            double factor = ROOT_TWO_PI_54 * a->coefficients[i] * b->coefficients[j] / zeta *
                            exp(-alpha * beta / zeta * AB2);
            double PA = AB * beta / zeta, PB = AB * alpha / zeta;
            double width = 1 / sqrt(2 * zeta);
            double weight =
                fabs(factor) * pow(fmax(1, PA + width), a->l) * pow(fmax(1, PB + width), b->l);
            if (weight < PRODUCT_CUTOFF)
                continue;
            struct product product = {.zeta = zeta, .factor = factor, .weight = weight};
            for (int x = 0; x < 3; x++) {
                product.P[x] = (alpha * a->center[x] + beta * b->center[x]) / zeta;
                product.PA[x] = product.P[x] - a->center[x];
            }
            /* Insertion: the lists are short and mostly come in order. */
            int32_t at = n++;
            for (; at > 0 && out[at - 1].weight < weight; at--)
                out[at] = out[at - 1];
            out[at] = product;
        }
    }
    return n;
}

static enum status append_pair(const struct shells *shells, int64_t bra, int64_t ket, double bound,
                               struct growing_class *classes)
{
    bool swapped = shells->shells[bra].l < shells->shells[ket].l;
    int64_t first = swapped ? ket : bra, second = swapped ? bra : ket;
    const struct shell *a = &shells->shells[first], *b = &shells->shells[second];
    struct growing_class *class = &classes[class_index(a->l, b->l)];
    TRY(array_reserve(&class->pairs, class->n_pairs + 1, &class->pair_capacity,
                      sizeof *class->pairs));
    TRY(array_reserve(&class->products,
                      class->n_products + (int64_t)a->n_primitives * b->n_primitives,
                      &class->product_capacity, sizeof *class->products));
    int32_t n_primitives = append_products(a, b, class);
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

/* Larger bound first; equal ones in the order of shells, so that the order
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

int64_t shell_pair_product_bytes(int l_first, int l_second, bool spherical)
{
    int record =
        l_first > HERMITE_MAX_L ? 0 : hermite_pattern(l_first, l_second, spherical)->record;
    return (N_ARRAYS + record) * (int64_t)sizeof(double);
}

static size_t class_product_bytes(const struct shells *shells, const struct growing_class *class)
{
    if (class->n_pairs == 0)
        return 0;
    const struct shell_pair *pair = class->pairs;
    return (size_t)shell_pair_product_bytes(shells->shells[pair->first].l,
                                            shells->shells[pair->second].l, shells->spherical);
}

/* Sets the records of all products. */
static void fill_records(struct pair_class *class, double *record)
{
    const struct primitive_products *products = &class->products;
    class->pattern = hermite_pattern(class->l_first, class->l_second, class->spherical);
    class->records = record;
    for (int32_t i = 0; i < class->n_pairs; i++) {
        const struct shell_pair *pair = &class->pairs[i];
        int32_t end = pair->first_primitive + pair->n_primitives;
        for (int32_t p = pair->first_primitive; p < end; p++, record += class->pattern->record) {
            struct hermite_product product = {.zeta = products->zeta[p],
                                              .factor = products->factor[p],
                                              .weight = products->weight[p]};
            for (int x = 0; x < 3; x++) {
                product.P[x] = products->P[x][p];
                product.PA[x] = products->PA[x][p];
                product.PB[x] = product.PA[x] + pair->AB[x];
            }
            hermite_set_record(class->pattern, &product, record);
        }
    }
}

/* Bytes of something in the storage, the next of which starts on a boundary of 64. */
static size_t padded_bytes(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static size_t products_in_blocks(int64_t n_products)
{
    return (size_t)(n_products + PRODUCT_BLOCK - 1) / PRODUCT_BLOCK * PRODUCT_BLOCK;
}

/* Moves the grown classes into one allocation. */
static enum status pack(struct growing_class *growing, struct shell_pairs *pairs)
{
    size_t bytes = 0;
    for (int k = 0; k < N_CLASSES_MAX; k++) {
        pairs->n_classes += growing[k].n_pairs > 0;
        bytes += padded_bytes((size_t)growing[k].n_pairs * sizeof(struct shell_pair)) +
                 products_in_blocks(growing[k].n_products) *
                     class_product_bytes(pairs->shells, &growing[k]);
    }
    pairs->classes = calloc((size_t)pairs->n_classes + 1, sizeof *pairs->classes);
    pairs->storage = aligned_alloc(64, bytes + 64);
    TRY(CHECK_MEMORY(pairs->classes && pairs->storage, "no memory for %zu bytes of shell pairs",
                     bytes));
    pairs->bytes =
        (int64_t)(sizeof *pairs + bytes + (size_t)pairs->n_classes * sizeof *pairs->classes);

    char *next = pairs->storage;
    struct pair_class *class = pairs->classes;
    for (int k = 0; k < N_CLASSES_MAX; k++) {
        struct growing_class *from = &growing[k];
        if (from->n_pairs == 0)
            continue;
        const struct shell *a = &pairs->shells->shells[from->pairs[0].first];
        const struct shell *b = &pairs->shells->shells[from->pairs[0].second];
        *class = (struct pair_class){.l_first = a->l,
                                     .l_second = b->l,
                                     .n_first = a->n_functions,
                                     .n_second = b->n_functions,
                                     .spherical = pairs->shells->spherical,
                                     .n_pairs = (int32_t)from->n_pairs,
                                     .pairs = (struct shell_pair *)next};
        qsort(from->pairs, (size_t)from->n_pairs, sizeof *from->pairs, compare_pairs);
        memcpy(class->pairs, from->pairs, (size_t)from->n_pairs * sizeof *from->pairs);
        next += padded_bytes((size_t)from->n_pairs * sizeof *from->pairs);

        size_t n = products_in_blocks(from->n_products);
        double *array = (double *)next;
        struct primitive_products *to = &class->products;
        double **arrays[N_ARRAYS] = {&to->zeta,  &to->half_inverse, &to->factor, &to->weight,
                                     &to->P[0],  &to->P[1],         &to->P[2],   &to->PA[0],
                                     &to->PA[1], &to->PA[2]};
        for (int i = 0; i < N_ARRAYS; i++)
            *arrays[i] = array + (size_t)i * n;
        /* Products follow the sorted pairs, so that consecutive pairs are
         * consecutive in memory. */
        size_t filled = 0;
        for (int32_t i = 0; i < class->n_pairs; i++) {
            struct shell_pair *pair = &class->pairs[i];
            const struct product *product = from->products + pair->first_primitive;
            pair->first_primitive = (int32_t)filled;
            for (int32_t p = 0; p < pair->n_primitives; p++, product++, filled++) {
                to->zeta[filled] = product->zeta;
                to->half_inverse[filled] = 0.5 / product->zeta;
                to->factor[filled] = product->factor;
                to->weight[filled] = product->weight;
                for (int x = 0; x < 3; x++) {
                    to->P[x][filled] = product->P[x];
                    to->PA[x][filled] = product->PA[x];
                }
            }
        }
        class->single = from->n_products == from->n_pairs;
        for (; filled < n; filled++) {
            for (int i = 0; i < N_ARRAYS; i++)
                arrays[i][0][filled] = 0;
            to->zeta[filled] = 1;
        }
        next += N_ARRAYS * n * sizeof(double);
        if (a->l <= HERMITE_MAX_L) {
            fill_records(class, (double *)next);
            next += n * (size_t) class->pattern->record * sizeof(double);
        }
        if (class->pairs[0].bound > pairs->max_bound)
            pairs->max_bound = class->pairs[0].bound;
        class ++;
    }
    return STATUS_OK;
}

enum status shell_pairs_create(const struct shells *shells, const struct shell_rectangle *rectangle,
                               const double *bounds, double min_bound, struct shell_pairs **pairs)
{
    struct growing_class growing[N_CLASSES_MAX] = {{0}};
    enum status status = STATUS_OK;
    int64_t n_ket = rectangle->last[1] - rectangle->first[1];
    *pairs = calloc(1, sizeof **pairs);
    TRY(CHECK_MEMORY(*pairs, "no memory for shell pairs"));
    (*pairs)->shells = shells;
    for (int64_t i = rectangle->first[0]; i < rectangle->last[0]; i++) {
        int64_t end = rectangle->triangle ? i + 1 : rectangle->last[1];
        for (int64_t j = rectangle->first[1]; j < end && status == STATUS_OK; j++) {
            double bound = INFINITY;
            if (bounds)
                bound = bounds[(i - rectangle->first[0]) * n_ket + (j - rectangle->first[1])];
            if (bound >= min_bound && bound > 0)
                status = append_pair(shells, i, j, bound, growing);
        }
    }
    if (status == STATUS_OK)
        status = pack(growing, *pairs);
    for (int k = 0; k < N_CLASSES_MAX; k++) {
        free(growing[k].pairs);
        free(growing[k].products);
    }
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
