/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/cost_sums.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* 32 MB. */
enum { MAX_SUMS = 1 << 22 };

static enum status predict_cost(const struct taskpool_problem *problem, int64_t task, double *cost)
{
    *cost = problem->cost(task, problem->context);
    if (!(*cost > 0) || !isfinite(*cost))
        return FAIL(STATUS_USAGE, "--seeding cost: task %lld costs %g, not a finite number > 0",
                    (long long)task, *cost);
    return STATUS_OK;
}

enum status cost_sums_init(struct cost_sums *self, const struct taskpool_problem *problem,
                           struct taskpool_range block)
{
    int64_t n_tasks = taskpool_range_count(&block);
    int64_t stride = n_tasks > 0 ? (n_tasks - 1) / MAX_SUMS + 1 : 1;
    *self = (struct cost_sums){
        .problem = problem, .block = block, .stride = stride, .n = (n_tasks + stride - 1) / stride};
    self->sums = malloc(((size_t)self->n + 1) * sizeof *self->sums);
    TRY(CHECK_MEMORY(self->sums, "no memory for the costs of %lld tasks", (long long)n_tasks));
    double sum = 0;
    for (int64_t i = 0; i < n_tasks; i++) {
        double cost;
        if (i % stride == 0)
            self->sums[i / stride] = sum;
        TRY(predict_cost(problem, block.first + i, &cost));
        self->largest = fmax(self->largest, cost);
        sum += cost;
    }
    self->sums[self->n] = sum;
    return STATUS_OK;
}

void cost_sums_fini(struct cost_sums *self)
{
    free(self->sums);
    *self = (struct cost_sums){0};
}

/* The position of sum i of [0, n]. */
static struct cost_position position_of_sum(const struct cost_sums *self, int64_t i)
{
    int64_t task = i < self->n ? self->block.first + i * self->stride : self->block.last;
    return (struct cost_position){.task = task, .sum = self->sums[i]};
}

/* One task further; not at the end. */
static struct cost_position advance_position(const struct cost_sums *self, struct cost_position at)
{
    const struct taskpool_problem *problem = self->problem;
    at.sum = self->stride == 1 ? self->sums[at.task - self->block.first + 1]
                               : at.sum + problem->cost(at.task, problem->context);
    at.task++;
    return at;
}

struct cost_position cost_sums_begin(const struct cost_sums *self)
{
    return position_of_sum(self, 0);
}

struct cost_position cost_sums_end(const struct cost_sums *self)
{
    return position_of_sum(self, self->n);
}

struct cost_position cost_sums_at(const struct cost_sums *self, int64_t task)
{
    if (task == self->block.last)
        return cost_sums_end(self);
    struct cost_position at = position_of_sum(self, (task - self->block.first) / self->stride);
    while (at.task < task)
        at = advance_position(self, at);
    return at;
}

/* Whether a stretch of tasks between two sums is within its limit. */
static bool is_within(double begin, double end, struct cost_limit limit)
{
    return limit.carry + (end - begin) <= limit.bound;
}

/* The largest k >= i such that the tasks from `begin` to sum k are within the limit, given that
 * those to sum i are. Galloping search from i. */
static int64_t find_last_sum(const struct cost_sums *self, int64_t i, double begin,
                             struct cost_limit limit)
{
    int64_t step = 1;
    for (; i + step <= self->n && is_within(begin, self->sums[i + step], limit); step *= 2)
        i += step;
    for (; step > 0; step /= 2)
        if (i + step <= self->n && is_within(begin, self->sums[i + step], limit))
            i += step;
    return i;
}

/* The smallest k <= i such that the tasks from sum k to `end` are within the limit; i if there is
 * none. Galloping search from i. */
static int64_t find_first_sum(const struct cost_sums *self, int64_t i, double end,
                              struct cost_limit limit)
{
    int64_t step = 1;
    for (; i - step >= 0 && is_within(self->sums[i - step], end, limit); step *= 2)
        i -= step;
    for (; step > 0; step /= 2)
        if (i - step >= 0 && is_within(self->sums[i - step], end, limit))
            i -= step;
    return i;
}

struct cost_position cost_sums_nearest(const struct cost_sums *self, double sum)
{
    struct cost_limit limit = {.bound = sum};
    struct cost_position at = position_of_sum(self, find_last_sum(self, 0, 0, limit));
    while (at.task < self->block.last) {
        struct cost_position next = advance_position(self, at);
        if (at.sum + (next.sum - at.sum) / 2 >= sum)
            break;
        at = next;
    }
    return at;
}

struct cost_position cost_sums_reach(const struct cost_sums *self, struct cost_position from,
                                     struct cost_limit limit, double *beyond)
{
    int64_t i = (from.task - self->block.first + self->stride - 1) / self->stride;
    struct cost_position at = from;
    if (is_within(from.sum, self->sums[i], limit))
        at = position_of_sum(self, find_last_sum(self, i, from.sum, limit));
    while (at.task < self->block.last) {
        struct cost_position next = advance_position(self, at);
        if (!is_within(from.sum, next.sum, limit)) {
            *beyond = limit.carry + (next.sum - from.sum);
            break;
        }
        at = next;
    }
    return at;
}

struct cost_position cost_sums_reach_back(const struct cost_sums *self, struct cost_position end,
                                          struct cost_limit limit)
{
    int64_t i = (end.task - self->block.first) / self->stride;
    i = find_first_sum(self, i, end.sum, limit);
    /* The boundary lies after sum i - 1. */
    struct cost_position at = position_of_sum(self, i > 0 ? i - 1 : 0);
    while (!is_within(at.sum, end.sum, limit))
        at = advance_position(self, at);
    return at;
}
