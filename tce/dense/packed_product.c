/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/dense/packed_product.h"

#include "support/base/integers.h"
#include "tce/dense/product_kernels.h"

#include <stddef.h>

/* Rows of A of a second-level cache, whose panels meet each panel of columns of B, which stays in a
 * first-level one: 590 KB of A, 25 KB of each panel of B. The deeper, the less often C is read and written. */
enum {
    MAX_DEPTH = 384,
    MAX_ROWS = 192,
    MIN_TILE_ROWS = 4,
    MAX_PANELS = MAX_ROWS / MIN_TILE_ROWS,
    MAX_COLUMNS = 768,
    MAX_SEGMENTS = 16,
    /* Rows that are neighbours in memory are not packed for up to so many columns. */
    MAX_UNPACKED_COLUMNS = 32,
    MAX_READ_ELEMENTS = 256 * 1024,
    CACHE_LINE = 8 /* elements */
};

/* Offsets of a part of one of the lists, on its two sides. */
struct offset_table {
    int64_t first, n;
    int64_t of_factor[MAX_COLUMNS], of_other[MAX_COLUMNS];
};

/* Some of the summed values of one of the products. */
struct segment {
    const struct product_shape *shape;
    int64_t first, depth, whole_depth;
    int64_t place; /* of the first value; counted over all segments */
};

struct product_scratch {
    /* Panels, one after another: of a segment depth * rows or columns, from its place on. */
    double a[MAX_ROWS * MAX_DEPTH], b[MAX_COLUMNS * MAX_DEPTH];
    /* of_factor: in A, B, A; of_other: in C, C, B */
    struct offset_table rows, columns, summed;
    struct row_runs runs[MAX_PANELS]; /* of each panel of rows, in C */
    int n_segments;
    struct segment segments[MAX_SEGMENTS];
    const double *in_place[MAX_SEGMENTS][MAX_PANELS]; /* of rows, in their factor; NULL: packed */
};

enum { SCRATCH_ELEMENTS = (sizeof(struct product_scratch) + sizeof(double) - 1) / sizeof(double) };

int64_t product_scratch_bytes(void)
{
    return block_buffers_bytes(SCRATCH_ELEMENTS);
}

enum status product_scratch_create(struct block_buffers *buffers, struct product_scratch **scratch)
{
    *scratch = (void *)block_buffers_take(buffers, SCRATCH_ELEMENTS);
    return CHECK_MEMORY(*scratch, "no memory for packed blocks");
}

void product_scratch_destroy(struct block_buffers *buffers, struct product_scratch *scratch)
{
    block_buffers_give_back(buffers, (void *)scratch);
}

/* Equal parts of a length, all but the last one multiples of `step`. */
static int64_t equal_part(int64_t length, int64_t most, int64_t step)
{
    int64_t n_parts = (length + most - 1) / most, part = (length + n_parts - 1) / n_parts;
    return round_up_int64(part, step);
}

static void set_offsets(const struct dimension_list *list, int64_t first, int64_t n,
                        enum product_side factor, enum product_side other,
                        struct offset_table *table)
{
    const enum product_side side[2] = {factor, other};
    int64_t *const offsets[2] = {table->of_factor, table->of_other};
    table->first = first;
    table->n = n;
    dimension_list_offsets(list, first, n, side, offsets);
}

/* One of the factors of a segment's product, in rows or in columns. */
struct factor_side {
    enum product_side side;
    const struct dimension_list *list;
    const double *elements;
    bool has_panels;     /* `elements` */
    const int64_t *of_k; /* offsets of the segment's summed values */
    int width;           /* of panels */
    double *packed;
    struct offset_table *table;
};

static struct factor_side row_side(const struct product_kernels *kernels,
                                   const struct segment *segment, struct product_scratch *scratch)
{
    const struct product_shape *shape = segment->shape;
    return (struct factor_side){SIDE_A,
                                &shape->rows,
                                shape->A,
                                shape->has_panels_A,
                                scratch->summed.of_factor + segment->place,
                                kernels->rows,
                                scratch->a,
                                &scratch->rows};
}

static struct factor_side column_side(const struct product_kernels *kernels,
                                      const struct segment *segment,
                                      struct product_scratch *scratch)
{
    const struct product_shape *shape = segment->shape;
    return (struct factor_side){SIDE_B,
                                &shape->columns,
                                shape->B,
                                shape->has_panels_B,
                                scratch->summed.of_other + segment->place,
                                kernels->columns,
                                scratch->b,
                                &scratch->columns};
}

/* The panel of a segment that begins with row or column i of those at hand. */
static double *find_packed_panel(const struct segment *segment, const struct factor_side *side,
                                 int64_t i)
{
    return side->packed + segment->place * round_up_int64(side->table->n, side->width) +
           i * segment->depth;
}

static const double *find_panel(const struct segment *segment, const struct factor_side *side,
                                int64_t i)
{
    if (side->has_panels)
        return side->elements + (side->table->first + i) * segment->whole_depth +
               segment->first * side->width;
    return find_packed_panel(segment, side, i);
}

static void pack_side_panel(const struct product_kernels *kernels, const struct segment *segment,
                            const struct factor_side *side, int64_t i)
{
    struct panel_source source = {.elements = side->elements,
                                  .n_rows = (int)min_int64(side->width, side->table->n - i),
                                  .row = side->table->of_factor + i,
                                  .depth = segment->depth,
                                  .column = side->of_k};
    kernels->pack(&source, side->width, find_packed_panel(segment, side, i));
}

/* Offsets of n rows or columns, from number `first` on, in the segment's product. Those in C are left as the last
 * product has them. */
static void place_side(const struct product_scratch *scratch, int s, int64_t first, int64_t n,
                       const struct factor_side *side)
{
    const struct segment *segment = &scratch->segments[s];
    if (s == 0 || segment->shape != segment[-1].shape)
        set_offsets(side->list, first, n, side->side, SIDE_C, side->table);
}

static void pack_columns(const struct product_kernels *kernels, int64_t first, int64_t n,
                         struct product_scratch *scratch)
{
    for (int s = 0; s < scratch->n_segments; s++) {
        struct factor_side side = column_side(kernels, &scratch->segments[s], scratch);
        place_side(scratch, s, first, n, &side);
        for (int64_t i = 0; i < n && !side.has_panels; i += side.width)
            pack_side_panel(kernels, &scratch->segments[s], &side, i);
    }
}

/* The rows of the panel that begins with row i where they are neighbours in their factor and few columns follow;
 * else NULL. */
static const double *find_unpacked_rows(const struct product_scratch *scratch,
                                        const struct factor_side *side, int64_t i)
{
    const int64_t *row = side->table->of_factor + i;
    if (side->has_panels || scratch->columns.n > MAX_UNPACKED_COLUMNS ||
        i + side->width > side->table->n)
        return NULL;
    for (int r = 1; r < side->width; r++)
        if (row[r] != row[0] + r)
            return NULL;
    return side->elements + row[0];
}

/* The columns are known. */
static void pack_rows(const struct product_kernels *kernels, int64_t first, int64_t n,
                      struct product_scratch *scratch)
{
    for (int s = 0; s < scratch->n_segments; s++) {
        struct factor_side side = row_side(kernels, &scratch->segments[s], scratch);
        place_side(scratch, s, first, n, &side);
        for (int64_t i = 0; i < n; i += side.width) {
            const double *in_place = find_unpacked_rows(scratch, &side, i);
            scratch->in_place[s][i / side.width] = in_place;
            if (!side.has_panels && !in_place)
                pack_side_panel(kernels, &scratch->segments[s], &side, i);
        }
    }
}

static void set_row_runs(const struct product_kernels *kernels, struct product_scratch *scratch)
{
    const struct offset_table *rows = &scratch->rows;
    for (int64_t i = 0, panel = 0; i < rows->n; i += kernels->rows, panel++)
        kernels->find_runs((int)min_int64(kernels->rows, rows->n - i), rows->of_other + i,
                           &scratch->runs[panel]);
}

/* The factor of a segment's product takes effect on all segments before it, too. */
static double scale_before(const struct product_scratch *scratch, int s)
{
    const struct segment *segment = &scratch->segments[s];
    return s == 0 || segment->shape->factor == segment[-1].shape->factor
               ? 1
               : segment[-1].shape->factor / segment->shape->factor;
}

/* The factors of a tile. */
static void set_pairs(const struct product_kernels *kernels, struct product_scratch *scratch,
                      int64_t row, int64_t column, struct panel_pair pairs[])
{
    for (int s = 0; s < scratch->n_segments; s++) {
        const struct segment *segment = &scratch->segments[s];
        const struct factor_side rows = row_side(kernels, segment, scratch);
        const struct factor_side columns = column_side(kernels, segment, scratch);
        const double *in_place = scratch->in_place[s][row / kernels->rows];
        pairs[s].a = in_place ? in_place : find_panel(segment, &rows, row);
        pairs[s].a_column = in_place ? rows.of_k : NULL;
        pairs[s].b = find_panel(segment, &columns, column);
    }
}

/* The product of what is packed. */
static void multiply_panels(const struct product_kernels *kernels, double *C, bool add,
                            struct product_scratch *scratch)
{
    const struct offset_table *rows = &scratch->rows, *columns = &scratch->columns;
    struct panel_pair pairs[MAX_SEGMENTS];
    int n = scratch->n_segments;
    for (int s = 0; s < n; s++)
        pairs[s] = (struct panel_pair){.depth = scratch->segments[s].depth,
                                       .scale = scale_before(scratch, s)};
    for (int64_t j = 0; j < columns->n; j += kernels->columns)
        for (int64_t i = 0, panel = 0; i < rows->n; i += kernels->rows, panel++) {
            struct product_tile tile = {.C = C,
                                        .rows = &scratch->runs[panel],
                                        .n_columns =
                                            (int)min_int64(kernels->columns, columns->n - j),
                                        .column = columns->of_other + j,
                                        .factor = scratch->segments[n - 1].shape->factor,
                                        .add = add};
            set_pairs(kernels, scratch, i, j, pairs);
            kernels->multiply(n, pairs, &tile);
        }
}

static void multiply_rows(const struct product_kernels *kernels, const struct product_shape *shape,
                          bool add, struct product_scratch *scratch)
{
    int64_t n_rows = dimension_list_size(&shape->rows);
    int64_t part = equal_part(n_rows, MAX_ROWS, kernels->rows);
    for (int64_t i = 0; i < n_rows; i += part) {
        pack_rows(kernels, i, min_int64(part, n_rows - i), scratch);
        set_row_runs(kernels, scratch);
        multiply_panels(kernels, shape->C, add, scratch);
    }
}

/* Where the next segments begin. */
struct segment_place {
    int product;
    int64_t first;
};

static void add_segment(const struct product_shape *shape, int64_t first, int64_t depth,
                        struct product_scratch *scratch)
{
    struct offset_table *summed = &scratch->summed;
    product_shape_summed_offsets(shape, first, depth, summed->of_factor + summed->n,
                                 summed->of_other + summed->n);
    scratch->segments[scratch->n_segments++] =
        (struct segment){.shape = shape,
                         .first = first,
                         .depth = depth,
                         .whole_depth = dimension_list_size(&shape->summed),
                         .place = summed->n};
    summed->n += depth;
}

/* As many summed values as panels take, in equal parts of each product; false: none are left. */
static bool next_segments(int n, const struct product_shape shapes[], struct segment_place *next,
                          struct product_scratch *scratch)
{
    scratch->n_segments = 0;
    scratch->summed.n = 0;
    while (next->product < n && scratch->n_segments < MAX_SEGMENTS) {
        const struct product_shape *shape = &shapes[next->product];
        int64_t whole = dimension_list_size(&shape->summed), left = whole - next->first;
        int64_t depth = min_int64(equal_part(whole, MAX_DEPTH, PRODUCT_MAX_APART), left);
        if (scratch->summed.n + depth > MAX_DEPTH)
            break;
        add_segment(shape, next->first, depth, scratch);
        next->first += depth;
        if (depth == left)
            *next = (struct segment_place){next->product + 1, 0};
    }
    return scratch->n_segments > 0;
}

/* The elements of a factor, and of the piece of memory from its first to its last one. */
static void count_elements(const struct dimension_list *list, enum product_side factor, int64_t *n,
                           int64_t *span)
{
    for (int d = 0; d < list->n; d++) {
        *n *= list->dimension[d].extent;
        *span += (list->dimension[d].extent - 1) * list->dimension[d].stride[factor];
    }
}

/* Reads a factor without gaps from its first to its last element, unless it is much larger than a second-level
 * cache: processors fetch ahead what is read in order, which panels are not. */
static void read_in_order(const struct product_shape *shape, const struct dimension_list *list,
                          enum product_side factor, const double *elements)
{
    int64_t n = 1, span = 1;
    count_elements(list, factor, &n, &span);
    count_elements(&shape->summed, factor, &n, &span);
    if (n != span || n > MAX_READ_ELEMENTS)
        return;
    for (int64_t i = 0; i < n; i += CACHE_LINE)
        (void)*(const volatile double *)&elements[i];
}

static void read_factors(const struct product_shape *shape)
{
    if (!shape->has_panels_A)
        read_in_order(shape, &shape->rows, SIDE_A, shape->A);
    if (!shape->has_panels_B)
        read_in_order(shape, &shape->columns, SIDE_B, shape->B);
}

void packed_products_run(int n, const struct product_shape shapes[],
                         struct product_scratch *scratch)
{
    const struct product_kernels *kernels = product_kernels_here();
    for (int i = 0; i < n; i++)
        read_factors(&shapes[i]);
    int64_t n_columns = dimension_list_size(&shapes[0].columns);
    int64_t part = equal_part(n_columns, MAX_COLUMNS, kernels->columns);
    for (int64_t j = 0; j < n_columns; j += part) {
        struct segment_place next = {0, 0};
        bool add = shapes[0].add;
        for (; next_segments(n, shapes, &next, scratch); add = true) {
            pack_columns(kernels, j, min_int64(part, n_columns - j), scratch);
            multiply_rows(kernels, &shapes[0], add, scratch);
        }
    }
}
