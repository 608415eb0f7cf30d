/* SPDX-License-Identifier: BSD-3-Clause */
/* The trees T1 and T3 of the UTS benchmark have the published sizes under every mode with dynamic
 * pools: on several processes, and on 16 simulated workers. */
#include "sched/lab/workloads/workload.h"
#include "taskpool/simulation.h"
#include "tests/cases/pool_cases.h"
#include "tests/check.h"

#include <mpi.h>

static const char *const modes[] = {"--sched=share --managers=2", "--sched=steal",
                                    "--sched=retentive", "--sched=auto"};

static const struct {
    const char *name;
    int64_t nodes, leaves, depth;
} trees[] = {
    {"T1", 4130071, 3305118, 10},
    {"T3", 4112897, 3599034, 1572},
};

#define N_OF(array) (sizeof(array) / sizeof(array)[0])

static int64_t result_of(const struct workload *workload, const char *key)
{
    json_t *result = json_object();
    workload->add_result(workload, result);
    int64_t value = json_integer_value(json_object_get(result, key));
    json_decref(result);
    return value;
}

/* n_simulated: workers; 0: those that there are */
static void check_counts(size_t tree, const char *mode, int n_simulated)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    struct taskpool_settings settings = pool_case_settings(mode);
    struct workload *workload;
    check_ok(workload_create(&(struct workload_settings){.uts = trees[tree].name, .time_scale = 1},
                             comm, &workload));
    struct taskpool_machine machine = {.n_workers = n_simulated,
                                       .latency_s = 2e-6,
                                       .overhead_s = 5e-7,
                                       .time = workload->time,
                                       .context = workload};
    if (n_simulated > 0)
        check_ok(taskpool_simulate(&workload->problem, &settings, &machine, &workload->pool));
    else
        check_ok(taskpool_create(comm, &workload->problem, &settings, &workload->pool));
    check_ok(workload->begin(workload, comm));
    check_ok(taskpool_run(workload->pool));
    check_ok(workload->end_iteration(workload, comm));
    assert_int_equal(result_of(workload, "nodes"), trees[tree].nodes);
    assert_int_equal(result_of(workload, "leaves"), trees[tree].leaves);
    assert_int_equal(result_of(workload, "depth"), trees[tree].depth);
    assert_int_equal(taskpool_statistics(workload->pool, 0)->tasks, trees[tree].nodes);
    taskpool_destroy(workload->pool);
    workload_destroy(workload);
}

TEST(real_workers_count_the_published_sizes)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    /* A single worker has no other to share with, and more than processors disturb each other:
     * one tree for each mode shows that it ends, and counts. */
    for (size_t tree = 0; tree < N_OF(trees); tree++)
        for (size_t mode = 0; mode < N_OF(modes); mode++)
            if (size == 2 || mode % N_OF(trees) == tree)
                check_counts(tree, modes[mode], 0);
}

TEST(simulated_workers_count_the_published_sizes)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1)
        skip();
    for (size_t tree = 0; tree < N_OF(trees); tree++)
        for (size_t mode = 0; mode < N_OF(modes); mode++)
            if (tree == 0 || mode == 1)
                check_counts(tree, modes[mode], 16);
}
