/* The table of pools that the parallel tests run: every mode with every option
 * that changes what it does. */
#ifndef BERYL_TESTS_PARALLEL_POOL_CASES_H
#define BERYL_TESTS_PARALLEL_POOL_CASES_H

#include "sched/modes/mode_options.h"
#include "sched/taskpool.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

/* As typed on a command line. */
static const char *const pool_cases[] = {
    "--sched=static --seeding=block",
    "--sched=static --seeding=cyclic",
    "--sched=static --seeding=owner",
    "--sched=static --seeding=cost",
    "--sched=counter",
    "--sched=counter --chunk=7",
    "--sched=counter --chunk=1000000",
    "--sched=counter --guided",
    "--sched=counter --guided --chunk=20",
    "--sched=steal",
    "--sched=steal --termination=ring --seeding=owner",
    "--sched=steal --seeding=cyclic --chunk=4 --victim=node",
    "--sched=retentive",
    "--sched=retentive --termination=ring --steal=3",
    "--sched=share",
    "--sched=share --chunk=1",
    "--sched=share --managers=2 --chunk=3",
    "--sched=dtree",
    "--sched=dtree --fan-out=2 --first-share=0 --min-grant=3",
    "--sched=dtree --fan-out=1 --drain=1",
    "--sched=hybrid",
    "--sched=hybrid --group=2 --static-fraction=0 --skew --seeding=cyclic",
    "--sched=hybrid --no-locality --tasklets=5 --seeding=owner",
    "--sched=persist",
    "--sched=persist --balancer=central --donate-above=1",
    "--sched=persist --branching=2 --termination=ring --seeding=owner",
    "--sched=auto",
    "--sched=auto --seeding=cost --termination=ring",
};

enum { n_pool_cases = sizeof pool_cases / sizeof pool_cases[0] };

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
    snprintf(text, sizeof texts[0], "%s %s", command_line, more ? more : "");
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

#endif
