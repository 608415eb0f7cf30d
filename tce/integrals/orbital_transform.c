/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/integrals/orbital_transform.h"

#include <cblas.h>

/* Matrices whose columns are transformed by one product: large enough for DGEMM to be
 * fast with few functions, few enough to stay in a cache. */
enum { GROUP = 8 };

int64_t orbital_transform_work(const struct orbital_space *orbitals)
{
    return GROUP * orbitals->n_functions * orbitals->n_orbitals;
}

static void transform_group(const struct orbital_space *orbitals, struct orbital_range rows,
                            struct orbital_range columns, int n_matrices, double *matrices,
                            double *work)
{
    int n = (int)orbitals->n_functions, m = (int)orbitals->n_orbitals;
    int n_rows = (int)orbital_range_size(rows), n_columns = (int)orbital_range_size(columns);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n_matrices * n, n_columns, n, 1,
                matrices, n, orbitals->C + columns.first, m, 0, work, n_columns);
    for (int i = 0; i < n_matrices; i++)
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n_rows, n_columns, n, 1,
                    orbitals->C + rows.first, m, work + (int64_t)i * n * n_columns, n_columns, 0,
                    matrices + (int64_t)i * n * n, n_columns);
}

void orbital_transform(const struct orbital_space *orbitals, struct orbital_range rows,
                       struct orbital_range columns, int64_t n_matrices, double *matrices,
                       double *work)
{
    int64_t size = orbitals->n_functions * orbitals->n_functions;
    if (orbital_range_size(rows) == 0 || orbital_range_size(columns) == 0)
        return;
    for (int64_t first = 0; first < n_matrices; first += GROUP) {
        int64_t n = n_matrices - first < GROUP ? n_matrices - first : GROUP;
        transform_group(orbitals, rows, columns, (int)n, matrices + first * size, work);
    }
}
