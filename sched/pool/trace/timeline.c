/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/trace/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 2^-20 s, the first width of a bin: doubled, it is the same on every process. */
#define FIRST_BIN_S 0x1p-20

/* The least resolution of a lane: that of spans which all end at 0 would be none, and never grow. */
#define LEAST_RESOLUTION_S 0x1p-40

struct timeline *timeline_create(const struct trace_shape *shape)
{
    int64_t n_lanes = shape->n_lanes < TIMELINE_LANES ? shape->n_lanes : TIMELINE_LANES;
    int64_t n_most = shape->n < n_lanes ? shape->n : n_lanes;
    struct timeline *made = calloc(1, sizeof *made + (size_t)n_most * sizeof made->lanes[0]);
    if (!made)
        return NULL;
    made->n_workers = shape->n_lanes;
    for (int64_t i = 0; i < n_lanes; i++) {
        int64_t lane = i * shape->n_lanes / n_lanes;
        if (lane >= shape->first && lane < shape->first + shape->n)
            made->lane_workers[made->n_lanes++] = (int32_t)lane;
    }
    made->run.bin_s = FIRST_BIN_S;
    timeline_begin(made, 0);
    return made;
}

void timeline_begin(struct timeline *timeline, double past_s)
{
    timeline->start_s += past_s;
    timeline->last = (struct timeline_bins){.bin_s = FIRST_BIN_S};
    timeline->n_sample = 0;
    timeline->keep_below = UINT64_MAX;
    memset(timeline->durations, 0, sizeof timeline->durations);
    for (int32_t i = 0; i < timeline->n_lanes; i++) {
        timeline->lanes[i] =
            (struct timeline_lane){.worker = timeline->lane_workers[i], .steal_step = 1};
    }
}

/* --- bins --- */

static void double_bins(struct timeline_bins *bins)
{
    for (int64_t i = 0; i < TIMELINE_BINS; i++)
        for (int use = 0; use < TIMELINE_USES; use++)
            bins->use_s[i][use] =
                2 * i < TIMELINE_BINS ? bins->use_s[2 * i][use] + bins->use_s[2 * i + 1][use] : 0;
    bins->bin_s *= 2;
}

void timeline_widen_bins(struct timeline_bins *bins, double bin_s)
{
    while (bins->bin_s < bin_s)
        double_bins(bins);
}

static void fill_bins(struct timeline_bins *bins, enum trace_use use, double from_s, double to_s)
{
    while (to_s > TIMELINE_BINS * bins->bin_s)
        double_bins(bins);
    double bin_s = bins->bin_s;
    for (int i = (int)(from_s / bin_s); i < TIMELINE_BINS && i * bin_s < to_s; i++)
        bins->use_s[i][use] += fmin(to_s, (i + 1) * bin_s) - fmax(from_s, i * bin_s);
}

static void fill_all_bins(struct timeline *timeline, enum trace_use use, double from_s, double to_s)
{
    fill_bins(&timeline->last, use, from_s, to_s);
    fill_bins(&timeline->run, use, timeline->start_s + from_s, timeline->start_s + to_s);
}

/* --- lanes --- */

/* NULL: the lane is not in the sample. */
static struct timeline_lane *find_lane(struct timeline *timeline, int64_t worker)
{
    for (int32_t i = 0; i < timeline->n_lanes; i++)
        if (timeline->lane_workers[i] == worker)
            return &timeline->lanes[i];
    return NULL;
}

static double length_of_span(const struct timeline_span *span)
{
    return span->to_s - span->from_s;
}

static void merge_spans(struct timeline_span *last, const struct timeline_span *next)
{
    last->to_s = next->to_s;
    last->n_tasks += next->n_tasks;
    for (int use = 0; use < TIMELINE_USES; use++)
        last->use_s[use] += next->use_s[use];
    for (int use = 0; use < TIMELINE_USES; use++)
        last->use = last->use_s[use] > last->use_s[last->use] ? use : last->use;
}

/* Whether the next span is merged into the last one. A span too short to be shown is merged with
 * its successor, not with a long one of another use, in which many short ones would disappear. */
static bool belong_together(const struct timeline_span *last, const struct timeline_span *next,
                            double resolution_s)
{
    if (next->from_s - last->to_s > resolution_s)
        return false;
    return length_of_span(last) <= resolution_s ||
           (length_of_span(next) <= resolution_s && next->use == last->use);
}

/* Whether two spans, both of several tasks or of none, can become one without loss. */
static bool are_alike(const struct timeline_span *one, const struct timeline_span *next,
                      double resolution_s)
{
    return one->use == next->use && one->n_tasks != 1 && next->n_tasks != 1 &&
           next->from_s - one->to_s <= resolution_s;
}

static void append_to_lane(struct timeline_lane *lane, const struct timeline_span *span)
{
    struct timeline_span *end = lane->spans + lane->n_spans;
    if (lane->resolution_s > 0 && lane->n_spans > 0 &&
        belong_together(end - 1, span, lane->resolution_s)) {
        merge_spans(end - 1, span);
        return;
    }
    if (lane->resolution_s > 0 && lane->n_spans > 1 &&
        are_alike(end - 2, end - 1, lane->resolution_s)) {
        merge_spans(end - 2, end - 1);
        lane->n_spans--;
    }
    lane->spans[lane->n_spans++] = *span;
}

/* Leaves at most half of the spans. */
static void thin_out_spans(struct timeline_lane *lane)
{
    while (lane->n_spans > TIMELINE_SPANS / 2) {
        int32_t n = lane->n_spans;
        lane->resolution_s =
            lane->resolution_s > 0
                ? 2 * lane->resolution_s
                : fmax(lane->spans[n - 1].to_s / (8 * TIMELINE_SPANS), LEAST_RESOLUTION_S);
        lane->n_spans = 0;
        for (int32_t i = 0; i < n; i++)
            append_to_lane(lane, &lane->spans[i]);
    }
}

static void add_span(struct timeline_lane *lane, const struct timeline_span *span)
{
    struct timeline_span *last = lane->n_spans > 0 ? &lane->spans[lane->n_spans - 1] : NULL;
    if (last && span->n_tasks == 0 && span->use == last->use && span->from_s <= last->to_s) {
        merge_spans(last, span);
        return;
    }
    if (lane->n_spans == TIMELINE_SPANS)
        thin_out_spans(lane);
    append_to_lane(lane, span);
}

void timeline_add(struct timeline *timeline, int64_t lane, const struct trace_span *span,
                  double polled_s)
{
    double from_s = span->begin_s - timeline->zero_s, to_s = span->end_s - timeline->zero_s;
    if (!(to_s > from_s) && span->n == 0)
        return;
    from_s = fmin(fmax(from_s, 0), to_s);
    fill_all_bins(timeline, (enum trace_use)span->use, from_s, to_s - polled_s);
    if (polled_s > 0)
        fill_all_bins(timeline, TRACE_COMMUNICATION, to_s - polled_s, to_s);
    struct timeline_lane *shown = span->use == TRACE_IDLE ? NULL : find_lane(timeline, lane);
    struct timeline_span added = {
        .from_s = from_s, .to_s = to_s, .n_tasks = span->n, .use = span->use};
    added.use_s[span->use] = to_s - from_s;
    if (shown)
        add_span(shown, &added);
}

void timeline_add_steals(struct timeline *timeline, int64_t lane, double time_s, int64_t n)
{
    struct timeline_lane *shown = find_lane(timeline, lane);
    for (int64_t i = 0; shown && i < n; i++, shown->n_steals++) {
        if (shown->n_steals == TIMELINE_STEALS * shown->steal_step) {
            for (int64_t k = 0; k < TIMELINE_STEALS / 2; k++)
                shown->steals_s[k] = shown->steals_s[2 * k];
            shown->steal_step *= 2;
        }
        if (shown->n_steals % shown->steal_step == 0)
            shown->steals_s[shown->n_steals / shown->steal_step] = time_s - timeline->zero_s;
    }
}

/* --- tasks --- */

/* The last step of splitmix64 (Steele, Lea and Flood 2014). */
static uint64_t scramble(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

bool timeline_keeps(int64_t task, uint64_t keep_below)
{
    return scramble((uint64_t)task) < keep_below;
}

static void halve_sample(struct timeline *timeline)
{
    int64_t n = 0;
    timeline->keep_below /= 2;
    for (int64_t i = 0; i < timeline->n_sample; i++)
        if (timeline_keeps(timeline->sample[i].task, timeline->keep_below))
            timeline->sample[n++] = timeline->sample[i];
    timeline->n_sample = n;
}

static void add_to_sample(struct timeline *timeline, int64_t task, double time_s)
{
    if (!timeline_keeps(task, timeline->keep_below))
        return;
    while (timeline->n_sample == TIMELINE_SAMPLE)
        halve_sample(timeline);
    if (timeline_keeps(task, timeline->keep_below))
        timeline->sample[timeline->n_sample++] = (struct timeline_task){task, time_s};
}

static int bin_of_duration(double time_s)
{
    int exponent;
    double mantissa = frexp(fmax(time_s, 0), &exponent); /* in [1/2, 1) */
    int octave = exponent - 1 - TIMELINE_FIRST_OCTAVE;
    if (mantissa == 0 || octave < 0)
        return 0;
    int bin = octave * TIMELINE_PER_OCTAVE + (int)((2 * mantissa - 1) * TIMELINE_PER_OCTAVE);
    return bin < TIMELINE_DURATIONS ? bin : TIMELINE_DURATIONS - 1;
}

double timeline_duration(int bin)
{
    int octave = bin / TIMELINE_PER_OCTAVE, k = bin % TIMELINE_PER_OCTAVE;
    return ldexp(1 + (double)k / TIMELINE_PER_OCTAVE, octave + TIMELINE_FIRST_OCTAVE);
}

void timeline_count_task(struct timeline *timeline, int64_t task, double time_s)
{
    timeline->durations[bin_of_duration(time_s)]++;
    if (task >= 0)
        add_to_sample(timeline, task, time_s);
}
