/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense blocks as matrices: packing and multiplication. Blocks are row-major; extents are
 * those of the tiles at hand, by index number. */
#pragma once

#include "tce/contraction/contraction_indices.h"

#include <stdbool.h>
#include <stdint.h>

/* destination[to] (+)= factor * sum over the indices that `to` lacks of source[from].
 * from  indices may occur twice: then their values are the same
 * to    indices of `from`, each once
 * add   to what the destination holds, instead of replacing it */
void contraction_pack(const struct index_list *from, const struct index_list *to,
                      const int64_t extent[MAX_INDICES], double factor, const double *source,
                      bool add, double *destination);

/* C[batch][rows][columns] (+)=
 *     factor * sum over summed of A[batch][rows][summed] * B[batch][summed][columns]
 * of blocks whose indices lie as the layouts' orders say. */
void contraction_multiply(const struct contraction_indices *indices,
                          const int64_t extent[MAX_INDICES], double factor, const double *A,
                          const double *B, bool add, double *C);
