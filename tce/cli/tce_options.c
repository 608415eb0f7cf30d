/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/cli/tce_options.h"

#include "sched/lab/profiles/profile.h"
#include "sched/pool/modes/mode_options.h"
#include "tce/cli/tce_option_tables.h"
#include "tce/methods/methods.h"

#include <stdio.h>
#include <string.h>

static struct options describe_program(const struct tce_option_tables *tables)
{
    return (struct options){
        .program = tables->program,
        .synopsis = "run FILE.tce [options]\n"
                    "       beryl-tce " TCE_METHOD_CHOICES " MOLECULE.xyz --basis NAME [options]",
        .purpose = "Runs a .tce program of tensor contractions; or a method of quantum chemistry, "
                   "which is such a program over a molecule's orbitals: " TCE_METHOD_TITLES
                   ". beryl-tce METHOD --help lists a method's options. "
                   "Runs on one process as it is, on several under mpirun -np P.",
        .tables = tables->table,
        .n_tables = tables->n,
        .min_operands = 1,
        .max_operands = 1,
        .operand_name = "FILE.tce",
    };
}

static struct options describe_method(const struct tce_option_tables *tables)
{
    struct options options = describe_program(tables);
    options.synopsis = "MOLECULE.xyz --basis NAME [options]";
    options.purpose = "Correlation energies by " TCE_METHOD_TITLES
                      "; over spin orbitals where the reference is unrestricted. "
                      "Runs on one process as it is, on several under mpirun -np P.";
    options.operand_name = "MOLECULE.xyz";
    return options;
}

static struct options describe_command(struct tce_options *options,
                                       struct tce_option_tables *tables)
{
    tce_option_tables_init(options, tables);
    return options->method ? describe_method(tables) : describe_program(tables);
}

static enum status check_count_tasks(const struct tce_options *options)
{
    if (options->json || options->profile || options->explain)
        return FAIL(STATUS_USAGE, "--count-tasks prints one line and writes no file");
    struct tce_options copy = *options, initial = {0};
    struct tce_option_tables tables, initial_tables;
    tce_option_tables_init(&copy, &tables);
    tce_option_tables_init(&initial, &initial_tables);
    return options_check_no_effect(
        tables.table, initial_tables.table, tables.n,
        "iterations,compare,rounds,dry-run,verify,cache,no-prefetch,watchdog,trace", "count-tasks");
}

static enum status check_program(struct tce_options *options)
{
    if (options->count_tasks)
        TRY(check_count_tasks(options));
    if (options->dry_run &&
        (options->compare || options->verify || options->json || options->iterations != 1 ||
         options->pool.watchdog_s > 0 || options->pool.trace_folder))
        return FAIL(STATUS_USAGE, "--dry-run runs nothing: leave --compare, --verify, --json, "
                                  "--iterations, --watchdog and --trace out");
    TRY(profile_check_name(options->profile));
    if (options->compare && options->profile)
        return FAIL(STATUS_USAGE, "--write-profile is for one mode: leave --compare out");
    TRY(mode_options_choose(&options->pool, options->compare, options->rounds, &options->modes));
    return mode_options_check_real(&options->modes);
}

static enum status check_method(const struct tce_options *options)
{
    const struct hf_options *hf = &options->hf;
    if (hf->compare && hf->settings.scf.checkpoint)
        return FAIL(STATUS_USAGE, "--compare solves the same equations several times: leave "
                                  "--checkpoint out");
    if (options->dry_run &&
        (hf->compare || hf->files.json || hf->files.report || hf->settings.scf.checkpoint ||
         hf->settings.pool.watchdog_s > 0 || hf->settings.pool.trace_folder))
        return FAIL(STATUS_USAGE, "--dry-run runs nothing and writes no file: leave --compare, "
                                  "--json, --report, --checkpoint, --watchdog and --trace out");
    return STATUS_OK;
}

/* Whether it is a request that needs no command. */
static bool stands_alone(const char *word)
{
    static const char *const requests[] = {"--help", "-h", "--help-modes", "--help-all",
                                           "--version"};
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++)
        if (strcmp(word, requests[i]) == 0)
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
    if (!tce_method_text(word, 1, NULL))
        return FAIL(STATUS_USAGE,
                    "'%.64s' is not a command: give run FILE.tce, or " TCE_METHOD_NAMES
                    " and a molecule",
                    word);
    options->method = word;
    return STATUS_OK;
}

enum status tce_options_parse(int argc, char **argv, struct tce_options *options,
                              enum option_request *request)
{
    int first_operand;
    struct tce_option_tables tables;
    *options = (struct tce_options){0};
    *request = OPTION_REQUEST_RUN;
    hf_options_init(&options->hf);
    if (argc < 2)
        return FAIL(STATUS_USAGE,
                    "give run FILE.tce, or " TCE_METHOD_NAMES " and a molecule; see --help");
    bool command = !stands_alone(argv[1]);
    if (command)
        TRY(find_command(argv[1], options));
    struct options all = describe_command(options, &tables);
    if (command && !options->method)
        all.synopsis = "run FILE.tce [options]";
    int shift = command ? 1 : 0;
    TRY(options_parse(&all, argc - shift, argv + shift, request, &first_operand));
    options->argc = argc - shift;
    options->argv = argv + shift;
    if (*request != OPTION_REQUEST_RUN)
        return STATUS_OK;
    options->file = argv[shift + first_operand];
    if (options->method) {
        TRY(check_method(options));
        TRY(hf_options_complete(&options->hf, options->file));
        options->cache_megabytes = options->hf.cache_megabytes;
        options->json = options->hf.files.json;
    } else {
        TRY(check_program(options));
    }
    options->contraction = (struct contraction_settings){
        .cache_bytes = options->cache_megabytes * 1000000, .prefetch = !options->no_prefetch};
    options->settings.method = options->method;
    options->settings.contraction = options->contraction;
    options->settings.checkpoint = options->hf.settings.scf.checkpoint;
    options->settings.checkpoint_every = options->hf.settings.scf.checkpoint_every;
    return STATUS_OK;
}

json_t *tce_options_command(const struct tce_options *options)
{
    char command[64];
    struct tce_options copy = *options;
    struct tce_option_tables tables;
    struct options all = describe_command(&copy, &tables);
    snprintf(command, sizeof command, "beryl-tce %s", options->method ? options->method : "run");
    return command_line_to_json(&all, command, options->argc, options->argv, HF_OUTPUTS);
}

void tce_options_answer(const struct tce_options *options, enum option_request request)
{
    struct tce_options copy = *options;
    struct tce_option_tables tables;
    struct options all = describe_command(&copy, &tables);
    options_answer(&all, request);
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
    return json;
}
