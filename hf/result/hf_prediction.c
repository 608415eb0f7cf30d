/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/result/hf_prediction.h"

#include "support/base/log.h"

#include <math.h>

static double scf_seconds(const struct fock_prediction *prediction, int n_builds)
{
    return prediction->first_s + (n_builds - 1) * prediction->later_s;
}

void hf_prediction_print(const struct fock_prediction *prediction, const struct hf_counted *counted)
{
    log_print(
        "Tasks      %lld of %lld are not null\n"
        "Integrals  %lld above the threshold; of those %.3g %% were computed to predict seconds\n"
        "\nPredicted seconds, from a sample of %.2f s\n"
        "Fock build %10.3g  every integral above the threshold computed: most builds of an SCF;\n"
        "                       the first, of superposed atoms, takes less\n",
        (long long)counted->non_null, (long long)counted->tasks, (long long)counted->integrals,
        100 * fmin(1, prediction->sampled_integrals / fmax(1, prediction->integrals)),
        prediction->sample_s, prediction->direct_s);
    if (prediction->kept_fraction > 0)
        log_print(
            "           %10.3g  in which %.0f %% of the integrals are computed and kept, and\n"
            "           %10.3g  in which these are read\n",
            prediction->first_s, 100 * prediction->kept_fraction, prediction->later_s);
    log_print("SCF        %.3g to %.3g  if it takes %d to %d Fock builds, without linear algebra\n",
              scf_seconds(prediction, PREDICTION_FEWEST_BUILDS),
              scf_seconds(prediction, PREDICTION_MOST_BUILDS), PREDICTION_FEWEST_BUILDS,
              PREDICTION_MOST_BUILDS);
    if (counted->uses_symmetry)
        log_print("                       a test of stability uses less of the symmetry, and takes "
                  "more\n");
}

json_t *hf_prediction_to_json(const struct fock_prediction *prediction,
                              const struct hf_counted *counted)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:[i, i], s:[f, f]}",
                     "tasks", (json_int_t)counted->tasks, "non_null", (json_int_t)counted->non_null,
                     "integrals", (json_int_t)counted->integrals, "build_integrals",
                     (json_int_t)prediction->integrals, "sampled_integrals",
                     (json_int_t)prediction->sampled_integrals, "sample_seconds",
                     prediction->sample_s, "build_seconds", prediction->direct_s, "kept_fraction",
                     prediction->kept_fraction, "first_build_seconds", prediction->first_s,
                     "later_build_seconds", prediction->later_s, "scf_builds",
                     PREDICTION_FEWEST_BUILDS, PREDICTION_MOST_BUILDS, "scf_fock_seconds",
                     scf_seconds(prediction, PREDICTION_FEWEST_BUILDS),
                     scf_seconds(prediction, PREDICTION_MOST_BUILDS));
}
