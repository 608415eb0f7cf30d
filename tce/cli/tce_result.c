/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/cli/tce_result.h"

#include "hf/result/hf_outputs.h"
#include "hf/result/hf_qcschema.h"
#include "hf/scf/scf_report.h"
#include "sched/lab/trace/trace.h"
#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/base/memory.h"
#include "support/io/application.h"
#include "support/io/json.h"
#include "support/mpi/wall_time.h"
#include "taskpool/taskpool.h"
#include "tce/methods/methods.h"

#include <stdio.h>
#include <string.h>

/* --- of programs and methods --- */

enum status tce_result_print_tasks(const struct plan *plan, MPI_Comm comm)
{
    struct predicted_tasks tasks;
    int rank;
    MPI_Comm_rank(comm, &rank);
    TRY(status_agree(comm, predicted_tasks_count(plan, &tasks)));
    if (rank == 0)
        printf("{\"tasks\": %lld, \"flops\": %.17g}\n", (long long)tasks.n, tasks.flops);
    return STATUS_OK;
}

static void print_memory(const struct memory_use *memory)
{
    log_print(
        "Peak memory %.0f MB per process, with all pages that it shares; between iterations %.0f "
        "with shared pages divided among processes, as in the estimate\n",
        1e-6 * (double)memory->peak_bytes, 1e-6 * (double)memory->part_bytes);
}

/* Whether the tensor is a scalar, and its value. */
static bool read_scalar(const struct program_instance *instance, int number, double *value)
{
    const struct tensor *tensor = executor_tensor(instance->executor, number);
    if (instance->program.tensors[number].rank > 0 || !tensor || block_index_n(tensor->blocks) == 0)
        return false;
    darray_get(tensor->data, 0, value);
    return true;
}

void tce_result_print_scalars(const struct program_instance *instance)
{
    double value;
    for (int i = 0; i < instance->program.n_tensors; i++)
        if (read_scalar(instance, i, &value))
            log_print("%-10s %.15g\n", instance->program.tensors[i].name, value);
}

/* {name: value} of those that statements assign to. */
static json_t *scalars_to_json(const struct program_instance *instance)
{
    json_t *scalars = json_object();
    double value;
    for (int i = 0; i < instance->program.n_tensors; i++)
        if (program_instance_is_assigned(instance, i) && read_scalar(instance, i, &value))
            json_object_set_new(scalars, instance->program.tensors[i].name, json_real(value));
    return scalars;
}

json_t *tce_result_note(struct mode_records *records, int position,
                        const struct executor_record *iteration)
{
    json_t *entry =
        mode_records_note(records, position, iteration->seconds, &iteration->statistics);
    json_object_set_new(entry, "seconds", json_real(iteration->seconds));
    json_object_set_new(entry, "flops", json_real(iteration->flops));
    return entry;
}

enum status tce_result_note_timeline(const struct executor *executor, struct mode_record *record)
{
    TRY(executor_timeline(executor, &record->timeline));
    if (record->timeline)
        json_object_set_new(record->timeline, "of",
                            json_string("the contraction with the most operations"));
    return STATUS_OK;
}

/* --- a program alone --- */

/* The modes that were run, or the only one, which a failure may have prevented from it. */
static json_t *modes_of_program(const struct program_run *run)
{
    const struct mode_records *records = &run->records;
    const char *digests[] = {"sha256", NULL};
    if (run->options->compare)
        return json_pack("{s:o, s:o}", "compare", mode_records_to_json(records, digests),
                         "comparison", mode_records_summary_to_json(records));
    if (records->n == 0)
        return json_pack("{s:s, s:[]}", "sched", run->options->pool.mode, "iterations");
    return mode_record_to_json(records, 0, digests);
}

static json_t *program_to_json(const struct program_run *run, const struct memory_use *memory,
                               const struct wall_time *wall, json_t *hardware, enum status outcome,
                               const char *error)
{
    const struct tce_options *options = run->options;
    json_t *json = json_pack(
        "{s:o, s:i, s:I, s:I, s:o, s:o, s:O*, s:o*}", "program", json_text(options->file),
        "workers", run->n_workers, "memory_peak_bytes", (json_int_t)memory->peak_bytes,
        "memory_part_bytes", (json_int_t)memory->part_bytes, "options",
        tce_options_to_json(options, NULL), "command", tce_options_command(options), "hardware",
        hardware, "error", outcome != STATUS_OK ? json_error(outcome, error) : NULL);
    if (!json)
        return NULL;
    json_object_set_new(json, "wall_seconds", json_wall_time(wall));
    if (options->pool.trace && !options->compare && outcome == STATUS_OK)
        json_object_set_new(json, "trace", trace_to_json(options->pool.trace));
    json_object_update_new(json, modes_of_program(run));
    return json;
}

enum status program_result_write(const struct program_run *run, enum status outcome,
                                 const char *error)
{
    struct memory_use memory = memory_use_of_all(run->memory_bytes, run->comm);
    struct wall_time wall = wall_time_of_all(run->comm);
    if (outcome == STATUS_OK) {
        print_memory(&memory);
        wall_time_print(&wall);
    }
    if (!run->options->json)
        return STATUS_OK;
    json_t *hardware = hardware_to_json(run->comm);
    json_t *json =
        run->rank == 0 ? program_to_json(run, &memory, &wall, hardware, outcome, error) : NULL;
    enum status status = run->rank == 0 ? json_write_file(json, run->options->json) : STATUS_OK;
    json_decref(json);
    json_decref(hardware);
    return status_agree(run->comm, status);
}

/* --- diagnostics --- */

/* "4 -> 7", "4a 5b -> 7a 7b". */
static void describe_excitation(const struct large_amplitude *amplitude, int rank, bool with_spins,
                                char *text, size_t size)
{
    size_t length = 0;
    for (int d = 0; d < rank; d++)
        length += (size_t)snprintf(text + length, size - length, "%s%lld%s",
                                   d == 0          ? ""
                                   : d == rank / 2 ? " -> "
                                                   : " ",
                                   (long long)amplitude->orbital[d],
                                   !with_spins             ? ""
                                   : amplitude->is_beta[d] ? "b"
                                                           : "a");
}

static void print_largest(const struct largest_amplitudes *largest, bool with_spins)
{
    for (int k = 0; k < largest->n; k++) {
        char text[128];
        describe_excitation(&largest->list[k], largest->rank, with_spins, text, sizeof text);
        log_print("  t%d  %-24s %14.8f\n", largest->rank / 2, text, largest->list[k].value);
    }
}

static void print_diagnostics(const struct diagnostics *diagnostics, bool with_spins)
{
    if (diagnostics->singles.rank == 0 && diagnostics->doubles.rank == 0)
        return;
    if (diagnostics->has_singles)
        log_print("  T1 diagnostic %.6f, D1 diagnostic %.6f\n", diagnostics->T1, diagnostics->D1);
    log_print("  largest amplitudes, by numbers of orbitals%s\n",
              with_spins ? " of spin alpha (a) and beta (b)" : "");
    print_largest(&diagnostics->singles, with_spins);
    print_largest(&diagnostics->doubles, with_spins);
    log_print("\n");
}

static json_t *large_amplitude_to_json(const struct large_amplitude *amplitude, int rank,
                                       bool with_spins)
{
    json_t *orbitals = json_array(), *spins = with_spins ? json_array() : NULL;
    for (int d = 0; d < rank; d++) {
        json_array_append_new(orbitals, json_integer((json_int_t)amplitude->orbital[d]));
        json_array_append_new(spins, json_string(amplitude->is_beta[d] ? "beta" : "alpha"));
    }
    return json_pack("{s:f, s:o, s:o*}", "value", amplitude->value, "orbitals", orbitals, "spins",
                     spins);
}

/* NULL: there are no such amplitudes. */
static json_t *largest_to_json(const struct largest_amplitudes *largest, bool with_spins)
{
    json_t *list = largest->rank > 0 ? json_array() : NULL;
    for (int k = 0; k < largest->n; k++)
        json_array_append_new(
            list, large_amplitude_to_json(&largest->list[k], largest->rank, with_spins));
    return list;
}

/* Those that are known; NULL: none. */
static json_t *diagnostics_to_json(const struct diagnostics *diagnostics, bool with_spins)
{
    bool has_singles = diagnostics->has_singles;
    if (diagnostics->singles.rank == 0 && diagnostics->doubles.rank == 0)
        return NULL;
    return json_pack("{s:o*, s:o*, s:o*, s:o*}", "t1",
                     has_singles ? json_real(diagnostics->T1) : NULL, "d1",
                     has_singles ? json_real(diagnostics->D1) : NULL, "largest_t1",
                     largest_to_json(&diagnostics->singles, with_spins), "largest_t2",
                     largest_to_json(&diagnostics->doubles, with_spins));
}

/* --- a method --- */

static double total_energy(const struct method_run *run)
{
    return run->hf.result.energy + run->energies[0];
}

/* Whether iterations began with the amplitudes of MP2. */
static bool has_second_order(const struct method_run *run)
{
    return run->calculation.correlation.second_order >= 0;
}

/* The method's name in results; for a user's program the name of its file, without folders. */
static const char *label_of_method(const struct method_run *run)
{
    const char *method = run->options->method, *slash = strrchr(method, '/');
    if (!run->options->program)
        return tce_method_find(method)->label;
    return slash ? slash + 1 : method;
}

void method_results_print(const struct method_run *run)
{
    const struct correlation *correlation = &run->calculation.correlation;
    const struct program *program = &correlation->instance.program;
    const struct tce_method *method =
        run->options->program ? NULL : tce_method_find(run->options->method);
    log_print("\n  Hartree-Fock energy       %20.10f hartree\n", run->hf.result.energy);
    if (method && has_second_order(run))
        log_print("  MP2 correlation energy    %20.10f\n  total MP2    energy       %20.10f\n",
                  correlation->second_order_energy,
                  run->hf.result.energy + correlation->second_order_energy);
    for (int r = 0; method && r < program->n_reports; r++)
        log_print("  %-25s %20.10f\n", program->reports[r].label,
                  correlation_scalar(correlation, program->reports[r].tensor));
    if (correlation->energy >= 0)
        log_print("  correlation energy        %20.10f\n", run->energies[0]);
    if (method)
        log_print("  total %-7s energy      %20.10f\n", method->title, total_energy(run));
    else if (correlation->energy >= 0)
        log_print("  total energy              %20.10f\n", total_energy(run));
    scf_report_reference(&run->hf.result);
    log_print("\n");
    if (method) {
        print_diagnostics(&run->diagnostics, run->hf.input.n_densities == 2);
        return;
    }
    tce_result_print_scalars(&correlation->instance);
    log_print("\n");
}

static void add_energies(const struct method_run *run, const char *method, double correlation,
                         json_t *properties)
{
    char key[TCE_METHOD_NAME_SIZE + sizeof "_correlation_energy"];
    snprintf(key, sizeof key, "%s_correlation_energy", method);
    json_object_set_new(properties, key, json_real(correlation));
    snprintf(key, sizeof key, "%s_total_energy", method);
    json_object_set_new(properties, key, json_real(run->hf.result.energy + correlation));
}

/* Under the names of QCSchema. */
static json_t *method_properties_to_json(const struct method_run *run)
{
    const struct correlation *correlation = &run->calculation.correlation;
    json_t *properties = json_object();
    if (run->options->program)
        return properties; /* the results of a user's program are its scalars */
    if (has_second_order(run))
        add_energies(run, "mp2", correlation->second_order_energy, properties);
    const struct tce_method *method = tce_method_find(run->options->method);
    add_energies(run, method->property, run->energies[0], properties);
    if (strcmp(method->iterated, method->name) != 0)
        add_energies(run, method->iterated, correlation_scalar(correlation, correlation->energy),
                     properties);
    char key[TCE_METHOD_NAME_SIZE + sizeof "_iterations"];
    snprintf(key, sizeof key, "%s_iterations", method->iterated);
    json_object_set_new(properties, key, json_integer((json_int_t)correlation->n_iterations));
    return properties;
}

static json_t *modes_to_json(const struct method_run *run)
{
    json_t *compare = mode_records_to_json(&run->records, (const char *[]){"sha256", NULL});
    for (int m = 0; m < run->records.n; m++)
        json_object_set_new(json_object_get(compare, run->records.list[m].name),
                            "correlation_energy", json_real(run->energies[m]));
    return compare;
}

/* Of each set of orbitals, from 1. */
static json_t *core_to_json(const struct orbital_spaces *orbitals)
{
    json_t *sets = json_array();
    for (int s = 0; s < orbitals->n_orbital_sets; s++) {
        json_t *numbers = json_array();
        for (int64_t i = 0; i < orbitals->spin[s].frozen.n_core; i++)
            json_array_append_new(
                numbers,
                json_integer((orbitals->spin[s].core ? orbitals->spin[s].core[i] : i) + 1));
        json_array_append_new(sets, numbers);
    }
    return sets;
}

static json_t *orbitals_to_json(const struct method_calculation *calculation)
{
    const struct orbital_spaces *orbitals = calculation->orbitals;
    struct frozen_orbitals frozen = orbital_spaces_n_frozen(orbitals);
    return json_pack("{s:I, s:o, s:I, s:I, s:I, s:f}", "frozen_orbitals", (json_int_t)frozen.n_core,
                     "frozen_orbital_numbers", core_to_json(orbitals), "frozen_virtual_orbitals",
                     (json_int_t)frozen.n_virtual, "occupied_orbitals",
                     (json_int_t)orbital_spaces_n_occupied(orbitals), "virtual_orbitals",
                     (json_int_t)orbital_spaces_n_virtual(orbitals), "integral_seconds",
                     calculation->correlation.integral_seconds);
}

static json_t *method_extras_to_json(const struct method_run *run, int64_t memory_part_bytes)
{
    const struct mode_records *records = &run->records;
    json_t *predicted = run->options->dry_run
                            ? json_pack("{s:f, s:f}", "iteration", run->predicted.iteration, "once",
                                        run->predicted.once)
                            : NULL;
    json_t *extras =
        json_pack("{s:I, s:o*, s:o*}", "memory_part_bytes", (json_int_t)memory_part_bytes,
                  "predicted_seconds", predicted, "diagnostics",
                  diagnostics_to_json(&run->diagnostics, run->hf.input.n_densities == 2));
    if (run->calculation.orbitals)
        json_object_update_new(extras, orbitals_to_json(&run->calculation));
    if (records->n > 0 && run->options->hf.compare)
        json_object_update_new(extras,
                               json_pack("{s:o, s:o}", "compare", modes_to_json(run), "comparison",
                                         mode_records_summary_to_json(records)));
    else if (records->n > 0)
        json_object_update_new(extras,
                               json_pack("{s:O, s:O*}", "iterations", records->list[0].iterations,
                                         "timeline", records->list[0].timeline));
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
    if (memory.part_bytes > 0)
        print_memory(&memory);
    struct hf_correlated correlated = {.program = "beryl-tce",
                                       .method = label_of_method(run),
                                       .has_energy = status == STATUS_OK && !options->dry_run,
                                       .extras = method_extras_to_json(run, memory.part_bytes)};
    if (correlated.has_energy) {
        correlated.energy = total_energy(run);
        correlated.properties = method_properties_to_json(run);
        if (options->program || run->calculation.correlation.instance.program.n_reports > 0)
            json_object_set_new(correlated.extras, "scalars",
                                scalars_to_json(&run->calculation.correlation.instance));
    }
    struct hf_outcome outcome = hf_outcome_of(hf, &options->hf.files, status);
    outcome.command = tce_options_command(options);
    outcome.options = tce_options_to_json(options, &hf->input);
    outcome.atomic_input = options->hf.input.has_model ? options->hf.input.document : NULL;
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
