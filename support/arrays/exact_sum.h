/* Sums over processes that are exact in any order. */
#ifndef BERYL_SUPPORT_EXACT_SUM_H
#define BERYL_SUPPORT_EXACT_SUM_H

#include <mpi.h>
#include <stdint.h>

/* Replaces each of n numbers, which is zero on all processes but one, by their sum, in pieces
 * that MPI can count. Collective. */
void exact_sum(double *numbers, int64_t n, MPI_Comm comm);

#endif
