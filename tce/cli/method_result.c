/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/cli/method_result.h"

#include "hf/result/hf_outputs.h"
#include "hf/result/hf_qcschema.h"
#include "support/base/log.h"
#include "support/base/memory.h"
#include "taskpool/taskpool.h"
#include "tce/cli/program_result.h"

#include <ctype.h>
#include <stdio.h>

static double total_energy(const struct method_result *result)
{
    return result->hf->result.energy + result->energies[0];
}

void method_result_print(const struct method_result *result)
{
    char name[16];
    snprintf(name, sizeof name, "%s", result->options->method);
    for (char *letter = name; *letter; letter++)
        *letter = (char)toupper((unsigned char)*letter);
    log_print("\n  Hartree-Fock energy       %20.10f hartree\n", result->hf->result.energy);
    log_print("  correlation energy        %20.10f\n", result->energies[0]);
    log_print("  total %-6s energy       %20.10f\n\n", name, total_energy(result));
}

static json_t *method_properties_to_json(const struct method_result *result)
{
    char key[64];
    const char *method = result->options->method;
    const struct mode_record *record = &result->records->list[0];
    json_t *properties = json_object();
    snprintf(key, sizeof key, "%s_correlation_energy", method);
    json_object_set_new(properties, key, json_real(result->energies[0]));
    snprintf(key, sizeof key, "%s_total_energy", method);
    json_object_set_new(properties, key, json_real(total_energy(result)));
    snprintf(key, sizeof key, "%s_iterations", method);
    json_object_set_new(properties, key, json_integer((json_int_t)record->n_iterations));
    return properties;
}

static json_t *modes_to_json(const struct method_result *result)
{
    json_t *compare = json_object();
    for (int m = 0; m < result->records->n; m++) {
        const struct mode_record *record = &result->records->list[m];
        if (!mode_record_has_run(record))
            continue;
        json_t *mode = mode_record_to_json(result->records, m, (const char *[]){"sha256", NULL});
        json_object_set_new(mode, "correlation_energy", json_real(result->energies[m]));
        json_object_set_new(compare, record->name, mode);
    }
    return compare;
}

static void add_only_mode(const struct mode_record *record, json_t *extras)
{
    json_object_set(extras, "iterations", record->iterations);
    if (record->timeline)
        json_object_set(extras, "timeline", record->timeline);
}

static json_t *method_extras_to_json(const struct method_result *result, int64_t memory_part_bytes)
{
    const struct orbital_spaces *orbitals = result->calculation->orbitals;
    const struct mode_records *records = result->records;
    json_t *extras = json_pack("{s:I}", "memory_part_bytes", (json_int_t)memory_part_bytes);
    if (orbitals)
        json_object_update_new(
            extras, json_pack("{s:I, s:I, s:I, s:f}", "frozen_orbitals",
                              (json_int_t)orbital_spaces_n_core(orbitals), "occupied_orbitals",
                              (json_int_t)orbital_spaces_n_occupied(orbitals), "virtual_orbitals",
                              (json_int_t)orbital_spaces_n_virtual(orbitals), "integral_seconds",
                              result->calculation->correlation.integral_seconds));
    if (records->n > 0 && result->options->hf.compare) {
        json_object_set_new(extras, "compare", modes_to_json(result));
        json_object_set_new(extras, "comparison", mode_records_summary_to_json(records));
    } else if (records->n > 0)
        add_only_mode(&records->list[0], extras);
    return extras;
}

enum status method_result_write(const struct method_result *result, enum status status,
                                MPI_Comm comm)
{
    const struct hf_calculation *hf = result->hf;
    const struct tce_options *options = result->options;
    struct memory_use memory =
        memory_use_of_all(result->calculation->correlation.memory_bytes, comm);
    int n_workers;
    MPI_Comm_size(comm, &n_workers);
    program_result_print_memory(&memory);
    struct hf_correlated correlated = {.program = "beryl-tce",
                                       .method = options->method,
                                       .has_energy = status == STATUS_OK,
                                       .extras = method_extras_to_json(result, memory.part_bytes)};
    if (correlated.has_energy) {
        correlated.energy = total_energy(result);
        correlated.properties = method_properties_to_json(result);
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
    status = hf_outputs_write(&outcome, comm);
    json_decref(outcome.command);
    json_decref(outcome.options);
    json_decref(correlated.properties);
    json_decref(correlated.extras);
    return status;
}
