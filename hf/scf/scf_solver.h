/* SPDX-License-Identifier: BSD-3-Clause */
/* The iterations of an SCF. Private to scf.c. */
#pragma once

#include "hf/scf/scf.h"
#include "hf/scf/scf_basis.h"
#include "hf/scf/scf_decide.h"
#include "hf/scf/scf_fock.h"
#include "hf/scf/scf_occupation.h"
#include "hf/scf/scf_second_order.h"
#include "hf/scf/scf_state.h"
#include "support/arrays/darray.h"
#include "support/arrays/dense.h"
#include "support/arrays/diis.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* A run in progress. */
struct scf_solver {
    const struct scf_settings *settings;
    const struct scf_basis *basis;
    struct scf_conditions conditions;
    struct scf_history history;
    struct scf_fock *fock;
    struct scf_state *state;
    struct diis *diis;                     /* NULL while another method is in charge */
    struct scf_second_order *second_order; /* NULL until it is in charge */
    struct scf_occupation *occupation;     /* NULL: the lowest orbitals */
    struct dense *F_damped[2];             /* the last one, NULL without damping */
    bool has_damped;                       /* F_damped is set */
    struct dense *U_best[2];               /* occupied orbitals of the lowest energy so far */
    bool is_resumed; /* the first iteration is the last one of the run that this one resumes */
    struct scf_iteration now;
    double started_s; /* clock at the start of the iteration */
    struct scf_result *result;
};

/* Creates what the solver owns, and sets it to where settings->restart was; settings, basis and
 * result are set, the rest is zero.
 * scratch: as for scf_fock_create. Collective, like all that follows. On failure
 * scf_solver_fini still has to be called. Errors: as scf_restart_read; STATUS_NO_MEMORY. */
enum status scf_solver_init(struct scf_solver *solver, struct darray *const scratch[]);
void scf_solver_fini(struct scf_solver *solver);

/* Memory of the solver on each of n_processes, at most, orbitals of the result included, without
 * the method in charge. Not collective. */
struct memory_need scf_solver_bytes(const struct scf_basis *plan,
                                    const struct scf_settings *settings, int n_processes);

/* From the density in D, which may be the scratch, to a local minimum; on return the state's F is
 * accurate and its orbitals are canonical. Errors: as scf_run; after STATUS_NOT_CONVERGED the state
 * is the last one. */
enum status scf_solver_iterate(struct scf_solver *solver, struct darray *const D[]);

/* Creates second_order unless it exists; DIIS is destroyed, to make room for its vectors.
 * Errors: STATUS_NO_MEMORY. */
enum status scf_solver_need_second_order(struct scf_solver *solver);

/* Sets the result's orbitals, over the functions, and their energies from the state.
 * Errors: STATUS_NO_MEMORY. */
enum status scf_solver_expand_orbitals(struct scf_solver *solver);

/* --- checkpoints (scf_restart.c) --- */

/* Bytes in the file, with so many steps of DIIS and other matrices of their size.
 * Not collective. */
int64_t scf_restart_bytes(const struct scf_basis *basis, int64_t n_steps, int n_others);

/* Writes the state to the checkpoint, if one is wanted and the state has orbitals; sets the
 * result's orbitals then. A file that cannot be written is a warning. Collective, like what
 * follows. Errors: STATUS_NO_MEMORY. */
enum status scf_restart_write(struct scf_solver *solver);

/* Sets the solver, which is new, to the state of the run that wrote settings->restart, and X of its
 * basis to the file's. If the file is of other orbitals or has no such group, the solver stays new
 * and a message says so. Errors: as checkpoint_stream_matrix. */
enum status scf_restart_read(struct scf_solver *solver);
