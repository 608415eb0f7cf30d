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
    bool store_is_chosen;                 /* whether there is to be one */
    const struct tile_symmetry *symmetry; /* of the molecule, or NULL */
    struct fock_parts *parts;             /* of densities under it; NULL without one */
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

/* Prepares the pool for its next run, seeded from the last one. Collective. Errors: those of
 * taskpool_restore; STATUS_NO_MEMORY. */
enum status fock_pool_prepare(struct fock *fock);
