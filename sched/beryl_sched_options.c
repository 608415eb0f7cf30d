#include "sched/beryl_sched_options.h"

#include "sched/mode_options.h"

#include <stdbool.h>
#include <stddef.h>

#define WORKLOAD(name) offsetof(struct workload_settings, name)
#define MACHINE(name)  offsetof(struct beryl_sched_machine, name)

static const struct option_row workload_rows[] = {
    {.name = "profile",
     .kind = OPTION_TEXT,
     .offset = WORKLOAD(profile),
     .value = "FILE.csv|FILE.npy",
     .help = "tasks of the durations on file: rows task,seconds, or an array of doubles"},
    {.name = "gauss",
     .kind = OPTION_TEXT,
     .offset = WORKLOAD(gauss),
     .value = "MEAN,SD",
     .help = "normally distributed durations, seconds; those below 0 are 0"},
    {.name = "exponential",
     .kind = OPTION_TEXT,
     .offset = WORKLOAD(exponential),
     .value = "MEAN",
     .help = "exponentially distributed durations, seconds"},
    {.name = "lognormal",
     .kind = OPTION_TEXT,
     .offset = WORKLOAD(lognormal),
     .value = "MEAN,SD",
     .help = "log-normally distributed durations of this mean and standard deviation, "
             "seconds"},
    {.name = "uts",
     .kind = OPTION_TEXT,
     .offset = WORKLOAD(uts),
     .value = "TREE",
     .help = "the nodes of an unbalanced tree: T1 to T5, T1L, T3L, or the options of the UTS "
             "benchmark, such as \"-t 1 -a 3 -d 10 -b 4 -r 19\""},
    {.name = "tasks",
     .kind = OPTION_INTEGER,
     .offset = WORKLOAD(n_tasks),
     .min = 0,
     .max = 1e15,
     .value = "T",
     .help = "how many, of a distribution"},
    {.name = "time-scale",
     .kind = OPTION_REAL,
     .offset = WORKLOAD(time_scale),
     .default_text = "1",
     .min = 0,
     .max = 1e15,
     .min_excluded = true,
     .value = "X",
     .help = "durations are multiplied by it; a simulated node of a tree takes 125 ns"},
};

/* Small messages of an InfiniBand or Cray network: 1-2 us one way, of which the
 * processors are busy for about 0.5 us at either end, and 100 Gbit/s. Titan, the
 * largest machine of the papers, had nodes of 16 cores. */
static const struct beryl_sched_machine default_machine = {
    .node_size = 16,
    .latency_s = 2e-6,
    .latency_spread_s = 0,
    .overhead_s = 5e-7,
    .bandwidth = 1e10,
};

/* Without default_text: what is given without --simulate would do nothing. */
static const struct option_row machine_rows[] = {
    {.name = "simulate",
     .kind = OPTION_INTEGER,
     .offset = MACHINE(n_workers),
     .default_text = "0",
     .min = 0,
     .max = 1e7,
     .value = "P",
     .help = "P workers of a machine that is simulated in one process; 0: run for real"},
    {.name = "latency",
     .kind = OPTION_REAL,
     .offset = MACHINE(latency_s),
     .min = 0,
     .max = 1e6,
     .value = "SECONDS",
     .help = "of a message (2e-6)"},
    {.name = "latency-spread",
     .kind = OPTION_REAL,
     .offset = MACHINE(latency_spread_s),
     .min = 0,
     .max = 1e6,
     .value = "SECONDS",
     .help = "mean of what is added at random, exponentially distributed, so that messages "
             "overtake each other (0)"},
    {.name = "overhead",
     .kind = OPTION_REAL,
     .offset = MACHINE(overhead_s),
     .min = 0,
     .max = 1e6,
     .value = "SECONDS",
     .help = "of a worker's time for each message that it sends or gets (5e-7)"},
    {.name = "bandwidth",
     .kind = OPTION_REAL,
     .offset = MACHINE(bandwidth),
     .min = 0,
     .max = 1e18,
     .min_excluded = true,
     .value = "BYTES_PER_S",
     .help = "at which messages travel (1e10)"},
    {.name = "node-size",
     .kind = OPTION_INTEGER,
     .offset = MACHINE(node_size),
     .min = 1,
     .max = 1e7,
     .value = "N",
     .help = "workers of a node, consecutive ones (16)"},
};

static const struct option_row run_rows[] = {
    {.name = "iterations",
     .kind = OPTION_INTEGER,
     .offset = offsetof(struct beryl_sched_options, n_iterations),
     .default_text = "1",
     .min = 1,
     .max = 1e6,
     .value = "N",
     .help = "runs of the same tasks, each beginning with what the mode kept of the last"},
    {.name = "write-statistics",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct beryl_sched_options, statistics),
     .value = "FILE.csv",
     .help = "write the figures of every worker in every iteration"},
    {.name = "json",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct beryl_sched_options, json),
     .value = "FILE",
     .help = "write the result"},
};

#define N_ROWS(rows) (sizeof(rows) / sizeof((rows)[0]))

enum { WORKLOAD_TABLE, MACHINE_TABLE, SCHEDULING_TABLE, RUN_TABLE, N_TABLES };

static void fill_tables(struct beryl_sched_options *options, struct option_table tables[N_TABLES])
{
    tables[WORKLOAD_TABLE] = (struct option_table){"Workload, one of the first five", workload_rows,
                                                   N_ROWS(workload_rows), &options->workload};
    tables[MACHINE_TABLE] = (struct option_table){"Simulated machine", machine_rows,
                                                  N_ROWS(machine_rows), &options->machine};
    tables[SCHEDULING_TABLE] = (struct option_table){"Scheduling", taskpool_option_rows,
                                                     taskpool_n_option_rows, &options->pool};
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

static enum status check_workload(const struct workload_settings *workload)
{
    bool drawn = workload->gauss || workload->exponential || workload->lognormal;
    int n_given = !!workload->profile + !!workload->gauss + !!workload->exponential +
                  !!workload->lognormal + !!workload->uts;
    if (n_given != 1)
        return FAIL(STATUS_USAGE,
                    "give one workload%s: --profile, --gauss, --exponential, "
                    "--lognormal or --uts",
                    n_given > 1 ? " only" : "");
    if (drawn && workload->n_tasks < 0)
        return FAIL(STATUS_USAGE, "--tasks is missing: how many durations are to be drawn");
    if (!drawn && workload->n_tasks >= 0)
        return FAIL(STATUS_USAGE, "--tasks does nothing with --%s, which says how many there are",
                    workload->uts ? "uts" : "profile");
    return STATUS_OK;
}

static enum status check_tree(const struct beryl_sched_options *options)
{
    const struct taskpool_settings *pool = &options->pool;
    bool real = options->machine.n_workers == 0;
    if (!options->workload.uts)
        return STATUS_OK;
    if (pool->seeding != SEEDING_BLOCK)
        return FAIL(STATUS_USAGE, "--seeding does nothing with --uts, where all begins with one "
                                  "node");
    if (real && options->workload.time_scale != 1)
        return FAIL(STATUS_USAGE, "--time-scale does nothing with --uts unless simulated");
    if (real && pool->speeds && *pool->speeds)
        return FAIL(STATUS_USAGE, "--speeds does nothing with --uts unless simulated");
    return STATUS_OK;
}

/* Not given so far; the others of the machine are numbers from 0 on. */
static const struct beryl_sched_machine unknown_machine = {
    .node_size = -1, .latency_s = -1, .latency_spread_s = -1, .overhead_s = -1, .bandwidth = -1};

static enum status check_machine(const struct beryl_sched_machine *machine)
{
    const char *given = machine->latency_s >= 0          ? "latency"
                        : machine->latency_spread_s >= 0 ? "latency-spread"
                        : machine->overhead_s >= 0       ? "overhead"
                        : machine->bandwidth >= 0        ? "bandwidth"
                        : machine->node_size >= 0        ? "node-size"
                                                         : NULL;
    if (given && machine->n_workers == 0)
        return FAIL(STATUS_USAGE, "--%s does nothing without --simulate", given);
    return STATUS_OK;
}

static void set_machine_defaults(struct beryl_sched_machine *machine)
{
    if (machine->node_size < 0)
        machine->node_size = default_machine.node_size;
    if (machine->latency_s < 0)
        machine->latency_s = default_machine.latency_s;
    if (machine->latency_spread_s < 0)
        machine->latency_spread_s = default_machine.latency_spread_s;
    if (machine->overhead_s < 0)
        machine->overhead_s = default_machine.overhead_s;
    if (machine->bandwidth < 0)
        machine->bandwidth = default_machine.bandwidth;
}

enum status beryl_sched_options_parse(int argc, char **argv, struct beryl_sched_options *options,
                                      enum option_request *request)
{
    int first_operand;
    struct option_table tables[N_TABLES];
    *options = (struct beryl_sched_options){.workload.n_tasks = -1, .machine = unknown_machine};
    fill_tables(options, tables);
    struct options all = program_options(tables);
    TRY(options_parse(&all, argc, argv, request, &first_operand));
    if (*request != OPTION_REQUEST_RUN)
        return STATUS_OK;
    TRY(check_workload(&options->workload));
    TRY(check_machine(&options->machine));
    TRY(mode_options_check(&options->pool));
    TRY(check_tree(options));
    set_machine_defaults(&options->machine);
    return STATUS_OK;
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
