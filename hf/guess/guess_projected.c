/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/guess/guess.h"

#include "hf/scf/scf_basis.h"
#include "hf/tiles/cross_overlap.h"
#include "hf/tiles/orbital_density.h"
#include "support/base/agree.h"

#include <math.h>
#include <stdlib.h>

/* Lowest eigenvalue of U^T U of orbitals that are independent: less is left of a normalised
 * orbital only where the functions cannot describe it at all. */
#define INDEPENDENT 1e-6

/* s becomes s^(-1/2), where s are the eigenvalues of U^T U. */
static enum status invert_roots(int n_orbitals, double *s)
{
    if (n_orbitals > 0 && !(s[0] > INDEPENDENT))
        return FAIL(STATUS_INPUT,
                    "the orbitals of --guess are dependent in this geometry and basis (eigenvalue "
                    "%.1e of their overlap): use --guess sad, or a file of a nearer one",
                    s[0]);
    for (int k = 0; k < n_orbitals; k++)
        s[k] = 1 / sqrt(s[k]);
    return STATUS_OK;
}

/* D of the orbitals of a spin. n functions of the problem, m orthonormal ones, o orbitals.
 * S  n x the others' functions
 * s  scratch for o numbers */
static enum status project_spin(const struct scf_basis *basis, const struct dense *S,
                                const struct dense *C, double *s, struct darray *D)
{
    int64_t n = basis->n_functions, m = basis->n_orbitals, o = C->n_columns;
    struct dense *SC = NULL, *U = NULL, *U_V = NULL, *square = NULL, *V = NULL;
    const struct dense_member members[] = {
        {&SC, n, o}, {&U, m, o}, {&U_V, m, o}, {&square, o, o}, {&V, o, o}};
    enum { N_MEMBERS = sizeof members / sizeof members[0] };
    enum status status = dense_create_members(basis->problem->grid, N_MEMBERS, members);
    if (status != STATUS_OK)
        goto done;
    dense_multiply('N', 'N', 1, S, C, 0, SC);
    dense_multiply('T', 'N', 1, basis->X, SC, 0, U);
    dense_multiply('T', 'N', 1, U, U, 0, square);
    status = dense_eigen(square, s, V);
    if (status != STATUS_OK)
        goto done;
    status = invert_roots((int)o, s);
    if (status != STATUS_OK)
        goto done;
    dense_multiply('N', 'N', 1, U, V, 0, U_V);
    dense_scale_columns(U_V, s);
    scf_basis_expand(basis, U_V, SC);
    status = orbital_density(basis->problem->tiling, basis->problem->electrons_per_orbital, SC,
                             (int)o, D);
done:
    for (int i = 0; i < N_MEMBERS; i++)
        dense_destroy(*members[i].matrix);
    return status;
}

static enum status project_spins(const struct scf_basis *basis, const struct shells *shells,
                                 struct dense *S, struct dense *const C[], struct darray *const D[])
{
    TRY(cross_overlap(basis->problem->shells, shells, S));
    size_t size = (size_t)basis->n_functions * sizeof(double);
    double *s = agree_calloc(basis->problem->comm, size, "projected orbitals");
    enum status status = s ? STATUS_OK : STATUS_NO_MEMORY;
    for (int spin = 0; spin < basis->problem->n_densities && status == STATUS_OK; spin++)
        status = project_spin(basis, S, C[spin], s, D[spin]);
    free(s);
    return status;
}

enum status guess_projected(const struct scf_basis *basis, const struct shells *shells,
                            struct dense *const C[], struct darray *const D[])
{
    struct dense *S;
    TRY(dense_create(basis->problem->grid, basis->n_functions, shells->n_functions, &S));
    enum status status = project_spins(basis, shells, S, C, D);
    dense_destroy(S);
    return status;
}
