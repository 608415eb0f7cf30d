#include "hf/cli/hf_options.h"

#include "basis/integrals/two_electron.h"
#include "sched/modes/mode_options.h"

#include <stddef.h>
#include <string.h>

#define FIELD(name) offsetof(struct hf_options, name)

/* A number that a macro names, as text. */
#define QUOTE(tokens)   #tokens
#define TEXT_OF(number) QUOTE(number)

static const struct option_row molecule_rows[] = {
    {.name = "basis",
     .kind = OPTION_TEXT,
     .offset = FIELD(basis),
     .value = "NAME|FILE",
     .help = "basis set: a name of basis/data, or a Gaussian94 (.gbs) or NWChem (.nw) file"},
    {.name = "method",
     .kind = OPTION_CHOICE,
     .offset = FIELD(method),
     .choices = "rhf,uhf",
     .help = "restricted or unrestricted (default: rhf for singlets, uhf otherwise)"},
    {.name = "charge",
     .kind = OPTION_INTEGER,
     .offset = FIELD(charge),
     .min = -1000,
     .max = 1000,
     .value = "N",
     .help = "total charge, e (default: that of the file's comment line, else 0)"},
    {.name = "multiplicity",
     .kind = OPTION_INTEGER,
     .offset = FIELD(multiplicity),
     .min = 1,
     .max = 1000,
     .value = "M",
     .help = "2S + 1 (default: that of the file's comment line, else 1)"},
    {.name = "units",
     .kind = OPTION_CHOICE,
     .offset = FIELD(units),
     .choices = "angstrom,bohr",
     .help = "units of the coordinates (default: those of the file's comment line, else angstrom)"},
    {.name = "spherical",
     .kind = OPTION_FLAG,
     .offset = FIELD(spherical),
     .help = "spherical d, f, ... functions, whatever the basis set says"},
    {.name = "cartesian",
     .kind = OPTION_FLAG,
     .offset = FIELD(cartesian),
     .help = "Cartesian d, f, ... functions, whatever the basis set says"},
};

static const struct option_row scf_rows[] = {
    {.name = "guess",
     .kind = OPTION_TEXT,
     .offset = FIELD(guess),
     .value = "sad|core|FILE",
     .help = "first density: superposed atoms, one-electron Hamiltonian, or a checkpoint's "
             "(default: sad)"},
    {.name = "converge",
     .kind = OPTION_REAL,
     .offset = FIELD(scf.converge),
     .default_text = TEXT_OF(SCF_DEFAULT_CONVERGE),
     .min = 0,
     .max = 1,
     .min_excluded = true,
     .value = "X",
     .help = "largest element of the orbital gradient at convergence, hartree"},
    {.name = "max-iter",
     .kind = OPTION_INTEGER,
     .offset = FIELD(scf.max_iterations),
     .default_text = TEXT_OF(SCF_DEFAULT_MAX_ITERATIONS),
     .min = 1,
     .max = 1000000,
     .value = "N",
     .help = "limit of iterations"},
    {.name = "diis",
     .expert = true,
     .kind = OPTION_INTEGER,
     .offset = FIELD(scf.diis_size),
     .default_text = TEXT_OF(SCF_DEFAULT_DIIS_SIZE),
     .min = 1,
     .max = 100,
     .value = "N",
     .help = "Fock matrices that DIIS keeps; 1: no DIIS"},
    {.name = "damping",
     .expert = true,
     .kind = OPTION_REAL,
     .offset = FIELD(scf.damping),
     .default_text = "0",
     .min = 0,
     .max = 0.99,
     .value = "X",
     .help = "fraction of the last Fock matrix kept in early iterations"},
    {.name = "level-shift",
     .expert = true,
     .kind = OPTION_REAL,
     .offset = FIELD(scf.level_shift),
     .default_text = "0",
     .min = 0,
     .max = 100,
     .value = "X",
     .help = "added to the energies of virtual orbitals, hartree"},
    {.name = "dependence",
     .expert = true,
     .kind = OPTION_REAL,
     .offset = FIELD(scf.dependence),
     .default_text = TEXT_OF(SCF_DEFAULT_DEPENDENCE),
     .min = 0,
     .max = 1,
     .value = "X",
     .help = "cutoff of overlap eigenvalues: functions that depend on others are dropped"},
    {.name = "second-order",
     .expert = true,
     .kind = OPTION_CHOICE,
     .offset = FIELD(scf.second_order),
     .default_text = "auto",
     .choices = "auto,always,never",
     .help =
         "second-order steps: when DIIS stalls, from the start, or only away from saddle points"},
    {.name = "stability",
     .expert = true,
     .kind = OPTION_CHOICE,
     .offset = FIELD(scf.stability),
     .default_text = "auto",
     .choices = "auto,always,never",
     .help = "test that the result is a minimum; auto: UHF, and RHF of up to 200 functions"},
    {.name = "all-orbitals",
     .expert = true,
     .kind = OPTION_FLAG,
     .offset = FIELD(all_orbitals),
     .help = "print every orbital energy, not only those near the gap"},
    {.name = "checkpoint",
     .kind = OPTION_TEXT,
     .offset = FIELD(scf.checkpoint),
     .value = "FILE",
     .help = "TREXIO file to write after every iteration"},
    {.name = "restart",
     .kind = OPTION_TEXT,
     .offset = FIELD(restart),
     .value = "FILE",
     .help = "continue from a checkpoint"},
};

static const struct option_row fock_rows[] = {
    {.name = "screen",
     .kind = OPTION_REAL,
     .offset = FIELD(screen),
     .default_text = "1e-10",
     .min = 0,
     .max = 1,
     .min_excluded = true,
     .value = "X",
     .help = "Schwarz threshold, hartree"},
    {.name = "tile",
     .kind = OPTION_INTEGER,
     .offset = FIELD(tile),
     .default_text = "40",
     .min = 1,
     .max = 1000,
     .value = "N",
     .help = "basis functions in a tile, at most"},
    {.name = "decomposition",
     .kind = OPTION_CHOICE,
     .offset = FIELD(fock.decomposition),
     .default_text = "quartet",
     .choices = FOCK_DECOMPOSITION_NAMES,
     .help = "a task is a quartet of tiles (IJ|KL), or a pair of tile rows (I:|K:)"},
    {.name = "symmetry",
     .kind = OPTION_CHOICE,
     .offset = FIELD(fock.symmetry),
     .default_text = "full",
     .choices = "full,none",
     .help = "unique quartets only, or all ordered ones"},
    {.name = "prune",
     .kind = OPTION_CHOICE,
     .offset = FIELD(fock.prune),
     .default_text = "inspect",
     .choices = "none,observed,inspect",
     .help = "null tasks: run all; run them in the first build only; never list them"},
    {.name = "accumulate",
     .kind = OPTION_CHOICE,
     .offset = FIELD(fock.accumulate),
     .default_text = "fixed",
     .choices = "fixed,float",
     .help = "sum F in fixed-point arithmetic, independent of order, or in floating point"},
    {.name = "engine",
     .kind = OPTION_CHOICE,
     .offset = FIELD(engine),
     .list_choices = two_electron_engine_names,
     .value = "NAME",
     .help = "integral engine to try first; classes of integrals that it does not handle go to "
             "the others in this order"},
    {.name = "cache",
     .kind = OPTION_INTEGER,
     .offset = FIELD(cache_megabytes),
     .default_text = "256",
     .min = 0,
     .max = 1000000,
     .value = "MB",
     .help = "memory per process for tiles of D and F and for shell pairs"},
};

static const struct option_row output_rows[] = {
    {.name = "memory",
     .kind = OPTION_INTEGER,
     .offset = FIELD(memory_megabytes),
     .default_text = "0",
     .min = 0,
     .max = 1000000000,
     .value = "MB",
     .help = "memory that a process may use; 0: all that is available"},
    {.name = "json",
     .kind = OPTION_TEXT,
     .offset = FIELD(json),
     .value = "FILE",
     .help = "write the result as a QCSchema AtomicResult"},
    {.name = "report",
     .kind = OPTION_TEXT,
     .offset = FIELD(report),
     .value = "FILE.html",
     .help = "write a page of the run, with charts"},
};

/* Of beryl-hf alone. */
static const struct option_row run_rows[] = {
    {.name = "fock-only",
     .kind = OPTION_INTEGER,
     .offset = FIELD(fock_only),
     .default_text = "0",
     .min = 0,
     .max = 1000000,
     .value = "N",
     .help = "only N two-electron Fock builds from the guess density; 0: the SCF"},
    {.name = "compare",
     .kind = OPTION_TEXT,
     .offset = FIELD(compare),
     .value = "M1,M2,...|all",
     .help = "--fock-only (5) under each of these modes, one after another, and a table; options "
             "of a mode go to those that have them"},
    {.name = "count-tasks",
     .kind = OPTION_FLAG,
     .offset = FIELD(count_tasks),
     .help = "print the numbers of tasks, non-null tasks and integrals, and stop"},
    {.name = "write-profile",
     .kind = OPTION_TEXT,
     .offset = FIELD(profile),
     .value = "FILE.csv|FILE.npy",
     .help = "seconds of every non-null task of the last build, by its number among all tasks"},
};

#define N_ROWS(rows) (sizeof(rows) / sizeof((rows)[0]))

void hf_options_tables(struct hf_options *options, struct option_table tables[HF_OPTION_TABLES])
{
    tables[0] = (struct option_table){"Molecule", molecule_rows, N_ROWS(molecule_rows), options};
    tables[1] = (struct option_table){"SCF", scf_rows, N_ROWS(scf_rows), options};
    tables[2] = (struct option_table){"Fock build", fock_rows, N_ROWS(fock_rows), options};
    tables[3] = mode_options_table(&options->pool);
    tables[4] =
        (struct option_table){"Memory and output", output_rows, N_ROWS(output_rows), options};
}

/* Rows of beryl-hf: those shared with methods, and its own. */
struct hf_rows {
    struct option_table tables[HF_OPTION_TABLES + 1];
};

static struct options describe_beryl_hf(struct hf_options *options, struct hf_rows *rows)
{
    hf_options_tables(options, rows->tables);
    rows->tables[HF_OPTION_TABLES] =
        (struct option_table){"Run", run_rows, N_ROWS(run_rows), options};
    return (struct options){
        .program = "beryl-hf",
        .synopsis = "MOLECULE.xyz --basis NAME [options]",
        .purpose = "Hartree-Fock energies, and the Fock build as a scheduling benchmark. "
                   "Runs on one process as it is, on several under mpirun -np P.",
        .tables = rows->tables,
        .n_tables = HF_OPTION_TABLES + 1,
        .min_operands = 1,
        .max_operands = 1,
        .operand_name = "MOLECULE.xyz",
    };
}

/* Options that contradict --compare. */
static enum status check_compare(const struct hf_options *options)
{
    if (options->count_tasks)
        return FAIL(STATUS_USAGE, "--compare runs Fock builds, --count-tasks none: leave one out");
    if (options->profile)
        return FAIL(STATUS_USAGE, "--write-profile is for one mode: leave --compare out");
    if (options->scf.checkpoint)
        return FAIL(STATUS_USAGE, "--compare computes no orbitals to write to a --checkpoint");
    return STATUS_OK;
}

/* Contradictions between options. */
static enum status check_hf_options(struct hf_options *options)
{
    if (!options->basis)
        return FAIL(STATUS_USAGE, "--basis is missing: name a basis set, for instance "
                                  "--basis cc-pvdz");
    if (options->spherical && options->cartesian)
        return FAIL(STATUS_USAGE, "--spherical and --cartesian exclude each other");
    if (options->count_tasks &&
        (options->json || options->report || options->profile || options->scf.checkpoint))
        return FAIL(STATUS_USAGE, "--count-tasks prints one line and writes no file");
    if (options->restart && options->guess)
        return FAIL(STATUS_USAGE, "--restart and --guess both name the first density: leave one "
                                  "out");
    TRY(mode_options_choose(&options->pool, options->compare, &options->modes));
    if (options->compare)
        TRY(check_compare(options));
    if (options->fock_only && options->scf.checkpoint)
        return FAIL(STATUS_USAGE, "--fock-only computes no orbitals to write to a --checkpoint");
    return STATUS_OK;
}

void hf_options_init(struct hf_options *options)
{
    *options = (struct hf_options){.method = -1,
                                   .units = -1,
                                   .charge = HF_OPTION_NOT_GIVEN,
                                   .multiplicity = HF_OPTION_NOT_GIVEN};
}

enum status hf_options_complete(struct hf_options *options, const char *molecule)
{
    options->molecule = molecule;
    options->fock.cache_bytes = options->cache_megabytes * 1000000;
    TRY(check_hf_options(options));
    if (!options->guess && !options->restart)
        options->guess = "sad";
    return STATUS_OK;
}

enum status hf_options_parse(int argc, char **argv, struct hf_options *options,
                             enum option_request *request)
{
    int first_operand;
    struct hf_rows rows;
    hf_options_init(options);
    struct options all = describe_beryl_hf(options, &rows);
    TRY(options_parse(&all, argc, argv, request, &first_operand));
    if (*request != OPTION_REQUEST_RUN)
        return STATUS_OK;
    TRY(hf_options_complete(options, argv[first_operand]));
    if (options->compare && !options->fock_only)
        options->fock_only = 5;
    return STATUS_OK;
}

void hf_options_answer(enum option_request request)
{
    struct hf_options options;
    struct hf_rows rows;
    struct options all = describe_beryl_hf(&options, &rows);
    options_answer(&all, request);
}

json_t *hf_options_to_json(const struct hf_options *options)
{
    struct hf_options copy = *options;
    struct hf_rows rows;
    struct options all = describe_beryl_hf(&copy, &rows);
    return options_to_json(&all);
}
