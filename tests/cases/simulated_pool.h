/* SPDX-License-Identifier: BSD-3-Clause */
/* The pool of tests in simulation: several iterations under a command line, in which every task runs once and
 * the parts of its time make up the makespan on every worker; its statistics, and the worker of each task. Blocks of
 * data from a text. */
#pragma once

#include "taskpool/data.h"
#include "taskpool/simulation.h"
#include "tests/cases/pool_cases.h"

enum { SIMULATED_TASKS = 20000, SIMULATED_ITERATIONS = 16 };

struct simulated {
    /* Set before the run. */
    const char *command_line;
    int64_t n_tasks;
    int n_iterations; /* 0: 1 */
    /* Seconds of a task at speed 1, of `iteration`; or NULL: time_s. */
    double (*seconds)(const struct simulated *pool, int64_t task);
    double time_s;                   /* of each task */
    bool dynamic;                    /* record i adds 2 i + 1 and 2 i + 2 */
    struct taskpool_problem problem; /* members that are not set here; context: this struct */
    struct taskpool_machine machine; /* context: this struct */

    /* Set by the run. */
    int iteration; /* the one that runs */
    struct taskpool *pool;
    struct taskpool_iteration figures[SIMULATED_ITERATIONS];
    int32_t worker[SIMULATED_ITERATIONS][SIMULATED_TASKS];
    int64_t order[SIMULATED_TASKS]; /* of the last ends; records are numbered by their ends */
    int n_runs[SIMULATED_TASKS];
    uint64_t digest; /* of the tasks and their workers, in the order of their ends */
};

static inline double simulated_seconds(const struct simulated *self, int64_t task)
{
    return self->seconds ? self->seconds(self, task) : self->time_s;
}

static inline double simulated_time(int64_t task, const void *record, const void *context)
{
    if (record)
        memcpy(&task, record, sizeof task);
    return simulated_seconds(context, task);
}

/* A cost that is a task's time. */
static inline double simulated_cost(int64_t task, void *context)
{
    return simulated_seconds(context, task);
}

static inline int simulated_task(int64_t task, void *context)
{
    ((struct simulated *)context)->n_runs[task]++;
    return STATUS_OK;
}

static inline int simulated_record(void *record, void *context)
{
    struct simulated *self = context;
    int64_t task;
    memcpy(&task, record, sizeof task);
    memset(record, 0xff, sizeof task); /* a task may change its record */
    self->n_runs[task]++;
    for (int64_t child = 2 * task + 1; child <= 2 * task + 2 && child < self->n_tasks; child++)
        TRY(taskpool_add(self->pool, &child));
    return STATUS_OK;
}

static inline void simulated_create(struct simulated *self)
{
    struct taskpool_settings settings = pool_case_settings(self->command_line);
    const int64_t root = 0;
    settings.keep_history = true;
    self->problem.context = self;
    self->problem.n_tasks = self->dynamic ? 0 : self->n_tasks;
    self->problem.run = self->problem.run ? self->problem.run : simulated_task;
    self->problem.record_size = self->dynamic ? sizeof root : 0;
    self->problem.run_record = self->dynamic ? simulated_record : NULL;
    self->machine.time = simulated_time;
    self->machine.context = self;
    memset(self->n_runs, 0, sizeof self->n_runs);
    self->digest = 0;
    check_ok(taskpool_simulate(&self->problem, &settings, &self->machine, &self->pool));
    if (self->dynamic)
        check_ok(taskpool_add(self->pool, &root));
}

static inline void simulated_iterate(struct simulated *self)
{
    const uint64_t prime = 0x100000001b3;
    int i = self->iteration;
    if (i > 0)
        check_ok(taskpool_restore(self->pool));
    check_ok(taskpool_run(self->pool));
    const struct taskpool_iteration *sum = taskpool_statistics(self->pool, i);
    self->figures[i] = *sum;
    assert_int_equal(sum->tasks, self->n_tasks);
    check_close(sum->task_s + sum->search_s + sum->idle_s + sum->scheduler_s + sum->communication_s,
                (double)sum->n_workers * sum->makespan_s,
                1e-9 * (1 + (double)sum->n_workers * sum->makespan_s));
    const struct taskpool_history *history = taskpool_history(self->pool);
    assert_int_equal(history->n_entries, self->n_tasks);
    for (int64_t j = 0; j < history->n_entries; j++) {
        const struct taskpool_history_entry *entry = &history->entries[j];
        self->order[j] = self->dynamic ? j : entry->task;
        self->worker[i][self->order[j]] = entry->worker;
        self->digest = (self->digest ^ (uint64_t)self->order[j]) * prime;
        self->digest = (self->digest ^ (uint64_t)entry->worker) * prime;
    }
    for (int64_t task = 0; task < self->n_tasks; task++)
        assert_int_equal(self->n_runs[task], i + 1);
}

static inline void simulated_run(struct simulated *self)
{
    int n_iterations = self->n_iterations > 0 ? self->n_iterations : 1;
    simulated_create(self);
    for (self->iteration = 0; self->iteration < n_iterations; self->iteration++)
        simulated_iterate(self);
    taskpool_destroy(self->pool);
}

/* Whether all tasks of two iterations ran on the same workers. */
static inline bool simulated_alike(const struct simulated *self, int i, int j)
{
    return memcmp(self->worker[i], self->worker[j], (size_t)self->n_tasks * sizeof(int32_t)) == 0;
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
