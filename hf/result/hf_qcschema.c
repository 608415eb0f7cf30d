/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/result/hf_qcschema.h"

#include "basis/integrals/ecp.h"
#include "sched/lab/trace/trace.h"
#include "sched/pool/core/statistics_report.h"
#include "support/base/version.h"
#include "support/io/json.h"

#include <stdio.h>
#include <string.h>

void hf_outcome_set_status(struct hf_outcome *outcome, enum status status)
{
    outcome->status = status;
    snprintf(outcome->error, sizeof outcome->error, "%s", status == STATUS_OK ? "" : status_text());
}

struct hf_outcome hf_outcome_of(const struct hf_calculation *calculation,
                                const struct hf_files *files, enum status status)
{
    struct hf_outcome outcome = {
        .calculation = calculation, .files = files, .engines = hf_calculation_engines(calculation)};
    MPI_Comm_size(calculation->comm, &outcome.n_workers);
    hf_outcome_set_status(&outcome, status);
    return outcome;
}

/* NULL where no SCF was solved. */
static const struct scf_result *scf_of(const struct hf_outcome *outcome)
{
    const struct scf_result *result = &outcome->calculation->result;
    return result->n_orbitals > 0 ? result : NULL;
}

static json_t *molecule_to_json(const struct molecule *molecule)
{
    json_t *symbols = json_array(), *geometry = json_array(), *real = json_array();
    for (int64_t i = 0; i < molecule->n_atoms; i++) {
        const struct atom *atom = &molecule->atoms[i];
        /* QCElemental's symbol of a centre without an element. */
        json_array_append_new(
            symbols, json_string(atom->element == 0 ? "X" : element_symbol(atom->element)));
        json_array_append_new(real, json_boolean(!atom->ghost));
        for (int x = 0; x < 3; x++)
            json_array_append_new(geometry, json_real(atom->position[x]));
    }
    return json_pack("{s:s, s:i, s:o, s:o, s:o, s:f, s:i, s:b, s:b}", "schema_name",
                     "qcschema_molecule", "schema_version", 2, "symbols", symbols, "geometry",
                     geometry, "real", real, "molecular_charge", (double)molecule->charge,
                     "molecular_multiplicity", molecule->multiplicity, "fix_com", 1,
                     "fix_orientation", 1);
}

/* Those that belong to QCSchema's own, or the others. */
static void add_properties(const struct hf_input *input, const struct scf_result *scf,
                           bool of_qcschema, json_t *object)
{
    for (int p = 0; p < SCF_N_PROPERTIES; p++) {
        size_t n = (size_t)scf_properties[p]->count(&input->molecule);
        if (scf_properties[p]->is_of_qcschema == of_qcschema)
            json_object_set_new(object, scf_properties[p]->key,
                                json_real_array(scf->properties[p], n));
    }
}

static json_t *properties_to_json(const struct hf_outcome *outcome)
{
    const struct hf_input *input = &outcome->calculation->input;
    const struct scf_result *scf = scf_of(outcome);
    int64_t n_alpha = input->n_occupied[0];
    int64_t n_beta = input->n_occupied[input->n_densities - 1];
    json_t *properties = json_pack(
        "{s:I, s:I, s:I, s:I, s:f}", "calcinfo_nbasis", (json_int_t)input->shells->n_functions,
        "calcinfo_natom", (json_int_t)input->molecule.n_atoms, "calcinfo_nalpha",
        (json_int_t)n_alpha, "calcinfo_nbeta", (json_int_t)n_beta, "nuclear_repulsion_energy",
        molecule_nuclear_repulsion(&input->placed));
    if (!scf)
        return properties;
    json_object_update_new(
        properties,
        json_pack("{s:I, s:o, s:o, s:o, s:I}", "calcinfo_nmo", (json_int_t)scf->n_orbitals,
                  "scf_total_energy", json_real_or_null(scf->energy), "scf_one_electron_energy",
                  json_real_or_null(scf->one_electron_energy), "scf_two_electron_energy",
                  json_real_or_null(scf->two_electron_energy), "scf_iterations",
                  (json_int_t)scf->iterations));
    add_properties(input, scf, true, properties);
    return properties;
}

void hf_qcschema_add_build(const struct fock_record *build, json_t *iteration)
{
    json_object_set_new(iteration, "fock_seconds", json_real(build->seconds));
    json_object_set_new(iteration, "integrals", json_integer(build->integrals));
    if (build->kept_bytes == 0)
        return;
    json_object_set_new(iteration, "integrals_read", json_integer(build->integrals_read));
    json_object_set_new(iteration, "kept_hits", json_integer(build->kept_hits));
    json_object_set_new(iteration, "kept_misses", json_integer(build->kept_misses));
    json_object_set_new(iteration, "kept_bytes", json_integer(build->kept_bytes));
}

/* extras.beryl.iterations. */
static json_t *builds_to_json(const struct fock_record *builds, int64_t n)
{
    json_t *iterations = json_array();
    for (int64_t i = 0; i < n; i++) {
        json_t *entry = statistics_to_json(&builds[i].statistics);
        hf_qcschema_add_build(&builds[i], entry);
        json_array_append_new(iterations, entry);
    }
    return iterations;
}

static json_t *scf_iteration_to_json(const struct scf_iteration *iteration)
{
    return json_pack(
        "{s:I, s:s, s:o, s:o, s:I, s:f, s:f}", "iteration", (json_int_t)iteration->iteration,
        "method", iteration->method, "energy", json_real_or_null(iteration->energy), "gradient",
        json_real_or_null(iteration->gradient), "n_builds", (json_int_t)iteration->n_builds,
        "fock_seconds", iteration->fock_seconds, "algebra_seconds", iteration->algebra_seconds);
}

/* extras.beryl.scf_iterations. */
static json_t *scf_iterations_to_json(const struct hf_calculation *calculation)
{
    json_t *iterations = json_array();
    for (int64_t i = 0; i < calculation->n_iterations; i++)
        json_array_append_new(iterations, scf_iteration_to_json(&calculation->iterations[i]));
    return iterations;
}

/* An entry of extras.beryl.stability. */
static json_t *curvature_to_json(const struct scf_curvature *curvature)
{
    enum scf_verdict verdict = scf_curvature_verdict(curvature);
    return json_pack(
        "{s:o, s:o, s:o}", "lowest_curvature", json_real_or_null(curvature->eigenvalue), "error",
        json_real_or_null(curvature->error), "stable",
        verdict == SCF_VERDICT_NOT_SETTLED ? json_null()
                                           : json_boolean(verdict == SCF_VERDICT_STABLE));
}

/* Curvatures by space where they were tested, and the saddle points left. */
static void add_stability(const struct scf_result *scf, json_t *extras)
{
    static const char *const keys[SCF_SPACES] = {"real_rhf", "real_uhf", "real_rohf"};
    json_t *stability = json_object(), *points = json_object(), *saddles = json_array();
    for (int space = (int)scf->space; space <= (int)scf_widest_space(scf->space); space++)
        json_object_set_new(
            points, keys[space],
            json_string(scf_point_name(scf_result_point(scf, (enum scf_space)space))));
    for (int space = 0; space < SCF_SPACES; space++)
        if (scf->curvature[space].n_products > 0)
            json_object_set_new(stability, keys[space], curvature_to_json(&scf->curvature[space]));
    for (int i = 0; i < scf->n_saddles; i++)
        json_array_append_new(
            saddles, json_pack("{s:o, s:o}", "energy", json_real_or_null(scf->saddles[i].energy),
                               "lowest_curvature", json_real_or_null(scf->saddles[i].curvature)));
    if (scf->curvature[scf->space].n_products > 0)
        json_object_set_new(extras, "lowest_curvature",
                            json_real_or_null(scf->curvature[scf->space].eigenvalue));
    json_object_set_new(extras, "stability", stability);
    json_object_set_new(extras, "stationary_point", points);
    json_object_set_new(extras, "saddle_points_left", saddles);
}

/* The starts of a search, the first solution among them. */
static json_t *search_to_json(const struct hf_calculation *calculation)
{
    json_t *starts = json_array();
    for (int64_t i = 0; i < calculation->n_starts; i++) {
        const struct hf_start *start = &calculation->starts[i];
        json_array_append_new(starts, json_pack("{s:s, s:o, s:I, s:b}", "name", start->name,
                                                "energy", json_real_or_null(start->energy),
                                                "iterations", (json_int_t)start->iterations,
                                                "converged", start->converged));
    }
    return starts;
}

static void add_scf_extras(const struct hf_outcome *outcome, json_t *extras)
{
    const struct scf_result *scf = scf_of(outcome);
    json_t *energies = json_array();
    for (int spin = 0; spin < outcome->calculation->input.n_orbital_sets; spin++)
        json_array_append_new(
            energies, json_real_array(scf->orbital_energies[spin], (size_t)scf->n_orbitals));
    json_object_set_new(extras, "orbital_energies", energies);
    add_properties(&outcome->calculation->input, scf, false, extras);
    json_object_set_new(extras, "s2", json_real_or_null(scf->s2));
    if (scf->keeps_occupation)
        json_object_set_new(extras, "occupation_overlap", json_real(scf->occupation_overlap));
    json_object_set_new(extras, "orbital_gradient", json_real_or_null(scf->gradient));
    json_object_set_new(extras, "fock_builds", json_integer(scf->fock_builds));
    add_stability(scf, extras);
}

static json_t *engines_to_json(const struct engine_use *engines)
{
    json_t *computed = json_object();
    for (int i = 0; two_electron_engine_name(i); i++)
        json_object_set_new(computed, two_electron_engine_name(i),
                            json_pack("{s:I, s:I, s:I}", "quartets",
                                      (json_int_t)engines->computed[i].quartets, "batches",
                                      (json_int_t)engines->computed[i].batches, "lanes",
                                      (json_int_t)engines->computed[i].lanes));
    return json_pack("{s:s, s:o}", "first", two_electron_engine_name(engines->first), "computed",
                     computed);
}

/* Adds the Fock builds of one mode, or of all compared modes. */
static void add_builds(const struct hf_outcome *outcome, json_t *extras)
{
    const struct fock *fock = outcome->calculation->fock;
    if (outcome->compared) {
        const char *digests[] = {"fock_sha256", outcome->calculation->input.n_densities == 2
                                                    ? "fock_sha256_beta"
                                                    : NULL};
        json_object_set_new(extras, "compare", mode_records_to_json(outcome->compared, digests));
        json_object_set_new(extras, "comparison", mode_records_summary_to_json(outcome->compared));
    }
    if (outcome->compares)
        return;
    json_object_set_new(extras, "sched", json_string(outcome->calculation->settings->pool.mode));
    json_object_set_new(
        extras, "iterations",
        builds_to_json(fock ? fock_records(fock) : NULL, fock ? fock_n_builds(fock) : 0));
    if (outcome->timeline)
        json_object_set(extras, "timeline", outcome->timeline);
}

static void add_density(const struct hf_outcome *outcome, json_t *extras)
{
    const struct hf_density_digest *density = outcome->density;
    bool both = outcome->calculation->input.n_densities == 2;
    if (density && density->name)
        json_object_update_new(extras, json_pack("{s:o, s:s, s:s*, s:f}", "density",
                                                 json_text(density->name), "density_sha256",
                                                 density->sha256[0], "density_sha256_beta",
                                                 both ? density->sha256[1] : NULL,
                                                 "density_seconds", density->seconds));
}

static void add_symmetry(const struct hf_input *input, json_t *extras)
{
    if (input->group.order > 0)
        json_object_set_new(extras, "point_group", json_string(input->group.name));
    if (input->moved > 0)
        json_object_set_new(extras, "symmetry_moved_bohr", json_real(input->moved));
}

/* Electrons that core potentials replace, of each centre. */
static void add_cores(const struct molecule *molecule, json_t *extras)
{
    json_t *cores = json_array();
    for (int64_t i = 0; i < molecule->n_atoms; i++)
        json_array_append_new(cores, json_integer(atom_n_core(&molecule->atoms[i])));
    if (ecp_needed(molecule))
        json_object_set(extras, "core_electrons", cores);
    json_decref(cores);
}

static json_t *class_cost_to_json(const struct class_cost *cost)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:f, s:f, s:f}", "quartets", (json_int_t)cost->quartets,
                     "integrals", (json_int_t)cost->integrals, "primitives",
                     (json_int_t)cost->primitives, "lanes", (json_int_t)cost->lanes,
                     "selection_seconds", cost->selection_s, "integral_seconds", cost->integral_s,
                     "digestion_seconds", cost->digestion_s);
}

/* extras.beryl.classes. */
static json_t *class_costs_to_json(const struct class_costs *costs)
{
    json_t *classes = json_object();
    int n = costs->n_pair_types;
    for (int class = 0; class < n * n; class ++) {
        char name[CLASS_NAME_SIZE];
        class_costs_name(costs, class / n, class % n, name);
        if (costs->of[class].quartets > 0)
            json_object_set_new(classes, name, class_cost_to_json(&costs->of[class]));
    }
    return classes;
}

/* extras.beryl.prediction. */
static json_t *prediction_to_json(const struct hf_prediction *prediction)
{
    const struct fock_prediction *fock = &prediction->fock;
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:[i, i], s:[f, f]}", "tasks",
        (json_int_t)prediction->tasks, "non_null", (json_int_t)prediction->non_null, "integrals",
        (json_int_t)prediction->integrals, "build_integrals", (json_int_t)fock->integrals,
        "sampled_integrals", (json_int_t)fock->sampled_integrals, "sample_seconds", fock->sample_s,
        "build_seconds", fock->direct_s, "kept_fraction", fock->kept_fraction,
        "first_build_seconds", fock->first_s, "later_build_seconds", fock->later_s, "scf_builds",
        prediction->scf_builds[0], prediction->scf_builds[1], "scf_fock_seconds",
        prediction->scf_s[0], prediction->scf_s[1]);
}

/* extras.beryl: the keys of Beryl's own. */
static json_t *extras_to_json(const struct hf_outcome *outcome)
{
    const struct hf_calculation *calculation = outcome->calculation;
    json_t *extras = json_pack("{s:i}", "workers", outcome->n_workers);
    if (calculation->fock) {
        const struct fock_tasks *tasks = fock_tasks_of(calculation->fock);
        json_object_set_new(extras, "tasks", json_integer(fock_tasks_n_all(tasks)));
        json_object_set_new(extras, "non_null", json_integer(fock_tasks_n_non_null(tasks)));
    }
    /* With *, a key whose value is NULL is left out. */
    json_object_update_new(extras, json_pack("{s:I, s:s*, s:s*}", "memory_peak_bytes",
                                             (json_int_t)outcome->memory_peak_bytes, "fock_sha256",
                                             outcome->fock_sha256, "fock_sha256_beta",
                                             outcome->fock_sha256_beta));
    if (outcome->memory_part_bytes > 0)
        json_object_set_new(extras, "memory_part_bytes", json_integer(outcome->memory_part_bytes));
    add_symmetry(&outcome->calculation->input, extras);
    add_cores(&outcome->calculation->input.molecule, extras);
    json_object_set_new(extras, "wall_seconds", json_wall_time(&outcome->wall));
    if (outcome->prediction)
        json_object_set_new(extras, "prediction", prediction_to_json(outcome->prediction));
    add_density(outcome, extras);
    if (scf_of(outcome))
        add_scf_extras(outcome, extras);
    if (calculation->iterations)
        json_object_set_new(extras, "scf_iterations", scf_iterations_to_json(calculation));
    if (calculation->starts)
        json_object_set_new(extras, "starts", search_to_json(calculation));
    add_builds(outcome, extras);
    json_object_set_new(extras, "engines", engines_to_json(&outcome->engines));
    if (outcome->class_costs)
        json_object_set_new(extras, "classes", class_costs_to_json(outcome->class_costs));
    if (outcome->calculation->settings->pool.trace && !outcome->compares)
        json_object_set_new(extras, "trace",
                            trace_to_json(outcome->calculation->settings->pool.trace));
    if (outcome->hardware)
        json_object_set(extras, "hardware", outcome->hardware);
    json_object_set(extras, "command", outcome->command);
    json_object_set(extras, "options", outcome->options);
    return extras;
}

/* Molecule, basis and their properties. */
static void add_input(const struct hf_outcome *outcome, json_t *result)
{
    static const char *const methods[] = {
        [METHOD_RHF] = "rhf", [METHOD_UHF] = "uhf", [METHOD_ROHF] = "rohf"};
    const struct hf_input *input = &outcome->calculation->input;
    json_t *model = json_pack("{s:o}", "basis", json_text(outcome->calculation->settings->basis));
    if (input->shells) {
        json_object_set_new(model, "method", json_string(methods[input->method]));
        json_object_set_new(result, "molecule", molecule_to_json(&input->molecule));
        json_object_set_new(result, "properties", properties_to_json(outcome));
    }
    json_object_set_new(result, "model", model);
}

/* The total energy, hartree; null if it was not computed. */
static json_t *energy_to_json(const struct hf_outcome *outcome)
{
    const struct hf_correlated *correlated = outcome->correlated;
    if (correlated)
        return correlated->has_energy ? json_real_or_null(correlated->energy) : json_null();
    return scf_of(outcome) ? json_real_or_null(scf_of(outcome)->energy) : json_null();
}

/* Adds the method's properties to the SCF's. */
static void add_correlated(const struct hf_correlated *correlated, json_t *result)
{
    json_t *model = json_object_get(result, "model");
    json_t *extras = json_object_get(json_object_get(result, "extras"), "beryl");
    json_object_set_new(model, "method", json_text(correlated->method));
    json_object_update(json_object_get(result, "properties"), correlated->properties);
    json_object_update(extras, correlated->extras);
}

/* Adds to the result the values of its AtomicInput that do not describe the run and were checked. */
static void add_atomic_input(const json_t *input, json_t *result)
{
    static const char *const kept[] = {"id", "driver", "keywords"};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        json_t *value = json_object_get(input, kept[i]);
        if (value && !json_is_null(value))
            json_object_set(result, kept[i], value);
    }
    json_object_update_missing(json_object_get(result, "extras"), json_object_get(input, "extras"));
    if (strcmp(json_string_value(json_object_get(result, "driver")), "properties") == 0)
        json_object_set(result, "return_result", json_object_get(result, "properties"));
}

json_t *hf_qcschema_fail(const struct hf_outcome *outcome, json_t *document)
{
    if (!document || !outcome->atomic_input || outcome->status == STATUS_OK)
        return document;
    json_t *failed =
        json_pack("{s:O*, s:O, s:b, s:O, s:O}", "id", json_object_get(document, "id"), "input_data",
                  outcome->atomic_input, "success", 0, "error", json_object_get(document, "error"),
                  "extras", json_object_get(document, "extras"));
    json_decref(document);
    return failed;
}

json_t *hf_qcschema_to_json(const struct hf_outcome *outcome)
{
    bool success = outcome->status == STATUS_OK;
    json_t *result = json_pack("{s:s, s:i, s:s, s:b, s:o}", "schema_name", "qcschema_output",
                               "schema_version", 1, "driver", "energy", "success", success,
                               "return_result", energy_to_json(outcome));
    if (!result)
        return NULL;
    add_input(outcome, result);
    json_object_set_new(result, "keywords", json_object());
    json_object_set_new(result, "provenance",
                        json_pack("{s:s, s:s, s:s}", "creator", "Beryl", "version", BERYL_VERSION,
                                  "routine",
                                  outcome->correlated ? outcome->correlated->program : "beryl-hf"));
    if (!success)
        json_object_set_new(result, "error", json_error(outcome->status, outcome->error));
    json_object_set_new(result, "extras", json_pack("{s:o}", "beryl", extras_to_json(outcome)));
    if (outcome->correlated)
        add_correlated(outcome->correlated, result);
    if (outcome->atomic_input)
        add_atomic_input(outcome->atomic_input, result);
    return result;
}
