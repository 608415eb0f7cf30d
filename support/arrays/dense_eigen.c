/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/arrays/dense.h"
#include "support/base/agree.h"

#include <assert.h>
#include <elpa/elpa.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* LAPACK, in Fortran's calling convention: eigenvalues and eigenvectors, by dsyevd divide and
 * conquer; its work sizes -1 ask for the sizes, returned in the first elements. */
void dsyevd_(const char *job, const char *triangle, const int *n, double *A, const int *stride,
             double *values, double *work, const int *n_work, int *integer_work,
             const int *n_integer_work, int *info);
void dsyev_(const char *job, const char *triangle, const int *n, double *A, const int *stride,
            double *values, double *work, const int *n_work, int *info);

static enum status check_elements(size_t n, const double *elements)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(elements[i]))
            return FAIL(STATUS_NUMERIC,
                        "a matrix to be diagonalised has elements that are not finite numbers");
    return STATUS_OK;
}

/* Elements near the largest number have eigenvalues beyond it, and libraries say nothing. */
static enum status check_eigenvalues(int n, const double *eigenvalues)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(eigenvalues[i]))
            return FAIL(STATUS_NUMERIC,
                        "a matrix of %d rows has eigenvalues that are not finite numbers", n);
    return STATUS_OK;
}

/* A, n x n, is overwritten with the eigenvectors, one after another. */
static enum status eigen_whole(int n, double *A, double *eigenvalues)
{
    double n_work_wanted;
    int n_integer_wanted, info, ask = -1;
    dsyevd_("V", "L", &n, A, &n, eigenvalues, &n_work_wanted, &ask, &n_integer_wanted, &ask, &info);
    if (n_work_wanted > INT_MAX)
        return FAIL(STATUS_LIMIT, "LAPACK: a matrix of %d rows is too large for one process", n);
    int n_work = (int)n_work_wanted;
    double *work = malloc((size_t)n_work * sizeof *work);
    int *integer_work = malloc((size_t)n_integer_wanted * sizeof *integer_work);
    enum status status =
        CHECK_MEMORY(work && integer_work, "no memory for the eigenvectors of %d rows", n);
    if (status != STATUS_OK)
        goto done;
    dsyevd_("V", "L", &n, A, &n, eigenvalues, work, &n_work, integer_work, &n_integer_wanted,
            &info);
    if (info != 0)
        status = FAIL(STATUS_NUMERIC,
                      "LAPACK: eigenvectors of a matrix of %d rows did not converge (%d)", n, info);
done:
    free(work);
    free(integer_work);
    return status;
}

static void transpose_square(int n, double *A)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double *lower = A + (size_t)i * (size_t)n + (size_t)j;
            double *upper = A + (size_t)j * (size_t)n + (size_t)i;
            double element = *lower;
            *lower = *upper;
            *upper = element;
        }
}

/* Makes the element of largest magnitude of each row positive (of several the first). */
static void fix_signs_of_rows(int n, double *rows)
{
    for (int i = 0; i < n; i++) {
        double *row = rows + (size_t)i * (size_t)n, largest = 0;
        for (int j = 0; j < n; j++)
            if (fabs(row[j]) > fabs(largest))
                largest = row[j];
        for (int j = 0; largest < 0 && j < n; j++)
            row[j] = -row[j];
    }
}

/* Solves for the whole matrix on one process; the eigenvectors replace it, in columns. */
static enum status solve_on_first(int n, double *full, double *eigenvalues)
{
    TRY(check_elements((size_t)n * (size_t)n, full));
    TRY(eigen_whole(n, full, eigenvalues));
    TRY(check_eigenvalues(n, eigenvalues));
    fix_signs_of_rows(n, full);
    transpose_square(n, full);
    return STATUS_OK;
}

/* On process 0. */
static enum status eigen_lapack(struct dense *A, double *eigenvalues, struct dense *V)
{
    int n = A->n_rows, rank;
    MPI_Comm comm = A->grid->comm;
    MPI_Comm_rank(comm, &rank);
    size_t n_elements = (size_t)n * (size_t)n;
    double *full = NULL;
    enum status status = STATUS_OK;
    if (rank == 0) {
        full = malloc((n_elements + dense_part_size(A)) * sizeof *full);
        status = CHECK_MEMORY(full, "no memory for the eigenvectors of %d rows", n);
    }
    status = status_agree(comm, status);
    if (status != STATUS_OK)
        goto done;
    dense_gather_parts(A, full, full + n_elements);
    status = rank == 0 ? solve_on_first(n, full, eigenvalues) : STATUS_OK;
    if (status != STATUS_OK)
        eigenvalues[0] = NAN;
    MPI_Bcast(eigenvalues, n, MPI_DOUBLE, 0, comm);
    if (isnan(eigenvalues[0])) /* on all processes: the solver failed */
        status = status_agree(comm, status);
    else
        dense_scatter_parts(full, full + n_elements, V);
done:
    free(full);
    return status;
}

static int set_up_elpa(elpa_t solver, const struct dense *A)
{
    const struct dense_grid *grid = A->grid;
    const struct {
        const char *name;
        int value;
    } settings[] = {
        {"na", A->n_rows},
        {"nev", A->n_rows},
        {"local_nrows", A->local_rows},
        {"local_ncols", A->local_columns},
        {"nblk", DENSE_BLOCK},
        {"mpi_comm_parent", (int)MPI_Comm_c2f(grid->comm)},
        {"process_row", grid->row},
        {"process_col", grid->column},
    };
    int error = ELPA_OK;
    for (size_t i = 0; error == ELPA_OK && i < sizeof settings / sizeof settings[0]; i++)
        elpa_set_integer(solver, settings[i].name, settings[i].value, &error);
    if (error == ELPA_OK)
        error = elpa_setup(solver);
    /* The two-stage solver pays only with kernels for the processor's vector
     * units, and packaged ELPA has generic ones: less than half the speed. */
    if (error == ELPA_OK)
        elpa_set_integer(solver, "solver", ELPA_SOLVER_1STAGE, &error);
    return error;
}

static enum status eigen_elpa(struct dense *A, double *eigenvalues, struct dense *V)
{
    int error = elpa_init(ELPA_API_VERSION);
    elpa_t solver = NULL;
    if (error == ELPA_OK)
        solver = elpa_allocate(&error);
    if (error == ELPA_OK)
        error = set_up_elpa(solver, A);
    if (error == ELPA_OK)
        elpa_eigenvectors_a_h_a_d(solver, A->local, eigenvalues, V->local, &error);
    enum status status = STATUS_OK;
    if (error != ELPA_OK)
        status = FAIL(STATUS_LIBRARY, "ELPA: eigenvectors of a matrix of %d rows: %s", A->n_rows,
                      elpa_strerr(error));
    else
        status = check_eigenvalues(A->n_rows, eigenvalues);
    int ignored;
    if (solver)
        elpa_deallocate(solver, &ignored);
    return status_agree(A->grid->comm, status);
}

/* Makes the element of largest magnitude of each column positive (of several the first). */
static enum status fix_signs(struct dense *V)
{
    int n = V->n_columns;
    struct largest {
        double magnitude;
        int place; /* twice the row, and one if the element is negative */
    } *largest = calloc((size_t)n, sizeof *largest);
    double *sign = malloc((size_t)n * sizeof *sign);
    enum status status =
        status_agree(V->grid->comm, CHECK_MEMORY(largest && sign,
                                                 "no memory for the signs of %d eigenvectors", n));
    if (status != STATUS_OK)
        goto done;

    for (int j = 0; j < V->local_columns; j++) {
        struct largest *own = &largest[dense_global_column(V, j)];
        for (int i = 0; i < V->local_rows; i++) {
            double element = V->local[(size_t)j * (size_t)V->local_rows + (size_t)i];
            if (fabs(element) > own->magnitude)
                *own = (struct largest){fabs(element), 2 * dense_global_row(V, i) + (element < 0)};
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, largest, n, MPI_DOUBLE_INT, MPI_MAXLOC, V->grid->comm);
    for (int j = 0; j < n; j++)
        sign[j] = largest[j].place % 2 == 0 ? 1 : -1;
    dense_scale_columns(V, sign);
done:
    free(largest);
    free(sign);
    return status;
}

/* ELPA wants a block on every process. */
static bool is_for_lapack(const struct dense_grid *grid, int64_t n)
{
    int longest_side = grid->n_columns;
    return n < DENSE_EIGEN_SMALL || n <= (int64_t)DENSE_BLOCK * (longest_side - 1);
}

int64_t dense_eigen_bytes(const struct dense_grid *grid, int64_t n)
{
    if (!is_for_lapack(grid, n))
        return 2 * dense_bytes(grid, n, n); /* ELPA's copies of A and V */
    int64_t whole = n * n, work = 1 + 6 * n + 2 * n * n, integer_work = 3 + 5 * n;
    return (whole + work) * (int64_t)sizeof(double) + integer_work * (int64_t)sizeof(int) +
           dense_bytes(grid, n, n); /* the buffer of a part */
}

enum status dense_eigen(struct dense *A, double *eigenvalues, struct dense *V)
{
    assert(A->n_rows == A->n_columns && A != V);
    assert(V->grid == A->grid && V->n_rows == A->n_rows && V->n_columns == A->n_columns);
    int n = A->n_rows;
    if (n == 0)
        return STATUS_OK;
    if (is_for_lapack(A->grid, n))
        return eigen_lapack(A, eigenvalues, V);
    TRY(status_agree(A->grid->comm, check_elements(dense_local_size(A), A->local)));
    TRY(eigen_elpa(A, eigenvalues, V));
    return fix_signs(V);
}

/* --- small matrices of one process --- */

enum status symmetric_eigen_in(int n, double *A, double *values, double *work)
{
    int n_work = SYMMETRIC_EIGEN_WORK * n, info;
    /* The lower triangle by rows is the upper one by columns. */
    dsyev_("V", "U", &n, A, &n, values, work, &n_work, &info);
    if (info != 0)
        return FAIL(STATUS_NUMERIC, "LAPACK found no eigenvectors of a matrix of %d rows (%d)", n,
                    info);
    return STATUS_OK;
}

enum status symmetric_eigen(int n, double *A, double *values)
{
    double *work = malloc((size_t)(SYMMETRIC_EIGEN_WORK * n) * sizeof *work);
    TRY(CHECK_MEMORY(work, "no memory for eigenvectors of %d rows", n));
    enum status status = symmetric_eigen_in(n, A, values, work);
    free(work);
    return status;
}
