/* Densities to start a self-consistent field from. */
#ifndef BERYL_HF_GUESS_H
#define BERYL_HF_GUESS_H

#include "hf/scf.h"
#include "support/darray.h"
#include "support/status.h"

/* Superposition of atomic densities: each element's atom is solved in its own part of
 * the basis, spherically averaged with fractional occupation, on one
 * process, and placed on every atom of that element. D is the same, bit for
 * bit, for any number of processes. For n_spins 2 the atoms' density is split in the ratio of the
 * electrons of each spin. Collective.
 * Errors: STATUS_NOT_CONVERGED (an atom), STATUS_NO_MEMORY. */
enum status guess_sad(const struct scf_problem *problem, struct darray *const D[]);

/* Orbitals of the one-electron Hamiltonian H. Collective. */
enum status guess_core(const struct scf_problem *problem, const struct scf_settings *settings,
                       struct darray *const D[]);

#endif
