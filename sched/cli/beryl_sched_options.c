#include "sched/cli/beryl_sched_options.h"

#include "sched/cli/machine_file.h"
#include "sched/modes/mode_options.h"
#include "sched/workloads/workload_options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct option_row run_rows[] = {
    {.name = "iterations",
     .kind = OPTION_INTEGER,
     .offset = offsetof(struct beryl_sched_options, n_iterations),
     .min = 1,
     .max = 1e6,
     .value = "N",
     .help = "runs of the same tasks, each beginning with what the mode kept of the last (1)"},
    {.name = "write-statistics",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct beryl_sched_options, statistics),
     .value = "FILE.csv",
     .help = "write the figures of every worker in every iteration"},
    {.name = "write-profile",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct beryl_sched_options, profile),
     .value = "FILE.csv|FILE.npy",
     .help = "write the seconds of every task in the last iteration"},
    {.name = "json",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct beryl_sched_options, json),
     .value = "FILE",
     .help = "write the result"},
    {.name = "report",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct beryl_sched_options, report),
     .value = "FILE.html",
     .help = "write a page of tables and charts"},
    {.name = "sweep",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct beryl_sched_options, sweep),
     .value = "FILE",
     .help = "many simulated runs, shared out among the processes: each line has the options "
             "of one, in words as in a shell, which add to the others given here; lines that "
             "begin with # are comments"},
    {.name = "calibrate",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct beryl_sched_options, calibration),
     .value = "FILE.json",
     .help = "instead of a workload: measure this machine, with two processes or more, and write "
             "what --machine reads"},
    {.name = "list-modes",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct beryl_sched_options, list_modes),
     .help = "instead of a workload: print a line for each scheduling mode, its name, `dynamic` or "
             "`static` (whether tasks may add tasks) and a description, separated by tabs"},
};

#define N_ROWS(rows) (sizeof(rows) / sizeof((rows)[0]))

enum { WORKLOAD_TABLE, MACHINE_TABLE, SCHEDULING_TABLE, RUN_TABLE, N_TABLES };

static void fill_tables(struct beryl_sched_options *options, struct option_table tables[N_TABLES])
{
    tables[WORKLOAD_TABLE] =
        (struct option_table){"Workload, one of the first seven", workload_option_rows,
                              workload_n_option_rows, &options->workload};
    tables[MACHINE_TABLE] = (struct option_table){"Simulated machine", machine_option_rows,
                                                  machine_n_option_rows, &options->machine};
    tables[SCHEDULING_TABLE] = mode_options_table(&options->pool);
    tables[RUN_TABLE] = (struct option_table){"Run", run_rows, N_ROWS(run_rows), options};
}

static struct options program_options(const struct option_table *tables)
{
    return (struct options){
        .program = "beryl-sched",
        .synopsis = "WORKLOAD --sched MODE [options]",
        .purpose = "Runs tasks that need no chemistry under a scheduler: for real, on one process "
                   "or on several under mpirun -np P, or simulated, with --simulate P. --speeds "
                   "are those of the workers.",
        .tables = tables,
        .n_tables = N_TABLES,
        .operand_name = "a file",
    };
}

/* --- contradictions --- */

/* --speeds has an effect with every mode: the workers themselves have these speeds. */
static enum status check_mode(const struct taskpool_settings *pool)
{
    struct taskpool_settings without_speeds = *pool;
    without_speeds.speeds = "";
    return mode_options_check(&without_speeds);
}

static enum status check_tree(const struct beryl_sched_options *options)
{
    const struct taskpool_settings *pool = &options->pool;
    bool real = options->machine.n_workers == 0;
    if (!options->workload.uts)
        return STATUS_OK;
    if (options->profile)
        return FAIL(STATUS_USAGE, "--write-profile does nothing with --uts, whose tasks have no "
                                  "numbers");
    if (pool->seeding != SEEDING_BLOCK)
        return FAIL(STATUS_USAGE, "--seeding does nothing with --uts, where all begins with one "
                                  "node");
    if (real && options->workload.time_scale != 1)
        return FAIL(STATUS_USAGE, "--time-scale does nothing with --uts unless simulated");
    if (real && pool->speeds && *pool->speeds)
        return FAIL(STATUS_USAGE, "--speeds does nothing with --uts unless simulated");
    return STATUS_OK;
}

static enum status check_mesh(const struct beryl_sched_options *options)
{
    const struct taskpool_settings *pool = &options->pool;
    bool real = options->machine.n_workers == 0;
    if (!options->workload.jacobi)
        return STATUS_OK;
    if (options->n_iterations > 0)
        return FAIL(STATUS_USAGE, "--iterations does nothing with --jacobi, where an iteration is "
                                  "a sweep: use --sweeps");
    if (real && options->workload.time_scale != 1)
        return FAIL(STATUS_USAGE, "--time-scale does nothing with --jacobi unless simulated");
    if (real && pool->speeds && *pool->speeds)
        return FAIL(STATUS_USAGE, "--speeds does nothing with --jacobi unless simulated");
    return STATUS_OK;
}

static int64_t count_iterations(const struct beryl_sched_options *options)
{
    if (options->workload.jacobi)
        return options->workload.n_sweeps;
    return options->n_iterations > 0 ? options->n_iterations : 1;
}

static enum status check_bnsl(const struct beryl_sched_options *options)
{
    const struct workload_settings *workload = &options->workload;
    if (!workload->bnsl)
        return STATUS_OK;
    if (options->machine.n_workers > 0) {
        if (workload->bnsl_network || workload->bnsl_kicks >= 0)
            return FAIL(STATUS_USAGE, "--%s does nothing with --simulate, which finds no network",
                        workload->bnsl_network ? "network" : "kicks");
        return STATUS_OK;
    }
    if (workload->time_scale != 1)
        return FAIL(STATUS_USAGE, "--time-scale does nothing with --bnsl unless simulated");
    return STATUS_OK;
}

/* Nothing is scheduled. */
static enum status check_calibration(const struct beryl_sched_options *options)
{
    const char *given = options->json                    ? "json"
                        : options->report                ? "report"
                        : options->statistics            ? "write-statistics"
                        : options->profile               ? "write-profile"
                        : options->n_iterations > 0      ? "iterations"
                        : options->sweep                 ? "sweep"
                        : options->machine.n_workers > 0 ? "simulate"
                                                         : NULL;
    if (workload_options_count(&options->workload) > 0)
        return FAIL(STATUS_USAGE, "--calibrate runs no workload: leave one of them out");
    if (given)
        return FAIL(STATUS_USAGE, "--%s does nothing with --calibrate", given);
    return machine_options_check(&options->machine);
}

/* of_sweep: of its command line only what is not of its runs is checked */
static enum status parse(int argc, char **argv, bool of_sweep, struct beryl_sched_options *options,
                         enum option_request *request)
{
    int first_operand;
    struct option_table tables[N_TABLES];
    *options = (struct beryl_sched_options){.workload = workload_settings_unknown,
                                            .machine = machine_settings_unknown};
    fill_tables(options, tables);
    struct options all = program_options(tables);
    TRY(options_parse(&all, argc, argv, request, &first_operand));
    if (*request == OPTION_REQUEST_RUN && options->list_modes)
        return STATUS_OK;
    if (*request == OPTION_REQUEST_RUN && options->calibration)
        return check_calibration(options);
    if (*request != OPTION_REQUEST_RUN || (options->sweep && !of_sweep))
        return STATUS_OK;
    TRY(workload_options_check(&options->workload));
    TRY(machine_options_check(&options->machine));
    if (options->machine.server && options->pool.progress != PROGRESS_THREAD)
        return FAIL(STATUS_USAGE, "--server does nothing without --progress thread");
    TRY(check_mode(&options->pool));
    options->pool.keep_history = options->profile != NULL;
    TRY(check_tree(options));
    TRY(check_mesh(options));
    options->n_iterations = count_iterations(options);
    TRY(check_bnsl(options));
    workload_options_set_defaults(&options->workload);
    return STATUS_OK;
}

enum status beryl_sched_options_parse(int argc, char **argv, struct beryl_sched_options *options,
                                      enum option_request *request)
{
    TRY(parse(argc, argv, false, options, request));
    options->argc = argc;
    options->argv = argv;
    if (options->sweep && (options->statistics || options->profile))
        return FAIL(STATUS_USAGE, "--%s does nothing with --sweep",
                    options->statistics ? "write-statistics" : "write-profile");
    return STATUS_OK;
}

enum status beryl_sched_options_complete(struct beryl_sched_options *options, MPI_Comm comm)
{
    if (options->machine.file)
        TRY(machine_file_read(options->machine.file, comm, &options->machine));
    machine_options_set_defaults(&options->machine);
    return STATUS_OK;
}

/* --- a run of a sweep --- */

/* What its line must not have, and must. */
static enum status check_line(const struct beryl_sched_options *common,
                              const struct beryl_sched_options *options,
                              enum option_request request)
{
    const char *given = request == OPTION_REQUEST_HELP       ? "help"
                        : request == OPTION_REQUEST_HELP_ALL ? "help-all"
                        : request == OPTION_REQUEST_VERSION  ? "version"
                        : options->sweep != common->sweep    ? "sweep"
                        : options->json != common->json      ? "json"
                        : options->report != common->report  ? "report"
                        : options->statistics                ? "write-statistics"
                        : options->profile                   ? "write-profile"
                                                             : NULL;
    if (given)
        return FAIL(STATUS_USAGE, "--%s cannot be one run's of a sweep", given);
    if (options->machine.n_workers == 0)
        return FAIL(STATUS_USAGE, "--simulate is missing: the runs of a sweep are simulated");
    return STATUS_OK;
}

enum status beryl_sched_options_extend(const struct beryl_sched_options *common, char **words,
                                       size_t n_words, struct beryl_sched_options *options)
{
    size_t n_common = (size_t)common->argc;
    char **argv = malloc((n_common + n_words + 1) * sizeof *argv);
    if (!argv)
        return FAIL(STATUS_NO_MEMORY, "no memory for %zu options", n_words);
    memcpy(argv, common->argv, n_common * sizeof *argv);
    memcpy(argv + n_common, words, n_words * sizeof *argv);
    argv[n_common + n_words] = NULL;
    enum option_request request;
    enum status status = parse((int)(n_common + n_words), argv, true, options, &request);
    free(argv);
    return status == STATUS_OK ? check_line(common, options, request) : status;
}

void beryl_sched_options_answer(enum option_request request)
{
    struct beryl_sched_options options;
    struct option_table tables[N_TABLES];
    fill_tables(&options, tables);
    struct options all = program_options(tables);
    options_answer(&all, request);
}

static json_t *table_to_json(const struct beryl_sched_options *options, int table)
{
    struct beryl_sched_options copy = *options;
    struct option_table tables[N_TABLES];
    fill_tables(&copy, tables);
    return options_to_json(&(struct options){.tables = &tables[table], .n_tables = 1});
}

json_t *beryl_sched_options_scheduling(const struct beryl_sched_options *options)
{
    return table_to_json(options, SCHEDULING_TABLE);
}

json_t *beryl_sched_options_machine(const struct beryl_sched_options *options)
{
    return table_to_json(options, MACHINE_TABLE);
}
