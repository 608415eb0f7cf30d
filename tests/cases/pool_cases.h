/* SPDX-License-Identifier: BSD-3-Clause */
/* The one table of modes with options that the tests run: every mode with every option that
 * changes its protocol. A registered mode that has no row here is run with its defaults. */
#pragma once

#include "sched/pool/modes/mode_options.h"
#include "sched/pool/modes/modes.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <string.h>

struct pool_case {
    const char *command_line; /* as typed */
    bool over_mpi;            /* also in the parallel tests; all are simulated */
};

static const struct pool_case pool_case_table[] = {
    {"--sched=static --seeding=block", true},
    {"--sched=static --seeding=cyclic", true},
    {"--sched=static --seeding=cost", true},
    {"--sched=static --seeding=owner", true},
    {"--sched=counter", true},
    {"--sched=counter --chunk=7", true},
    {"--sched=counter --chunk=1000000", true},
    {"--sched=fsc", true},
    {"--sched=fsc --chunk=3", false},
    {"--sched=guided", true},
    {"--sched=guided --chunk=7", false},
    {"--sched=factoring", true},
    {"--sched=factoring --chunk=5", false},
    {"--sched=wf", true},
    {"--sched=wf --chunk=4", false},
    {"--sched=awf-b", true},
    {"--sched=awf-b --chunk=5", false},
    {"--sched=af", true},
    {"--sched=af --chunk=4", false},
    {"--sched=trapezoid", true},
    {"--sched=trapezoid --chunk=3", false},
    {"--sched=share", true},
    {"--sched=share --chunk=1 --release-every=1", false},
    {"--sched=share --chunk=2 --release-every=5", false},
    {"--sched=share --managers=3 --chunk=1 --release-every=1", false},
    {"--sched=share --managers=100 --chunk=2 --release-every=2", false},
    {"--sched=share --chunk=1", true},
    {"--sched=share --managers=2 --chunk=3", true},
    {"--sched=steal", true},
    {"--sched=steal --termination=ring", false},
    {"--sched=steal --termination=wide", true},
    {"--sched=steal --seeding=owner", false},
    {"--sched=steal --seeding=cyclic --chunk=3", false},
    {"--sched=steal --steal=1", false},
    {"--sched=steal --steal=5 --chunk=2 --termination=ring", false},
    {"--sched=steal --victim=node", false},
    {"--sched=steal --termination=ring --seeding=owner", true},
    {"--sched=steal --seeding=cyclic --chunk=4 --victim=node", true},
    {"--sched=steal --as-published", true},
    {"--sched=steal --as-published --chunk=2", false},
    {"--sched=lifeline", true},
    {"--sched=lifeline --chunk=3 --seeding=cyclic", false},
    {"--sched=lifeline --seeding=owner", true},
    {"--sched=retentive", true},
    {"--sched=retentive --as-published", false},
    {"--sched=retentive --termination=ring", false},
    {"--sched=retentive --termination=wide", false},
    {"--sched=retentive --chunk=4 --victim=node", false},
    {"--sched=retentive --seeding=owner", false},
    {"--sched=retentive --termination=ring --steal=3", true},
    {"--sched=persist", true},
    {"--sched=persist --as-published", false},
    {"--sched=persist --balancer=central", false},
    {"--sched=persist --branching=2", false},
    {"--sched=persist --branching=7 --fill-to=1.5 --seeding=owner", false},
    {"--sched=persist --donate-above=1 --fill-to=1 --termination=ring", false},
    {"--sched=persist --donate-above=2 --fill-to=1", false},
    {"--sched=persist --balancer=central --donate-above=1 --seeding=cyclic", false},
    {"--sched=persist --as-published --branching=2 --fill-to=1.2", false},
    {"--sched=persist --balancer=central --donate-above=1", true},
    {"--sched=persist --branching=2 --termination=ring --seeding=owner", true},
    {"--sched=diffusion", true},
    {"--sched=diffusion --seeding=owner", true},
    {"--sched=dtree", true},
    {"--sched=dtree --fan-out=1", false},
    {"--sched=dtree --fan-out=2 --first-share=0", false},
    {"--sched=dtree --fan-out=3 --first-share=1", false},
    {"--sched=dtree --fan-out=4 --drain=1 --min-grant=3", false},
    {"--sched=dtree --fan-out=5 --drain=0.1 --first-share=0.7", false},
    {"--sched=dtree --fan-out=2 --first-share=0 --min-grant=3", true},
    {"--sched=dtree --fan-out=1 --drain=1", true},
    {"--sched=hybrid", true},
    {"--sched=hybrid --group=7", false},
    {"--sched=hybrid --group=1000 --static-fraction=0 --tasklets=3", false},
    {"--sched=hybrid --static-fraction=0.3 --skew --seeding=owner", false},
    {"--sched=hybrid --group=16 --static-fraction=0 --no-locality --skew --tasklets=4", false},
    {"--sched=hybrid --group=5 --static-fraction=1", false},
    {"--sched=hybrid --no-locality --seeding=cyclic --tasklets=1", false},
    {"--sched=hybrid --group=2 --static-fraction=0 --skew --seeding=cyclic", true},
    {"--sched=hybrid --no-locality --tasklets=5 --seeding=owner", true},
    {"--sched=auto", true},
    {"--sched=auto --seeding=cost", false},
    {"--sched=auto --termination=ring --seeding=owner", false},
    {"--sched=auto --termination=tree", false},
    {"--sched=auto --chunk=3 --victim=random", false},
    {"--sched=auto --seeding=block --as-published", false},
    {"--sched=auto --seeding=cost --termination=ring", true},
    {"--sched=lpt", false},
};

enum { N_TABLED_CASES = sizeof pool_case_table / sizeof pool_case_table[0] };

static inline bool pool_case_is_for(const char *command_line, const char *mode)
{
    size_t length = strlen(mode);
    const char *name = command_line + strlen("--sched=");
    return strncmp(name, mode, length) == 0 && (name[length] == ' ' || name[length] == '\0');
}

/* Command line i of those run over MPI, or of all; NULL past the last one. */
static inline const char *pool_case_find(int i, bool over_mpi)
{
    static char lines[MODES_MAX][64]; /* of modes without a row */
    for (int c = 0; c < N_TABLED_CASES; c++)
        if ((pool_case_table[c].over_mpi || !over_mpi) && i-- == 0)
            return pool_case_table[c].command_line;
    for (int m = 0; m < mode_count(); m++) {
        const char *name = mode_at(m)->name;
        bool has_row = false;
        for (int c = 0; c < N_TABLED_CASES; c++)
            has_row = has_row || pool_case_is_for(pool_case_table[c].command_line, name);
        snprintf(lines[m], sizeof lines[m], "--sched=%s", name);
        if (!has_row && i-- == 0)
            return lines[m];
    }
    return NULL;
}

static inline int pool_case_count(bool over_mpi)
{
    int n = 0;
    while (pool_case_find(n, over_mpi))
        n++;
    return n;
}

/* The settings that a command line gives, and the environment variable BERYL_TEST_POOL_OPTIONS
 * in addition; of text they point into it, so it stays. At most 256 calls. */
static inline struct taskpool_settings pool_case_settings(const char *command_line)
{
    static char texts[256][256];
    static int n_texts;
    char *text = texts[n_texts++ % 256];
    char *argv[16] = {"test"};
    int argc = 1;
    const char *more = getenv("BERYL_TEST_POOL_OPTIONS");
    snprintf(text, sizeof texts[0], "%.127s %.127s", command_line, more ? more : "");
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;

    struct taskpool_settings settings = {0};
    const struct option_table table = mode_options_table(&settings);
    struct options options = {.program = "test", .tables = &table, .n_tables = 1};
    enum option_request request;
    int first_operand;
    check_ok(options_parse(&options, argc, argv, &request, &first_operand));
    return settings;
}

/* Owners and costs that are uneven among consecutive tasks, for --seeding owner and cost. */
static inline int pool_case_owner(int64_t task, int n_workers, void *context)
{
    (void)context;
    return (int)(task / 7 % n_workers);
}

static inline double pool_case_cost(int64_t task, void *context)
{
    (void)context;
    return 0.1 + (double)(task % 4);
}
