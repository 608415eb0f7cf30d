/* SPDX-License-Identifier: BSD-3-Clause */
/* The state from which the iterations of an SCF resume as if not interrupted, but for the directions that
 * Newton steps keep, in addition to the orbitals: groups of the checkpoint (checkpoint.h), with a data set
 * for each spin, _alpha and, of two densities, _beta. Private to the solver.
 *
 *     /beryl/scf          attributes: numbers of the solver and its history
 *         basis           m x n, rows: the columns of X of scf_basis.h, which the run that resumes takes:
 *                         its own differs where eigenvalues of S are equal
 *         diis_0_, ...    m x m, oldest first: F with the diagonal in one triangle and the error,
 *                         antisymmetric, in the other, over X's columns
 *         best_           n_occupied x m, where they are needed: columns of U_best
 *         damped_         m x m, where they are needed: F_damped
 *     /beryl/occupation   of a run that keeps the occupation; attributes: the numbers of electrons
 *         reference_      n_occupied x n, rows: the reference's orbitals over the functions */
#pragma once

#include "hf/scf/scf_solver.h"
#include "support/base/status.h"

#include <stdint.h>

struct checkpoint_stream;

/* Bytes in the file, with so many steps of DIIS and other matrices of their size.
 * Not collective. */
int64_t scf_restart_bytes(const struct scf_basis *basis, int64_t n_steps, int n_others);

/* Writes the state to the checkpoint, if one is wanted and the state has orbitals; sets the
 * result's orbitals then. A file that cannot be written is a warning. Collective, like what
 * follows. Errors: STATUS_NO_MEMORY. */
enum status scf_restart_write(struct scf_solver *solver);

/* Sets the solver, which is new, to where the run that wrote settings->restart was, and X of its basis to
 * the file's. Where that was of other orbitals or has no such group, the solver stays new: a message says
 * so. Errors: those of checkpoint_stream_matrix. */
enum status scf_restart_read(struct scf_solver *solver);
