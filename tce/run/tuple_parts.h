/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts that tuples of tiles add to the scalars of a loop, in a distributed array until all are
 * finished. Process 0 adds them up in the order of the tuples, so that sums depend neither on the
 * mode nor on the number of processes. It may store them meanwhile: a stopped run leaves its
 * finished tuples to the next, on any number of processes. */
#pragma once

#include "support/base/sha256.h"
#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* The parts of all tuples on process 0; NaN for unfinished tuples. */
struct tuple_table {
    int64_t n_tuples;
    int n_scalars;
    double *parts; /* n_tuples x n_scalars */
};

/* Whether the tuple has all its parts. */
bool tuple_table_is_finished(const struct tuple_table *table, int64_t tuple);

/* Where parts outlive a run. Its functions are called on process 0 alone. All borrowed. */
struct tuple_store {
    /* Sets the parts of tuples that an earlier run finished whose loop read data of the same digest. NULL:
     * there was none. */
    void (*read)(const struct tuple_table *table, const char inputs[SHA256_HEX_SIZE],
                 void *context);
    /* Keeps what is finished, or warns. */
    void (*write)(const struct tuple_table *table, const char inputs[SHA256_HEX_SIZE],
                  void *context);
    void *context;
};

struct tuple_parts;

/* Collective. Errors: STATUS_NO_MEMORY; the same on every process. */
enum status tuple_parts_create(MPI_Comm comm, int64_t n_tuples, int n_scalars,
                               struct tuple_parts **parts);
void tuple_parts_destroy(struct tuple_parts *parts);

/* Begins a run, with the tuples that the store has as finished. Collective.
 * store, inputs  borrowed to the end of the run; NULL: nothing is stored
 * n_left         out: tuples that are to be computed
 * Errors: STATUS_NO_MEMORY; the same on every process. */
enum status tuple_parts_begin(struct tuple_parts *parts, const struct tuple_store *store,
                              const char inputs[SHA256_HEX_SIZE], int64_t *n_left);

/* The tuple in place `number` of those that are left. */
int64_t tuple_parts_tuple(const struct tuple_parts *parts, int64_t number);

/* A tuple is finished. Not collective. */
void tuple_parts_add(struct tuple_parts *parts, int64_t tuple, const double values[]);

/* To be called also by a process that has no tuple for some time: process 0 stores what is finished from time to
 * time. Not collective, does not wait. */
void tuple_parts_poll(struct tuple_parts *parts);

/* No process computes more tuples: process 0 reads and stores what is finished. Collective. */
void tuple_parts_end(struct tuple_parts *parts);

/* The sum of a scalar's parts, on process 0. */
double tuple_parts_sum(const struct tuple_parts *parts, int scalar);
