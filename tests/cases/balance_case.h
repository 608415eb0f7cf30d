/* SPDX-License-Identifier: BSD-3-Clause */
/* The balancer alone, between simulated workers: a mode that runs nothing, whose
 * restore balances a distribution of tasks that is given. */
#pragma once

#include "sched/pool/balancing/balancer.h"
#include "sched/pool/core/driver.h"
#include "support/base/clock.h"
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"

#include <stdlib.h>

struct balance_case {
    int n_workers;
    int64_t n_tasks;
    const double *time_s; /* n_tasks: at speed 1 */
    int32_t *worker;      /* n_tasks: the worker of each, before and after */
    struct balancer_rules rules;
    struct taskpool_machine machine; /* but for n_workers */
    const double
        *speeds; /* n_workers: learned speeds, equal or more than 10 % apart; NULL: nothing is
                           * learned */

    int64_t *first;     /* n_workers + 1, into tasks: each worker's first task before */
    int64_t *tasks;     /* n_tasks */
    int64_t n_held;     /* out: tasks that a worker has after balancing, summed over workers */
    double network_s;   /* out: simulated, in which processors take no time but --overhead */
    double processor_s; /* out: real, of the worker whose processor was busiest */
};

struct balance_state {
    struct balance_case *balance;
    struct taskpool_comm *comm;
    struct duration_bins bins;
    struct worker_speed speeds;
    struct balancer balancer;
    bool begun;
    double busy_s;
};

static inline void balance_state_count(struct balance_state *self, double start_s)
{
    self->busy_s += clock_now_s() - start_s;
    if (self->busy_s > self->balance->processor_s)
        self->balance->processor_s = self->busy_s;
}

static inline int balance_state_init(void *state, const struct taskpool_mode_setup *setup,
                                     struct taskpool_comm *comm)
{
    struct balance_state *self = state;
    self->balance = setup->problem->context;
    self->comm = comm;
    const double *speeds = self->balance->speeds;
    worker_speed_init(&self->speeds, setup->problem, comm);
    self->speeds.n_shown = speeds ? WORKER_SPEEDS_SHOWN : 0;
    for (int64_t i = 0; i < self->speeds.n_shown; i++)
        self->speeds.shown[i] = (float)speeds[comm->rank];
    balancer_init(&self->balancer, comm, &self->bins, speeds ? &self->speeds : NULL,
                  &self->balance->rules);
    return STATUS_OK;
}

static inline void balance_state_fini(void *state)
{
    struct balance_state *self = state;
    balancer_fini(&self->balancer);
    worker_speed_fini(&self->speeds);
    duration_bins_fini(&self->bins);
}

static inline int balance_state_seed(void *state)
{
    struct balance_state *self = state;
    const struct balance_case *balance = self->balance;
    int worker = self->comm->rank;
    double speed = balance->speeds ? balance->speeds[worker] : 1;
    for (int64_t i = balance->first[worker]; i < balance->first[worker + 1]; i++)
        TRY(duration_bins_add(&self->bins, balance->tasks[i],
                              balance->time_s[balance->tasks[i]] / speed));
    return STATUS_OK;
}

static inline enum taskpool_mode_step balance_state_next(void *state,
                                                         struct taskpool_mode_work *work)
{
    (void)state;
    (void)work;
    return TASKPOOL_MODE_DONE;
}

static inline void balance_state_receive(void *state, int from, const void *message, size_t size)
{
    struct balance_state *self = state;
    double start_s = clock_now_s();
    (void)size;
    balancer_receive(&self->balancer, from, message);
    balance_state_count(self, start_s);
}

static inline void balance_state_sent(void *state, int64_t token)
{
    struct balance_state *self = state;
    (void)token;
    balancer_sent(&self->balancer);
}

static inline enum taskpool_mode_step balance_state_restore(void *state)
{
    struct balance_state *self = state;
    double start_s = clock_now_s();
    if (!self->begun)
        balancer_begin(&self->balancer);
    self->begun = true;
    balance_state_count(self, start_s);
    if (!balancer_is_finished(&self->balancer))
        return TASKPOOL_MODE_WAIT;
    worker_speed_end(&self->speeds, &self->bins);
    for (int64_t i = 0; i < self->bins.n_entries; i++)
        if (self->bins.entries[i].task >= 0) {
            self->balance->worker[self->bins.entries[i].task] = self->comm->rank;
            self->balance->n_held++;
        }
    return TASKPOOL_MODE_DONE;
}

static const struct taskpool_mode balance_mode = {
    .name = "balance",
    .state_size = sizeof(struct balance_state),
    .init = balance_state_init,
    .fini = balance_state_fini,
    .seed = balance_state_seed,
    .next = balance_state_next,
    .receive = balance_state_receive,
    .sent = balance_state_sent,
    .restore = balance_state_restore,
};

/* Lists the tasks of each worker, by number. */
static inline enum status balance_case_index(struct balance_case *balance)
{
    int64_t *first = calloc((size_t)balance->n_workers + 2, sizeof *first);
    balance->tasks = malloc(((size_t)balance->n_tasks + 1) * sizeof *balance->tasks);
    balance->first = first;
    if (!first || !balance->tasks)
        return FAIL(STATUS_NO_MEMORY, "no memory for %lld tasks", (long long)balance->n_tasks);
    for (int64_t task = 0; task < balance->n_tasks; task++)
        first[balance->worker[task] + 2]++;
    for (int worker = 0; worker < balance->n_workers; worker++)
        first[worker + 1] += first[worker];
    for (int64_t task = 0; task < balance->n_tasks; task++)
        balance->tasks[first[balance->worker[task] + 1]++] = task;
    return STATUS_OK;
}

/* The time of balancing is reported with the iteration after it, which has no task. */
static inline enum status balance_case_time(struct balance_case *balance, struct driver *driver)
{
    struct statistics_worker *workers = calloc((size_t)balance->n_workers, sizeof *workers);
    if (!workers)
        return FAIL(STATUS_NO_MEMORY, "no memory for %d workers", balance->n_workers);
    enum status status = driver->functions->run(driver, workers);
    for (int i = 0; i < balance->n_workers; i++)
        if (workers[i].balance_s > balance->network_s)
            balance->network_s = workers[i].balance_s;
    free(workers);
    return status;
}

/* Balances: worker[task] becomes the worker that has the task then, -1 if none has. */
static inline enum status balance_case_run(struct balance_case *balance)
{
    struct taskpool_settings settings;
    taskpool_settings_default(&settings);
    struct taskpool_problem problem = {.n_tasks = balance->n_tasks, .context = balance};
    struct taskpool_mode_setup setup = {.problem = &problem, .settings = &settings};
    balance->machine.n_workers = balance->n_workers;
    struct driver *driver = NULL;
    enum status status = balance_case_index(balance);
    for (int64_t task = 0; task < balance->n_tasks; task++)
        balance->worker[task] = -1;
    balance->n_held = 0;
    balance->network_s = balance->processor_s = 0;
    if (status == STATUS_OK)
        status = driver_sim_create(&balance_mode, &balance->machine, &setup,
                                   &(struct driver_records){0}, &driver);
    if (status == STATUS_OK)
        status = driver->functions->restore(driver);
    if (status == STATUS_OK)
        status = balance_case_time(balance, driver);
    if (driver)
        driver->functions->destroy(driver);
    free(balance->first);
    free(balance->tasks);
    return status;
}
