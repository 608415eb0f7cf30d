/* SPDX-License-Identifier: BSD-3-Clause */
/* The Fock build as serial loops over shell quartets, each contracted as every one of
 * the ordered quartets that it stands for, screened by the same rule as fock_build: the oracle of
 * its tests. */
#pragma once

#include "basis/integrals/shells.h"
#include "hf/fock/fock_tasks.h"
#include "support/base/status.h"

/* n_densities, D and F as in fock_build, but plain row-major n x n matrices on this
 * process. D is symmetric; symmetry: of the build, as integrals that it computes in rows are not
 * rounded. Errors: STATUS_NO_MEMORY. */
enum status fock_reference(const struct shells *shells, double threshold,
                           enum fock_symmetry symmetry, int n_densities, const double *const D[],
                           double *const F[]);
