/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of --speeds: the relative speed of each worker; and its sums. */
#pragma once

#include "support/base/status.h"

#include <mpi.h>
#include <stdint.h>

/* Reads n_workers numbers > 0, separated by white space or line ends; # begins
 * a comment. Collective over comm; rank 0 reads.
 * speeds  out, n_workers, owned by the caller
 * Errors: STATUS_IO, STATUS_INPUT (names the line), STATUS_NO_MEMORY; the same
 * on every process. */
enum status speeds_read(MPI_Comm comm, const char *path, int n_workers, double **speeds);

/* Whether speeds_read would read the speeds of the processes of comm. NULL and "" name no file.
 * Collective over comm. Errors: as speeds_read. */
enum status speeds_check(MPI_Comm comm, const char *path);

/* The sums of the speeds of the workers before 0, 1, ... n_workers: whole numbers, in
 * units of 2^-30 of the largest speed, each worker at least 1, so that differences of
 * sums are exact.
 * sums  out, n_workers + 1, owned by the caller
 * Errors: STATUS_NO_MEMORY. */
enum status speeds_sum(const double *speeds, int n_workers, int64_t **sums);
