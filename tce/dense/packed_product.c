/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/dense/packed_product.h"

#include "support/base/integers.h"
#include "tce/dense/product_kernels.h"

/* Rows of A of a second-level cache, whose panels meet each panel of columns of B, which stays in a
 * first-level one. */
enum {
    MAX_DEPTH = 256,
    MAX_ROWS = 192,
    MIN_TILE_ROWS = 4,
    MAX_PANELS = MAX_ROWS / MIN_TILE_ROWS,
    MAX_COLUMNS = 1024,
    MAX_SEGMENTS = 16
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
    int64_t place; /* of the first among those of all segments */
};

struct product_scratch {
    /* Panels, one after another: of a segment depth * rows or columns, from its place on. */
    double a[MAX_ROWS * MAX_DEPTH], b[MAX_COLUMNS * MAX_DEPTH];
    /* of_factor: in A, B, A; of_other: in C, C, B */
    struct offset_table rows, columns, summed;
    struct row_runs runs[MAX_PANELS]; /* of each panel of rows, in C */
    int n_segments;
    struct segment segments[MAX_SEGMENTS];
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

/* All panels of the rows or columns in the table.
 * of_k: the offsets of the summed indices in the factor */
static void pack_panels(const struct product_kernels *kernels, int width, const double *factor,
                        const struct offset_table *table, int64_t depth, const int64_t *of_k,
                        double *panels)
{
    for (int64_t i = 0; i < table->n; i += width) {
        struct panel_source source = {.elements = factor,
                                      .n_rows = (int)min_int64(width, table->n - i),
                                      .row = table->of_factor + i,
                                      .depth = depth,
                                      .column = of_k};
        kernels->pack(&source, width, panels + i * depth);
    }
}

/* Packs n rows of all segments, from row `first` on, but for those that are panels already. Leaves the table
 * of rows as the last product has it. */
static void pack_rows(const struct product_kernels *kernels, int64_t first, int64_t n,
                      struct product_scratch *scratch)
{
    for (int s = 0; s < scratch->n_segments; s++) {
        const struct segment *segment = &scratch->segments[s];
        if (s == 0 || segment->shape != segment[-1].shape)
            set_offsets(&segment->shape->rows, first, n, SIDE_A, SIDE_C, &scratch->rows);
        if (!segment->shape->has_panels_A)
            pack_panels(kernels, kernels->rows, segment->shape->A, &scratch->rows, segment->depth,
                        scratch->summed.of_factor + segment->place,
                        scratch->a + segment->place * round_up_int64(n, kernels->rows));
    }
}

static void pack_columns(const struct product_kernels *kernels, int64_t first, int64_t n,
                         struct product_scratch *scratch)
{
    for (int s = 0; s < scratch->n_segments; s++) {
        const struct segment *segment = &scratch->segments[s];
        if (s == 0 || segment->shape != segment[-1].shape)
            set_offsets(&segment->shape->columns, first, n, SIDE_B, SIDE_C, &scratch->columns);
        if (!segment->shape->has_panels_B)
            pack_panels(kernels, kernels->columns, segment->shape->B, &scratch->columns,
                        segment->depth, scratch->summed.of_other + segment->place,
                        scratch->b + segment->place * round_up_int64(n, kernels->columns));
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

/* The panel of a segment that begins with row or column i of those at hand.
 * panels  what is packed of all segments; width: of a panel */
static const double *find_panel(const struct segment *segment, bool has_panels,
                                const double *factor, const double *panels,
                                const struct offset_table *table, int width, int64_t i)
{
    if (has_panels)
        return factor + (table->first + i) * segment->whole_depth + segment->first * width;
    return panels + segment->place * round_up_int64(table->n, width) + i * segment->depth;
}

/* The factors of a tile. */
static void set_pairs(const struct product_kernels *kernels, const struct product_scratch *scratch,
                      int64_t row, int64_t column, struct panel_pair pairs[])
{
    for (int s = 0; s < scratch->n_segments; s++) {
        const struct segment *segment = &scratch->segments[s];
        const struct product_shape *shape = segment->shape;
        pairs[s].a = find_panel(segment, shape->has_panels_A, shape->A, scratch->a, &scratch->rows,
                                kernels->rows, row);
        pairs[s].b = find_panel(segment, shape->has_panels_B, shape->B, scratch->b,
                                &scratch->columns, kernels->columns, column);
    }
}

/* The product of what is packed. */
static void multiply_panels(const struct product_kernels *kernels, double *C, bool add,
                            const struct product_scratch *scratch)
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
    const enum product_side side[2] = {SIDE_A, SIDE_B};
    int64_t *const offsets[2] = {summed->of_factor + summed->n, summed->of_other + summed->n};
    dimension_list_offsets(&shape->summed, first, depth, side, offsets);
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
        int64_t depth = min_int64(equal_part(whole, MAX_DEPTH, 1), left);
        if (scratch->summed.n + depth > MAX_DEPTH)
            break;
        add_segment(shape, next->first, depth, scratch);
        next->first += depth;
        if (depth == left)
            *next = (struct segment_place){next->product + 1, 0};
    }
    return scratch->n_segments > 0;
}

void packed_products_run(int n, const struct product_shape shapes[],
                         struct product_scratch *scratch)
{
    const struct product_kernels *kernels = product_kernels_here();
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
