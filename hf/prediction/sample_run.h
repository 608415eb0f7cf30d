/* SPDX-License-Identifier: BSD-3-Clause */
/* Costs of classes of shell quartets in a sample of a Fock build, computed by a worker of the build
 * with a density of ones. */
#pragma once

#include "basis/quartets/class_costs.h"
#include "hf/fock/fock_build.h"
#include "hf/prediction/tile_samples.h"
#include "hf/tiles/screening.h"
#include "hf/tiles/tile_symmetry.h"
#include "support/base/status.h"

#include <mpi.h>
#include <stdint.h>

/* Ways of getting the integrals: computing them, computing them to keep them, reading those kept. */
enum sample_pass { SAMPLE_DIRECT, SAMPLE_FILL, SAMPLE_READ, SAMPLE_PASSES };

struct sample_costs {
    struct class_costs *costs[SAMPLE_PASSES]; /* of all processes; NULL: no such pass */
    double longest_s[SAMPLE_PASSES];          /* of a tile quartet, of any process */
    double tiles_s[SAMPLE_PASSES]; /* of a tile quartet on average, without its classes */
};

/* A build to be predicted, on all processes of comm. */
struct predicted_build {
    const struct screening *screening;
    const struct fock_settings *settings;
    const struct tile_symmetry *symmetry; /* of the molecule, if the build uses it; or NULL */
    int n_densities;
    MPI_Comm comm;
};

/* Each process runs some of the samples for a fixed time, of the first ones those whose class it has
 * not timed; then, if the settings' kept_bytes allows, keeps integrals of these, and reads them.
 * On failure, too, sample_costs_fini has to be called. Collective. Errors: STATUS_NO_MEMORY,
 * STATUS_NUMERIC; the same everywhere. */
enum status sample_run(const struct predicted_build *build, const struct tile_sample *samples,
                       int64_t n_samples, struct sample_costs *result);
void sample_costs_fini(struct sample_costs *result);
