#include "hf/cli/hf_print.h"

#include "hf/scf/scf_report.h"
#include "support/base/log.h"

void hf_print_input(const struct hf_calculation *calculation)
{
    const struct hf_options *options = calculation->options;
    const struct hf_input *input = &calculation->input;
    int n_workers;
    MPI_Comm_size(calculation->comm, &n_workers);
    log_print("Molecule   %s: %lld centres, charge %d, multiplicity %d\n", options->molecule,
              (long long)input->molecule.n_atoms, input->molecule.charge,
              input->molecule.multiplicity);
    if (input->original_benchmark)
        log_print("           names atoms by number: read as a Be chain in Bohr, six ghost centres "
                  "added to each atom\n");
    log_print("Basis      %s: %lld functions in %lld shells, %s\n", options->basis,
              (long long)input->shells->n_functions, (long long)input->shells->n_shells,
              input->shells->spherical ? "spherical" : "Cartesian");
    log_print("Processes  %d, scheduling %s%s\n", n_workers, options->compare ? "by each of " : "",
              options->compare ? options->compare : options->pool.mode);
}

void hf_print_tasks(const struct hf_calculation *calculation)
{
    const struct fock_tasks *tasks = fock_tasks_of(calculation->fock);
    log_print("Tasks      %lld of %lld are not null (tiles of up to %lld functions, screening "
              "%g)\n\n",
              (long long)fock_tasks_n_non_null(tasks), (long long)fock_tasks_n_all(tasks),
              (long long)calculation->tiling->max_functions, calculation->options->screen);
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

void hf_print_result(const struct hf_calculation *calculation)
{
    struct scf_problem problem = hf_calculation_problem(calculation);
    scf_report_result(&problem, &calculation->result, calculation->options->all_orbitals);
    print_build_summary(calculation->fock);
}
