/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/balancing/measured_balance.h"

#include <math.h>

/* Excess load below which tasks with kept data stay: a moved task computes its kept data anew, and
 * a smaller imbalance costs less. */
#define KEPT_EXCESS 0.1

const struct balancer_rules balancer_by_default = {
    .branching = 3, .donate_above = 1.003, .fill_to = 1.003};

enum status measured_balance_init(struct measured_balance *self,
                                  const struct taskpool_mode_setup *setup,
                                  struct taskpool_comm *comm, const struct balancer_rules *rules)
{
    const struct taskpool_problem *problem = setup->problem;
    struct balancer_rules own = *rules;
    TRY(stealing_init(&self->stealing, setup, comm));
    own.as_published = self->stealing.settings->as_published;
    own.seed = setup->settings->seed;
    if (problem->tasks_keep_data) {
        own.least_excess = KEPT_EXCESS;
        own.donate_above = fmax(own.donate_above, 1 + KEPT_EXCESS);
    }
    self->learns_speed = !problem->tasks_keep_data && !setup->tasks_wait && !own.as_published;
    worker_speed_init(&self->speed, problem, comm);
    balancer_init(&self->balancer, comm, &self->bins, self->learns_speed ? &self->speed : NULL,
                  &own);
    return STATUS_OK;
}

void measured_balance_fini(void *state)
{
    struct measured_balance *self = state;
    balancer_fini(&self->balancer);
    worker_speed_fini(&self->speed);
    duration_bins_fini(&self->bins);
    taskpool_stealing_fini(&self->stealing);
}

void measured_balance_finished(void *state, int64_t task, double time_s)
{
    struct measured_balance *self = state;
    taskpool_comm_report(self->stealing.comm, duration_bins_add(&self->bins, task, time_s));
    if (self->learns_speed && time_s >= 0)
        worker_speed_finished(&self->speed, task, time_s);
}

void measured_balance_receive(void *state, int from, const void *message, size_t size)
{
    struct measured_balance *self = state;
    if (*(const int32_t *)message < BALANCER_FIRST_KIND)
        taskpool_stealing_receive(state, from, message, size);
    else
        balancer_receive(&self->balancer, from, message);
}

void measured_balance_sent(void *state, int64_t token)
{
    struct measured_balance *self = state;
    if (token == BALANCER_TOKEN)
        balancer_sent(&self->balancer);
    else
        taskpool_stealing_sent(state, token);
}

bool measured_balance_step(struct measured_balance *self, int64_t first)
{
    if (!self->balancing) {
        self->n_iterations++;
        if (self->stealing.setup->problem->tasks_keep_data && first < 2)
            first = 2;
        if (self->n_iterations < first)
            return true;
        self->balancing = true;
        balancer_begin(&self->balancer);
    }
    if (!balancer_is_finished(&self->balancer))
        return false;
    self->balancing = false;
    worker_speed_end(&self->speed, &self->bins);
    return true;
}

enum status measured_balance_begin(struct measured_balance *self, bool steals, bool longest_first)
{
    bool keeps_data = self->stealing.setup->problem->tasks_keep_data;
    struct task_ranges tasks = {0};
    stealing_begin(&self->stealing, steals && !(keeps_data && self->n_iterations > 0));
    enum status status = longest_first ? duration_bins_list_longest_first(&self->bins, &tasks)
                                       : duration_bins_list(&self->bins, &tasks);
    if (status == STATUS_OK)
        status = stealing_push(&self->stealing, &tasks);
    task_ranges_fini(&tasks);
    duration_bins_clear(&self->bins);
    return status;
}
