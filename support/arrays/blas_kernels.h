/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of OpenBLAS: it has a set for each of some dozen processors and chooses one
 * when it is loaded. A version that is older than the processor may take it for one of twenty years
 * ago: 0.3.0 to 0.3.24 take Raptor Lake, Emerald Rapids and all later ones of Intel with such
 * numbers for a Prescott, whose products are four times slower. */
#pragma once

#include "support/vectors/vector_unit.h"

#include <mpi.h>

/* The kernels to take instead of those that OpenBLAS took, by their names in OPENBLAS_CORETYPE;
 * NULL where OpenBLAS may be right: its kernels use the processor's vector unit, or are not of
 * those that an unknown processor gets. */
const char *blas_kernels_instead_of(const char *taken, enum vector_unit unit);

/* Takes better kernels where OpenBLAS is wrong, but never against OPENBLAS_CORETYPE. Once per
 * process, while no product runs. Not collective. */
void blas_kernels_start(void);

/* A line of the log, which names the kernels and why they were taken, and another one where the
 * processes of comm have different ones. Collective over comm. */
void blas_kernels_print(MPI_Comm comm);
