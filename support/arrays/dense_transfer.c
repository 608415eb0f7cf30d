#include "support/arrays/dense.h"
#include "support/arrays/dense_layout.h"
#include "support/base/agree.h"

#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 0 };

/* The part of A that a process of the grid holds. */
struct part {
    int row, column; /* of the process */
    int n_rows, n_columns;
};

static struct part part_of(const struct dense *A, int process)
{
    const struct dense_grid *grid = A->grid;
    struct part part = {.row = process / grid->n_columns, .column = process % grid->n_columns};
    part.n_rows = dense_local_count(A->n_rows, part.row, grid->n_rows);
    part.n_columns = dense_local_count(A->n_columns, part.column, grid->n_columns);
    return part;
}

/* Copies the elements of a part from or into the row-major full matrix. */
static void copy_part(const struct dense *A, const struct part *part, double *local, double *full,
                      bool into_full)
{
    for (int j = 0; j < part->n_columns; j++) {
        int column = dense_global_index(j, part->column, A->grid->n_columns);
        for (int i = 0; i < part->n_rows; i++) {
            int row = dense_global_index(i, part->row, A->grid->n_rows);
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

/* A buffer for the largest part, that of process 0, on process 0; the other
 * processes need none. */
static enum status create_buffer(const struct dense *A, int rank, double **buffer)
{
    *buffer = NULL;
    enum status status = STATUS_OK;
    if (rank == 0) {
        struct part part = part_of(A, 0);
        *buffer = malloc(((size_t)part_size(&part) + 1) * sizeof **buffer);
        if (!*buffer)
            status = FAIL(STATUS_NO_MEMORY, "no memory to collect a matrix of %d x %d", A->n_rows,
                          A->n_columns);
    }
    return status_agree(A->grid->comm, status);
}

static enum status transfer(const struct dense *A, double *full, bool into_full)
{
    MPI_Comm comm = A->grid->comm;
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    double *buffer;
    TRY(create_buffer(A, rank, &buffer));
    struct part own = part_of(A, rank);
    if (rank == 0)
        copy_part(A, &own, A->local, full, into_full);
    else if (into_full)
        MPI_Send(A->local, part_size(&own), MPI_DOUBLE, 0, TAG, comm);
    else
        MPI_Recv(A->local, part_size(&own), MPI_DOUBLE, 0, TAG, comm, MPI_STATUS_IGNORE);
    for (int process = 1; rank == 0 && process < size; process++) {
        struct part part = part_of(A, process);
        if (into_full) {
            MPI_Recv(buffer, part_size(&part), MPI_DOUBLE, process, TAG, comm, MPI_STATUS_IGNORE);
            copy_part(A, &part, buffer, full, into_full);
        } else {
            copy_part(A, &part, buffer, full, into_full);
            MPI_Send(buffer, part_size(&part), MPI_DOUBLE, process, TAG, comm);
        }
    }
    free(buffer);
    return STATUS_OK;
}

enum status dense_gather(const struct dense *A, double *full)
{
    return transfer(A, full, true);
}

enum status dense_scatter(const double *full, struct dense *A)
{
    return transfer(A, (double *)full, false);
}
