/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/trace/timeline.h"

#include "support/base/die.h"
#include "support/base/random.h"

#include <math.h>
#include <stdlib.h>

/* 2^-20 s, the first width of a bin: doubled, it is the same on every process. */
#define FIRST_BIN_S 0x1p-20

/* Lower bound on a lane's resolution. If all spans end at 0, doubling would keep it at 0. */
#define LEAST_RESOLUTION_S 0x1p-40

struct timeline *timeline_create(const struct trace_shape *shape)
{
    int64_t step = trace_step(shape->n_lanes, TIMELINE_LANES);
    int64_t first = trace_step(shape->first, step) * step, end = shape->first + shape->n;
    int64_t n_lanes = first < end ? trace_step(end - first, step) : 0;
    struct timeline *made = calloc(1, sizeof *made + (size_t)n_lanes * sizeof made->lanes[0]);
    if (!made)
        die_no_memory("no memory for the course of an iteration");
    made->n_workers = shape->n_lanes;
    made->first_lane = first;
    made->lane_step = step;
    made->n_lanes = n_lanes;
    made->sums.run.bin_s = FIRST_BIN_S;
    timeline_begin(made, 0);
    return made;
}

void timeline_begin(struct timeline *timeline, double zero_s)
{
    timeline->zero_s = zero_s;
    timeline->start_s += timeline->makespan_s;
    timeline->makespan_s = 0;
    timeline->sums = (struct timeline_sums){.run = timeline->sums.run, .last.bin_s = FIRST_BIN_S};
    timeline->n_sample = 0;
    timeline->keep_below = UINT64_MAX;
    for (int64_t i = 0; i < timeline->n_lanes; i++)
        timeline->lanes[i] = (struct timeline_lane){
            .worker = timeline->first_lane + i * timeline->lane_step, .steal_step = 1};
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

static void fill_bins(struct timeline_bins *bins, int use, double from_s, double to_s)
{
    while (to_s > TIMELINE_BINS * bins->bin_s)
        double_bins(bins);
    double bin_s = bins->bin_s;
    for (int i = (int)(from_s / bin_s); i < TIMELINE_BINS && i * bin_s < to_s; i++)
        bins->use_s[i][use] += fmin(to_s, (i + 1) * bin_s) - fmax(from_s, i * bin_s);
}

/* --- lanes --- */

/* NULL: the lane is not in the sample. */
static struct timeline_lane *find_lane(struct timeline *timeline, int64_t lane)
{
    int64_t offset = lane - timeline->first_lane;
    return offset % timeline->lane_step == 0 ? &timeline->lanes[offset / timeline->lane_step]
                                             : NULL;
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

/* Whether two spans of several tasks, or of none, can become one without loss. */
static bool are_alike(const struct timeline_span *last, const struct timeline_span *next,
                      double resolution_s)
{
    return next->use == last->use && next->n_tasks != 1 && last->n_tasks != 1 &&
           next->from_s - last->to_s <= resolution_s;
}

/* A span too short to be shown is merged with its successor, not with a long one before it, in
 * which many short ones would disappear. */
static void append_to_lane(struct timeline_lane *lane, const struct timeline_span *span)
{
    struct timeline_span *end = lane->spans + lane->n_spans;
    double resolution_s = lane->resolution_s;
    if (lane->n_spans > 0 &&
        (are_alike(end - 1, span, resolution_s) || span->from_s - end[-1].from_s <= resolution_s)) {
        merge_spans(end - 1, span);
        return;
    }
    if (lane->n_spans > 1 && are_alike(end - 2, end - 1, resolution_s)) {
        merge_spans(end - 2, end - 1);
        lane->n_spans--;
    }
    lane->spans[lane->n_spans++] = *span;
}

/* Leaves at most half of the spans. */
static void thin_out_spans(struct timeline_lane *lane)
{
    while (lane->n_spans > TIMELINE_SPANS / 2) {
        int64_t n = lane->n_spans;
        double first_s = lane->spans[n - 1].to_s / (8 * TIMELINE_SPANS);
        lane->resolution_s = fmax(fmax(2 * lane->resolution_s, first_s), LEAST_RESOLUTION_S);
        lane->n_spans = 0;
        for (int64_t i = 0; i < n; i++)
            append_to_lane(lane, &lane->spans[i]);
    }
}

static void add_to_lane(struct timeline_lane *lane, const struct trace_span *span, double from_s,
                        double to_s)
{
    struct timeline_span added = {
        .from_s = from_s, .to_s = to_s, .n_tasks = span->n, .use = span->use};
    added.use_s[span->use] = to_s - from_s;
    if (lane->n_spans == TIMELINE_SPANS)
        thin_out_spans(lane);
    append_to_lane(lane, &added);
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

int64_t timeline_filter_sample(struct timeline_task *tasks, int64_t n, uint64_t keep_below)
{
    int64_t n_kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (random_mix((uint64_t)tasks[i].task + 1) < keep_below)
            tasks[n_kept++] = tasks[i];
    return n_kept;
}

static void add_to_sample(struct timeline *timeline, int64_t number, double time_s)
{
    struct timeline_task task = {number, time_s};
    while (timeline->n_sample == TIMELINE_SAMPLE)
        timeline->n_sample =
            timeline_filter_sample(timeline->sample, timeline->n_sample, timeline->keep_below /= 2);
    if (timeline_filter_sample(&task, 1, timeline->keep_below) == 1)
        timeline->sample[timeline->n_sample++] = task;
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

void timeline_add(struct timeline *timeline, int64_t lane, const struct trace_span *span)
{
    double time_s = span->end_s - span->begin_s, to_s = span->end_s - timeline->zero_s;
    double from_s = fmin(fmax(span->begin_s - timeline->zero_s, 0), to_s),
           start_s = timeline->start_s;
    if (span->use >= TIMELINE_USES || (!(time_s > 0) && span->n == 0))
        return;
    fill_bins(&timeline->sums.last, span->use, from_s, to_s);
    fill_bins(&timeline->sums.run, span->use, start_s + from_s, start_s + to_s);
    struct timeline_lane *shown = span->use == TRACE_IDLE ? NULL : find_lane(timeline, lane);
    if (shown)
        add_to_lane(shown, span, from_s, to_s);
    if (span->use != TRACE_TASK || span->number == TRACE_UNTIMED)
        return;
    timeline->sums.durations[bin_of_duration(time_s)]++;
    if (span->number >= 0)
        add_to_sample(timeline, span->number, time_s);
}
