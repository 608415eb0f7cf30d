/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/balancing/worker_speed.h"

#include "support/base/array.h"
#include "support/base/die.h"
#include "support/base/integers.h"

#include <math.h>
#include <stdlib.h>

/* Speeds shown before their median counts: fewer say little where tasks are interrupted. */
enum { LEAST = 5 };

/* Durations of a task differ by some percent from run to run. */
#define DEAD_BAND 0.1

void worker_speed_init(struct worker_speed *self, const struct taskpool_problem *problem,
                       struct taskpool_comm *comm)
{
    *self = (struct worker_speed){.problem = problem, .comm = comm, .speed = 1};
    self->typical_rate = problem->cost ? 0 : 1;
}

void worker_speed_fini(struct worker_speed *self)
{
    free(self->moved);
    free(self->givers);
}

/* --- tasks that moved --- */

static int by_giver(const void *left, const void *right)
{
    const struct moved_task *a = left, *b = right;
    return (a->from > b->from) - (a->from < b->from);
}

static void note_shown(struct worker_speed *self, double speed)
{
    self->shown[self->n_shown++ % WORKER_SPEEDS_SHOWN] = (float)speed;
}

void worker_speed_finished(struct worker_speed *self, int64_t task, double time_s)
{
    const struct moved_task key = {.task = task};
    if (self->problem->cost) {
        self->cost += self->problem->cost(task, self->problem->context);
        self->time_s += time_s;
        return;
    }
    struct moved_task *moved = self->n_moved > 0 ? bsearch(&key, self->moved, (size_t)self->n_moved,
                                                           sizeof *self->moved, array_ascending)
                                                 : NULL;
    if (!moved || !(time_s > 0 && moved->work > 0))
        return;
    moved->time_s = (float)time_s;
    note_shown(self, moved->work / time_s);
}

/* Reports the tasks of a giver. Those of all givers are in the order of givers, from *next on. */
static void report_to(struct worker_speed *self, int giver, int64_t *next)
{
    struct balancer_speed_report report = {.head.kind = BALANCER_SPEED_REPORT};
    while (*next < self->n_moved && self->moved[*next].from < giver)
        ++*next;
    for (; *next < self->n_moved && self->moved[*next].from == giver; ++*next) {
        const struct moved_task *moved = &self->moved[*next];
        if (moved->time_s > 0 && moved->work > 0 && report.n < SPEED_REPORT_MOST)
            report.ratio[report.n++] = moved->time_s * (float)self->speed / moved->work;
    }
    taskpool_comm_send(self->comm, giver, &report, sizeof report);
}

void worker_speed_begin(struct worker_speed *self)
{
    int64_t next = 0;
    if (self->n_moved > 0)
        qsort(self->moved, (size_t)self->n_moved, sizeof *self->moved, by_giver);
    if (self->n_givers > 0)
        qsort(self->givers, (size_t)self->n_givers, sizeof *self->givers, array_ascending);
    for (int64_t i = 0; i < self->n_givers; i++)
        report_to(self, (int)self->givers[i], &next);
    self->n_givers = self->n_moved = 0;
}

void worker_speed_receive(struct worker_speed *self, const struct balancer_speed_report *report)
{
    self->n_awaited--;
    for (int i = 0; i < report->n; i++)
        note_shown(self, self->speed * report->ratio[i]);
}

bool worker_speed_is_known(const struct worker_speed *self)
{
    return self->n_awaited == 0;
}

void worker_speed_gave(struct worker_speed *self)
{
    self->n_awaited += !self->problem->cost;
}

void worker_speed_got(struct worker_speed *self, int from)
{
    if (self->problem->cost)
        return;
    if (array_reserve(&self->givers, self->n_givers + 1, &self->givers_capacity,
                      sizeof *self->givers) != STATUS_OK)
        die_no_memory("no memory for the partners of a worker");
    self->givers[self->n_givers++] = from;
}

enum status worker_speed_note(struct worker_speed *self, int64_t task, int64_t entry, double work,
                              int from)
{
    if (self->problem->cost)
        return STATUS_OK;
    TRY(array_reserve(&self->moved, self->n_moved + 1, &self->capacity, sizeof *self->moved));
    self->moved[self->n_moved++] = (struct moved_task){
        .task = task, .entry = entry, .work = (float)work, .time_s = -1, .from = from};
    return STATUS_OK;
}

void worker_speed_end(struct worker_speed *self, const struct duration_bins *bins)
{
    int64_t n = 0;
    for (int64_t i = 0; i < self->n_moved; i++)
        if (bins->entries[self->moved[i].entry].task >= 0)
            self->moved[n++] = self->moved[i];
    self->n_moved = n;
    if (n > 0)
        qsort(self->moved, (size_t)n, sizeof *self->moved, array_ascending);
}

/* --- the rate --- */

/* The median of the speeds shown. 1 while they are few, or where the middle half of them is wider than half
 * of the median's distance from 1: durations then vary more than workers do. */
static double median_shown(const struct worker_speed *self)
{
    double sorted[WORKER_SPEEDS_SHOWN];
    int64_t n = min_int64(self->n_shown, WORKER_SPEEDS_SHOWN);
    if (n < LEAST)
        return 1;
    for (int64_t i = 0; i < n; i++)
        sorted[i] = self->shown[i];
    numbers_sort(sorted, n);
    double median = numbers_quantile(sorted, n, 0.5);
    double width = sorted[n - 1 - n / 4] - sorted[n / 4];
    return width < fabs(median - 1) / 2 ? median : 1;
}

static double find_rate(const struct worker_speed *self)
{
    if (self->problem->cost)
        return self->time_s > 0 ? self->cost / self->time_s : 0;
    return median_shown(self);
}

double worker_speed_update(struct worker_speed *self)
{
    double rate = find_rate(self);
    if (rate > 0 && self->typical_rate > 0) {
        double speed = rate / self->typical_rate;
        self->speed = fabs(speed - 1) < DEAD_BAND ? 1 : speed;
    }
    self->cost /= 2;
    self->time_s /= 2;
    return rate;
}

void worker_speed_relate(struct worker_speed *self, double typical_rate)
{
    if (typical_rate > 0)
        self->typical_rate = typical_rate;
}
