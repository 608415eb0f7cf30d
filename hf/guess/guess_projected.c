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

/* Matrices of the projection of one spin: n functions, m orthonormal ones, o orbitals. */
struct projection {
    struct dense *SC;         /* n x o: <problem's functions|orbitals>, then C' */
    struct dense *U, *U_V;    /* m x o */
    struct dense *square, *V; /* o x o: U^T U and its eigenvectors */
    double *eigenvalues;      /* o */
};

static void projection_fini(struct projection *projection)
{
    dense_destroy(projection->SC);
    dense_destroy(projection->U);
    dense_destroy(projection->U_V);
    dense_destroy(projection->square);
    dense_destroy(projection->V);
    free(projection->eigenvalues);
}

/* Errors: on failure projection_fini still has to be called. */
static enum status projection_init(const struct scf_basis *basis, int n_orbitals,
                                   struct projection *projection)
{
    int64_t n = basis->n_functions, m = basis->n_orbitals, o = n_orbitals;
    *projection = (struct projection){0};
    const struct dense_member members[] = {{&projection->SC, n, o},
                                           {&projection->U, m, o},
                                           {&projection->U_V, m, o},
                                           {&projection->square, o, o},
                                           {&projection->V, o, o}};
    TRY(dense_create_members(basis->problem->grid, sizeof members / sizeof members[0], members));
    size_t size = (size_t)(o + 1) * sizeof *projection->eigenvalues;
    projection->eigenvalues = agree_calloc(basis->problem->comm, size, "projected orbitals");
    return projection->eigenvalues ? STATUS_OK : STATUS_NO_MEMORY;
}

/* U_V = U V s^(-1/2), with U^T U V = V s: orthonormal. */
static enum status orthonormalise_projected(int n_orbitals, struct projection *projection)
{
    double *s = projection->eigenvalues;
    dense_multiply('T', 'N', 1, projection->U, projection->U, 0, projection->square);
    TRY(dense_eigen(projection->square, s, projection->V));
    if (!(s[0] > INDEPENDENT))
        return FAIL(STATUS_INPUT,
                    "the orbitals of --guess are dependent in this geometry and basis (eigenvalue "
                    "%.1e of their overlap): use --guess sad, or a file of a nearer one",
                    s[0]);
    for (int k = 0; k < n_orbitals; k++)
        s[k] = 1 / sqrt(s[k]);
    dense_multiply('N', 'N', 1, projection->U, projection->V, 0, projection->U_V);
    dense_scale_columns(projection->U_V, s);
    return STATUS_OK;
}

/* SC becomes the orthonormal orbitals. S: n x the others' functions. */
static enum status project_orbitals(const struct scf_basis *basis, const struct dense *S,
                                    const struct dense *C, struct projection *projection)
{
    dense_multiply('N', 'N', 1, S, C, 0, projection->SC);
    dense_multiply('T', 'N', 1, basis->X, projection->SC, 0, projection->U);
    TRY(orthonormalise_projected(C->n_columns, projection));
    scf_basis_expand(basis, projection->U_V, projection->SC);
    return STATUS_OK;
}

/* D of the projected orbitals of a spin. */
static enum status set_projected_density(const struct scf_basis *basis, const struct dense *S,
                                         const struct dense *C, struct darray *D)
{
    struct projection projection;
    enum status status = projection_init(basis, C->n_columns, &projection);
    if (status != STATUS_OK)
        goto done;
    if (C->n_columns > 0)
        status = project_orbitals(basis, S, C, &projection);
    if (status != STATUS_OK)
        goto done;
    status = orbital_density(basis->problem->tiling, basis->problem->electrons_per_orbital,
                             projection.SC, C->n_columns, D);
done:
    projection_fini(&projection);
    return status;
}

static enum status project_spins(const struct scf_basis *basis, const struct shells *shells,
                                 struct dense *S, struct dense *const C[], struct darray *const D[])
{
    TRY(cross_overlap(basis->problem->shells, shells, S));
    for (int s = 0; s < basis->problem->n_densities; s++)
        TRY(set_projected_density(basis, S, C[s], D[s]));
    return STATUS_OK;
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
