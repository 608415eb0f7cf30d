/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/cli/program_run.h"

#include "sched/lab/trace/trace.h"
#include "sched/pool/core/speeds.h"
#include "sched/pool/core/task_data.h"
#include "sched/pool/modes/mode_options.h"
#include "support/arrays/blas_kernels.h"
#include "support/arrays/darray.h"
#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/base/memory.h"
#include "support/base/node.h"
#include "support/base/version.h"
#include "support/io/application.h"
#include "support/io/output_file.h"
#include "support/io/progress.h"
#include "support/io/text_file.h"
#include "tce/cli/tce_result.h"
#include "tce/execution/finite_check.h"
#include "tce/execution/plan_memory.h"
#include "tce/execution/program_instance.h"
#include "tce/execution/verification.h"
#include "tce/plan/predicted_tasks.h"

#include <stdio.h>

/* --- before --- */

static enum status check_program_outputs(const struct tce_options *options)
{
    char trace[TRACE_PATH];
    struct task_data_paths paths;
    bool has_blocks = task_data_paths(options->profile, &paths);
    const struct output outputs[] = {{"json", options->json},
                                     {"write-profile", options->profile},
                                     {"write-profile", has_blocks ? paths.blocks : NULL},
                                     {"write-profile", has_blocks ? paths.sizes : NULL},
                                     {"trace", trace_json_path(&options->pool, trace)}};
    TRY(outputs_check_distinct(outputs, 5, &options->file, 1));
    return outputs_check_writable(outputs, 4);
}

static enum status read_program(struct program_run *run)
{
    const struct tce_options *options = run->options;
    struct text_file text;
    TRY(status_agree(run->comm, run->rank == 0 ? check_program_outputs(options) : STATUS_OK));
    run->checked = !options->count_tasks && !options->dry_run;
    TRY(text_file_read_all(options->file, run->comm, &text));
    const struct program_source source = {.text = text.bytes,
                                          .length = text.length,
                                          .file = options->file,
                                          .pairs = options->settings.pairs};
    enum status status = program_instance_init(&source, run->comm, &run->instance);
    text_file_fini(&text);
    TRY(status);
    for (int i = 0; i < run->instance.program.n_tensors; i++)
        TRY(program_instance_check_fill(&run->instance, i));
    if (run->instance.program.n_unknowns > 0)
        return source_fail(options->file, run->instance.program.iterate_place,
                           "'iterate' is for methods, and for programs over a molecule: give one "
                           "after the file, or leave 'iterate' out and repeat the program with "
                           "--iterations");
    return speeds_check(run->comm, options->pool.speeds);
}

static void print_program_start(const struct program_run *run)
{
    const struct tce_options *options = run->options;
    const struct program *program = &run->instance.program;
    const struct plan *plan = run->instance.plan;
    log_print("beryl-tce %s\n\n", BERYL_VERSION);
    log_print("Program    %s: %d statement%s, %d contraction%s in %d stage%s\n", options->file,
              program->n_statements, log_plural(program->n_statements), plan->n_steps,
              log_plural(plan->n_steps), plan->n_stages, log_plural(plan->n_stages));
    double gigabytes = 1e-9 * sizeof(double) * plan->peak_elements;
    log_print("Tensors    %.3f GB at a time, %.3f GB per process\n", gigabytes,
              gigabytes / run->n_workers);
    log_print("Processes  %d, scheduling %s%s\n", run->n_workers,
              options->compare ? "compared: " : "",
              options->compare ? options->compare : options->pool.mode);
    blas_kernels_print(run->comm);
}

/* Prints the memory needed and available for each process. Refuses a program that does not fit,
 * unless it is only planned: a small machine can predict profiles of a larger one. */
static enum status check_program_memory(const struct program_run *run)
{
    const struct tce_options *options = run->options;
    const struct plan *plan = run->instance.plan;
    double in_use = (double)memory_part_bytes();
    struct plan_memory memory;
    TRY(status_agree(run->comm, plan_memory_estimate(plan, &options->contraction, &memory)));
    struct memory_need need = {.shared_bytes = memory.tensors / run->n_workers +
                                               darray_overhead_bytes(plan->n_tensors),
                               .own_bytes = memory.tables + plan_memory_scratch(&memory) +
                                            plan_memory_cached(&memory, run->n_workers)};
    struct memory_budget budget = memory_budget(options->memory_megabytes * 1000000, run->comm);
    double needed = need.shared_bytes + need.own_bytes;
    log_print(
        "Memory     %.0f MB per process: %.0f in use and the program's %.0f; available %.0f MB "
        "more\n\n",
        1e-6 * (needed + in_use), 1e-6 * in_use, 1e-6 * needed, 1e-6 * budget.main_bytes);
    if (options->dry_run)
        return STATUS_OK;
    return memory_check(options->file, &need, &budget,
                        "use more processes on more nodes, smaller tiles, or a smaller --cache");
}

/* --- without tensors --- */

static enum status predict(const struct program_run *run)
{
    struct predicted_tasks tasks;
    TRY(predicted_tasks_count(run->instance.plan, &tasks));
    log_print("Tasks      %lld, %.4g operations\n", (long long)tasks.n, tasks.flops);
    if (!run->options->profile)
        return STATUS_OK;
    return predicted_tasks_write(run->instance.plan, run->comm, run->options->profile);
}

/* --- iterations --- */

/* Resets tensors that statements assign to, or all tensors, to their declared values. */
static enum status fill_tensors(struct program_run *run, bool all)
{
    for (int i = 0; i < run->instance.program.n_tensors; i++)
        if (all || program_instance_is_assigned(&run->instance, i))
            TRY(program_instance_fill(&run->instance, i));
    return STATUS_OK;
}

static void print_iteration(const char *mode, int64_t i, const struct executor_record *done)
{
    log_print("%-12s %9lld %11.4g %9.2f %11.2f %% %9lld\n", mode, (long long)i, done->seconds,
              1e-9 * done->flops / done->seconds, 100 * done->statistics.efficiency,
              (long long)done->statistics.tasks);
}

static void watch_memory(struct program_run *run)
{
    int64_t bytes = memory_part_bytes();
    run->memory_bytes = bytes > run->memory_bytes ? bytes : run->memory_bytes;
}

/* The whole plan, shown as one piece of work. */
static enum status run_plan(struct program_run *run, struct executor_record *done)
{
    progress_begin("Contractions");
    enum status status =
        executor_run(run->instance.executor, 0, run->instance.plan->n_stages, done);
    progress_end();
    return status;
}

static enum status run_program_under(void *context, int position, int64_t round)
{
    struct program_run *run = context;
    const struct tce_options *options = run->options;
    const char *mode = options->modes.modes[position];
    struct executor *executor = run->instance.executor;
    struct mode_record *record = mode_records_begin(&run->records, position);
    struct taskpool_settings settings;
    mode_options_select(&options->pool, mode, &settings);
    settings.seed = comparison_run_seed(&run->records.comparison, position, round);
    settings.keep_history = options->profile != NULL;
    settings.keep_timeline = options->json != NULL;
    TRY(executor_start(executor, &settings));
    for (int64_t i = 0; i < options->iterations; i++) {
        struct executor_record done;
        TRY(fill_tensors(run, false));
        TRY(run_plan(run, &done));
        TRY(finite_check_run(&run->instance));
        tce_result_note(&run->records, position, &done);
        print_iteration(record->name, i, &done);
    }
    watch_memory(run);
    TRY(tce_result_note_timeline(executor, record));
    TRY(program_instance_sha256(&run->instance, record->sha256[0]));
    return mode_records_end(&run->records, position);
}

static enum status run_modes(struct program_run *run)
{
    run->records.comparison.oversubscribed = is_oversubscribed(run->comm);
    mode_records_start(&run->records, &run->options->modes);
    log_print("mode         iteration     seconds  GFLOP/s    efficiency     tasks\n");
    return mode_records_run(&run->records, run_program_under, run);
}

/* --- after --- */

/* Writes the completed iterations, with the failure, which remains the one that is reported. */
static void write_failed_program(struct program_run *run, enum status status)
{
    struct status_kept failure = status_keep();
    watch_memory(run);
    program_result_write(run, status, failure.text);
    status_restore(&failure);
}

/* Collective: standard output may be a pipe on one process alone. */
static bool json_is_written_last(const struct program_run *run)
{
    const char *path = run->options->json;
    int at_end = output_file_is_written_last(path, false);
    MPI_Bcast(&at_end, 1, MPI_INT, 0, run->comm);
    return at_end;
}

static enum status print_and_write(struct program_run *run)
{
    const struct tce_options *options = run->options;
    tce_result_print_scalars(&run->instance);
    log_print("\nSHA-256 of the results  %s\n", run->records.list[0].sha256[0]);
    if (options->compare)
        mode_records_print(&run->records, "run of the program");
    TRY(mode_records_check(&run->records, "result"));
    if (options->verify)
        TRY(verification_run(&run->instance));
    bool at_end = json_is_written_last(run);
    if (!options->compare)
        trace_sum(options->pool.trace, run->comm);
    if (!at_end)
        TRY(program_result_write(run, STATUS_OK, ""));
    if (options->profile)
        TRY(executor_write_profile(run->instance.executor, options->profile));
    if (!options->compare) {
        TRY(taskpool_trace_write(options->pool.trace, run->comm, NULL));
        trace_print(options->pool.trace);
    }
    return at_end ? program_result_write(run, STATUS_OK, "") : STATUS_OK;
}

static enum status run_program_stages(struct program_run *run)
{
    const struct tce_options *options = run->options;
    TRY(read_program(run));
    if (options->count_tasks)
        return tce_result_print_tasks(run->instance.plan, run->comm);
    print_program_start(run);
    TRY(check_program_memory(run));
    if (options->explain)
        TRY(status_agree(run->comm, run->rank == 0
                                        ? plan_print(run->instance.plan,
                                                     (enum plan_pass)(options->explain - 1), stdout)
                                        : STATUS_OK));
    if (options->dry_run)
        return predict(run);
    TRY(program_instance_start(&run->instance, &options->contraction));
    *run->accepted = true;
    TRY(fill_tensors(run, true));
    TRY(run_modes(run));
    return print_and_write(run);
}

enum status program_run(const struct tce_options *options, MPI_Comm comm, bool *accepted)
{
    struct program_run run = {.options = options,
                              .comm = comm,
                              .records = {.n_rounds = options->rounds,
                                          .trace = options->compare ? options->pool.trace : NULL,
                                          .comm = comm,
                                          .comparison = {.seed = options->pool.seed}},
                              .accepted = accepted};
    MPI_Comm_rank(comm, &run.rank);
    MPI_Comm_size(comm, &run.n_workers);
    enum status status = run_program_stages(&run);
    if (run.checked && application_exit_status(status, *accepted) == 1)
        write_failed_program(&run, status);
    mode_records_fini(&run.records);
    program_instance_fini(&run.instance);
    return status;
}
