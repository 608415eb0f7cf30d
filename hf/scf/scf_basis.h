/* What stays the same while orbitals are optimised: the one-electron matrices
 * and an orthonormal basis. Orbitals are expressed in the orthonormal basis, where
 * orthonormal orbitals are orthonormal vectors. */
#ifndef BERYL_HF_SCF_FRAME_H
#define BERYL_HF_SCF_FRAME_H

#include "hf/scf/orthogonalise.h"
#include "hf/scf/scf.h"
#include "support/arrays/dense.h"
#include "support/base/status.h"

struct scf_frame {
    const struct scf_problem *problem; /* borrowed */
    int n_spins;
    int n_occupied[2];
    double occupation; /* electrons in an occupied orbital: 2 restricted, 1 unrestricted */
    double nuclear_repulsion;
    struct orthonormal_basis basis; /* n functions, m orbitals */
    struct dense *S, *H;            /* n x n */
    struct dense *work_nm;          /* scratch of any function that is not inside another */
    struct dense *work_nn;
    struct dense *work_mm[2];
};

/* Collective, like all that follows.
 * Errors: STATUS_NO_MEMORY, STATUS_NUMERIC, STATUS_INPUT (fewer independent
 * functions than occupied orbitals). */
enum status scf_frame_create(const struct scf_problem *problem, double dependence,
                             struct scf_frame **frame);
void scf_frame_destroy(struct scf_frame *frame);

/* B = X^T A X: an operator in the orthonormal basis. Uses work_nm. */
void scf_frame_project(const struct scf_frame *frame, const struct dense *A, struct dense *B);

/* D = factor X P X^T: a density in the functions. Uses work_nm. */
void scf_frame_expand(const struct scf_frame *frame, double factor, const struct dense *P,
                      struct dense *D);

/* P = X^T S D S X / occupation, what scf_frame_expand undoes within the space
 * that the orthonormal basis spans. Uses work_nm. Errors: STATUS_NO_MEMORY. */
enum status scf_frame_contract(const struct scf_frame *frame, const struct dense *D,
                               struct dense *P);

#endif
