/* Whether blocks can exist, from the labels that occur in the declared spaces. What has
 * an index of a space that a method binds, whose labels are not known yet, is possible. */
#ifndef BERYL_TCE_LABEL_SEARCH_H
#define BERYL_TCE_LABEL_SEARCH_H

#include "tce/language/program.h"

/* Whether some labels of the tensor's indices fulfil its equation,
 *     product of their irreps = its irrep,
 *     sum of the spins of upper indices - sum of those of lower ones = its spin. */
bool label_search_tensor(const struct program *program, const struct program_tensor *tensor);

/* Whether some labels of the indices of a product fulfil the equations of all its tensors.
 * Depth-first over the indices; a branch is left as soon as an equation is out of reach.
 * One more equation, that of all tensors together, tells at once what has no solution
 * because summed indices cancel.
 * factors   n of them: the target and the factors of a term
 * effort    steps that may be taken, counted down; without any left, *possible is true
 * Errors: STATUS_NO_MEMORY. */
enum status label_search(const struct program *program, int n,
                         const struct program_factor *const factors[], int64_t *effort,
                         bool *possible);

#endif
