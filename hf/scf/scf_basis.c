/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_basis.h"

#include "hf/tiles/one_electron_matrices.h"
#include "hf/tiles/tile_matrix.h"
#include "support/arrays/darray.h"
#include "support/base/agree.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* With room for the eigenvectors and eigenvalues of S. */
static enum status find_orthonormal_functions(struct scf_basis *basis, double dependence,
                                              double *eigenvalues, struct dense *V)
{
    TRY(scf_basis_load(basis, basis->S));
    TRY(dense_eigen(basis->work_nn, eigenvalues, V));
    if (!(eigenvalues[0] > -1e-8))
        return FAIL(STATUS_NUMERIC, "the overlap matrix has the negative eigenvalue %g",
                    eigenvalues[0]);
    return set_orthonormal_functions(V, eigenvalues, dependence, basis);
}

/* X by canonical orthogonalisation. Uses work_nn. */
static enum status orthogonalise_functions(struct scf_basis *basis, double dependence)
{
    const struct dense_grid *grid = basis->problem->grid;
    int n = basis->n_functions;
    struct dense *V;
    TRY(dense_create(grid, n, n, &V));
    double *eigenvalues = agree_calloc(basis->problem->comm, (size_t)n * sizeof *eigenvalues,
                                       "eigenvalues of the overlap");
    enum status status = eigenvalues ? find_orthonormal_functions(basis, dependence, eigenvalues, V)
                                     : STATUS_NO_MEMORY;
    dense_destroy(V);
    free(eigenvalues);
    return status;
}

static enum status compute_one_electron(struct scf_basis *basis)
{
    const struct scf_problem *problem = basis->problem;
    TRY(tile_matrix_create(problem->tiling, "S", DARRAY_DOUBLE, &basis->S));
    TRY(tile_matrix_create(problem->tiling, "H", DARRAY_DOUBLE, &basis->H));
    TRY(overlap_matrix(problem->tiling, basis->S));
    return core_hamiltonian_matrix(problem->tiling, problem->molecule, basis->H);
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

/* X is created where its size is known. */
enum { N_BASIS_MEMBERS = 4 };
static void list_basis_matrices(struct scf_basis *basis,
                                struct dense_member members[N_BASIS_MEMBERS])
{
    int64_t n = basis->n_functions, m = basis->n_orbitals;
    const struct dense_member all[N_BASIS_MEMBERS] = {{&basis->work_nn, n, n},
                                                      {&basis->work_nm, n, m},
                                                      {&basis->work_mm[0], m, m},
                                                      {&basis->work_mm[1], m, m}};
    memcpy(members, all, sizeof all);
}

/* Sets the matrices of a basis whose other fields are set. */
static enum status set_matrices(struct scf_basis *basis, double dependence)
{
    const struct dense_grid *grid = basis->problem->grid;
    struct dense_member members[N_BASIS_MEMBERS];
    TRY(compute_one_electron(basis));
    list_basis_matrices(basis, members);
    TRY(dense_create_members(grid, 1, members)); /* work_nn, for the orthogonalisation */
    TRY(orthogonalise_functions(basis, dependence));
    TRY(check_space(basis));
    list_basis_matrices(basis, members);
    return dense_create_members(grid, N_BASIS_MEMBERS - 1, members + 1);
}

struct scf_basis scf_basis_plan(const struct scf_problem *problem)
{
    int n = (int)problem->shells->n_functions;
    return (struct scf_basis){
        .problem = problem,
        .n_functions = n,
        .n_orbitals = n,
        .n_occupied = {(int)problem->n_occupied[0],
                       problem->n_densities == 1 ? 0 : (int)problem->n_occupied[1]},
    };
}

struct memory_need scf_basis_bytes(const struct scf_basis *plan, int n_processes)
{
    const struct scf_problem *problem = plan->problem;
    struct scf_basis basis = *plan;
    struct dense_member members[N_BASIS_MEMBERS];
    struct memory_need need = {0};
    list_basis_matrices(&basis, members);
    need.own_bytes = (double)(dense_members_bytes(problem->grid, N_BASIS_MEMBERS, members) +
                              dense_bytes(problem->grid, basis.n_functions, basis.n_orbitals));
    memory_need_add(&need, 2, tile_matrix_bytes(problem->tiling, n_processes)); /* S and H */
    return need;
}

enum status scf_basis_create(const struct scf_problem *problem, double dependence,
                             struct scf_basis **basis)
{
    *basis = agree_calloc(problem->comm, sizeof **basis, "the one-electron matrices");
    if (!*basis)
        return STATUS_NO_MEMORY;
    **basis = scf_basis_plan(problem);
    (*basis)->nuclear_repulsion = molecule_nuclear_repulsion(problem->molecule);
    return set_matrices(*basis, dependence);
}

void scf_basis_destroy(struct scf_basis *basis)
{
    if (!basis)
        return;
    dense_destroy(basis->X);
    darray_destroy(basis->S);
    darray_destroy(basis->H);
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

void scf_basis_expand(const struct scf_basis *basis, const struct dense *U, struct dense *C)
{
    dense_multiply('N', 'N', 1, basis->X, U, 0, C);
}

enum status scf_basis_load(const struct scf_basis *basis, struct darray *tiles)
{
    return tile_matrix_to_dense(basis->problem->tiling, tiles, basis->work_nn);
}

enum status scf_basis_contract(const struct scf_basis *basis, struct darray *D, struct dense *P)
{
    double scale = 1.0 / basis->problem->electrons_per_orbital;
    struct dense *SX;
    TRY(scf_basis_load(basis, basis->S));
    TRY(dense_create(P->grid, basis->n_functions, basis->n_orbitals, &SX));
    dense_multiply('N', 'N', 1, basis->work_nn, basis->X, 0, SX);
    enum status status = scf_basis_load(basis, D);
    if (status == STATUS_OK) {
        dense_multiply('N', 'N', 1, basis->work_nn, SX, 0, basis->work_nm);
        dense_multiply('T', 'N', scale, SX, basis->work_nm, 0, P);
    }
    dense_destroy(SX);
    return status;
}
