/* SPDX-License-Identifier: BSD-3-Clause */
/* Workloads of beryl-sched: tasks without chemistry, run for real or simulated. A kind of
 * workload is one file: its tasks, and its option rows. Of the pool the files see what a program
 * from outside sees, the public headers. */
#pragma once

#include "support/base/status.h"
#include "support/io/options.h"
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"

#include <jansson.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Predicted costs of tasks that the modes are given. */
enum workload_known_costs { WORKLOAD_COSTS_EXACT, WORKLOAD_COSTS_NONE };

/* As given on the command line. The kind of workload is the one of the members `profile` to `bnsl`
 * that is not NULL. */
struct workload_settings {
    const char *profile;     /* file */
    const char *gauss;       /* "MEAN,SD", seconds */
    const char *exponential; /* "MEAN" */
    const char *lognormal;   /* "MEAN,SD", of the durations themselves */
    const char *uts;         /* name or options of a tree */
    const char *jacobi;      /* "NX,NY,NZ", points */
    const char *bnsl;        /* file of samples */
    int64_t n_tasks;         /* of a distribution, or of a profile without its null tasks */
    double null_s;           /* of a null task; -1: not given */
    int64_t n_sweeps;        /* iterations of jacobi; 0: not given */
    double time_scale;       /* factor of durations */
    double drift;            /* of durations, from iteration to iteration */
    int known_costs;         /* enum workload_known_costs */

    const char *bnsl_network; /* file of the known network, or NULL */
    int64_t bnsl_candidates;  /* upper bound on a variable's possible parents */
    int64_t bnsl_hypercube;   /* dimension of a task's cube */
    int64_t bnsl_kicks;       /* of the search for the network */

    /* Set by the program. */
    int64_t n_simulated, node_size; /* workers of a simulated machine, 0: the run is real; and
                                       of one of its nodes */
    int64_t seed;
    double speed; /* of this process, by which real durations are divided; > 0 */
};

/* The field of an option of a workload. */
#define WORKLOAD_FIELD(name) offsetof(struct workload_settings, name)

enum { WORKLOAD_NAME_SIZE = 256 };

/* A workload as the programs see it: first in the structs of the kinds. Members that `create` of
 * its kind does not set are 0, but for the name, the settings and the problem's context. */
struct workload {
    char name[WORKLOAD_NAME_SIZE]; /* such as "gauss 0.5,0.1" */
    struct workload_settings settings;
    struct taskpool_problem problem; /* its context is the workload */
    struct taskpool *pool;           /* set by the user before the run; borrowed */

    /* Simulated: seconds of a task, null tasks (NULL: none are), and data read and written (NULL:
     * unknown; its own), as in struct taskpool_machine, the context being the workload. */
    double (*time)(int64_t task, const void *record, const void *context);
    bool (*are_null)(int64_t first, int64_t last, const void *context);
    struct taskpool_data *data;
    int64_t n_recorded; /* iterations with durations of their own; 0: none were recorded so */

    /* NULL: nothing to do. Adds the tasks that a dynamic pool begins with. Collective. */
    enum status (*begin)(struct workload *workload, MPI_Comm comm);
    /* Called after each iteration. Collective.
     * Errors: STATUS_PROTOCOL if the result differs from the first iteration's. */
    enum status (*end_iteration)(struct workload *workload, MPI_Comm comm);
    /* Adds its results to a JSON object. */
    void (*add_result)(const struct workload *workload, json_t *result);
    /* Frees its own, also after `create` failed. Collective. */
    void (*destroy)(struct workload *workload);
};

struct workload_kind {
    /* Options that fill struct workload_settings. The first row names the kind: its text describes
     * the workload. The others have an effect on this kind only. */
    const struct option_row *rows;
    size_t n_rows;
    bool is_drawn; /* from a distribution: --tasks says how many */
    size_t size;   /* of its struct */
    /* Fills the workload by its settings. Collective over comm. Errors: STATUS_USAGE, STATUS_LIMIT,
     * STATUS_NO_MEMORY, and STATUS_IO or STATUS_INPUT from its files; the same on every process. */
    enum status (*create)(struct workload *workload, MPI_Comm comm);
};

extern const struct workload_kind workload_profile, workload_gauss, workload_exponential,
    workload_lognormal, workload_uts, workload_jacobi, workload_bnsl;

/* Settings before parsing: nothing given. */
extern const struct workload_settings workload_settings_unknown;

/* The tables of all kinds' options and of those that several kinds share. */
enum { WORKLOAD_N_KINDS = 7, WORKLOAD_N_TABLES };
void workload_option_tables(struct workload_settings *settings,
                            struct option_table tables[WORKLOAD_N_TABLES]);

/* Checks that exactly one workload is named, and no option without effect on it given. Errors:
 * STATUS_USAGE. */
enum status workload_check(const struct workload_settings *settings);

/* The name of the workload that checked settings name, without creating it. */
void workload_name(const struct workload_settings *settings, char name[WORKLOAD_NAME_SIZE]);

/* Creates the workload that checked settings name; NULL after a failure. Collective over comm.
 * Errors: as `create` of struct workload_kind. */
enum status workload_create(const struct workload_settings *settings, MPI_Comm comm,
                            struct workload **workload);

/* Collective; NULL is fine. */
void workload_destroy(struct workload *workload);
