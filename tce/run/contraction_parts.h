/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of blocks of C, made by the tasks of sums that are cut into slices (contraction_slices.h), and added up
 * in the order of the slices after the pool. */
#pragma once

#include "support/arrays/darray.h"
#include "support/base/status.h"
#include "tce/run/contraction_sums.h"

/* Room for all parts; *parts is NULL if no sum has slices. Collective.
 * Errors: those of darray_create, the same on every process. */
enum status contraction_parts_create(const struct contraction_sums *sums, struct darray **parts);

/* Elements of all parts together. */
double contraction_parts_elements(const struct contraction_sums *sums);

/* Adds up the parts of the blocks of C that this process holds. Between two synchronisations; not collective.
 * scratch  room for a block of C */
void contraction_parts_add_up(const struct contraction_sums *sums, const struct darray *parts,
                              double *scratch);
