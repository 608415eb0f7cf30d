/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/arrays/dense.h"

#include "support/base/agree.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* BLACS, which comes without C prototypes. */
int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int *context, const char *order, int n_rows, int n_columns);
void Cblacs_gridexit(int context);

enum { TAG = 0 };

/* --- the grid of processes --- */

/* The largest divisor of n that is at most its square root. */
static int smaller_side(int n)
{
    int side = 1;
    for (int divisor = 2; divisor <= n / divisor; divisor++)
        if (n % divisor == 0)
            side = divisor;
    return side;
}

enum status dense_grid_create(MPI_Comm comm, struct dense_grid **grid)
{
    struct dense_grid *new = calloc(1, sizeof *new);
    enum status status = status_agree(comm, CHECK_MEMORY(new, "no memory for a grid of processes"));
    if (status != STATUS_OK) {
        free(new);
        *grid = NULL;
        return status;
    }
    int rank, size;
    MPI_Comm_dup(comm, &new->comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    new->n_rows = smaller_side(size);
    new->n_columns = size / new->n_rows;
    new->row = rank / new->n_columns;
    new->column = rank % new->n_columns;
    int handle = Csys2blacs_handle(new->comm);
    new->context = handle;
    Cblacs_gridinit(&new->context, "Row", new->n_rows, new->n_columns);
    Cfree_blacs_system_handle(handle);
    *grid = new;
    return STATUS_OK;
}

void dense_grid_destroy(struct dense_grid *grid)
{
    if (!grid)
        return;
    Cblacs_gridexit(grid->context);
    MPI_Comm_free(&grid->comm);
    free(grid);
}

/* --- matrices and elements of one process --- */

/* Number of the n indices at position `place` in [0, n_places) of the grid: blocks are distributed
 * cyclically. */
static int count_local_indices(int n, int place, int n_places)
{
    int n_blocks = n / DENSE_BLOCK;
    int count = n_blocks / n_places * DENSE_BLOCK;
    int extra = n_blocks % n_places;
    if (place < extra)
        count += DENSE_BLOCK;
    else if (place == extra)
        count += n % DENSE_BLOCK;
    return count;
}

/* The index of number local of those at a place. */
static int global_index(int local, int place, int n_places)
{
    return (local / DENSE_BLOCK * n_places + place) * DENSE_BLOCK + local % DENSE_BLOCK;
}

size_t dense_local_size(const struct dense *matrix)
{
    return (size_t)matrix->local_rows * (size_t)matrix->local_columns;
}

static void check_same_shape(const struct dense *A, const struct dense *B)
{
    assert(A->grid == B->grid && A->n_rows == B->n_rows && A->n_columns == B->n_columns);
    (void)A;
    (void)B;
}

enum status dense_allocate(const struct dense_grid *grid, int64_t n_rows, int64_t n_columns,
                           struct dense **matrix)
{
    assert(n_rows >= 0 && n_columns >= 0);
    *matrix = NULL;
    /* ScaLAPACK computes with indices a block beyond the end. */
    const int64_t limit = INT32_MAX - DENSE_BLOCK;
    if (n_rows > limit || n_columns > limit)
        return FAIL(STATUS_LIMIT, "a matrix of %lld x %lld: at most %lld rows and columns",
                    (long long)n_rows, (long long)n_columns, (long long)limit);
    struct dense *new = calloc(1, sizeof *new);
    if (new) {
        *new = (struct dense){.grid = grid, .n_rows = (int)n_rows, .n_columns = (int)n_columns};
        new->local_rows = count_local_indices(new->n_rows, grid->row, grid->n_rows);
        new->local_columns = count_local_indices(new->n_columns, grid->column, grid->n_columns);
        /* One more, so that there is something to point at on every process. */
        new->local = calloc(dense_local_size(new) + 1, sizeof *new->local);
        int stride = new->local_rows > 0 ? new->local_rows : 1;
        const int dense_type = 1;
        int descriptor[9] = {dense_type,  grid->context, new->n_rows, new->n_columns,
                             DENSE_BLOCK, DENSE_BLOCK,   0,           0,
                             stride};
        memcpy(new->descriptor, descriptor, sizeof descriptor);
    }
    enum status status = STATUS_OK;
    if (!new || !new->local)
        status = FAIL(STATUS_NO_MEMORY, "no memory for a matrix of %lld x %lld (%.3f GB a process)",
                      (long long)n_rows, (long long)n_columns,
                      1e-9 * (double)dense_bytes(grid, n_rows, n_columns));
    if (status == STATUS_OK)
        *matrix = new;
    else
        dense_destroy(new);
    return status;
}

enum status dense_create_members(const struct dense_grid *grid, int n,
                                 const struct dense_member members[])
{
    enum status status = STATUS_OK;
    for (int i = 0; i < n; i++)
        *members[i].matrix = NULL;
    for (int i = 0; i < n && status == STATUS_OK; i++)
        status = dense_allocate(grid, members[i].n_rows, members[i].n_columns, members[i].matrix);
    status = status_agree(grid->comm, status);
    for (int i = 0; i < n && status != STATUS_OK; i++) {
        dense_destroy(*members[i].matrix);
        *members[i].matrix = NULL;
    }
    return status;
}

enum status dense_create(const struct dense_grid *grid, int64_t n_rows, int64_t n_columns,
                         struct dense **matrix)
{
    return dense_create_members(grid, 1, &(struct dense_member){matrix, n_rows, n_columns});
}

void dense_destroy(struct dense *matrix)
{
    if (!matrix)
        return;
    free(matrix->local);
    free(matrix);
}

int64_t dense_bytes(const struct dense_grid *grid, int64_t n_rows, int64_t n_columns)
{
    /* The first process has the most blocks. */
    int64_t row_blocks = (n_rows + DENSE_BLOCK - 1) / DENSE_BLOCK;
    int64_t column_blocks = (n_columns + DENSE_BLOCK - 1) / DENSE_BLOCK;
    int64_t rows = (row_blocks + grid->n_rows - 1) / grid->n_rows * DENSE_BLOCK;
    int64_t columns = (column_blocks + grid->n_columns - 1) / grid->n_columns * DENSE_BLOCK;
    rows = rows < n_rows ? rows : n_rows;
    columns = columns < n_columns ? columns : n_columns;
    return rows * columns * (int64_t)sizeof(double);
}

int64_t dense_members_bytes(const struct dense_grid *grid, int n,
                            const struct dense_member members[])
{
    int64_t bytes = 0;
    for (int i = 0; i < n; i++)
        bytes += dense_bytes(grid, members[i].n_rows, members[i].n_columns);
    return bytes;
}

int dense_global_row(const struct dense *matrix, int local_row)
{
    return global_index(local_row, matrix->grid->row, matrix->grid->n_rows);
}

int dense_global_column(const struct dense *matrix, int local_column)
{
    return global_index(local_column, matrix->grid->column, matrix->grid->n_columns);
}

int dense_rows_above(const struct dense *matrix, int local_column)
{
    int column = dense_global_column(matrix, local_column);
    int n_above = column < matrix->n_rows ? column : matrix->n_rows;
    return count_local_indices(n_above, matrix->grid->row, matrix->grid->n_rows);
}

void dense_copy(const struct dense *A, struct dense *B)
{
    check_same_shape(A, B);
    memcpy(B->local, A->local, dense_local_size(A) * sizeof *A->local);
}

void dense_set_identity(struct dense *A)
{
    for (int column = 0; column < A->local_columns; column++)
        for (int row = 0; row < A->local_rows; row++)
            A->local[(size_t)column * (size_t)A->local_rows + (size_t)row] =
                dense_global_row(A, row) == dense_global_column(A, column);
}

void dense_add(double alpha, const struct dense *A, double beta, struct dense *B)
{
    check_same_shape(A, B);
    size_t n = dense_local_size(A);
    for (size_t i = 0; i < n; i++)
        B->local[i] = alpha * A->local[i] + (beta == 0 ? 0 : beta * B->local[i]);
}

void dense_scale_columns(struct dense *A, const double *factor)
{
    for (int j = 0; j < A->local_columns; j++) {
        double column_factor = factor[dense_global_column(A, j)];
        double *column = A->local + (size_t)j * (size_t)A->local_rows;
        for (int i = 0; i < A->local_rows; i++)
            column[i] *= column_factor;
    }
}

double dense_dot_part(const struct dense *A, const struct dense *B)
{
    check_same_shape(A, B);
    size_t n = dense_local_size(A);
    double own = 0;
    for (size_t i = 0; i < n; i++)
        own += A->local[i] * B->local[i];
    return own;
}

/* Numbers that are gathered rather than reduced and broadcast, as one operation instead of two. */
enum { FEW_PARTS = 2048 };

/* Every process gets the same sums to the last bit, which an allreduce does not promise. */
void dense_sum_parts(const struct dense_grid *grid, int n, double *parts)
{
    int rank, size;
    MPI_Comm_rank(grid->comm, &rank);
    MPI_Comm_size(grid->comm, &size);
    if (n > FEW_PARTS / size) {
        MPI_Reduce(rank == 0 ? MPI_IN_PLACE : parts, parts, n, MPI_DOUBLE, MPI_SUM, 0, grid->comm);
        MPI_Bcast(parts, n, MPI_DOUBLE, 0, grid->comm);
        return;
    }
    double all[FEW_PARTS];
    MPI_Allgather(parts, n, MPI_DOUBLE, all, n, MPI_DOUBLE, grid->comm);
    for (int i = 0; i < n; i++) {
        parts[i] = 0;
        for (int process = 0; process < size; process++)
            parts[i] += all[process * n + i];
    }
}

double dense_dot(const struct dense *A, const struct dense *B)
{
    double sum = dense_dot_part(A, B);
    dense_sum_parts(A->grid, 1, &sum);
    return sum;
}

/* A NaN is counted apart: the maximum of a reduction may ignore it. */
struct magnitude {
    double largest, nan;
};

static struct magnitude find_own_magnitude(const struct dense *A)
{
    size_t n = dense_local_size(A);
    struct magnitude own = {0, 0};
    for (size_t i = 0; i < n; i++) {
        double magnitude = fabs(A->local[i]);
        if (magnitude > own.largest)
            own.largest = magnitude;
        else if (isnan(magnitude))
            own.nan = 1;
    }
    return own;
}

double dense_max_abs(const struct dense *A)
{
    struct magnitude own = find_own_magnitude(A), all;
    MPI_Allreduce(&own, &all, 2, MPI_DOUBLE, MPI_MAX, A->grid->comm);
    return all.nan > 0 ? NAN : all.largest;
}

/* --- to and from process 0 --- */

/* The part of A that a process of the grid holds. */
struct part {
    int row, column; /* of the process */
    int n_rows, n_columns;
};

static struct part part_of(const struct dense *A, int process)
{
    const struct dense_grid *grid = A->grid;
    struct part part = {.row = process / grid->n_columns, .column = process % grid->n_columns};
    part.n_rows = count_local_indices(A->n_rows, part.row, grid->n_rows);
    part.n_columns = count_local_indices(A->n_columns, part.column, grid->n_columns);
    return part;
}

/* Copies the elements of a part from or into the row-major full matrix. */
static void copy_matrix_part(const struct dense *A, const struct part *part, double *local,
                             double *full, bool into_full)
{
    for (int j = 0; j < part->n_columns; j++) {
        int column = global_index(j, part->column, A->grid->n_columns);
        for (int i = 0; i < part->n_rows; i++) {
            int row = global_index(i, part->row, A->grid->n_rows);
            double *in_full = full + (size_t)row * (size_t)A->n_columns + (size_t)column;
            double *in_local = local + (size_t)j * (size_t)part->n_rows + (size_t)i;
            if (into_full)
                *in_full = *in_local;
            else
                *in_local = *in_full;
        }
    }
}

static int part_size(const struct part *part)
{
    int64_t size = (int64_t)part->n_rows * part->n_columns;
    assert(size <= INT_MAX);
    return (int)size;
}

size_t dense_part_size(const struct dense *A)
{
    struct part part = part_of(A, 0);
    return (size_t)part_size(&part);
}

static void move_parts(const struct dense *A, double *full, double *buffer, bool into_full)
{
    MPI_Comm comm = A->grid->comm;
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    struct part own = part_of(A, rank);
    if (rank == 0)
        copy_matrix_part(A, &own, A->local, full, into_full);
    else if (into_full)
        MPI_Send(A->local, part_size(&own), MPI_DOUBLE, 0, TAG, comm);
    else
        MPI_Recv(A->local, part_size(&own), MPI_DOUBLE, 0, TAG, comm, MPI_STATUS_IGNORE);
    for (int process = 1; rank == 0 && process < size; process++) {
        struct part part = part_of(A, process);
        if (into_full) {
            MPI_Recv(buffer, part_size(&part), MPI_DOUBLE, process, TAG, comm, MPI_STATUS_IGNORE);
            copy_matrix_part(A, &part, buffer, full, into_full);
        } else {
            copy_matrix_part(A, &part, buffer, full, into_full);
            MPI_Send(buffer, part_size(&part), MPI_DOUBLE, process, TAG, comm);
        }
    }
}

void dense_gather_parts(const struct dense *A, double *full, double *buffer)
{
    move_parts(A, full, buffer, true);
}

void dense_scatter_parts(const double *full, double *buffer, struct dense *A)
{
    move_parts(A, (double *)full, buffer, false);
}

/* move_parts with a buffer of its own. */
static enum status move_matrix(const struct dense *A, double *full, bool into_full)
{
    int rank;
    MPI_Comm_rank(A->grid->comm, &rank);
    double *buffer = rank == 0 ? malloc((dense_part_size(A) + 1) * sizeof *buffer) : NULL;
    enum status status = status_agree(
        A->grid->comm, CHECK_MEMORY(buffer || rank != 0, "no memory to collect a matrix of %d x %d",
                                    A->n_rows, A->n_columns));
    if (status != STATUS_OK)
        goto done;
    move_parts(A, full, buffer, into_full);
done:
    free(buffer);
    return status;
}

enum status dense_gather(const struct dense *A, double *full)
{
    return move_matrix(A, full, true);
}

enum status dense_scatter(const double *full, struct dense *A)
{
    return move_matrix(A, (double *)full, false);
}
