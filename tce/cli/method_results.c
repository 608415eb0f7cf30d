/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/cli/method_results.h"

#include "hf/result/hf_outputs.h"
#include "hf/result/hf_qcschema.h"
#include "hf/scf/scf_report.h"
#include "support/base/log.h"
#include "support/base/memory.h"
#include "support/io/application.h"
#include "tce/cli/diagnostics_result.h"
#include "tce/cli/program_result.h"
#include "tce/methods/methods.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

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

/* Energies, if there are any, and scalars of a user's program. */
static void print_program_energies(const struct method_run *run)
{
    const struct correlation *correlation = &run->calculation.correlation;
    log_print("\n  Hartree-Fock energy       %20.10f hartree\n", run->hf.result.energy);
    if (correlation->energy >= 0) {
        log_print("  correlation energy        %20.10f\n", run->energies[0]);
        log_print("  total energy              %20.10f\n", total_energy(run));
    }
    scf_report_reference(&run->hf.result);
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

void method_results_print(const struct method_run *run)
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
    scf_report_reference(&run->hf.result);
    log_print("\n");
    diagnostics_print(&run->diagnostics, run->hf.input.method == METHOD_UHF);
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
    if (run->options->dry_run)
        json_object_set_new(extras, "predicted_seconds",
                            json_pack("{s:f, s:f}", "iteration", run->predicted.iteration, "once",
                                      run->predicted.once));
    if (orbitals) {
        json_object_update_new(extras, orbital_counts_to_json(orbitals));
        json_object_set_new(extras, "integral_seconds",
                            json_real(run->calculation.correlation.integral_seconds));
    }
    json_t *diagnostics =
        diagnostics_to_json(&run->diagnostics, run->hf.input.method == METHOD_UHF);
    if (diagnostics)
        json_object_set_new(extras, "diagnostics", diagnostics);
    if (records->n > 0 && run->options->hf.compare) {
        json_object_set_new(extras, "compare", modes_to_json(run));
        json_object_set_new(extras, "comparison", mode_records_summary_to_json(records));
    } else if (records->n > 0)
        add_single_mode(&records->list[0], extras);
    return extras;
}

enum status method_results_write(const struct method_run *run, enum status status)
{
    const struct hf_calculation *hf = &run->hf;
    const struct tce_options *options = run->options;
    if (!run->checked || application_exit_status(status, *run->accepted) == 2 ||
        run->options->count_tasks)
        return status;
    if (options->dry_run && !options->hf.files.json)
        return status;
    struct memory_use memory =
        memory_use_of_all(run->calculation.correlation.memory_bytes, run->comm);
    char label[TCE_METHOD_LABEL_SIZE];
    tce_method_label(options->method, label);
    if (memory.part_bytes > 0)
        program_result_print_memory(&memory);
    struct hf_correlated correlated = {.program = "beryl-tce",
                                       .method = options->program ? title_of_method(run) : label,
                                       .has_energy = status == STATUS_OK && !options->dry_run,
                                       .extras = method_extras_to_json(run, memory.part_bytes)};
    if (correlated.has_energy) {
        correlated.energy = total_energy(run);
        correlated.properties = method_properties_to_json(run);
        if (options->program || run->calculation.correlation.instance.program.n_reports > 0)
            json_object_set_new(
                correlated.extras, "scalars",
                program_result_scalars_to_json(&run->calculation.correlation.instance));
    }
    struct hf_outcome outcome = hf_outcome_of(hf, &options->hf.files, status);
    outcome.command = tce_options_command(options);
    outcome.options = tce_options_to_json(options, &hf->input);
    outcome.compares = options->hf.compare;
    outcome.correlated = &correlated;
    outcome.memory_peak_bytes = memory.peak_bytes;
    outcome.complete = status == STATUS_OK;
    status = hf_outputs_write(&outcome);
    json_decref(outcome.command);
    json_decref(outcome.options);
    json_decref(correlated.properties);
    json_decref(correlated.extras);
    return status;
}
