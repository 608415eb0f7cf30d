/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/sim/noise.h"

#include "support/base/array.h"
#include "support/io/text_file.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

int taskpool_noise_init_periodic(struct taskpool_noise *noise, double period_s, double length_s)
{
    if (!noise)
        return FAIL(STATUS_USAGE, "taskpool_noise_init_periodic: the noise is NULL");
    if (!(period_s >= NOISE_MIN_PERIOD_S && isfinite(period_s) && length_s >= 0 &&
          period_s - length_s >= NOISE_MIN_FREE * period_s))
        return FAIL(STATUS_USAGE,
                    "noise of %g s in each period of %g s: the period must be %g s or more, and "
                    "longer than the noise",
                    length_s, period_s, NOISE_MIN_PERIOD_S);
    *noise = (struct taskpool_noise){.n = 1, .period_s = period_s};
    noise->start_s = calloc(1, sizeof *noise->start_s);
    noise->free_s = calloc(2, sizeof *noise->free_s);
    if (!noise->start_s || !noise->free_s) {
        taskpool_noise_fini(noise);
        return FAIL(STATUS_NO_MEMORY, "no memory for the noise");
    }
    noise->free_s[1] = period_s - length_s;
    return STATUS_OK;
}

void taskpool_noise_fini(struct taskpool_noise *noise)
{
    if (!noise)
        return;
    free(noise->start_s);
    free(noise->free_s);
    *noise = (struct taskpool_noise){0};
}

/* --- traces --- */

/* Parses `start,seconds`; false if anything else is there. */
static bool parse_interruption(struct word row, double *start_s, double *length_s)
{
    struct word fields[2];
    return split_fields(row, 2, fields) && word_to_real(fields[0], start_s) &&
           word_to_real(fields[1], length_s);
}

static enum status parse_trace(struct line_reader *reader, struct taskpool_noise *noise)
{
    double start_s, length_s, end_s = 0, lost_s = 0;
    int64_t start_capacity = 0, free_capacity = 0;
    TRY(line_reader_take_head(reader, "a trace of noise", "start,seconds"));
    while (line_reader_next_filled(reader)) {
        if (!parse_interruption(reader->all, &start_s, &length_s) || !(start_s >= end_s) ||
            !(length_s > 0) || !isfinite(start_s + length_s))
            return line_reader_fail(
                reader,
                "a row is the start of an interruption, not before the end of the last, a comma "
                "and its seconds, above 0: '%s'",
                word_show(reader->all).text);
        int64_t i = noise->n++;
        TRY(array_reserve(&noise->start_s, i + 1, &start_capacity, sizeof *noise->start_s));
        TRY(array_reserve(&noise->free_s, i + 2, &free_capacity, sizeof *noise->free_s));
        noise->start_s[i] = start_s;
        noise->free_s[i] = start_s - lost_s;
        lost_s += length_s;
        end_s = start_s + length_s;
        noise->free_s[i + 1] = fmax(noise->free_s[i], end_s - lost_s); /* but for rounding equal */
    }
    noise->period_s = end_s;
    if (noise->n == 0)
        return FAIL(STATUS_INPUT, "%s: a trace without a row", reader->name);
    if (!(noise->free_s[noise->n] > NOISE_MIN_FREE * end_s && end_s >= NOISE_MIN_PERIOD_S))
        return FAIL(STATUS_INPUT, "%s: the interruptions leave no time for work", reader->name);
    return STATUS_OK;
}

int taskpool_noise_read(struct taskpool_noise *noise, const char *path)
{
    struct line_reader reader;
    if (!noise || !path)
        return FAIL(STATUS_USAGE, "taskpool_noise_read: the %s is NULL", noise ? "path" : "noise");
    *noise = (struct taskpool_noise){0};
    TRY(line_reader_open(&reader, path, TEXT_FILE_MAX_BYTES, ""));
    enum status status = parse_trace(&reader, noise);
    line_reader_close(&reader);
    if (status != STATUS_OK)
        taskpool_noise_fini(noise);
    return status;
}

/* --- time --- */

/* The last index i with times_s[i] <= time_s, or -1. */
static int64_t find(const double *times_s, int64_t n, double time_s)
{
    int64_t low = -1, high = n;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (times_s[middle] <= time_s)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The time that interruption i leaves before the next, or the end of the period. */
static double free_after(const struct taskpool_noise *noise, int64_t i)
{
    return noise->free_s[i + 1] - noise->free_s[i];
}

/* Free time of the period up to a time in it. */
static double free_until(const struct taskpool_noise *noise, double time_s)
{
    int64_t i = find(noise->start_s, noise->n, time_s);
    if (i < 0)
        return time_s;
    double next_s = i + 1 < noise->n ? noise->start_s[i + 1] : noise->period_s;
    double after_s = next_s - time_s; /* until the next interruption */
    double left_s = free_after(noise, i);
    return noise->free_s[i] + (after_s < left_s ? left_s - after_s : 0);
}

/* The time in the period, in (0, period], at which its free time so far is free_s > 0. */
static double time_of_free(const struct taskpool_noise *noise, double free_s)
{
    /* Work that ends as an interruption begins is not delayed by it. */
    int64_t i = find(noise->free_s, noise->n, free_s);
    while (i >= 0 && noise->free_s[i] >= free_s)
        i--;
    if (i < 0)
        return free_s;
    double next_s = i + 1 < noise->n ? noise->start_s[i + 1] : noise->period_s;
    return next_s - (noise->free_s[i + 1] - free_s);
}

double noise_end_s(const struct taskpool_noise *noise, double phase_s, double start_s,
                   double work_s)
{
    if (!(work_s > 0))
        return start_s;
    double period_s = noise->period_s, free_period_s = noise->free_s[noise->n];
    double periods = floor((start_s - phase_s) / period_s);
    double begin_s = phase_s + periods * period_s;
    double work_from_begin_s = free_until(noise, start_s - begin_s) + work_s;
    double whole = ceil(work_from_begin_s / free_period_s) - 1;
    double rest_s = work_from_begin_s - whole * free_period_s;
    /* Rounding must not let work end before it begins. */
    return fmax(start_s, begin_s + whole * period_s + time_of_free(noise, rest_s));
}
