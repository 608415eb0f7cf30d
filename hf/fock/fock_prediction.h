/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicted seconds of a Fock build: some of its tile quartets, drawn by their costs (fock_cost.h),
 * are timed; each process runs them through the worker of the build.
 *
 * The build has a density without small elements: it computes every quartet above the Schwarz
 * threshold. After the first, builds of an SCF do so within a percent, unless the molecule has
 * hundreds of atoms. The first one, of superposed atomic densities, computes fewer. */
#pragma once

#include "hf/fock/fock_build.h"

/* A build to be predicted, on all processes of comm. */
struct predicted_build {
    const struct screening *screening;
    const struct fock_settings *settings;
    const struct tile_symmetry *symmetry; /* of the molecule, if the build uses it; or NULL */
    int n_densities;
    MPI_Comm comm;
};

/* Seconds on these processes: work divided evenly, but no less than the longest tile quartet of the
 * sample. */
struct fock_prediction {
    double integrals; /* of a build; under the symmetry of a molecule one quartet of each orbit */
    double sampled_integrals; /* those that the sample computed */
    double sample_s;          /* wall time of the sample */
    double direct_s;          /* every integral is computed */
    double first_s;           /* they are computed, and kept as far as there is room */
    double later_s;           /* the kept ones are read */
    double kept_fraction;     /* of the integrals that are worth keeping, what there is room for */
};

/* Collective. Errors: STATUS_NO_MEMORY, STATUS_LIMIT, STATUS_NUMERIC; the same everywhere. */
enum status fock_predict(const struct predicted_build *build, struct fock_prediction *prediction);
