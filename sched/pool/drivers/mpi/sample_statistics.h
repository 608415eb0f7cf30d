/* SPDX-License-Identifier: BSD-3-Clause */
/* Median and quartiles of repeated measurements. */
#ifndef BERYL_SCHED_SAMPLE_STATISTICS_H
#define BERYL_SCHED_SAMPLE_STATISTICS_H

#include <stdint.h>

enum { SAMPLES_MAX = 500 };

/* Zero-initialised is empty. */
struct samples {
    int n; /* <= SAMPLES_MAX */
    double values[SAMPLES_MAX];
};

struct quartiles {
    int64_t n; /* samples */
    double median;
    double low, high; /* first and third quartile */
};

/* Adds a sample; ignored once there are SAMPLES_MAX. */
void samples_add(struct samples *samples, double value);

/* The quartiles; sorts the samples. All 0 without samples. */
struct quartiles samples_quartiles(struct samples *samples);

#endif
