/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated schedules of every mode, made up from seeds.
 *
 *     test_sched_properties [N [FIRST_SEED [CASE [broken]]]]
 *
 * runs N of them (20,000), of the case that the command line CASE names or of
 * all in turn, and prints the first that fails with its seed. With `broken` it
 * is a success that one fails: so protocols that were broken on purpose show
 * that these schedules would find it. */
#include "tests/cases/pool_cases.h"
#include "tests/property/schedule.h"

#include <stdlib.h>

static bool must_fail;

enum { CASES_MAX = 256 };

/* Whether it holds. */
static bool run_one(uint64_t seed, int i, int n_cases)
{
    static struct taskpool_settings settings[CASES_MAX];
    static bool parsed[CASES_MAX];
    static struct schedule schedule;
    const char *command_line = pool_case_find(i, false);
    assert_true(i < CASES_MAX);
    if (!parsed[i])
        settings[i] = pool_case_settings(command_line);
    parsed[i] = true;
    schedule_init(&schedule, &settings[i], seed);
    bool can_be_dynamic = mode_for(settings[i].mode, true)->add != NULL;
    schedule.dynamic = can_be_dynamic && seed / (uint64_t)n_cases % 3 == 0;
    bool holds = schedule_holds(&schedule);
    if (!holds)
        schedule_print(&schedule, command_line);
    return holds;
}

static int case_index(const char *command_line)
{
    for (int i = 0; pool_case_find(i, false); i++)
        if (strcmp(pool_case_find(i, false), command_line) == 0)
            return i;
    fprintf(stderr, "%s is not one of the cases\n", command_line);
    exit(2);
}

int main(int argc, char **argv)
{
    int64_t n = argc > 1 ? atoll(argv[1]) : 20000;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    int only = argc > 3 ? case_index(argv[3]) : -1;
    must_fail = argc > 4;
    if (n < 1) {
        fprintf(stderr, "%s is not a number of schedules\n", argv[1]);
        return 2;
    }
    MPI_Init(NULL, NULL);
    bool failed = false;
    int n_cases = pool_case_count(false);
    uint64_t seed = first;
    for (; seed < first + (uint64_t)n && !failed; seed++) {
        schedule_watch(must_fail ? 0 : 1);
        failed = !run_one(seed, only >= 0 ? only : (int)(seed % (uint64_t)n_cases), n_cases);
    }
    schedule_watch(-1);
    if (failed)
        printf("schedule %llu fails\n", (unsigned long long)(seed - first));
    else
        printf("%lld schedules, all tasks ran once\n", (long long)n);
    MPI_Finalize();
    return failed != must_fail;
}
