/* Simulated schedules of every mode, made up from seeds.
 *
 *     test_sched_properties [N [FIRST_SEED [CASE [broken]]]]
 *
 * runs N of them (20,000), of the case that the command line CASE names or of
 * all in turn, and prints the first that fails with its seed. With `broken` it
 * is a success that one fails: so protocols that were broken on purpose show
 * that these schedules would find it. */
#include "tests/cases/pool_cases.h"
#include "tests/cases/property_cases.h"
#include "tests/property/schedule.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static bool must_fail;

static bool can_be_dynamic(const char *command_line)
{
    return strstr(command_line, "=share") || strstr(command_line, "=steal") ||
           strstr(command_line, "=retentive");
}

/* Whether it holds. */
static bool run_one(uint64_t seed, int i)
{
    static struct taskpool_settings settings[n_property_cases];
    static bool parsed[n_property_cases];
    static struct schedule schedule;
    if (!parsed[i])
        settings[i] = pool_case_settings(property_cases[i]);
    parsed[i] = true;
    schedule_init(&schedule, &settings[i], seed);
    schedule.dynamic = can_be_dynamic(property_cases[i]) && seed / n_property_cases % 3 == 0;
    char why[256] = "", text[512];
    if (schedule_holds(&schedule, why, sizeof why))
        return true;
    schedule_describe(&schedule, text, sizeof text);
    fprintf(stderr, "%s (case %d)\n%s\n%s\n", property_cases[i], i, text, why);
    return false;
}

/* Of the schedules that do not end. */
static void give_up(int signal)
{
    (void)signal;
    static const char text[] = "this schedule does not end\n";
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(must_fail ? 0 : 1);
}

static int case_index(const char *command_line)
{
    for (int i = 0; i < n_property_cases; i++)
        if (strcmp(property_cases[i], command_line) == 0)
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
    signal(SIGALRM, give_up);
    bool failed = false;
    uint64_t seed = first;
    for (; seed < first + (uint64_t)n && !failed; seed++) {
        alarm(20);
        failed = !run_one(seed, only >= 0 ? only : (int)(seed % n_property_cases));
    }
    alarm(0);
    if (failed)
        printf("schedule %llu fails\n", (unsigned long long)(seed - first));
    else
        printf("%lld schedules, all tasks ran once\n", (long long)n);
    MPI_Finalize();
    return failed != must_fail;
}
