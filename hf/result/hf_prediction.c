/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/result/hf_prediction.h"

#include "support/base/log.h"

#include <math.h>
#include <stdbool.h>

enum { CLASSES_PRINTED = 10 };

/* The class of pair types t and u, by the order that the sample had or could have. */
static void name_class(const struct fock_prediction *prediction, int t, int u,
                       char name[CLASS_NAME_SIZE])
{
    const struct class_costs *costs = prediction->costs;
    int n = costs->n_pair_types;
    int t_l = class_counts_pair_l(prediction->counts, t);
    int u_l = class_counts_pair_l(prediction->counts, u);
    double in_order = costs->of[t * n + u].quartets, exchanged = costs->of[u * n + t].quartets;
    bool t_first = in_order + exchanged > 0 ? in_order >= exchanged : t_l <= u_l;
    class_costs_name(costs, t_first ? t : u, t_first ? u : t, name);
}

/* Quartets of the sample, in either order of the pairs. */
static double sampled_of_class(const struct fock_prediction *prediction, int t, int u)
{
    const struct class_costs *costs = prediction->costs;
    int n = costs->n_pair_types;
    return costs->of[t * n + u].quartets + (t != u ? costs->of[u * n + t].quartets : 0);
}

static double scf_seconds(const struct fock_prediction *prediction, int n_builds)
{
    return fock_prediction_first(prediction) + (n_builds - 1) * fock_prediction_later(prediction);
}

/* The class of most seconds below a bound; -1 if there is none. */
static int next_class(const struct fock_prediction *prediction, double below_s)
{
    const double *seconds = prediction->direct.class_s;
    int n = prediction->counts->n_pair_types, next = -1;
    for (int class = 0; class < n * n; class ++)
        if (seconds[class] > 0 && seconds[class] < below_s &&
            (next < 0 || seconds[class] > seconds[next]))
            next = class;
    return next;
}

/* The classes that take most of the time. */
static void print_classes(const struct fock_prediction *prediction)
{
    int n = prediction->counts->n_pair_types;
    double below_s = INFINITY;
    log_print("\nclass                    quartets     sampled    seconds, of all processes\n");
    for (int i = 0; i < CLASSES_PRINTED; i++) {
        int class = next_class(prediction, below_s);
        char name[CLASS_NAME_SIZE];
        if (class < 0)
            break;
        below_s = prediction->direct.class_s[class];
        name_class(prediction, class / n, class % n, name);
        log_print("%-20s %12.0f %11.0f %10.3g\n", name, prediction->counts->of[class].quartets,
                  sampled_of_class(prediction, class / n, class % n), below_s);
    }
}

/* At most 1: under symmetry quartets are counted by orbits, and samples are of all. */
static double sampled_fraction(const struct fock_prediction *prediction)
{
    return fmin(1, prediction->sampled_quartets / fmax(1, prediction->quartets));
}

void hf_prediction_print(const struct fock_prediction *prediction, const struct hf_counted *counted)
{
    log_print("Tasks      %lld of %lld are not null\n"
              "Quartets   %.0f of shells above the threshold%s; %lld integrals\n",
              (long long)counted->non_null, (long long)counted->tasks, prediction->quartets,
              prediction->counts->order > 1 ? ", one of each orbit under the symmetry" : "",
              (long long)counted->integrals);
    print_classes(prediction);
    log_print(
        "\nPredicted seconds, from %.3g %% of the quartets, computed in %.2f s\n"
        "Fock build %10.3g  every integral above the threshold computed: most builds of an SCF;\n"
        "                       the first, of superposed atoms, takes less\n",
        100 * sampled_fraction(prediction), prediction->sample_s, prediction->direct.seconds);
    if (prediction->kept_fraction > 0)
        log_print(
            "           %10.3g  in which %.0f %% of the integrals are computed and kept, and\n"
            "           %10.3g  in which these are read\n",
            fock_prediction_first(prediction), 100 * prediction->kept_fraction,
            fock_prediction_later(prediction));
    log_print("SCF        %.3g to %.3g  if it takes %d to %d Fock builds, without linear algebra\n",
              scf_seconds(prediction, PREDICTION_FEWEST_BUILDS),
              scf_seconds(prediction, PREDICTION_MOST_BUILDS), PREDICTION_FEWEST_BUILDS,
              PREDICTION_MOST_BUILDS);
    if (prediction->counts->order > 1)
        log_print("                       a test of stability uses less of the symmetry, and takes "
                  "more\n");
}

static json_t *classes_to_json(const struct fock_prediction *prediction)
{
    const struct class_counts *counts = prediction->counts;
    json_t *classes = json_object();
    int n = counts->n_pair_types;
    for (int t = 0; t < n; t++)
        for (int u = 0; u <= t; u++) {
            char name[CLASS_NAME_SIZE];
            const struct class_count *count = &counts->of[t * n + u];
            if (count->quartets == 0)
                continue;
            name_class(prediction, t, u, name);
            json_object_set_new(classes, name,
                                json_pack("{s:I, s:I, s:I, s:f}", "quartets",
                                          (json_int_t)round(count->quartets), "primitives",
                                          (json_int_t)round(count->primitives), "sampled_quartets",
                                          (json_int_t)sampled_of_class(prediction, t, u), "seconds",
                                          prediction->direct.class_s[t * n + u]));
        }
    return classes;
}

json_t *hf_prediction_to_json(const struct fock_prediction *prediction,
                              const struct hf_counted *counted)
{
    json_t *json =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:f}", "tasks", (json_int_t)counted->tasks, "non_null",
                  (json_int_t)counted->non_null, "integrals", (json_int_t)counted->integrals,
                  "quartets", (json_int_t)round(prediction->quartets), "sampled_quartets",
                  (json_int_t)prediction->sampled_quartets, "sample_seconds", prediction->sample_s);
    json_t *times = json_pack(
        "{s:f, s:f, s:f, s:f, s:[i, i], s:[f, f], s:o}", "build_seconds",
        prediction->direct.seconds, "kept_fraction", prediction->kept_fraction,
        "first_build_seconds", fock_prediction_first(prediction), "later_build_seconds",
        fock_prediction_later(prediction), "scf_builds", PREDICTION_FEWEST_BUILDS,
        PREDICTION_MOST_BUILDS, "scf_fock_seconds",
        scf_seconds(prediction, PREDICTION_FEWEST_BUILDS),
        scf_seconds(prediction, PREDICTION_MOST_BUILDS), "classes", classes_to_json(prediction));
    json_object_update(json, times);
    json_decref(times);
    return json;
}
