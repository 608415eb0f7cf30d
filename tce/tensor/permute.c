/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tensor/permute.h"

#include "support/vectors/vector_clones.h"

#include <assert.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum {
    N_LANES = 4,
    PIECE = 32, /* rows and columns: 8 KiB of each side, both within a first-level cache */
};

typedef double lanes __attribute__((vector_size(N_LANES * sizeof(double))));

/* The shape without indices of one value and with indices fused that follow each other
 * on both sides; innermost last. */
struct loops {
    int n;
    int64_t extent[MAX_RANK];
    int64_t source[MAX_RANK], destination[MAX_RANK]; /* strides */
};

/* The plane of the two innermost loops. */
struct plane {
    int64_t n_rows, n_columns;
    int64_t source_row, source_column; /* strides */
    int64_t destination_row;           /* columns are neighbours */
    double factor;
    bool add;
};

static struct loops fuse(const struct permute_shape *shape)
{
    struct loops loops = {0};
    for (int d = 0; d < shape->rank; d++) {
        int last = loops.n - 1;
        if (shape->extent[d] == 1)
            continue;
        if (last >= 0 && loops.source[last] == shape->extent[d] * shape->stride[d]) {
            loops.extent[last] *= shape->extent[d];
            loops.source[last] = shape->stride[d];
        } else {
            loops.extent[loops.n] = shape->extent[d];
            loops.source[loops.n] = shape->stride[d];
            loops.n++;
        }
    }
    int64_t stride = 1;
    for (int d = loops.n - 1; d >= 0; d--) {
        loops.destination[d] = stride;
        stride *= loops.extent[d];
    }
    return loops;
}

INLINE void put(double *destination, double value, bool add)
{
    *destination = add ? *destination + value : value;
}

INLINE void put_lanes(double *destination, const lanes *value, bool add)
{
    lanes sum = *value, old;
    if (add) {
        memcpy(&old, destination, sizeof old);
        sum += old;
    }
    memcpy(destination, &sum, sizeof sum);
}

/* N_LANES x N_LANES elements, the rows of the source becoming columns. */
INLINE void transpose_lanes(const struct plane *plane, const double *source, bool add,
                            double *destination)
{
    lanes row[N_LANES];
    for (int i = 0; i < N_LANES; i++)
        memcpy(&row[i], source + i * plane->source_column, sizeof row[i]);
    lanes even_01 = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6);
    lanes odd_01 = __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7);
    lanes even_23 = __builtin_shufflevector(row[2], row[3], 0, 4, 2, 6);
    lanes odd_23 = __builtin_shufflevector(row[2], row[3], 1, 5, 3, 7);
    lanes column[N_LANES] = {__builtin_shufflevector(even_01, even_23, 0, 1, 4, 5),
                             __builtin_shufflevector(odd_01, odd_23, 0, 1, 4, 5),
                             __builtin_shufflevector(even_01, even_23, 2, 3, 6, 7),
                             __builtin_shufflevector(odd_01, odd_23, 2, 3, 6, 7)};
    for (int i = 0; i < N_LANES; i++) {
        column[i] *= plane->factor;
        put_lanes(destination + i * plane->destination_row, &column[i], add);
    }
}

/* At most PIECE x PIECE elements. */
INLINE void transpose_piece(const struct plane *plane, int64_t n_rows, int64_t n_columns,
                            const double *source, bool add, double *destination)
{
    int64_t whole_rows = n_rows - n_rows % N_LANES;
    int64_t whole_columns = n_columns - n_columns % N_LANES;
    for (int64_t i = 0; i < whole_rows; i += N_LANES)
        for (int64_t j = 0; j < whole_columns; j += N_LANES)
            transpose_lanes(plane, source + i + j * plane->source_column, add,
                            destination + i * plane->destination_row + j);
    for (int64_t i = 0; i < n_rows; i++)
        for (int64_t j = i < whole_rows ? whole_columns : 0; j < n_columns; j++)
            put(&destination[i * plane->destination_row + j],
                plane->factor * source[i + j * plane->source_column], add);
}

INLINE void transpose_pieces(const struct plane *plane, const double *source, bool add,
                             double *destination)
{
    for (int64_t i = 0; i < plane->n_rows; i += PIECE)
        for (int64_t j = 0; j < plane->n_columns; j += PIECE)
            transpose_piece(plane, i + PIECE < plane->n_rows ? PIECE : plane->n_rows - i,
                            j + PIECE < plane->n_columns ? PIECE : plane->n_columns - j,
                            source + i + j * plane->source_column, add,
                            destination + i * plane->destination_row + j);
}

/* The source's rows are contiguous: source_row is 1. */
VECTOR_CLONES static void transpose_plane(const struct plane *plane, const double *source,
                                          double *destination)
{
    if (plane->add)
        transpose_pieces(plane, source, true, destination);
    else
        transpose_pieces(plane, source, false, destination);
}

INLINE void copy_rows(const struct plane *plane, const double *source, bool add,
                      double *restrict destination)
{
    for (int64_t i = 0; i < plane->n_rows; i++) {
        const double *from = source + i * plane->source_row;
        double *to = destination + i * plane->destination_row;
        for (int64_t j = 0; j < plane->n_columns; j++)
            put(&to[j], plane->factor * from[j], add);
    }
}

/* Both sides' rows are contiguous: source_column is 1. */
VECTOR_CLONES static void copy_plane(const struct plane *plane, const double *source,
                                     double *restrict destination)
{
    if (plane->add)
        copy_rows(plane, source, true, destination);
    else
        copy_rows(plane, source, false, destination);
}

/* No stride is 1: diagonals, and blocks that are summed over their fastest index. */
static void gather_plane(const struct plane *plane, const double *source, double *destination)
{
    for (int64_t i = 0; i < plane->n_rows; i++)
        for (int64_t j = 0; j < plane->n_columns; j++)
            put(&destination[i * plane->destination_row + j],
                plane->factor * source[i * plane->source_row + j * plane->source_column],
                plane->add);
}

/* The loop that makes a plane with the innermost one: the loop over the source's neighbours. If
 * these are the destination's neighbours too, or do not exist: the next loop. -1 with a single
 * loop. */
static int choose_row_loop(const struct loops *loops)
{
    for (int d = 0; d < loops->n - 1; d++)
        if (loops->source[d] == 1 && loops->source[loops->n - 1] != 1)
            return d;
    return loops->n - 2;
}

typedef void plane_kernel(const struct plane *plane, const double *source, double *destination);

/* The plane at every value of the other loops, the innermost of them fastest. */
static void run_planes(const struct loops *loops, int row_loop, plane_kernel *kernel,
                       const struct plane *plane, const double *source, double *destination)
{
    int64_t value[MAX_RANK] = {0};
    for (;;) {
        kernel(plane, source, destination);
        int d = loops->n - 2;
        for (; d >= 0; d--) {
            if (d == row_loop)
                continue;
            source += loops->source[d];
            destination += loops->destination[d];
            if (++value[d] < loops->extent[d])
                break;
            source -= value[d] * loops->source[d];
            destination -= value[d] * loops->destination[d];
            value[d] = 0;
        }
        if (d < 0)
            return;
    }
}

void permute(const struct permute_shape *shape, double factor, const double *source, bool add,
             double *destination)
{
    assert(shape->rank >= 0 && shape->rank <= MAX_RANK);
    struct loops loops = fuse(shape);
    int last = loops.n - 1, row_loop = choose_row_loop(&loops);
    struct plane plane = {
        .n_rows = 1, .n_columns = 1, .source_column = 1, .factor = factor, .add = add};
    if (last >= 0) {
        plane.n_columns = loops.extent[last];
        plane.source_column = loops.source[last];
    }
    if (row_loop >= 0) {
        plane.n_rows = loops.extent[row_loop];
        plane.source_row = loops.source[row_loop];
        plane.destination_row = loops.destination[row_loop];
    }
    plane_kernel *kernel = gather_plane;
    if (plane.source_column == 1)
        kernel = copy_plane;
    else if (plane.source_row == 1)
        kernel = transpose_plane;
    run_planes(&loops, row_loop, kernel, &plane, source, destination);
}
