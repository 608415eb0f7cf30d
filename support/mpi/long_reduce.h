/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Allreduce, whose count is an int, for any number of elements. */
#pragma once

#include <mpi.h>
#include <stdint.h>

/* Replaces each of n elements by the result of op over all processes of comm. For operations
 * that are exact in any order, so that every process gets the same bits: the largest of
 * numbers, the sum of terms that are zero on all processes but one. Collective. */
void long_reduce(void *elements, int64_t n, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
