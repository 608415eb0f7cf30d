/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/arrays/diis.h"

#include "support/base/agree.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Error vectors, normalised, are taken as dependent when an eigenvalue of their
 * overlap is below this: scalar products are good to 1e-16. */
#define DIIS_DEPENDENCE 1e-13

/* A combination of dependent errors that vanishes is what DIIS looks for, if its
 * coefficients add up to 1; this share of them must do so, lest they be large. */
#define DIIS_SHARE 0.01

struct diis {
    int n_matrices;
    int size;
    int n_steps;
    struct dense **steps; /* size x n_matrices; step i (0: oldest) is row order[i] */
    int *order;           /* size */
    double *B;            /* size x size: scalar products of errors, by row numbers */
    double *products;     /* size: of the newest error */
    /* size x size, size and count_work_numbers: of an extrapolation */
    double *kept, *coefficients, *work;
};

/* Numbers that the coefficients of n steps take. */
static size_t count_work_numbers(int64_t n)
{
    return (size_t)(n * (n + 2 + SYMMETRIC_EIGEN_WORK));
}

enum status diis_create(const struct dense_grid *grid, int n_matrices, int64_t n_rows, int64_t size,
                        struct diis **diis)
{
    assert(size >= 1 && n_matrices >= 1);
    size_t n = (size_t)size * (size_t)n_matrices;
    struct diis *new = calloc(1, sizeof *new);
    enum status status = STATUS_OK;
    *diis = NULL;
    if (new) {
        *new = (struct diis){.n_matrices = n_matrices, .size = (int)size};
        new->steps = calloc(n, sizeof(struct dense *));
        new->order = calloc((size_t)size, sizeof(int));
        new->B = calloc((size_t)(size * size), sizeof(double));
        new->products = calloc((size_t)size, sizeof(double));
        new->kept = calloc((size_t)(size * size), sizeof(double));
        new->coefficients = calloc((size_t)size, sizeof(double));
        new->work = calloc(count_work_numbers(size), sizeof(double));
    }
    if (!new || !new->steps || !new->order || !new->B || !new->products || !new->kept ||
        !new->coefficients || !new->work)
        status = FAIL(STATUS_NO_MEMORY, "no memory for the DIIS table");
    for (size_t i = 0; i < n && status == STATUS_OK; i++)
        status = dense_allocate(grid, n_rows, n_rows, &new->steps[i]);
    status = status_agree(grid->comm, status);
    if (status != STATUS_OK) {
        diis_destroy(new);
        return status;
    }
    for (int i = 0; i < new->size; i++)
        new->order[i] = i;
    *diis = new;
    return STATUS_OK;
}

int64_t diis_bytes(const struct dense_grid *grid, int n_matrices, int64_t n_rows, int64_t size)
{
    int64_t n_numbers = 2 * size * size + 2 * size + (int64_t)count_work_numbers(size);
    return n_matrices * size * dense_bytes(grid, n_rows, n_rows) +
           n_numbers * (int64_t)sizeof(double);
}

void diis_destroy(struct diis *diis)
{
    if (!diis)
        return;
    for (int i = 0; diis->steps && i < diis->size * diis->n_matrices; i++)
        dense_destroy(diis->steps[i]);
    free(diis->steps);
    free(diis->order);
    free(diis->B);
    free(diis->products);
    free(diis->kept);
    free(diis->coefficients);
    free(diis->work);
    free(diis);
}

int diis_n_steps(const struct diis *diis)
{
    return diis ? diis->n_steps : 0;
}

struct dense *diis_get_step(const struct diis *diis, int step, int s)
{
    return diis->steps[diis->order[step] * diis->n_matrices + s];
}

/* Rotates the order so that the n oldest steps become the free rows. */
static void drop_oldest(struct diis *diis, int n)
{
    int dropped;
    for (int k = 0; k < n; k++) {
        dropped = diis->order[0];
        memmove(diis->order, diis->order + 1, (size_t)(diis->size - 1) * sizeof(int));
        diis->order[diis->size - 1] = dropped;
    }
    diis->n_steps -= n;
}

/* Local elements of a column: those above the diagonal come first. */
static double *column_of(const struct dense *A, int column, size_t *n_above)
{
    *n_above = (size_t)dense_rows_above(A, column);
    return A->local + (size_t)column * (size_t)A->local_rows;
}

/* packed = F with its diagonal on one side, the error on the other. */
static void pack_step(const struct dense *F, const struct dense *error, struct dense *packed)
{
    size_t n_rows = (size_t)packed->local_rows;
    for (int c = 0; c < packed->local_columns; c++) {
        size_t n_above, start = (size_t)c * n_rows;
        double *column = column_of(packed, c, &n_above);
        memcpy(column, error->local + start, n_above * sizeof *column);
        memcpy(column + n_above, F->local + start + n_above, (n_rows - n_above) * sizeof *column);
    }
}

/* Scalar product of two antisymmetric matrices, above the diagonal at least: the part of this process. */
static double error_product(const struct dense *packed, const struct dense *other)
{
    double sum = 0;
    for (int c = 0; c < packed->local_columns; c++) {
        size_t n_above;
        const double *a = column_of(packed, c, &n_above), *b = column_of(other, c, &n_above);
        for (size_t i = 0; i < n_above; i++)
            sum += a[i] * b[i];
    }
    return 2 * sum;
}

void diis_push(struct diis *diis, struct dense *const F[], struct dense *const error[])
{
    if (diis->n_steps == diis->size)
        drop_oldest(diis, 1);
    int row = diis->order[diis->n_steps++];
    for (int s = 0; s < diis->n_matrices; s++)
        pack_step(F[s], error[s], diis->steps[row * diis->n_matrices + s]);
    for (int i = 0; i < diis->n_steps; i++) {
        int other = diis->order[i];
        diis->products[i] = 0;
        for (int s = 0; s < diis->n_matrices; s++)
            diis->products[i] += error_product(diis->steps[other * diis->n_matrices + s], error[s]);
    }
    dense_sum_parts(error[0]->grid, diis->n_steps, diis->products);
    for (int i = 0; i < diis->n_steps; i++) {
        int other = diis->order[i];
        diis->B[row * diis->size + other] = diis->products[i];
        diis->B[other * diis->size + row] = diis->products[i];
    }
}

/* Coefficients of n steps, all of them; *conditioned: whether the equations are well-conditioned.
 * With y_i = c_i |e_i| the matrix has unit diagonal for errors of any size, and
 * y ~ B'^-1 (1 / |e_i|). work: count_work_numbers(n). */
static enum status solve_conditioned(int n, const double *B, int stride, double *coefficients,
                                     double *work, bool *conditioned)
{
    double *overlap = work, *values = work + (int64_t)n * n, *inverse_norm = values + n;
    double sum = 0, size = 0;
    for (int i = 0; i < n; i++) {
        inverse_norm[i] = 1 / sqrt(B[i * stride + i]);
        size += inverse_norm[i] * inverse_norm[i];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            overlap[i * n + j] = B[i * stride + j] * inverse_norm[i] * inverse_norm[j];
    TRY(symmetric_eigen_in(n, overlap, values, inverse_norm + n));
    *conditioned = true;
    memset(coefficients, 0, (size_t)n * sizeof *coefficients);
    for (int64_t k = 0; k < n; k++) {
        const double *vector = overlap + k * n;
        double projection = 0;
        for (int i = 0; i < n; i++)
            projection += vector[i] * inverse_norm[i];
        if (values[k] < DIIS_DEPENDENCE && projection * projection < DIIS_SHARE * DIIS_SHARE * size)
            *conditioned = false;
        for (int i = 0; i < n; i++)
            coefficients[i] +=
                vector[i] * projection / fmax(values[k], DIIS_DEPENDENCE) * inverse_norm[i];
    }
    for (int i = 0; i < n; i++)
        sum += coefficients[i];
    for (int i = 0; i < n; i++)
        coefficients[i] /= sum;
    return STATUS_OK;
}

/* diis_coefficients with memory of the caller, count_work_numbers(n). */
static enum status find_coefficients(int n, const double *B, int stride, double *coefficients,
                                     double *work, int *n_dropped)
{
    *n_dropped = 0;
    memset(coefficients, 0, (size_t)n * sizeof *coefficients);
    for (int i = n - 1; i >= 0; i--) {
        if (B[i * stride + i] == 0) { /* without error: no better combination */
            coefficients[i] = 1;
            return STATUS_OK;
        }
    }
    bool conditioned = false;
    for (; *n_dropped < n - 1; ++*n_dropped) {
        int first = *n_dropped;
        memset(coefficients, 0, (size_t)first * sizeof *coefficients);
        TRY(solve_conditioned(n - first, &B[first * stride + first], stride, coefficients + first,
                              work, &conditioned));
        if (conditioned)
            return STATUS_OK;
    }
    /* The newest step alone needs no equations. */
    memset(coefficients, 0, (size_t)n * sizeof *coefficients);
    coefficients[n - 1] = 1;
    return STATUS_OK;
}

enum status diis_coefficients(int n, const double *B, int stride, double *coefficients,
                              int *n_dropped)
{
    double *work = malloc(count_work_numbers(n) * sizeof *work);
    TRY(CHECK_MEMORY(work, "no memory for the DIIS equations"));
    enum status status = find_coefficients(n, B, stride, coefficients, work, n_dropped);
    free(work);
    return status;
}

/* Overwrites the upper triangle with the lower one. */
static void make_symmetric(struct dense *F, struct dense *scratch)
{
    dense_add_transposed(1, F, 0, scratch);
    for (int c = 0; c < F->local_columns; c++) {
        size_t n_above;
        double *column = column_of(F, c, &n_above);
        memcpy(column, column_of(scratch, c, &n_above), n_above * sizeof *column);
    }
}

enum status diis_extrapolate(struct diis *diis, struct dense *scratch, struct dense *const F[])
{
    int n = diis->n_steps, n_dropped;
    assert(n >= 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            diis->kept[i * n + j] = diis->B[diis->order[i] * diis->size + diis->order[j]];
    TRY(find_coefficients(n, diis->kept, n, diis->coefficients, diis->work, &n_dropped));
    for (int s = 0; s < diis->n_matrices; s++) {
        for (int i = n_dropped; i < n; i++)
            dense_add(diis->coefficients[i], diis_get_step(diis, i, s), i == n_dropped ? 0 : 1,
                      F[s]);
        make_symmetric(F[s], scratch);
    }
    drop_oldest(diis, n_dropped);
    return STATUS_OK;
}

void diis_unpack_step(const struct dense *packed, struct dense *scratch, struct dense *F,
                      struct dense *error)
{
    dense_add_transposed(1, packed, 0, scratch);
    for (int c = 0; c < packed->local_columns; c++)
        for (int r = 0; r < packed->local_rows; r++) {
            size_t at = (size_t)c * (size_t)packed->local_rows + (size_t)r;
            int row = dense_global_row(packed, r), column = dense_global_column(packed, c);
            F->local[at] = row >= column ? packed->local[at] : scratch->local[at];
            error->local[at] = row < column   ? packed->local[at]
                               : row > column ? -scratch->local[at]
                                              : 0;
        }
}
