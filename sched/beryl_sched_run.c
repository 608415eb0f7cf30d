#include "sched/beryl_sched_run.h"

#include "sched/speeds.h"
#include "support/agree.h"
#include "support/json.h"
#include "support/log.h"
#include "support/output_file.h"

#include <stdbool.h>
#include <stdlib.h>

struct run {
    const struct beryl_sched_options *options;
    MPI_Comm comm;
    int rank, n_workers;
    bool simulated;
    double *speeds; /* n_workers, or NULL */
    struct taskpool_machine machine;
    struct workload *workload;
    struct taskpool *pool;
};

/* --- before --- */

static enum status check_output(const struct beryl_sched_options *options, const char *path)
{
    const char *inputs[] = {options->workload.profile, options->pool.speeds};
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++)
        if (output_file_same(path, inputs[i]))
            return FAIL(STATUS_USAGE, "%s is to be read and to be written: name another file",
                        path);
    return path ? output_file_check(path) : STATUS_OK;
}

static enum status check_files(const struct beryl_sched_options *options)
{
    if (output_file_same(options->json, options->statistics))
        return FAIL(STATUS_USAGE, "--json and --write-statistics name the same file");
    TRY(check_output(options, options->json));
    return check_output(options, options->statistics);
}

static enum status find_workers(struct run *run)
{
    const struct beryl_sched_options *options = run->options;
    MPI_Comm_rank(run->comm, &run->rank);
    MPI_Comm_size(run->comm, &run->n_workers);
    run->simulated = options->machine.n_workers > 0;
    if (run->simulated && run->n_workers > 1)
        return FAIL(STATUS_USAGE, "--simulate runs in one process, not in %d: leave out mpirun",
                    run->n_workers);
    if (run->simulated)
        run->n_workers = (int)options->machine.n_workers;
    TRY(status_agree(run->comm, run->rank == 0 ? check_files(options) : STATUS_OK));
    if (options->pool.speeds && *options->pool.speeds)
        TRY(speeds_read(run->comm, options->pool.speeds, run->n_workers, &run->speeds));
    return STATUS_OK;
}

static enum status create_workload(struct run *run)
{
    const struct beryl_sched_options *options = run->options;
    struct workload_settings settings = options->workload;
    settings.n_simulated = options->machine.n_workers;
    settings.node_size = options->machine.node_size;
    double speed = run->speeds ? run->speeds[run->rank] : 1;
    return workload_create(&settings, options->pool.seed, speed, run->comm, &run->workload);
}

static enum status create_pool(struct run *run)
{
    const struct machine_settings *machine = &run->options->machine;
    struct workload *workload = run->workload;
    const struct taskpool_settings *settings = &run->options->pool;
    if (!run->simulated)
        return taskpool_create(run->comm, &workload->problem, settings, &run->pool);
    run->machine = (struct taskpool_machine){
        .n_workers = run->n_workers,
        .node_size = (int)machine->node_size,
        .latency_s = machine->latency_s,
        .latency_spread_s = machine->latency_spread_s,
        .bandwidth = machine->bandwidth,
        .overhead_s = machine->overhead_s,
        .speeds = run->speeds,
        .time = workload->time,
        .context = workload,
    };
    struct taskpool_problem problem = workload->problem;
    problem.run = NULL; /* a simulated duration needs no waiting */
    return taskpool_simulate(&problem, settings, &run->machine, &run->pool);
}

/* --- iterations --- */

static const char *mode_name(const struct run *run)
{
    return taskpool_mode_name(run->options->pool.mode);
}

static void print_start(const struct run *run)
{
    log_print("beryl-sched %s\n\n", BERYL_VERSION);
    log_print("Workload   %s\n", run->workload->name);
    if (run->workload->problem.record_size == 0)
        log_print("Tasks      %lld\n", (long long)run->workload->problem.n_tasks);
    log_print("Workers    %d%s, scheduling %s\n\n", run->n_workers,
              run->simulated ? ", simulated" : "", mode_name(run));
}

static enum status iterate(struct run *run)
{
    const struct workload_functions *functions = run->workload->functions;
    run->workload->pool = run->pool;
    if (functions->begin)
        TRY(status_agree(run->comm, functions->begin(run->workload, run->comm)));
    for (int64_t i = 0; i < run->options->n_iterations; i++) {
        if (i > 0)
            TRY(taskpool_restore(run->pool));
        TRY(taskpool_run(run->pool));
        if (functions->end_iteration)
            TRY(functions->end_iteration(run->workload, run->comm));
    }
    return STATUS_OK;
}

/* --- after --- */

/* NULL when out of memory. */
static json_t *iterations_to_json(const struct taskpool *pool)
{
    json_t *iterations = json_array();
    for (int64_t i = 0; i < taskpool_n_iterations(pool); i++)
        if (json_array_append_new(iterations, statistics_to_json(taskpool_statistics(pool, i))) !=
            0) {
            json_decref(iterations);
            return NULL;
        }
    return iterations;
}

static json_t *result_to_json(const struct run *run)
{
    const struct workload *workload = run->workload;
    json_t *result = json_object();
    int failed = json_object_set_new(result, "workload", json_text(workload->name));
    if (workload->problem.record_size == 0)
        failed |= json_object_set_new(result, "tasks", json_integer(workload->problem.n_tasks));
    failed |= json_object_set_new(result, "workers", json_integer(run->n_workers));
    failed |= json_object_set_new(result, "sched", json_string(mode_name(run)));
    failed |= json_object_set_new(result, "options", beryl_sched_options_scheduling(run->options));
    if (run->simulated)
        failed |= json_object_set_new(result, "machine", beryl_sched_options_machine(run->options));
    if (workload->functions->add_result)
        workload->functions->add_result(workload, result);
    failed |= json_object_set_new(result, "iterations", iterations_to_json(run->pool));
    if (failed == 0)
        return result;
    json_decref(result);
    return NULL;
}

static enum status write_result(const struct run *run)
{
    json_t *result = result_to_json(run);
    if (!result)
        return FAIL(STATUS_NO_MEMORY, "no memory for the result");
    enum status status = json_write_file(result, run->options->json);
    json_decref(result);
    return status;
}

static enum status tell(const struct run *run)
{
    statistics_print(taskpool_statistics(run->pool, 0), taskpool_n_iterations(run->pool));
    if (run->workload->functions->print)
        run->workload->functions->print(run->workload);
    if (run->options->statistics)
        TRY(taskpool_write_statistics(run->pool, run->options->statistics));
    if (!run->options->json)
        return STATUS_OK;
    return status_agree(run->comm, run->rank == 0 ? write_result(run) : STATUS_OK);
}

static enum status do_all(struct run *run)
{
    TRY(find_workers(run));
    TRY(create_workload(run));
    TRY(create_pool(run));
    print_start(run);
    TRY(iterate(run));
    return tell(run);
}

enum status beryl_sched_run(const struct beryl_sched_options *options, MPI_Comm comm)
{
    struct run run = {.options = options, .comm = comm};
    enum status status = do_all(&run);
    taskpool_destroy(run.pool);
    workload_destroy(run.workload);
    free(run.speeds);
    return status;
}
