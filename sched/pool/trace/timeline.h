/* SPDX-License-Identifier: BSD-3-Clause */
/* The course of a run in bounded memory, whatever its length: utilisation in bins; and for the last
 * iteration a sample of the lanes, the distribution of durations and a sample of tasks. One for
 * each pool and process, filled by its recorder with the spans that the logs get as well
 * (trace_log.h, which says what a lane is). Those can be complete because they are limited to
 * chosen lanes and drop what does not fit; here all time of all lanes counts, and neighbouring
 * spans are merged. timeline_report.h combines the timelines of all processes. Not collective. */
#pragma once

#include "sched/pool/trace/trace_log.h"

#include <stdbool.h>
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

/* The spans of one worker. When they are too many, those shorter than the resolution are merged
 * with what follows them, until together they are that long, and the resolution grows. */
struct timeline_lane {
    int32_t worker;
    int32_t n_spans;
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

struct timeline {
    int64_t n_workers; /* of all processes */
    double start_s;    /* of the last iteration: the makespans before it */
    double zero_s;     /* the same moment by the driver's clock, which times of spans are by */
    struct timeline_bins run, last;        /* of all iterations, and of the last one */
    int64_t durations[TIMELINE_DURATIONS]; /* tasks that were timed one by one */
    uint64_t keep_below; /* the sample has the tasks whose number scrambles to less */
    int64_t n_sample;
    struct timeline_task sample[TIMELINE_SAMPLE];
    int32_t n_lanes;                      /* of this process's workers */
    int32_t lane_workers[TIMELINE_LANES]; /* those of the lanes, in one line of a cache */
    struct timeline_lane lanes[];
};

/* To be freed with free; NULL when out of memory. */
struct timeline *timeline_create(const struct trace_shape *shape);

/* Begins an iteration and keeps of the last one only the bins of the run.
 * past_s  the last one's makespan */
void timeline_begin(struct timeline *timeline, double past_s);

/* Adds a span of a lane of this process, at whose end span->n tasks ended; with none, the time
 * extends a span of the same use. Idle time may be left out: it is the rest.
 * lane      among those of all processes
 * polled_s  of tasks, in polls for messages from inside them: communication in the bins, at the end
 *           of the span, and task in the lanes */
void timeline_add(struct timeline *timeline, int64_t lane, const struct trace_span *span,
                  double polled_s);

/* Counts a task that was timed by itself, in addition to timeline_add.
 * task    its number; -1: it has none
 * time_s  without polls from inside it */
void timeline_count_task(struct timeline *timeline, int64_t task, double time_s);

/* Counts n stolen batches that arrived at a lane. */
void timeline_add_steals(struct timeline *timeline, int64_t lane, double time_s, int64_t n);

/* Doubles the width of the bins until it is bin_s, itself such a width. */
void timeline_widen_bins(struct timeline_bins *bins, double bin_s);

/* Whether the sample has a task, with this keep_below. */
bool timeline_keeps(int64_t task, uint64_t keep_below);

/* Begin of a bin of durations, seconds. */
double timeline_duration(int bin);
