/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated iterations after a mode's learning. */
#pragma once

#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

/* The sum of the makespans from the third iteration on. */
static inline double late_seconds(const char *mode, int64_t n_tasks, uint64_t seed,
                                  const struct taskpool_machine *machine, int n_iterations)
{
    double sum_s = 0;
    struct taskpool_problem problem = {.n_tasks = n_tasks};
    struct taskpool_settings settings;
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    settings.mode = mode;
    settings.seed = (int64_t)seed;
    check_ok(taskpool_simulate(&problem, &settings, machine, &pool));
    for (int i = 0; i < n_iterations; i++) {
        if (i > 0)
            check_ok(taskpool_restore(pool));
        check_ok(taskpool_run(pool));
        sum_s += i < 2 ? 0 : taskpool_statistics(pool, i)->makespan_s;
    }
    taskpool_destroy(pool);
    return sum_s;
}
