/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/dense/product_shape.h"

#include "support/base/integers.h"
#include "tce/dense/product_kernels.h"

#include <assert.h>
#include <stddef.h>

/* Values of a sum from which on packing takes longer than C. */
enum { LEAST_LONG_SUM = 64 };

/* Inserts it into the list, which behind its first `fixed` dimensions ascends by strides on the side. */
static void insert_dimension(struct dimension_list *list, int fixed,
                             const struct product_dimension *added, enum product_side side)
{
    int d = list->n++;
    assert(list->n <= (int)PRODUCT_MAX_DIMENSIONS);
    for (; d > fixed && list->dimension[d - 1].stride[side] > added->stride[side]; d--)
        list->dimension[d] = list->dimension[d - 1];
    list->dimension[d] = *added;
}

static bool follows_dimension(const struct product_dimension *inner,
                              const struct product_dimension *outer)
{
    bool follows = true;
    for (int side = 0; side < N_SIDES; side++)
        follows = follows && outer->stride[side] == inner->extent * inner->stride[side];
    return follows;
}

static void fuse_dimensions(struct dimension_list *list)
{
    int n = 0;
    for (int d = 0; d < list->n; d++) {
        struct product_dimension *last = n > 0 ? &list->dimension[n - 1] : NULL;
        if (last && follows_dimension(last, &list->dimension[d]))
            last->extent *= list->dimension[d].extent;
        else
            list->dimension[n++] = list->dimension[d];
    }
    list->n = n;
}

/* Sorts the list behind its first `fixed` dimensions: it ascends by strides on the side. */
static void sort_dimensions(struct dimension_list *list, int fixed, enum product_side side)
{
    const struct dimension_list given = *list;
    list->n = fixed;
    for (int d = fixed; d < given.n; d++)
        insert_dimension(list, fixed, &given.dimension[d], side);
}

/* Moves the index whose values are neighbours in the factor to the second place, so that a panel's cache
 * lines of the factor serve the next panels, too. */
static void move_neighbours(struct dimension_list *list, enum product_side factor)
{
    int d = dimension_list_neighbours(list, factor);
    if (d < 0)
        return;
    struct product_dimension moved = list->dimension[d];
    for (; d > 1; d--)
        list->dimension[d] = list->dimension[d - 1];
    if (d == 1)
        list->dimension[1] = moved;
}

/* The distance to the nearest neighbour on the side by one of the indices that it has. */
static int64_t least_stride(const struct dense_product *product, enum product_side side,
                            enum product_side other, bool in_other)
{
    int64_t least = INT64_MAX;
    for (int d = 0; d < product->n; d++) {
        const struct product_dimension *dimension = &product->dimension[d];
        bool wanted = dimension->stride[side] > 0 && (dimension->stride[other] > 0) == in_other;
        if (wanted && dimension->stride[side] < least)
            least = dimension->stride[side];
    }
    return least;
}

static void exchange_factors(struct product_shape *shape, struct dense_product *product)
{
    const double *A = product->A;
    product->A = product->B;
    product->B = A;
    for (int d = 0; d < product->n; d++) {
        int64_t *stride = product->dimension[d].stride, of_A = stride[SIDE_A];
        stride[SIDE_A] = stride[SIDE_B];
        stride[SIDE_B] = of_A;
    }
    shape->A = product->A;
    shape->B = product->B;
}

/* Whether the columns of the given product become rows. */
static bool has_exchanged_factors(const struct dense_product *given,
                                  const struct dense_product *product)
{
    if (given->form_A != BY_STRIDES || given->form_B != BY_STRIDES)
        return given->form_A == COLUMN_PANELS || given->form_B == ROW_PANELS;
    return least_stride(product, SIDE_C, SIDE_A, false) <
           least_stride(product, SIDE_C, SIDE_B, false);
}

/* Without indices of one value, and those that no side has. */
static void keep_used_dimensions(const struct dense_product *given, struct dense_product *used)
{
    used->A = given->A;
    used->B = given->B;
    used->n = 0;
    for (int d = 0; d < given->n; d++) {
        const int64_t *stride = given->dimension[d].stride;
        if (given->dimension[d].extent > 1 && (stride[SIDE_A] > 0 || stride[SIDE_B] > 0))
            used->dimension[used->n++] = given->dimension[d];
    }
}

static void list_dimensions(const struct dense_product *product, struct product_shape *shape)
{
    /* Summed indices in the order of the factor that has neighbours there. */
    enum product_side order = least_stride(product, SIDE_A, SIDE_C, false) == 1 ? SIDE_A : SIDE_B;
    bool by_number = shape->has_panels_A || shape->has_panels_B;
    for (int d = product->n - 1; d >= 0; d--) {
        const struct product_dimension *dimension = &product->dimension[d];
        bool in_A = dimension->stride[SIDE_A] > 0, in_B = dimension->stride[SIDE_B] > 0;
        if (dimension->stride[SIDE_C] == 0 && by_number)
            shape->summed.dimension[shape->summed.n++] = *dimension;
        else if (dimension->stride[SIDE_C] == 0)
            insert_dimension(&shape->summed, 0, dimension, order);
        else if (in_A && in_B)
            insert_dimension(&shape->batch, 0, dimension, SIDE_C);
        else
            insert_dimension(in_A ? &shape->rows : &shape->columns, 0, dimension, SIDE_C);
    }
}

/* Where the factors have their neighbours in different indices, one is innermost by strips, and the other one
 * comes next: neighbours of either factor are then within a few values of the sum. */
static void interleave_neighbours(struct product_shape *shape)
{
    struct dimension_list *summed = &shape->summed;
    int in_A = dimension_list_neighbours(summed, SIDE_A);
    int in_B = dimension_list_neighbours(summed, SIDE_B);
    shape->strip = summed->n > 0 ? summed->dimension[0].extent : 1;
    bool by_number = shape->has_panels_A || shape->has_panels_B;
    if (by_number || in_A != 0 || in_B <= 0)
        return;
    struct product_dimension moved = summed->dimension[in_B];
    for (int d = in_B; d > 0; d--)
        summed->dimension[d] = summed->dimension[d - 1];
    summed->dimension[0] = moved;
    shape->strip = PRODUCT_MAX_APART;
}

void product_shape_init(const struct dense_product *given, struct product_shape *shape)
{
    struct dense_product product;
    shape->A = given->A;
    shape->B = given->B;
    shape->C = given->C;
    shape->factor = given->factor;
    shape->add = given->add;
    shape->rows.n = shape->columns.n = shape->summed.n = shape->batch.n = 0;
    keep_used_dimensions(given, &product);
    shape->has_panels_A = given->form_A == ROW_PANELS || given->form_B == ROW_PANELS;
    shape->has_panels_B = given->form_A == COLUMN_PANELS || given->form_B == COLUMN_PANELS;
    if (has_exchanged_factors(given, &product))
        exchange_factors(shape, &product);
    list_dimensions(&product, shape);
    fuse_dimensions(&shape->rows);
    fuse_dimensions(&shape->columns);
    fuse_dimensions(&shape->summed);
    fuse_dimensions(&shape->batch);
    interleave_neighbours(shape);
}

void product_shape_reorder(struct product_shape *shape)
{
    if (dimension_list_size(&shape->summed) < LEAST_LONG_SUM) {
        move_neighbours(&shape->rows, SIDE_A);
        move_neighbours(&shape->columns, SIDE_B);
    } else {
        sort_dimensions(&shape->rows, 1, SIDE_A);
        sort_dimensions(&shape->columns, 0, SIDE_B);
    }
}

/* The list as C alone sees it. */
static void keep_side_C(const struct dimension_list *list, struct dimension_list *of_C)
{
    of_C->n = list->n;
    for (int d = 0; d < list->n; d++)
        of_C->dimension[d] =
            (struct product_dimension){.extent = list->dimension[d].extent,
                                       .stride[SIDE_C] = list->dimension[d].stride[SIDE_C]};
    fuse_dimensions(of_C);
}

static bool lists_match(const struct dimension_list *left, const struct dimension_list *right)
{
    struct dimension_list a, b;
    keep_side_C(left, &a);
    keep_side_C(right, &b);
    bool match = a.n == b.n;
    for (int d = 0; match && d < a.n; d++)
        match = a.dimension[d].extent == b.dimension[d].extent &&
                a.dimension[d].stride[SIDE_C] == b.dimension[d].stride[SIDE_C];
    return match;
}

bool product_shapes_match(const struct product_shape *left, const struct product_shape *right)
{
    return lists_match(&left->rows, &right->rows) && lists_match(&left->columns, &right->columns);
}

int dimension_list_neighbours(const struct dimension_list *list, enum product_side side)
{
    int d = list->n - 1;
    while (d >= 0 && list->dimension[d].stride[side] != 1)
        d--;
    return d;
}

int64_t dimension_list_size(const struct dimension_list *list)
{
    int64_t size = 1;
    for (int d = 0; d < list->n; d++)
        size *= list->dimension[d].extent;
    return size;
}

bool dimension_list_next(const struct dimension_list *list, int first,
                         struct dimension_place *place)
{
    for (int d = first; d < list->n; d++) {
        const struct product_dimension *dimension = &list->dimension[d];
        bool more = ++place->value[d] < dimension->extent;
        int64_t step = more ? 1 : 1 - dimension->extent;
        for (int side = 0; side < N_SIDES; side++)
            place->offset[side] += step * dimension->stride[side];
        if (more)
            return true;
        place->value[d] = 0;
    }
    return false;
}

static void find_dimension_place(const struct dimension_list *list, int64_t number,
                                 struct dimension_place *place)
{
    *place = (struct dimension_place){{0}, {0}};
    for (int d = 0; d < list->n; d++) {
        const struct product_dimension *dimension = &list->dimension[d];
        place->value[d] = number % dimension->extent;
        number /= dimension->extent;
        for (int side = 0; side < N_SIDES; side++)
            place->offset[side] += place->value[d] * dimension->stride[side];
    }
}

void dimension_list_offsets(const struct dimension_list *list, int64_t from, int64_t n,
                            const enum product_side side[2], int64_t *const offsets[2])
{
    struct dimension_place place;
    const struct product_dimension inner =
        list->n > 0 ? list->dimension[0] : (struct product_dimension){.extent = 1};
    find_dimension_place(list, from, &place);
    for (int64_t i = 0; i < n;) {
        int64_t left = inner.extent - place.value[0], run = left < n - i ? left : n - i;
        for (int s = 0; s < 2; s++)
            for (int64_t j = 0; j < run; j++)
                offsets[s][i + j] = place.offset[side[s]] + j * inner.stride[side[s]];
        i += run;
        /* Behind the last value of the innermost index the next one of the others follows. */
        for (int s = 0; s < N_SIDES; s++)
            place.offset[s] -= place.value[0] * inner.stride[s];
        place.value[0] = 0;
        dimension_list_next(list, 1, &place);
    }
}

void product_shape_summed_offsets(const struct product_shape *shape, int64_t from, int64_t n,
                                  int64_t *of_A, int64_t *of_B)
{
    const enum product_side side[2] = {SIDE_A, SIDE_B};
    struct dimension_list strip = shape->summed;
    struct product_dimension inner =
        strip.n > 0 ? strip.dimension[0] : (struct product_dimension){.extent = 1};
    int64_t others = dimension_list_size(&strip) / inner.extent;
    for (int64_t i = 0, run; i < n; i += run) {
        int64_t first = (from + i) / (shape->strip * others) * shape->strip;
        strip.dimension[0].extent = min_int64(shape->strip, inner.extent - first);
        int64_t in_strip = from + i - first * others;
        run = min_int64(n - i, strip.dimension[0].extent * others - in_strip);
        int64_t *const offsets[2] = {of_A + i, of_B + i};
        dimension_list_offsets(&strip, in_strip, run, side, offsets);
        for (int64_t j = i; j < i + run; j++) {
            of_A[j] += first * inner.stride[SIDE_A];
            of_B[j] += first * inner.stride[SIDE_B];
        }
    }
}
