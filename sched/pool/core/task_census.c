/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/task_census.h"

#include "support/base/random.h"

#include <string.h>

/* Sum of 0, 1, ... m - 1 modulo 2^64. */
static uint64_t sum_of_first(uint64_t m)
{
    return m % 2 == 0 ? m / 2 * (m - 1) : (m - 1) / 2 * m;
}

/* Sum of their squares, m (m - 1) (2 m - 1) / 6. Division is exact before the product only, which
 * may exceed 2^64: 2 divides m or m - 1, and 3 that number or one of the others. */
static uint64_t squares_of_first(uint64_t m)
{
    uint64_t half = m % 2 == 0 ? m / 2 : m;
    uint64_t next = m % 2 == 0 ? m - 1 : (m - 1) / 2;
    uint64_t last = 2 * m - 1;
    if (m == 0)
        return 0;
    if (half % 3 == 0)
        return half / 3 * next * last;
    if (next % 3 == 0)
        return half * (next / 3) * last;
    return half * next * (last / 3);
}

void task_census_add_range(struct task_census *census, const struct taskpool_range *range)
{
    /* Most ranges of the modes that time each task. */
    if (range->first < range->last && range->last - range->first <= range->step) {
        task_census_add(census, (uint64_t)range->first);
        return;
    }
    uint64_t m = (uint64_t)taskpool_range_count(range);
    uint64_t first = (uint64_t)range->first, step = (uint64_t)range->step;
    uint64_t steps = sum_of_first(m);
    census->n += m;
    census->sum += m * first + step * steps;
    census->squares +=
        m * first * first + 2 * first * step * steps + step * step * squares_of_first(m);
}

void task_census_add_record(struct task_census *census, const void *record, size_t size)
{
    uint64_t hash = size;
    const char *bytes = record;
    for (size_t at = 0; at < size; at += sizeof hash) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, size - at < sizeof word ? size - at : sizeof word);
        hash = random_mix(hash ^ word) + 1;
    }
    task_census_add(census, hash);
}

void task_census_join(struct task_census *census, const struct task_census *other)
{
    census->n += other->n;
    census->sum += other->sum;
    census->squares += other->squares;
}

enum status task_census_check(const char *mode, const struct task_census *there,
                              const struct task_census *ran)
{
    if (ran->n != there->n)
        return FAIL(STATUS_PROTOCOL,
                    "mode %s ran %llu tasks of %llu: it loses or repeats some, and the results of "
                    "this run are wrong; use another --sched and report the mode",
                    mode, (unsigned long long)ran->n, (unsigned long long)there->n);
    if (ran->sum != there->sum || ran->squares != there->squares)
        return FAIL(STATUS_PROTOCOL,
                    "mode %s ran %llu tasks, but not those of the pool, each once: the results of "
                    "this run are wrong; use another --sched and report the mode",
                    mode, (unsigned long long)ran->n);
    return STATUS_OK;
}
