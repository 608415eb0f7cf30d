/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of a checkpoint that are not those of the run, as shells: for orbitals that are
 * taken to another geometry or basis. */
#pragma once

#include "basis/input/molecule.h"
#include "basis/integrals/shells.h"
#include "hf/checkpoint/checkpoint_basis.h"
#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>

/* Gives every process the basis that process 0 has, without labels; elsewhere it was empty.
 * Collective. Errors: STATUS_NO_MEMORY; the same everywhere. */
enum status checkpoint_basis_share(MPI_Comm comm, struct checkpoint_basis *basis);

/* The shells of a basis, at its centres and in its order, without groups for two-electron
 * integrals. Freed with shells_destroy. Not collective.
 * Errors: STATUS_INPUT (path, which the basis comes from, describes no shells that this program
 * has), STATUS_NO_MEMORY. */
enum status checkpoint_shells_create(const char *path, const struct checkpoint_basis *basis,
                                     struct shells **shells);

/* Moves every shell to its centre in the molecule; whether that is another place, by
 * CHECKPOINT_SAME_PLACE or more, for any. */
bool checkpoint_shells_move(const struct molecule *molecule, struct shells *shells);
