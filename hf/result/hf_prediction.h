/* SPDX-License-Identifier: BSD-3-Clause */
/* The prediction of --dry-run, as text and in the result. */
#pragma once

#include "hf/fock/fock_prediction.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Fock builds of most SCF calculations, the test of stability included. */
enum { PREDICTION_FEWEST_BUILDS = 10, PREDICTION_MOST_BUILDS = 20 };

/* Counts that the prediction is for. */
struct hf_counted {
    int64_t tasks, non_null;
    int64_t integrals;  /* as --count-tasks prints them */
    bool uses_symmetry; /* of the molecule */
};

/* Prints the counts and the prediction, by the process that log.h names. */
void hf_prediction_print(const struct fock_prediction *prediction,
                         const struct hf_counted *counted);

/* The value of extras.beryl.prediction; the caller owns it. NULL when out of memory. */
json_t *hf_prediction_to_json(const struct fock_prediction *prediction,
                              const struct hf_counted *counted);
