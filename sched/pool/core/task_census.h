/* SPDX-License-Identifier: BSD-3-Clause */
/* Which tasks ran: their number and two sums over their IDs, which the tasks of the pool must
 * have too. A mode that loses a task, runs one twice or invents one is detected, for any number
 * of tasks, unless its errors cancel in all three sums modulo 2^64. */
#pragma once

#include "sched/pool/queues/task_ranges.h"
#include "support/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* All modulo 2^64. The tasks of a dynamic pool have hashes of their records for IDs. */
struct task_census {
    uint64_t n;
    uint64_t sum;     /* of the IDs */
    uint64_t squares; /* sum of their squares */
};

static inline void task_census_add(struct task_census *census, uint64_t id)
{
    census->n++;
    census->sum += id;
    census->squares += id * id;
}

/* All tasks of a range, in closed form. */
void task_census_add_range(struct task_census *census, const struct taskpool_range *range);

/* A task of a dynamic pool, by the bytes of its record. */
void task_census_add_record(struct task_census *census, const void *record, size_t size);

/* Adds the tasks of another process. */
void task_census_join(struct task_census *census, const struct task_census *other);

/* Compares the tasks that ran with the pool's; both of all processes. Not collective.
 * mode  for the message
 * Errors: STATUS_PROTOCOL. */
enum status task_census_check(const char *mode, const struct task_census *there,
                              const struct task_census *ran);
