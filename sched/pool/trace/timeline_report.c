/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/trace/timeline.h"

#include "support/base/array.h"
#include "support/io/json.h"
#include "support/mpi/gather.h"

#include <math.h>
#include <stdlib.h>

enum {
    MAX_DURATION_BINS = 64, /* in a result */
    MAX_LOADS = 64,
    MAX_STARTS = 64,
};

static const char use_letters[TIMELINE_USES + 1] = "tisac";

/* --- utilisation --- */

/* When each iteration began, on the axis of the bins; none where they are many. */
static json_t *starts_to_json(const struct timeline_problem *problem)
{
    json_t *starts = json_array();
    double start_s = 0;
    for (int64_t i = 0; problem->all && i <= problem->statistics->iteration; i++) {
        json_array_append_new(starts, json_real(start_s));
        start_s += problem->all[i].makespan_s;
    }
    if (json_array_size(starts) > MAX_STARTS)
        json_array_clear(starts);
    return starts;
}

/* Fractions of the workers' time up to end_s: idle is what remains. */
static json_t *bins_to_json(const struct timeline_bins *bins, int64_t n_workers, double end_s)
{
    json_t *utilisation = json_pack("{s:f, s:f}", "seconds", end_s, "bin_seconds", bins->bin_s);
    for (int use = 0; use < TIMELINE_USES; use++) {
        if (use == TRACE_IDLE)
            continue;
        json_t *fractions = json_array();
        for (int i = 0; i < TIMELINE_BINS && i * bins->bin_s < end_s; i++) {
            double bin_s = fmin(bins->bin_s, end_s - i * bins->bin_s);
            double fraction = bins->use_s[i][use] / (bin_s * (double)n_workers);
            json_array_append_new(fractions, json_real(fmin(fmax(fraction, 0), 1)));
        }
        json_object_set_new(utilisation, trace_use_name(use), fractions);
    }
    return utilisation;
}

static void add_utilisation(const struct timeline *timeline, const struct timeline_sums *all,
                            const struct timeline_problem *problem, json_t *json)
{
    double last_s = problem->statistics->makespan_s;
    json_t *run = bins_to_json(&all->run, timeline->n_workers, timeline->start_s + last_s);
    json_object_set_new(run, "starts_seconds", starts_to_json(problem));
    json_object_set_new(json, "utilisation", run);
    if (problem->statistics->iteration > 0)
        json_object_set_new(json, "last_utilisation",
                            bins_to_json(&all->last, timeline->n_workers, last_s));
}

/* --- durations --- */

/* The bins that have tasks, put together until they are few. */
static void add_durations(const struct timeline_sums *all, json_t *json)
{
    int first = TIMELINE_DURATIONS, last = -1;
    for (int i = 0; i < TIMELINE_DURATIONS; i++)
        if (all->durations[i] > 0) {
            first = i < first ? i : first;
            last = i;
        }
    if (last < 0)
        return;
    int step = 1;
    while (last / step - first / step >= MAX_DURATION_BINS)
        step *= 2;
    json_t *edges = json_array(), *tasks = json_array();
    for (int i = first / step * step; i <= last; i += step) {
        int64_t n = 0;
        for (int k = i; k < i + step && k < TIMELINE_DURATIONS; k++)
            n += all->durations[k];
        json_array_append_new(edges, json_real(timeline_duration(i)));
        json_array_append_new(tasks, json_integer(n));
    }
    json_array_append_new(edges, json_real(timeline_duration((last / step + 1) * step)));
    json_object_set_new(json, "durations",
                        json_pack("{s:o, s:o}", "edges_seconds", edges, "tasks", tasks));
}

/* --- lists of all processes: sampled tasks, lanes, loads --- */

/* *all is to be freed; NULL but on process 0. */
static enum status gather_list(MPI_Comm comm, const void *items, int64_t n, size_t size, void **all,
                               int64_t *n_all)
{
    const struct gather_part part = {
        .items = items, .n_items = n, .item_size = size, .what = "entries of a timeline"};
    return gather_to_first(comm, &part, all, n_all);
}

/* The tasks that every process would have kept, in the order of their numbers, with their predicted
 * costs. */
static void sample_to_json(struct timeline_task *tasks, int64_t n, uint64_t keep_below,
                           const struct taskpool_problem *problem, json_t *json)
{
    json_t *numbers = json_array(), *seconds = json_array();
    json_t *costs = problem->cost ? json_array() : NULL;
    n = timeline_filter_sample(tasks, n, keep_below);
    while (n > TIMELINE_SAMPLE)
        n = timeline_filter_sample(tasks, n, keep_below /= 2);
    qsort(tasks, (size_t)n, sizeof *tasks, array_ascending);
    for (int64_t i = 0; i < n; i++) {
        json_array_append_new(numbers, json_integer(tasks[i].task));
        json_array_append_new(seconds, json_real(tasks[i].time_s));
        if (costs)
            json_array_append_new(
                costs, json_real_or_null(problem->cost(tasks[i].task, problem->context)));
    }
    json_object_set_new(
        json, "sample",
        json_pack("{s:o, s:o, s:o*}", "task", numbers, "seconds", seconds, "cost", costs));
}

static enum status add_sample(MPI_Comm comm, const struct timeline *timeline,
                              const struct taskpool_problem *problem, json_t *json)
{
    void *all;
    int64_t n_all;
    uint64_t keep_below;
    MPI_Allreduce(&timeline->keep_below, &keep_below, 1, MPI_UINT64_T, MPI_MIN, comm);
    TRY(gather_list(comm, timeline->sample, timeline->n_sample, sizeof timeline->sample[0], &all,
                    &n_all));
    if (json && n_all > 0)
        sample_to_json(all, n_all, keep_below, problem, json);
    free(all);
    return STATUS_OK;
}

/* Nanoseconds, so that the numbers are short. */
static json_t *time_to_json(double time_s)
{
    return json_real(nearbyint(time_s * 1e9) / 1e9);
}

static json_t *lane_to_json(const struct timeline_lane *lane)
{
    json_t *from = json_array(), *to = json_array(), *tasks = json_array(), *steals = json_array();
    char uses[TIMELINE_SPANS + 1];
    for (int64_t i = 0; i < lane->n_spans; i++) {
        const struct timeline_span *span = &lane->spans[i];
        json_array_append_new(from, time_to_json(span->from_s));
        json_array_append_new(to, time_to_json(span->to_s));
        json_array_append_new(tasks, json_integer(span->n_tasks));
        uses[i] = use_letters[span->use];
    }
    uses[lane->n_spans] = '\0';
    int64_t n_steals = (lane->n_steals + lane->steal_step - 1) / lane->steal_step;
    for (int64_t i = 0; i < n_steals; i++)
        json_array_append_new(steals, time_to_json(lane->steals_s[i]));
    return json_pack("{s:I, s:f, s:s, s:o, s:o, s:o, s:I, s:o}", "worker", (json_int_t)lane->worker,
                     "resolution_seconds", lane->resolution_s, "uses", uses, "from_seconds", from,
                     "to_seconds", to, "tasks", tasks, "steals", (json_int_t)lane->n_steals,
                     "steals_seconds", steals);
}

static enum status add_lanes(MPI_Comm comm, const struct timeline *timeline, json_t *json)
{
    void *all;
    int64_t n_all;
    TRY(gather_list(comm, timeline->lanes, timeline->n_lanes, sizeof timeline->lanes[0], &all,
                    &n_all));
    if (json) {
        json_t *lanes = json_array();
        for (int64_t i = 0; i < n_all; i++)
            json_array_append_new(lanes, lane_to_json((const struct timeline_lane *)all + i));
        json_object_set_new(json, "lanes", lanes);
    }
    free(all);
    return STATUS_OK;
}

/* Loads of at most MAX_LOADS workers, evenly chosen of the n in descending order; and how many are
 * above the middle of mean and maximum: those for which the others wait. */
static void add_sorted_loads(const char *key, double *loads_s, int64_t n, json_t *json)
{
    int64_t n_shown = n < MAX_LOADS ? n : MAX_LOADS, n_above = 0;
    double sum_s = 0;
    json_t *seconds = json_array();
    qsort(loads_s, (size_t)n, sizeof *loads_s, array_descending);
    for (int64_t i = 0; i < n; i++)
        sum_s += loads_s[i];
    double mean_s = sum_s / (double)n, middle_s = (mean_s + loads_s[0]) / 2;
    while (n_above < n && loads_s[n_above] > middle_s)
        n_above++;
    for (int64_t i = 0; i < n_shown; i++)
        json_array_append_new(seconds,
                              json_real(loads_s[n_shown > 1 ? i * (n - 1) / (n_shown - 1) : 0]));
    json_object_set_new(json, key,
                        json_pack("{s:o, s:I, s:f}", "seconds", seconds, "overloaded",
                                  (json_int_t)n_above, "mean_seconds", mean_s));
}

static enum status add_loads(MPI_Comm comm, const char *key, const double *loads_s, int n_workers,
                             json_t *json)
{
    void *all;
    int64_t n_all;
    TRY(gather_list(comm, loads_s, n_workers, sizeof *loads_s, &all, &n_all));
    if (json && n_all > 0)
        add_sorted_loads(key, all, n_all, json);
    free(all);
    return STATUS_OK;
}

/* --- all --- */

static void reduce_bins(MPI_Comm comm, struct timeline_bins *bins, struct timeline_bins *all)
{
    double bin_s;
    MPI_Allreduce(&bins->bin_s, &bin_s, 1, MPI_DOUBLE, MPI_MAX, comm);
    timeline_widen_bins(bins, bin_s);
    all->bin_s = bin_s;
    MPI_Reduce(bins->use_s, all->use_s, TIMELINE_BINS * TIMELINE_USES, MPI_DOUBLE, MPI_SUM, 0,
               comm);
}

static enum status fill_json(MPI_Comm comm, struct timeline *timeline,
                             const struct timeline_problem *problem, json_t *json)
{
    struct timeline_sums all = {0};
    reduce_bins(comm, &timeline->sums.run, &all.run);
    reduce_bins(comm, &timeline->sums.last, &all.last);
    MPI_Reduce(timeline->sums.durations, all.durations, TIMELINE_DURATIONS, MPI_INT64_T, MPI_SUM, 0,
               comm);
    if (json) {
        json_object_set_new(json, "iteration", json_integer(problem->statistics->iteration));
        json_object_set_new(json, "makespan_seconds", json_real(problem->statistics->makespan_s));
        add_utilisation(timeline, &all, problem, json);
        add_durations(&all, json);
    }
    TRY(add_sample(comm, timeline, problem->problem, json));
    TRY(add_lanes(comm, timeline, json));
    TRY(add_loads(comm, "first_loads", problem->first_loads_s, problem->n_workers, json));
    return add_loads(comm, "loads", problem->loads_s, problem->n_workers, json);
}

enum status timeline_to_json(MPI_Comm comm, struct timeline *timeline,
                             const struct timeline_problem *problem, json_t **json)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    *json = rank == 0 ? json_object() : NULL;
    enum status status = fill_json(comm, timeline, problem, *json);
    if (status != STATUS_OK) {
        json_decref(*json);
        *json = NULL;
    }
    return status;
}
