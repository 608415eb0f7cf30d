/* What is measured many times over: the median and how far the rest is from it. */
#ifndef BERYL_SCHED_SAMPLES_H
#define BERYL_SCHED_SAMPLES_H

#include <stdint.h>

enum { SAMPLES_MAX = 500 };

/* Zero-initialised is empty. */
struct samples {
    int n; /* <= SAMPLES_MAX */
    double values[SAMPLES_MAX];
};

struct figure {
    int64_t n; /* samples */
    double median;
    double low, high; /* a quarter of the samples is below, a quarter above */
};

/* What is beyond SAMPLES_MAX is left out. */
void samples_add(struct samples *samples, double value);

/* Sorts the samples. Of none all is 0. */
struct figure samples_figure(struct samples *samples);

#endif
