/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/cli/beryl_sched_run.h"

#include "sched/lab/bound/makespan_bound.h"
#include "sched/lab/cli/beryl_sched_outputs.h"
#include "sched/lab/profiles/profile.h"
#include "sched/lab/trace/trace.h"
#include "sched/pool/core/speeds.h"
#include "sched/pool/core/statistics_report.h"
#include "sched/pool/modes/modes.h"
#include "sched/pool/pool_timeline.h"
#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/base/version.h"
#include "support/io/application.h"
#include "support/io/json.h"
#include "support/io/output_buffer.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct run {
    const struct beryl_sched_options *options;
    MPI_Comm comm;
    int rank, n_workers;
    bool simulated;
    double *speeds; /* n_workers, or NULL */
    struct taskpool_machine machine;
    struct taskpool_noise noise;
    struct workload *workload;
    struct taskpool *pool;
    struct output_buffer profile; /* all iterations; on process 0 */
    struct mode_records *records; /* with the completed iterations, also after a failure */
    int position;                 /* in the records */
    bool done;                    /* all iterations have ended */
    bool checked;                 /* the outputs can be written */
    bool trace_summed;            /* over all processes, as results have it */
};

static struct mode_record *record_of(const struct run *run)
{
    return &run->records->list[run->position];
}

/* --- before --- */

static struct run run_of(const struct beryl_sched_options *options, MPI_Comm comm)
{
    struct run run = {
        .options = options, .comm = comm, .simulated = options->machine.n_workers > 0};
    MPI_Comm_rank(comm, &run.rank);
    MPI_Comm_size(comm, &run.n_workers);
    if (run.simulated)
        run.n_workers = (int)options->machine.n_workers;
    return run;
}

/* Reduces the speeds of simulated workers by the contention of their nodes. */
static enum status slow_contended_nodes(struct run *run)
{
    const struct machine_settings *machine = &run->options->machine;
    if (machine->contention_factor == 1)
        return STATUS_OK;
    if (!run->speeds) {
        run->speeds = malloc((size_t)run->n_workers * sizeof *run->speeds);
        TRY(CHECK_MEMORY(run->speeds, "no memory for %d speeds", run->n_workers));
        for (int i = 0; i < run->n_workers; i++)
            run->speeds[i] = 1;
    }
    machine_apply_contention(machine->contention_factor, (int)machine->node_size, run->n_workers,
                             run->speeds);
    return STATUS_OK;
}

static enum status find_speeds(struct run *run)
{
    const char *path = run->options->pool.speeds;
    if (path && *path)
        TRY(speeds_read(run->comm, path, run->n_workers, &run->speeds));
    return run->simulated ? slow_contended_nodes(run) : STATUS_OK;
}

static enum status create_workload(struct run *run)
{
    const struct beryl_sched_options *options = run->options;
    struct workload_settings settings = options->workload;
    settings.n_simulated = options->machine.n_workers;
    settings.node_size = options->machine.node_size;
    settings.speed = run->speeds ? run->speeds[run->rank] : 1;
    return workload_create(&settings, run->comm, &run->workload);
}

/* Knowledge of the modes in a simulated run: speeds, costs. */
static struct taskpool_settings known_settings(const struct beryl_sched_options *options)
{
    struct taskpool_settings settings = options->pool;
    const char *known = options->machine.known_speeds;
    if (known)
        settings.speeds = strcmp(known, "none") == 0 ? "" : known;
    return settings;
}

/* NULL: tasks wait for none. */
static const struct taskpool_data *moved_data(const struct run *run)
{
    return run->options->machine.data != MACHINE_DATA_OFF ? run->workload->data : NULL;
}

static enum status create_sched_pool(struct run *run)
{
    struct workload *workload = run->workload;
    const struct taskpool_settings settings = known_settings(run->options);
    if (!run->simulated)
        return taskpool_create(run->comm, &workload->problem, &settings, &run->pool);
    TRY(machine_options_apply(&run->options->machine, &run->machine, &run->noise));
    run->machine.speeds = run->speeds;
    run->machine.time = workload->time;
    run->machine.are_null = workload->are_null;
    run->machine.data = moved_data(run);
    run->machine.context = workload;
    struct taskpool_problem problem = workload->problem;
    problem.run = NULL; /* a simulated duration needs no waiting */
    return taskpool_simulate(&problem, &settings, &run->machine, &run->pool);
}

static enum status prepare_run(struct run *run)
{
    TRY(find_speeds(run));
    TRY(create_workload(run));
    return create_sched_pool(run);
}

/* --- iterations --- */

static void print_run_start(const struct run *run, const char *scheduling)
{
    log_print("beryl-sched %s\n\n", BERYL_VERSION);
    log_print("Workload   %s\n", run->workload->name);
    if (run->workload->problem.record_size == 0)
        log_print("Tasks      %lld\n", (long long)run->workload->problem.n_tasks);
    if (run->workload->n_recorded > 1)
        log_print("Recorded   %lld iterations: --iterations %lld runs all\n",
                  (long long)run->workload->n_recorded, (long long)run->workload->n_recorded);
    if (moved_data(run))
        log_print("Data       %lld blocks; tasks wait for blocks of other workers\n",
                  (long long)moved_data(run)->n_blocks);
    log_print("Workers    %d%s, scheduling %s\n", run->n_workers,
              run->simulated ? ", simulated" : "", scheduling);
    for (int m = 0; m < run->options->modes.n; m++) {
        const struct taskpool_mode *mode = mode_find(run->options->modes.modes[m]);
        if (run->simulated && mode->has_thread &&
            run->options->pool.progress == TASKPOOL_PROGRESS_BY_MODE)
            log_print("Threads    %s\n", mode->thread_help);
    }
    log_print("\n");
}

/* With the lower bound of the iteration that has ended, whose durations the workload still has. */
static enum status note_run_iteration(struct run *run)
{
    const struct workload *workload = run->workload;
    const struct taskpool_iteration *last =
        taskpool_statistics(run->pool, taskpool_n_iterations(run->pool) - 1);
    struct makespan_bound bound = {0};
    if (run->simulated && workload->problem.record_size == 0)
        TRY(makespan_bound_find(&run->machine, workload->problem.n_tasks, &bound));
    json_t *entry =
        mode_records_note(run->records, run->position, last->makespan_s + last->balance_s, last);
    if (bound.seconds > 0) {
        json_object_set_new(entry, "lower_bound_seconds", json_real(bound.seconds));
        run->records->lower_bound_s = fmin(run->records->lower_bound_s, bound.seconds);
    }
    if (!run->options->all_iterations)
        return STATUS_OK;
    return profile_print_iteration(run->comm, taskpool_history(run->pool),
                                   taskpool_n_iterations(run->pool) - 1, run->profile.stream);
}

static enum status run_iterations(struct run *run)
{
    struct workload *workload = run->workload;
    workload->pool = run->pool;
    if (run->options->all_iterations)
        TRY(status_agree(run->comm, run->rank == 0
                                        ? output_buffer_init(&run->profile, run->options->profile)
                                        : STATUS_OK));
    if (workload->begin)
        TRY(status_agree(run->comm, workload->begin(workload, run->comm)));
    for (int64_t i = 0; i < run->options->n_iterations; i++) {
        if (i > 0)
            TRY(taskpool_restore(run->pool));
        TRY(taskpool_run(run->pool));
        TRY(note_run_iteration(run));
        if (workload->end_iteration)
            TRY(workload->end_iteration(workload, run->comm));
    }
    run->done = true;
    return pool_timeline(run->pool, &record_of(run)->timeline);
}

/* --- after --- */

/* Without what depends on the mode; also of a run that failed. NULL when out of memory. */
static json_t *run_to_json(const struct run *run)
{
    const struct workload *workload = run->workload; /* NULL: it could not be created */
    char name[WORKLOAD_NAME_SIZE];
    workload_name(&run->options->workload, name);
    json_t *result = json_object();
    int failed = json_object_set_new(result, "workload", json_text(name));
    if (workload && workload->problem.record_size == 0)
        failed |= json_object_set_new(result, "tasks", json_integer(workload->problem.n_tasks));
    if (workload && run->simulated && moved_data(run))
        failed |= json_object_set_new(result, "data_blocks",
                                      json_integer((json_int_t)moved_data(run)->n_blocks));
    failed |= json_object_set_new(result, "workers", json_integer(run->n_workers));
    if (run->simulated)
        failed |= json_object_set_new(result, "machine", beryl_sched_options_machine(run->options));
    if (run->done && workload->add_result)
        workload->add_result(workload, result);
    if (failed == 0)
        return result;
    json_decref(result);
    return NULL;
}

/* With what a single run has in addition; NULL when out of memory. Collective. */
static json_t *get_single_result(const struct run *run)
{
    const struct mode_record *record = record_of(run);
    json_t *hardware = run->simulated ? NULL : hardware_to_json(run->comm);
    json_t *result = run_to_json(run);
    json_object_set_new(result, "sched", json_string(run->options->pool.mode));
    json_object_set_new(result, "options", beryl_sched_options_scheduling(run->options));
    if (run->trace_summed)
        json_object_set_new(result, "trace", trace_to_json(run->options->pool.trace));
    json_object_set(result, "iterations", record->iterations);
    if (record->timeline)
        json_object_set(result, "timeline", record->timeline);
    json_object_set_new(result, "command", beryl_sched_options_command(run->options));
    if (hardware)
        json_object_set_new(result, "hardware", hardware);
    return result;
}

static void write_failed_run(const struct run *run, enum status status)
{
    json_t *result = get_single_result(run);
    if (run->rank == 0)
        beryl_sched_outputs_write_failed(run->options, json_incref(result), status);
    json_decref(result);
}

static enum status write_profiles(struct run *run)
{
    const char *path = run->options->profile;
    if (run->rank == 0)
        task_data_remove(path);
    if (!run->options->all_iterations)
        return profile_write(run->comm, taskpool_history(run->pool), path);
    return status_agree(run->comm,
                        run->rank == 0 ? output_buffer_write(&run->profile, path) : STATUS_OK);
}

static enum status write_run_tables(struct run *run)
{
    if (run->options->statistics)
        TRY(taskpool_write_statistics(run->pool, run->options->statistics));
    return run->options->profile ? write_profiles(run) : STATUS_OK;
}

static enum status write_run_outputs(struct run *run, const json_t *result)
{
    const struct beryl_sched_options *options = run->options;
    bool is_first = run->rank == 0;
    TRY(status_agree(run->comm,
                     is_first ? beryl_sched_outputs_write_first(options, result) : STATUS_OK));
    TRY(write_run_tables(run));
    TRY(taskpool_trace_write(options->pool.trace, run->comm, NULL));
    trace_print(options->pool.trace);
    return status_agree(run->comm,
                        is_first ? beryl_sched_outputs_write_last(options, result) : STATUS_OK);
}

/* Under the keys of --json; of an array its length. */
static void print_workload_results(const struct workload *workload)
{
    const char *key;
    json_t *value, *results = json_object();
    if (workload->add_result)
        workload->add_result(workload, results);
    if (json_object_size(results) > 0)
        log_print("\n");
    json_object_foreach(results, key, value)
    {
        char *text = json_dumps(value, JSON_ENCODE_ANY);
        if (json_is_array(value))
            log_print("%-17s %zu\n", key, json_array_size(value));
        else
            log_print("%-17s %s\n", key, text ? text : "");
        free(text);
    }
    json_decref(results);
}

static enum status report_run_results(struct run *run)
{
    statistics_print(taskpool_statistics(run->pool, 0), taskpool_n_iterations(run->pool));
    makespan_bound_print(run->records->lower_bound_s);
    print_workload_results(run->workload);
    trace_sum(run->options->pool.trace, run->comm);
    run->trace_summed = run->options->pool.trace != NULL;
    json_t *result = get_single_result(run);
    enum status status = status_agree(run->comm, CHECK_MEMORY(result, "no memory for the result"));
    if (status != STATUS_OK)
        goto done;
    status = write_run_outputs(run, result);
done:
    json_decref(result);
    return status;
}

static void end_run(struct run *run)
{
    output_buffer_fini(&run->profile);
    taskpool_destroy(run->pool);
    workload_destroy(run->workload);
    taskpool_noise_fini(&run->noise);
    free(run->speeds);
}

/* --- a run --- */

static enum status do_run(struct run *run, struct taskpool_settings *pool, bool *accepted)
{
    TRY(status_agree(run->comm,
                     run->rank == 0 ? beryl_sched_outputs_check(run->options) : STATUS_OK));
    run->checked = true;
    TRY(taskpool_trace_start(run->comm, pool));
    TRY(prepare_run(run));
    *accepted = true;
    print_run_start(run, run->options->pool.mode);
    TRY(run_iterations(run));
    return report_run_results(run);
}

enum status beryl_sched_run(const struct beryl_sched_options *options, MPI_Comm comm,
                            bool *accepted)
{
    struct mode_records records = {0};
    struct beryl_sched_options traced = *options;
    struct run run = run_of(&traced, comm);
    run.records = &records;
    mode_records_start(&records, &options->modes);
    enum status status = do_run(&run, &traced.pool, accepted);
    if (run.checked && application_exit_status(status, *accepted) == 1)
        write_failed_run(&run, status);
    end_run(&run);
    taskpool_trace_destroy(traced.pool.trace);
    mode_records_fini(&records);
    return status;
}

static enum status compute_result(struct run *run, json_t **result)
{
    TRY(prepare_run(run));
    TRY(run_iterations(run));
    *result = run_to_json(run);
    return CHECK_MEMORY(*result, "no memory for the result");
}

enum status beryl_sched_check(const struct beryl_sched_options *options, MPI_Comm comm,
                              const char *scheduling)
{
    struct run run = run_of(options, comm);
    enum status status = prepare_run(&run);
    if (status == STATUS_OK && scheduling)
        print_run_start(&run, scheduling);
    end_run(&run);
    return status;
}

enum status beryl_sched_record(const struct beryl_sched_options *options, MPI_Comm comm,
                               int position, struct mode_records *records, json_t **result)
{
    struct run run = run_of(options, comm);
    run.records = records;
    run.position = position;
    mode_records_begin(records, position);
    enum status status = compute_result(&run, result);
    if (status == STATUS_OK) {
        status = mode_records_end(records, position);
        if (status != STATUS_OK)
            json_decref(*result);
    }
    end_run(&run);
    return status;
}

json_t *beryl_sched_result_without_run(const struct beryl_sched_options *options, MPI_Comm comm)
{
    struct run run = run_of(options, comm);
    return run_to_json(&run);
}
