#include "sched/workloads/workload_options.h"

#include "sched/workloads/bnsl/bnsl_candidates.h"

#define WORKLOAD(name) offsetof(struct workload_settings, name)

const struct option_row workload_option_rows[] = {
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
    {.name = "jacobi",
     .kind = OPTION_TEXT,
     .offset = WORKLOAD(jacobi),
     .value = "NX,NY,NZ",
     .help = "Jacobi's relaxation on a mesh of so many points, a task being a plane of y; "
             "simulated, X is cut into a block for each node"},
    {.name = "bnsl",
     .kind = OPTION_TEXT,
     .offset = WORKLOAD(bnsl),
     .value = "DATA.csv",
     .help = "the search for the Bayesian network behind samples: a row of names, then a row of "
             "categories for each sample"},
    {.name = "sweeps",
     .kind = OPTION_INTEGER,
     .offset = WORKLOAD(n_sweeps),
     .min = 1,
     .max = 1e6,
     .value = "N",
     .help = "of --jacobi, an iteration each"},
    {.name = "tasks",
     .kind = OPTION_INTEGER,
     .offset = WORKLOAD(n_tasks),
     .min = 0,
     .max = 1e15,
     .value = "T",
     .help = "how many, of a distribution or, with --null-time, in all"},
    {.name = "null-time",
     .kind = OPTION_REAL,
     .offset = WORKLOAD(null_s),
     .min = 0,
     .max = 1e6,
     .value = "SECONDS",
     .help = "of a null task: one of the --tasks T that is not in the --profile, whose tasks keep "
             "their numbers"},
    {.name = "time-scale",
     .kind = OPTION_REAL,
     .offset = WORKLOAD(time_scale),
     .default_text = "1",
     .min = 0,
     .max = 1e15,
     .min_excluded = true,
     .value = "X",
     .help = "durations are multiplied by it; a simulated node of a tree takes 125 ns, a point "
             "of a mesh 1.05 ns"},
    {.name = "candidates",
     .kind = OPTION_INTEGER,
     .offset = WORKLOAD(bnsl_candidates),
     .min = 1,
     .max = BNSL_MAX_CANDIDATES,
     .value = "N",
     .help = "--bnsl: variables that may be parents of another, at most (16)"},
    {.name = "hypercube",
     .kind = OPTION_INTEGER,
     .offset = WORKLOAD(bnsl_hypercube),
     .min = 0,
     .max = 20,
     .value = "N",
     .help = "--bnsl: a task scores 2^N sets of parents, at most (6)"},
    {.name = "kicks",
     .kind = OPTION_INTEGER,
     .offset = WORKLOAD(bnsl_kicks),
     .min = 0,
     .max = 1e6,
     .value = "N",
     .help = "--bnsl: changes by chance that the search for the network goes on from (2000)"},
    {.name = "network",
     .kind = OPTION_TEXT,
     .offset = WORKLOAD(bnsl_network),
     .value = "FILE.csv",
     .help = "--bnsl: compare with this network: rows parent,child"},
};

const size_t workload_n_option_rows = sizeof workload_option_rows / sizeof workload_option_rows[0];

const struct workload_settings workload_settings_unknown = {
    .n_tasks = -1, .null_s = -1, .bnsl_candidates = -1, .bnsl_hypercube = -1, .bnsl_kicks = -1};

void workload_options_set_defaults(struct workload_settings *workload)
{
    if (workload->bnsl_candidates < 0)
        workload->bnsl_candidates = 16;
    if (workload->bnsl_hypercube < 0)
        workload->bnsl_hypercube = 6;
    if (workload->bnsl_kicks < 0)
        workload->bnsl_kicks = 2000;
}

static enum status check_bnsl(const struct workload_settings *workload)
{
    const char *given = workload->bnsl_candidates >= 0  ? "candidates"
                        : workload->bnsl_hypercube >= 0 ? "hypercube"
                        : workload->bnsl_kicks >= 0     ? "kicks"
                        : workload->bnsl_network        ? "network"
                                                        : NULL;
    if (given && !workload->bnsl)
        return FAIL(STATUS_USAGE, "--%s does nothing without --bnsl", given);
    return STATUS_OK;
}

static enum status check_jacobi(const struct workload_settings *workload)
{
    if (workload->jacobi && workload->n_sweeps == 0)
        return FAIL(STATUS_USAGE, "--sweeps is missing: how many iterations of --jacobi are to be "
                                  "done");
    if (!workload->jacobi && workload->n_sweeps > 0)
        return FAIL(STATUS_USAGE, "--sweeps does nothing without --jacobi");
    return STATUS_OK;
}

int workload_options_count(const struct workload_settings *workload)
{
    return !!workload->profile + !!workload->gauss + !!workload->exponential +
           !!workload->lognormal + !!workload->uts + !!workload->jacobi + !!workload->bnsl;
}

enum status workload_options_check(const struct workload_settings *workload)
{
    bool drawn = workload->gauss || workload->exponential || workload->lognormal;
    int n_given = workload_options_count(workload);
    if (n_given != 1)
        return FAIL(STATUS_USAGE,
                    "give one workload%s: --profile, --gauss, --exponential, "
                    "--lognormal, --uts, --jacobi or --bnsl",
                    n_given > 1 ? " only" : "");
    if (workload->null_s >= 0 && (!workload->profile || workload->n_tasks < 0))
        return FAIL(STATUS_USAGE, "--null-time needs a --profile, and --tasks for how many there "
                                  "are in all");
    if (drawn && workload->n_tasks < 0)
        return FAIL(STATUS_USAGE, "--tasks is missing: how many durations are to be drawn");
    if (!drawn && workload->n_tasks >= 0 && workload->null_s < 0)
        return FAIL(STATUS_USAGE, "--tasks does nothing with --%s, which says how many there are",
                    workload->uts      ? "uts"
                    : workload->jacobi ? "jacobi"
                    : workload->bnsl   ? "bnsl"
                                       : "profile");
    TRY(check_jacobi(workload));
    return check_bnsl(workload);
}
