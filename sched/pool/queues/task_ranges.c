/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/queues/task_ranges.h"

#include "support/base/array.h"

#include <stdbool.h>
#include <stdlib.h>

int64_t taskpool_range_count(const struct taskpool_range *range)
{
    if (range->first >= range->last)
        return 0;
    return (range->last - range->first - 1) / range->step + 1;
}

struct taskpool_range taskpool_range_block(int64_t n_tasks, int64_t n_parts, int64_t part)
{
    /* Not part * n_tasks / n_parts, which overflows. */
    int64_t size = n_tasks / n_parts;
    int64_t n_larger = n_tasks % n_parts;
    int64_t first = part * size + (part < n_larger ? part : n_larger);
    return (struct taskpool_range){
        .first = first, .last = first + size + (part < n_larger), .step = 1};
}

int64_t taskpool_range_block_of(int64_t n_tasks, int64_t n_parts, int64_t task)
{
    int64_t size = n_tasks / n_parts;
    int64_t n_larger = n_tasks % n_parts;
    int64_t first_smaller = n_larger * (size + 1); /* task */
    if (task < first_smaller)
        return task / (size + 1);
    return n_larger + (task - first_smaller) / size;
}

struct taskpool_range task_range_cut_front(struct taskpool_range *range, int64_t n)
{
    struct taskpool_range front = *range;
    range->first += n * range->step;
    if (range->first < front.last)
        front.last = range->first;
    return front;
}

/* A single task and the next one after it make a range of any step; a longer
 * range grows by its own step only. */
static bool extend(struct taskpool_range *range, int64_t task)
{
    int64_t final = range->last - 1;
    if (range->first == final && task > final)
        range->step = task - final;
    else if (task != final + range->step)
        return false;
    range->last = task + 1;
    return true;
}

enum status task_ranges_add(struct task_ranges *ranges, int64_t task)
{
    if (ranges->n > 0 && extend(&ranges->list[ranges->n - 1], task))
        return STATUS_OK;
    TRY(array_reserve(&ranges->list, ranges->n + 1, &ranges->capacity, sizeof *ranges->list));
    ranges->list[ranges->n++] = (struct taskpool_range){.first = task, .last = task + 1, .step = 1};
    return STATUS_OK;
}

enum status task_ranges_add_range(struct task_ranges *ranges, struct taskpool_range range)
{
    int64_t n = taskpool_range_count(&range);
    if (n == 1)
        return task_ranges_add(ranges, range.first);
    if (n == 0)
        return STATUS_OK;
    range.last = range.first + (n - 1) * range.step + 1;
    struct taskpool_range *last = ranges->n > 0 ? &ranges->list[ranges->n - 1] : NULL;
    bool follows = last && range.first == last->last - 1 + range.step;
    if (follows && (last->step == range.step || last->first == last->last - 1)) {
        last->step = range.step;
        last->last = range.last;
        return STATUS_OK;
    }
    TRY(array_reserve(&ranges->list, ranges->n + 1, &ranges->capacity, sizeof *ranges->list));
    ranges->list[ranges->n++] = range;
    return STATUS_OK;
}

void task_ranges_fini(struct task_ranges *ranges)
{
    free(ranges->list);
    *ranges = (struct task_ranges){0};
}
