/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode diffusion, simulated: tasks leave the workers above the average, no worker is lifted far
 * above it, and where nothing can be moved, or nothing need be, nothing is. */
#include "sched/pool/balancing/grapevine.h"
#include "sched/pool/core/comm.h"
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <string.h>

enum { N_WORKERS = 256, N_ITERATIONS = 4 };

static double rising(int64_t task, const void *record, const void *context)
{
    (void)record;
    (void)context;
    return 1e-4 * (1 + 10.0 * (double)task / (100 * N_WORKERS));
}

static double equal(int64_t task, const void *record, const void *context)
{
    (void)task, (void)record, (void)context;
    return 1.0 / 1024; /* sums are exact */
}

static double one_giant(int64_t task, const void *record, const void *context)
{
    (void)record;
    (void)context;
    return task == 0 ? 1 : 1e-6;
}

/* Statistics of each iteration. */
static void simulate(int64_t n_tasks, double (*time)(int64_t, const void *, const void *),
                     struct taskpool_iteration *iterations)
{
    struct taskpool_problem problem = {.n_tasks = n_tasks};
    struct taskpool_machine machine = {.n_workers = N_WORKERS, .latency_s = 1e-6, .time = time};
    struct taskpool_settings settings;
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    settings.mode = "diffusion";
    check_ok(taskpool_simulate(&problem, &settings, &machine, &pool));
    for (int i = 0; i < N_ITERATIONS; i++) {
        if (i > 0)
            check_ok(taskpool_restore(pool));
        check_ok(taskpool_run(pool));
        iterations[i] = *taskpool_statistics(pool, i);
    }
    taskpool_destroy(pool);
}

TEST(loads_become_even)
{
    struct taskpool_iteration iterations[N_ITERATIONS];
    simulate(100 * N_WORKERS, rising, iterations);
    assert_true(iterations[0].imbalance > 0.8);
    assert_int_equal(iterations[0].tasks_moved, 0);
    assert_true(iterations[1].imbalance < 0.2);
    assert_true(iterations[3].imbalance < 0.051); /* --gossip-threshold */
    assert_true(iterations[1].tasks_moved > iterations[3].tasks_moved);
}

TEST(even_loads_stay)
{
    struct taskpool_iteration iterations[N_ITERATIONS];
    simulate(10 * N_WORKERS, equal, iterations);
    for (int i = 0; i < N_ITERATIONS; i++)
        assert_int_equal(iterations[i].tasks_moved, 0);
}

TEST(a_task_longer_than_the_average_stays)
{
    struct taskpool_iteration iterations[N_ITERATIONS];
    simulate(N_WORKERS, one_giant, iterations);
    for (int i = 0; i < N_ITERATIONS; i++)
        check_close(iterations[i].makespan_s, 1, 1e-3);
}

/* One worker of four, without the others: its messages are counted by round. */
enum { GOSSIP_KIND = 100, MOST_ROUNDS = 16 };
static int n_sent[MOST_ROUNDS];

static void count_gossip(struct taskpool_comm *comm, int to,
                         const struct taskpool_comm_message *message)
{
    const struct gossip_message *gossip = message->head;
    (void)comm;
    (void)to;
    if (gossip->kind != GOSSIP_KIND)
        return;
    assert_in_range(gossip->round, 1, MOST_ROUNDS - 1);
    n_sent[gossip->round]++;
}

TEST(gossip_is_passed_on_once_in_each_round)
{
    static const struct taskpool_comm_functions functions = {.send = count_gossip};
    struct taskpool_comm comm = {.functions = &functions, .rank = 1, .size = 4};
    struct gossip gossip;
    comm_seed_random(&comm, 1, 1);
    gossip_init(&gossip, &comm, GOSSIP_KIND, GOSSIP_KIND + 1);
    int last = (int)gossip.n_rounds;
    for (int repeat = 0; repeat < 2; repeat++)
        for (int round = last; round >= 1; round--) {
            const struct gossip_message message = {
                .kind = GOSSIP_KIND, .round = round, .n = 1, .loads = {{.worker = 2}}};
            gossip_receive(&gossip, 2, &message);
            if (repeat == 0 && round == 2)
                gossip_tell(&gossip, 0.5);
        }
    assert_int_equal(n_sent[1], GOSSIP_FAN_OUT); /* its own load, in round 2 of the others */
    assert_int_equal(n_sent[last], GOSSIP_FAN_OUT);
    /* Earlier rounds after the last would tell nothing that is not known; none follows it. */
    for (int round = 2; round < last; round++)
        assert_int_equal(n_sent[round], 0);
    assert_int_equal(n_sent[last + 1], 0);
    assert_int_equal(gossip.n_known, 2);
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
