#include "hf/scf/scf_basis.h"

#include "hf/tiles/one_electron_matrices.h"
#include "hf/tiles/tile_matrix.h"
#include "support/arrays/darray.h"
#include "support/base/agree.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* An eigenvalue below this is rounding error, however small the threshold. */
#define OVERLAP_NOISE (1000 * DBL_EPSILON)

/* X from the eigenvectors V of S that are kept. eigenvalues: overwritten with s^(-1/2). */
static enum status set_orthonormal_functions(const struct dense *V, double *eigenvalues,
                                             double dependence, struct scf_basis *basis)
{
    int n = basis->n_functions, n_dropped = 0;
    while (n_dropped < n && eigenvalues[n_dropped] < fmax(dependence, OVERLAP_NOISE))
        n_dropped++;
    if (n_dropped == n)
        return FAIL(STATUS_NUMERIC,
                    "every eigenvalue of the overlap matrix is below %g: no functions are left",
                    dependence);
    basis->n_orbitals = n - n_dropped;
    basis->smallest_overlap = eigenvalues[0];
    TRY(dense_create(V->grid, n, basis->n_orbitals, &basis->X));
    dense_copy_columns(V, n_dropped, basis->X);
    for (int k = n_dropped; k < n; k++)
        eigenvalues[k] = 1 / sqrt(eigenvalues[k]);
    dense_scale_columns(basis->X, eigenvalues + n_dropped);
    return STATUS_OK;
}

/* X by canonical orthogonalisation. Uses work_nn. */
static enum status orthogonalise_functions(struct scf_basis *basis, double dependence)
{
    const struct dense *S = basis->S;
    struct dense *V = NULL;
    double *eigenvalues = malloc((size_t)S->n_rows * sizeof *eigenvalues);
    enum status status = CHECK_MEMORY(eigenvalues, "no memory for %d eigenvalues", S->n_rows);
    status = status_agree(basis->problem->comm, status);
    if (status == STATUS_OK)
        status = dense_create(S->grid, S->n_rows, S->n_rows, &V);
    if (status == STATUS_OK) {
        dense_copy(S, basis->work_nn);
        status = dense_eigen(basis->work_nn, eigenvalues, V);
    }
    if (status == STATUS_OK && !(eigenvalues[0] > -1e-8))
        status = FAIL(STATUS_NUMERIC, "the overlap matrix has the negative eigenvalue %g",
                      eigenvalues[0]);
    if (status == STATUS_OK)
        status = set_orthonormal_functions(V, eigenvalues, dependence, basis);
    dense_destroy(V);
    free(eigenvalues);
    return status;
}

/* Computes S, H and X through one tile matrix. */
static enum status compute_one_electron(struct scf_basis *basis, double dependence,
                                        struct darray *tiles)
{
    const struct scf_problem *problem = basis->problem;
    TRY(overlap_matrix(problem->tiling, tiles));
    TRY(tile_matrix_to_dense(problem->tiling, tiles, basis->S));
    TRY(core_hamiltonian_matrix(problem->tiling, problem->molecule, tiles));
    TRY(tile_matrix_to_dense(problem->tiling, tiles, basis->H));
    return orthogonalise_functions(basis, dependence);
}

static enum status check_space(const struct scf_basis *basis)
{
    int needed =
        basis->n_occupied[0] > basis->n_occupied[1] ? basis->n_occupied[0] : basis->n_occupied[1];
    if (needed <= basis->n_orbitals)
        return STATUS_OK;
    return FAIL(STATUS_INPUT,
                "%d orbitals are to be occupied, but the basis has only %d independent functions",
                needed, basis->n_orbitals);
}

/* Sets the matrices of a basis whose other fields are set. */
static enum status set_matrices(struct scf_basis *basis, double dependence)
{
    const struct dense_grid *grid = basis->problem->grid;
    int64_t n = basis->n_functions;
    struct darray *tiles = NULL;
    TRY(dense_create(grid, n, n, &basis->S));
    TRY(dense_create(grid, n, n, &basis->H));
    TRY(dense_create(grid, n, n, &basis->work_nn));
    TRY(tile_matrix_create(basis->problem->tiling, "one-electron matrix", DARRAY_DOUBLE, &tiles));
    enum status status = compute_one_electron(basis, dependence, tiles);
    darray_destroy(tiles);
    TRY(status);
    TRY(check_space(basis));
    int64_t m = basis->n_orbitals;
    TRY(dense_create(grid, n, m, &basis->work_nm));
    TRY(dense_create(grid, m, m, &basis->work_mm[0]));
    return dense_create(grid, m, m, &basis->work_mm[1]);
}

enum status scf_basis_create(const struct scf_problem *problem, double dependence,
                             struct scf_basis **basis)
{
    struct scf_basis *new = calloc(1, sizeof *new);
    *basis = NULL;
    enum status status = CHECK_MEMORY(new, "no memory for the one-electron matrices");
    TRY(status_agree(problem->comm, status));
    *new = (struct scf_basis){
        .problem = problem,
        .n_spins = problem->n_spins,
        .n_functions = (int)problem->shells->n_functions,
        .n_occupied = {(int)problem->n_occupied[0], (int)problem->n_occupied[1]},
        .occupation = problem->n_spins == 1 ? 2 : 1,
        .nuclear_repulsion = molecule_nuclear_repulsion(problem->molecule),
    };
    if (problem->n_spins == 1)
        new->n_occupied[1] = 0;
    status = set_matrices(new, dependence);
    if (status != STATUS_OK)
        scf_basis_destroy(new);
    *basis = status == STATUS_OK ? new : NULL;
    return status;
}

void scf_basis_destroy(struct scf_basis *basis)
{
    if (!basis)
        return;
    dense_destroy(basis->X);
    dense_destroy(basis->S);
    dense_destroy(basis->H);
    dense_destroy(basis->work_nm);
    dense_destroy(basis->work_nn);
    dense_destroy(basis->work_mm[0]);
    dense_destroy(basis->work_mm[1]);
    free(basis);
}

void scf_basis_project(const struct scf_basis *basis, const struct dense *A, struct dense *B)
{
    dense_multiply('N', 'N', 1, A, basis->X, 0, basis->work_nm);
    dense_multiply('T', 'N', 1, basis->X, basis->work_nm, 0, B);
}

void scf_basis_expand(const struct scf_basis *basis, double factor, const struct dense *P,
                      struct dense *D)
{
    dense_multiply('N', 'N', factor, basis->X, P, 0, basis->work_nm);
    dense_multiply('N', 'T', 1, basis->work_nm, basis->X, 0, D);
}

enum status scf_basis_contract(const struct scf_basis *basis, const struct dense *D,
                               struct dense *P)
{
    struct dense *SX = NULL;
    TRY(dense_create(D->grid, basis->n_functions, basis->n_orbitals, &SX));
    dense_multiply('N', 'N', 1, basis->S, basis->X, 0, SX);
    dense_multiply('N', 'N', 1, D, SX, 0, basis->work_nm);
    dense_multiply('T', 'N', 1 / basis->occupation, SX, basis->work_nm, 0, P);
    dense_destroy(SX);
    return STATUS_OK;
}
