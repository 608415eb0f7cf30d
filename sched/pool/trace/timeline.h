/* SPDX-License-Identifier: BSD-3-Clause */
/* The course of a run, in memory that does not grow with the run: utilisation in bins; for the last
 * iteration a sample of the lanes, the distribution of durations and a sample of tasks. One for
 * each pool and process, filled by its recorder with the same spans as the logs (trace_log.h, which
 * says what a lane is). Those drop what does not fit; here all time of all lanes counts, and
 * neighbouring spans are merged. */
#pragma once

#include "sched/pool/trace/trace_log.h"
#include "taskpool/taskpool.h"

#include <jansson.h>
#include <mpi.h>
#include <stdint.h>

enum {
    TIMELINE_USES = TRACE_BALANCE, /* those within an iteration, which come first */
    TIMELINE_BINS = 256,
    TIMELINE_LANES = 16,
    TIMELINE_SPANS = 128, /* of a lane */
    TIMELINE_STEALS = 64, /* of a lane */
    TIMELINE_SAMPLE = 512,
    /* Durations in [2^o (1 + k/8), 2^o (1 + (k+1)/8)) s: bin 8 (o - TIMELINE_FIRST_OCTAVE) + k. */
    TIMELINE_PER_OCTAVE = 8,
    TIMELINE_FIRST_OCTAVE = -30,
    TIMELINE_OCTAVES = 44,
    TIMELINE_DURATIONS = TIMELINE_PER_OCTAVE * TIMELINE_OCTAVES,
};

/* Time in one use, and the tasks that ended in it. Times are from the start of the iteration. */
struct timeline_span {
    double from_s, to_s;
    double use_s[TIMELINE_USES]; /* its seconds by use: one, or several after a merge */
    int64_t n_tasks;
    int64_t use; /* enum trace_use: the one with the most seconds */
};

/* The spans of one worker. When they are too many, the resolution grows, and a span shorter than
 * that is merged with the next. */
struct timeline_lane {
    int64_t worker;
    int64_t n_spans;
    int64_t n_steals; /* in all; steals has every k-th, k = steal_step */
    int64_t steal_step;
    double resolution_s;
    struct timeline_span spans[TIMELINE_SPANS];
    double steals_s[TIMELINE_STEALS];
};

struct timeline_task {
    int64_t task; /* first: the order of array_ascending */
    double time_s;
};

/* How workers spend a time: sums over this process's. */
struct timeline_bins {
    double bin_s; /* a power of two */
    double use_s[TIMELINE_BINS][TIMELINE_USES];
};

/* Sums, to be added over processes. */
struct timeline_sums {
    struct timeline_bins run, last;        /* of all iterations, and of the last one */
    int64_t durations[TIMELINE_DURATIONS]; /* tasks that were timed one by one */
};

struct timeline {
    int64_t n_workers; /* of all processes */
    double start_s;    /* of the last iteration: the makespans before it */
    double makespan_s; /* its own, once it has ended */
    double zero_s;     /* its start by the driver's clock, which times of spans are by */
    struct timeline_sums sums;
    uint64_t keep_below; /* the sample has the tasks whose number hashes to less */
    int64_t n_sample;
    struct timeline_task sample[TIMELINE_SAMPLE];
    int64_t first_lane, lane_step; /* lanes has every k-th of all processes' from this one on */
    int64_t n_lanes;               /* of this process's workers */
    struct timeline_lane lanes[];
};

/* To be freed with free. Ends the program when out of memory. */
struct timeline *timeline_create(const struct trace_shape *shape);

/* Begins an iteration and keeps of the last one only the bins of the run.
 * zero_s  its start by the driver's clock */
void timeline_begin(struct timeline *timeline, double zero_s);

/* Adds a span of a lane of this process, at whose end span->n tasks ended; with none, the time
 * extends a span of the same use. Idle time may be left out: it is the rest.
 * lane  global number */
void timeline_add(struct timeline *timeline, int64_t lane, const struct trace_span *span);

/* Counts n stolen batches that arrived at a lane. */
void timeline_add_steals(struct timeline *timeline, int64_t lane, double time_s, int64_t n);

/* Doubles the width of the bins until it is bin_s, itself such a width. */
void timeline_widen_bins(struct timeline_bins *bins, double bin_s);

/* Keeps of n tasks those that a sample with this keep_below has; returns how many. */
int64_t timeline_filter_sample(struct timeline_task *tasks, int64_t n, uint64_t keep_below);

/* Begin of a bin of durations, seconds. */
double timeline_duration(int bin);

/* --- timeline_report.c --- */

struct timeline_problem {
    const struct taskpool_problem *problem;      /* for predicted costs */
    const struct taskpool_iteration *statistics; /* of the last iteration */
    const struct taskpool_iteration *all;        /* up to that; NULL: not kept */
    /* Task seconds of the n_workers of this process in the first iteration that is known, and in
     * this one; as many on every process. */
    const double *first_loads_s, *loads_s;
    int n_workers;
};

/* The key `timeline` of a result (RESULTS.md), on process 0; NULL elsewhere. Collective. Widens
 * the bins to the widest of any process.
 * Errors: STATUS_NO_MEMORY, STATUS_LIMIT; the same on every process. */
enum status timeline_to_json(MPI_Comm comm, struct timeline *timeline,
                             const struct timeline_problem *problem, json_t **json);
