/* SPDX-License-Identifier: BSD-3-Clause */
/* The split deque of one worker's tasks, in a ring of entries.
 *
 *     completed   steal        split           head
 *     tail        tail
 *      |  leaving  |  shared     |    local      |
 *
 * The worker adds and takes at the head. Entries between split and head are
 * its own, and it takes them without a lock. Entries between the steal
 * tail and split are shared: thieves take from the tail. Entries below the
 * steal tail were stolen and are still being read by a transfer: the intermediate
 * tail counts entries whose transfer is completed, in any order. Their room is free again when it
 * reaches the steal tail.
 *
 * Source: Lifflander, Krishnamoorthy, Kale, HPDC 2012, figures 2 to 4, with
 * these corrections: acquiring takes max(shared / 2, 1), not the minimum; the
 * head moves before the task is read; the task that is about to be run is never
 * released, while of waiting long tasks all are; a shift past the end of the ring is never
 * needed, because positions only grow and slots are positions modulo the capacity.
 *
 * In a pool of IDs an entry is a struct taskpool_range, which is cut where the
 * number of tasks asks for it: a worker runs a range from its first task on,
 * thieves get the end that it would reach last. In a pool of records an entry
 * is one record, with a mark: whether it is an initial task.
 *
 * Threads: task_deque_take_range and task_deque_take_record, which are for the worker alone, may
 * run while another thread is in task_deque_give_away or task_deque_completed, hence the atomic
 * fields: the worker changes what is shared only where nothing is. Any two other calls exclude each
 * other, task_deque_take_ranges and the pushes included: their callers hold a lock. */
#pragma once

#include "sched/pool/queues/task_ranges.h"
#include "support/base/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct task_deque {
    char *entries; /* capacity x entry_size; position p lies in slot p % capacity */
    size_t entry_size;
    size_t record_size; /* 0: entries are ranges */
    int64_t capacity;   /* a power of two */
    int64_t bound;      /* entries at most, without those that only a transfer reads, so that a
                         * batch from a deque of this bound fits into one without tasks; 0: none */
    int64_t min_share;  /* least number of tasks released, acquired or stolen at once, if there
                         * are as many */
    void **retired;     /* n_retired smaller rings that transfers still read */
    int64_t n_retired, retired_capacity;

    /* Positions. */
    int64_t head;
    _Atomic int64_t split;
    _Atomic int64_t steal_tail;
    int64_t intermediate_tail;
    _Atomic int64_t completed_tail;

    int64_t local_tasks;  /* in [split, head) */
    int64_t shared_tasks; /* in [steal_tail, split) */
};

/* A stolen batch: n entries that are contiguous in memory, which must stay unchanged until
 * task_deque_completed, and a part of one more range. */
struct task_deque_batch {
    const void *entries; /* n x entry_size */
    int64_t n;
    struct taskpool_range part; /* empty if none was cut */
    int64_t n_tasks;            /* in all */
};

/* record_size  bytes of a record, or 0 for ranges
 * bound        entries that wait to be run at most, 0 for none
 * min_share    at least 1
 * Errors: STATUS_NO_MEMORY. */
enum status task_deque_init(struct task_deque *deque, size_t record_size, int64_t bound,
                            int64_t min_share);
void task_deque_fini(struct task_deque *deque);

/* Puts a range, or a record (copied) with its mark, at the head.
 * Errors: STATUS_LIMIT (the bound), STATUS_NO_MEMORY; nothing is then changed. */
enum status task_deque_push_range(struct task_deque *deque, struct taskpool_range range);
enum status task_deque_push_record(struct task_deque *deque, const void *record, bool mark);

/* Shares the task that would run last, if nothing is shared and there is another; fewer than
 * min_share are not shared. After each push of ranges. */
void task_deque_share_one(struct task_deque *deque);

/* Shares all local tasks, unless they are fewer than min_share. */
void task_deque_share_all(struct task_deque *deque);

/* Puts a batch that arrived: n entries of a deque of the same kind, as task_deque_give_away chose
 * them, and a part of one more range, which may be empty.
 * Errors: STATUS_LIMIT (the bound), STATUS_NO_MEMORY; some entries may be in the deque then. */
enum status task_deque_push_batch(struct task_deque *deque, const void *entries, int64_t n,
                                  struct taskpool_range part);

/* Takes local tasks: of a range, n_wanted of them but at most half of the
 * local ones, rounded up; of records, one. Then, if nothing is shared, shares about half of the
 * local tasks; of long tasks all, because one that waits behind the last long one
 * and that no thief can take would end last. False without local tasks. */
bool task_deque_take_range(struct task_deque *deque, int64_t n_wanted, bool tasks_are_long,
                           struct taskpool_range *range);
bool task_deque_take_record(struct task_deque *deque, void *record, bool *mark);

/* Makes about half of the shared tasks local, or one if they are long, but about min_share
 * at least. False without shared tasks. */
bool task_deque_acquire(struct task_deque *deque, bool tasks_are_long);

/* Takes up to n_tasks tasks in up to max_ranges ranges from the head, shared or not, in the order
 * in which the worker would run them. Returns the number of ranges. */
int task_deque_take_ranges(struct task_deque *deque, int64_t n_tasks, int max_ranges,
                           struct taskpool_range *ranges);

/* Takes half of the shared tasks, rounded up, or n_wanted > 0 of them, from
 * the tail, for a thief; fewer if the ring ends before. Returns their number, 0 if none are
 * shared. */
int64_t task_deque_give_away(struct task_deque *deque, int64_t n_wanted,
                             struct task_deque_batch *batch);

/* The transfer of n entries of a batch is completed: they are no longer read. */
void task_deque_completed(struct task_deque *deque, int64_t n);

/* The number of tasks, exact when no other function runs. */
int64_t task_deque_n_tasks(const struct task_deque *deque);
