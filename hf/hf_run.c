#include "hf/hf_run.h"

#include "hf/checkpoint.h"
#include "hf/guess.h"
#include "hf/hf_input.h"
#include "hf/hf_memory.h"
#include "hf/hf_result.h"
#include "hf/scf_report.h"
#include "sched/report/report.h"
#include "sched/statistics.h"
#include "support/agree.h"
#include "support/json.h"
#include "support/log.h"
#include "support/memory.h"
#include "support/output_file.h"
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
};

/* An output in the place of an input or of another output would destroy it; only
 * a checkpoint may go on in the file that it is restarted from. */
static enum status check_distinct(const struct hf_options *options)
{
    enum { N_OUTPUTS = 4, N_INPUTS = 4, CHECKPOINT = 3, FIRST_CHECKPOINT = 2 };
    const char *outputs[N_OUTPUTS] = {options->json, options->report, options->profile,
                                      options->scf.checkpoint};
    const char *inputs[N_INPUTS] = {options->molecule, options->basis, options->guess,
                                    options->restart};
    for (int i = 0; i < N_OUTPUTS; i++) {
        int n_inputs = i == CHECKPOINT ? FIRST_CHECKPOINT : N_INPUTS;
        for (int k = 0; k < n_inputs; k++)
            if (output_file_same(outputs[i], inputs[k]))
                return FAIL(STATUS_USAGE, "%s is to be read and to be written: name another file",
                            outputs[i]);
        for (int k = 0; k < i; k++)
            if (output_file_same(outputs[i], outputs[k]))
                return FAIL(STATUS_USAGE, "%s is to be written as two things: name two files",
                            outputs[i]);
    }
    return STATUS_OK;
}

/* Finds out before the work what would prevent its result from being kept. */
static enum status check_outputs(const struct run *run)
{
    const struct hf_options *options = run->options;
    enum status status = STATUS_OK;
    if (run->rank == 0)
        status = check_distinct(options);
    if (run->rank == 0 && status == STATUS_OK && options->json)
        status = json_check_writable(options->json);
    if (run->rank == 0 && status == STATUS_OK && options->report)
        status = output_file_check(options->report);
    if (run->rank == 0 && status == STATUS_OK && options->profile)
        status = output_file_check(options->profile);
    TRY(status_agree(run->comm, status));
    if (options->scf.checkpoint)
        TRY(checkpoint_check(options->scf.checkpoint, run->comm));
    return STATUS_OK;
}

static void print_start(const struct run *run)
{
    const struct hf_options *options = run->options;
    const struct shells *shells = run->input.shells;
    char mode[32];
    option_choice_word(taskpool_mode_names, options->pool.mode, mode, sizeof mode);
    log_print("beryl-hf %s\n\n", BERYL_VERSION);
    log_print("Molecule   %s: %lld centres, charge %d, multiplicity %d\n", options->molecule,
              (long long)run->input.molecule.n_atoms, run->input.molecule.charge,
              run->input.molecule.multiplicity);
    log_print("Basis      %s: %lld functions in %lld shells, %s\n", options->basis,
              (long long)shells->n_functions, (long long)shells->n_shells,
              shells->spherical ? "spherical" : "Cartesian");
    log_print("Processes  %d, scheduling %s\n", run->n_workers, mode);
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

static enum status prepare_build(struct run *run)
{
    const struct hf_options *options = run->options;
    struct taskpool_settings pool = options->pool;
    pool.keep_history = options->profile != NULL;
    TRY(fock_create(run->screening, &options->fock, &pool, run->comm, &run->fock));
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
    bool computed = strcmp(options->guess, "sad") == 0 || strcmp(options->guess, "core") == 0;
    return options->restart ? options->restart : computed ? NULL : options->guess;
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
    log_print("Peak memory %.0f MB per process\n", (double)peak * 1e-6);
    return peak;
}

/* The result as a file of JSON, as a page, or both. */
static enum status write_result(const struct hf_options *options, const struct hf_outcome *outcome)
{
    json_t *json = hf_result_to_json(outcome);
    if (!json)
        return FAIL(STATUS_NO_MEMORY, "no memory for the result");
    enum status status = STATUS_OK;
    if (options->json)
        status = json_write_file(json, options->json);
    if (options->report && status == STATUS_OK)
        status =
            report_write((const json_t *const[]){json}, &options->molecule, 1, options->report);
    json_decref(json);
    return status;
}

/* Rank 0 writes what was asked for; the outcome's own status passes through. */
static enum status write_outputs(const struct run *run, const struct hf_outcome *outcome)
{
    const struct hf_options *options = run->options;
    enum status written = STATUS_OK;
    if (run->rank == 0 && (options->json || options->report))
        written = write_result(options, outcome);
    written = status_agree(run->comm, written);
    if (written == STATUS_OK && options->profile)
        written = fock_write_profile(run->fock, options->profile);
    return outcome->status != STATUS_OK ? outcome->status : written;
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

static enum status run_fock_only(struct run *run)
{
    const struct hf_options *options = run->options;
    int n_spins = run->input.n_spins;
    for (int spin = 0; spin < n_spins; spin++)
        TRY(tile_matrix_create(run->tiling, "Fock matrix", DARRAY_DOUBLE, &run->F[spin]));
    log_print("build   seconds\n");
    for (int64_t i = 0; i < options->fock_only; i++) {
        TRY(fock_build(run->fock, n_spins, (const struct darray *const *)run->D, run->F));
        log_print("%5lld %9.3f\n", (long long)i, fock_records(run->fock)[i].seconds);
    }
    char sha256[2][SHA256_HEX_SIZE];
    for (int spin = 0; spin < n_spins; spin++) {
        TRY(tile_matrix_sha256(run->tiling, run->F[spin], sha256[spin]));
        log_print("\nSHA-256 of F%s  %s\n",
                  n_spins == 1 ? ""
                  : spin == 0  ? " alpha"
                               : " beta",
                  sha256[spin]);
    }
    print_builds(run->fock);
    struct hf_outcome outcome = {.options = options,
                                 .input = &run->input,
                                 .fock = run->fock,
                                 .fock_sha256 = sha256[0],
                                 .fock_sha256_beta = n_spins == 2 ? sha256[1] : NULL,
                                 .n_workers = run->n_workers,
                                 .memory_peak_bytes = find_memory_peak(run->comm)};
    return write_outputs(run, &outcome);
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
    json_t *iterations = json_array();
    settings.observe = record_iteration;
    settings.observe_context = iterations;
    struct scf_result result = {0};
    enum status status = scf_run(&problem, &settings, run->D, &result);
    if (status == STATUS_OK || status == STATUS_NOT_CONVERGED) {
        scf_report_result(&problem, &result, run->options->all_orbitals);
        print_build_summary(run->fock);
        struct hf_outcome outcome = {.options = run->options,
                                     .input = &run->input,
                                     .fock = run->fock,
                                     .scf = &result,
                                     .scf_iterations = iterations,
                                     .status = status,
                                     .n_workers = run->n_workers,
                                     .memory_peak_bytes = find_memory_peak(run->comm)};
        status = write_outputs(run, &outcome);
    }
    scf_result_fini(&result);
    json_decref(iterations);
    return status;
}

static enum status run_all(struct run *run)
{
    TRY(check_outputs(run));
    TRY(hf_input_read(run->options, run->comm, &run->input));
    TRY(check_guess(run));
    print_start(run);
    TRY(prepare_screening(run));
    if (run->options->count_tasks)
        return count_tasks(run);
    TRY(prepare_build(run));
    print_tasks(run);
    TRY(make_guess(run));
    return run->options->fock_only ? run_fock_only(run) : run_scf(run);
}

enum status hf_run(const struct hf_options *options, MPI_Comm comm)
{
    struct run run = {.options = options, .comm = comm};
    MPI_Comm_rank(comm, &run.rank);
    MPI_Comm_size(comm, &run.n_workers);
    enum status status = run_all(&run);
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
