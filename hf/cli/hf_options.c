/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/cli/hf_options.h"

#include "basis/input/basis_library.h"
#include "basis/integrals/two_electron.h"
#include "sched/lab/comparison/comparison.h"
#include "sched/lab/profiles/profile.h"
#include "sched/pool/modes/mode_options.h"
#include "support/base/agree.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define FIELD(name) offsetof(struct hf_options, name)

/* A number that a macro names, as text. */
#define QUOTE(tokens)   #tokens
#define TEXT_OF(number) QUOTE(number)

#define METHOD_NAMES "rhf,uhf,rohf"

static const struct option_row molecule_rows[] = {
    TEXT_OPTION(
        "basis", FIELD(settings.basis), .value = "NAME|FILE",
        .help = "basis set: name (see --list-basis) or file (.gbs, .nw); by element and centre: "
                "cc-pvdz,O=aug-cc-pvdz,3=sto-3g"),
    HF_LIST_BASIS_OPTION(FIELD(list_basis)),
    CHOICE_OPTION("method", FIELD(settings.method), METHOD_NAMES,
                  .help = "restricted, unrestricted or restricted open-shell Hartree-Fock; by "
                          "default rhf for singlets, else uhf"),
    INTEGER_OPTION("charge", FIELD(settings.charge), -1000, 1000, .value = "N",
                   .help = "charge, e (default: from the file's comment line, else 0)"),
    INTEGER_OPTION("multiplicity", FIELD(settings.multiplicity), 1, 1000, .value = "M",
                   .help = "2S + 1 (default: from the file's comment line, else 1)"),
    CHOICE_OPTION("units", FIELD(settings.units), "angstrom,bohr",
                  .help = "units of the coordinates; by default from the file's comment line, "
                          "else angstrom"),
    INTEGER_OPTION("frame", FIELD(settings.frame), -1000000, 1000000, .value = "N", .expert = true,
                   .help = "frame of a molecule file with several: from 1, or from -1, the last, "
                           "backwards"),
    FLAG_OPTION("spherical", FIELD(settings.spherical),
                .help = "spherical d, f, ... functions, overriding the basis set"),
    FLAG_OPTION("cartesian", FIELD(settings.cartesian),
                .help = "Cartesian d, f, ... functions, overriding the basis set"),
};

static const struct option_row scf_rows[] = {
    TEXT_OPTION("guess", FIELD(settings.guess), .value = "sad|core|FILE",
                .help =
                    "initial density: superposed atoms, one-electron Hamiltonian, or a checkpoint, "
                    "also of another geometry or basis (default: sad)"),
    FLAG_OPTION("guess-mix", FIELD(settings.scf.mix), .expert = true,
                .help = "UHF: mix HOMO and LUMO of the guess, to break spin symmetry"),
    TEXT_OPTION("guess-flip", FIELD(settings.guess_flip), .value = "LIST", .expert = true,
                .help = "UHF: reverse the spins of these centres (2 or 1,4-6) in the guess, for "
                        "antiferromagnetic coupling; atoms of sad then have their own spins"),
    TEXT_OPTION("guess-swap", FIELD(swap), .value = "I:A[:beta]", .expert = true,
                .help =
                    "occupy orbital A of the guess (from 1, by energy) instead of I, of alpha or "
                    "both spins, or of beta; an excited state stays with --keep-occupation"),
    FLAG_OPTION("keep-occupation", FIELD(settings.scf.keep_occupation), .expert = true,
                .help = "occupy the orbitals that overlap most with the occupied ones of --guess "
                        "FILE or --restart FILE, not the lowest ones: the state stays, excited or "
                        "not"),
    REAL_OPTION("converge", FIELD(settings.scf.converge), SCF_LEAST_CONVERGE, 1, .value = "X",
                .help = "orbital gradient (default: energy to 1e-9; methods: 1e-8)"),
    INTEGER_OPTION("max-iter", FIELD(settings.scf.max_iterations), 1, 1000000,
                   .default_text = TEXT_OF(SCF_DEFAULT_MAX_ITERATIONS), .value = "N",
                   .help = "maximum number of iterations of an SCF"),
    INTEGER_OPTION("diis", FIELD(settings.scf.diis_size), 1, 100, .value = "N", .expert = true,
                   .help = "Fock matrices kept by DIIS; 1: no DIIS (default: " TEXT_OF(
                       SCF_CLOSED_DIIS_SIZE) ", unrestricted " TEXT_OF(SCF_OPEN_DIIS_SIZE) ")"),
    REAL_OPTION("damping", FIELD(settings.scf.damping), 0, 0.99, .default_text = "0", .value = "X",
                .expert = true,
                .help = "fraction of the last Fock matrix kept in early iterations"),
    REAL_OPTION("level-shift", FIELD(settings.scf.level_shift), 0, 100, .default_text = "0",
                .value = "X", .expert = true,
                .help = "added to the energies of virtual orbitals, hartree"),
    REAL_OPTION("dependence", FIELD(settings.scf.dependence), 0, 1,
                .default_text = TEXT_OF(SCF_DEFAULT_DEPENDENCE), .value = "X", .expert = true,
                .help = "cutoff of overlap eigenvalues: functions that depend on others are "
                        "dropped"),
    CHOICE_OPTION("second-order", FIELD(settings.scf.second_order), "auto,always,never",
                  .default_text = "auto", .expert = true,
                  .help = "second-order steps: when DIIS stalls, from the start, or only away "
                          "from saddle points"),
    CHOICE_OPTION(
        "stability", FIELD(settings.scf.stability), "auto,always,never", .default_text = "auto",
        .expert = true,
        .help = "test that the result is a local minimum, RHF also among UHF determinants; auto: "
                "UHF, and RHF of up to 200 functions"),
    CHOICE_OPTION("follow", FIELD(settings.scf.follow), "none,same,uhf", .expert = true,
                  .help = "from a saddle point that the test finds go nowhere, down within the "
                          "space of the method, or from RHF also into UHF (default: same; none for "
                          "ROHF, with --keep-occupation and in methods of beryl-tce)"),
    CHOICE_OPTION("search", FIELD(settings.search), "auto,always,never", .default_text = "auto",
                  .help = "look for lower solutions from other guesses"),
    FLAG_OPTION("all-orbitals", FIELD(all_orbitals), .expert = true,
                .help = "print every orbital energy, not only those near the gap"),
    TEXT_OPTION("checkpoint", FIELD(settings.scf.checkpoint), .value = "FILE",
                .help = "TREXIO file to write after every iteration"),
    INTEGER_OPTION("checkpoint-every", FIELD(settings.scf.checkpoint_every), 1, 1000000,
                   .default_text = TEXT_OF(SCF_DEFAULT_CHECKPOINT), .value = "N", .expert = true,
                   .help = "iterations from one --checkpoint to the next; the last is written in "
                           "any case"),
    TEXT_OPTION("restart", FIELD(settings.restart), .value = "FILE",
                .help = "continue from a checkpoint"),
};

static const struct option_row fock_rows[] = {
    REAL_OPTION("screen", FIELD(settings.screen), 0, 1, .min_excluded = true,
                .default_text = TEXT_OF(HF_DEFAULT_SCREEN), .value = "X",
                .help = "Schwarz threshold, hartree"),
    CHOICE_OPTION("screening", FIELD(settings.fock.screening), "density,schwarz",
                  .default_text = "density", .expert = true,
                  .help = "integrals to compute: those that matter with the current density, or "
                          "all above the threshold, as in Lifflander et al. (2012)"),
    CHOICE_OPTION("point-group", FIELD(settings.point_group), "auto,c1", .default_text = "auto",
                  .expert = true,
                  .help = "symmetry of the molecule that Fock builds of an SCF use: all that is "
                          "found, or none"),
    CHOICE_OPTION("integrals", FIELD(settings.integrals), "auto,direct,memory",
                  .default_text = "auto",
                  .help = "keep integrals in memory (auto: in half of it), or compute all anew"),
    INTEGER_OPTION("tile", FIELD(settings.tile), 1, 1000, .value = "N", .expert = true,
                   .help = "maximum number of basis functions in a tile (default: by the basis; 40 "
                           "above 160 functions)"),
    CHOICE_OPTION("decomposition", FIELD(settings.fock.decomposition), FOCK_DECOMPOSITION_NAMES,
                  .default_text = "quartet", .expert = true,
                  .help = "a task is a quartet of tiles (IJ|KL), or a pair of tile rows (I:|K:)"),
    CHOICE_OPTION("symmetry", FIELD(settings.fock.symmetry), "full,none", .default_text = "full",
                  .expert = true, .help = "unique quartets only, or all ordered ones"),
    CHOICE_OPTION("prune", FIELD(settings.fock.prune), "none,observed,inspect",
                  .default_text = "inspect", .expert = true,
                  .help = "null tasks: run all; run them in the first build only; never list them"),
    CHOICE_OPTION("accumulate", FIELD(settings.fock.accumulate), "fixed,float",
                  .default_text = "fixed", .expert = true,
                  .help = "sum F in fixed-point arithmetic, independent of order, or in floating "
                          "point"),
    CHOICE_OPTION("engine", FIELD(settings.engine), NULL, .list_choices = two_electron_engine_names,
                  .value = "NAME", .expert = true,
                  .help = "integral engine to try first; classes of integrals that it does not "
                          "handle go to the others in this order"),
    INTEGER_OPTION("cache", FIELD(cache_megabytes), 0, 1000000,
                   .default_text = TEXT_OF(HF_DEFAULT_CACHE), .value = "MB", .expert = true,
                   .help = "memory per process for tiles of D and F and for shell pairs; in "
                           "methods of beryl-tce also for blocks of tensors"),
};

static const struct option_row output_rows[] = {
    INTEGER_OPTION("memory", FIELD(settings.memory_megabytes), 0, 1000000000, .default_text = "0",
                   .value = "MB", .help = "memory of a process, program aside; 0: all there is"),
    TEXT_OPTION("json", FIELD(files.json), .value = "FILE",
                .help = "write the result as a QCSchema AtomicResult"),
    TEXT_OPTION("report", FIELD(files.report), .value = "FILE.html",
                .help = "write a page of the run, with charts"),
};

/* Options of beryl-hf alone. */
static const struct option_row run_rows[] = {
    INTEGER_OPTION(
        "fock-only", FIELD(fock_only), 0, 1000000, .default_text = "0", .value = "N",
        .help = "run N two-electron Fock builds from --density instead of an SCF; 0: the SCF"),
    TEXT_OPTION("density", FIELD(density), .value = "guess|converged|FILE",
                .help =
                    "density for --fock-only and --compare; guess: the initial one, whose builds "
                    "cost less than later ones; converged: run an SCF first; FILE: from a "
                    "checkpoint (default: guess)"),
    TEXT_OPTION(
        "compare", FIELD(compare), .value = "M1,M2,...|all",
        .help = "time Fock builds (--fock-only, default 5) under each of these modes and print "
                "a table; all: every mode not named; name a mode twice to see chance differences"),
    COMPARISON_ROUNDS_OPTION(FIELD(rounds)),
    FLAG_OPTION("count-tasks", FIELD(count_tasks), .expert = true,
                .help = "print the numbers of tasks, non-null tasks and integrals above the "
                        "threshold, and stop"),
    FLAG_OPTION("dry-run", FIELD(dry_run),
                .help = "print memory, tasks and predicted seconds of the SCF, and stop"),
    FLAG_OPTION("profile-classes", FIELD(settings.fock.profile_classes), .expert = true,
                .help =
                    "print the cost of the shell quartets of each class, (ss|ss), (ss|ps), ..., "
                    "in all builds"),
    TEXT_OPTION("write-profile", FIELD(files.profile), .value = "FILE.csv|FILE.npy", .expert = true,
                .help =
                    "write the seconds of every non-null task of the last build, by its number "
                    "among all tasks; for X.csv also the tiles that each task reads and writes, "
                    "X.blocks.csv and X.sizes.csv"),
};

#undef FIELD

void hf_options_tables(struct hf_options *options, struct option_table tables[HF_OPTION_TABLES])
{
    tables[0] = OPTION_TABLE("Molecule", molecule_rows, options);
    tables[1] = OPTION_TABLE("SCF", scf_rows, options);
    tables[2] = OPTION_TABLE("Fock build", fock_rows, options);
    tables[3] = mode_options_table_real(&options->settings.pool);
    tables[4] = OPTION_TABLE("Memory and output", output_rows, options);
}

/* The tables shared with methods, and one of beryl-hf alone. */
enum { N_TABLES = HF_OPTION_TABLES + 1 };

static struct options describe_beryl_hf(struct hf_options *options,
                                        struct option_table tables[N_TABLES])
{
    hf_options_tables(options, tables);
    tables[HF_OPTION_TABLES] = OPTION_TABLE("Run", run_rows, options);
    return (struct options){
        .program = "beryl-hf",
        .synopsis = "MOLECULE.xyz --basis NAME [options]",
        .purpose = "Hartree-Fock energies, and the Fock build as a scheduling benchmark; of XYZ or "
                   "QCSchema files (.json). Runs on one process, or on several under mpirun -np P.",
        .tables = tables,
        .n_tables = N_TABLES,
        .min_operands = 1,
        .max_operands = 1,
        .operand_name = "MOLECULE.xyz",
        .given = options->input.options,
        .giver = options->input.name,
    };
}

enum hf_density_source hf_options_density(const struct hf_options *options)
{
    if (!options->density || strcmp(options->density, "guess") == 0)
        return HF_DENSITY_GUESS;
    return strcmp(options->density, "converged") == 0 ? HF_DENSITY_CONVERGED : HF_DENSITY_FILE;
}

static enum hf_goal goal_of(const struct hf_options *options)
{
    if (options->count_tasks)
        return HF_GOAL_TASKS;
    return !options->fock_only || hf_options_density(options) == HF_DENSITY_CONVERGED
               ? HF_GOAL_SCF
               : HF_GOAL_BUILDS;
}

/* Reads --guess-swap. */
static enum status parse_swap(struct hf_options *options)
{
    struct scf_swap *swap = &options->settings.scf.swap;
    long long occupied = 0, virtual = 0;
    int end = 0;
    if (!options->swap)
        return STATUS_OK;
    if (sscanf(options->swap, "%9lld:%9lld%n", &occupied, &virtual, &end) == 2 && occupied > 0 &&
        virtual > occupied &&
        (options->swap[end] == 0 || strcmp(options->swap + end, ":beta") == 0)) {
        *swap = (struct scf_swap){options->swap[end] != 0, occupied, virtual};
        return STATUS_OK;
    }
    return FAIL(STATUS_USAGE,
                "--guess-swap '%.64s': give the numbers of an occupied and of a virtual orbital, "
                "such as 5:6, or 5:6:beta",
                options->swap);
}

void hf_options_init(struct hf_options *options)
{
    *options = (struct hf_options){.settings = {.method = -1,
                                                .units = -1,
                                                .charge = HF_NOT_GIVEN,
                                                .multiplicity = HF_NOT_GIVEN,
                                                .frame = HF_NOT_GIVEN,
                                                .scf.follow = -1 /* not given */},
                                   .input = options->input};
}

/* --- checks --- */

#define NO_GUESS ", which has no guess: name the checkpoint with --guess"

/* A combination of options, and the message that refuses it. */
struct refusal {
    bool applies;
    const char *text;
};

/* Fails with the first refusal that applies. */
static enum status refuse_first(size_t n, const struct refusal refusals[])
{
    for (size_t i = 0; i < n; i++)
        if (refusals[i].applies)
            return FAIL(STATUS_USAGE, "%s", refusals[i].text);
    return STATUS_OK;
}

/* The initial density and the steps of an SCF. */
static enum status check_scf_options(const struct hf_options *options)
{
    const struct hf_settings *settings = &options->settings;
    const struct scf_settings *scf = &settings->scf;
    bool restart = settings->restart, flip = settings->guess_flip, swap = options->swap;
    const struct refusal refusals[] = {
        {!settings->basis, "--basis is missing: name a basis set, for instance --basis cc-pvdz"},
        {settings->spherical && settings->cartesian,
         "--spherical and --cartesian exclude each other"},
        {scf->checkpoint_every != SCF_DEFAULT_CHECKPOINT && !scf->checkpoint,
         "--checkpoint-every has no effect without --checkpoint"},
        {scf->stability == SCF_NEVER && scf->follow >= 0,
         "--follow has no effect with --stability never: no saddle point is found"},
        {scf->follow == SCF_FOLLOW_UHF && settings->method == METHOD_ROHF,
         "--follow uhf leads from RHF: for ROHF give none or same, or --method uhf"},
        {restart && settings->guess,
         "--restart and --guess both name the initial density: leave one out"},
        {restart && scf->mix, "--guess-mix has no effect with --restart" NO_GUESS},
        {restart && flip, "--guess-flip has no effect with --restart" NO_GUESS},
        {restart && swap, "--guess-swap has no effect with --restart" NO_GUESS},
        {scf->mix && flip, "--guess-mix and --guess-flip exclude each other: both make the spins "
                           "of the guess different"},
        {scf->mix && swap, "--guess-mix and --guess-swap exclude each other"},
        {scf->keep_occupation && scf->second_order == SCF_ALWAYS,
         "--keep-occupation is for DIIS: second-order steps lead down to another state, leave "
         "--second-order always out"},
    };
    return refuse_first(sizeof refusals / sizeof refusals[0], refusals);
}

/* Runs without an SCF, and outputs that they do not have. */
static enum status check_kind_of_run(const struct hf_options *options)
{
    const struct hf_settings *settings = &options->settings;
    const struct hf_files *files = &options->files;
    const char *checkpoint = settings->scf.checkpoint;
    bool dry = options->dry_run, compare = options->compare;
    const struct refusal refusals[] = {
        {dry && (options->count_tasks || compare || options->fock_only),
         "--dry-run predicts an SCF and one of its Fock builds: leave --count-tasks, --compare and "
         "--fock-only out"},
        {dry && (files->report || files->profile || checkpoint || settings->fock.profile_classes ||
                 settings->pool.watchdog_s > 0 || settings->pool.trace_folder),
         "--dry-run runs nothing: leave --report, --write-profile, --checkpoint, "
         "--profile-classes, --watchdog and --trace out"},
        {options->count_tasks && (files->json || files->report || files->profile || checkpoint),
         "--count-tasks prints one line and writes no file"},
        {compare && options->count_tasks,
         "--compare runs Fock builds, --count-tasks none: leave one out"},
        {compare && files->profile, "--write-profile is for one mode: leave --compare out"},
        {compare && settings->fock.profile_classes,
         "--profile-classes is for one mode: leave --compare out"},
        {checkpoint && settings->goal != HF_GOAL_SCF,
         "--fock-only and --compare compute no orbitals to write to a --checkpoint: add --density "
         "converged"},
    };
    return refuse_first(sizeof refusals / sizeof refusals[0], refusals);
}

bool hf_options_await_file(const struct hf_options *options, const char *molecule)
{
    return atomic_input_has_name(molecule) && !options->input.document;
}

/* Takes the molecule of a file of QCSchema, which options overrule. */
static enum status take_molecule(struct hf_options *options)
{
    const struct atomic_input *input = &options->input;
    struct hf_settings *settings = &options->settings;
    const char *kind = json_string_value(json_object_get(input->options, "model.method"));
    if (!input->document)
        return STATUS_OK;
    if (settings->units >= 0 || settings->frame != HF_NOT_GIVEN)
        return FAIL(STATUS_USAGE,
                    "--%s has no effect with %s: a file of QCSchema has one molecule, in Bohr",
                    settings->units >= 0 ? "units" : "frame", input->name);
    if (kind && option_choice_index(METHOD_NAMES, kind) != settings->method)
        return FAIL(STATUS_USAGE,
                    "--method or keywords.method contradicts model.method of %s, which is %s: "
                    "leave one out",
                    input->name, kind);
    settings->atoms = input->atoms;
    settings->n_atoms = input->n_atoms;
    if (settings->charge == HF_NOT_GIVEN)
        settings->charge = input->charge;
    if (settings->multiplicity == HF_NOT_GIVEN)
        settings->multiplicity = input->multiplicity;
    return STATUS_OK;
}

enum status hf_options_complete(struct hf_options *options, const char *molecule,
                                enum scf_follow follow)
{
    options->settings.molecule = molecule;
    TRY(take_molecule(options));
    options->settings.fock.cache_bytes = options->cache_megabytes * 1000000;
    options->settings.pool.keep_timeline = options->files.json || options->files.report;
    options->settings.pool.keep_history = options->files.profile != NULL;
    options->settings.goal = goal_of(options);
    TRY(check_scf_options(options));
    TRY(check_kind_of_run(options));
    TRY(mode_options_choose(&options->settings.pool, options->compare, options->rounds,
                            &options->settings.modes));
    TRY(mode_options_check_real(&options->settings.modes));
    TRY(parse_swap(options));
    /* Lower solutions of ROHF mostly break the symmetry of the molecule, and other programs end at
     * the symmetric one. */
    if (options->settings.scf.follow < 0)
        options->settings.scf.follow =
            options->settings.scf.keep_occupation || options->settings.method == METHOD_ROHF
                ? SCF_FOLLOW_NONE
                : follow;
    if (options->fock_only && options->settings.integrals == HF_INTEGRALS_AUTO)
        options->settings.integrals = HF_INTEGRALS_DIRECT;
    if (options->fock_only) /* timed builds, from the same density on any version */
        options->settings.point_group = HF_POINT_GROUP_C1;
    if (options->fock_only && !options->density)
        options->density = "guess";
    if (hf_options_density(options) == HF_DENSITY_FILE)
        options->settings.density = options->density;
    else if (!options->settings.guess && !options->settings.restart)
        options->settings.guess = "sad";
    return STATUS_OK;
}

/* Options without effect with --fock-only; --count-tasks ignores the builds' options, too. */
#define OPTIONS_OF_ITERATIONS                                                                      \
    "guess-mix,guess-swap,keep-occupation,converge,max-iter,diis,damping,level-shift,"             \
    "second-order,stability,follow,search,point-group,all-orbitals"
#define OPTIONS_OF_BUILDS                                                                          \
    "density,accumulate,cache,integrals,fock-only,watchdog,profile-classes,trace"
#define OPTIONS_OF_DENSITY "guess,guess-flip,restart,dependence"

static enum status check_no_effect(const struct hf_options *options, const char *names,
                                   const char *with)
{
    struct hf_options copy = *options, initial = {0};
    struct option_table tables[N_TABLES], initial_tables[N_TABLES];
    hf_options_init(&initial);
    describe_beryl_hf(&copy, tables);
    describe_beryl_hf(&initial, initial_tables);
    return options_check_no_effect(tables, initial_tables, N_TABLES, names, with);
}

/* Options of beryl-hf alone. */
static enum status check_run_options(const struct hf_options *options)
{
    if (options->density && !options->fock_only)
        return FAIL(STATUS_USAGE, "--density has no effect without --fock-only or --compare: the "
                                  "SCF starts from --guess");
    if (goal_of(options) != HF_GOAL_SCF)
        TRY(check_no_effect(options, OPTIONS_OF_ITERATIONS,
                            options->compare ? "compare" : "fock-only"));
    if (hf_options_density(options) == HF_DENSITY_FILE)
        TRY(check_no_effect(options, OPTIONS_OF_DENSITY, "density FILE"));
    return profile_check_name(options->files.profile);
}

/* hf_options_parse, with what the molecule file gives, if it has been read. */
static enum status parse_hf_options(int argc, char **argv, struct hf_options *options,
                                    enum option_request *request)
{
    int first_operand;
    struct option_table tables[N_TABLES];
    hf_options_init(options);
    struct options all = describe_beryl_hf(options, tables);
    TRY(options_parse(&all, argc, argv, request, &first_operand));
    options->argc = argc;
    options->argv = argv;
    if (*request != OPTION_REQUEST_RUN)
        return STATUS_OK;
    options->settings.molecule = argv[first_operand];
    if (hf_options_await_file(options, argv[first_operand]))
        return STATUS_OK;
    TRY(atomic_input_check_method(&options->input, atomic_input_is_hartree_fock(&options->input),
                                  all.program));
    if (options->count_tasks)
        TRY(check_no_effect(options,
                            OPTIONS_OF_ITERATIONS "," OPTIONS_OF_DENSITY "," OPTIONS_OF_BUILDS,
                            "count-tasks"));
    if (options->compare && !options->fock_only)
        options->fock_only = 5;
    TRY(check_run_options(options));
    options->settings.scf.energy_alone = !options->fock_only;
    return hf_options_complete(options, argv[first_operand], SCF_FOLLOW_SAME);
}

enum status hf_options_parse(int argc, char **argv, struct hf_options *options,
                             enum option_request *request)
{
    options->input = (struct atomic_input){0};
    return parse_hf_options(argc, argv, options, request);
}

enum status hf_options_read_file(struct hf_options *options, MPI_Comm comm)
{
    enum option_request request;
    if (!hf_options_await_file(options, options->settings.molecule))
        return STATUS_OK;
    TRY(atomic_input_read(options->settings.molecule, comm, &options->input));
    return status_agree(comm, parse_hf_options(options->argc, options->argv, options, &request));
}

enum status hf_options_answer(const struct hf_options *options, enum option_request request)
{
    struct hf_options copy = *options;
    struct option_table tables[N_TABLES];
    struct options all = describe_beryl_hf(&copy, tables);
    if (request == OPTION_REQUEST_ANSWER)
        return basis_library_print(options->list_basis);
    options_answer(&all, request);
    return STATUS_OK;
}

json_t *hf_options_command(const struct hf_options *options)
{
    struct hf_options copy = *options;
    struct option_table tables[N_TABLES];
    struct options all = describe_beryl_hf(&copy, tables);
    return command_line_to_json(&all, all.program, options->argc, options->argv, HF_OUTPUTS);
}

json_t *hf_options_to_json(const struct hf_options *options, const struct hf_input *input)
{
    static const char *const decided[] = {"charge", "multiplicity", "method", "tile"};
    struct hf_options copy = *options;
    struct option_table tables[N_TABLES];
    struct options all = describe_beryl_hf(&copy, tables);
    const struct scf_criterion criterion =
        scf_criterion(&options->settings.scf, options->settings.screen);
    copy.settings.scf.converge = criterion.gradient;
    if (input->shells) {
        copy.settings.charge = input->molecule.charge;
        copy.settings.multiplicity = input->molecule.multiplicity;
        copy.settings.method = input->method;
        copy.settings.tile = input->tile;
    }
    json_t *json = options_to_json(&all);
    for (int i = 0; !input->shells && i < 4; i++)
        json_object_del(json, decided[i]);
    if (criterion.energy_error > 0)
        json_object_del(json, "converge");
    if (options->compare)
        json_object_del(json, "sched");
    /* The geometry of a result is in Bohr; the file's unit is not known here unless given. */
    if (options->settings.units < 0)
        json_object_del(json, "units");
    if (options->settings.frame == HF_NOT_GIVEN)
        json_object_del(json, "frame");
    return json;
}
