/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/report/report_run.h"

#include "support/base/array.h"
#include "support/base/rank_statistics.h"
#include "support/io/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_FIGURE 1e100

/* Source of a column. */
static const struct column_source {
    const char *key;
    bool per_lane; /* a sum over the workers' threads, shown as their mean */
    double scale;
} sources[REPORT_N_COLUMNS] = {
    [REPORT_FOCK_SECONDS] = {"fock_seconds", false, 1},
    [REPORT_MAKESPAN] = {"makespan_seconds", false, 1},
    [REPORT_TASK] = {"task_seconds", true, 1},
    [REPORT_SEARCH] = {"search_seconds", true, 1},
    [REPORT_IDLE] = {"idle_seconds", true, 1},
    [REPORT_SCHEDULER] = {"scheduler_seconds", true, 1},
    [REPORT_COMMUNICATION] = {"communication_seconds", true, 1},
    [REPORT_EFFICIENCY] = {"efficiency", false, 100},
    [REPORT_IMBALANCE] = {"imbalance", false, 100},
    [REPORT_BALANCE] = {"balance_seconds", false, 1},
    [REPORT_STEALS_ATTEMPTED] = {"steals_attempted", false, 1},
    [REPORT_STEALS_SUCCESSFUL] = {"steals_successful", false, 1},
    [REPORT_TASKS_MOVED] = {"tasks_moved", false, 1},
    [REPORT_MESSAGES] = {"messages", false, 1},
    [REPORT_BYTES] = {"bytes", false, 1},
};

static double finite_number(const json_t *value)
{
    double number = json_is_number(value) ? json_number_value(value) : NAN;
    return fabs(number) < LARGEST_FIGURE ? number : NAN;
}

double report_real(const json_t *object, const char *key)
{
    return finite_number(json_object_get(object, key));
}

const char *report_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

const json_t *report_figures_of(const json_t *result)
{
    const json_t *beryl = json_object_get(json_object_get(result, "extras"), "beryl");
    return beryl ? beryl : result;
}

const json_t *report_figure(const struct report_run *run, const char *key)
{
    const json_t *own = json_object_get(run->figures, key);
    return own ? own : json_object_get(run->shared, key);
}

int64_t report_numbers(const json_t *array, double **numbers)
{
    size_t size = json_array_size(array);
    size_t n = size < REPORT_MAX_NUMBERS ? size : REPORT_MAX_NUMBERS;
    *numbers = malloc((n + 1) * sizeof **numbers);
    for (size_t i = 0; *numbers && i < n; i++)
        (*numbers)[i] = finite_number(json_array_get(array, i));
    return *numbers ? (int64_t)n : 0;
}

const char *report_mode_name(const struct report_run *run)
{
    const char *mode = json_string_value(report_figure(run, "sched"));
    return run->mode ? run->mode : mode ? mode : "mode not known";
}

int64_t report_group_size(const struct report_runs *runs, int64_t i)
{
    int64_t n = 1;
    while (runs->runs[i].mode && i + n < runs->n && runs->runs[i + n].mode &&
           runs->runs[i + n].shared == runs->runs[i].shared)
        n++;
    return n;
}

const char *report_iteration_word(const struct report_run *run)
{
    return run->has_fock ? "Fock build" : "iteration";
}

/* Seconds of an iteration with the balancing before it, which those of a Fock build include. */
static double read_seconds(const json_t *entry)
{
    double fock_s = report_real(entry, "fock_seconds");
    double balance_s = report_real(entry, "balance_seconds");
    double makespan_s = report_real(entry, "makespan_seconds");
    return !isnan(fock_s) ? fock_s : isnan(balance_s) ? makespan_s : makespan_s + balance_s;
}

/* A spread over the workers, {"mean": , "sd": }, stands for its mean. */
static double read_figure(const json_t *entry, enum report_column column, int64_t n_lanes)
{
    if (column == REPORT_SECONDS)
        return read_seconds(entry);
    const struct column_source *source = &sources[column];
    const json_t *value = json_object_get(entry, source->key);
    double number =
        json_is_object(value) ? report_real(value, "mean") : report_real(entry, source->key);
    return number * source->scale / (source->per_lane ? (double)n_lanes : 1);
}

static const json_t *iteration_entry(const struct report_run *run, int64_t i)
{
    return json_array_get(json_object_get(run->figures, "iterations"), (size_t)i);
}

/* Whether an iteration is no warm-up of its round. */
static bool is_counted_iteration(const struct report_run *run, int64_t i)
{
    return !(report_real(iteration_entry(run, i), "iteration") < run->first_counted);
}

/* Without an iteration that counts, as after a failure, all do. */
static void count_no_warm_up(struct report_run *run)
{
    const json_t *comparison = json_object_get(run->shared, "comparison");
    run->first_counted = report_real(comparison, "counted_from");
    for (int64_t i = 0; i < run->n_iterations; i++)
        run->n_counted += is_counted_iteration(run, i);
    if (run->n_counted == 0) {
        run->first_counted = NAN;
        run->n_counted = run->n_iterations;
    }
}

/* The mean of a column over iterations first <= i < last that have it, without warm-up or with. */
static double mean_over_iterations(const struct report_run *run, enum report_column column,
                                   int64_t first, int64_t last, bool with_warm_up)
{
    double sum = 0;
    int64_t n = 0;
    for (int64_t i = first; i < last; i++) {
        if (!with_warm_up && !is_counted_iteration(run, i))
            continue;
        double figure = read_figure(iteration_entry(run, i), column, run->n_lanes);
        sum += isnan(figure) ? 0 : figure;
        n += !isnan(figure);
    }
    return n > 0 ? sum / (double)n : NAN;
}

static enum status find_spread(struct report_run *run)
{
    double *seconds = malloc(((size_t)run->n_iterations + 1) * sizeof *seconds);
    TRY(CHECK_MEMORY(seconds, "no memory for the seconds of %s", run->name));
    size_t n = 0;
    for (int64_t i = 0; i < run->n_iterations; i++) {
        double figure = read_seconds(iteration_entry(run, i));
        if (is_counted_iteration(run, i) && !isnan(figure))
            seconds[n++] = figure;
    }
    numbers_sort(seconds, (int64_t)n);
    run->seconds = n > 0 ? (struct report_spread){(seconds[(n - 1) / 2] + seconds[n / 2]) / 2,
                                                  seconds[0], seconds[n - 1]}
                         : (struct report_spread){NAN, NAN, NAN};
    /* Several rounds: the median of the iterations that count. */
    double median = report_real(run->figures, "median_seconds");
    run->seconds.median = isnan(median) ? run->seconds.median : median;
    free(seconds);
    return STATUS_OK;
}

static enum status read_columns(struct report_run *run)
{
    run->group = (run->n_iterations + REPORT_MAX_PLACES - 1) / REPORT_MAX_PLACES;
    run->group = run->group > 0 ? run->group : 1;
    run->n_places = (run->n_iterations + run->group - 1) / run->group;
    size_t n = (size_t)run->n_places;
    double *all = calloc(REPORT_N_COLUMNS * n + 1, sizeof *all);
    TRY(CHECK_MEMORY(all, "no memory for the figures of %s", run->name));
    for (int column = 0; column < REPORT_N_COLUMNS; column++) {
        run->columns[column] = all + (size_t)column * n;
        run->means[column] = mean_over_iterations(run, column, 0, run->n_iterations, false);
        for (int64_t i = 0; i < run->n_places; i++) {
            int64_t first = i * run->group, last = first + run->group;
            run->columns[column][i] = mean_over_iterations(
                run, column, first, last < run->n_iterations ? last : run->n_iterations, true);
        }
    }
    run->has_fock = !isnan(run->means[REPORT_FOCK_SECONDS]);
    return find_spread(run);
}

/* "FILE", or "FILE: MODE" (or the options of a run of a sweep), in UTF-8 whatever the name of the
 * file is. */
static char *make_name(const char *file, const char *mode)
{
    json_t *clean = json_text(file);
    const char *text = json_string_value(clean);
    size_t size = text ? strlen(text) + (mode ? strlen(mode) : 0) + 3 : 0;
    char *name = text ? malloc(size) : NULL;
    if (name)
        snprintf(name, size, "%s%s%s", text, mode ? ": " : "", mode ? mode : "");
    json_decref(clean);
    return name;
}

/* 1 unless the value is a number that can be counted to. */
static int64_t count_or_one(const json_t *value)
{
    double count = json_number_value(value);
    return count >= 1 && count < 1e9 ? (int64_t)count : 1;
}

static enum status add_run(struct report_runs *runs, const json_t *result, const json_t *shared,
                           const json_t *figures, const char *name, const char *mode)
{
    const json_t *iterations = json_object_get(figures, "iterations");
    const char *message = report_text(json_object_get(result, "error"), "error_message");
    if (!json_is_array(iterations) && message)
        return FAIL(STATUS_INPUT, "%s: this run has no iterations to show, as it failed: %s", name,
                    message);
    if (!json_is_array(iterations))
        return FAIL(STATUS_INPUT,
                    "%s: not a result of a Beryl program, as it has no list of iterations: "
                    "name a file that --json wrote",
                    name);
    TRY(array_reserve(&runs->runs, runs->n + 1, &runs->capacity, sizeof *runs->runs));
    struct report_run *run = &runs->runs[runs->n];
    *run = (struct report_run){.number = runs->n + 1,
                               .result = result,
                               .figures = figures,
                               .shared = shared,
                               .n_iterations = (int64_t)json_array_size(iterations),
                               .file = make_name(name, NULL),
                               .mode = shared == figures ? NULL : mode,
                               .name = make_name(name, mode)};
    runs->n++;
    TRY(CHECK_MEMORY(run->name && run->file, "no memory for a name"));
    run->workers = count_or_one(report_figure(run, "workers"));
    run->n_threads =
        count_or_one(json_object_get(json_object_get(run->shared, "machine"), "threads"));
    run->n_lanes = run->workers * run->n_threads;
    count_no_warm_up(run);
    return read_columns(run);
}

/* Each run of a sweep stands for itself, as if it had a file of its own. */
static enum status add_sweep(struct report_runs *runs, const json_t *sweep, const char *name)
{
    size_t i;
    const json_t *entry;
    int64_t first = runs->n;
    json_array_foreach(json_object_get(sweep, "runs"), i, entry)
        TRY(add_run(runs, entry, entry, entry, name, report_text(entry, "options_text")));
    runs->runs[first].unended = json_object_get(sweep, "error");
    return STATUS_OK;
}

enum status report_runs_add(struct report_runs *runs, const json_t *result, const char *name)
{
    if (json_object_get(result, "traceEvents"))
        return FAIL(STATUS_INPUT,
                    "%s: a timeline of --trace, which ui.perfetto.dev shows: for a page name a "
                    "file that --json wrote",
                    name);
    if (json_array_size(json_object_get(result, "runs")) > 0)
        return add_sweep(runs, result, name);
    const json_t *figures = report_figures_of(result);
    const json_t *compare = json_object_get(figures, "compare");
    if (json_object_size(compare) == 0)
        return add_run(runs, result, figures, figures, name, NULL);
    const char *mode;
    json_t *entry;
    json_object_foreach((json_t *)compare, mode, entry)
        TRY(add_run(runs, result, figures, entry, name, mode));
    return STATUS_OK;
}

void report_runs_fini(struct report_runs *runs)
{
    for (int64_t i = 0; i < runs->n; i++) {
        free(runs->runs[i].name);
        free(runs->runs[i].file);
        free(runs->runs[i].columns[0]);
    }
    free(runs->runs);
    *runs = (struct report_runs){0};
}
