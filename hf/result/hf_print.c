/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/result/hf_print.h"

#include "hf/scf/scf_report.h"
#include "support/arrays/blas_kernels.h"
#include "support/base/log.h"

#include <math.h>

/* The value of the file's comment line, if it gives one, and whether the command line has
 * another one. */
static void print_comment_value(const char *name, bool given, int value, bool option_given,
                                int in_force)
{
    if (given && !option_given)
        log_print("           %s %d as the comment line of the file says\n", name, value);
    else if (given && value != in_force)
        log_print("           %s %d by --%s; the comment line of the file says %d\n", name,
                  in_force, name, value);
}

static void print_comment(const struct hf_settings *settings, const struct molecule *molecule)
{
    static const char *const units[] = {"angstrom", "bohr"};
    const struct molecule_comment *comment = &molecule->comment;
    print_comment_value("charge", comment->charge_given, comment->charge,
                        settings->charge != HF_NOT_GIVEN, molecule->charge);
    print_comment_value("multiplicity", comment->multiplicity_given, comment->multiplicity,
                        settings->multiplicity != HF_NOT_GIVEN, molecule->multiplicity);
    if (comment->unit_given && settings->units < 0)
        log_print("           units %s as the file says\n", units[comment->unit]);
    else if (comment->unit_given && settings->units != (int)comment->unit)
        log_print("           units %s by --units; the file says %s\n", units[settings->units],
                  units[comment->unit]);
    if (comment->periodic)
        log_warn(
            "%s:%lld: pbc= or Lattice= is of a periodic system: only its molecule is computed, "
            "without images. Write pbc=\"F F F\" for a molecule",
            settings->molecule, (long long)comment->line);
    if (comment->unread.text[0])
        log_warn(
            "%s:%lld: '%s' is not read as charge, multiplicity or units: charge %d, multiplicity "
            "%d and %s are used. Write charge=Q multiplicity=M units=U in that line, or give "
            "--charge, --multiplicity and --units",
            settings->molecule, (long long)comment->line, comment->unread.text, molecule->charge,
            molecule->multiplicity,
            units[settings->units >= 0 ? settings->units : (int)comment->unit]);
}

static void print_frame(const struct molecule *molecule)
{
    if (molecule->n_frames > 1)
        log_print("           frame %lld of %lld\n", (long long)molecule->frame,
                  (long long)molecule->n_frames);
    if (molecule->unread_line > 0)
        log_print("           lines after its centres, from line %lld, are not read\n",
                  (long long)molecule->unread_line);
    if (molecule->has_isotopes)
        log_print("           D and T are read as hydrogen: no mass is used\n");
}

static bool uses_form(const struct hf_input *input, int set)
{
    for (int64_t s = 0; s < input->shells->n_shells; s++) {
        const struct shell *shell = &input->shells->shells[s];
        if (shell->l >= 2 && input->placed.atoms[shell->atom].basis == set)
            return true;
    }
    return false;
}

/* Where d and higher functions of a set are used, and neither its file nor an option says which. */
static void warn_of_form(const struct hf_settings *settings, const struct hf_input *input,
                         int number)
{
    const struct basis_set *set = &input->basis.sets[number];
    if (settings->spherical || settings->cartesian || set->form_stated || !uses_form(input, number))
        return;
    bool spherical = input->shells->spherical;
    log_warn("%s does not say whether its d functions are spherical or Cartesian: taken as %s%s. "
             "Sets of the 6-31G family are Cartesian by convention, correlation-consistent and "
             "def2 ones spherical: say which by --cartesian or --spherical, or %s",
             set->name, spherical ? "spherical" : "Cartesian", spherical ? "" : ", as NWChem does",
             spherical ? "by that word in a line of its own at the start of the file"
                       : "after the word basis in the file");
}

/* The set's name, and the elements that have it, each with the number of its centres. */
static void print_set(const struct hf_input *input, int set)
{
    const struct molecule *molecule = &input->molecule;
    const char *before = "on ";
    struct word name = basis_choice_name(&input->basis, set);
    log_print("           %.*s ", (int)name.length, name.begin);
    for (int element = 0; element <= MAX_ATOMIC_NUMBER; element++) {
        int64_t n = 0;
        for (int64_t a = 0; a < molecule->n_atoms; a++)
            n += molecule->atoms[a].element == element && molecule->atoms[a].basis == set;
        if (n == 0)
            continue;
        log_print("%s%lld %s", before, (long long)n, element_symbol(element));
        before = ", ";
    }
    log_print("%s\n", *before == 'o' ? "is not used" : "");
}

static void print_symmetry(const struct hf_input *input)
{
    log_print("Symmetry   %s: an SCF computes one of up to %d symmetric shell quartets\n",
              input->group.name, input->group.order);
    if (input->moved > 0)
        log_print(
            "           integrals are at centres moved onto it, coordinates by up to %.1e Bohr\n",
            input->moved);
}

/* Each potential once. */
static void print_core_potentials(const struct hf_input *input)
{
    const struct molecule *molecule = &input->molecule;
    const char *before = "           electrons in core potentials: ";
    for (int64_t kind = 0; kind < molecule_n_kinds(molecule); kind++)
        for (int64_t i = 0; i < molecule->n_atoms; i++) {
            const struct atom *atom = &molecule->atoms[i];
            struct word set = basis_choice_name(&input->basis, atom->basis);
            if (!atom->potential || atom_kind(atom) != kind)
                continue;
            log_print("%s%s", before, element_symbol(atom->element));
            if (input->basis.n_sets > 1)
                log_print(" in %.*s", (int)set.length, set.begin);
            log_print(": %d", atom_n_core(atom));
            before = ", ";
            break;
        }
    if (*before == ',')
        log_print("\n");
}

void hf_print_input(const struct hf_calculation *calculation, const char *compared)
{
    const struct hf_settings *settings = calculation->settings;
    const struct hf_input *input = &calculation->input;
    int n_workers;
    MPI_Comm_size(calculation->comm, &n_workers);
    int64_t n_centres = input->molecule.n_atoms;
    log_print("Molecule   %s: %lld centre%s, charge %d, multiplicity %d\n", settings->molecule,
              (long long)n_centres, log_plural(n_centres), input->molecule.charge,
              input->molecule.multiplicity);
    print_frame(&input->molecule);
    print_comment(settings, &input->molecule);
    if (settings->method == METHOD_ROHF && input->method == METHOD_RHF)
        log_print("           ROHF of a singlet is RHF\n");
    if (input->original_benchmark)
        log_print("           names atoms by number: read as a Be chain in Bohr, six ghost centres "
                  "added to each atom\n");
    log_print("Basis      %s: %lld functions in %lld shells, %s\n", settings->basis,
              (long long)input->shells->n_functions, (long long)input->shells->n_shells,
              input->shells->spherical ? "spherical" : "Cartesian");
    for (int set = 0; set < input->basis.n_sets; set++) {
        if (input->basis.n_sets > 1)
            print_set(input, set);
        warn_of_form(settings, input, set);
    }
    print_core_potentials(input);
    if (calculation->symmetry)
        print_symmetry(input);
    log_print("Processes  %d, scheduling %s%s\n", n_workers, compared ? "by each of " : "",
              compared ? compared : settings->pool.mode);
    blas_kernels_print(calculation->comm);
}

void hf_print_tasks(const struct hf_calculation *calculation)
{
    const struct fock_tasks *tasks = fock_tasks_of(calculation->fock);
    log_print("Tasks      %lld of %lld are not null (tiles of up to %lld functions, screening "
              "%g)\n\n",
              (long long)fock_tasks_n_non_null(tasks), (long long)fock_tasks_n_all(tasks),
              (long long)calculation->tiling->max_functions, calculation->settings->screen);
}

void hf_print_density(const struct hf_calculation *calculation, bool converged, double seconds)
{
    const struct hf_settings *settings = calculation->settings;
    if (settings->density)
        log_print("Density    of %s\n", settings->density);
    else if (converged)
        log_print("\nDensity    converged in %.3f s, not included in the builds\n", seconds);
    else if (calculation->checkpoint)
        log_print("Density    guess, of %s\n", checkpoint_reader_path(calculation->checkpoint));
    else
        log_print(
            "Density    guess (%s): builds from it are not representative of an SCF iteration; "
            "see --density\n",
            settings->guess);
}

/* One line for all builds, and one for the integrals that they kept; each by itself is in the result
 * file. */
static void print_build_summary(const struct fock *fock)
{
    int64_t n = fock_n_builds(fock), bytes = 0, hits = 0, misses = 0;
    double seconds = 0, task_s = 0, worker_s = 0, integrals = 0, integrals_read = 0;
    for (int64_t i = 0; i < n; i++) {
        const struct fock_record *record = &fock_records(fock)[i];
        seconds += record->seconds;
        task_s += record->statistics.task_s;
        worker_s += (double)record->statistics.n_workers * record->statistics.makespan_s;
        bytes = record->kept_bytes > bytes ? record->kept_bytes : bytes;
        hits += i > 0 ? record->kept_hits : 0;
        misses += i > 0 ? record->kept_misses : 0;
        integrals += (double)record->integrals;
        integrals_read += (double)record->integrals_read;
    }
    log_print("\n%lld Fock build%s took %.2f s; %.1f %% of the workers' time went into tasks\n",
              (long long)n, log_plural(n), seconds, 100 * task_s / worker_s);
    if (bytes > 0)
        log_print(
            "Integrals  kept in %.0f MB of all processes; after the first build %lld hits and "
            "%lld misses of tile quartets; %.1f %% of all integrals were read\n",
            1e-6 * (double)bytes, (long long)hits, (long long)misses,
            integrals > 0 ? 100 * integrals_read / integrals : 0);
}

void hf_print_result(const struct hf_calculation *calculation, bool all_orbitals)
{
    scf_report_result(&calculation->problem, &calculation->result, all_orbitals);
    print_build_summary(calculation->fock);
}

static void print_class_cost(const char *name, const struct class_cost *cost)
{
    double ns = 1e9 * (cost->selection_s + cost->integral_s + cost->digestion_s);
    log_print("%-20s %12.0f %14.0f %10.3f %10.3f %10.3f %11.1f %12.2f %8.1f\n", name,
              cost->quartets, cost->integrals, cost->selection_s, cost->integral_s,
              cost->digestion_s, ns / cost->quartets, ns / cost->integrals,
              100 * cost->primitives / cost->lanes);
}

static void add_class_cost(const struct class_cost *cost, struct class_cost *sum)
{
    sum->quartets += cost->quartets;
    sum->integrals += cost->integrals;
    sum->primitives += cost->primitives;
    sum->lanes += cost->lanes;
    sum->selection_s += cost->selection_s;
    sum->integral_s += cost->integral_s;
    sum->digestion_s += cost->digestion_s;
}

void hf_print_class_costs(const struct class_costs *costs)
{
    struct class_cost sum = {0};
    log_print("\nSeconds by class of shell quartets, of all builds and processes\n"
              "class                    quartets      integrals  selection  integrals  digestion  "
              "ns/quartet  ns/integral  lanes %%\n");
    int n = costs->n_pair_types;
    for (int class = 0; class < n * n; class ++) {
        char name[CLASS_NAME_SIZE];
        if (costs->of[class].quartets == 0)
            continue;
        class_costs_name(costs, class / n, class % n, name);
        print_class_cost(name, &costs->of[class]);
        add_class_cost(&costs->of[class], &sum);
    }
    if (sum.quartets > 0)
        print_class_cost("all", &sum);
    log_print("\n");
}

void hf_print_prediction(const struct hf_prediction *prediction)
{
    const struct fock_prediction *fock = &prediction->fock;
    log_print(
        "Tasks      %lld of %lld are not null\n"
        "Integrals  %lld above the threshold; of those %.3g %% were computed to predict seconds\n"
        "\nPredicted seconds, from a sample of %.2f s\n"
        "Fock build %10.3g  every integral above the threshold computed: most builds of an SCF;\n"
        "                       the first, of superposed atoms, takes less\n",
        (long long)prediction->non_null, (long long)prediction->tasks,
        (long long)prediction->integrals,
        100 * fmin(1, fock->sampled_integrals / fmax(1, fock->integrals)), fock->sample_s,
        fock->direct_s);
    if (fock->kept_fraction > 0)
        log_print(
            "           %10.3g  in which %.0f %% of the integrals are computed and kept, and\n"
            "           %10.3g  in which these are read\n",
            fock->first_s, 100 * fock->kept_fraction, fock->later_s);
    log_print("SCF        %.3g to %.3g  if it takes %d to %d Fock builds, without linear algebra\n",
              prediction->scf_s[0], prediction->scf_s[1], prediction->scf_builds[0],
              prediction->scf_builds[1]);
    if (prediction->uses_symmetry)
        log_print("                       a test of stability uses less of the symmetry, and takes "
                  "more\n");
}
