/* Counts, times and parts as a sentence has them. */
#ifndef BERYL_SCHED_REPORT_REPORT_PHRASES_H
#define BERYL_SCHED_REPORT_REPORT_PHRASES_H

#include <stdint.h>
#include <stdio.h>

/* Numbers up to twelve as words. */
void report_count(FILE *page, int64_t n);

/* 0.5230 s, 12.30 ms: four digits, in the unit that suits the scale in seconds. */
void report_seconds(FILE *page, double seconds, double scale);

/* 47 %, 8.2 %. */
void report_per_cent(FILE *page, double fraction);

#endif
