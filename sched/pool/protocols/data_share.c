/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/protocols/data_share.h"

#include "support/base/integers.h"

#include <math.h>
#include <stdlib.h>

/* For how much longer a card is busy than this worker's blocks take: it serves the other workers of the
 * node, too, and what they bring. */
#define CARD_SHARE 3

enum status data_share_init(struct data_share *self, const struct taskpool_problem *problem,
                            int worker, int n_workers)
{
    *self = (struct data_share){.problem = problem, .worker = worker, .n_workers = n_workers};
    data_load_init(&self->of_thief, problem->data_costs, worker, n_workers);
    self->tasks = malloc(DATA_SHARE_MOST * sizeof *self->tasks);
    return CHECK_MEMORY(self->tasks, "no memory to weigh the data of tasks");
}

void data_share_fini(struct data_share *self)
{
    free(self->tasks);
    data_load_fini(&self->of_thief);
}

static double units_of(const struct data_share *self, int64_t task)
{
    return self->problem->cost ? self->problem->cost(task, self->problem->context) : 1;
}

void data_share_ran(struct data_share *self, int64_t task, double time_s)
{
    double units = units_of(self, task);
    if (!(units > 0))
        return; /* shows nothing of what a unit takes */
    self->ran_s += time_s;
    self->ran_units += units;
}

double data_share_expect(const struct data_share *self, int64_t task)
{
    return data_share_knows(self) ? units_of(self, task) * self->ran_s / self->ran_units : 0;
}

/* For how long the network card sends blocks of this worker to a task elsewhere. */
static double export_s(const struct data_share *self, int64_t task)
{
    const struct taskpool_data_costs *costs = self->problem->data_costs;
    int64_t n;
    double bytes = 0;
    const struct taskpool_data_access *accesses = task_data_of(costs->data, task, &n);
    for (int64_t i = 0; i < n; i++) {
        const struct taskpool_data_block *block = &costs->data->blocks[accesses[i].block];
        if (data_block_owner(block, self->n_workers) == self->worker)
            bytes += (double)block->bytes;
    }
    return costs->bandwidth > 0 ? bytes / costs->bandwidth : 0;
}

/* Work of a task: its duration here times the speed of this worker. */
static double expect_work(const struct data_share *self, const struct data_share_request *request,
                          int64_t task)
{
    double own_speed =
        request->victim == self->worker ? request->victim_speed : request->thief_speed;
    return data_share_expect(self, task) * own_speed;
}

/* Time that the victim would need for all that waits. */
static double waiting_s(const struct data_share *self, const struct data_share_request *request)
{
    double listed = 0;
    for (int64_t i = 0; i < request->n_listed; i++)
        listed += expect_work(self, request, self->tasks[i]);
    return listed * (double)request->n_waiting / (double)request->n_listed / request->victim_speed;
}

int64_t data_share_of(struct data_share *self, const struct data_share_request *request)
{
    if (request->n_listed == 0 || !data_share_knows(self))
        return 0;
    bool sends = request->victim == self->worker &&
                 !data_costs_are_near(self->problem->data_costs, self->worker, request->thief);
    double queue_s = sends ? fmax(0, self->card_free_s - request->now_s) : 0, sent_s = queue_s;
    double left_s = waiting_s(self, request), ran_s = 0;
    int64_t n_most = min_int64(request->n_listed, (request->n_waiting + 1) / 2), n = 0;
    data_load_clear(&self->of_thief);
    self->of_thief.worker = request->thief;
    for (; n < n_most; n++) {
        double work = expect_work(self, request, self->tasks[n]);
        data_load_join(&self->of_thief, self->tasks[n]);
        ran_s += work / request->thief_speed;
        if (queue_s + self->of_thief.seconds + ran_s > left_s)
            break;
        left_s -= work / request->victim_speed;
        sent_s += sends ? CARD_SHARE * export_s(self, self->tasks[n]) : 0;
    }
    if (sends && n > 0)
        self->card_free_s = request->now_s + sent_s;
    return n;
}
