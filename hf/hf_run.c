#include "hf/hf_run.h"

#include "hf/checkpoint.h"
#include "hf/guess.h"
#include "hf/hf_compare.h"
#include "hf/hf_input.h"
#include "hf/hf_memory.h"
#include "hf/hf_outputs.h"
#include "hf/hf_result.h"
#include "hf/scf_report.h"
#include "sched/mode_options.h"
#include "sched/statistics.h"
#include "support/agree.h"
#include "support/log.h"
#include "support/memory.h"
#include "support/sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Everything of a run, made in the order of the fields. */
struct run {
    const struct hf_options *options;
    MPI_Comm comm;
    int rank, n_workers;
    struct hf_input input;
    struct tiling *tiling;
    struct screening *screening;
    struct fock *fock;
    struct dense_grid *grid;
    struct darray *D[2], *F[2];
    struct hf_comparison comparison;
    json_t *iterations; /* of the self-consistent field; NULL without one */
    bool checked;       /* the outputs can be written */
    bool computing;     /* every input was accepted */
    bool told;          /* the outputs are written, or could not be */
};

static void print_start(const struct run *run)
{
    const struct hf_options *options = run->options;
    const struct shells *shells = run->input.shells;
    log_print("beryl-hf %s\n\n", BERYL_VERSION);
    log_print("Molecule   %s: %lld centres, charge %d, multiplicity %d\n", options->molecule,
              (long long)run->input.molecule.n_atoms, run->input.molecule.charge,
              run->input.molecule.multiplicity);
    if (run->input.original_benchmark)
        log_print("           names atoms by number: read as a Be chain in Bohr, six ghost centres "
                  "added to each atom\n");
    log_print("Basis      %s: %lld functions in %lld shells, %s\n", options->basis,
              (long long)shells->n_functions, (long long)shells->n_shells,
              shells->spherical ? "spherical" : "Cartesian");
    log_print("Processes  %d, scheduling %s%s\n", run->n_workers,
              options->compare ? "by each of " : "",
              options->compare ? options->compare : taskpool_mode_name(options->pool.mode));
}

static void print_tasks(const struct run *run)
{
    const struct fock_tasks *tasks = fock_tasks_of(run->fock);
    log_print("Tasks      %lld of %lld are not null (tiles of up to %lld functions, screening "
              "%g)\n\n",
              (long long)fock_tasks_n_non_null(tasks), (long long)fock_tasks_n_all(tasks),
              (long long)run->tiling->max_functions, run->options->screen);
}

/* Tiles and bounds. */
static enum status prepare_screening(struct run *run)
{
    TRY(status_agree(run->comm,
                     tiling_create(run->input.shells, run->options->tile, &run->tiling)));
    TRY(dense_grid_create(run->comm, &run->grid));
    TRY(hf_memory_check(run->options, &run->input, run->tiling, run->grid, run->comm));
    return screening_create(run->tiling, run->options->screen, run->comm, &run->screening);
}

/* --compare: of what its fields point at. */
static struct hf_compare_problem compare_problem_of(const struct run *run)
{
    const struct hf_options *options = run->options;
    return (struct hf_compare_problem){.modes = &options->modes,
                                       .pool = &options->pool,
                                       .n_builds = options->fock_only,
                                       .fock = run->fock,
                                       .comm = run->comm,
                                       .tiling = run->tiling,
                                       .n_spins = run->input.n_spins,
                                       .D = run->D,
                                       .F = run->F};
}

static enum status prepare_build(struct run *run)
{
    const struct hf_options *options = run->options;
    struct taskpool_settings pool = options->pool;
    pool.keep_history = options->profile != NULL;
    if (options->compare)
        mode_options_select(&options->pool, options->modes.modes[0], &pool);
    TRY(fock_create(run->screening, &options->fock, &pool, run->comm, &run->fock));
    struct hf_compare_problem compare = compare_problem_of(run);
    if (options->compare)
        TRY(hf_compare_check(&compare));
    for (int spin = 0; spin < run->input.n_spins; spin++)
        TRY(tile_matrix_create(run->tiling, "density", DARRAY_DOUBLE, &run->D[spin]));
    return STATUS_OK;
}

static struct scf_problem scf_problem_of(const struct run *run)
{
    return (struct scf_problem){
        .molecule = &run->input.molecule,
        .shells = run->input.shells,
        .tiling = run->tiling,
        .fock = run->fock,
        .grid = run->grid,
        .comm = run->comm,
        .n_spins = run->input.n_spins,
        .n_occupied = {run->input.n_occupied[0], run->input.n_occupied[1]},
    };
}

/* The checkpoint that the first density comes from, or NULL. */
static const char *guess_file(const struct hf_options *options)
{
    if (options->restart)
        return options->restart;
    bool computed = strcmp(options->guess, "sad") == 0 || strcmp(options->guess, "core") == 0;
    return computed ? NULL : options->guess;
}

/* A file that does not fit is bad input: found out before anything is printed. */
static enum status check_guess(const struct run *run)
{
    const char *file = guess_file(run->options);
    struct scf_problem problem = scf_problem_of(run);
    return file ? checkpoint_check_fits(file, &problem) : STATUS_OK;
}

static enum status make_guess(const struct run *run)
{
    const char *file = guess_file(run->options);
    struct scf_problem problem = scf_problem_of(run);
    if (file)
        return checkpoint_read_density(file, &problem, run->D);
    if (strcmp(run->options->guess, "sad") == 0)
        return guess_sad(&problem, run->D);
    return guess_core(&problem, run->options->scf.dependence, run->D);
}

/* {"tasks": T, "non_null": N, "integrals": I} on standard output. */
static enum status count_tasks(const struct run *run)
{
    const struct hf_options *options = run->options;
    struct fock_tasks *tasks;
    struct integral_count count;
    TRY(status_agree(run->comm,
                     fock_tasks_create(run->screening,
                                       (enum fock_decomposition)options->fock.decomposition,
                                       (enum fock_symmetry)options->fock.symmetry, true, &tasks)));
    enum status status = screening_count_integrals(run->screening, run->comm, &count);
    if (status == STATUS_OK && run->rank == 0) {
        bool all = options->fock.symmetry == FOCK_SYMMETRY_NONE;
        printf("{\"tasks\": %lld, \"non_null\": %lld, \"integrals\": %lld}\n",
               (long long)fock_tasks_n_all(tasks), (long long)fock_tasks_n_non_null(tasks),
               (long long)(all ? count.all : count.unique));
    }
    fock_tasks_destroy(tasks);
    return status;
}

/* The largest of all processes. */
static int64_t find_memory_peak(MPI_Comm comm)
{
    int64_t peak = memory_peak_bytes();
    MPI_Allreduce(MPI_IN_PLACE, &peak, 1, MPI_INT64_T, MPI_MAX, comm);
    return peak;
}

/* What there is to tell at the end; scf and the digests are the caller's. */
static struct hf_outcome outcome_of(const struct run *run, enum status status)
{
    struct hf_outcome outcome = {.options = run->options,
                                 .input = &run->input,
                                 .fock = run->fock,
                                 .comparison = run->options->compare ? &run->comparison : NULL,
                                 .scf_iterations = run->iterations,
                                 .n_workers = run->n_workers,
                                 .memory_peak_bytes = find_memory_peak(run->comm)};
    hf_outcome_set_status(&outcome, status);
    return outcome;
}

/* Tells of a run that ended by itself. */
static enum status finish(struct run *run, struct hf_outcome *outcome)
{
    log_print("Peak memory %.0f MB per process\n", (double)outcome->memory_peak_bytes * 1e-6);
    outcome->complete = true;
    run->told = true;
    return hf_outputs_write(outcome, run->comm);
}

/* The scheduler's figures of every build. */
static void print_builds(const struct fock *fock)
{
    int64_t n = fock_n_builds(fock);
    struct statistics_iteration *rows = malloc((size_t)(n + 1) * sizeof *rows);
    if (!rows)
        return;
    for (int64_t i = 0; i < n; i++)
        rows[i] = fock_records(fock)[i].statistics;
    log_print("\nScheduling of the Fock builds\n");
    statistics_print(rows, n);
    free(rows);
}

/* One line for all builds; each by itself is in the result file. */
static void print_build_summary(const struct fock *fock)
{
    double seconds = 0, task_s = 0, worker_s = 0;
    int64_t n = fock_n_builds(fock);
    for (int64_t i = 0; i < n; i++) {
        const struct fock_record *record = &fock_records(fock)[i];
        seconds += record->seconds;
        task_s += record->statistics.task_s;
        worker_s += (double)record->statistics.n_workers * record->statistics.makespan_s;
    }
    log_print("\n%lld Fock builds took %.2f s; %.1f %% of the workers' time went into tasks\n",
              (long long)n, seconds, 100 * task_s / worker_s);
}

/* The digests of F, which are also printed. */
static enum status find_digests(const struct run *run, char sha256[2][SHA256_HEX_SIZE])
{
    static const char *const names[] = {" alpha", " beta"};
    int n_spins = run->input.n_spins;
    for (int spin = 0; spin < n_spins; spin++) {
        TRY(tile_matrix_sha256(run->tiling, run->F[spin], sha256[spin]));
        log_print("\nSHA-256 of F%s  %s\n", n_spins == 1 ? "" : names[spin], sha256[spin]);
    }
    return STATUS_OK;
}

/* The builds of --fock-only. */
static enum status build(struct run *run)
{
    const struct hf_options *options = run->options;
    if (options->compare) {
        struct hf_compare_problem compare = compare_problem_of(run);
        return hf_compare_run(&compare, &run->comparison);
    }
    log_print("build   seconds\n");
    for (int64_t i = 0; i < options->fock_only; i++) {
        TRY(fock_build(run->fock, run->input.n_spins, (const struct darray *const *)run->D,
                       run->F));
        log_print("%5lld %9.3f\n", (long long)i, fock_records(run->fock)[i].seconds);
    }
    return STATUS_OK;
}

static enum status run_fock_only(struct run *run)
{
    int n_spins = run->input.n_spins;
    char sha256[2][SHA256_HEX_SIZE];
    enum status status = STATUS_OK;
    for (int spin = 0; spin < n_spins; spin++)
        TRY(tile_matrix_create(run->tiling, "Fock matrix", DARRAY_DOUBLE, &run->F[spin]));
    TRY(build(run));
    TRY(find_digests(run, sha256));
    if (run->options->compare) {
        hf_comparison_print(&run->comparison);
        /* Only sums in fixed point are the same in any order. */
        if (run->options->fock.accumulate == FOCK_ACCUMULATE_FIXED)
            status = hf_comparison_check(&run->comparison);
    } else {
        print_builds(run->fock);
    }
    struct hf_outcome outcome = outcome_of(run, status);
    outcome.fock_sha256 = sha256[0];
    outcome.fock_sha256_beta = n_spins == 2 ? sha256[1] : NULL;
    return finish(run, &outcome);
}

/* Keeps an iteration for the result. */
static void record_iteration(const struct scf_iteration *iteration, void *context)
{
    json_array_append_new(context, hf_result_scf_iteration(iteration));
}

static enum status run_scf(struct run *run)
{
    struct scf_problem problem = scf_problem_of(run);
    struct scf_settings settings = run->options->scf;
    run->iterations = json_array();
    settings.observe = record_iteration;
    settings.observe_context = run->iterations;
    struct scf_result result = {0};
    enum status status = scf_run(&problem, &settings, run->D, &result);
    if (status == STATUS_OK || status == STATUS_NOT_CONVERGED) {
        struct hf_outcome outcome = outcome_of(run, status);
        outcome.scf = &result;
        scf_report_result(&problem, &result, run->options->all_orbitals);
        print_build_summary(run->fock);
        status = finish(run, &outcome);
    }
    scf_result_fini(&result);
    return status;
}

static enum status run_all(struct run *run)
{
    TRY(hf_outputs_check(run->options, run->comm));
    run->checked = true;
    TRY(hf_input_read(run->options, run->comm, &run->input));
    TRY(check_guess(run));
    print_start(run);
    TRY(prepare_screening(run));
    if (run->options->count_tasks)
        return count_tasks(run);
    TRY(prepare_build(run));
    print_tasks(run);
    run->computing = true;
    TRY(make_guess(run));
    return run->options->fock_only ? run_fock_only(run) : run_scf(run);
}

/* Bad input ends with 2. A file that cannot be written after the work, or a limit reached
 * by it, is not that. */
static int find_exit_status(const struct run *run, enum status status)
{
    bool late = run->computing && (status == STATUS_IO || status == STATUS_LIMIT);
    return late ? 1 : status_exit_code(status);
}

enum status hf_run(const struct hf_options *options, MPI_Comm comm, int *exit_status)
{
    struct run run = {.options = options, .comm = comm};
    MPI_Comm_rank(comm, &run.rank);
    MPI_Comm_size(comm, &run.n_workers);
    enum status status = run_all(&run);
    *exit_status = find_exit_status(&run, status);
    /* Nothing is written of bad input; of another failure what is known. */
    if (*exit_status == 1 && run.checked && !run.told) {
        struct hf_outcome outcome = outcome_of(&run, status);
        status = hf_outputs_write(&outcome, comm);
    }
    json_decref(run.iterations);
    hf_comparison_fini(&run.comparison);
    for (int spin = 0; spin < 2; spin++) {
        darray_destroy(run.F[spin]);
        darray_destroy(run.D[spin]);
    }
    fock_destroy(run.fock);
    screening_destroy(run.screening);
    dense_grid_destroy(run.grid);
    tiling_destroy(run.tiling);
    hf_input_fini(&run.input);
    return status;
}
