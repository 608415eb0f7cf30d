/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/queues/ran_tasks.h"

void ran_tasks_fini(struct ran_tasks *self)
{
    task_ranges_fini(&self->ranges);
    duration_bins_fini(&self->timed);
    record_list_fini(&self->records);
}

void ran_tasks_clear(struct ran_tasks *self)
{
    self->ranges.n = 0;
    self->records.n = 0;
    self->runs_long = false;
    duration_bins_clear(&self->timed);
}

enum status ran_tasks_take(struct ran_tasks *self, const struct taskpool_range *range,
                           bool tasks_are_long, double now_s)
{
    TRY(ran_tasks_end(self, now_s));
    self->runs_long = tasks_are_long && !self->keeps_order && taskpool_range_count(range) == 1;
    self->running = range->first;
    self->began_s = now_s;
    return self->runs_long ? STATUS_OK : task_ranges_add_range(&self->ranges, *range);
}

enum status ran_tasks_end(struct ran_tasks *self, double now_s)
{
    if (!self->runs_long)
        return STATUS_OK;
    self->runs_long = false;
    return duration_bins_add(&self->timed, self->running, now_s - self->began_s);
}

enum status ran_tasks_list(const struct ran_tasks *self, struct task_ranges *tasks)
{
    TRY(duration_bins_list_longest_first(&self->timed, tasks));
    for (int64_t i = 0; i < self->ranges.n; i++)
        TRY(task_ranges_add_range(tasks, self->ranges.list[i]));
    return STATUS_OK;
}
