/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/balancing/data_placement.h"

#include "support/base/array.h"
#include "support/base/die.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void data_placement_init(struct data_placement *self, const struct taskpool_mode_setup *setup,
                         struct taskpool_comm *comm, const struct taskpool_data_costs *costs,
                         const struct data_share *share)
{
    *self = (struct data_placement){.setup = setup, .comm = comm, .share = share, .ratio = 1};
    if (costs)
        data_load_init(&self->load, costs, comm->rank, comm->size);
}

void data_placement_fini(struct data_placement *self)
{
    data_load_fini(&self->load);
    free(self->tasks.list);
    free(self->best.list);
}

/* --- while tasks run --- */

void data_placement_begin_iteration(struct data_placement *self)
{
    self->begun_s = self->since_s = taskpool_comm_now(self->comm);
    self->moved_s = 0;
    self->is_running = true;
}

void data_placement_found_tasks(struct data_placement *self)
{
    self->since_s = taskpool_comm_now(self->comm);
}

void data_placement_finished(struct data_placement *self, double time_s)
{
    double now_s = taskpool_comm_now(self->comm);
    self->moved_s += fmax(0, now_s - self->since_s - time_s);
    self->since_s = now_s;
}

void data_placement_end_iteration(struct data_placement *self)
{
    self->took_s = taskpool_comm_now(self->comm) - self->begun_s;
    if (self->first_s == 0)
        self->first_s = self->took_s;
    self->is_running = false;
}

/* --- lists --- */

static void reserve_placed(struct placed_tasks *tasks, int64_t n)
{
    if (array_reserve(&tasks->list, n, &tasks->capacity, sizeof *tasks->list) != STATUS_OK)
        die_no_memory("no memory to balance %lld tasks", (long long)n);
}

static void copy_placed(const struct placed_tasks *from, struct placed_tasks *to)
{
    reserve_placed(to, from->n);
    if (from->n > 0)
        memcpy(to->list, from->list, (size_t)from->n * sizeof *from->list);
    to->n = from->n;
}

void data_placement_take(struct data_placement *self, int64_t task, double work)
{
    reserve_placed(&self->tasks, self->tasks.n + 1);
    self->tasks.list[self->tasks.n++] = (struct placed_task){.task = task, .work = work};
    data_load_join(&self->load, task);
    self->work += work;
    self->n_tasks++;
}

void data_placement_give(struct data_placement *self, int64_t position)
{
    struct placed_task *task = &self->tasks.list[position];
    task->is_gone = true;
    data_load_leave(&self->load, task->task);
    self->work -= task->work;
    self->n_tasks--;
}

static void forget_tasks(struct data_placement *self)
{
    self->tasks.n = self->n_tasks = 0;
    self->work = 0;
    data_load_clear(&self->load);
}

void data_placement_list(struct data_placement *self, const struct duration_bins *bins)
{
    forget_tasks(self);
    reserve_placed(&self->tasks, bins->n_entries);
    self->tasks.n = bins->n_entries;
    for (int64_t i = 0; i < bins->n_bins; i++) {
        const struct duration_bin *bin = &bins->bins[i];
        for (int64_t entry = bin->first; entry >= 0; entry = bins->entries[entry].next)
            self->tasks.list[entry] = (struct placed_task){.task = bins->entries[entry].task,
                                                           .work = bin->sum_s / bin->n_tasks};
    }
    for (int64_t i = 0; i < self->tasks.n; i++)
        data_load_join(&self->load, self->tasks.list[i].task);
    self->work = bins->load_s;
    self->n_tasks = bins->n_tasks;
    self->listed_s = self->load.seconds;
    self->away_s = 0;
    for (int64_t i = 0; i < self->tasks.n; i++)
        self->away_s += data_load_away(&self->load, self->tasks.list[i].task);
}

double data_placement_seconds(const struct data_placement *self)
{
    double change_s = self->ratio * (self->load.seconds - self->listed_s);
    return fmax(0, self->moved_s + change_s);
}

double data_placement_risk(const struct data_placement *self)
{
    const double deviations = 3;
    return deviations * sqrt(fmax(0, self->load.squares));
}

/* --- the best --- */

void data_placement_remember(struct data_placement *self)
{
    copy_placed(&self->tasks, &self->best);
}

void data_placement_return(struct data_placement *self)
{
    copy_placed(&self->best, &self->tasks);
}

static int by_task(const void *left, const void *right)
{
    const struct placed_task *a = left, *b = right;
    return (a->task > b->task) - (a->task < b->task);
}

/* The work of a task: what it was if it ran here, else what such tasks take here, times the speed.
 * ran  sorted by task */
static double work_of_seeded(const struct data_placement *self, const struct placed_tasks *ran,
                             int64_t task, double speed)
{
    const struct placed_task key = {.task = task};
    const struct placed_task *found =
        ran->n > 0 ? bsearch(&key, ran->list, (size_t)ran->n, sizeof key, by_task) : NULL;
    return found ? found->work : data_share_expect(self->share, task) * speed;
}

void data_placement_seed(struct data_placement *self, double speed)
{
    const struct taskpool_seeding *seeding = self->setup->seeding;
    int worker = self->comm->rank;
    struct placed_tasks ran = {0};
    copy_placed(&self->tasks, &ran);
    if (ran.n > 1)
        qsort(ran.list, (size_t)ran.n, sizeof *ran.list, by_task);
    forget_tasks(self);
    for (int64_t i = 0; i < taskpool_seeding_n_ranges(seeding, worker); i++) {
        struct taskpool_range range = taskpool_seeding_range(seeding, worker, i);
        for (int64_t task = range.first; task < range.last; task += range.step)
            data_placement_take(self, task, work_of_seeded(self, &ran, task, speed));
    }
    /* Their data count at their price. */
    self->listed_s = self->load.seconds - (self->load.seconds - self->moved_s) / self->ratio;
    free(ran.list);
}

enum status data_placement_fill(const struct data_placement *self, struct duration_bins *bins)
{
    duration_bins_clear(bins);
    for (int64_t i = 0; i < self->tasks.n; i++)
        if (!self->tasks.list[i].is_gone)
            TRY(duration_bins_add(bins, self->tasks.list[i].task, self->tasks.list[i].work));
    return STATUS_OK;
}
