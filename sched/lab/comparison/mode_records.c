/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/comparison/mode_records.h"

#include "sched/lab/bound/makespan_bound.h"

#include "sched/lab/comparison/comparison.h"
#include "sched/lab/trace/trace.h"
#include "sched/pool/core/statistics_report.h"
#include "support/base/die.h"
#include "support/base/log.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static_assert((int)MODES_MAX <= (int)COMPARISON_MODES_MAX, "every list of modes can be compared");

void mode_records_fini(struct mode_records *records)
{
    for (int m = 0; m < records->n; m++) {
        json_decref(records->list[m].iterations);
        json_decref(records->list[m].timeline);
        json_decref(records->list[m].trace);
    }
    comparison_fini(&records->comparison);
    *records = (struct mode_records){0};
}

/* --- rounds --- */

static int64_t asked_rounds(const struct mode_records *records)
{
    return records->n_rounds > 1 ? records->n_rounds : 1;
}

static void log_line(const char *line, void *to)
{
    (void)to;
    log_print("%s\n", line);
}

void mode_records_start(struct mode_records *records, const struct mode_list *modes)
{
    for (int m = 0; m < modes->n; m++) {
        comparison_add(&records->comparison, modes->modes[m]);
        records->list[records->n++] =
            (struct mode_record){.mode = modes->modes[m],
                                 .name = records->comparison.modes[m].name,
                                 .iterations = json_array()};
    }
    records->lower_bound_s = INFINITY;
    comparison_print_rounds(&records->comparison, asked_rounds(records), log_line, NULL);
    if (records->n_rounds > 1 && !records->comparison.simulated)
        log_print("Each round runs the modes in a new random order (--seed)\n");
    if (records->n > 1)
        log_print("\n");
}

enum status mode_records_run(const struct mode_records *records,
                             enum status (*run)(void *context, int position, int64_t round),
                             void *context)
{
    int64_t n_rounds = asked_rounds(records);
    for (int64_t round = 0; round < n_rounds; round++) {
        int order[COMPARISON_MODES_MAX];
        if (n_rounds > 1)
            log_print("round %lld of %lld\n", (long long)round + 1, (long long)n_rounds);
        comparison_draw_order(&records->comparison, round, order);
        for (int m = 0; m < records->n; m++)
            TRY(run(context, order[m], round));
    }
    return STATUS_OK;
}

struct mode_record *mode_records_begin(struct mode_records *records, int position)
{
    struct mode_record *record = &records->list[position];
    records->n_begun++;
    taskpool_trace_restart(records->trace, records->comm);
    comparison_begin(&records->comparison, position);
    record->n_iterations = 0;
    json_decref(record->timeline); /* of the last round */
    record->timeline = NULL;
    return record;
}

json_t *mode_records_note(struct mode_records *records, int position, double seconds,
                          const struct taskpool_iteration *statistics)
{
    struct mode_record *record = &records->list[position];
    bool first = record->n_iterations == 0;
    comparison_note(&records->comparison, position, seconds);
    record->first_s = first ? seconds : record->first_s;
    record->best_s = first || seconds < record->best_s ? seconds : record->best_s;
    record->last_s = seconds;
    record->last = *statistics;
    record->last.iteration = record->n_iterations++;
    json_t *entry = statistics_to_json(&record->last);
    if (records->n_rounds > 1)
        json_object_set_new(entry, "round",
                            json_integer(records->comparison.modes[position].n_rounds));
    json_array_append_new(record->iterations, entry);
    return entry;
}

/* All rounds are recorded, so that tracing slows them equally; the last is written. */
static enum status write_trace_of_mode(struct mode_records *records, int position)
{
    struct mode_record *record = &records->list[position];
    if (!records->trace || records->comparison.modes[position].n_rounds < records->n_rounds)
        return STATUS_OK;
    TRY(taskpool_trace_write(records->trace, records->comm, record->name));
    record->trace = trace_to_json(records->trace);
    return STATUS_OK;
}

enum status mode_records_end(struct mode_records *records, int position)
{
    struct mode_record *record = &records->list[position];
    if (comparison_end(&records->comparison, position) != STATUS_OK)
        die_no_memory("%s", status_text());
    if (records->comparison.modes[position].n_rounds == 1)
        memcpy(record->first_sha256, record->sha256, sizeof record->sha256);
    else if (memcmp(record->first_sha256, record->sha256, sizeof record->sha256) != 0)
        record->differs = true;
    return write_trace_of_mode(records, position);
}

enum status mode_records_check(const struct mode_records *records, const char *result)
{
    char names[512] = "";
    const struct mode_record *first = &records->list[0];
    for (int m = 0; m < records->n; m++) {
        const struct mode_record *record = &records->list[m];
        size_t length = strlen(names);
        if (record->differs || memcmp(record->sha256, first->sha256, sizeof record->sha256) != 0)
            snprintf(names + length, sizeof names - length, "%s%s", length > 0 ? ", " : "",
                     record->name);
    }
    if (names[0] == '\0')
        return STATUS_OK;
    return FAIL(STATUS_PROTOCOL, "the %s of %s differs from that of %s%s", result, names,
                first->name, records->n_rounds > 1 ? ", at least in one of the rounds" : "");
}

/* --- tables --- */

/* In 10 columns; simulated ones may be microseconds. */
static void print_seconds(double seconds)
{
    if (seconds < 1)
        log_print("%9.4g ", seconds);
    else
        log_print("%9.4f ", seconds);
}

static void print_last_round(const struct mode_records *records, const char *iteration, bool single)
{
    const struct mode_record *first = &records->list[0];
    log_print("\nSeconds per %s of the first, the best and the last of %lld%s; the other columns "
              "are of\nthe last: steals and attempted steals per worker, messages of all%s%s\n\n",
              iteration, (long long)first->n_iterations, single ? "" : ", in the last round",
              single ? "; ratio: best to best of " : "", single ? first->name : "");
    log_print("mode           first      best      last efficiency imbalance    steals attempted  "
              "messages%s\n",
              single ? "     ratio" : "");
    for (int m = 0; m < records->n; m++) {
        const struct mode_record *record = &records->list[m];
        const struct taskpool_iteration *last = &record->last;
        log_print("%-11s", record->name);
        print_seconds(record->first_s);
        print_seconds(record->best_s);
        print_seconds(record->last_s);
        log_print("%9.2f %% %7.2f %% %9.1f %9.1f %9lld", 100 * last->efficiency,
                  100 * last->imbalance, last->steals_successful.mean, last->steals_attempted.mean,
                  (long long)last->messages);
        if (single)
            log_print(" %#9.5g", comparison_ratio(record->best_s, first->best_s));
        log_print("\n");
    }
}

static void print_rounds(const struct mode_records *records, const char *iteration)
{
    const struct comparison *comparison = &records->comparison;
    log_print(
        "\nSeconds per %s over %lld rounds, each the mean from the third on (of fewer the last), "
        "and their\nratio to %s in the same round, with a bootstrap interval (%.0f %%). The "
        "verdict is by p "
        "of the\nsigned-rank test, corrected for the number of modes (Holm)\n\n",
        iteration, (long long)comparison->modes[0].n_rounds, records->list[0].name,
        100 * COMPARISON_CONFIDENCE);
    comparison_print(comparison, log_line, NULL);
}

void mode_records_print(struct mode_records *records, const char *iteration)
{
    struct comparison *comparison = &records->comparison;
    const bool single = !comparison_has_rounds(comparison);
    if (records->n == 0)
        return;
    print_last_round(records, iteration, single);
    if (single)
        log_print("\nOne round shows no spread: a difference may be chance (--rounds)\n");
    else if (comparison_analyse(comparison) == STATUS_OK)
        print_rounds(records, iteration);
    else
        die_no_memory("%s", status_text());
    makespan_bound_print(records->lower_bound_s);
    if (records->trace)
        log_print("\n");
    for (int m = 0; m < records->n; m++)
        trace_print_json(records->list[m].trace);
}

/* --- JSON --- */

static int64_t find_first_counted(const struct mode_records *records)
{
    int64_t n = records->list[0].n_iterations;
    return n > COMPARISON_FIRST_COUNTED ? COMPARISON_FIRST_COUNTED : n > 0 ? n - 1 : 0;
}

static json_t *ratio_to_json(const struct comparison_mode *mode, const char *first)
{
    return json_pack("{s:s, s:f, s:[f, f], s:f, s:f, s:f, s:s}", "to", first, "value",
                     mode->ratio.value, "interval", mode->ratio.low, mode->ratio.high, "confidence",
                     mode->ratio_confidence, "p", mode->p, "adjusted_p", mode->adjusted_p,
                     "verdict", comparison_verdict_words(mode->verdict));
}

/* Statistics over several rounds of a mode. */
static void add_rounds(const struct comparison *comparison, int position, json_t *json)
{
    const struct comparison_mode *mode = &comparison->modes[position];
    json_t *rounds = json_array();
    for (int64_t i = 0; i < mode->n_rounds; i++)
        json_array_append_new(rounds, json_real(mode->round_s[i]));
    json_object_update_new(json,
                           json_pack("{s:o, s:f, s:[f, f], s:[f, f]}", "round_seconds", rounds,
                                     "median_seconds", mode->median_s.value, "quartile_seconds",
                                     mode->first_quartile_s, mode->third_quartile_s,
                                     "interval_seconds", mode->median_s.low, mode->median_s.high));
    if (position > 0)
        json_object_set_new(json, "ratio", ratio_to_json(mode, comparison->modes[0].name));
}

bool mode_record_has_run(const struct mode_record *record)
{
    return json_array_size(record->iterations) > 0;
}

json_t *mode_record_to_json(const struct mode_records *records, int position,
                            const char *const keys[MODE_RECORD_DIGESTS])
{
    const struct mode_record *record = &records->list[position];
    json_t *json = json_pack("{s:s}", "sched", record->mode);
    if (mode_record_has_run(record))
        json_object_set_new(json, "tasks", json_integer(record->last.tasks));
    for (int i = 0; i < MODE_RECORD_DIGESTS; i++)
        if (keys[i] && record->sha256[i][0] != '\0')
            json_object_set_new(json, keys[i], json_string(record->sha256[i]));
    if (records->comparison.analysed)
        add_rounds(&records->comparison, position, json);
    json_object_set(json, "iterations", record->iterations);
    if (record->timeline)
        json_object_set(json, "timeline", record->timeline);
    if (record->trace)
        json_object_set(json, "trace", record->trace);
    return json;
}

json_t *mode_records_to_json(const struct mode_records *records,
                             const char *const keys[MODE_RECORD_DIGESTS])
{
    json_t *modes = json_object();
    for (int m = 0; m < records->n; m++)
        if (mode_record_has_run(&records->list[m]))
            json_object_set_new(modes, records->list[m].name,
                                mode_record_to_json(records, m, keys));
    return modes;
}

static json_t *seeds_to_json(const struct mode_records *records)
{
    json_t *seeds = json_object();
    for (int m = 0; m < records->n; m++)
        json_object_set_new(seeds, records->list[m].name,
                            json_integer(comparison_run_seed(&records->comparison, m, 0)));
    return seeds;
}

/* The names of the modes, a row for each round that began: after a failure not all did. */
static json_t *orders_to_json(const struct mode_records *records)
{
    json_t *orders = json_array();
    for (int64_t round = 0; round * records->n < records->n_begun; round++) {
        int positions[COMPARISON_MODES_MAX];
        json_t *order = json_array();
        comparison_draw_order(&records->comparison, round, positions);
        for (int m = 0; m < records->n; m++)
            json_array_append_new(order, json_string(records->list[positions[m]].name));
        json_array_append_new(orders, order);
    }
    return orders;
}

json_t *mode_records_summary_to_json(const struct mode_records *records)
{
    const struct comparison *comparison = &records->comparison;
    json_t *summary =
        json_pack("{s:I, s:I, s:I, s:f, s:b, s:o}", "rounds", (json_int_t)asked_rounds(records),
                  "rounds_needed", (json_int_t)comparison_rounds_needed(records->n), "counted_from",
                  (json_int_t)find_first_counted(records), "confidence", COMPARISON_CONFIDENCE,
                  "oversubscribed", comparison->oversubscribed, "seeds", seeds_to_json(records));
    if (!comparison->simulated)
        json_object_set_new(summary, "orders", orders_to_json(records));
    return summary;
}
