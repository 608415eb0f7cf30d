#include "hf/scf/orthogonalise.h"

#include "support/base/agree.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* An eigenvalue below this is rounding error, however small the threshold. */
#define OVERLAP_NOISE (1000 * DBL_EPSILON)

/* X from the eigenvectors V that are kept. values: overwritten with s^(-1/2). */
static enum status fill_basis(const struct dense *V, double *values, double dependence,
                              struct orthonormal_basis *basis)
{
    int n = basis->n_functions, n_dropped = 0;
    while (n_dropped < n && values[n_dropped] < fmax(dependence, OVERLAP_NOISE))
        n_dropped++;
    if (n_dropped == n)
        return FAIL(STATUS_NUMERIC,
                    "every eigenvalue of the overlap matrix is below %g: no functions are left",
                    dependence);
    basis->n_orbitals = n - n_dropped;
    basis->smallest = values[0];
    TRY(dense_create(V->grid, n, basis->n_orbitals, &basis->X));
    dense_copy_columns(V, n_dropped, basis->X);
    for (int k = n_dropped; k < n; k++)
        values[k] = 1 / sqrt(values[k]);
    dense_scale_columns(basis->X, values + n_dropped);
    return STATUS_OK;
}

enum status orthonormal_basis_init(struct dense *S, double dependence,
                                   struct orthonormal_basis *basis)
{
    struct dense *V = NULL;
    *basis = (struct orthonormal_basis){.n_functions = S->n_rows};
    double *values = malloc((size_t)S->n_rows * sizeof *values);
    enum status status =
        values ? STATUS_OK : FAIL(STATUS_NO_MEMORY, "no memory for %d eigenvalues", S->n_rows);
    status = status_agree(S->grid->comm, status);
    if (status == STATUS_OK)
        status = dense_create(S->grid, S->n_rows, S->n_rows, &V);
    if (status == STATUS_OK)
        status = dense_eigen(S, values, V);
    if (status == STATUS_OK && !(values[0] > -1e-8))
        status =
            FAIL(STATUS_NUMERIC, "the overlap matrix has the negative eigenvalue %g", values[0]);
    if (status == STATUS_OK)
        status = fill_basis(V, values, dependence, basis);
    dense_destroy(V);
    free(values);
    return status;
}

void orthonormal_basis_fini(struct orthonormal_basis *basis)
{
    dense_destroy(basis->X);
    basis->X = NULL;
}
