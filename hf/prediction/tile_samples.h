/* SPDX-License-Identifier: BSD-3-Clause */
/* Tile quartets to time as a sample of a Fock build: first those that hold quartets of every class
 * of some weight, then others in proportion to their work. */
#pragma once

#include "hf/prediction/class_counts.h"
#include "support/base/status.h"

#include <mpi.h>
#include <stdint.h>

struct tile_sample {
    struct tile_quartet quartet;
    int64_t class; /* t * n_pair_types + u, not needed where that class has been timed; -1: any */
};

/* The estimated work of a class, in arbitrary units; t >= u. */
double tile_samples_work(const struct class_counts *counts, int t, int u);

/* No tile quartet occurs twice. samples is to be freed with free. Collective; the same list on every
 * process. Errors: STATUS_NO_MEMORY; the same everywhere. */
enum status tile_samples_create(const struct class_counts *counts, MPI_Comm comm,
                                struct tile_sample **samples, int64_t *n);

/* Number of tile quartets that are not null (fock_tasks.h), of ordered ones under FOCK_SYMMETRY_NONE.
 * Collective. Errors: STATUS_NO_MEMORY; the same everywhere. */
enum status tile_samples_count(const struct screening *screening, enum fock_symmetry symmetry,
                               MPI_Comm comm, double *n);
