/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/data/data_load.h"

void data_load_init(struct data_load *self, const struct taskpool_data_costs *costs, int worker,
                    int n_workers)
{
    *self = (struct data_load){.costs = costs, .worker = worker, .n_workers = n_workers};
}

void data_load_fini(struct data_load *self)
{
    id_counts_fini(&self->kept);
}

void data_load_clear(struct data_load *self)
{
    id_counts_clear(&self->kept);
    self->seconds = self->squares = 0;
}

/* Seconds of the accesses of a task that, of those kept, have this many tasks of the set. */
static double seconds_if_counted(const struct data_load *self, int64_t task, int64_t n_tasks)
{
    int64_t n;
    double seconds = 0;
    const struct taskpool_data_access *accesses = task_data_of(self->costs->data, task, &n);
    for (int64_t i = 0; i < n; i++)
        if (!data_costs_keeps(self->costs, accesses[i].block) ||
            id_counts_of(&self->kept, data_load_id(&accesses[i])) == n_tasks)
            seconds +=
                data_costs_of_access(self->costs, &accesses[i], self->worker, self->n_workers);
    return seconds;
}

double data_load_of_joining(const struct data_load *self, int64_t task)
{
    return seconds_if_counted(self, task, 0);
}

double data_load_of_leaving(const struct data_load *self, int64_t task)
{
    return seconds_if_counted(self, task, 1);
}

double data_load_away(const struct data_load *self, int64_t task)
{
    const struct taskpool_data_costs *costs = self->costs;
    int64_t n;
    double seconds = 0;
    const struct taskpool_data_access *accesses = task_data_of(costs->data, task, &n);
    for (int64_t i = 0; i < n; i++)
        seconds += data_costs_of_move(costs, costs->data->blocks[accesses[i].block].bytes, false);
    return seconds;
}

/* The kept accesses of a task count one more or less; those that begin or end to be one of the set
 * change its seconds, as do all that are not kept. */
static void count_accesses(struct data_load *self, int64_t task, int64_t change)
{
    int64_t n, edge = change > 0 ? 1 : 0;
    const struct taskpool_data_access *accesses = task_data_of(self->costs->data, task, &n);
    for (int64_t i = 0; i < n; i++) {
        double seconds =
            data_costs_of_access(self->costs, &accesses[i], self->worker, self->n_workers);
        if (seconds > 0 &&
            (!data_costs_keeps(self->costs, accesses[i].block) ||
             id_counts_add(&self->kept, data_load_id(&accesses[i]), change) == edge)) {
            self->seconds += (double)change * seconds;
            self->squares += (double)change * seconds * seconds;
        }
    }
}

void data_load_join(struct data_load *self, int64_t task)
{
    count_accesses(self, task, 1);
}

void data_load_leave(struct data_load *self, int64_t task)
{
    count_accesses(self, task, -1);
}

void data_load_note(struct data_load *self, int64_t access_id)
{
    id_counts_add(&self->kept, access_id, INT32_MAX);
}
