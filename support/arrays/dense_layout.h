/* Which rows and columns of a matrix a process holds: block-cyclic, in blocks of
 * DENSE_BLOCK, the same rule for both dimensions. For dense*.c alone. */
#ifndef BERYL_SUPPORT_DENSE_LAYOUT_H
#define BERYL_SUPPORT_DENSE_LAYOUT_H

#include "support/arrays/dense.h"

#include <stddef.h>

/* How many of n indices lie at a place in [0, n_places) of the grid. */
int dense_local_count(int n, int place, int n_places);

/* The index of number local of those at a place. */
int dense_global_index(int local, int place, int n_places);

/* Elements that this process holds. */
size_t dense_local_size(const struct dense *matrix);

#endif
