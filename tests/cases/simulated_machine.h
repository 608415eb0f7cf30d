/* SPDX-License-Identifier: BSD-3-Clause */
/* A mode on a simulated machine, an iteration of it, and blocks of data from a text. */
#pragma once

#include "taskpool/data.h"
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <string.h>

/* Runs an iteration. The parts of its time make up its makespan on every worker. */
static inline struct taskpool_iteration simulated_iteration(struct taskpool *pool)
{
    check_ok(taskpool_run(pool));
    struct taskpool_iteration sum = *taskpool_statistics(pool, taskpool_n_iterations(pool) - 1);
    double parts_s = sum.task_s + sum.search_s + sum.idle_s + sum.scheduler_s + sum.communication_s;
    check_close(parts_s, (double)sum.n_workers * sum.makespan_s, 1e-9 * (1 + parts_s));
    return sum;
}

static inline struct taskpool *simulated_pool(const char *mode,
                                              const struct taskpool_problem *problem,
                                              const struct taskpool_machine *machine)
{
    struct taskpool_settings settings;
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    settings.mode = mode;
    settings.seeding = problem->owner ? TASKPOOL_SEEDING_OWNER : settings.seeding;
    check_ok(taskpool_simulate(problem, &settings, machine, &pool));
    return pool;
}

enum { SIMULATED_ACCESSES = 64 };

struct simulated_data {
    struct taskpool_data table;
    int64_t first[SIMULATED_ACCESSES + 1], numbers[SIMULATED_ACCESSES];
    struct taskpool_data_access accesses[SIMULATED_ACCESSES];
    struct taskpool_data_block blocks[SIMULATED_ACCESSES];
};

/* Blocks a, b, ... of these bytes, of worker 0, and the accesses of a text, whose tasks ascend: "r0a w2c@5"
 * is read(0, a), write(2, c), and block c is of worker 5. */
static inline void simulated_data_init(struct simulated_data *data, int64_t n_tasks, int64_t bytes,
                                       const char *text)
{
    *data = (struct simulated_data){.table = {.n_tasks = n_tasks}};
    data->table.first = data->first;
    data->table.accesses = data->accesses;
    data->table.blocks = data->blocks;
    data->table.numbers = data->numbers;
    for (int i = 0; i < SIMULATED_ACCESSES; i++)
        data->blocks[i].bytes = bytes;
    for (const char *next = text; *next != '\0'; next += strspn(next, " ")) {
        char access, block;
        long long task, owner;
        int length, longer = 0;
        int n = sscanf(next, "%c%lld%c%n@%lld%n", &access, &task, &block, &length, &owner, &longer);
        assert_in_range(n, 3, 4);
        struct taskpool_data_access *at = &data->accesses[data->first[n_tasks]];
        *at = (struct taskpool_data_access){.block = block - 'a', .writes = access == 'w'};
        if (longer > 0)
            data->blocks[at->block].owner = owner;
        data->table.n_blocks =
            at->block < data->table.n_blocks ? data->table.n_blocks : at->block + 1;
        for (int64_t i = task; i < n_tasks; i++)
            data->first[i + 1]++;
        next += longer > 0 ? longer : length;
    }
}
