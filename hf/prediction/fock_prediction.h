/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicted seconds of a Fock build: the shell quartets of each class, counted (class_counts.h), times
 * what they cost in a sample of tile quartets (tile_samples.h), which each process runs through the
 * worker of the build.
 *
 * The build is that of a density without small elements: it computes every quartet above the Schwarz
 * threshold, as builds of an SCF after the first do within a percent, those of molecules of hundreds
 * of atoms excepted. The first one, of superposed atomic densities, computes fewer. */
#pragma once

#include "hf/prediction/class_counts.h"
#include "hf/prediction/sample_run.h"
#include "support/base/status.h"

/* Seconds of a build on these processes, work divided evenly but no less than the longest tile quartet
 * of the sample; and of its classes, [t][u] as in class_counts, of all processes together. */
struct build_time {
    double seconds;
    double *class_s;
};

struct fock_prediction {
    struct class_counts *counts;
    double quartets;           /* of shells, of all classes */
    double sampled_quartets;   /* those that the sample computed */
    double sample_s;           /* wall time of the sample */
    struct build_time direct;  /* every integral is computed */
    struct build_time fill;    /* they are computed and kept; where none is kept, as direct */
    struct build_time read;    /* kept ones are read; where none is kept, as direct */
    double kept_fraction;      /* of the integrals, what fits into the bound of the processes */
    struct class_costs *costs; /* of the sample, every integral computed; of all processes */
};

/* Predicts builds. Collective. Errors: STATUS_NO_MEMORY, STATUS_LIMIT, STATUS_NUMERIC; the same
 * everywhere. */
enum status fock_prediction_create(const struct predicted_build *build,
                                   struct fock_prediction **prediction);
void fock_prediction_destroy(struct fock_prediction *prediction);

/* Seconds of the first build that computes every quartet, and keeps what fits, and of a later one. */
double fock_prediction_first(const struct fock_prediction *prediction);
double fock_prediction_later(const struct fock_prediction *prediction);
