/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/queues/watched_tasks.h"

#include "support/base/array.h"

#include <stdlib.h>

void watched_tasks_fini(struct watched_tasks *self)
{
    free(self->list);
    *self = (struct watched_tasks){0};
}

static enum status append_watched(struct watched_tasks *self, int64_t task, double work, int from)
{
    TRY(array_reserve(&self->list, self->n + 1, &self->capacity, sizeof *self->list));
    self->list[self->n++] = (struct watched_task){.task = task, .work = work, .from = from};
    return STATUS_OK;
}

enum status watched_tasks_add(struct watched_tasks *self, int64_t task, double work, int from)
{
    return self->n < WATCHED_TASKS_MAX ? append_watched(self, task, work, from) : STATUS_OK;
}

static int64_t index_of_watched(const struct watched_tasks *self, int64_t task)
{
    int64_t i = 0;
    while (i < self->n && self->list[i].task != task)
        i++;
    return i;
}

bool watched_tasks_may_have(const struct watched_tasks *self, int64_t task)
{
    return self->n == WATCHED_TASKS_MAX || index_of_watched(self, task) < self->n;
}

void watched_tasks_remove(struct watched_tasks *self, int64_t task)
{
    int64_t i = index_of_watched(self, task);
    if (i < self->n)
        self->list[i] = self->list[--self->n];
}

static void sort_watched(struct watched_tasks *self)
{
    if (self->n > 1)
        qsort(self->list, (size_t)self->n, sizeof *self->list, array_ascending);
}

struct watched_task *watched_tasks_find(const struct watched_tasks *self, int64_t task)
{
    const struct watched_task key = {.task = task};
    return self->n > 0
               ? bsearch(&key, self->list, (size_t)self->n, sizeof *self->list, array_ascending)
               : NULL;
}

enum status watched_tasks_add_own(struct watched_tasks *self, const struct duration_bins *bins,
                                  int64_t n_most, int worker)
{
    int64_t every = bins->n_tasks / n_most + 1, seen = 0;
    sort_watched(self);
    int64_t n_moved = self->n;
    for (int64_t i = 0; i < bins->n_bins; i++) {
        const struct duration_bin *bin = &bins->bins[i];
        for (int64_t entry = bin->first; entry >= 0; entry = bins->entries[entry].next) {
            int64_t task = bins->entries[entry].task;
            struct watched_tasks others = {.list = self->list, .n = n_moved};
            if (seen++ % every == 0 && !watched_tasks_find(&others, task))
                TRY(append_watched(self, task, bin->sum_s / bin->n_tasks, worker));
        }
    }
    sort_watched(self);
    return STATUS_OK;
}
