/* SPDX-License-Identifier: BSD-3-Clause */
/* The object behind fock_build.h and its task pool: private to fock_build.c and fock_pool.c. */
#pragma once

#include "hf/digestion/density_tiles.h"
#include "hf/digestion/fock_accumulator.h"
#include "hf/fock/fock_build.h"
#include "hf/fock/fock_cost.h"
#include "hf/fock/fock_parts.h"
#include "hf/fock/fock_worker.h"
#include "hf/fock/integral_store.h"

/* Ids of the tasks that were not null, as `observed` finds them. */
struct id_list {
    int64_t *ids;
    int64_t n, capacity;
};

/* Seconds in which this process filled the store, and ran tasks. */
struct kept_times {
    double tasks_wall_s; /* of tasks that filled it, */
    double fill_wall_s;  /* and of filling it */
    double fill_s;       /* the same in processor time */
    double run_s;        /* of this build: durations without filling */
    int64_t n_filled;    /* tile quartets before this build */
};

/* Sums over processes that say what it costs to run a task elsewhere. */
struct kept_sums {
    int64_t n_filled, fill_ns; /* tile quartets of all builds, and filling them */
    int64_t n_new, run_ns;     /* of this build: filled, and durations without filling */
};

struct fock {
    const struct screening *screening;
    struct fock_settings settings;
    struct taskpool_settings pool_settings;
    double cutoff; /* of builds: quartet_is_significant */
    MPI_Comm comm;
    struct fock_tasks *tasks;
    struct fock_cost *cost;
    struct taskpool *pool;
    bool observing; /* this build finds the null tasks by running them */
    struct id_list observed;
    struct integral_store *store;         /* NULL: no integrals are kept */
    const struct tile_symmetry *symmetry; /* of the molecule, up to D2h, or NULL */
    const struct tile_symmetry *larger;   /* of a larger group, or NULL */
    struct fock_parts *parts;             /* of densities under it; NULL without one */
    struct kept_times kept_times;
    struct fock_worker *worker;
    enum status begun; /* whether it is ready for the build: the pool reports a failure to all */
    struct density_tiles *density;
    struct fock_accumulator *accumulator;
    int n_matrices; /* of the accumulator */
    struct fock_record *records;
    int64_t n_builds, record_capacity;
    struct class_costs *class_costs;     /* of this process; NULL: not measured */
    struct class_costs *class_cost_sums; /* of all processes */
};

/* Creates the pool of the object's tasks, instead of the one that there is. Collective. Errors: those of
 * taskpool_create. */
enum status fock_pool_create(struct fock *fock);

/* Takes this process's part of the sums after a build; the next one begins without. Not collective. */
struct kept_sums fock_pool_take_kept_sums(struct fock *fock);

/* Tells the pool by how many of its durations a task takes longer elsewhere, unless all processes read what
 * any of them keeps: the seconds that filled a tile quartet, times those that the next build finds, over
 * the durations of all tasks. 4 to 9 for most molecules, 160 for an atom in general contractions; next to
 * nothing where nothing is kept. Not after a build that filled most: it also computed shell pairs.
 * sums    the same on every process, as n_hits
 * n_hits  tile quartets that this build found
 * Errors: those of taskpool_set_move_cost. */
enum status fock_pool_set_move_cost(struct fock *fock, const struct kept_sums *sums,
                                    int64_t n_hits);

/* Prepares the pool for its next run, seeded from the last one. Collective. Errors: those of
 * taskpool_restore; STATUS_NO_MEMORY. */
enum status fock_pool_prepare(struct fock *fock);
