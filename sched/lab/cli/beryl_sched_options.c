/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/cli/beryl_sched_options.h"

#include "sched/lab/cli/machine_options.h"
#include "sched/lab/comparison/comparison.h"
#include "sched/lab/profiles/profile.h"
#include "sched/pool/modes/mode_options.h"
#include "sched/pool/modes/modes.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define FIELD(name) offsetof(struct beryl_sched_options, name)

static const struct option_row run_rows[] = {
    INTEGER_OPTION(
        "iterations", FIELD(n_iterations), 1, 1e6, .value = "N",
        .help = "runs of the same tasks, each with the history of the previous one (default: 1)"),
    TEXT_OPTION(
        "compare", FIELD(compare), .value = "M1,M2,...|all",
        .help = "run the workload under each of these modes, and print a table; all: every mode "
                "not named, but lpt; options of a mode go to those that have them; name a mode "
                "twice to see chance differences"),
    COMPARISON_ROUNDS_OPTION(FIELD(n_rounds)),
    TEXT_OPTION("write-statistics", FIELD(statistics), .value = "FILE.csv",
                .help = "write a table of every worker in every iteration"),
    TEXT_OPTION("write-profile", FIELD(profile), .value = "FILE.csv|FILE.npy",
                .help = "write the seconds of every task in the last iteration"),
    FLAG_OPTION("all-iterations", FIELD(all_iterations),
                .help = "--write-profile FILE.csv: rows task,seconds,iteration,worker of every "
                        "iteration; beryl-vt translates them to JSON of vt"),
    TEXT_OPTION("json", FIELD(json), .value = "FILE", .help = "write the result"),
    TEXT_OPTION("report", FIELD(report), .value = "FILE.html",
                .help = "write a page of tables and charts"),
    TEXT_OPTION("calibrate", FIELD(calibration), .value = "FILE.json",
                .help = "instead of a workload: measure this machine, with two processes or more, "
                        "and write a file for --machine"),
    FLAG_OPTION("list-modes", FIELD(list_modes),
                .help = "instead of a workload: print a line for each scheduling mode, its name, "
                        "`dynamic` or `static` (whether tasks may add tasks) and a description, "
                        "separated by tabs"),
};

#undef FIELD

/* The tables of the workloads come first. */
enum { MACHINE_TABLE = WORKLOAD_N_TABLES, SCHEDULING_TABLE, RUN_TABLE, N_TABLES };

static void fill_tables(struct beryl_sched_options *options, struct option_table tables[N_TABLES])
{
    workload_option_tables(&options->workload, tables);
    tables[MACHINE_TABLE] = (struct option_table){"Simulated machine", machine_option_rows,
                                                  machine_n_option_rows, &options->machine};
    tables[SCHEDULING_TABLE] = mode_options_table(&options->pool);
    tables[RUN_TABLE] = OPTION_TABLE("Run", run_rows, options);
}

static struct options sched_program_options(const struct option_table *tables)
{
    return (struct options){
        .program = "beryl-sched",
        .synopsis = "WORKLOAD --sched MODE [options]",
        .purpose = "Runs tasks without chemistry under a scheduler: for real, on one process or on "
                   "several with mpirun -np P, or simulated with --simulate P.",
        .tables = tables,
        .n_tables = N_TABLES,
        .operand_name = "a file",
    };
}

/* --- contradictions --- */

/* --speeds has an effect with every mode: the workers themselves have these speeds. */
static enum status choose_modes(struct beryl_sched_options *options)
{
    struct taskpool_settings without_speeds = options->pool;
    without_speeds.speeds = "";
    TRY(mode_options_choose(&without_speeds, options->compare, options->n_rounds, &options->modes));
    struct mode_list run = options->modes;
    for (int m = 0; m < run.n && options->workload.uts; m++)
        run.modes[m] = mode_for(run.modes[m], true)->name;
    return mode_options_check_list(&without_speeds, &run);
}

/* Takes "all" for all modes whose tasks can add tasks. */
static void keep_dynamic_modes(struct mode_list *list)
{
    struct mode_list kept = {0};
    for (int m = 0; m < list->n; m++) {
        if (list->by_all[m] && !mode_for(list->modes[m], true)->add)
            continue;
        kept.by_all[kept.n] = list->by_all[m];
        kept.modes[kept.n++] = list->modes[m];
    }
    *list = kept;
}

/* After the modes were chosen. */
static enum status check_comparison(struct beryl_sched_options *options)
{
    if (options->compare && (options->statistics || options->profile))
        return FAIL(STATUS_USAGE, "--%s is for one mode: leave --compare out",
                    options->statistics ? "write-statistics" : "write-profile");
    if (options->compare && options->workload.uts)
        keep_dynamic_modes(&options->modes);
    return STATUS_OK;
}

static bool is_real(const struct beryl_sched_options *options)
{
    return options->machine.n_workers == 0;
}

static enum status check_profile_output(const struct beryl_sched_options *options)
{
    struct task_data_paths paths;
    TRY(profile_check_name(options->profile));
    if (options->all_iterations && !task_data_paths(options->profile, &paths))
        return FAIL(STATUS_USAGE,
                    "--all-iterations has no effect without --write-profile FILE.csv");
    return STATUS_OK;
}

/* Tasks with work of their own do not wait: for real their durations cannot be chosen. */
static enum status check_workload(const struct beryl_sched_options *options)
{
    const struct workload_settings *workload = &options->workload;
    const struct machine_settings *machine = &options->machine;
    const bool uts = workload->uts, jacobi = workload->jacobi, real = is_real(options);
    const bool has_blocks = workload->profile && task_data_is_beside(workload->profile);
    const bool has_speeds = options->pool.speeds && *options->pool.speeds;
    const char *own = uts ? "uts" : jacobi ? "jacobi" : workload->bnsl ? "bnsl" : NULL;
    const struct {
        bool is_given;
        const char *option, *with, *why;
    } without_effect[] = {
        {real && own && workload->time_scale != 1, "time-scale", own, " unless simulated"},
        {own && workload->drift > 0, "drift", own, ", whose tasks take the time of their work"},
        {(uts || jacobi) && workload->known_costs != WORKLOAD_COSTS_EXACT, "known-costs", own,
         ", whose tasks' costs are not predicted"},
        {real && (uts || jacobi) && has_speeds, "speeds", own, " unless simulated"},
        {uts && options->profile, "write-profile", "uts", ", whose tasks have no numbers"},
        {uts && options->pool.seeding != TASKPOOL_SEEDING_BY_MODE, "seeding", "uts",
         ", which begins with one node"},
        {jacobi && options->n_iterations > 0, "iterations", "jacobi",
         ", where an iteration is a sweep: use --sweeps"},
        {!workload->profile && machine->data >= 0, "data", "simulate",
         " of tasks that are not of a --profile"},
        {!workload->profile && machine->times.cache_bytes >= 0, "node-cache", "simulate",
         " of tasks that are not of a --profile"},
        {!has_blocks && machine->data == MACHINE_DATA_ON, "data", "simulate",
         " without X.blocks.csv beside the profile X.csv"},
        {machine->data == MACHINE_DATA_OFF && machine->times.cache_bytes >= 0, "node-cache", "data",
         " off"},
        {!has_blocks && machine->times.cache_bytes >= 0, "node-cache", "simulate",
         " without X.blocks.csv beside the profile X.csv"},
        {!real && workload->bnsl_network, "network", "simulate", ", which finds no network"},
        {!real && options->pool.watchdog_s > 0, "watchdog", "simulate", ", whose time is not real"},
        {!real && workload->bnsl_kicks >= 0, "kicks", "simulate", ", which finds no network"},
    };
    for (size_t i = 0; i < sizeof without_effect / sizeof without_effect[0]; i++)
        if (without_effect[i].is_given)
            return FAIL(STATUS_USAGE, "--%s has no effect with --%s%s", without_effect[i].option,
                        without_effect[i].with, without_effect[i].why);
    return STATUS_OK;
}

static int64_t count_iterations(const struct beryl_sched_options *options)
{
    if (options->workload.jacobi)
        return options->workload.n_sweeps;
    return options->n_iterations > 0 ? options->n_iterations : 1;
}

static struct beryl_sched_options initial_options(void)
{
    return (struct beryl_sched_options){.workload = workload_settings_unknown,
                                        .machine = machine_settings_unknown};
}

/* The option is for a command line of its own. */
static enum status check_alone(const struct beryl_sched_options *options, const char *option)
{
    struct beryl_sched_options copy = *options, initial = initial_options();
    struct option_table tables[N_TABLES], initial_tables[N_TABLES];
    fill_tables(&copy, tables);
    fill_tables(&initial, initial_tables);
    for (int t = 0; t < N_TABLES; t++) {
        TRY(options_set_defaults(&initial_tables[t]));
        for (size_t r = 0; r < tables[t].n_rows; r++) {
            const struct option_row *row = &tables[t].rows[r];
            if (strcmp(row->name, option) != 0 &&
                option_differs(row, tables[t].fields, initial_tables[t].fields))
                return FAIL(STATUS_USAGE, "--%s has no effect with --%s", row->name, option);
        }
    }
    return STATUS_OK;
}

static enum status check_run(struct beryl_sched_options *options)
{
    TRY(workload_check(&options->workload));
    TRY(machine_options_check(&options->machine));
    if (options->machine.times.node_server && options->pool.progress != TASKPOOL_PROGRESS_THREAD)
        return FAIL(STATUS_USAGE, "--server has no effect without --progress thread");
    TRY(choose_modes(options));
    if (is_real(options))
        TRY(mode_options_check_real(&options->modes));
    TRY(check_comparison(options));
    TRY(profile_check_input(options->workload.profile));
    TRY(check_workload(options));
    return check_profile_output(options);
}

enum status beryl_sched_options_parse(int argc, char **argv, struct beryl_sched_options *options,
                                      enum option_request *request)
{
    int first_operand;
    struct option_table tables[N_TABLES];
    *options = initial_options();
    fill_tables(options, tables);
    struct options all = sched_program_options(tables);
    TRY(options_parse(&all, argc, argv, request, &first_operand));
    if (*request != OPTION_REQUEST_RUN)
        return STATUS_OK;
    if (options->list_modes || options->calibration)
        return check_alone(options, options->list_modes ? "list-modes" : "calibrate");
    TRY(check_run(options));
    options->pool.keep_history = options->profile != NULL;
    options->pool.keep_timeline = options->json || options->report;
    options->n_iterations = count_iterations(options);
    options->workload.seed = options->pool.seed;
    options->argc = argc;
    options->argv = argv;
    return STATUS_OK;
}

enum status beryl_sched_options_complete(struct beryl_sched_options *options, MPI_Comm comm)
{
    int n_processes;
    MPI_Comm_size(comm, &n_processes);
    if (!is_real(options) && n_processes > 1)
        return FAIL(STATUS_USAGE, "--simulate runs in one process, not in %d: leave out mpirun",
                    n_processes);
    if (options->machine.file)
        TRY(machine_file_read(options->machine.file, comm, &options->machine));
    machine_options_set_defaults(&options->machine);
    return STATUS_OK;
}

void beryl_sched_options_answer(enum option_request request)
{
    struct beryl_sched_options options;
    struct option_table tables[N_TABLES];
    fill_tables(&options, tables);
    struct options all = sched_program_options(tables);
    options_answer(&all, request);
}

static json_t *table_to_json(const struct beryl_sched_options *options, int table)
{
    struct beryl_sched_options copy = *options;
    struct option_table tables[N_TABLES];
    fill_tables(&copy, tables);
    return options_to_json(&(struct options){.tables = &tables[table], .n_tables = 1});
}

json_t *beryl_sched_options_command(const struct beryl_sched_options *options)
{
    struct beryl_sched_options copy = *options;
    struct option_table tables[N_TABLES];
    fill_tables(&copy, tables);
    struct options all = sched_program_options(tables);
    return command_line_to_json(&all, all.program, options->argc, options->argv,
                                "json,report,write-statistics,write-profile");
}

json_t *beryl_sched_options_scheduling(const struct beryl_sched_options *options)
{
    return table_to_json(options, SCHEDULING_TABLE);
}

json_t *beryl_sched_options_machine(const struct beryl_sched_options *options)
{
    return table_to_json(options, MACHINE_TABLE);
}
