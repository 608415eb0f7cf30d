/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/poll_interval.h"
#include "sched/pool/protocols/stealing_private.h"

#include <math.h>

/* A worker that leaves its tasks to others looks again after 1 / LOOK_PART of the time since it began, and
 * not at once: window tasks take 0.1 ms at least. */
enum { LOOK_PART = 32 };
#define MIN_LOOK_S 1e-5

bool stealing_uses_windows(const struct stealing *self)
{
    return self->window.comm && self->account.move_cost == 0;
}

bool stealing_wants_window(const struct stealing *self, const struct taskpool_mode_work *work)
{
    return stealing_uses_windows(self) && self->enabled && work->tasks_are_long;
}

void stealing_push_part(struct stealing *self, const struct steal_window_part *part)
{
    for (int i = part->n - 1; i >= 0; i--)
        taskpool_comm_report(self->comm, task_deque_push_range(&self->deque, part->ranges[i]));
}

bool stealing_take_from_window(struct stealing *self, struct taskpool_mode_work *work)
{
    bool wants = stealing_wants_window(self, work);
    bool taken = false;
    if (wants)
        taken = self->pace.is_slow ? steal_window_take_last(&self->window, &work->range)
                                   : steal_window_take(&self->window, work->n_wanted, &work->range);
    if (taken) {
        stealing_begin_tasks(self, work, false);
        return true;
    }
    if (!wants)
        stealing_close_window(self);
    self->window_is_open = false;
    return false;
}

bool stealing_leaves_tasks(struct stealing *self)
{
    const struct taskpool_problem *problem = self->setup->problem;
    int64_t task;
    if (!self->window_is_open || !self->pace.is_slow ||
        steal_window_list(&self->window, self->window.own, 1, &task) == 0)
        return false;
    double now_s = taskpool_comm_now(self->comm);
    double cost = problem->cost(task, problem->context);
    if (!stealing_pace_leaves(&self->pace, &self->window, cost, now_s))
        return false;
    taskpool_comm_wake(self->comm, fmax((now_s - self->pace.began_s) / LOOK_PART, MIN_LOOK_S));
    return true;
}

void stealing_open_window(struct stealing *self)
{
    struct steal_window_part part = {0};
    part.n =
        task_deque_take_ranges(&self->deque, STEAL_WINDOW_TASKS, STEAL_WINDOW_RANGES, part.ranges);
    for (int i = 0; i < part.n; i++)
        part.n_tasks += taskpool_range_count(&part.ranges[i]);
    steal_window_open(&self->window, &part, task_deque_n_tasks(&self->deque) == 0, self->speed);
}

void stealing_close_window(struct stealing *self)
{
    struct steal_window_part part;
    steal_window_close(&self->window, &part);
    stealing_push_part(self, &part);
}

void stealing_count_thefts(struct stealing *self)
{
    for (int64_t n = steal_window_count_thefts(&self->window); n > 0; n--)
        termination_sent_transfer(&self->termination);
}

void stealing_note_paces(struct stealing *self, double load)
{
    self->pace.noted = self->window.comm && self->setup->problem->cost;
    self->pace.load = load;
}

void stealing_note_pace(struct stealing *self, int64_t task, double time_s)
{
    const struct taskpool_problem *problem = self->setup->problem;
    if (!self->pace.noted || time_s < POLL_INTERVAL_S)
        return;
    double cost = problem->cost(task, problem->context);
    if (cost > 0)
        self->speed = stealing_pace_note(&self->pace, &self->window, cost, time_s,
                                         taskpool_comm_now(self->comm));
}
