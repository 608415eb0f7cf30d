/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/cli/hf_run.h"

#include "hf/calculation/hf_calculation.h"
#include "hf/result/hf_outputs.h"
#include "hf/result/hf_print.h"
#include "sched/pool/core/statistics_report.h"
#include "sched/pool/modes/mode_options.h"
#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/base/memory.h"
#include "support/base/node.h"
#include "support/base/sha256.h"
#include "support/base/version.h"
#include "support/io/application.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A calculation and the outputs of its run. */
struct hf_run {
    const struct hf_options *options;
    MPI_Comm comm;
    int rank;
    struct hf_calculation calculation;
    struct hf_density_digest density; /* of --fock-only */
    struct darray *F[2];
    struct mode_records compared;
    bool *accepted;
    bool checked; /* the outputs can be written */
    bool written; /* the outputs are written, or could not be */
};

/* The settings of the pool under a mode, by its position among those that are compared. */
static struct taskpool_settings pool_of_mode(const struct hf_run *run, int position, int64_t seed)
{
    const struct hf_settings *settings = &run->options->settings;
    struct taskpool_settings pool = settings->pool;
    if (run->options->compare)
        mode_options_select(&settings->pool, settings->modes.modes[position], &pool);
    pool.seed = seed;
    return pool;
}

static enum status restart_pool(const struct hf_run *run, int position, int64_t seed)
{
    struct taskpool_settings pool = pool_of_mode(run, position, seed);
    return fock_restart(run->calculation.fock, &pool);
}

/* Checks that every mode can have its pool with these options. */
static enum status prepare_build(struct hf_run *run)
{
    const struct hf_settings *settings = &run->options->settings;
    struct taskpool_settings pool = pool_of_mode(run, 0, settings->pool.seed);
    TRY(hf_calculation_prepare_build(&run->calculation, &pool));
    for (int i = 0; run->options->compare && i < settings->modes.n; i++)
        TRY(restart_pool(run, i, settings->pool.seed));
    return STATUS_OK;
}

/* Counts the tasks of a build, and integrals above the threshold. */
static enum status count_run(const struct hf_run *run, struct hf_prediction *counted)
{
    const struct fock_settings *settings = &run->options->settings.fock;
    const struct screening *screening = run->calculation.screening;
    struct fock_tasks *tasks;
    struct integral_count count;
    TRY(status_agree(run->comm,
                     fock_tasks_create(screening, (enum fock_decomposition)settings->decomposition,
                                       (enum fock_symmetry)settings->symmetry, true, &tasks)));
    *counted = (struct hf_prediction){.tasks = fock_tasks_n_all(tasks),
                                      .non_null = fock_tasks_n_non_null(tasks)};
    fock_tasks_destroy(tasks);
    TRY(screening_count_integrals(screening, run->comm, &count));
    counted->integrals = settings->symmetry == FOCK_SYMMETRY_NONE ? count.all : count.unique;
    return STATUS_OK;
}

/* {"tasks": T, "non_null": N, "integrals": I} on standard output. */
static enum status print_task_counts(const struct hf_run *run)
{
    struct hf_prediction counted;
    TRY(count_run(run, &counted));
    if (run->rank == 0)
        printf("{\"tasks\": %lld, \"non_null\": %lld, \"integrals\": %lld}\n",
               (long long)counted.tasks, (long long)counted.non_null, (long long)counted.integrals);
    return STATUS_OK;
}

/* The outcome of the run; the digests of F are added by the caller. */
static struct hf_outcome outcome_of(const struct hf_run *run, enum status status)
{
    const struct hf_calculation *calculation = &run->calculation;
    struct memory_use memory = memory_use_of_all(memory_peak_part_bytes(), run->comm);
    struct hf_outcome outcome = hf_outcome_of(calculation, &run->options->files, status);
    outcome.command = hf_options_command(run->options);
    outcome.options = hf_options_to_json(run->options, &calculation->input);
    outcome.atomic_input = run->options->input.has_model ? run->options->input.document : NULL;
    outcome.compares = run->options->compare;
    outcome.class_costs = calculation->fock ? fock_sum_class_costs(calculation->fock) : NULL;
    outcome.density = &run->density;
    outcome.compared = run->options->compare ? &run->compared : NULL;
    outcome.memory_peak_bytes = memory.peak_bytes;
    outcome.memory_part_bytes = memory.part_bytes;
    return outcome;
}

/* Writes the files and frees what outcome_of has made. */
static enum status finish_outcome(struct hf_outcome *outcome)
{
    enum status status = hf_outputs_write(outcome);
    json_decref(outcome->command);
    json_decref(outcome->options);
    json_decref(outcome->timeline);
    return status;
}

/* Prints the quartets that each engine computed, and how full its vectors were. */
static void print_engines(const struct engine_use *engines)
{
    for (int i = 0; two_electron_engine_name(i); i++)
        if (engines->computed[i].quartets > 0)
            log_print("Engine     %s: %lld shell quartets, %.1f %% of the lanes filled\n",
                      two_electron_engine_name(i), (long long)engines->computed[i].quartets,
                      100.0 * (double)engines->computed[i].quartets /
                          (double)engines->computed[i].lanes);
}

/* Writes the files of a run that reached its end. */
static enum status write_hf_outputs(struct hf_run *run, struct hf_outcome *outcome)
{
    if (outcome->class_costs)
        hf_print_class_costs(outcome->class_costs);
    print_engines(&outcome->engines);
    log_print(
        "Peak memory %.0f MB per process, with all pages that it shares; %.0f with shared pages "
        "divided among processes\n",
        (double)outcome->memory_peak_bytes * 1e-6, (double)outcome->memory_part_bytes * 1e-6);
    if (!run->options->compare && run->calculation.fock)
        TRY(fock_timeline(run->calculation.fock, &outcome->timeline));
    outcome->complete = true;
    run->written = true;
    return finish_outcome(outcome);
}

/* The scheduling statistics of every build. */
static void print_builds(const struct fock *fock)
{
    int64_t n = fock_n_builds(fock);
    struct taskpool_iteration *rows = malloc((size_t)(n + 1) * sizeof *rows);
    if (!rows)
        return;
    for (int64_t i = 0; i < n; i++)
        rows[i] = fock_records(fock)[i].statistics;
    log_print("\nScheduling of the Fock builds\n");
    statistics_print(rows, n);
    free(rows);
}

/* A Fock build; its record. */
static enum status run_build(struct hf_run *run, int64_t number, const struct fock_record **build)
{
    const struct hf_calculation *calculation = &run->calculation;
    TRY(fock_build(calculation->fock, calculation->input.n_densities,
                   (const struct darray *const *)calculation->D, run->F));
    *build = &fock_records(calculation->fock)[number];
    return STATUS_OK;
}

static bool keeps_integrals(const struct hf_run *run)
{
    return run->calculation.kept_bytes > 0;
}

static const char *kept_heading(const struct hf_run *run)
{
    return keeps_integrals(run) ? "    read %      hits    misses" : "";
}

/* The columns of kept_heading, and the end of the line. */
static void print_kept_columns(const struct hf_run *run, const struct fock_record *build)
{
    if (keeps_integrals(run))
        log_print("  %8.1f %9lld %9lld",
                  100 * (double)build->integrals_read / fmax(1, (double)build->integrals),
                  (long long)build->kept_hits, (long long)build->kept_misses);
    log_print("\n");
}

/* The builds of --compare under one mode in one round, which begins as if it were the first. */
static enum status build_under_mode(void *context, int position, int64_t round)
{
    struct hf_run *run = context;
    const struct hf_calculation *calculation = &run->calculation;
    struct mode_records *records = &run->compared;
    struct mode_record *record = mode_records_begin(records, position);
    TRY(restart_pool(run, position, comparison_run_seed(&records->comparison, position, round)));
    for (int64_t i = 0; i < run->options->fock_only; i++) {
        const struct fock_record *build;
        TRY(run_build(run, i, &build));
        json_t *entry = mode_records_note(records, position, build->seconds, &build->statistics);
        hf_qcschema_add_build(build, entry);
        log_print("%-12s %5lld %9.4g", record->name, (long long)i, build->seconds);
        print_kept_columns(run, build);
    }
    TRY(fock_timeline(calculation->fock, &record->timeline));
    for (int spin = 0; spin < calculation->input.n_densities; spin++)
        TRY(tile_matrix_sha256(calculation->tiling, run->F[spin], record->sha256[spin]));
    return mode_records_end(records, position);
}

static enum status compare_modes(struct hf_run *run)
{
    struct mode_records *records = &run->compared;
    records->comparison.oversubscribed = is_oversubscribed(run->comm);
    mode_records_start(records, &run->options->settings.modes);
    log_print("mode         build   seconds%s\n", kept_heading(run));
    return mode_records_run(records, build_under_mode, run);
}

/* The builds of --fock-only. */
static enum status run_builds(struct hf_run *run)
{
    /* The SCF of a converged density has left its builds and what the mode learnt from them. */
    if (fock_n_builds(run->calculation.fock) > 0)
        TRY(restart_pool(run, 0, run->options->settings.pool.seed));
    log_print("build   seconds     integrals%s\n", kept_heading(run));
    for (int64_t i = 0; i < run->options->fock_only; i++) {
        const struct fock_record *build;
        TRY(run_build(run, i, &build));
        log_print("%5lld %9.3f %13lld", (long long)i, build->seconds, (long long)build->integrals);
        print_kept_columns(run, build);
    }
    return STATUS_OK;
}

/* Finds the density of the builds, and prints which it is. */
static enum status find_build_density(struct hf_run *run)
{
    const struct hf_options *options = run->options;
    struct hf_calculation *calculation = &run->calculation;
    bool converged = hf_options_density(options) == HF_DENSITY_CONVERGED;
    TRY(hf_calculation_find_density(calculation, converged, &run->density.seconds));
    if (converged)
        hf_print_result(calculation, options->all_orbitals);
    hf_print_density(calculation, converged, run->density.seconds);
    TRY(hf_calculation_digest(calculation, "D", calculation->D, run->density.sha256));
    run->density.name = options->density;
    return STATUS_OK;
}

static enum status run_fock_only(struct hf_run *run)
{
    int n_densities = run->calculation.input.n_densities;
    char sha256[2][SHA256_HEX_SIZE];
    enum status status = STATUS_OK;
    TRY(find_build_density(run));
    log_print("\n");
    for (int spin = 0; spin < n_densities; spin++)
        TRY(tile_matrix_create(run->calculation.tiling, "Fock matrix", DARRAY_DOUBLE,
                               &run->F[spin]));
    TRY(run->options->compare ? compare_modes(run) : run_builds(run));
    log_print("\n");
    TRY(hf_calculation_digest(&run->calculation, "F", run->F, sha256));
    if (run->options->compare) {
        mode_records_print(&run->compared, "Fock build");
        /* Only sums in fixed point are the same in any order. */
        if (run->options->settings.fock.accumulate == FOCK_ACCUMULATE_FIXED)
            status = mode_records_check(&run->compared, "Fock matrix");
    } else {
        print_builds(run->calculation.fock);
    }
    struct hf_outcome outcome = outcome_of(run, status);
    outcome.fock_sha256 = sha256[0];
    outcome.fock_sha256_beta = n_densities == 2 ? sha256[1] : NULL;
    return write_hf_outputs(run, &outcome);
}

static enum status run_scf(struct hf_run *run)
{
    TRY(hf_calculation_guess(&run->calculation));
    enum status status = hf_calculation_solve(&run->calculation);
    if (status != STATUS_OK && status != STATUS_NOT_CONVERGED)
        return status;
    hf_print_result(&run->calculation, run->options->all_orbitals);
    struct hf_outcome outcome = outcome_of(run, status);
    return write_hf_outputs(run, &outcome);
}

/* Fock builds of most SCF calculations, the test of stability included. */
enum { FEWEST_BUILDS = 10, MOST_BUILDS = 20 };

/* Predicts the run from counts and a sample. */
static enum status run_dry(struct hf_run *run)
{
    const struct hf_calculation *calculation = &run->calculation;
    struct fock_settings settings = run->options->settings.fock;
    struct hf_prediction prediction;
    const struct predicted_build build = {.screening = calculation->screening,
                                          .settings = &settings,
                                          .symmetry = calculation->symmetry,
                                          .n_densities = calculation->input.n_densities,
                                          .comm = run->comm};
    settings.kept_bytes = calculation->kept_bytes;
    TRY(count_run(run, &prediction));
    prediction.uses_symmetry = build.symmetry;
    TRY(fock_predict(&build, &prediction.fock));
    for (int i = 0; i < 2; i++) {
        int n = prediction.scf_builds[i] = i == 0 ? FEWEST_BUILDS : MOST_BUILDS;
        prediction.scf_s[i] = prediction.fock.first_s + (n - 1) * prediction.fock.later_s;
    }
    hf_print_prediction(&prediction);
    struct hf_outcome outcome = outcome_of(run, STATUS_OK);
    outcome.prediction = &prediction;
    return write_hf_outputs(run, &outcome);
}

static enum status run_hf_stages(struct hf_run *run)
{
    struct hf_calculation *calculation = &run->calculation;
    TRY(hf_outputs_check(&run->options->settings, &run->options->files, (struct output){0}, NULL,
                         run->comm));
    run->checked = true;
    TRY(hf_calculation_read(&run->options->settings, run->comm, calculation));
    log_print("beryl-hf %s\n\n", BERYL_VERSION);
    hf_print_input(calculation, run->options->compare);
    TRY(hf_calculation_prepare_screening(calculation));
    if (run->options->count_tasks)
        return print_task_counts(run);
    if (run->options->dry_run) {
        *run->accepted = true;
        return run_dry(run);
    }
    TRY(prepare_build(run));
    hf_print_tasks(calculation);
    *run->accepted = true;
    return run->options->fock_only ? run_fock_only(run) : run_scf(run);
}

enum status hf_run(const struct hf_options *options, MPI_Comm comm, bool *accepted)
{
    struct hf_run run = {
        .options = options,
        .comm = comm,
        .compared = {.n_rounds = options->rounds,
                     .trace = options->compare ? options->settings.pool.trace : NULL,
                     .comm = comm,
                     .comparison = {.seed = options->settings.pool.seed}},
        .accepted = accepted};
    MPI_Comm_rank(comm, &run.rank);
    enum status status = run_hf_stages(&run);
    /* Bad input leaves no file; another failure a result with what is known. */
    if (application_exit_status(status, *accepted) == 1 && run.checked && !run.written) {
        struct hf_outcome outcome = outcome_of(&run, status);
        status = finish_outcome(&outcome);
    }
    mode_records_fini(&run.compared);
    for (int spin = 0; spin < 2; spin++)
        darray_destroy(run.F[spin]);
    hf_calculation_fini(&run.calculation);
    return status;
}
