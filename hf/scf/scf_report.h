/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of an SCF. Only the process that logs prints. */
#pragma once

#include "hf/scf/scf.h"
#include "hf/scf/scf_basis.h"

#include <stdbool.h>

/* Method, sizes, dropped combinations; the head of the table of iterations. */
void scf_report_start(const struct scf_basis *basis, const struct scf_settings *settings);

/* A line of the table. */
void scf_report_iteration(const struct scf_iteration *iteration);

/* A line below it: the curvatures by enum scf_space that a test found with so many Fock builds. */
void scf_report_stability(enum scf_space own, const struct scf_curvature curvature[], int n_builds);

/* Lines below a correlated energy: the kind of stationary point of the SCF that it starts from, and
 * the energies of saddle points that were left; a warning if it is a saddle point that was kept. */
void scf_report_reference(const struct scf_result *result);

/* Whether it is converged, and a local minimum of its space; energies, orbital energies (all of
 * them, or those near the gap), dipole, charges, <S^2>. */
void scf_report_result(const struct scf_problem *problem, const struct scf_result *result,
                       bool all_orbitals);
