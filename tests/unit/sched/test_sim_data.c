/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of data that simulated tasks read and write take the time of the LogGP model: closed forms
 * of transfers through one card, and which transfers a node's memory saves. */
#include "sched/pool/core/task_data.h"
#include "sched/pool/modes/modes.h"
#include "taskpool/mode.h"
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <string.h>

enum { MAX_ACCESSES = 64, BYTES = 3000 };

static const double L = 1e-3, o = 1e-4, bandwidth = 1e6;
static const double busy = BYTES / 1e6; /* of a card with one block */

/* Tasks that each take a second, and what they read and write. */
struct pool_data {
    struct taskpool_data table;
    int64_t first[MAX_ACCESSES + 1], numbers[MAX_ACCESSES];
    struct taskpool_data_access accesses[MAX_ACCESSES];
    struct taskpool_data_block blocks[MAX_ACCESSES];
    int64_t n_accesses;
};

static void begin_data(struct pool_data *data, int64_t n_tasks)
{
    *data = (struct pool_data){.table = {.n_tasks = n_tasks}};
    data->table.first = data->first;
    data->table.accesses = data->accesses;
    data->table.blocks = data->blocks;
    data->table.numbers = data->numbers;
}

static int64_t add_block(struct pool_data *data, int64_t owner)
{
    data->blocks[data->table.n_blocks] =
        (struct taskpool_data_block){.bytes = BYTES, .owner = owner};
    return data->table.n_blocks++;
}

/* Tasks are given theirs in ascending order. */
static void add_access(struct pool_data *data, int64_t task, bool writes, int64_t block)
{
    data->accesses[data->n_accesses++] =
        (struct taskpool_data_access){.block = block, .writes = writes};
    for (int64_t i = task; i < data->table.n_tasks; i++)
        data->first[i + 1] = data->n_accesses;
}

static double one_second(int64_t task, const void *record, const void *context)
{
    (void)task, (void)record, (void)context;
    return 1;
}

/* Each node has one worker unless said otherwise. */
static struct taskpool_machine machine_of(int n_workers, const struct pool_data *data)
{
    return (struct taskpool_machine){.n_workers = n_workers,
                                     .node_size = 1,
                                     .latency_s = L,
                                     .overhead_s = o,
                                     .bandwidth = bandwidth,
                                     .data = data ? &data->table : NULL,
                                     .time = one_second};
}

static int64_t messages_of_second;
static double makespan_of_second;

/* The figures of the first of two iterations. */
static struct taskpool_iteration simulate(const char *mode, int64_t n_tasks,
                                          const struct taskpool_machine *machine)
{
    struct taskpool_settings settings;
    struct taskpool_problem problem = {.n_tasks = n_tasks};
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    settings.mode = mode;
    check_ok(taskpool_simulate(&problem, &settings, machine, &pool));
    check_ok(taskpool_run(pool));
    check_ok(taskpool_restore(pool));
    check_ok(taskpool_run(pool));
    struct taskpool_iteration first = *taskpool_statistics(pool, 0);
    struct taskpool_iteration second = *taskpool_statistics(pool, 1);
    taskpool_destroy(pool);
    messages_of_second = second.messages;
    makespan_of_second = second.makespan_s;
    double accounted_s =
        first.task_s + first.search_s + first.idle_s + first.scheduler_s + first.communication_s;
    check_close(accounted_s, (double)first.n_workers * first.makespan_s, 1e-9 * accounted_s);
    return first;
}

/* Each of n workers reads a block of worker 0: its card serves one after another. */
TEST(n_transfers_from_one_card_take_the_closed_form)
{
    for (int n = 1; n <= 9; n += 4) {
        struct pool_data data;
        begin_data(&data, n + 1);
        for (int i = 1; i <= n; i++)
            add_access(&data, i, false, add_block(&data, 0));
        struct taskpool_machine machine = machine_of(n + 1, &data);
        struct taskpool_iteration found = simulate("static", n + 1, &machine);
        check_close(found.makespan_s, 1 + 2 * o + 2 * L + n * busy, 1e-12);
        double sum_s = n * (2 * o + 2 * L) + n * (n + 1) / 2 * busy;
        check_close(found.communication_s, sum_s, 1e-12);
        assert_int_equal(found.messages, n);
        assert_int_equal(found.bytes, n * BYTES);
    }
}

/* The n workers of one node read blocks of as many other nodes. */
TEST(n_transfers_to_one_card_take_the_closed_form)
{
    const int n = 5;
    struct pool_data data;
    begin_data(&data, n * (n + 1));
    for (int i = 0; i < n; i++)
        add_access(&data, i, false, add_block(&data, n * (i + 1)));
    struct taskpool_machine machine = machine_of(n * (n + 1), &data);
    machine.node_size = n;
    check_close(simulate("static", n * (n + 1), &machine).makespan_s, 1 + 2 * o + 2 * L + n * busy,
                1e-12);
}

/* So do written blocks, which go to one owner at the end of their tasks. */
TEST(n_written_blocks_take_the_closed_form)
{
    const int n = 5;
    struct pool_data data;
    begin_data(&data, n + 1);
    for (int i = 1; i <= n; i++)
        add_access(&data, i, true, add_block(&data, 0));
    struct taskpool_machine machine = machine_of(n + 1, &data);
    double expected_s = 1 + 2 * o + 2 * L + n * busy;
    check_close(simulate("static", n + 1, &machine).makespan_s, expected_s, 1e-12);
    machine.cache_bytes = 10 * BYTES;
    check_close(simulate("static", n + 1, &machine).makespan_s, expected_s, 1e-12);
}

TEST(a_worker_reads_one_block_after_another)
{
    struct pool_data data;
    begin_data(&data, 2);
    for (int i = 0; i < 7; i++)
        add_access(&data, 1, false, add_block(&data, 0));
    struct taskpool_machine machine = machine_of(2, &data);
    check_close(simulate("static", 2, &machine).makespan_s, 1 + 7 * (2 * o + 2 * L + busy), 1e-12);
}

TEST(own_blocks_cost_nothing)
{
    struct pool_data data;
    begin_data(&data, 8);
    for (int i = 0; i < 8; i++) {
        int64_t block = add_block(&data, i / 2 + 4 * i); /* of worker i / 2 of 4 */
        add_access(&data, i, false, block);
        add_access(&data, i, true, block);
    }
    struct taskpool_machine machine = machine_of(4, &data), without = machine_of(4, NULL);
    struct taskpool_iteration found = simulate("static", 8, &machine);
    assert_true(found.makespan_s == simulate("static", 8, &without).makespan_s);
    assert_int_equal(found.messages, 0);
}

TEST(within_a_node_no_card_takes_part)
{
    const int n = 5;
    struct pool_data data;
    begin_data(&data, n + 1);
    for (int i = 1; i <= n; i++)
        add_access(&data, i, false, add_block(&data, 0));
    struct taskpool_machine machine = machine_of(n + 1, &data);
    machine.node_size = n + 1;
    machine.has_levels = true;
    machine.node_latency_s = 1e-5;
    machine.node_bandwidth = 1e7;
    check_close(simulate("static", n + 1, &machine).makespan_s,
                1 + 2 * o + 2e-5 + BYTES / machine.node_bandwidth, 1e-12);
}

/* The one task of worker 1 reads blocks of worker 0; the number of transfers. */
static int64_t count_reads(const char *blocks, int64_t cache_bytes)
{
    struct pool_data data;
    begin_data(&data, 2);
    for (int i = 0; i < 4; i++)
        add_block(&data, 0);
    for (const char *block = blocks; *block; block++)
        add_access(&data, 1, false, *block - 'a');
    struct taskpool_machine machine = machine_of(2, &data);
    machine.cache_bytes = cache_bytes;
    int64_t n = simulate("static", 2, &machine).messages;
    assert_int_equal(messages_of_second, n); /* no copy is left from the iteration before */
    return n;
}

TEST(a_node_keeps_the_blocks_used_last)
{
    assert_int_equal(count_reads("abacab", 2 * BYTES), 4);
    assert_int_equal(count_reads("abacab", 2 * BYTES - 1), 6);
    assert_int_equal(count_reads("aaab", BYTES), 2);
    assert_int_equal(count_reads("abacab", 3 * BYTES), 3);
    assert_int_equal(count_reads("abacab", BYTES - 1), 6);
    assert_int_equal(count_reads("abacab", 0), 6);
}

/* Writes counted for blocks that a worker writes; see count_reads. */
static int64_t count_writes(const char *blocks, int64_t cache_bytes)
{
    struct pool_data data;
    int64_t n = (int64_t)strlen(blocks);
    begin_data(&data, 2 * n); /* a task of worker 1 for each, and as many of worker 0 */
    for (int i = 0; i < 4; i++)
        add_block(&data, 0);
    for (int64_t i = 0; i < n; i++)
        add_access(&data, n + i, true, blocks[i] - 'a');
    struct taskpool_machine machine = machine_of(2, &data);
    machine.cache_bytes = cache_bytes;
    return simulate("static", 2 * n, &machine).messages;
}

TEST(written_blocks_leave_once)
{
    assert_int_equal(count_writes("aaaa", BYTES), 1);
    assert_int_equal(count_writes("aabb", BYTES), 2);
    assert_int_equal(count_writes("abab", BYTES), 4);
    assert_int_equal(count_writes("abab", 2 * BYTES), 2);
    assert_int_equal(count_writes("abab", 0), 4);
}

/* Workers of a node share what one of them has read. */
TEST(a_node_shares_its_memory)
{
    struct pool_data data;
    begin_data(&data, 8); /* on 4 workers, the second pair on the second node */
    int64_t block = add_block(&data, 0);
    add_access(&data, 4, false, block);
    add_access(&data, 7, false, block); /* later, on the other worker */
    struct taskpool_machine machine = machine_of(4, &data);
    machine.node_size = 2;
    assert_int_equal(simulate("static", 8, &machine).messages, 2);
    machine.cache_bytes = BYTES;
    assert_int_equal(simulate("static", 8, &machine).messages, 1);
}

/* Every mode completes tasks that need data. */
TEST(all_modes_move_data)
{
    struct pool_data data;
    begin_data(&data, 30);
    for (int i = 0; i < 30; i++) {
        add_access(&data, i, false, add_block(&data, 3 * i + 1)); /* of another worker */
        add_access(&data, i, true, data.table.n_blocks - 1);
    }
    for (int i = 0; i < mode_count(); i++) {
        struct taskpool_machine machine = machine_of(7, &data);
        machine.node_size = 2;
        machine.cache_bytes = 3 * BYTES;
        struct taskpool_iteration found = simulate(mode_at(i)->name, 30, &machine);
        assert_int_equal(found.tasks, 30);
        assert_true(found.bytes >= BYTES);
    }
}

/* Four of twelve tasks wait four seconds each for a block of the third worker: 28 s in all, 20 of them on
 * the first worker. Only durations with the waits show it. */
TEST(waits_are_balanced)
{
    const char *const modes[] = {"persist", "auto"};
    struct pool_data data;
    begin_data(&data, 12);
    for (int i = 0; i < 4; i++)
        add_access(&data, i, false, add_block(&data, 2));
    struct taskpool_machine machine = machine_of(3, &data);
    machine.bandwidth = BYTES / 4.0;
    for (int i = 0; i < 2; i++) {
        simulate(modes[i], 12, &machine);
        assert_true(makespan_of_second < 14);
    }
}

TEST(times_beyond_the_clock_are_refused)
{
    struct pool_data data;
    begin_data(&data, 2);
    add_access(&data, 1, false, add_block(&data, 0));
    struct taskpool_machine machine = machine_of(2, &data);
    machine.bandwidth = 1e-300;
    struct taskpool_settings settings;
    struct taskpool_problem problem = {.n_tasks = 2};
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    settings.mode = "static";
    check_ok(taskpool_simulate(&problem, &settings, &machine, &pool));
    check_status(STATUS_LIMIT, taskpool_run(pool));
    taskpool_destroy(pool);
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
