#include "support/arrays/dense.h"
#include "support/arrays/dense_scalapack.h"
#include "support/base/agree.h"

#include <stdlib.h>

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
    enum status status =
        new ? STATUS_OK : FAIL(STATUS_NO_MEMORY, "no memory for a grid of processes");
    status = status_agree(comm, status);
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
