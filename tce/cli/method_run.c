/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/cli/method_run.h"

#include "hf/checkpoint/checkpoint.h"
#include "hf/result/hf_outputs.h"
#include "hf/result/hf_print.h"
#include "sched/lab/comparison/mode_records.h"
#include "sched/pool/modes/mode_options.h"
#include "support/base/agree.h"
#include "support/base/die.h"
#include "support/base/log.h"
#include "support/base/node.h"
#include "support/base/version.h"
#include "support/io/output_file.h"
#include "tce/calculation/method_calculation.h"
#include "tce/cli/tce_result.h"
#include "tce/methods/correlation_checkpoint.h"
#include "tce/methods/methods.h"
#include "tce/plan/predicted_tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct taskpool_settings pool_of(const struct method_run *run, const char *mode)
{
    struct taskpool_settings pool;
    mode_options_select(&run->scf_settings.pool, mode, &pool);
    return pool;
}

/* --- before the SCF --- */

/* All outputs can be written, and none is an input or another output. */
static enum status check_outputs(const struct tce_options *options, MPI_Comm comm)
{
    struct hf_files files = options->hf.files;
    const struct output fcidump = {"write-fcidump", options->settings.fcidump};
    files.profile = options->profile;
    TRY(hf_outputs_check(&options->hf.settings, &files, fcidump, options->program, comm));
    bool is_stream = fcidump.path && output_file_is_stream(fcidump.path);
    return status_agree(
        comm, is_stream ? FAIL(STATUS_USAGE, "--write-fcidump %s: it is no regular file; name one",
                               fcidump.path)
                        : STATUS_OK);
}

static enum status read_input(struct method_run *run)
{
    const struct tce_options *options = run->options;
    TRY(check_outputs(options, run->comm));
    if (options->program) {
        TRY(text_file_read_all(options->program, run->comm, &run->text));
        run->settings.text = run->text.bytes;
        run->settings.length = run->text.length;
    }
    run->checked = true;
    TRY(hf_calculation_read(&run->scf_settings, run->comm, &run->hf));
    TRY(method_calculation_plan(&run->settings, &run->hf, &run->calculation));
    if (run->calculation.has_amplitudes)
        run->scf_settings.scf.checkpoint = NULL;
    return STATUS_OK;
}

static void print_orbital_counts(const char *method, const struct orbital_spaces *counts)
{
    struct frozen_orbitals frozen = orbital_spaces_n_frozen(counts);
    char more[64] = "";
    if (frozen.n_virtual > 0) /* else only occupied ones can be meant */
        snprintf(more, sizeof more, " occupied and %lld virtual ones", (long long)frozen.n_virtual);
    log_print(
        "Method     %s: %lld occupied and %lld virtual %s, %lld%s frozen\n", method,
        (long long)orbital_spaces_n_occupied(counts), (long long)orbital_spaces_n_virtual(counts),
        counts->n_orbital_sets == 1 ? "orbitals" : "spin orbitals", (long long)frozen.n_core, more);
}

static enum status print_method(const struct method_run *run)
{
    const struct method_calculation *calculation = &run->calculation;
    const struct plan *plan = calculation->correlation.instance.plan;
    const char *restart = run->scf_settings.restart;
    struct predicted_tasks tasks;
    TRY(predicted_tasks_count(plan, &tasks));
    print_orbital_counts(run->options->method, &calculation->counts);
    log_print("           %d contractions in %d stages, %lld tasks, %.3g operations\n",
              plan->n_steps, plan->n_stages, (long long)tasks.n, tasks.flops);
    if (calculation->has_amplitudes)
        log_print("Restart    orbitals and amplitudes of %s, after iteration %lld, with %lld DIIS "
                  "vectors\n",
                  restart, (long long)calculation->progress.iteration,
                  (long long)calculation->progress.n_steps);
    else if (restart)
        log_print("Restart    orbitals of %s\n", restart);
    if (run->options->explain && run->rank == 0)
        return plan_print(plan, (enum plan_pass)(run->options->explain - 1), stdout);
    return STATUS_OK;
}

/* Reports the size of a checkpoint with amplitudes, which are most of it. */
static void report_checkpoint(const struct method_run *run)
{
    const struct method_settings *settings = &run->options->settings;
    const struct correlation *correlation = &run->calculation.correlation;
    if (settings->checkpoint && correlation->instance.program.n_unknowns > 0)
        checkpoint_report_size(
            settings->checkpoint, settings->method, settings->checkpoint_every,
            correlation_checkpoint_bytes(&run->hf.problem, correlation, (int)settings->diis_size),
            "diis-amplitudes");
}

static enum status prepare_method(struct method_run *run)
{
    log_print("beryl-tce %s\n\n", BERYL_VERSION);
    hf_print_input(&run->hf, run->options->hf.compare);
    TRY(hf_calculation_prepare_screening(&run->hf));
    TRY(status_agree(run->comm, print_method(run)));
    report_checkpoint(run);
    return method_calculation_check_memory(&run->calculation);
}

/* --- the SCF --- */

static enum status run_scf_of_method(struct method_run *run)
{
    struct taskpool_settings pool = pool_of(run, run->scf_settings.modes.modes[0]);
    TRY(hf_calculation_prepare_build(&run->hf, &pool));
    hf_print_tasks(&run->hf);
    *run->accepted = true;
    TRY(hf_calculation_guess(&run->hf));
    enum status status = hf_calculation_solve(&run->hf);
    if (status == STATUS_OK || status == STATUS_NOT_CONVERGED)
        hf_print_result(&run->hf, run->options->hf.all_orbitals);
    TRY(status);
    return method_calculation_prepare(&run->calculation, &pool);
}

/* --- the method --- */

static void note_iteration(const struct correlation_iteration *iteration, bool is_final,
                           int position, struct mode_records *records)
{
    json_t *entry = tce_result_note(records, position, &iteration->record);
    json_object_set_new(entry, "energy", json_real(iteration->energy));
    json_object_set_new(entry, "change", json_real(iteration->change));
    json_object_set_new(entry, "norm", json_real(iteration->norm));
    if (is_final)
        json_object_set_new(entry, "final", json_true());
}

/* Records the iterations, also of a solution that failed, and what follows them. */
static void note_iterations(const struct correlation *correlation, int position,
                            struct mode_records *records)
{
    for (int64_t i = 0; i < correlation->n_iterations; i++)
        note_iteration(&correlation->iterations[i], false, position, records);
    if (correlation->has_final)
        note_iteration(&correlation->final, true, position, records);
}

static enum status solve_under_mode(void *context, int position, int64_t round)
{
    struct method_run *run = context;
    const struct correlation *correlation = &run->calculation.correlation;
    struct mode_record *record = mode_records_begin(&run->records, position);
    struct taskpool_settings pool = pool_of(run, run->scf_settings.modes.modes[position]);
    pool.keep_history = run->options->profile != NULL;
    pool.seed = comparison_run_seed(&run->records.comparison, position, round);
    if (run->options->hf.compare)
        log_print("\nScheduling by %s\n", record->name);
    log_print("\n");
    enum status status = method_calculation_solve(&run->calculation, &pool);
    note_iterations(correlation, position, &run->records);
    TRY(status);
    TRY(tce_result_note_timeline(correlation->instance.executor, record));
    run->energies[position] = correlation_energy(correlation);
    TRY(program_instance_sha256(&correlation->instance, record->sha256[0]));
    return mode_records_end(&run->records, position);
}

static enum status solve_rounds(struct method_run *run)
{
    run->records.comparison.oversubscribed = is_oversubscribed(run->comm);
    mode_records_start(&run->records, &run->options->hf.settings.modes);
    return mode_records_run(&run->records, solve_under_mode, run);
}

/* --- the whole --- */

static enum status write_method_profile(const struct method_run *run)
{
    const struct program_instance *instance = &run->calculation.correlation.instance;
    const char *path = run->options->profile;
    if (!path)
        return STATUS_OK;
    return run->options->dry_run ? predicted_tasks_write(instance->plan, run->comm, path)
                                 : executor_write_profile(instance->executor, path);
}

/* Predicts the seconds of the equations, and writes what is asked for. */
static enum status run_dry_method(struct method_run *run)
{
    const struct plan *plan = run->calculation.correlation.instance.plan;
    TRY(predicted_tasks_seconds(plan, run->comm, &run->predicted));
    log_print("Predicted  ");
    if (run->predicted.iteration > 0)
        log_print("%.3g s for each iteration, %.3g s before and after them",
                  run->predicted.iteration, run->predicted.once);
    else
        log_print("%.3g s", run->predicted.once);
    log_print(", without SCF and integrals\n");
    return write_method_profile(run);
}

static enum status run_method_stages(struct method_run *run)
{
    TRY(read_input(run));
    if (run->options->count_tasks)
        return tce_result_print_tasks(run->calculation.correlation.instance.plan, run->comm);
    TRY(prepare_method(run));
    if (run->options->dry_run)
        return run_dry_method(run);
    TRY(run_scf_of_method(run));
    TRY(solve_rounds(run));
    TRY(write_method_profile(run));
    TRY(diagnostics_find(&run->calculation.correlation, &run->diagnostics));
    method_results_print(run);
    if (run->options->hf.compare)
        mode_records_print(&run->records, "iteration");
    return mode_records_check(&run->records, "result");
}

enum status method_run(const struct tce_options *options, MPI_Comm comm, bool *accepted)
{
    struct method_run *run = calloc(1, sizeof *run);
    if (!run)
        die_no_memory("no memory for the run of a method");
    *run = (struct method_run){
        .options = options,
        .comm = comm,
        .scf_settings = options->hf.settings,
        .settings = options->settings,
        .records = {.n_rounds = options->hf.rounds,
                    .trace = options->hf.compare ? options->hf.settings.pool.trace : NULL,
                    .comm = comm,
                    .comparison = {.seed = options->hf.settings.pool.seed}},
        .accepted = accepted};
    MPI_Comm_rank(comm, &run->rank);
    enum status status = method_results_write(run, run_method_stages(run));
    mode_records_fini(&run->records);
    method_calculation_fini(&run->calculation);
    hf_calculation_fini(&run->hf);
    text_file_fini(&run->text);
    free(run);
    return status;
}
