/* SPDX-License-Identifier: BSD-3-Clause */
/* One simulated schedule of a pool, made up from a seed: number of workers,
 * lengths of tasks, network, polling, data. Properties of every schedule: each task runs
 * exactly once in each of five iterations, every worker finishes, no message is
 * left, no worker is notified of the end while tasks are left, and a trace says the
 * same as the statistics, and no iteration is shorter than the lower bound of the laboratory. */
#pragma once

#include "sched/pool/core/task_data.h"
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"

#include <stdbool.h>
#include <stdint.h>

enum { SCHEDULE_N_ITERATIONS = 5, SCHEDULE_MAX_TASKS = 512, SCHEDULE_N_BLOCKS = 6 };

struct schedule {
    uint64_t seed;
    struct taskpool_settings settings;
    struct taskpool_machine machine;
    struct taskpool_noise noise;
    double noise_times_s[2];
    struct taskpool_data data;
    int64_t first_accesses[SCHEDULE_MAX_TASKS + 1];
    struct taskpool_data_access accesses[2 * SCHEDULE_MAX_TASKS];
    struct taskpool_data_block blocks[SCHEDULE_N_BLOCKS];
    int lengths;          /* the shape of their durations */
    bool tasks_keep_data; /* of the problem */
    bool hides_costs;     /* unless --seeding cost needs them */
    int64_t n_tasks;
    double times_s[SCHEDULE_MAX_TASKS];
    int n_runs[SCHEDULE_MAX_TASKS];
    bool dynamic; /* the tasks are added by each other */
    bool comb;    /* their tree is a comb, not a binary tree */
    struct taskpool *pool;
    enum status status;            /* of the pool, where that is what does not hold */
    struct taskpool_trace *trace;  /* of every fourth schedule, else NULL */
    struct taskpool_iteration sum; /* of the iterations so far */
    int64_t n_ended;               /* tasks, in all iterations so far */
    int64_t n_to_end;              /* at the end of this iteration */
    char why[256];                 /* it does not hold */
    bool ended_early;              /* a worker was notified of the end while a task was left */
};

/* Makes one up for these settings (whose seed is replaced). */
void schedule_init(struct schedule *schedule, const struct taskpool_settings *settings,
                   uint64_t seed);

/* Runs it. Returns whether every property holds; else schedule->why names the violated one. */
bool schedule_holds(struct schedule *schedule);

/* Prints it and what does not hold to stderr. */
void schedule_print(const struct schedule *schedule, const char *line);

/* Gives what follows 20 s of processor time, however busy the machine is: after them the program says
 * that the schedule does not end, and exits with this status. Below 0: ends the watch. */
void schedule_watch(int exit_status);
