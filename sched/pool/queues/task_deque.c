/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/queues/task_deque.h"

#include "support/base/array.h"
#include "support/base/integers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { INITIAL_CAPACITY = 8 };

enum status task_deque_init(struct task_deque *deque, size_t record_size, int64_t bound,
                            int64_t min_share)
{
    /* A record is followed by its mark. */
    size_t entry_size = record_size > 0 ? record_size + 1 : sizeof(struct taskpool_range);
    *deque = (struct task_deque){.entry_size = entry_size,
                                 .record_size = record_size,
                                 .capacity = INITIAL_CAPACITY,
                                 .bound = bound,
                                 .min_share = min_share};
    deque->entries = malloc(INITIAL_CAPACITY * entry_size);
    return CHECK_MEMORY(deque->entries, "no memory for a deque of tasks");
}

static void free_retired(struct task_deque *deque)
{
    while (deque->n_retired > 0)
        free(deque->retired[--deque->n_retired]);
}

void task_deque_fini(struct task_deque *deque)
{
    free_retired(deque);
    free(deque->retired);
    free(deque->entries);
    *deque = (struct task_deque){0};
}

static char *slot(const struct task_deque *deque, int64_t position)
{
    return deque->entries + (size_t)(position & (deque->capacity - 1)) * deque->entry_size;
}

static struct taskpool_range *deque_range_at(const struct task_deque *deque, int64_t position)
{
    return (struct taskpool_range *)slot(deque, position);
}

static int64_t count_at(const struct task_deque *deque, int64_t position)
{
    return deque->record_size > 0 ? 1 : taskpool_range_count(deque_range_at(deque, position));
}

/* Includes entries that a transfer still reads: their room is not free. */
static int64_t entries_in_use(const struct task_deque *deque)
{
    return deque->head - atomic_load_explicit(&deque->completed_tail, memory_order_acquire);
}

/* Whether there are as many entries as the bound allows. */
static bool is_full(const struct task_deque *deque)
{
    int64_t n = deque->head - atomic_load_explicit(&deque->steal_tail, memory_order_relaxed);
    return deque->bound > 0 && n >= deque->bound;
}

/* Whether a range can be cut into two entries without more memory. */
static bool has_room(const struct task_deque *deque)
{
    return entries_in_use(deque) < deque->capacity && !is_full(deque);
}

/* Doubles the ring. Entries that are being transferred stay where they are. */
static enum status grow(struct task_deque *deque)
{
    TRY(array_reserve(&deque->retired, deque->n_retired + 1, &deque->retired_capacity,
                      sizeof *deque->retired));
    char *entries = malloc(2 * (size_t)deque->capacity * deque->entry_size);
    TRY(CHECK_MEMORY(entries, "no memory for a deque of %lld tasks",
                     2 * (long long)deque->capacity));
    struct task_deque old = {
        .entries = deque->entries, .capacity = deque->capacity, .entry_size = deque->entry_size};
    deque->entries = entries;
    deque->capacity *= 2;
    for (int64_t p = atomic_load(&deque->steal_tail); p < deque->head; p++)
        memcpy(slot(deque, p), slot(&old, p), deque->entry_size);
    if (deque->intermediate_tail == atomic_load(&deque->steal_tail))
        free(old.entries);
    else
        deque->retired[deque->n_retired++] = old.entries;
    return STATUS_OK;
}

/* Room for one more entry at the head. */
static enum status reserve_entries(struct task_deque *deque)
{
    if (is_full(deque))
        return FAIL(STATUS_LIMIT, "the deque of a worker is full at %lld %s%s: raise --deque",
                    (long long)deque->bound, deque->record_size > 0 ? "task" : "range",
                    deque->bound == 1 ? "" : "s");
    return entries_in_use(deque) < deque->capacity ? STATUS_OK : grow(deque);
}

enum status task_deque_push_range(struct task_deque *deque, struct taskpool_range range)
{
    int64_t n_tasks = taskpool_range_count(&range);
    if (n_tasks == 0)
        return STATUS_OK;
    TRY(reserve_entries(deque));
    *deque_range_at(deque, deque->head++) = range;
    deque->local_tasks += n_tasks;
    return STATUS_OK;
}

/* Cuts the range at a position: its first n tasks stay in the upper of two
 * entries, towards the head, the others in the lower, which keeps the position.
 * There is room above, and nothing in it. */
static void cut(struct task_deque *deque, int64_t position, int64_t n)
{
    struct taskpool_range *lower = deque_range_at(deque, position);
    struct taskpool_range *upper = deque_range_at(deque, position + 1);
    *upper = *lower;
    lower->first += n * lower->step;
    upper->last = lower->first;
}

/* Shares about n of the local tasks. Called when nothing is shared, so that
 * no thief reads the entries that are changed before split is. */
static void release(struct task_deque *deque, int64_t n)
{
    if (n < deque->min_share)
        return;
    int64_t split = atomic_load_explicit(&deque->split, memory_order_relaxed);
    int64_t n_released = 0;
    if (split + 1 == deque->head) {
        if (deque->record_size > 0 || !has_room(deque))
            return;
        cut(deque, split, deque->local_tasks - n);
        deque->head++;
        n_released = n;
        split++;
    } else {
        do
            n_released += count_at(deque, split++);
        while (split + 1 < deque->head && n_released + count_at(deque, split) <= n);
    }
    deque->local_tasks -= n_released;
    deque->shared_tasks = n_released;
    atomic_store_explicit(&deque->split, split, memory_order_release);
}

void task_deque_share_all(struct task_deque *deque)
{
    if (deque->local_tasks < deque->min_share)
        return;
    deque->shared_tasks += deque->local_tasks;
    deque->local_tasks = 0;
    atomic_store_explicit(&deque->split, deque->head, memory_order_release);
}

static bool shares_nothing(const struct task_deque *deque)
{
    return atomic_load_explicit(&deque->steal_tail, memory_order_acquire) ==
           atomic_load_explicit(&deque->split, memory_order_relaxed);
}

static void release_if_none_shared(struct task_deque *deque)
{
    if (shares_nothing(deque))
        release(deque, deque->local_tasks / 2);
}

void task_deque_share_one(struct task_deque *deque)
{
    if (shares_nothing(deque) && deque->local_tasks > 1)
        release(deque, 1);
}

enum status task_deque_push_record(struct task_deque *deque, const void *record, bool mark)
{
    TRY(reserve_entries(deque));
    char *entry = slot(deque, deque->head++);
    memcpy(entry, record, deque->record_size);
    entry[deque->record_size] = mark;
    deque->local_tasks++;
    release_if_none_shared(deque);
    return STATUS_OK;
}

enum status task_deque_push_batch(struct task_deque *deque, const void *entries, int64_t n,
                                  struct taskpool_range part)
{
    for (int64_t i = 0; i < n; i++) {
        const char *entry = (const char *)entries + (size_t)i * deque->entry_size;
        if (deque->record_size > 0)
            TRY(task_deque_push_record(deque, entry, entry[deque->record_size]));
        else
            TRY(task_deque_push_range(deque, *(const struct taskpool_range *)entry));
    }
    return task_deque_push_range(deque, part);
}

bool task_deque_take_record(struct task_deque *deque, void *record, bool *mark)
{
    if (deque->local_tasks == 0)
        return false;
    const char *entry = slot(deque, --deque->head);
    memcpy(record, entry, deque->record_size);
    *mark = entry[deque->record_size] != 0;
    deque->local_tasks--;
    release_if_none_shared(deque);
    return true;
}

bool task_deque_take_range(struct task_deque *deque, int64_t n_wanted, bool tasks_are_long,
                           struct taskpool_range *range)
{
    if (deque->local_tasks == 0)
        return false;
    struct taskpool_range *entry = deque_range_at(deque, deque->head - 1);
    int64_t n = taskpool_range_count(entry);
    int64_t half = (deque->local_tasks + 1) / 2;
    if (n > half)
        n = half;
    if (n > n_wanted)
        n = n_wanted;
    *range = (struct taskpool_range){
        .first = entry->first, .last = entry->first + n * entry->step, .step = entry->step};
    entry->first = range->last;
    if (entry->first >= entry->last)
        deque->head--;
    deque->local_tasks -= n;
    if (!tasks_are_long)
        release_if_none_shared(deque);
    else if (shares_nothing(deque))
        task_deque_share_all(deque);
    return true;
}

bool task_deque_acquire(struct task_deque *deque, bool tasks_are_long)
{
    int64_t split = atomic_load(&deque->split);
    int64_t tail = atomic_load(&deque->steal_tail);
    if (split == tail)
        return false;
    assert(deque->local_tasks == 0 && deque->head == split);
    int64_t n_wanted = max_int64(tasks_are_long ? 1 : deque->shared_tasks / 2, deque->min_share);
    int64_t n = 0;
    int64_t n_top = count_at(deque, split - 1);
    if (n_top > n_wanted && has_room(deque)) {
        cut(deque, split - 1, n_wanted);
        deque->head++;
        n = n_wanted;
    } else {
        do
            n += count_at(deque, --split);
        while (split > tail && n + count_at(deque, split - 1) <= n_wanted);
    }
    deque->local_tasks = n;
    deque->shared_tasks -= n;
    atomic_store(&deque->split, split);
    return true;
}

int task_deque_take_ranges(struct task_deque *deque, int64_t n_tasks, int max_ranges,
                           struct taskpool_range *ranges)
{
    int64_t split = atomic_load(&deque->split), tail = atomic_load(&deque->steal_tail);
    int n = 0;
    while (n < max_ranges && n_tasks > 0 && deque->head > tail) {
        bool is_shared = deque->head == split;
        struct taskpool_range *entry = deque_range_at(deque, deque->head - 1);
        ranges[n] = task_range_cut_front(entry, n_tasks);
        int64_t n_taken = taskpool_range_count(&ranges[n++]);
        n_tasks -= n_taken;
        *(is_shared ? &deque->shared_tasks : &deque->local_tasks) -= n_taken;
        if (taskpool_range_count(entry) == 0)
            deque->head--;
        if (split > deque->head)
            atomic_store(&deque->split, split = deque->head);
    }
    return n;
}

/* Cuts the last n tasks off a range. */
static struct taskpool_range cut_end(struct taskpool_range *range, int64_t n)
{
    struct taskpool_range part = *range;
    part.first += (taskpool_range_count(range) - n) * range->step;
    range->last = part.first;
    return part;
}

int64_t task_deque_give_away(struct task_deque *deque, int64_t n_wanted,
                             struct task_deque_batch *batch)
{
    *batch = (struct task_deque_batch){0};
    int64_t split = atomic_load_explicit(&deque->split, memory_order_acquire);
    int64_t tail = atomic_load_explicit(&deque->steal_tail, memory_order_relaxed);
    if (split == tail)
        return 0;
    if (n_wanted == 0)
        n_wanted = (deque->shared_tasks + 1) / 2;
    n_wanted = max_int64(n_wanted, deque->min_share);
    int64_t end = tail + deque->capacity - (tail & (deque->capacity - 1)); /* of the ring */
    if (end > split)
        end = split;
    batch->entries = slot(deque, tail);
    while (tail < end && batch->n_tasks + count_at(deque, tail) <= n_wanted) {
        batch->n_tasks += count_at(deque, tail++);
        batch->n++;
    }
    if (tail < end && batch->n_tasks < n_wanted) {
        batch->part = cut_end(deque_range_at(deque, tail), n_wanted - batch->n_tasks);
        batch->n_tasks = n_wanted;
    }
    deque->shared_tasks -= batch->n_tasks;
    atomic_store_explicit(&deque->steal_tail, tail, memory_order_release);
    return batch->n_tasks;
}

void task_deque_completed(struct task_deque *deque, int64_t n)
{
    deque->intermediate_tail += n;
    if (deque->intermediate_tail != atomic_load(&deque->steal_tail))
        return;
    atomic_store_explicit(&deque->completed_tail, deque->intermediate_tail, memory_order_release);
    free_retired(deque);
}

int64_t task_deque_n_tasks(const struct task_deque *deque)
{
    return deque->local_tasks + deque->shared_tasks;
}
