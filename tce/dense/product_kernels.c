/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of product_kernels.h, compiled once for each kind of vectors: LANES is the number of
 * doubles of a vector, KERNELS the name of the table of functions.
 *
 * A tile is as large as registers hold beside a column of `a` and one element of `b`:
 *     of 32: 3 x 8 sums + 3 + 1;   of 16: 3 x 4 sums + 3 + 1, without FMA 2 x 4 + 2 + 1 + 1 */
#include "tce/dense/product_kernels.h"

#include "support/base/integers.h"
#include "support/vectors/lanes.h"

enum {
    HALF = LANES / 2,
    VECTORS = LANES == 2 ? 2 : 3,
    ROWS = VECTORS * LANES,
    COLUMNS = LANES == 2 ? 4 : LANES
};

_Static_assert(ROWS <= (int)PRODUCT_MAX_TILE_ROWS && COLUMNS <= (int)PRODUCT_MAX_TILE_COLUMNS,
               "tables of offsets have room for a tile");

/* Length of the run of consecutive offsets at the start of n offsets. */
static int64_t count_neighbours(const int64_t *offset, int64_t n)
{
    int64_t i = 1;
    while (i < n && offset[i] == offset[0] + i)
        i++;
    return i;
}

/* The distance from the first of n offsets to its successor; n if the successor is missing or too
 * far. */
static int64_t find_neighbour(const int64_t *offset, int64_t n)
{
    for (int64_t i = 1; i < n && i <= PRODUCT_MAX_APART; i++)
        if (offset[i] == offset[0] + 1)
            return i;
    return n;
}

/* How many of n offsets, from the first one on, form `step` interleaved runs of consecutive
 * offsets: successors stand `step` places apart. */
static int64_t count_apart(const int64_t *offset, int64_t n, int64_t step)
{
    int64_t i = step;
    while (i < n && offset[i] == offset[i - step] + 1)
        i++;
    return i / step;
}

/* The largest power of two up to n. */
static int round_down(int n)
{
    int power = 1;
    while (2 * power <= n)
        power *= 2;
    return power;
}

static void find_row_runs(int n, const int64_t offset[], struct row_runs *rows)
{
    rows->n = 0;
    for (int first = 0; first < n;) {
        int in_vector = LANES - first % LANES, left = n - first;
        int n_run =
            round_down((int)count_neighbours(offset + first, left < in_vector ? left : in_vector));
        rows->run[rows->n++] = (struct row_run){first, n_run, offset[first]};
        first += n_run;
    }
    rows->n_vectors = (n + LANES - 1) / LANES;
    rows->whole = n % LANES == 0 && rows->n == rows->n_vectors;
}

/* --- packing --- */

/* A vector of missing rows. */
static void pack_zeros(int64_t depth, int width, double *panel)
{
    for (int64_t k = 0; k < depth; k++)
        store(panel + k * width, (lanes){0});
}

/* pack_run_N: N rows that are neighbours in memory. */
#define DEFINE_PACK_RUN(N)                                                                         \
    static void pack_run_##N(const double *elements, int64_t depth, const int64_t *column,         \
                             int width, double *panel)                                             \
    {                                                                                              \
        for (int64_t k = 0; k < depth; k++)                                                        \
            memcpy(panel + k * width, elements + column[k], N * sizeof *panel);                    \
    }
DEFINE_PACK_RUN(1)
DEFINE_PACK_RUN(2)
DEFINE_PACK_RUN(4)
DEFINE_PACK_RUN(8)

static void pack_runs(const struct panel_source *source, const struct row_runs *rows, int width,
                      double *panel)
{
    for (int r = 0; r < rows->n; r++) {
        const struct row_run *run = &rows->run[r];
        const double *elements = source->elements + run->offset;
        if (run->n == 8)
            pack_run_8(elements, source->depth, source->column, width, panel + run->first);
        else if (run->n == 4)
            pack_run_4(elements, source->depth, source->column, width, panel + run->first);
        else if (run->n == 2)
            pack_run_2(elements, source->depth, source->column, width, panel + run->first);
        else
            pack_run_1(elements, source->depth, source->column, width, panel + run->first);
    }
}

/* The rows of a vector one by one, for n values of k. */
static void pack_elements(const double *const row[LANES], int64_t n, const int64_t *column,
                          int width, double *panel)
{
    for (int64_t k = 0; k < n; k++) {
        UNROLL
        for (int i = 0; i < LANES; i++)
            panel[k * width + i] = row[i][column[k]];
    }
}

/* LANES values of k that are neighbours in memory. */
INLINE void transpose_columns(const double *const row[LANES], int64_t column, int64_t width,
                              double *panel)
{
    lanes x[LANES];
    UNROLL
    for (int i = 0; i < LANES; i++)
        x[i] = load(row[i] + column);
    transpose(x);
    UNROLL
    for (int64_t i = 0; i < LANES; i++)
        store(panel + i * width, x[i]);
}

/* Half as many. */
INLINE void transpose_half(const double *const row[LANES], int64_t column, int64_t width,
                           double *panel)
{
    lanes x[HALF];
    UNROLL
    for (int i = 0; i < HALF; i++)
        x[i] = load_halves(row[i] + column, row[i + HALF] + column);
    transpose_halves(x);
    UNROLL
    for (int64_t i = 0; i < HALF; i++)
        store(panel + i * width, x[i]);
}

/* n >= HALF values of k that are neighbours in memory, `width` apart in the panel. What is left behind the
 * last vector: by one that repeats what is there already. */
static void pack_neighbouring_columns(const double *const row[LANES], int64_t n, int64_t column,
                                      int64_t width, double *panel)
{
    int64_t k = 0;
    for (; k + LANES <= n; k += LANES)
        transpose_columns(row, column + k, width, panel + k * width);
    for (; k < n; k += HALF) {
        int64_t at = min_int64(k, n - HALF);
        transpose_half(row, column + at, width, panel + at * width);
    }
}

/* Values of k whose rows are loaded ahead of those that are packed. */
enum { PREFETCH_AHEAD = 24 };

INLINE void prefetch_rows(const double *const row[LANES], int64_t column)
{
    UNROLL
    for (int i = 0; i < LANES; i++)
        __builtin_prefetch(row[i] + column);
}

/* By runs of values of k that are neighbours in memory, one after the other or several side by side. */
static void pack_by_columns(const struct panel_source *source, const int64_t *offset, int width,
                            double *panel)
{
    const double *row[LANES];
    for (int i = 0; i < LANES; i++)
        row[i] = source->elements + offset[i];
    for (int64_t k = 0, n; k < source->depth; k += n) {
        const int64_t *column = source->column + k, left = source->depth - k;
        int64_t step = find_neighbour(column, left), run = count_apart(column, left, step);
        if (left > PREFETCH_AHEAD)
            prefetch_rows(row, column[PREFETCH_AHEAD]);
        if (run < HALF) {
            n = min_int64(left, PRODUCT_MAX_APART);
            pack_elements(row, n, column, width, panel + k * width);
            continue;
        }
        n = step * run;
        for (int64_t i = 0; i < step; i++)
            pack_neighbouring_columns(row, run, column[i], step * width, panel + (k + i) * width);
    }
}

static void pack_vector(const struct panel_source *source, int first, int n, int width,
                        double *panel)
{
    const int64_t *offset = source->row + first;
    struct row_runs rows;
    if (n < LANES)
        pack_zeros(source->depth, width, panel);
    if (n <= 0)
        return;
    find_row_runs(n, offset, &rows);
    if (n == LANES && rows.n > LANES / 2)
        pack_by_columns(source, offset, width, panel);
    else
        pack_runs(source, &rows, width, panel);
}

/* All rows at once: each value of k has them side by side, and the next one's lie in another page. */
static void pack_neighbours(const struct panel_source *source, int width, double *panel)
{
    const double *elements = source->elements + source->row[0];
    for (int64_t k = 0; k < source->depth; k++)
        for (int64_t i = 0; i < width; i += LANES)
            store(panel + k * width + i, load(elements + source->column[k] + i));
}

static void pack_panel(const struct panel_source *source, int width, double *panel)
{
    if (source->n_rows == width && count_neighbours(source->row, width) == width) {
        pack_neighbours(source, width, panel);
        return;
    }
    for (int first = 0; first < width; first += LANES) {
        int left = source->n_rows - first;
        pack_vector(source, first, left < LANES ? left : LANES, width, panel + first);
    }
}

/* --- products --- */

/* Vectors and columns of a tile that exist: constants where functions have bodies of their own for them. */
struct tile_size {
    int vectors, columns;
};

INLINE void add_product(struct tile_size size, const double *a, const double *b,
                        lanes sum[COLUMNS][VECTORS])
{
    lanes x[VECTORS];
    UNROLL
    for (int64_t v = 0; v < size.vectors; v++)
        x[v] = load(a + v * LANES);
    UNROLL
    for (int j = 0; j < size.columns; j++) {
        lanes y = broadcast(b[j]);
        UNROLL
        for (int v = 0; v < size.vectors; v++)
            sum[j][v] += x[v] * y;
    }
}

INLINE void add_products(struct tile_size size, const struct panel_pair *pair,
                         lanes sum[COLUMNS][VECTORS])
{
    const double *a = pair->a, *b = pair->b;
    if (size.vectors == VECTORS && pair->a_column)
        for (int64_t k = 0; k < pair->depth; k++)
            add_product(size, a + pair->a_column[k], b + k * COLUMNS, sum);
    else
        for (int64_t k = 0; k < pair->depth; k++)
            add_product(size, a + k * ROWS, b + k * COLUMNS, sum);
}

INLINE void scale_sums(struct tile_size size, double factor, lanes sum[COLUMNS][VECTORS])
{
    UNROLL
    for (int j = 0; j < size.columns; j++) {
        UNROLL
        for (int v = 0; v < size.vectors; v++)
            sum[j][v] *= factor;
    }
}

INLINE void put(double *c, lanes x, const struct product_tile *tile)
{
    store(c, tile->add ? load(c) + tile->factor * x : tile->factor * x);
}

/* Loads C during the sums. */
static void prefetch_tile(const struct product_tile *tile)
{
    for (int r = 0; r < tile->rows->n; r++)
        for (int j = 0; j < tile->n_columns; j++)
            __builtin_prefetch(tile->C + tile->column[j] + tile->rows->run[r].offset, 1);
}

INLINE void put_vectors(struct tile_size size, const lanes sum[COLUMNS][VECTORS],
                        const struct product_tile *tile)
{
    UNROLL
    for (int j = 0; j < size.columns; j++) {
        UNROLL
        for (int v = 0; v < size.vectors; v++)
            put(tile->C + tile->rows->run[v].offset + tile->column[j], sum[j][v], tile);
    }
}

/* put_run_N: a run of N rows in each column, from row `first` on. */
#define DEFINE_PUT_RUN(N)                                                                          \
    static void put_run_##N(double(*sum)[ROWS], int first, int64_t offset,                         \
                            const struct product_tile *tile)                                       \
    {                                                                                              \
        typedef double part __attribute__((vector_size(N * sizeof(double))));                      \
        const int64_t *column = tile->column;                                                      \
        const double factor = tile->factor;                                                        \
        const bool add = tile->add;                                                                \
        double *restrict C = tile->C + offset;                                                     \
        for (int j = 0, n = tile->n_columns; j < n; j++) {                                         \
            part x, old = {0};                                                                     \
            memcpy(&x, &sum[j][first], sizeof x);                                                  \
            if (add)                                                                               \
                memcpy(&old, C + column[j], sizeof old);                                           \
            x = old + factor * x;                                                                  \
            memcpy(C + column[j], &x, sizeof x);                                                   \
        }                                                                                          \
    }
DEFINE_PUT_RUN(1)
DEFINE_PUT_RUN(2)
DEFINE_PUT_RUN(4)
DEFINE_PUT_RUN(8)

static void put_runs(double (*sum)[ROWS], const struct product_tile *tile)
{
    for (int r = 0; r < tile->rows->n; r++) {
        const struct row_run *run = &tile->rows->run[r];
        if (run->n == 8)
            put_run_8(sum, run->first, run->offset, tile);
        else if (run->n == 4)
            put_run_4(sum, run->first, run->offset, tile);
        else if (run->n == 2)
            put_run_2(sum, run->first, run->offset, tile);
        else
            put_run_1(sum, run->first, run->offset, tile);
    }
}

INLINE void multiply_size(struct tile_size size, int n, const struct panel_pair pairs[],
                          const struct product_tile *tile)
{
    lanes sum[COLUMNS][VECTORS];
    UNROLL
    for (int j = 0; j < size.columns; j++) {
        UNROLL
        for (int v = 0; v < size.vectors; v++)
            sum[j][v] = (lanes){0};
    }
    prefetch_tile(tile);
    for (int p = 0; p < n; p++) {
        if (pairs[p].scale != 1)
            scale_sums(size, pairs[p].scale, sum);
        add_products(size, &pairs[p], sum);
    }
    if (tile->rows->whole && tile->n_columns == size.columns) {
        put_vectors(size, sum, tile);
        return;
    }
    double spilled[COLUMNS][ROWS];
    UNROLL
    for (int j = 0; j < size.columns; j++) {
        UNROLL
        for (int64_t v = 0; v < size.vectors; v++)
            store(&spilled[j][v * LANES], sum[j][v]);
    }
    put_runs(spilled, tile);
}

INLINE void multiply_vectors(int vectors, int n, const struct panel_pair pairs[],
                             const struct product_tile *tile)
{
    if (tile->n_columns <= COLUMNS / 2)
        multiply_size((struct tile_size){vectors, COLUMNS / 2}, n, pairs, tile);
    else
        multiply_size((struct tile_size){vectors, COLUMNS}, n, pairs, tile);
}

static void multiply(int n, const struct panel_pair pairs[], const struct product_tile *tile)
{
    _Static_assert(VECTORS <= 3, "a case for each number of vectors");
    if (tile->rows->n_vectors == 1)
        multiply_vectors(1, n, pairs, tile);
    else if (tile->rows->n_vectors < VECTORS)
        multiply_vectors(2, n, pairs, tile);
    else
        multiply_vectors(VECTORS, n, pairs, tile);
}

const struct product_kernels KERNELS = {LANES, ROWS, COLUMNS, pack_panel, find_row_runs, multiply};
