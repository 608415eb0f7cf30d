/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/dense/packed_product.h"

#include "support/vectors/vector_unit.h"
#include "tce/dense/product_kernels.h"

/* Rows of A of a second-level cache, whose panels meet each panel of columns of B, which stays in a
 * first-level one. */
enum {
    MAX_DEPTH = 256,
    MAX_ROWS = 192,
    MIN_TILE_ROWS = 4,
    MAX_PANELS = MAX_ROWS / MIN_TILE_ROWS,
    MAX_COLUMNS = 1024
};

/* Offsets of a part of one of the lists, on its two sides. */
struct offset_table {
    int64_t n;
    int64_t of_factor[MAX_COLUMNS], of_other[MAX_COLUMNS];
};

struct product_scratch {
    double a[MAX_ROWS * MAX_DEPTH], b[MAX_COLUMNS * MAX_DEPTH]; /* panels, one after another */
    /* of_factor: in A, B, A; of_other: in C, C, B */
    struct offset_table rows, columns, summed;
    struct row_runs runs[MAX_PANELS]; /* of each panel of rows, in C */
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

static const struct product_kernels *find_kernels(void)
{
#if defined(__x86_64__)
    if (vector_unit_here() >= VECTOR_UNIT_AVX2)
        return vector_unit_here() >= VECTOR_UNIT_AVX512 ? &product_kernels_avx512
                                                        : &product_kernels_avx2;
#endif
    return &product_kernels_baseline;
}

/* Equal parts of a length, all but the last one multiples of `step`. */
static int64_t equal_part(int64_t length, int64_t most, int64_t step)
{
    int64_t n_parts = (length + most - 1) / most, part = (length + n_parts - 1) / n_parts;
    return (part + step - 1) / step * step;
}

static int64_t smaller_of(int64_t left, int64_t right)
{
    return left < right ? left : right;
}

static void set_offsets(const struct dimension_list *list, int64_t first, int64_t n,
                        enum product_side factor, enum product_side other,
                        struct offset_table *table)
{
    const enum product_side side[2] = {factor, other};
    int64_t *const offsets[2] = {table->of_factor, table->of_other};
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
                                      .n_rows = (int)smaller_of(width, table->n - i),
                                      .row = table->of_factor + i,
                                      .depth = depth,
                                      .column = of_k};
        kernels->pack(&source, width, panels + i * depth);
    }
}

static void set_row_runs(const struct product_kernels *kernels, struct product_scratch *scratch)
{
    const struct offset_table *rows = &scratch->rows;
    for (int64_t i = 0, panel = 0; i < rows->n; i += kernels->rows, panel++)
        kernels->find_runs((int)smaller_of(kernels->rows, rows->n - i), rows->of_other + i,
                           &scratch->runs[panel]);
}

/* The product of what is packed. */
static void multiply_panels(const struct product_kernels *kernels,
                            const struct product_shape *shape, bool add,
                            const struct product_scratch *scratch)
{
    const struct offset_table *rows = &scratch->rows, *columns = &scratch->columns;
    int64_t depth = scratch->summed.n;
    for (int64_t j = 0; j < columns->n; j += kernels->columns)
        for (int64_t i = 0, panel = 0; i < rows->n; i += kernels->rows, panel++) {
            struct product_tile tile = {.C = shape->C,
                                        .rows = &scratch->runs[panel],
                                        .n_columns =
                                            (int)smaller_of(kernels->columns, columns->n - j),
                                        .column = columns->of_other + j,
                                        .factor = shape->factor,
                                        .add = add};
            kernels->multiply(depth, scratch->a + i * depth, scratch->b + j * depth, &tile);
        }
}

static void multiply_rows(const struct product_kernels *kernels, const struct product_shape *shape,
                          bool add, struct product_scratch *scratch)
{
    int64_t n_rows = dimension_list_size(&shape->rows);
    int64_t part = equal_part(n_rows, MAX_ROWS, kernels->rows);
    for (int64_t i = 0; i < n_rows; i += part) {
        set_offsets(&shape->rows, i, smaller_of(part, n_rows - i), SIDE_A, SIDE_C, &scratch->rows);
        set_row_runs(kernels, scratch);
        pack_panels(kernels, kernels->rows, shape->A, &scratch->rows, scratch->summed.n,
                    scratch->summed.of_factor, scratch->a);
        multiply_panels(kernels, shape, add, scratch);
    }
}

void packed_product_run(const struct product_shape *shape, struct product_scratch *scratch)
{
    const struct product_kernels *kernels = find_kernels();
    int64_t n_columns = dimension_list_size(&shape->columns);
    int64_t depth = dimension_list_size(&shape->summed);
    int64_t column_part = equal_part(n_columns, MAX_COLUMNS, kernels->columns);
    int64_t depth_part = equal_part(depth, MAX_DEPTH, 1);
    for (int64_t j = 0; j < n_columns; j += column_part) {
        set_offsets(&shape->columns, j, smaller_of(column_part, n_columns - j), SIDE_B, SIDE_C,
                    &scratch->columns);
        for (int64_t k = 0; k < depth; k += depth_part) {
            set_offsets(&shape->summed, k, smaller_of(depth_part, depth - k), SIDE_A, SIDE_B,
                        &scratch->summed);
            pack_panels(kernels, kernels->columns, shape->B, &scratch->columns, scratch->summed.n,
                        scratch->summed.of_other, scratch->b);
            multiply_rows(kernels, shape, shape->add || k > 0, scratch);
        }
    }
}
