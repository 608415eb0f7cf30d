/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/property/schedule.h"

#include "sched/lab/bound/makespan_bound.h"
#include "sched/pool/modes/modes.h"
#include "sched/pool/protocols/stealing.h"
#include "support/base/random.h"
#include "taskpool/mode.h"
#include "taskpool/simulation.h"
#include "tests/cases/trace_case.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define N_OF(array) (sizeof(array) / sizeof(array)[0])

static const int n_workers[] = {1, 2, 3, 5, 8, 16, 33, 64};
/* Not so short that refused thieves fill the time with requests. */
static const double latencies_s[] = {5e-5, 2e-4, 1e-3, 1e-2};
static const double spreads[] = {0, 1, 3, 10}; /* times the latency */
static const double powers[] = {1, 3};

/* The shapes of task lengths. */
enum schedule_lengths {
    LENGTHS_CONSTANT,
    LENGTHS_UNIFORM,
    LENGTHS_EXPONENTIAL,
    LENGTHS_ONE_GIANT,
    LENGTHS_ZERO,
    LENGTHS_ANY, /* a factor of 100 between them */
    N_LENGTHS
};

static int64_t pick(struct random_stream *random, int64_t n)
{
    return (int64_t)random_below(random, (uint64_t)n);
}

static double length(int lengths, int64_t task, struct random_stream *random)
{
    switch (lengths) {
    case LENGTHS_UNIFORM:
        return 2e-3 * random_unit(random);
    case LENGTHS_EXPONENTIAL:
        return -1e-3 * log(1 - random_unit(random));
    case LENGTHS_ONE_GIANT:
        return task == 0 ? 2e-2 : 1e-5;
    case LENGTHS_ANY:
        return 1e-5 * pow(100, random_unit(random));
    default:
        return lengths == LENGTHS_CONSTANT ? 1e-3 : 0;
    }
}

static double time_of_task(int64_t task, const void *record, const void *context)
{
    const struct schedule *schedule = context;
    if (record)
        memcpy(&task, record, sizeof task);
    return schedule->times_s[task];
}

/* Those whose number is odd and which are short. */
static bool are_null(int64_t first, int64_t last, const void *context)
{
    const struct schedule *schedule = context;
    for (int64_t task = first; task < last; task++)
        if (task % 2 == 0 || schedule->times_s[task] > 5e-5)
            return false;
    return true;
}

static void observe(int from, int to, const void *message, size_t size, void *context)
{
    (void)from;
    (void)to;
    struct schedule *schedule = context;
    const struct termination_message *termination = message;
    if (size != sizeof *termination || termination->kind != STEALING_TERMINATION ||
        strcmp(mode_find(schedule->settings.mode)->name, "share") == 0)
        return;
    /* With --termination wide the last tasks of a static pool may run. */
    bool is_end = termination->step == TERMINATION_PINK ||
                  (termination->step == TERMINATION_RED && schedule->dynamic);
    if (is_end && schedule->n_ended < schedule->n_to_end)
        schedule->ended_early = true;
}

/* Few tasks for a worker, or none: what is hard is at the end. */
static void make_short(struct schedule *schedule, struct random_stream *random)
{
    int size = n_workers[pick(random, N_OF(n_workers))];
    double latency_s = latencies_s[pick(random, N_OF(latencies_s))];
    schedule->lengths = (int)pick(random, N_LENGTHS);
    schedule->n_tasks = pick(random, 1 + 8 * size);
    schedule->machine.n_workers = size;
    schedule->machine.latency_s = latency_s;
    schedule->machine.latency_spread_s = latency_s * spreads[pick(random, N_OF(spreads))];
    schedule->machine.latency_power = powers[pick(random, N_OF(powers))];
}

/* Few workers. Some tasks are shorter than a message's way and some much longer, and in a comb
 * (below) never work for all: it is the state near an end all the time, and a search for the end
 * that goes wrong once in a thousand ends is given some hundred chances. */
static void make_scarce(struct schedule *schedule, struct random_stream *random)
{
    schedule->lengths = LENGTHS_ANY;
    schedule->n_tasks = pick(random, SCHEDULE_MAX_TASKS);
    schedule->machine.n_workers = 3 + (int)pick(random, 3);
    schedule->machine.latency_s = 1e-5;
    schedule->machine.latency_spread_s = 1e-5 * spreads[pick(random, N_OF(spreads))];
    schedule->machine.latency_power = 3;
}

/* Optional features of a machine: two levels of network, a server for each node, a counter
 * with contention, tasks' own costs, noise, null tasks, workers of several threads. */
static void equip(struct schedule *schedule, struct random_stream *random)
{
    struct taskpool_machine *machine = &schedule->machine;
    machine->has_levels = pick(random, 2);
    machine->node_latency_s = machine->latency_s / 10;
    machine->node_server = pick(random, 2);
    machine->counter_s = pick(random, 2) ? 1e-5 : 0;
    machine->task_s = pick(random, 4) ? 0 : 1e-6;
    machine->noise = pick(random, 4) ? NULL : &schedule->noise;
    machine->are_null = pick(random, 4) ? NULL : are_null;
    machine->n_threads = pick(random, 4) ? 1 : 2 + (int)pick(random, 3);
    schedule->noise = (struct taskpool_noise){.n = 1,
                                              .start_s = schedule->noise_times_s,
                                              .free_s = schedule->noise_times_s,
                                              .period_s = 1.5e-3};
    schedule->noise_times_s[1] = 1e-3;
}

/* Sets costs of polls, and some blocks of data: each task reads one and writes one. */
static void charge(struct schedule *schedule, struct random_stream *random)
{
    struct taskpool_machine *machine = &schedule->machine;
    machine->poll_s = pick(random, 4) ? 0 : 1e-6;
    machine->data = pick(random, 4) ? NULL : &schedule->data;
    machine->bandwidth = machine->data ? 1e7 : 0;
    machine->cache_bytes = 1000 * pick(random, 4);
    schedule->data = (struct taskpool_data){.n_blocks = SCHEDULE_N_BLOCKS,
                                            .blocks = schedule->blocks,
                                            .n_tasks = schedule->n_tasks,
                                            .first = schedule->first_accesses,
                                            .accesses = schedule->accesses};
    for (int64_t i = 0; i < SCHEDULE_N_BLOCKS; i++)
        schedule->blocks[i] = (struct taskpool_data_block){.bytes = 300 * i, .owner = 7 * i};
    for (int64_t i = 0; i < 2 * schedule->n_tasks; i++)
        schedule->accesses[i] = (struct taskpool_data_access){
            .block = pick(random, SCHEDULE_N_BLOCKS), .writes = i % 2};
    for (int64_t task = 0; task <= schedule->n_tasks; task++)
        schedule->first_accesses[task] = 2 * task;
    machine->atomic_s = pick(random, 2) ? 1e-6 : 0;
}

void schedule_init(struct schedule *schedule, const struct taskpool_settings *settings,
                   uint64_t seed)
{
    struct random_stream random;
    random_stream_init(&random, seed, 0);
    *schedule = (struct schedule){.seed = seed, .settings = *settings};
    schedule->settings.seed = (int64_t)(random_next(&random) >> 15); /* below 1e15 */
    schedule->settings.progress = (int)pick(&random, 3);
    schedule->machine = (struct taskpool_machine){
        .node_size = (int)pick(&random, 5),
        .overhead_s = pick(&random, 2) ? 1e-6 : 0,
        .time = time_of_task,
        .observe = observe,
    };
    schedule->comb = pick(&random, 2);
    if (pick(&random, 4) == 0)
        make_scarce(schedule, &random);
    else
        make_short(schedule, &random);
    equip(schedule, &random);
    for (int64_t task = 0; task < schedule->n_tasks; task++)
        schedule->times_s[task] = length(schedule->lengths, task, &random);
    random_stream_init(&random, seed, 1);
    charge(schedule, &random);
    schedule->tasks_keep_data = pick(&random, 4) == 0;
    schedule->hides_costs = pick(&random, 2) && settings->seeding != TASKPOOL_SEEDING_COST;
}

static int run_task(int64_t task, void *context)
{
    struct schedule *schedule = context;
    schedule->n_runs[task]++;
    schedule->n_ended++;
    return STATUS_OK;
}

/* The tree of a dynamic pool: in a binary tree task i adds 2 i + 1 and 2 i + 2; in a
 * comb an even task i adds i + 1 and i + 2, in either order, and an odd one none. */
static void list_children(const struct schedule *schedule, int64_t task, int64_t children[2])
{
    children[0] = 2 * task + 1;
    children[1] = 2 * task + 2;
    if (!schedule->comb)
        return;
    int64_t turned = (int64_t)((uint64_t)task / 2 * 0x9e3779b97f4a7c15u >> 63);
    children[turned] = task % 2 == 0 ? task + 1 : schedule->n_tasks;
    children[1 - turned] = children[turned] + 1;
}

static int run_record(void *record, void *context)
{
    struct schedule *schedule = context;
    int64_t task;
    memcpy(&task, record, sizeof task);
    schedule->n_runs[task]++;
    schedule->n_ended++;
    int64_t children[2];
    list_children(schedule, task, children);
    for (int i = 0; i < 2; i++)
        if (children[i] < schedule->n_tasks)
            TRY(taskpool_add(schedule->pool, &children[i]));
    return STATUS_OK;
}

static int owner(int64_t task, int size, void *context)
{
    (void)context;
    return (int)(task * 7 / 3 % size);
}

static double cost(int64_t task, void *context)
{
    const struct schedule *schedule = context;
    return 1e-6 + schedule->times_s[task];
}

/* Records the violated property; false. */
__attribute__((format(printf, 2, 3))) static bool fails(struct schedule *schedule,
                                                        const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(schedule->why, sizeof schedule->why, format, arguments);
    va_end(arguments);
    return false;
}

static bool all_ran(struct schedule *schedule, int iteration)
{
    for (int64_t task = 0; task < schedule->n_tasks; task++)
        if (schedule->n_runs[task] != iteration + 1)
            return fails(schedule, "task %lld ran %d times in %d iterations", (long long)task,
                         schedule->n_runs[task], iteration + 1);
    int64_t n = taskpool_statistics(schedule->pool, iteration)->tasks;
    return n == schedule->n_tasks || fails(schedule, "the statistics count %lld tasks of %lld",
                                           (long long)n, (long long)schedule->n_tasks);
}

/* Every other trace finds room for a few records of each worker only. */
static void start_trace(struct schedule *schedule)
{
    if (schedule->seed % 4 == 0)
        schedule->trace = schedule->settings.trace = trace_case_create();
}

static bool trace_agrees(struct schedule *schedule, int iteration)
{
    const struct taskpool_trace *trace = schedule->trace;
    statistics_add(&schedule->sum, taskpool_statistics(schedule->pool, iteration));
    if (!trace)
        return true;
    struct trace_totals totals = trace_case_totals(trace);
    if (!trace_case_agrees(&totals, &schedule->sum, schedule->why, sizeof schedule->why))
        return false;
    if (totals.dropped == 0 && totals.sent < totals.received)
        return fails(schedule, "the trace has %.0f messages, and %.0f received ones", totals.sent,
                     totals.received);
    for (int64_t i = 0; i < trace->shape.n; i++)
        if (!trace_case_is_ordered(trace, &trace->logs[i]))
            return fails(schedule, "spans of lane %lld overlap", (long long)i);
    return true;
}

static bool keeps_bound(struct schedule *schedule, int iteration)
{
    const double rounding = 1e-9;
    double makespan_s = taskpool_statistics(schedule->pool, iteration)->makespan_s;
    struct makespan_bound bound = {0};
    if (!schedule->dynamic &&
        makespan_bound_find(&schedule->machine, schedule->n_tasks, &bound) != STATUS_OK)
        return false;
    return makespan_s >= (1 - rounding) * bound.seconds ||
           fails(schedule, "iteration %d took %.9g s, its lower bound is %.9g s", iteration,
                 makespan_s, bound.seconds);
}

static bool iterate(struct schedule *schedule)
{
    for (int i = 0; i < SCHEDULE_N_ITERATIONS; i++) {
        schedule->status = i > 0 ? taskpool_restore(schedule->pool) : STATUS_OK;
        schedule->n_to_end += schedule->n_tasks;
        if (schedule->status == STATUS_OK)
            schedule->status = taskpool_run(schedule->pool);
        if (schedule->status != STATUS_OK)
            return fails(schedule, "iteration %d: %s", i, status_text());
        if (!all_ran(schedule, i) || !trace_agrees(schedule, i) || !keeps_bound(schedule, i))
            return false;
        /* That a worker is without work does not mean that none of its threads runs some. */
        if (schedule->ended_early && schedule->machine.n_threads == 1)
            return fails(schedule, "iteration %d: the end was found while tasks were left", i);
    }
    return true;
}

bool schedule_holds(struct schedule *schedule)
{
    struct taskpool_problem problem = {.n_tasks = schedule->dynamic ? 0 : schedule->n_tasks,
                                       .run = run_task,
                                       .owner = owner,
                                       .cost = schedule->hides_costs ? NULL : cost,
                                       .tasks_keep_data = schedule->tasks_keep_data,
                                       .record_size = schedule->dynamic ? sizeof(int64_t) : 0,
                                       .run_record = run_record,
                                       .context = schedule};
    if (schedule->dynamic) {
        schedule->machine.n_threads = 1;
        schedule->machine.are_null = NULL;
    }
    schedule->machine.context = schedule->machine.observer = schedule;
    start_trace(schedule);
    schedule->status =
        taskpool_simulate(&problem, &schedule->settings, &schedule->machine, &schedule->pool);
    if (schedule->trace && schedule->seed % 8 == 0)
        trace_case_limit(schedule->trace, 5);
    const int64_t root = 0;
    if (schedule->status == STATUS_OK && schedule->dynamic && schedule->n_tasks > 0)
        schedule->status = taskpool_add(schedule->pool, &root);
    bool holds =
        schedule->status == STATUS_OK ? iterate(schedule) : fails(schedule, "%s", status_text());
    taskpool_destroy(schedule->pool);
    taskpool_trace_destroy(schedule->trace);
    return holds;
}

void schedule_print(const struct schedule *schedule, const char *line)
{
    const struct taskpool_machine *machine = &schedule->machine;
    fprintf(stderr,
            "%s\nseed %llu: %d workers of %d threads, %lld %s, latency %g s, spread %g s\n%s\n",
            line, (unsigned long long)schedule->seed, machine->n_workers, machine->n_threads,
            (long long)schedule->n_tasks, schedule->dynamic ? "records" : "tasks",
            machine->latency_s, machine->latency_spread_s, schedule->why);
}

/* --- schedules that do not end --- */

static volatile sig_atomic_t status_of_watch;

static void give_up(int signal)
{
    (void)signal;
    static const char text[] = "this schedule does not end\n";
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(status_of_watch);
}

void schedule_watch(int exit_status)
{
    const time_t most_s = exit_status < 0 ? 0 : 20;
    status_of_watch = exit_status;
    signal(SIGPROF, give_up);
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = most_s}, NULL);
}
