/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/cli/tce_options.h"

#include "hf/scf/scf.h"
#include "sched/lab/comparison/comparison.h"
#include "sched/lab/profiles/profile.h"
#include "sched/pool/modes/mode_options.h"
#include "support/base/agree.h"
#include "support/io/words.h"
#include "tce/methods/methods.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* --- tables --- */

/* More than any command has. */
enum { TCE_OPTION_TABLES = HF_OPTION_TABLES + 2 };

struct tce_option_tables {
    /* With its command, and the operands by which options differ. */
    char program[sizeof "beryl-tce run FILE.tce MOLECULE.xyz" + TCE_METHOD_NAME_SIZE];
    struct option_table table[TCE_OPTION_TABLES];
    size_t n;
};

#define FIELD(name) offsetof(struct tce_options, name)
static const struct option_row program_rows[] = {
    INTEGER_OPTION("iterations", FIELD(iterations), 1, 1000000, .default_text = "1", .value = "N",
                   .help = "runs of the program; scheduling modes keep what they learn from one "
                           "run to the next"),
    TEXT_OPTION(
        "compare", FIELD(compare), .value = "M1,M2,...|all",
        .help = "run the program under each of these modes, one after another, and print "
                "a table; all: every mode not named; name a mode twice to see chance differences"),
    COMPARISON_ROUNDS_OPTION(FIELD(rounds)),
    FLAG_OPTION("count-tasks", FIELD(count_tasks),
                .help = "print the number of tasks and their operations, and stop; allocates no "
                        "tensors"),
    FLAG_OPTION("dry-run", FIELD(dry_run),
                .help =
                    "print memory and predicted seconds, and stop; with --write-profile, write the "
                    "predicted seconds of every task"),
    FLAG_OPTION("verify", FIELD(verify), .expert = true,
                .help = "compare every result with plain nested loops, which takes very long"),
    TEXT_OPTION("write-profile", FIELD(profile), .value = "FILE.csv|FILE.npy", .expert = true,
                .help = "write the seconds of every task, stage by stage; for X.csv, unless "
                        "--dry-run, also the blocks that each task reads and writes, "
                        "X.blocks.csv and X.sizes.csv"),
    HF_LIST_BASIS_OPTION(FIELD(hf.list_basis)),
};

#define PAIRS_OPTION                                                                               \
    CHOICE_OPTION("pairs", FIELD(settings.pairs), "auto,never,always", .default_text = "auto",     \
                  .expert = true,                                                                  \
                  .help = "products over pairs of indices that symmetries exchange, each pair "    \
                          "once: auto: where it pays; always: where it takes fewer operations")

#define EXPLAIN_OPTION(is_expert)                                                                  \
    CHOICE_OPTION("explain", FIELD(explain), "no,plan,factorize,share,pair,stage,tile",            \
                  .default_text = "no", .bare = "plan", .value = "PASS", .expert = (is_expert),    \
                  .help = "print the plan: the contractions of every stage, operations and "       \
                          "memory; or what one pass has made of it")

static const struct option_row contraction_rows[] = {
    EXPLAIN_OPTION(false),
    INTEGER_OPTION("cache", FIELD(cache_megabytes), 0, 1000000, .default_text = "256",
                   .value = "MB",
                   .help = "memory per process for blocks of tensors that are read, but at most "
                           "an eighth of its share of the tensors"),
    INTEGER_OPTION("memory", FIELD(memory_megabytes), 0, 1000000000, .default_text = "0",
                   .value = "MB", .help = "memory of a process, program aside; 0: all there is"),
    PAIRS_OPTION,
    FLAG_OPTION("no-prefetch", FIELD(no_prefetch), .expert = true,
                .help = "fetch a block only when it is needed"),
};

static const struct option_row method_run_rows[] = {
    EXPLAIN_OPTION(true),
    PAIRS_OPTION,
    FLAG_OPTION("dry-run", FIELD(dry_run),
                .help = "print memory, tasks, operations and predicted seconds, and stop"),
    TEXT_OPTION("compare", FIELD(hf.compare), .value = "M1,M2,...|all", .expert = true,
                .help = "solve the equations under each of these modes, and print a table; name a "
                        "mode twice to see chance differences"),
    COMPARISON_ROUNDS_OPTION(FIELD(hf.rounds)),
    FLAG_OPTION("count-tasks", FIELD(count_tasks), .expert = true,
                .help = "print the number of tasks of the method and their operations, and stop"),
    TEXT_OPTION("write-profile", FIELD(profile), .value = "FILE.csv|FILE.npy", .expert = true,
                .help =
                    "write the seconds of every task of the last iteration and of what follows, "
                    "stage by stage; with --dry-run the predicted ones"),
};

static const struct option_row output_rows[] = {
    TEXT_OPTION("json", FIELD(json), .value = "FILE",
                .help = "write the result: statistics of every run of the program"),
};

static const struct option_row method_rows[] = {
    FLAG_OPTION("frozen-core", FIELD(settings.frozen_core),
                .help = "leave the atoms' noble-gas cores uncorrelated"),
    INTEGER_OPTION("freeze", FIELD(settings.freeze), 0, 1000000, .value = "N",
                   .help = "leave the N lowest occupied orbitals of each spin uncorrelated"),
    INTEGER_OPTION("freeze-virtuals", FIELD(settings.freeze_virtuals), 0, 1000000,
                   .default_text = "0", .value = "N", .expert = true,
                   .help = "leave the N highest virtual orbitals of each spin uncorrelated"),
    INTEGER_OPTION(
        "orbital-tile", FIELD(settings.orbital_tile), 0, 1000, .default_text = "0", .value = "N",
        .expert = true,
        .help = "maximum number of orbitals in a tile; 0: chosen by the method's contractions"),
    REAL_OPTION("converge-amplitudes", FIELD(settings.converge), SCF_LEAST_CONVERGE, 1,
                .default_text = "1e-8", .value = "X",
                .help = "largest change of amplitudes; of energy X / 10"),
    INTEGER_OPTION("max-iter-amplitudes", FIELD(settings.max_iterations), 1, 1000000,
                   .default_text = "100", .value = "N",
                   .help = "maximum number of amplitude iterations"),
    INTEGER_OPTION("diis-amplitudes", FIELD(settings.diis_size), 1, 100, .default_text = "8",
                   .value = "N", .expert = true, .help = "amplitudes kept by DIIS; 1: no DIIS"),
    TEXT_OPTION("write-fcidump", FIELD(settings.fcidump), .value = "FILE", .expert = true,
                .help = "write all one- and two-electron integrals over the correlated orbitals, "
                        "for other programs, in the format FCIDUMP"),
};

#undef FIELD

static void list_program_tables(struct tce_options *options, struct tce_option_tables *tables)
{
    tables->table[0] = OPTION_TABLE("Program", program_rows, options);
    tables->table[1] = OPTION_TABLE("Contractions", contraction_rows, options);
    tables->table[2] = mode_options_table_real(&options->pool);
    tables->table[3] = OPTION_TABLE("Output", output_rows, options);
    tables->n = 4;
}

/* A method takes the options of the SCF. The --cache of its Fock build counts for contractions,
 * too. */
static void list_method_tables(struct tce_options *options, struct tce_option_tables *tables)
{
    struct option_table *own = tables->table + HF_OPTION_TABLES;
    hf_options_tables(&options->hf, tables->table);
    own[0] = OPTION_TABLE("Correlation", method_rows, options);
    own[1] = OPTION_TABLE("Run", method_run_rows, options);
    tables->n = HF_OPTION_TABLES + 2;
}

/* Tables for --help and messages: of a method if options->method is set, else of a program. */
static void init_tables(struct tce_options *options, struct tce_option_tables *tables)
{
    const char *command = options->program ? "run FILE.tce MOLECULE.xyz" : options->method;
    snprintf(tables->program, sizeof tables->program, "beryl-tce%s%s", command ? " " : "",
             command ? command : "");
    (options->method ? list_method_tables : list_program_tables)(options, tables);
}

/* --- the command line --- */

#define ON_PROCESSES "Runs on one process as it is, on several under mpirun -np P."

static struct options describe_command(struct tce_options *options,
                                       struct tce_option_tables *tables)
{
    init_tables(options, tables);
    struct options all = {
        .program = tables->program,
        .synopsis = "run FILE.tce [options]\n"
                    "       beryl-tce run FILE.tce MOLECULE.xyz --basis NAME [options]\n"
                    "       beryl-tce " TCE_METHOD_CHOICES " MOLECULE.xyz --basis NAME [options]",
        .purpose = "Runs a .tce program of tensor contractions; or a method of quantum chemistry, "
                   "which is such a program over a molecule's orbitals: " TCE_METHOD_TITLES
                   ". beryl-tce METHOD --help lists the options with a molecule. " ON_PROCESSES,
        .tables = tables->table,
        .n_tables = tables->n,
        .min_operands = 1,
        .max_operands = 1,
        .operand_name = "FILE.tce",
        .given = options->hf.input.options,
        .giver = options->hf.input.name,
    };
    if (options->program) {
        all.synopsis = "--basis NAME [options]";
        all.purpose = "Runs a .tce program over the orbitals of a molecule, after the SCF, as "
                      "beryl-tce METHOD runs a built-in one. " ON_PROCESSES;
        all.operand_name = "FILE.tce or MOLECULE.xyz";
        all.min_operands = all.max_operands = 2;
    } else if (options->method) {
        all.synopsis = "MOLECULE.xyz --basis NAME [options]";
        all.purpose = "Correlation energies by " TCE_METHOD_TITLES
                      "; over spin orbitals of UHF and ROHF. " ON_PROCESSES;
        all.operand_name = "MOLECULE.xyz";
    }
    return all;
}

/* Refuses options of this list that were given, as they have no effect with the option `with`. */
static enum status check_no_effect(const struct tce_options *options, const char *names,
                                   const char *with)
{
    struct tce_options copy = *options,
                       initial = {.method = options->method, .program = options->program};
    struct tce_option_tables tables, initial_tables;
    hf_options_init(&initial.hf);
    init_tables(&copy, &tables);
    init_tables(&initial, &initial_tables);
    return options_check_no_effect(tables.table, initial_tables.table, tables.n, names, with);
}

static enum status check_program(struct tce_options *options)
{
    if (options->count_tasks)
        TRY(check_no_effect(options,
                            "json,write-profile,explain,iterations,compare,rounds,dry-run,verify,"
                            "cache,memory,no-prefetch,watchdog,trace",
                            "count-tasks"));
    if (options->dry_run)
        TRY(check_no_effect(options, "compare,verify,json,iterations,watchdog,trace", "dry-run"));
    if (options->compare)
        TRY(check_no_effect(options, "write-profile", "compare"));
    TRY(mode_options_choose(&options->pool, options->compare, options->rounds, &options->modes));
    return mode_options_check_real(&options->modes);
}

static enum status check_method(const struct tce_options *options)
{
    TRY(method_settings_check(&options->settings));
    if (options->count_tasks)
        TRY(check_no_effect(options,
                            "dry-run,explain,write-profile,compare,json,report,checkpoint,"
                            "write-fcidump,trace",
                            "count-tasks"));
    if (options->dry_run)
        TRY(check_no_effect(options, "compare,report,checkpoint,write-fcidump,watchdog,trace",
                            "dry-run"));
    return options->hf.compare ? check_no_effect(options, "write-profile,checkpoint", "compare")
                               : STATUS_OK;
}

/* Whether it is a request that needs no command. */
static bool stands_alone(const char *word)
{
    static const char *const requests[] = {"--help",     "-h",        "--help-modes",
                                           "--help-all", "--version", "--list-basis"};
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++)
        if (strlen(requests[i]) == strcspn(word, "=") &&
            strncmp(word, requests[i], strlen(requests[i])) == 0)
            return true;
    return false;
}

/* Whether the arguments of `run` name a program over a molecule: --basis is given, or two operands
 * come first. Options differ from a program's without a molecule. */
static bool names_molecule(int argc, char **argv)
{
    static const char basis[] = "--bas"; /* the shortest name that getopt takes for it */
    if (argc > 3 && argv[2][0] != '-' && argv[3][0] != '-')
        return true;
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strncmp(argv[i], basis, strlen(basis)) == 0)
            return true;
    return false;
}

/* The word after the program's name. */
static enum status find_command(const char *word, struct tce_options *options)
{
    options->method = NULL;
    if (strcmp(word, "run") == 0)
        return STATUS_OK;
    if (word[0] == '-')
        return FAIL(STATUS_USAGE, "the command comes first: run FILE.tce, or " TCE_METHOD_NAMES
                                  " and a molecule");
    const struct tce_method *method = tce_method_find(word);
    if (method) {
        options->method = method->name;
        return STATUS_OK;
    }
    struct suggestion suggestion = {.typed = word_from_text(word)};
    suggestion_add(&suggestion, "run," TCE_METHOD_CHOICES);
    return FAIL(STATUS_USAGE,
                "'%.64s' is not a command: give run FILE.tce, or " TCE_METHOD_NAMES
                " and a molecule%s",
                word, suggestion.text);
}

/* Refuses a model of another method. */
static enum status check_model(const struct tce_options *options, const char *command)
{
    const struct atomic_input *input = &options->hf.input;
    const char *model = atomic_input_method(input);
    const struct tce_method *method = model ? tce_method_find(model) : NULL;
    bool fits = options->program ? atomic_input_is_hartree_fock(input)
                                 : !model || (method && strcmp(method->name, options->method) == 0);
    return atomic_input_check_method(input, fits, command);
}

/* Parses what follows the command, which is known, with what the molecule file gives, if it has
 * been read. */
static enum status parse_arguments(struct tce_options *options, bool command,
                                   enum option_request *request)
{
    int first_operand;
    struct tce_option_tables tables;
    struct options all = describe_command(options, &tables);
    if (command && !options->method) {
        snprintf(tables.program, sizeof tables.program, "beryl-tce run FILE.tce");
        all.synopsis = "[options]";
    }
    TRY(options_parse(&all, options->argc, options->argv, request, &first_operand));
    if (*request != OPTION_REQUEST_RUN)
        return STATUS_OK;
    if (options->program)
        options->method = options->program = options->argv[first_operand++];
    options->file = options->argv[first_operand];
    if (options->method && hf_options_await_file(&options->hf, options->file))
        return STATUS_OK;
    TRY(check_model(options, all.program));
    TRY(profile_check_name(options->profile));
    if (options->method) {
        TRY(check_method(options));
        TRY(hf_options_complete(&options->hf, options->file, SCF_FOLLOW_NONE));
        options->cache_megabytes = options->hf.cache_megabytes;
        options->json = options->hf.files.json;
    } else {
        TRY(check_program(options));
    }
    options->contraction = (struct contraction_settings){
        .cache_bytes = options->cache_megabytes * 1000000, .prefetch = !options->no_prefetch};
    options->settings.method = options->method;
    options->settings.contraction = options->contraction;
    options->settings.is_timed = options->hf.compare || options->profile;
    options->settings.checkpoint = options->hf.settings.scf.checkpoint;
    options->settings.checkpoint_every = options->hf.settings.scf.checkpoint_every;
    return STATUS_OK;
}

enum status tce_options_parse(int argc, char **argv, struct tce_options *options,
                              enum option_request *request)
{
    *options = (struct tce_options){.settings.freeze = METHOD_NOT_GIVEN};
    *request = OPTION_REQUEST_RUN;
    hf_options_init(&options->hf);
    if (argc < 2)
        return FAIL(STATUS_USAGE,
                    "give run FILE.tce, or " TCE_METHOD_NAMES " and a molecule; see --help");
    bool command = !stands_alone(argv[1]);
    if (command)
        TRY(find_command(argv[1], options));
    if (command && !options->method && names_molecule(argc, argv))
        options->method = options->program = "FILE.tce"; /* until the operands are known */
    options->argc = argc - command;
    options->argv = argv + command;
    return parse_arguments(options, command, request);
}

enum status tce_options_read_file(struct tce_options *options, MPI_Comm comm)
{
    enum option_request request;
    struct tce_options again = {.method = options->method,
                                .program = options->program,
                                .settings.freeze = METHOD_NOT_GIVEN,
                                .argc = options->argc,
                                .argv = options->argv};
    if (!options->method || !hf_options_await_file(&options->hf, options->file))
        return STATUS_OK;
    TRY(atomic_input_read(options->file, comm, &again.hf.input));
    hf_options_init(&again.hf);
    *options = again;
    return status_agree(comm, parse_arguments(options, true, &request));
}

json_t *tce_options_command(const struct tce_options *options)
{
    char command[sizeof "beryl-tce run" + TCE_METHOD_NAME_SIZE];
    struct tce_options copy = *options;
    struct tce_option_tables tables;
    struct options all = describe_command(&copy, &tables);
    bool is_run = options->program || !options->method;
    snprintf(command, sizeof command, "beryl-tce %s", is_run ? "run" : options->method);
    return command_line_to_json(&all, command, options->argc, options->argv,
                                HF_OUTPUTS ",write-fcidump");
}

enum status tce_options_answer(const struct tce_options *options, enum option_request request)
{
    struct tce_options copy = *options;
    struct tce_option_tables tables;
    struct options all = describe_command(&copy, &tables);
    if (request == OPTION_REQUEST_ANSWER)
        return hf_options_answer(&options->hf, request);
    options_answer(&all, request);
    return STATUS_OK;
}

const struct taskpool_settings *tce_options_pool(const struct tce_options *options)
{
    return options->method ? &options->hf.settings.pool : &options->pool;
}

json_t *tce_options_to_json(const struct tce_options *options, const struct hf_input *input)
{
    struct tce_options copy = *options;
    struct tce_option_tables tables;
    struct options all = describe_command(&copy, &tables);
    json_t *json = options_to_json(&all);
    json_t *decided = options->method ? hf_options_to_json(&options->hf, input) : NULL;
    json_object_update_existing(json, decided);
    json_decref(decided);
    if (copy.compare || copy.hf.compare)
        json_object_del(json, "sched");
    if (options->settings.freeze == METHOD_NOT_GIVEN)
        json_object_del(json, "freeze");
    return json;
}
