/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a program has the symmetries that it claims: those that tensors declare, where the algebra of
 * symmetry_check.h does not show them, and that of ordered loops, a >= b >= c, whose sums must not change
 * when two indices exchange their roles.
 *
 * The program is run by nested loops over spaces of a few values, its tensors being filled with random
 * numbers that have the symmetry of the fill and no other structure. Labels are left out: zeros of labels
 * are among the numbers that such a tensor can have. A symmetry that all values show holds for any
 * numbers, sizes and labels. One that depends on the numbers, as of a constant, is not shown. */
#pragma once

#include "support/base/status.h"
#include "tce/language/program.h"
#include "tce/language/symmetry_check.h"

/* fills  n of them, as for symmetry_check_program, which comes before this
 * Not collective; the same on every process.
 * Errors: STATUS_INPUT, with the place, for a statement whose symmetry is not shown or that has too many
 * indices for the trial; STATUS_NO_MEMORY. */
enum status symmetry_proof_run(const struct program *program, int n,
                               const struct fill_symmetry fills[]);
