/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker three times slower than the others loses no task in any mode, and the modes of this
 * library that balance the load relieve it from the first iteration on. */
#include "tests/cases/simulated_pool.h"

#define N_OF(array) (sizeof(array) / sizeof(array)[0])

static struct simulated pool;

static bool is_mode(const char *mode)
{
    return pool_case_is_for(pool.command_line, mode);
}

static const double one_slow[16] = {1, 1, 1, 1, 1, 1 / 3.0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/* A mode that was added need not balance. */
static bool balances(void)
{
    static const char *const names[] = {"counter",  "factoring", "trapezoid", "share", "steal",
                                        "lifeline", "retentive", "persist",   "dtree", "hybrid",
                                        "auto",     "wf",        "fsc"};
    for (size_t i = 0; i < N_OF(names); i++)
        if (is_mode(names[i]))
            return true;
    return false;
}

/* The cost is known, but not how slow that worker is. */
TEST(a_slow_worker_loses_no_task_and_is_relieved)
{
    const char *const progress[] = {"", " --progress=poll", " --progress=thread"};
    for (int variant = 0; variant < 3; variant++)
        for (int m = 0; m < mode_count(); m++) {
            char line[64];
            snprintf(line, sizeof line, "--sched=%s%s", mode_at(m)->name, progress[variant]);
            pool = (struct simulated){
                .command_line = line,
                .n_tasks = 1600,
                .n_iterations = 4,
                .problem.cost = simulated_cost,
                .machine = {.n_workers = 16, .latency_s = 1e-5, .speeds = one_slow}};
            simulated_run(&pool);
            /* 100 tasks of 3 ms; at best 1600 tasks at 15.33 in a ms: 0.104 s */
            for (int i = 0; i < 4; i++) {
                if (is_mode("static"))
                    check_close(pool.figures[i].makespan_s, 0.3, 1e-9);
                else if (balances())
                    assert_true(pool.figures[i].makespan_s < 0.6 * 0.3);
            }
        }
}

TEST_SETUP(check_begin_mpi)
TEST_TEARDOWN(check_end_mpi)
