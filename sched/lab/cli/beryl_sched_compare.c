/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/cli/beryl_sched_run.h"

#include "sched/lab/cli/beryl_sched_outputs.h"
#include "sched/lab/comparison/mode_records.h"
#include "sched/lab/trace/trace.h"
#include "sched/pool/modes/mode_options.h"
#include "sched/pool/modes/modes.h"
#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/base/node.h"
#include "support/io/application.h"

#include <jansson.h>
#include <stdio.h>

struct compared_runs {
    const struct beryl_sched_options *options;
    MPI_Comm comm;
    bool is_first, simulated; /* is_first: of the processes */
    bool checked;             /* the outputs can be written */
    struct mode_records records;
    json_t *result;     /* of the first run; NULL before */
    const char *source; /* name of its mode */
};

static struct beryl_sched_options options_of_mode(const struct compared_runs *runs, int position)
{
    struct beryl_sched_options options = *runs->options;
    mode_options_select(&runs->options->pool, options.modes.modes[position], &options.pool);
    options.pool.speeds = runs->options->pool.speeds; /* the workers' own */
    options.pool.trace = runs->records.trace;
    return options;
}

/* All modes of a round have identical tasks; real rounds all have the first round's tasks. The
 * modes' own random choices differ. */
static struct beryl_sched_options options_of_run(const struct compared_runs *runs, int position,
                                                 int64_t round)
{
    struct beryl_sched_options options = options_of_mode(runs, position);
    options.pool.seed = comparison_run_seed(&runs->records.comparison, position, round);
    options.workload.seed += runs->simulated ? round : 0;
    return options;
}

/* --- before --- */

/* All modes, the first one last and printed. */
static enum status check_compared_modes(const struct compared_runs *runs)
{
    char scheduling[1100];
    snprintf(scheduling, sizeof scheduling, "compared: %.1000s", runs->options->compare);
    for (int m = runs->options->modes.n - 1; m >= 0; m--) {
        struct beryl_sched_options options = options_of_mode(runs, m);
        TRY(beryl_sched_check(&options, runs->comm, m == 0 ? scheduling : NULL));
    }
    return STATUS_OK;
}

/* --- rounds --- */

/* The first result is kept, the others must be the same. Takes the result. */
static enum status keep_compared_result(struct compared_runs *runs,
                                        const struct mode_record *record, json_t *result)
{
    if (!runs->result) {
        runs->result = result;
        runs->source = record->name;
        return STATUS_OK;
    }
    bool same = json_equal(runs->result, result);
    json_decref(result);
    return same ? STATUS_OK
                : FAIL(STATUS_PROTOCOL, "the result of %s differs from that of %s", record->name,
                       runs->source);
}

static enum status run_compared_mode(struct compared_runs *runs, int position, int64_t round)
{
    struct beryl_sched_options options = options_of_run(runs, position, round);
    json_t *result;
    TRY(beryl_sched_record(&options, runs->comm, position, &runs->records, &result));
    const struct mode_record *record = &runs->records.list[position];
    log_print("%5lld %-12s %11.6g %8.2f %%\n", (long long)round, record->name, record->last_s,
              100 * record->last.efficiency);
    return status_agree(runs->comm, keep_compared_result(runs, record, result));
}

static enum status run_compared_rounds(struct compared_runs *runs)
{
    const struct beryl_sched_options *options = runs->options;
    mode_records_start(&runs->records, &options->modes);
    log_print("round mode           seconds efficiency (last iteration)\n");
    for (int64_t round = 0; round < options->n_rounds; round++) {
        int order[COMPARISON_MODES_MAX];
        comparison_draw_order(&runs->records.comparison, round, order);
        for (int m = 0; m < options->modes.n; m++)
            TRY(run_compared_mode(runs, order[m], round));
    }
    return STATUS_OK;
}

/* --- after --- */

/* Adds the modes and all else that the result of a comparison has; false when out of memory.
 * Collective. */
static bool complete_result(const struct compared_runs *runs)
{
    const char *const no_digests[MODE_RECORD_DIGESTS] = {NULL};
    json_t *hardware = runs->simulated ? NULL : hardware_to_json(runs->comm);
    json_t *options = beryl_sched_options_scheduling(runs->options);
    json_object_del(options, "sched");
    int failed = json_object_set_new(runs->result, "options", options);
    json_t *modes = mode_records_to_json(&runs->records, no_digests);
    for (int m = 0; m < runs->records.n; m++) {
        const struct mode_record *record = &runs->records.list[m];
        if (mode_record_has_run(record) && mode_find(record->mode)->is_bound)
            failed |=
                json_object_set_new(json_object_get(modes, record->name), "reference", json_true());
    }
    failed |= json_object_set_new(runs->result, "compare", modes);
    failed |= json_object_set_new(runs->result, "comparison",
                                  mode_records_summary_to_json(&runs->records));
    failed |=
        json_object_set_new(runs->result, "command", beryl_sched_options_command(runs->options));
    if (hardware)
        failed |= json_object_set_new(runs->result, "hardware", hardware);
    return failed == 0;
}

static enum status write_compared_result(const struct compared_runs *runs)
{
    enum status status = CHECK_MEMORY(complete_result(runs), "no memory for the result");
    if (status == STATUS_OK && runs->is_first)
        status = beryl_sched_outputs_write(runs->options, runs->result);
    return status_agree(runs->comm, status);
}

/* Writes the completed iterations, with the failure. */
static void write_failed_comparison(struct compared_runs *runs, enum status status)
{
    if (!runs->result)
        runs->result = beryl_sched_result_without_run(runs->options, runs->comm);
    if (complete_result(runs) && runs->is_first)
        beryl_sched_outputs_write_failed(runs->options, json_incref(runs->result), status);
}

static enum status compare_runs(struct compared_runs *runs, bool *accepted)
{
    const struct beryl_sched_options *options = runs->options;
    struct taskpool_settings traced = options->pool;
    TRY(status_agree(runs->comm, runs->is_first ? beryl_sched_outputs_check(options) : STATUS_OK));
    runs->checked = true;
    TRY(check_compared_modes(runs));
    TRY(taskpool_trace_start(runs->comm, &traced));
    runs->records.trace = traced.trace;
    *accepted = true;
    TRY(run_compared_rounds(runs));
    mode_records_print(&runs->records, "iteration");
    return write_compared_result(runs);
}

enum status beryl_sched_compare(const struct beryl_sched_options *options, MPI_Comm comm,
                                bool *accepted)
{
    const bool simulated = options->machine.n_workers > 0;
    struct compared_runs runs = {
        .options = options,
        .comm = comm,
        .simulated = simulated,
        .records = {.n_rounds = options->n_rounds,
                    .comm = comm,
                    .comparison = {.seed = options->pool.seed, .simulated = simulated}}};
    int rank;
    MPI_Comm_rank(comm, &rank);
    runs.is_first = rank == 0;
    runs.records.comparison.oversubscribed = !runs.simulated && is_oversubscribed(comm);
    enum status status = compare_runs(&runs, accepted);
    if (runs.checked && application_exit_status(status, *accepted) == 1)
        write_failed_comparison(&runs, status);
    json_decref(runs.result);
    taskpool_trace_destroy(runs.records.trace);
    mode_records_fini(&runs.records);
    return status;
}
