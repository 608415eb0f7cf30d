/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether blocks can exist, from the labels that occur in the declared spaces. A tensor with an
 * index in a method-bound space counts as possible: that space's labels are not known yet. */
#pragma once

#include "tce/language/program.h"

/* Whether some labels of the tensor's indices fulfil its equation,
 *     product of their irreps = its irrep,
 *     sum of the spins of upper indices - sum of those of lower ones = its spin. */
bool label_search_tensor(const struct program *program, const struct program_tensor *tensor);

/* Whether some labels of the indices of a product fulfil the equations of all its tensors.
 * Depth-first over the indices; a branch is left as soon as an equation is out of reach.
 * One more equation, the sum of all tensors' ones, shows at once where summed indices cancel and
 * leave no solution.
 * factors   n of them: the target and the factors of a term
 * effort    steps that may be taken, counted down; without any left, *possible is true
 * Errors: STATUS_NO_MEMORY. */
enum status label_search(const struct program *program, int n,
                         const struct program_factor *const factors[], int64_t *effort,
                         bool *possible);
