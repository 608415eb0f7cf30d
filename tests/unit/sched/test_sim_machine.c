/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulated machine takes the times of the LogGP model and of its other parameters, worked out by hand.
 * Blocks of data pass through one card after another, unless the memory of a node saves their transfer. */
#include "taskpool/mode.h"
#include "tests/cases/simulated_pool.h"

enum { BYTES = 3000 };

static const double L = 1e-3, o = 1e-4;
static const double busy = BYTES / 1e6; /* of a card with one block */

struct row {
    const char *line; /* after --sched= */
    int64_t n_tasks;
    double task_s;
    struct taskpool_machine machine;
    const char *data;                                /* accesses: simulated_data_init */
    double makespan_s, communication_s, scheduler_s; /* 0: any, but not for the makespan */
    int64_t messages;                                /* with data */
};

static struct simulated pool;
static struct simulated_data data;

static struct taskpool_iteration run_row(const struct row *row, int n_iterations)
{
    static char line[64];
    snprintf(line, sizeof line, "--progress=poll --sched=%s", row->line);
    pool = (struct simulated){.command_line = line,
                              .n_tasks = row->n_tasks,
                              .n_iterations = n_iterations,
                              .time_s = row->task_s,
                              .machine = row->machine};
    if (row->data) {
        simulated_data_init(&data, row->n_tasks, BYTES, row->data);
        pool.machine.data = &data.table;
    }
    simulated_run(&pool);
    return pool.figures[n_iterations - 1];
}

/* Iterations are equal: no copy of a block is left from the one before. */
static void check_row(const struct row *row)
{
    run_row(row, 2);
    for (int i = 0; i < 2; i++) {
        const struct taskpool_iteration *found = &pool.figures[i];
        check_close(found->makespan_s, row->makespan_s, 1e-9);
        check_close(found->task_s, (double)row->n_tasks * row->task_s, 1e-9);
        if (row->communication_s > 0)
            check_close(found->communication_s, row->communication_s, 1e-9);
        if (row->scheduler_s > 0)
            check_close(found->scheduler_s, row->scheduler_s, 1e-9);
        assert_true(!row->data ||
                    (found->messages == row->messages && found->bytes == BYTES * row->messages));
    }
}

TEST(parameters_take_their_times)
{
    const struct taskpool_machine far = {.n_workers = 2,
                                         .node_size = 1,
                                         .latency_s = 1e-2,
                                         .has_levels = true,
                                         .node_latency_s = 1e-3};
    struct taskpool_machine near = far, flat = far;
    near.node_size = flat.node_size = 2;
    flat.has_levels = false;
    const struct taskpool_machine polls = {.n_workers = 2, .node_size = 1, .poll_s = 1e-3};
    const struct taskpool_machine polls_alone = {.n_workers = 2, .node_size = 2, .poll_s = 1e-3};
    const struct row rows[] = {
        {"static", 16, 1, {.n_workers = 2, .n_threads = 4}, .makespan_s = 2},
        {"dtree --progress=thread", 160, 1, {.n_workers = 2, .n_threads = 4}, .makespan_s = 20},
        /* 100 tasks, and one more request of each other worker before the last answer. */
        {"counter", 100, 0, {.n_workers = 10, .counter_s = 1e-3}, .makespan_s = 0.109},
        /* The counter is on the first worker; the second has sent a request and got its answer. */
        {"counter", 1, 0, far, .makespan_s = 2e-2},
        {"counter", 1, 0, near, .makespan_s = 2e-3},
        {"counter", 1, 0, flat, .makespan_s = 2e-2},
        /* A request and its answer have eight bytes each. */
        {"counter", 1, 0, {.n_workers = 2, .bandwidth = 8}, .makespan_s = 2},
        {"static", 8, 1, {.n_workers = 2, .task_s = 0.5}, .makespan_s = 6, .scheduler_s = 4},
        /* After the first task, and then after every eighth of so short ones. */
        {"static", 200, 1e-6, polls, NULL, 100e-6 + 13e-3, .communication_s = 2 * 13e-3},
        /* Nobody polls on behalf of a thread that receives, nor where no message can come. */
        {"static --progress=thread", 200, 1e-6, polls, .makespan_s = 100e-6},
        {"static", 200, 1e-6, polls_alone, .makespan_s = 100e-6},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&rows[i]);
}

/* n workers, and how many of them share a node and its cache. */
static struct taskpool_machine network(int n_workers, int node_size, int64_t cache_bytes)
{
    return (struct taskpool_machine){.n_workers = n_workers,
                                     .node_size = node_size,
                                     .latency_s = L,
                                     .overhead_s = o,
                                     .bandwidth = 1e6,
                                     .cache_bytes = cache_bytes};
}

TEST(blocks_take_the_times_of_their_transfers)
{
    const double one = 2 * o + 2 * L; /* of a transfer, beside the cards */
    const char *const in_turn = "r1a r1b r1a r1c r1a r1b";
    const struct {
        const char *data;
        int n_workers, node_size, cache_bytes;
        int64_t n_tasks, messages;
        double waits_s, communication_s;
    } rows[] = {
        /* One card serves one reader or writer after another, and so is a node's with several readers. */
        {"r1a", 2, 1, 0, 2, 1, one + busy, one + busy},
        {"r1a r2b r3c r4d r5e", 6, 1, 0, 6, 5, one + 5 * busy, 5 * one + 15 * busy},
        {"r0a@5 r1b@10 r2c@15 r3d@20 r4e@25", 30, 5, 0, 30, 5, one + 5 * busy, 0},
        {"w1a w2b w3c w4d w5e", 6, 1, 0, 6, 5, one + 5 * busy, 0},
        {"w1a w2b w3c w4d w5e", 6, 1, 10 * BYTES, 6, 5, one + 5 * busy, 0},
        /* A worker reads one block after another. */
        {"r1a r1b r1c r1d r1e r1f r1g", 2, 1, 0, 2, 7, 7 * (one + busy), 0},
        /* Own blocks cost nothing. */
        {"r0a@0 w0a r1b@4 w1b r2c@9 w2c r3d@13 w5e@18 r7f@31", 4, 1, 0, 8, 0, 0, 0},
        /* A node keeps the blocks used last. */
        {in_turn, 2, 1, 3 * BYTES, 2, 3, 3 * (one + busy), 0},
        {in_turn, 2, 1, 2 * BYTES, 2, 4, 4 * (one + busy), 0},
        {in_turn, 2, 1, 2 * BYTES - 1, 2, 6, 6 * (one + busy), 0},
        {in_turn, 2, 1, BYTES - 1, 2, 6, 6 * (one + busy), 0},
        {in_turn, 2, 1, 0, 2, 6, 6 * (one + busy), 0},
        {"r1a r1a r1a r1b", 2, 1, BYTES, 2, 2, 2 * (one + busy), 0},
        /* Written blocks leave when they are evicted, or when the iteration ends. */
        {"w4a w5a w6a w7a", 2, 1, BYTES, 8, 1, one + busy, 0},
        {"w4a w5b w6a w7b", 2, 1, BYTES, 8, 4, 4 * (one + busy), 0},
        {"w4a w5b w6a w7b", 2, 1, 2 * BYTES, 8, 2, 2 * (one + busy), 0},
        {"w4a w5a w6a w7a", 2, 1, 0, 8, 4, 4 * (one + busy), 0},
        /* The second worker of a node finds what the first has read. */
        {"r4a r7a", 4, 2, 0, 8, 2, one + busy, 0},
        {"r4a r7a", 4, 2, BYTES, 8, 1, one + busy, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&(struct row){"static", rows[i].n_tasks, 1,
                                network(rows[i].n_workers, rows[i].node_size, rows[i].cache_bytes),
                                rows[i].data,
                                (double)rows[i].n_tasks / rows[i].n_workers + rows[i].waits_s,
                                rows[i].communication_s, 0, rows[i].messages});
}

TEST(within_a_node_no_card_takes_part)
{
    const double wait_s = 2 * o + 2e-5 + BYTES / 1e7;
    struct row row = {"static", 6, 1, network(6, 6, 0), "r1a r2b r3c r4d r5e", .messages = 5};
    row.machine.has_levels = true;
    row.machine.node_latency_s = 1e-5;
    row.machine.node_bandwidth = 1e7;
    row.makespan_s = 1 + wait_s;
    row.communication_s = 5 * wait_s;
    check_row(&row);
}

/* Four of twelve tasks wait four seconds each for a block of the third worker: 28 s in all, 20 of them on
 * the first worker. Only durations with the waits show it. */
TEST(waits_are_balanced)
{
    struct row row = {"persist", 12, 1, network(3, 1, 0), .data = "r0a@2 r1b@2 r2c@2 r3d@2"};
    row.machine.bandwidth = BYTES / 4.0;
    assert_true(run_row(&row, 2).makespan_s < 14);
    row.line = "auto";
    assert_true(run_row(&row, 2).makespan_s < 14);
}

static double for_ever(const struct simulated *self, int64_t task)
{
    (void)self;
    return task == 7 ? INFINITY : 1e8;
}

TEST(times_beyond_the_clock_are_refused)
{
    static struct simulated pools[2];
    pools[0] = (struct simulated){
        .command_line = "--sched=static", .time_s = 1, .machine = network(2, 1, 0)};
    pools[1] = (struct simulated){
        .command_line = "--sched=steal", .seconds = for_ever, .machine = network(5, 1, 0)};
    simulated_data_init(&data, 8, BYTES, "r7a");
    for (int i = 0; i < 2; i++) {
        pool = pools[i];
        pool.n_tasks = 8;
        pool.machine.data = i == 0 ? &data.table : NULL;
        pool.machine.bandwidth = i == 0 ? 1e-300 : 0;
        simulated_create(&pool);
        check_status(STATUS_LIMIT, taskpool_run(pool.pool));
        taskpool_destroy(pool.pool);
    }
}

/* Ten seconds in the eight tenths of the time that are left, but for the phase. */
TEST(noise_delays_tasks)
{
    struct taskpool_noise noise;
    check_ok(taskpool_noise_init_periodic(&noise, 0.1, 0.02));
    const struct row row = {"static", 30, 1, {.n_workers = 3, .noise = &noise}, .data = NULL};
    check_close(run_row(&row, 1).makespan_s, 12.5, 0.02);
    taskpool_noise_fini(&noise);
}

/* Two ways take 2 ms on average, or with power 2 twice that, in addition to a task's 1 ms. */
TEST(latencies_have_their_mean)
{
    struct row row = {"counter", 3000, 1e-3, {.n_workers = 2, .node_size = 1}, .data = NULL};
    row.machine.latency_spread_s = 1e-3;
    check_close(run_row(&row, 1).makespan_s, 1500 * 3e-3, 0.2);
    row.machine.latency_power = 2;
    check_close(run_row(&row, 1).makespan_s, 1500 * 5e-3, 0.4);
}

/* The workers of a node send steal requests while no worker has tasks to give: with a server
 * the messages of a node are handled one at a time. Sixteen workers share what each had for itself. */
TEST(a_server_answers_one_after_another)
{
    struct row row = {"steal --progress=thread",
                      1,
                      0.01,
                      {.n_workers = 64, .node_size = 16, .latency_s = 1e-6, .overhead_s = 1e-4},
                      .data = NULL};
    struct taskpool_iteration own = run_row(&row, 1);
    row.machine.node_server = true;
    struct taskpool_iteration shared = run_row(&row, 1);
    assert_true(shared.steals_attempted.mean / shared.makespan_s <
                own.steals_attempted.mean / own.makespan_s / 5);
}

static bool all_but_each_hundredth(int64_t first, int64_t last, const void *context)
{
    (void)context;
    return first / 100 == (last - 1) / 100 && first % 100 != 0;
}

static double hundredths(const struct simulated *self, int64_t task)
{
    (void)self;
    return task % 100 == 0 ? 0.01 : 1e-7;
}

/* Shared among several they end soon after the ideal. */
TEST(null_tasks_take_their_time)
{
    pool = (struct simulated){.command_line = "--sched=steal",
                              .n_tasks = SIMULATED_TASKS,
                              .seconds = hundredths,
                              .machine = {.n_workers = 1, .are_null = all_but_each_hundredth}};
    simulated_run(&pool);
    check_close(pool.figures[0].makespan_s, SIMULATED_TASKS * (0.01 + 99e-7) / 100, 1e-9);
    pool.machine.n_workers = 10;
    pool.machine.latency_s = 1e-6;
    simulated_run(&pool);
    assert_true(pool.figures[0].efficiency > 0.9);
}

/* --- a worker that waits learns of its message's completion at that time --- */

static double sent_s;

struct clock_state {
    struct taskpool_comm *comm;
    bool began, ends;
};

static int clock_init(void *state, const struct taskpool_mode_setup *setup,
                      struct taskpool_comm *comm)
{
    (void)setup;
    *(struct clock_state *)state = (struct clock_state){.comm = comm};
    return TASKPOOL_STATUS_OK;
}

/* Worker 0 sends a message with bulk, and when it is complete one to each. */
static enum taskpool_mode_step clock_next(void *state, struct taskpool_mode_work *work)
{
    struct clock_state *self = state;
    static const char bulk[100];
    (void)work;
    if (self->comm->rank == 0 && !self->began)
        taskpool_comm_send_bulk(self->comm, 1,
                                &(struct taskpool_comm_message){"M", 1, bulk, sizeof bulk, 0});
    self->began = true;
    return self->ends ? TASKPOOL_MODE_DONE : TASKPOOL_MODE_SEARCH;
}

static void clock_sent(void *state, int64_t token)
{
    struct clock_state *self = state;
    (void)token;
    sent_s = taskpool_comm_now(self->comm);
    taskpool_comm_send(self->comm, 0, "A", 1);
    taskpool_comm_send(self->comm, 1, "A", 1);
}

static void clock_receive(void *state, int from, const void *message, size_t size)
{
    (void)from, (void)message;
    ((struct clock_state *)state)->ends = size == 1;
}

TEST(completions_find_the_clock_at_their_time)
{
    static struct taskpool_mode clock;
    clock = *mode_find("static"); /* what is not called, or has no task */
    clock.name = "clock";
    clock.init = clock_init;
    clock.fini = NULL;
    clock.seed = NULL;
    clock.next = clock_next;
    clock.receive = clock_receive;
    clock.sent = clock_sent;
    check_ok(taskpool_register_mode(&clock));
    const struct row row = {"clock", 0, 0, {.n_workers = 2, .latency_s = L}, .data = NULL};
    check_close(run_row(&row, 1).makespan_s, 2 * L, 1e-12);
    check_close(sent_s, L, 1e-12);
}

TEST_SETUP(check_begin_mpi)
TEST_TEARDOWN(check_end_mpi)
