#include "tce/cli/method_run.h"

#include "hf/calculation/hf_calculation.h"
#include "hf/checkpoint/checkpoint.h"
#include "hf/checkpoint/checkpoint_reader.h"
#include "hf/result/hf_outputs.h"
#include "hf/result/hf_print.h"
#include "sched/pool/modes/mode_options.h"
#include "support/base/agree.h"
#include "support/base/die.h"
#include "support/base/log.h"
#include "support/base/version.h"
#include "support/io/application.h"
#include "support/mpi/oversubscription.h"
#include "tce/cli/method_result.h"
#include "tce/cli/program_result.h"
#include "tce/execution/finite_check.h"
#include "tce/integrals/orbital_space.h"
#include "tce/methods/correlation.h"
#include "tce/methods/correlation_checkpoint.h"
#include "tce/plan/predicted_tasks.h"

#include <stdio.h>
#include <stdlib.h>

struct method_run {
    const struct tce_options *options;
    MPI_Comm comm;
    int rank;
    struct hf_options scf_options; /* those of the options that the SCF takes */
    struct hf_calculation calculation;
    struct orbital_spaces counts;    /* of orbitals, as far as known before the SCF */
    struct orbital_spaces *orbitals; /* of the converged SCF */
    struct correlation correlation;
    bool has_amplitudes;                /* the checkpoint to restart from, for these orbitals */
    struct amplitude_progress progress; /* of the run that wrote them */
    struct mode_records records;
    double energies[MODES_MAX]; /* of correlation, under each mode, hartree */
    bool *accepted;
    bool checked; /* the outputs can be written */
};

static struct taskpool_settings pool_of(const struct method_run *run, const char *mode)
{
    struct taskpool_settings pool;
    mode_options_select(&run->options->hf.pool, mode, &pool);
    return pool;
}

/* --- before the SCF --- */

static enum status make_correlation(struct method_run *run, const struct orbital_spaces *orbitals)
{
    const struct tce_options *options = run->options;
    const struct correlation_problem problem = {.method = options->method,
                                                .screening = run->calculation.screening,
                                                .orbitals = orbitals,
                                                .tile = options->orbital_tile,
                                                .memory_bytes =
                                                    options->hf.memory_megabytes * 1000000,
                                                .scf_bytes = run->scf_options.fock.cache_bytes,
                                                .contraction = options->contraction,
                                                .comm = run->comm};
    correlation_fini(&run->correlation);
    return correlation_init(&problem, &run->correlation);
}

static enum status find_amplitudes(struct method_run *run)
{
    struct amplitude_origin wanted =
        correlation_checkpoint_origin(run->options->method, &run->counts);
    if (!run->options->hf.restart || run->correlation.instance.program.n_unknowns == 0)
        return STATUS_OK;
    TRY(correlation_checkpoint_find(run->calculation.checkpoint, &wanted, &run->has_amplitudes,
                                    &run->progress));
    /* Until new amplitudes are there, a checkpoint that may be the same file stays. */
    if (run->has_amplitudes)
        run->scf_options.scf.checkpoint = NULL;
    return STATUS_OK;
}

static enum status read_input(struct method_run *run)
{
    const struct tce_options *options = run->options;
    struct hf_calculation *calculation = &run->calculation;
    const struct hf_input *input = &calculation->input;
    TRY(hf_outputs_check(&options->hf, run->comm));
    run->checked = true;
    TRY(hf_calculation_read(&run->scf_options, run->comm, calculation));
    int64_t n_core = options->frozen_core ? frozen_core_count(&input->molecule) : 0;
    int64_t n_functions = input->shells->n_functions;
    TRY(orbital_spaces_count(n_functions, n_functions, input->n_spins, input->n_occupied, n_core,
                             &run->counts));
    TRY(make_correlation(run, &run->counts));
    return find_amplitudes(run);
}

static enum status print_method(const struct method_run *run)
{
    const struct plan *plan = run->correlation.instance.plan;
    struct predicted_tasks tasks;
    TRY(predicted_tasks_count(plan, &tasks));
    const struct orbital_spaces *counts = &run->counts;
    log_print("Method     %s: %lld occupied and %lld virtual %s, %lld frozen\n",
              run->options->method, (long long)orbital_spaces_n_occupied(counts),
              (long long)orbital_spaces_n_virtual(counts),
              counts->n_spins == 1 ? "orbitals" : "spin orbitals",
              (long long)orbital_spaces_n_core(counts));
    log_print("           %d contractions in %d stages, %lld tasks, %.3g operations\n",
              plan->n_steps, plan->n_stages, (long long)tasks.n, tasks.flops);
    if (run->has_amplitudes)
        log_print("Restart    orbitals and amplitudes of %s, after iteration %lld, with %lld DIIS "
                  "vectors\n",
                  run->options->hf.restart, (long long)run->progress.iteration,
                  (long long)run->progress.n_steps);
    else if (run->options->hf.restart)
        log_print("Restart    orbitals of %s\n", run->options->hf.restart);
    if (run->options->explain && run->rank == 0)
        return plan_print(plan, stdout);
    return STATUS_OK;
}

/* That of the amplitudes, of which there are most. */
static void report_checkpoint(const struct method_run *run)
{
    const struct scf_settings *scf = &run->options->hf.scf;
    struct scf_problem problem = hf_calculation_problem(&run->calculation);
    if (scf->checkpoint && run->correlation.instance.program.n_unknowns > 0)
        checkpoint_report_size(
            scf->checkpoint, run->options->method, scf->checkpoint_every,
            correlation_checkpoint_bytes(&problem, &run->correlation, (int)run->options->diis_size),
            "diis-amplitudes");
}

static enum status prepare_method(struct method_run *run)
{
    log_print("beryl-tce %s\n\n", BERYL_VERSION);
    hf_print_input(&run->calculation);
    TRY(hf_calculation_prepare_screening(&run->calculation));
    run->correlation.problem.screening = run->calculation.screening;
    TRY(status_agree(run->comm, print_method(run)));
    report_checkpoint(run);
    return correlation_memory_check(&run->correlation, (int)run->options->diis_size);
}

/* --- the SCF --- */

/* Amplitudes belong to the very orbitals that they were found with, which the SCF may have
 * mixed where several have one energy. Their energies are those of the SCF: the same, and not of
 * a file. */
static enum status take_checkpoint_orbitals(struct method_run *run)
{
    struct scf_problem problem = hf_calculation_problem(&run->calculation);
    struct scf_result *result = &run->calculation.result;
    const char *file = run->options->hf.restart;
    if (run->has_amplitudes && result->iterations > 1) {
        log_print("\nThe SCF moved away from the orbitals of %s: the amplitudes begin at zero\n",
                  file);
        run->has_amplitudes = false;
    }
    return run->has_amplitudes ? checkpoint_reader_orbitals(run->calculation.checkpoint, &problem,
                                                            result->n_orbitals, result->orbitals)
                               : STATUS_OK;
}

static enum status run_scf_of_method(struct method_run *run)
{
    struct hf_calculation *calculation = &run->calculation;
    struct taskpool_settings pool = pool_of(run, run->options->hf.modes.modes[0]);
    TRY(hf_calculation_prepare_build(calculation, &pool));
    hf_print_tasks(calculation);
    *run->accepted = true;
    TRY(hf_calculation_guess(calculation));
    enum status status = hf_calculation_solve(calculation);
    if (status == STATUS_OK || status == STATUS_NOT_CONVERGED)
        hf_print_result(calculation);
    TRY(status);
    TRY(take_checkpoint_orbitals(run));
    const struct hf_input *input = &calculation->input;
    return orbital_spaces_create(&calculation->result, input->n_spins, input->n_occupied,
                                 run->counts.spin[0].n_core, run->comm, &run->orbitals);
}

/* --- the method --- */

static enum status prepare_integrals(struct method_run *run)
{
    struct taskpool_settings pool = pool_of(run, run->options->hf.modes.modes[0]);
    int64_t n_virtual = orbital_spaces_n_virtual(run->orbitals);
    if (n_virtual < orbital_spaces_n_virtual(&run->counts))
        log_print("\n%lld virtual orbitals are left\n", (long long)n_virtual);
    TRY(make_correlation(run, run->orbitals));
    TRY(correlation_prepare(&run->correlation, &pool));
    log_print("\nIntegrals over orbitals took %.3f s\n", run->correlation.integral_seconds);
    return STATUS_OK;
}

/* Records the iterations, also of a solution that failed. */
static void note_iterations(const struct correlation *correlation, int position,
                            struct mode_records *records)
{
    for (int64_t i = 0; i < correlation->n_iterations; i++) {
        const struct correlation_iteration *iteration = &correlation->iterations[i];
        json_t *entry = program_result_note(records, position, &iteration->record);
        json_object_set_new(entry, "energy", json_real(iteration->energy));
        json_object_set_new(entry, "change", json_real(iteration->change));
    }
}

static enum status solve_under_mode(struct method_run *run, int position, int64_t round)
{
    const struct tce_options *options = run->options;
    const char *mode = options->hf.modes.modes[position];
    struct scf_problem problem = hf_calculation_problem(&run->calculation);
    const struct correlation_checkpoint checkpoint = {.path = options->hf.scf.checkpoint,
                                                      .every = options->hf.scf.checkpoint_every,
                                                      .problem = &problem,
                                                      .result = &run->calculation.result};
    const struct correlation_settings settings = {
        .converge = options->converge,
        .max_iterations = options->max_iterations,
        .diis_size = (int)options->diis_size,
        .restart = run->has_amplitudes ? run->calculation.checkpoint : NULL,
        .checkpoint = checkpoint.path ? &checkpoint : NULL};
    struct mode_record *record = mode_records_begin(&run->records, position);
    struct taskpool_settings pool = pool_of(run, mode);
    pool.seed = comparison_run_seed(&run->records.comparison, position, round);
    if (options->hf.compare)
        log_print("\nScheduling by %s\n", record->name);
    log_print("\n");
    enum status status = correlation_solve(&run->correlation, &pool, &settings);
    note_iterations(&run->correlation, position, &run->records);
    TRY(status);
    TRY(finite_check_run(&run->correlation.instance));
    TRY(program_result_note_timeline(run->correlation.instance.executor, record));
    run->energies[position] = correlation_energy(&run->correlation);
    TRY(program_instance_sha256(&run->correlation.instance, record->sha256[0]));
    return mode_records_end(&run->records, position);
}

static enum status solve_rounds(struct method_run *run)
{
    const struct hf_options *hf = &run->options->hf;
    run->records.comparison.oversubscribed = is_oversubscribed(run->comm);
    mode_records_start(&run->records, &hf->modes);
    for (int64_t round = 0; round < hf->rounds; round++) {
        if (hf->rounds > 1)
            log_print("\nround %lld of %lld\n", (long long)round + 1, (long long)hf->rounds);
        int order[COMPARISON_MODES_MAX];
        comparison_draw_order(&run->records.comparison, round, order);
        for (int m = 0; m < hf->modes.n; m++)
            TRY(solve_under_mode(run, order[m], round));
    }
    return STATUS_OK;
}

static struct method_result result_of(const struct method_run *run)
{
    return (struct method_result){.options = run->options,
                                  .calculation = &run->calculation,
                                  .orbitals = run->orbitals,
                                  .records = &run->records,
                                  .energies = run->energies,
                                  .integral_seconds = run->correlation.integral_seconds,
                                  .memory_bytes = run->correlation.memory_bytes};
}

static enum status run_method_stages(struct method_run *run)
{
    TRY(read_input(run));
    TRY(prepare_method(run));
    if (run->options->dry_run)
        return STATUS_OK;
    TRY(run_scf_of_method(run));
    TRY(prepare_integrals(run));
    TRY(solve_rounds(run));
    struct method_result result = result_of(run);
    method_result_print(&result);
    if (run->options->hf.compare)
        mode_records_print(&run->records, "iteration");
    return mode_records_check(&run->records, "result");
}

/* Writes the files: none after bad input, and after another failure the --json. */
static enum status write_method_outputs(const struct method_run *run, enum status status)
{
    struct method_result result = result_of(run);
    if (!run->checked || application_exit_status(status, *run->accepted) == 2 ||
        run->options->dry_run)
        return status;
    return method_result_write(&result, status, run->comm);
}

enum status method_run(const struct tce_options *options, MPI_Comm comm, bool *accepted)
{
    struct method_run *run = calloc(1, sizeof *run);
    if (!run)
        die_no_memory("no memory for the run of a method");
    *run = (struct method_run){
        .options = options,
        .comm = comm,
        .scf_options = options->hf,
        .records = {.n_rounds = options->hf.rounds,
                    .trace = options->hf.compare ? options->hf.pool.trace : NULL,
                    .comm = comm,
                    .comparison = {.seed = options->hf.pool.seed}},
        .accepted = accepted};
    MPI_Comm_rank(comm, &run->rank);
    enum status status = write_method_outputs(run, run_method_stages(run));
    mode_records_fini(&run->records);
    correlation_fini(&run->correlation);
    orbital_spaces_destroy(run->orbitals);
    hf_calculation_fini(&run->calculation);
    free(run);
    return status;
}
