/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranges of task IDs keep every ID once, up to the limit of 64-bit IDs. */
#include "sched/pool/queues/task_ranges.h"
#include "support/base/random.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <stdlib.h>

static const int64_t pool_sizes[] = {
    0, 1, 2, 7, 1000, 100003, INT64_C(21743271936), TASKPOOL_MAX_TASKS};
static const int64_t part_counts[] = {1, 2, 3, 4, 7, 163840};
#define N_OF(array) (sizeof(array) / sizeof(array)[0])

static void check_blocks(int64_t n_tasks, int64_t n_parts)
{
    int64_t expected_first = 0;
    for (int64_t part = 0; part < n_parts; part++) {
        struct taskpool_range block = taskpool_range_block(n_tasks, n_parts, part);
        int64_t count = taskpool_range_count(&block);
        assert_int_equal(block.first, expected_first);
        assert_int_equal(count, n_tasks / n_parts + (part < n_tasks % n_parts));
        if (count > 0) {
            assert_int_equal(taskpool_range_block_of(n_tasks, n_parts, block.first), part);
            assert_int_equal(taskpool_range_block_of(n_tasks, n_parts, block.last - 1), part);
        }
        expected_first = block.last;
    }
    assert_int_equal(expected_first, n_tasks);
}

TEST(blocks_tile_the_pool)
{
    for (size_t i = 0; i < N_OF(pool_sizes); i++)
        for (size_t j = 0; j < N_OF(part_counts); j++)
            check_blocks(pool_sizes[i], part_counts[j]);
}

/* Adds the tasks one by one and reads them back. */
static int64_t check_adding(const int64_t *tasks, int64_t n)
{
    struct task_ranges ranges = {0};
    for (int64_t i = 0; i < n; i++)
        check_ok(task_ranges_add(&ranges, tasks[i]));
    int64_t i = 0;
    for (int64_t r = 0; r < ranges.n; r++) {
        const struct taskpool_range *range = &ranges.list[r];
        int64_t count = 0;
        for (int64_t task = range->first; task < range->last; task += range->step, count++)
            assert_int_equal(task, tasks[i++]);
        assert_int_equal(count, taskpool_range_count(range));
    }
    assert_int_equal(i, n);
    int64_t n_ranges = ranges.n;
    task_ranges_fini(&ranges);
    return n_ranges;
}

TEST(added_tasks_join_into_ranges)
{
    enum { n = 1000 };
    int64_t tasks[3][n];
    struct random_stream random;
    for (int i = 0; i < n; i++) {
        tasks[0][i] = TASKPOOL_MAX_TASKS - n + i;
        tasks[1][i] = 5 + (int64_t)i * 163840;
        tasks[2][i] = i / 100 * 1000 + i % 100;
    }
    assert_int_equal(check_adding(tasks[0], n), 1);
    assert_int_equal(check_adding(tasks[1], n), 1);
    assert_true(check_adding(tasks[2], n) <= 20);
    for (uint64_t seed = 0; seed < 200; seed++) { /* in any order */
        random_stream_init(&random, seed, 0);
        for (int i = 0; i < n; i++)
            tasks[0][i] = (int64_t)random_below(&random, 1 + seed * seed * seed);
        check_adding(tasks[0], n);
    }
}
