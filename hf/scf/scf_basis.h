/* SPDX-License-Identifier: BSD-3-Clause */
/* The constants of an SCF: the one-electron matrices and an orthonormal basis, in which
 * orthonormal orbitals are orthonormal vectors. It comes from the functions by canonical
 * orthogonalisation,
 *
 *   X = U s^(-1/2),  S U = U s,  X^T S X = 1
 *
 * without the columns of small s: combinations of functions that are all but
 * dependent. Source: Szabo & Ostlund (1996), eq. 3.169. */
#pragma once

#include "hf/fock/scf_problem.h"
#include "support/arrays/darray.h"
#include "support/arrays/dense.h"
#include "support/base/memory.h"
#include "support/base/status.h"

struct scf_basis {
    const struct scf_problem *problem; /* borrowed */
    int n_occupied[2];                 /* of the problem's densities; 0 without a second one */
    double nuclear_repulsion;
    int n_functions;         /* n */
    int n_orbitals;          /* m: n minus the dropped combinations */
    double smallest_overlap; /* eigenvalue of S */
    struct dense *X;         /* n x m; scf_restart_read may put in another one of the same space */
    struct darray *S, *H;    /* tile matrices */
    struct dense *work_nm;   /* scratch of any function that is not inside another */
    struct dense *work_nn;
    struct dense *work_mm[2];
};

/* Combinations of functions whose eigenvalue of S is below dependence are dropped.
 * Collective, like all that follows. On failure scf_basis_destroy still has to be called. Errors:
 * STATUS_NO_MEMORY, STATUS_NUMERIC (S is not an overlap matrix), STATUS_INPUT (fewer independent
 * functions than occupied orbitals). */
enum status scf_basis_create(const struct scf_problem *problem, double dependence,
                             struct scf_basis **basis);
void scf_basis_destroy(struct scf_basis *basis);

/* The numbers of a basis without its matrices, all combinations of functions kept: the ..._bytes of
 * what an SCF creates take it. Of the problem, shells, tiling, grid and electrons are looked at.
 * Not collective. */
struct scf_basis scf_basis_plan(const struct scf_problem *problem);

/* Memory of a basis on each of n_processes, at most. Not collective. */
struct memory_need scf_basis_bytes(const struct scf_basis *plan, int n_processes);

/* B = X^T A X: an operator in the orthonormal basis. Uses work_nm. */
void scf_basis_project(const struct scf_basis *basis, const struct dense *A, struct dense *B);

/* work_nn = the matrix of tiles: S or H. Errors: STATUS_NO_MEMORY. */
enum status scf_basis_load(const struct scf_basis *basis, struct darray *tiles);

/* C = X U: orbitals in the functions. U: m rows. */
void scf_basis_expand(const struct scf_basis *basis, const struct dense *U, struct dense *C);

/* P = X^T S D S X / electrons_per_orbital: the density D, tiles, within the space that the
 * orthonormal basis spans. Uses work_nm, work_nn. Errors: STATUS_NO_MEMORY. */
enum status scf_basis_contract(const struct scf_basis *basis, struct darray *D, struct dense *P);
