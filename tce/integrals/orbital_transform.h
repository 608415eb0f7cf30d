/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices over basis functions turned into matrices over orbitals. */
#ifndef BERYL_TCE_ORBITAL_TRANSFORM_H
#define BERYL_TCE_ORBITAL_TRANSFORM_H

#include "tce/integrals/orbital_space.h"

#include <stdint.h>

/* Orbitals [first, last) of an orbital space. */
struct orbital_range {
    int64_t first, last;
};

static inline int64_t orbital_range_size(struct orbital_range range)
{
    return range.last - range.first;
}

/* Doubles that a transformation needs for scratch. */
int64_t orbital_transform_work(const struct orbital_space *orbitals);

/* In place, for each of n_matrices symmetric matrices A over the n functions, one after
 * another:
 *     B[r][s] = sum_{lambda sigma} C[lambda][r] A[lambda][sigma] C[sigma][s]
 * for r in rows and s in columns. B is row-major without gaps and begins where A did;
 * matrices are n * n apart before and after. */
void orbital_transform(const struct orbital_space *orbitals, struct orbital_range rows,
                       struct orbital_range columns, int64_t n_matrices, double *matrices,
                       double *work);

#endif
