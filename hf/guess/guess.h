/* SPDX-License-Identifier: BSD-3-Clause */
/* First densities of an SCF. */
#pragma once

#include "hf/fock/scf_problem.h"
#include "support/arrays/darray.h"
#include "support/base/status.h"

/* Superposition of atomic densities: each element's neutral atom is solved in its own
 * part of the basis, spherically averaged with fractional occupation (guess_atom.h), on
 * one process, and placed on every nucleus of that element. The sum is scaled to the
 * molecule's electrons: trace(DS) is their number exactly, but D is not idempotent. For
 * n_spins 2 it is split in the ratio of the electrons of each spin. D is the same,
 * bit for bit, for any number of processes. Collective.
 * Errors: STATUS_NO_MEMORY, STATUS_NUMERIC; the same everywhere. */
enum status guess_sad(const struct scf_problem *problem, struct darray *const D[]);

/* The lowest orbitals of the one-electron Hamiltonian. dependence: eigenvalues of S below it
 * are dropped. Collective. Errors: STATUS_NO_MEMORY, STATUS_NUMERIC, STATUS_INPUT. */
enum status guess_core(const struct scf_problem *problem, double dependence,
                       struct darray *const D[]);
