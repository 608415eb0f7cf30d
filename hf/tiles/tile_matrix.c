/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/tiles/tile_matrix.h"

#include "support/base/agree.h"
#include "support/base/sha256.h"

#include <assert.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

enum { MAX_AT_ONCE = 8 };

static enum status create_arrays(const struct tiling *tiling, const int64_t *first, int n_arrays,
                                 const char *const names[], enum darray_type type,
                                 struct darray *arrays[])
{
    int64_t n = tiling_n_pairs(tiling);
    struct darray_shape shapes[MAX_AT_ONCE];
    int64_t *sizes = agree_calloc(darray_comm(), (size_t)n * sizeof *sizes, names[0]);
    for (int i = 0; i < n_arrays; i++) {
        arrays[i] = NULL;
        shapes[i] = (struct darray_shape){names[i], type, n, sizes};
    }
    if (!sizes)
        return STATUS_NO_MEMORY;
    for (int64_t I = 0; I < tiling->n_tiles; I++)
        for (int64_t J = 0; J <= I; J++)
            sizes[tile_pair_index(I, J)] = (first[I + 1] - first[I]) * (first[J + 1] - first[J]);
    enum status status = darray_create_several(n_arrays, shapes, arrays);
    free(sizes);
    return status;
}

enum status tile_pairs_create(const struct tiling *tiling, const int64_t *first, const char *name,
                              enum darray_type type, struct darray **array)
{
    return create_arrays(tiling, first, 1, &name, type, array);
}

enum status tile_matrix_create(const struct tiling *tiling, const char *name, enum darray_type type,
                               struct darray **matrix)
{
    return tile_matrices_create(tiling, 1, &name, type, matrix);
}

enum status tile_matrices_create(const struct tiling *tiling, int n, const char *const names[],
                                 enum darray_type type, struct darray *matrices[])
{
    assert(n <= MAX_AT_ONCE);
    return create_arrays(tiling, tiling->first_function, n, names, type, matrices);
}

struct memory_need tile_pairs_bytes(const struct tiling *tiling, const int64_t *first,
                                    int n_processes)
{
    int64_t n_pairs = tiling_n_pairs(tiling), longest = 0;
    for (int process = 0; process < n_processes; process++) {
        int64_t n = 0;
        for (int64_t pair = process; pair < n_pairs; pair += n_processes) {
            int64_t I, J;
            tile_pair_of_index(pair, &I, &J);
            n += (first[I + 1] - first[I]) * (first[J + 1] - first[J]);
        }
        longest = n > longest ? n : longest;
    }
    return darray_bytes(n_pairs, (double)longest);
}

struct memory_need tile_matrix_bytes(const struct tiling *tiling, int n_processes)
{
    return tile_pairs_bytes(tiling, tiling->first_function, n_processes);
}

bool own_tile_next(const struct tiling *tiling, const struct darray *tiles, struct own_tile *own)
{
    int64_t n = tiling_n_pairs(tiling);
    while (own->next < n && !darray_local(tiles, own->next))
        own->next++;
    if (own->next == n)
        return false;
    own->pair = own->next++;
    tile_pair_of_index(own->pair, &own->I, &own->J);
    return true;
}

/* first[I] to first[I + 1] are this process's rows (columns) of a dense matrix
 * that lie in tile I: global indices ascend with the local ones. */
static void find_local_ranges(const struct tiling *tiling, const struct dense *dense,
                              int (*global)(const struct dense *, int), int n_local, int n_global,
                              int *first)
{
    int local = 0;
    for (int64_t I = 0; I <= tiling->n_tiles; I++) {
        int64_t start = tiling->first_function[I];
        while (local < n_local && global(dense, local) < start && global(dense, local) < n_global)
            local++;
        first[I] = local;
    }
}

/* Scratch of a conversion. */
struct conversion {
    int *first_row, *first_column; /* n_tiles + 1 */
    double *tile;
};

static void conversion_fini(struct conversion *conversion)
{
    free(conversion->first_row);
    free(conversion->first_column);
    free(conversion->tile);
}

static enum status conversion_init(const struct tiling *tiling, const struct dense *dense,
                                   struct conversion *conversion)
{
    size_t n = (size_t)tiling->n_tiles + 1;
    size_t m = (size_t)tiling->max_functions;
    conversion->first_row = malloc(n * sizeof(int));
    conversion->first_column = malloc(n * sizeof(int));
    conversion->tile = malloc(m * m * sizeof(double));
    TRY(CHECK_MEMORY(conversion->first_row && conversion->first_column && conversion->tile,
                     "no memory to convert a matrix of %d rows", dense->n_rows));
    find_local_ranges(tiling, dense, dense_global_row, dense->local_rows, dense->n_rows,
                      conversion->first_row);
    find_local_ranges(tiling, dense, dense_global_column, dense->local_columns, dense->n_columns,
                      conversion->first_column);
    return STATUS_OK;
}

/* Copies the fetched tile (I, J), itself (A == I) or transposed, into this process's part of the dense
 * block (A, B). */
static void copy_block(const struct tiling *tiling, const struct conversion *conversion,
                       struct dense *dense, int64_t A, int64_t B)
{
    int64_t I = A >= B ? A : B, J = A >= B ? B : A;
    int64_t n_J = tile_n_functions(tiling, J);
    int64_t row_stride = A == I ? n_J : 1, column_stride = A == I ? 1 : n_J;
    for (int c = conversion->first_column[B]; c < conversion->first_column[B + 1]; c++) {
        int64_t column = dense_global_column(dense, c) - tiling->first_function[B];
        for (int r = conversion->first_row[A]; r < conversion->first_row[A + 1]; r++) {
            int64_t row = dense_global_row(dense, r) - tiling->first_function[A];
            dense->local[(size_t)c * (size_t)dense->local_rows + (size_t)r] =
                conversion->tile[row * row_stride + column * column_stride];
        }
    }
}

static bool holds_part_of(const struct conversion *conversion, int64_t A, int64_t B)
{
    return conversion->first_row[A] < conversion->first_row[A + 1] &&
           conversion->first_column[B] < conversion->first_column[B + 1];
}

/* Sets the elements of dense that this process holds. */
static void copy_from_tiles(const struct tiling *tiling, const struct conversion *conversion,
                            const struct darray *tiles, struct dense *dense)
{
    for (int64_t I = 0; I < tiling->n_tiles; I++) {
        for (int64_t J = 0; J <= I; J++) {
            bool lower = holds_part_of(conversion, I, J), upper = holds_part_of(conversion, J, I);
            if (!lower && !upper)
                continue;
            darray_get(tiles, tile_pair_index(I, J), conversion->tile);
            if (lower)
                copy_block(tiling, conversion, dense, I, J);
            if (upper && I != J)
                copy_block(tiling, conversion, dense, J, I);
        }
    }
}

enum status tile_matrices_to_dense(const struct tiling *tiling, int n, struct darray *const tiles[],
                                   struct dense *const dense[])
{
    struct conversion conversion = {0};
    enum status status = conversion_init(tiling, dense[0], &conversion);
    for (int i = 0; i < n && status == STATUS_OK; i++)
        copy_from_tiles(tiling, &conversion, tiles[i], dense[i]);
    conversion_fini(&conversion);
    return darray_sync_and_agree(status);
}

enum status tile_matrix_to_dense(const struct tiling *tiling, struct darray *tiles,
                                 struct dense *dense)
{
    return tile_matrices_to_dense(tiling, 1, &tiles, &dense);
}

/* Elements of tile (I, J), I >= J, that this process holds in dense; zero elsewhere. */
static void gather_part(const struct tiling *tiling, const struct conversion *conversion,
                        const struct dense *dense, int64_t I, int64_t J)
{
    int64_t n_I = tile_n_functions(tiling, I), n_J = tile_n_functions(tiling, J);
    for (int64_t i = 0; i < n_I * n_J; i++)
        conversion->tile[i] = 0;
    for (int c = conversion->first_column[J]; c < conversion->first_column[J + 1]; c++) {
        int64_t column = dense_global_column(dense, c) - tiling->first_function[J];
        for (int r = conversion->first_row[I]; r < conversion->first_row[I + 1]; r++) {
            int64_t row = dense_global_row(dense, r) - tiling->first_function[I];
            double value = dense->local[(size_t)c * (size_t)dense->local_rows + (size_t)r];
            if (I == J && row < column)
                continue;
            conversion->tile[row * n_J + column] = value;
            if (I == J)
                conversion->tile[column * n_J + row] = value;
        }
    }
}

/* Adds what this process holds of dense. */
static void add_to_tiles(const struct tiling *tiling, const struct conversion *conversion,
                         const struct dense *dense, struct darray *tiles)
{
    for (int64_t I = 0; I < tiling->n_tiles; I++) {
        for (int64_t J = 0; J <= I; J++) {
            if (!holds_part_of(conversion, I, J))
                continue;
            gather_part(tiling, conversion, dense, I, J);
            darray_acc(tiles, tile_pair_index(I, J), conversion->tile);
        }
    }
}

enum status tile_matrices_from_dense(const struct tiling *tiling, int n,
                                     struct dense *const dense[], struct darray *const tiles[])
{
    struct conversion conversion = {0};
    /* Every element has one holder, so adding to zero is copying. */
    for (int i = 0; i < n; i++)
        darray_zero(tiles[i]);
    enum status status = darray_sync_and_agree(conversion_init(tiling, dense[0], &conversion));
    if (status != STATUS_OK)
        goto done;
    for (int i = 0; i < n; i++)
        add_to_tiles(tiling, &conversion, dense[i], tiles[i]);
    darray_sync();
done:
    conversion_fini(&conversion);
    return status;
}

enum status tile_matrix_from_dense(const struct tiling *tiling, struct dense *dense,
                                   struct darray *tiles)
{
    return tile_matrices_from_dense(tiling, 1, &dense, &tiles);
}

/* On rank 0: adds the whole matrix to the digest, one row of tiles at a time. */
static enum status digest_rows(const struct tiling *tiling, const struct darray *tiles,
                               struct sha256 *digest)
{
    int64_t n = tiling->shells->n_functions, m = tiling->max_functions;
    double *tile = malloc((size_t)(m * m + m * n) * sizeof(double));
    TRY(CHECK_MEMORY(tile, "no memory for the digest of a matrix"));
    double *rows = tile + m * m;
    for (int64_t A = 0; A < tiling->n_tiles; A++) {
        int64_t n_A = tile_n_functions(tiling, A);
        for (int64_t B = 0; B < tiling->n_tiles; B++) {
            int64_t I = A >= B ? A : B, J = A >= B ? B : A, n_B = tile_n_functions(tiling, B);
            int64_t row_stride = A >= B ? n_B : 1, column_stride = A >= B ? 1 : n_A;
            darray_get(tiles, tile_pair_index(I, J), tile);
            double *out = rows + tiling->first_function[B];
            for (int64_t i = 0; i < n_A; i++)
                for (int64_t j = 0; j < n_B; j++)
                    out[i * n + j] = tile[i * row_stride + j * column_stride];
        }
        sha256_add(digest, rows, (size_t)(n_A * n) * sizeof(double));
    }
    free(tile);
    return STATUS_OK;
}

/* On rank 0. */
static enum status digest_matrix(const struct tiling *tiling, const struct darray *tiles,
                                 char text[65])
{
    struct sha256 *digest;
    TRY(sha256_create(&digest));
    enum status status = digest_rows(tiling, tiles, digest);
    sha256_finish(digest, text);
    sha256_destroy(digest);
    return status;
}

enum status tile_matrix_sha256(const struct tiling *tiling, const struct darray *tiles,
                               char text[65])
{
    int rank;
    MPI_Comm_rank(darray_comm(), &rank);
    text[0] = '\0';
    darray_sync();
    enum status status = rank == 0 ? digest_matrix(tiling, tiles, text) : STATUS_OK;
    MPI_Bcast(text, 65, MPI_CHAR, 0, darray_comm());
    return status_agree(darray_comm(), status);
}

void tile_matrix_add(const struct tiling *tiling, double alpha, const struct darray *A, double beta,
                     struct darray *B)
{
    struct own_tile tile = {0};
    while (own_tile_next(tiling, A, &tile)) {
        const double *a = darray_local(A, tile.pair);
        double *b = darray_local(B, tile.pair);
        int64_t n = darray_block_size(A, tile.pair);
        for (int64_t i = 0; i < n; i++)
            b[i] = alpha * a[i] + (beta == 0 ? 0 : beta * b[i]);
    }
}

double tile_matrix_own_max_abs(const struct tiling *tiling, const struct darray *A)
{
    struct own_tile tile = {0};
    double largest = 0;
    while (own_tile_next(tiling, A, &tile)) {
        const double *a = darray_local(A, tile.pair);
        for (int64_t i = 0; i < darray_block_size(A, tile.pair); i++)
            largest = fmax(largest, fabs(a[i]));
    }
    return largest;
}

/* Contribution of a tile of this process, and of its transpose, to sum_ij A_ij B_ij. */
static double find_tile_share(const struct own_tile *tile, const struct darray *A,
                              const struct darray *B)
{
    const double *a = darray_local(A, tile->pair), *b = darray_local(B, tile->pair);
    double sum = 0;
    for (int64_t i = 0; i < darray_block_size(A, tile->pair); i++)
        sum += a[i] * b[i];
    return tile->I == tile->J ? sum : 2 * sum;
}

void tile_matrix_add_shares(const struct tiling *tiling, const struct darray *A,
                            const struct darray *B, double *shares)
{
    struct own_tile tile = {0};
    while (own_tile_next(tiling, A, &tile))
        shares[tile.pair] += find_tile_share(&tile, A, B);
}

double tile_matrix_dot(const struct tiling *tiling, const struct darray *A, const struct darray *B)
{
    struct own_tile tile = {0};
    double dot = 0;
    darray_sync();
    while (own_tile_next(tiling, A, &tile))
        dot += find_tile_share(&tile, A, B);
    MPI_Allreduce(MPI_IN_PLACE, &dot, 1, MPI_DOUBLE, MPI_SUM, darray_comm());
    return dot;
}
