/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/cli/method_run.h"

#include "hf/checkpoint/checkpoint.h"
#include "hf/result/hf_outputs.h"
#include "hf/result/hf_print.h"
#include "hf/result/hf_qcschema.h"
#include "hf/scf/scf_report.h"
#include "sched/lab/comparison/mode_records.h"
#include "sched/pool/modes/mode_options.h"
#include "support/base/agree.h"
#include "support/base/die.h"
#include "support/base/log.h"
#include "support/base/memory.h"
#include "support/base/node.h"
#include "support/base/version.h"
#include "support/io/application.h"
#include "tce/calculation/method_calculation.h"
#include "tce/cli/diagnostics_result.h"
#include "tce/cli/method_files.h"
#include "tce/cli/program_result.h"
#include "tce/methods/correlation_checkpoint.h"
#include "tce/methods/methods.h"
#include "tce/plan/predicted_tasks.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct method_run {
    const struct tce_options *options;
    MPI_Comm comm;
    int rank;
    struct hf_settings scf_settings;
    struct method_settings settings;
    struct text_file text; /* of a user's program */
    struct hf_calculation hf;
    struct method_calculation calculation;
    struct mode_records records;
    double energies[MODES_MAX]; /* of correlation, under each mode, hartree */
    struct diagnostics diagnostics;
    bool *accepted;
    bool checked; /* the outputs can be written */
};

static struct taskpool_settings pool_of(const struct method_run *run, const char *mode)
{
    struct taskpool_settings pool;
    mode_options_select(&run->scf_settings.pool, mode, &pool);
    return pool;
}

/* --- before the SCF --- */

static enum status read_input(struct method_run *run)
{
    const struct tce_options *options = run->options;
    TRY(method_files_check(options, run->comm));
    run->checked = true;
    TRY(method_files_read_program(options, run->comm, &run->text, &run->settings));
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
    log_print("Method     %s: %lld occupied and %lld virtual %s, %lld%s frozen\n", method,
              (long long)orbital_spaces_n_occupied(counts),
              (long long)orbital_spaces_n_virtual(counts),
              counts->n_spins == 1 ? "orbitals" : "spin orbitals", (long long)frozen.n_core, more);
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
        return plan_print(plan, stdout);
    return STATUS_OK;
}

/* Reports the size of a checkpoint with amplitudes, which are most of it. */
static void report_checkpoint(const struct method_run *run)
{
    const struct method_settings *settings = &run->options->settings;
    const struct correlation *correlation = &run->calculation.correlation;
    struct scf_problem problem = hf_calculation_problem(&run->hf);
    if (settings->checkpoint && correlation->instance.program.n_unknowns > 0)
        checkpoint_report_size(
            settings->checkpoint, settings->method, settings->checkpoint_every,
            correlation_checkpoint_bytes(&problem, correlation, (int)settings->diis_size),
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
    json_t *entry = program_result_note(records, position, &iteration->record);
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

static enum status solve_under_mode(struct method_run *run, int position, int64_t round)
{
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
    TRY(program_result_note_timeline(correlation->instance.executor, record));
    run->energies[position] = correlation_energy(correlation);
    TRY(program_instance_sha256(&correlation->instance, record->sha256[0]));
    return mode_records_end(&run->records, position);
}

static enum status solve_rounds(struct method_run *run)
{
    const struct hf_options *hf = &run->options->hf;
    run->records.comparison.oversubscribed = is_oversubscribed(run->comm);
    mode_records_start(&run->records, &hf->settings.modes);
    for (int64_t round = 0; round < hf->rounds; round++) {
        if (hf->rounds > 1)
            log_print("\nround %lld of %lld\n", (long long)round + 1, (long long)hf->rounds);
        int order[COMPARISON_MODES_MAX];
        comparison_draw_order(&run->records.comparison, round, order);
        for (int m = 0; m < hf->settings.modes.n; m++)
            TRY(solve_under_mode(run, order[m], round));
    }
    return STATUS_OK;
}

/* --- results --- */

static double total_energy(const struct method_run *run)
{
    return run->hf.result.energy + run->energies[0];
}

/* The scalars that the program reports. */
static void print_reports(const struct correlation *correlation)
{
    const struct program *program = &correlation->instance.program;
    for (int r = 0; r < program->n_reports; r++)
        log_print("  %-25s %20.10f\n", program->reports[r].label,
                  correlation_scalar(correlation, program->reports[r].tensor));
}

/* The method's name in results: of a user's program that of its file, without folders. */
static const char *title_of_method(const struct method_run *run)
{
    const char *method = run->options->method, *slash = strrchr(method, '/');
    return run->options->program && slash ? slash + 1 : method;
}

/* Of a user's program, which may have no energy, with its scalars. */
static void print_program_energies(const struct method_run *run)
{
    const struct correlation *correlation = &run->calculation.correlation;
    log_print("\n  Hartree-Fock energy       %20.10f hartree\n", run->hf.result.energy);
    if (correlation->energy >= 0) {
        log_print("  correlation energy        %20.10f\n", run->energies[0]);
        log_print("  total energy              %20.10f\n", total_energy(run));
    }
    scf_report_reference(run->hf.input.n_spins, &run->hf.result);
    log_print("\n");
    program_result_print_scalars(&correlation->instance);
    log_print("\n");
}

/* Whether iterations began with the amplitudes of MP2. */
static bool has_second_order(const struct method_run *run)
{
    return run->calculation.correlation.second_order >= 0;
}

static double second_order_total(const struct method_run *run)
{
    return run->hf.result.energy + run->calculation.correlation.second_order_energy;
}

static void print_method_energies(const struct method_run *run)
{
    char name[TCE_METHOD_LABEL_SIZE];
    if (run->options->program) {
        print_program_energies(run);
        return;
    }
    tce_method_label(run->options->method, name);
    for (char *letter = name; *letter; letter++)
        *letter = (char)toupper((unsigned char)*letter);
    log_print("\n  Hartree-Fock energy       %20.10f hartree\n", run->hf.result.energy);
    if (has_second_order(run))
        log_print("  MP2 correlation energy    %20.10f\n  total MP2    energy       %20.10f\n",
                  run->calculation.correlation.second_order_energy, second_order_total(run));
    print_reports(&run->calculation.correlation);
    log_print("  correlation energy        %20.10f\n", run->energies[0]);
    log_print("  total %-7s energy      %20.10f\n", name, total_energy(run));
    scf_report_reference(run->hf.input.n_spins, &run->hf.result);
    log_print("\n");
    diagnostics_print(&run->diagnostics, run->hf.input.n_spins == 2);
}

static void add_energies(const struct method_run *run, const char *method, double correlation,
                         json_t *properties)
{
    char key[128];
    snprintf(key, sizeof key, "%s_correlation_energy", method);
    json_object_set_new(properties, key, json_real(correlation));
    snprintf(key, sizeof key, "%s_total_energy", method);
    json_object_set_new(properties, key, json_real(run->hf.result.energy + correlation));
}

/* Under the names of QCSchema, for which CCSD(T) is ccsd_prt_pr beside ccsd. */
static json_t *method_properties_to_json(const struct method_run *run)
{
    char key[64], label[TCE_METHOD_LABEL_SIZE], iterated[TCE_METHOD_LABEL_SIZE];
    const struct correlation *correlation = &run->calculation.correlation;
    json_t *properties = json_object();
    if (run->options->program)
        return properties; /* the results of a user's program are its scalars */
    if (has_second_order(run))
        add_energies(run, "mp2", correlation->second_order_energy, properties);
    tce_method_label(run->options->method, label);
    snprintf(iterated, sizeof iterated, "%.*s", (int)strcspn(label, "("), label);
    if (strcmp(iterated, label) != 0) {
        snprintf(key, sizeof key, "%s_prt_pr", iterated);
        add_energies(run, key, run->energies[0], properties);
        add_energies(run, iterated, correlation_scalar(correlation, correlation->energy),
                     properties);
    } else {
        add_energies(run, iterated, run->energies[0], properties);
    }
    snprintf(key, sizeof key, "%s_iterations", iterated);
    json_object_set_new(properties, key, json_integer((json_int_t)correlation->n_iterations));
    return properties;
}

static json_t *modes_to_json(const struct method_run *run)
{
    json_t *compare = json_object();
    for (int m = 0; m < run->records.n; m++) {
        const struct mode_record *record = &run->records.list[m];
        if (!mode_record_has_run(record))
            continue;
        json_t *mode = mode_record_to_json(&run->records, m, (const char *[]){"sha256", NULL});
        json_object_set_new(mode, "correlation_energy", json_real(run->energies[m]));
        json_object_set_new(compare, record->name, mode);
    }
    return compare;
}

static void add_single_mode(const struct mode_record *record, json_t *extras)
{
    json_object_set(extras, "iterations", record->iterations);
    if (record->timeline)
        json_object_set(extras, "timeline", record->timeline);
}

static json_t *orbital_counts_to_json(const struct orbital_spaces *orbitals)
{
    struct frozen_orbitals frozen = orbital_spaces_n_frozen(orbitals);
    return json_pack("{s:I, s:I, s:I, s:I}", "frozen_orbitals", (json_int_t)frozen.n_core,
                     "frozen_virtual_orbitals", (json_int_t)frozen.n_virtual, "occupied_orbitals",
                     (json_int_t)orbital_spaces_n_occupied(orbitals), "virtual_orbitals",
                     (json_int_t)orbital_spaces_n_virtual(orbitals));
}

static json_t *method_extras_to_json(const struct method_run *run, int64_t memory_part_bytes)
{
    const struct orbital_spaces *orbitals = run->calculation.orbitals;
    const struct mode_records *records = &run->records;
    json_t *extras = json_pack("{s:I}", "memory_part_bytes", (json_int_t)memory_part_bytes);
    if (orbitals) {
        json_object_update_new(extras, orbital_counts_to_json(orbitals));
        json_object_set_new(extras, "integral_seconds",
                            json_real(run->calculation.correlation.integral_seconds));
    }
    json_t *diagnostics = diagnostics_to_json(&run->diagnostics, run->hf.input.n_spins == 2);
    if (diagnostics)
        json_object_set_new(extras, "diagnostics", diagnostics);
    if (records->n > 0 && run->options->hf.compare) {
        json_object_set_new(extras, "compare", modes_to_json(run));
        json_object_set_new(extras, "comparison", mode_records_summary_to_json(records));
    } else if (records->n > 0)
        add_single_mode(&records->list[0], extras);
    return extras;
}

/* Writes the files: none after bad input, and after another failure the --json. Returns the status,
 * or that of a file that could not be written. */
static enum status write_method_outputs(const struct method_run *run, enum status status)
{
    const struct hf_calculation *hf = &run->hf;
    const struct tce_options *options = run->options;
    if (!run->checked || application_exit_status(status, *run->accepted) == 2 ||
        run->options->dry_run || run->options->count_tasks)
        return status;
    struct memory_use memory =
        memory_use_of_all(run->calculation.correlation.memory_bytes, run->comm);
    char label[TCE_METHOD_LABEL_SIZE];
    int n_workers;
    tce_method_label(options->method, label);
    MPI_Comm_size(run->comm, &n_workers);
    program_result_print_memory(&memory);
    struct hf_correlated correlated = {.program = "beryl-tce",
                                       .method = options->program ? title_of_method(run) : label,
                                       .has_energy = status == STATUS_OK,
                                       .extras = method_extras_to_json(run, memory.part_bytes)};
    if (correlated.has_energy) {
        correlated.energy = total_energy(run);
        correlated.properties = method_properties_to_json(run);
        if (options->program || run->calculation.correlation.instance.program.n_reports > 0)
            json_object_set_new(
                correlated.extras, "scalars",
                program_result_scalars_to_json(&run->calculation.correlation.instance));
    }
    struct hf_outcome outcome = {.settings = hf->settings,
                                 .files = &options->hf.files,
                                 .command = tce_options_command(options),
                                 .options = tce_options_to_json(options, &hf->input),
                                 .compares = options->hf.compare,
                                 .input = &hf->input,
                                 .engines = hf_calculation_engines(hf),
                                 .fock = hf->fock,
                                 .scf = hf->result.n_orbitals > 0 ? &hf->result : NULL,
                                 .scf_iterations = hf->iterations,
                                 .n_scf_iterations = hf->n_iterations,
                                 .correlated = &correlated,
                                 .n_workers = n_workers,
                                 .memory_peak_bytes = memory.peak_bytes,
                                 .complete = status == STATUS_OK};
    hf_outcome_set_status(&outcome, status);
    status = hf_outputs_write(&outcome, run->comm);
    json_decref(outcome.command);
    json_decref(outcome.options);
    json_decref(correlated.properties);
    json_decref(correlated.extras);
    return status;
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

static enum status run_method_stages(struct method_run *run)
{
    TRY(read_input(run));
    if (run->options->count_tasks)
        return program_result_print_tasks(run->calculation.correlation.instance.plan, run->comm);
    TRY(prepare_method(run));
    if (run->options->dry_run)
        return write_method_profile(run);
    TRY(run_scf_of_method(run));
    TRY(solve_rounds(run));
    TRY(write_method_profile(run));
    TRY(diagnostics_find(&run->calculation.correlation, &run->diagnostics));
    print_method_energies(run);
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
    enum status status = write_method_outputs(run, run_method_stages(run));
    mode_records_fini(&run->records);
    method_calculation_fini(&run->calculation);
    hf_calculation_fini(&run->hf);
    text_file_fini(&run->text);
    free(run);
    return status;
}
