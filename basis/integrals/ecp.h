/* SPDX-License-Identifier: BSD-3-Clause */
/* Effective core potentials (basis/input/core_potential.h) of atoms, and their integrals. */
#pragma once

#include "basis/input/basis_set.h"
#include "basis/input/molecule.h"
#include "basis/integrals/shells.h"
#include "support/base/status.h"

/* Gives each nucleus the potential that its set (atom.basis) has for its element, and lowers its charge by n_core.
 * Errors: STATUS_INPUT (Beryl was built without libecpint; an angular momentum beyond libecpint's; n_core
 * is not below the nuclear charge; a defect of the element). */
enum status ecp_place(const struct basis_set *sets, struct molecule *molecule);

/* Whether a centre has a potential. */
bool ecp_needed(const struct molecule *molecule);

/* Integrals over the shells of a molecule in which ecp_needed; scratch of one caller. */
struct ecp_integrals;

/* Borrows both. Errors: STATUS_NO_MEMORY, STATUS_LIBRARY (libecpint fails). */
enum status ecp_integrals_create(const struct molecule *molecule, const struct shells *shells,
                                 struct ecp_integrals **integrals);
void ecp_integrals_destroy(struct ecp_integrals *integrals);

/* block += (bra | sum_A U_A(r - R_A) | ket), row-major, hartree, for the shells of these numbers.
 * Errors: as before. */
enum status ecp_integrals_add(struct ecp_integrals *integrals, int64_t bra, int64_t ket,
                              double *block);
