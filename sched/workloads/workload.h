/* What beryl-sched schedules: tasks that need no chemistry, run for real or
 * simulated. */
#ifndef BERYL_SCHED_WORKLOADS_WORKLOAD_H
#define BERYL_SCHED_WORKLOADS_WORKLOAD_H

#include "sched/taskpool.h"
#include "support/base/status.h"

#include <jansson.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* As given on the command line; of the first seven one is, the others are NULL. */
struct workload_settings {
    const char *profile;     /* file */
    const char *gauss;       /* "MEAN,SD", seconds */
    const char *exponential; /* "MEAN" */
    const char *lognormal;   /* "MEAN,SD", of the durations themselves */
    const char *uts;         /* name or options of a tree */
    const char *jacobi;      /* "NX,NY,NZ", points */
    const char *bnsl;        /* file of samples */
    int64_t n_tasks;         /* of a distribution, or of a profile that lacks the null ones */
    double null_s;           /* of a null task; -1: not given */
    int64_t n_sweeps;        /* iterations of jacobi; 0: another workload */
    double time_scale;       /* durations are multiplied by it */

    /* Set by the program: workers of a simulated machine, 0 if the run is real, and of
     * one of its nodes. */
    int64_t n_simulated, node_size;

    const char *bnsl_network; /* file of the known network, or NULL */
    int64_t bnsl_candidates;  /* parents that a variable may have, at most */
    int64_t bnsl_hypercube;   /* dimension of a task's cube */
    int64_t bnsl_kicks;       /* of the search for the network */
};

struct workload;

struct workload_functions {
    /* Adds the tasks that the pool begins with; NULL: it is static. Collective. */
    enum status (*begin)(struct workload *workload, MPI_Comm comm);
    /* After each iteration, NULL if there is nothing to do. Collective.
     * Errors: STATUS_PROTOCOL if an iteration did something else than the first. */
    enum status (*end_iteration)(struct workload *workload, MPI_Comm comm);
    /* Prints, or adds to a result, what it found out; NULL for nothing. */
    void (*print)(const struct workload *workload);
    void (*add_result)(const struct workload *workload, json_t *result);
    void (*destroy)(struct workload *workload); /* collective */
};

/* First in what the workloads keep. */
struct workload {
    const struct workload_functions *functions;
    char name[256];                  /* such as "gauss 0.5,0.1" */
    struct taskpool_problem problem; /* its context is the workload */
    /* Seconds of a simulated task; entry of struct taskpool_machine, the
     * context being the workload. */
    double (*time)(int64_t task, const void *record, const void *context);
    bool (*are_null)(int64_t first, int64_t last, const void *context); /* NULL: none are */
    struct taskpool *pool; /* set by the user; borrowed */
};

/* What the settings name, by one of the functions below. Collective over comm.
 * Errors: as they say; the same on every process. */
enum status workload_create(const struct workload_settings *settings, int64_t seed, double speed,
                            MPI_Comm comm, struct workload **workload);

/* Tasks of given durations: of a profile, or drawn anew for each task from the
 * seed and its number. For real they wait, busily.
 * speed  of this process, by which durations are divided for real; > 0
 * Collective over comm. Errors: STATUS_USAGE, those of profile_read; the same on
 * every process. */
enum status workload_durations_create(const struct workload_settings *settings, int64_t seed,
                                      double speed, MPI_Comm comm, struct workload **workload);

/* The nodes of an unbalanced tree, see uts.h; counted, and the same in every
 * iteration. Simulated, a node takes WORKLOAD_UTS_NODE_S times the time scale.
 * Errors: STATUS_USAGE, STATUS_NO_MEMORY. */
enum status workload_uts_create(const struct workload_settings *settings,
                                struct workload **workload);

/* 8 million nodes per second, about what the authors' program does on a core of 2024. */
#define WORKLOAD_UTS_NODE_S 125e-9

/* Sweeps of Jacobi's relaxation, see jacobi.h, an iteration each: a task is the plane y =
 * task + 1. The two meshes lie in memory that the processes share; each touches its
 * block of the planes first, for --seeding owner. The result is the same to the last bit
 * whoever computes which plane.
 * Collective. Errors: STATUS_USAGE (also: the processes are of several nodes),
 * STATUS_LIMIT (memory), STATUS_NO_MEMORY; the same on every process. */
enum status workload_jacobi_create(const struct workload_settings *settings, MPI_Comm comm,
                                   struct workload **workload);

/* The same on a simulated machine, where nothing is computed. X is cut into a block for
 * each node, and a task is a plane of a block: of block b the plane y = task - b ny + 1.
 * The owner of a task is a worker of the block's node; the workers of a node own
 * contiguous parts. Where node_size divides both ny and the number of workers, seeding by
 * blocks gives everyone what it owns. A task takes WORKLOAD_JACOBI_POINT_S times its points
 * times the time scale. The end of an iteration, which all workers wait for, stands for
 * the exchange of borders, for which a node would wait for its neighbours only.
 * Errors: STATUS_USAGE (also: more nodes than points along x), STATUS_NO_MEMORY. */
enum status workload_jacobi_simulate(const struct workload_settings *settings,
                                     struct workload **workload);

/* A sweep over 64 x 512 x 64 points takes 2.2 ms on a core of an EPYC 9004 (2022), the meshes
 * lying in its third-level cache. */
#define WORKLOAD_JACOBI_POINT_S 1.05e-9

/* The scores of the possible parents of all variables, and then the Bayesian network that they
 * make the best of; see bnsl_score.h, bnsl_cubes.h and bnsl_search.h. Every iteration has to find
 * the same scores. Simulated tasks score nothing: their durations follow from the seconds below,
 * times the time scale.
 * seed  of the search
 * Collective over comm. Errors: those of bnsl_data_read and bnsl_network_read; the same on every
 * process. */
enum status workload_bnsl_create(const struct workload_settings *settings, int64_t seed,
                                 MPI_Comm comm, struct workload **workload);

/* About what the search takes on a core of 2024: for each set of parents, for each cell of its
 * table, and for each sample and column that a table is counted from. */
#define WORKLOAD_BNSL_SET_S    1e-7
#define WORKLOAD_BNSL_CELL_S   7e-10
#define WORKLOAD_BNSL_SAMPLE_S 1.5e-10

/* Collective; NULL is fine. */
void workload_destroy(struct workload *workload);

#endif
