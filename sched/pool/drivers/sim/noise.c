/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/sim/noise.h"

#include "support/base/array.h"
#include "support/io/line_reader.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static enum status allocate_noise(struct taskpool_noise *noise, int64_t n)
{
    *noise = (struct taskpool_noise){.n = n};
    noise->start_s = malloc((size_t)n * sizeof(double));
    noise->free_s = malloc((size_t)(n + 1) * sizeof(double));
    if (noise->start_s && noise->free_s)
        return STATUS_OK;
    taskpool_noise_fini(noise);
    return FAIL(STATUS_NO_MEMORY, "no memory for %lld interruptions", (long long)n);
}

int taskpool_noise_init_periodic(struct taskpool_noise *noise, double period_s, double length_s)
{
    if (!(period_s >= NOISE_MIN_PERIOD_S && isfinite(period_s) && length_s >= 0 &&
          period_s - length_s >= NOISE_MIN_FREE * period_s))
        return FAIL(STATUS_USAGE,
                    "noise of %g s in each period of %g s: the period must be %g s or more, and "
                    "longer than the noise",
                    length_s, period_s, NOISE_MIN_PERIOD_S);
    TRY(allocate_noise(noise, 1));
    noise->period_s = period_s;
    noise->start_s[0] = 0;
    noise->free_s[0] = 0;
    noise->free_s[1] = period_s - length_s;
    return STATUS_OK;
}

void taskpool_noise_fini(struct taskpool_noise *noise)
{
    free(noise->start_s);
    free(noise->free_s);
    *noise = (struct taskpool_noise){0};
}

/* --- traces --- */

struct interruption {
    double start_s, length_s;
};

struct interruption_list {
    struct interruption *list; /* n */
    int64_t n, capacity;
};

/* Parses `start,seconds`; false if anything else is there. */
static bool parse_interruption(struct word row, struct interruption *interruption)
{
    struct word fields[2];
    return split_fields(row, 2, fields) && word_to_real(fields[0], &interruption->start_s) &&
           word_to_real(fields[1], &interruption->length_s);
}

static enum status parse_trace(struct line_reader *reader, struct interruption_list *trace)
{
    struct interruption new;
    double end_s = 0;
    TRY(line_reader_take_head(reader, "a trace of noise", "start,seconds"));
    while (line_reader_next_filled(reader)) {
        if (!parse_interruption(reader->all, &new) || !(new.start_s >= end_s) ||
            !(new.length_s > 0) || !isfinite(new.start_s + new.length_s))
            return line_reader_fail(
                reader,
                "a row is the start of an interruption, not before the end of the last, a comma "
                "and its seconds, above 0: '%s'",
                word_show(reader->all).text);
        end_s = new.start_s + new.length_s;
        TRY(array_reserve(&trace->list, trace->n + 1, &trace->capacity, sizeof new));
        trace->list[trace->n++] = new;
    }
    if (trace->n == 0)
        return FAIL(STATUS_INPUT, "%s: a trace without a row", reader->name);
    return STATUS_OK;
}

static enum status take_interruption(struct taskpool_noise *noise,
                                     const struct interruption_list *trace)
{
    TRY(allocate_noise(noise, trace->n));
    double lost_s = 0;
    for (int64_t i = 0; i < trace->n; i++) {
        noise->start_s[i] = trace->list[i].start_s;
        noise->free_s[i] = trace->list[i].start_s - lost_s;
        lost_s += trace->list[i].length_s;
    }
    const struct interruption *last = &trace->list[trace->n - 1];
    noise->period_s = last->start_s + last->length_s;
    noise->free_s[trace->n] = noise->period_s - lost_s;
    return STATUS_OK;
}

int taskpool_noise_read(struct taskpool_noise *noise, const char *path)
{
    struct interruption_list trace = {0};
    struct line_reader reader;
    TRY(line_reader_open(&reader, path, TEXT_FILE_MAX_BYTES, ""));
    enum status status = parse_trace(&reader, &trace);
    line_reader_close(&reader);
    if (status == STATUS_OK)
        status = take_interruption(noise, &trace);
    free(trace.list);
    if (status == STATUS_OK && !(noise->free_s[noise->n] > NOISE_MIN_FREE * noise->period_s &&
                                 noise->period_s >= NOISE_MIN_PERIOD_S)) {
        taskpool_noise_fini(noise);
        status = FAIL(STATUS_INPUT, "%s: the interruptions leave no time for work", path);
    }
    return status;
}

/* --- time --- */

/* The last index i with times_s[i] <= time_s; -1 if there is none. */
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
