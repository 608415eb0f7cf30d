/* SPDX-License-Identifier: BSD-3-Clause */
/* The innermost part of a packed product (packed_product.h): panels of matrices and the product of two
 * of them in registers. product_kernels.c is compiled for each kind of vectors.
 *
 * A panel has a few rows of a matrix, all values of one k together; rows may be missing:
 *     panel[k width + i] = matrix[i][k] */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { PRODUCT_MAX_TILE_ROWS = 24, PRODUCT_MAX_TILE_COLUMNS = 8 };

/* Neighbours in memory are packed by vectors where they are at most so many values of k apart. */
enum { PRODUCT_MAX_APART = 8 };

/* Rows of a matrix whose element (i, k) is elements[row[i] + column[k]]. */
struct panel_source {
    const double *elements;
    int n_rows; /* up to the width of the panel */
    const int64_t *row;
    int64_t depth; /* values of k */
    const int64_t *column;
};

/* Rows of a panel, all in one vector, that are neighbours in C: as many as a vector of the processor has
 * elements, whole or not: 1, 2, 4 or 8. */
struct row_run {
    int first, n;
    int64_t offset; /* of the first one in C */
};

/* All rows of a panel that exist, in ascending order. */
struct row_runs {
    int n;
    int n_vectors; /* that have rows */
    bool whole;    /* each is one run */
    struct row_run run[PRODUCT_MAX_TILE_ROWS];
};

/* A panel of rows and one of columns with the same values of k. */
struct panel_pair {
    int64_t depth; /* values of k */
    const double *a, *b;
    /* NULL, or offsets of k: `a` is no panel, but its rows are neighbours in memory, as many as a panel has. */
    const int64_t *a_column;
    double scale; /* of the sum of the pairs before it */
};

/* Where a product of panels goes: column j of its rows to C[column[j] + the row's offset]. */
struct product_tile {
    double *C;
    const struct row_runs *rows;
    int n_columns;
    const int64_t *column;
    double factor;
    bool add; /* to C, instead of replacing it */
};

struct product_kernels {
    int lanes, rows, columns; /* rows and columns of a tile: widths of panels, multiples of lanes */
    void (*pack)(const struct panel_source *source, int width, double *panel);
    /* n rows of a panel, by their offsets in C */
    void (*find_runs)(int n, const int64_t offset[], struct row_runs *rows);
    /* C (+)= factor * sum over n pairs and their k of a[k][i] b[k][j] */
    void (*multiply)(int n, const struct panel_pair pairs[], const struct product_tile *tile);
};

extern const struct product_kernels product_kernels_baseline; /* 2 lanes */
extern const struct product_kernels product_kernels_avx2;     /* 4; x86-64 with AVX2 and FMA */
extern const struct product_kernels product_kernels_avx512;   /* 8; x86-64-v4 */

/* Those of this processor. */
const struct product_kernels *product_kernels_here(void);
