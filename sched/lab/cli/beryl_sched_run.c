/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/cli/beryl_sched_run.h"

#include "sched/lab/bound/makespan_bound.h"
#include "sched/lab/cli/beryl_sched_outputs.h"
#include "sched/lab/profiles/profile_writer.h"
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

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct run {
    struct beryl_sched_options completed;
    const struct beryl_sched_options *options; /* as parsed; after find_workers the completed */
    MPI_Comm comm;
    int rank, n_workers;
    bool simulated;
    double *speeds; /* n_workers, or NULL */
    struct taskpool_machine machine;
    struct taskpool_noise noise;
    struct workload *workload;
    struct taskpool *pool;
    struct profile_writer profile;
    int64_t n_completed; /* iterations */
    double *bounds_s;    /* n_completed: lower bounds on makespans; NULL: not known */
    bool checked;        /* the outputs can be written */
    bool trace_summed;   /* over all processes, as results have it */
    json_t *timeline;    /* on process 0, once the iterations are done; or NULL */
};

/* --- before --- */

static enum status find_workers(struct run *run)
{
    const struct beryl_sched_options *options = run->options;
    MPI_Comm_rank(run->comm, &run->rank);
    MPI_Comm_size(run->comm, &run->n_workers);
    run->simulated = options->machine.n_workers > 0;
    if (run->simulated && run->n_workers > 1)
        return FAIL(STATUS_USAGE,
                    "--simulate runs in one process, not in %d: leave out mpirun, or name the "
                    "runs in a file for --sweep",
                    run->n_workers);
    if (run->simulated)
        run->n_workers = (int)options->machine.n_workers;
    run->completed = *options;
    run->options = &run->completed;
    return beryl_sched_options_complete(&run->completed, run->comm);
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
    if (run->workload->recorded)
        log_print("Phases     %lld, an iteration each: --iterations %lld runs all\n",
                  (long long)run->workload->recorded->n_phases,
                  (long long)run->workload->recorded->n_phases);
    if (moved_data(run))
        log_print("Data       %lld blocks; tasks wait for those of other workers\n",
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

/* Durations are those of the iteration that has ended. */
static enum status find_lower_bound(struct run *run)
{
    struct makespan_bound bound = {0};
    if (!run->bounds_s)
        return STATUS_OK;
    TRY(makespan_bound_find(&run->machine, run->workload->problem.n_tasks, &bound));
    run->bounds_s[run->n_completed] = bound.seconds;
    return STATUS_OK;
}

static double least_bound(const struct run *run)
{
    double least_s = INFINITY;
    for (int64_t i = 0; run->bounds_s && i < run->n_completed; i++)
        least_s = fmin(least_s, run->bounds_s[i]);
    return least_s;
}

static void add_bound(const struct run *run, int64_t i, json_t *iteration)
{
    if (iteration && run->bounds_s && run->bounds_s[i] > 0)
        json_object_set_new(iteration, "lower_bound_seconds", json_real(run->bounds_s[i]));
}

static enum status run_sched_iteration(struct run *run)
{
    TRY(taskpool_run(run->pool));
    TRY(find_lower_bound(run));
    return profile_writer_add(&run->profile, taskpool_history(run->pool));
}

static enum status run_iterations(struct run *run)
{
    struct workload *workload = run->workload;
    const struct workload_functions *functions = workload->functions;
    workload->pool = run->pool;
    TRY(profile_writer_init(&run->profile, run->comm, run->options->profile, workload->recorded,
                            workload->data, run->n_workers));
    if (run->simulated && workload->problem.record_size == 0) {
        run->bounds_s = calloc((size_t)run->options->n_iterations + 1, sizeof *run->bounds_s);
        TRY(CHECK_MEMORY(run->bounds_s, "no memory for bounds"));
    }
    if (functions->begin)
        TRY(status_agree(run->comm, functions->begin(workload, run->comm)));
    for (int64_t i = 0; i < run->options->n_iterations; i++) {
        if (i > 0)
            TRY(taskpool_restore(run->pool));
        TRY(run_sched_iteration(run));
        if (functions->end_iteration)
            TRY(functions->end_iteration(workload, run->comm));
        run->n_completed++;
    }
    return pool_timeline(run->pool, &run->timeline);
}

/* --- after --- */

/* The completed iterations; NULL when out of memory. */
static json_t *iterations_to_json(const struct run *run)
{
    json_t *iterations = json_array();
    for (int64_t i = 0; i < run->n_completed; i++) {
        json_t *iteration = statistics_to_json(taskpool_statistics(run->pool, i));
        add_bound(run, i, iteration);
        if (json_array_append_new(iterations, iteration) != 0) {
            json_decref(iterations);
            return NULL;
        }
    }
    return iterations;
}

/* Also of a run that failed, from find_workers on. */
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
    failed |= json_object_set_new(result, "sched", json_string(run->options->pool.mode));
    failed |= json_object_set_new(result, "options", beryl_sched_options_scheduling(run->options));
    if (run->simulated)
        failed |= json_object_set_new(result, "machine", beryl_sched_options_machine(run->options));
    if (run->trace_summed)
        failed |= json_object_set_new(result, "trace", trace_to_json(run->options->pool.trace));
    if (run->n_completed == run->options->n_iterations && workload->functions->add_result)
        workload->functions->add_result(workload, result);
    failed |= json_object_set_new(result, "iterations", iterations_to_json(run));
    if (run->timeline)
        failed |= json_object_set(result, "timeline", run->timeline);
    if (failed == 0)
        return result;
    json_decref(result);
    return NULL;
}

/* With what a single run has in addition; NULL when out of memory. Collective. */
static json_t *get_single_result(const struct run *run)
{
    json_t *hardware = run->simulated ? NULL : hardware_to_json(run->comm);
    json_t *result = run_to_json(run);
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

static enum status write_run_tables(const struct run *run)
{
    if (run->options->statistics)
        TRY(taskpool_write_statistics(run->pool, run->options->statistics));
    return profile_writer_write(&run->profile, taskpool_history(run->pool));
}

static enum status write_run_outputs(const struct run *run, const json_t *result)
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

static enum status report_run_results(struct run *run)
{
    statistics_print(taskpool_statistics(run->pool, 0), taskpool_n_iterations(run->pool));
    makespan_bound_print(least_bound(run));
    if (run->workload->functions->print)
        run->workload->functions->print(run->workload);
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
    json_decref(run->timeline);
    profile_writer_fini(&run->profile);
    taskpool_destroy(run->pool);
    workload_destroy(run->workload);
    taskpool_noise_fini(&run->noise);
    free(run->speeds);
    free(run->bounds_s);
}

/* --- a run --- */

/* On process 0. */
static enum status check_run_outputs(const struct run *run)
{
    TRY(beryl_sched_outputs_check(run->options));
    return vt_check_writable(run->options->profile, run->n_workers);
}

static enum status do_run(struct run *run, bool *accepted)
{
    TRY(find_workers(run));
    TRY(status_agree(run->comm, run->rank == 0 ? check_run_outputs(run) : STATUS_OK));
    run->checked = true;
    TRY(taskpool_trace_start(run->comm, &run->completed.pool));
    TRY(prepare_run(run));
    *accepted = true;
    print_run_start(run, run->options->pool.mode);
    TRY(run_iterations(run));
    return report_run_results(run);
}

enum status beryl_sched_run(const struct beryl_sched_options *options, MPI_Comm comm,
                            bool *accepted)
{
    struct run run = {.options = options, .comm = comm};
    enum status status = do_run(&run, accepted);
    if (run.checked && application_exit_status(status, *accepted) == 1)
        write_failed_run(&run, status);
    end_run(&run);
    taskpool_trace_destroy(run.completed.pool.trace);
    return status;
}

/* The file that the pool would read. */
static enum status try_known_speeds(struct run *run)
{
    const char *path = known_settings(run->options).speeds;
    double *speeds;
    if (!path || !*path)
        return STATUS_OK;
    TRY(speeds_read(run->comm, path, run->n_workers, &speeds));
    free(speeds);
    return STATUS_OK;
}

/* Reading a profile may take long, so that is left to the run. */
static enum status try_run(struct run *run)
{
    TRY(find_workers(run));
    TRY(find_speeds(run));
    TRY(try_known_speeds(run));
    TRY(machine_options_apply(&run->options->machine, &run->machine, &run->noise));
    return run->options->workload.profile ? STATUS_OK : create_workload(run);
}

enum status beryl_sched_try(const struct beryl_sched_options *options)
{
    struct run run = {.options = options, .comm = MPI_COMM_SELF};
    enum status status = try_run(&run);
    end_run(&run);
    return status;
}

static enum status compute_result(struct run *run, json_t **result)
{
    TRY(find_workers(run));
    TRY(prepare_run(run));
    TRY(run_iterations(run));
    *result = run_to_json(run);
    return CHECK_MEMORY(*result, "no memory for the result");
}

static enum status check_run_start(struct run *run, const char *scheduling)
{
    TRY(find_workers(run));
    TRY(prepare_run(run));
    if (scheduling)
        print_run_start(run, scheduling);
    return STATUS_OK;
}

enum status beryl_sched_check(const struct beryl_sched_options *options, MPI_Comm comm,
                              const char *scheduling)
{
    struct run run = {.options = options, .comm = comm};
    enum status status = check_run_start(&run, scheduling);
    end_run(&run);
    return status;
}

/* Seconds of an iteration, balancing before it included. */
static void note_completed(const struct run *run, int position, struct mode_records *records)
{
    for (int64_t i = 0; i < run->n_completed; i++) {
        const struct taskpool_iteration *statistics = taskpool_statistics(run->pool, i);
        json_t *entry = mode_records_note(
            records, position, statistics->makespan_s + statistics->balance_s, statistics);
        add_bound(run, i, entry);
    }
    records->lower_bound_s = fmin(records->lower_bound_s, least_bound(run));
    records->list[position].timeline = json_incref(run->timeline);
}

enum status beryl_sched_record(const struct beryl_sched_options *options, MPI_Comm comm,
                               int position, struct mode_records *records, json_t **result)
{
    struct run run = {.options = options, .comm = comm};
    mode_records_begin(records, position);
    enum status status = compute_result(&run, result);
    note_completed(&run, position, records);
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
    struct run run = {.options = options, .comm = comm};
    json_t *result = find_workers(&run) == STATUS_OK ? run_to_json(&run) : NULL;
    end_run(&run);
    return result;
}

enum status beryl_sched_simulate(const struct beryl_sched_options *options, json_t **result)
{
    struct run run = {.options = options, .comm = MPI_COMM_SELF};
    enum status status = compute_result(&run, result);
    end_run(&run);
    return status;
}
