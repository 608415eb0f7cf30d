/* SPDX-License-Identifier: BSD-3-Clause */
/* The structure search has the same scores, network and edges bit for bit under every mode, on
 * any number of processes and in every iteration, and finds a known network again. */
#include "sched/lab/workloads/workload.h"
#include "tests/cases/bnsl_case.h"
#include "tests/cases/pool_cases.h"

#include <mpi.h>
#include <unistd.h>

static char data_path[64], network_path[64];

/* A parent of each child in the same state makes it likelier to be there. */
static void write_known_network(FILE *data, FILE *network)
{
    enum { N = 12 };
    struct random_stream random;
    random_stream_init(&random, 1, 0);
    fprintf(network, "parent,child\n");
    for (int i = 0; i < N; i++) {
        fprintf(data, "X%d%c", i, i == N - 1 ? '\n' : ',');
        if (i % 3 == 2)
            fprintf(network, "X%d,X%d\nX%d,X%d\n", i - 2, i, i - 1, i);
        else if (i >= 3)
            fprintf(network, "X%d,X%d\n", i - i % 3 - 1, i);
    }
    for (int s = 0; s < 3000; s++) {
        int x[N];
        for (int i = 0; i < N; i++) {
            double p = 0.5;
            if (i % 3 == 2)
                p = x[i - 2] && x[i - 1] ? 0.9 : 0.1;
            else if (i >= 3)
                p = x[i - i % 3 - 1] ? 0.8 : 0.25;
            x[i] = random_unit(&random) < p;
            fprintf(data, "%d%c", x[i], i == N - 1 ? '\n' : ',');
        }
    }
}

static void write_files(int rank)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(data_path, sizeof data_path, "test_bnsl_scores.%d.csv", size);
    snprintf(network_path, sizeof network_path, "test_bnsl_scores.%d.network.csv", size);
    if (rank == 0) {
        FILE *data = fopen(data_path, "w"), *network = fopen(network_path, "w");
        assert_non_null(data);
        assert_non_null(network);
        write_known_network(data, network);
        fclose(data);
        fclose(network);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The result of two iterations; on process 0. */
static json_t *search(const char *mode, MPI_Comm comm)
{
    struct taskpool_settings settings = pool_case_settings(mode);
    struct workload_settings workload_settings = {.bnsl = data_path,
                                                  .bnsl_network = network_path,
                                                  .bnsl_candidates = 9,
                                                  .bnsl_hypercube = 2,
                                                  .bnsl_kicks = 200,
                                                  .time_scale = 1,
                                                  .seed = 1};
    struct workload *workload;
    json_t *result = json_object();
    check_ok(workload_create(&workload_settings, comm, &workload));
    check_ok(taskpool_create(comm, &workload->problem, &settings, &workload->pool));
    for (int iteration = 0; iteration < 2; iteration++) {
        if (iteration > 0)
            check_ok(taskpool_restore(workload->pool));
        check_ok(taskpool_run(workload->pool));
        check_ok(workload->end_iteration(workload, comm));
    }
    workload->add_result(workload, result);
    taskpool_destroy(workload->pool);
    workload_destroy(workload);
    return result;
}

static void check_known(const json_t *result)
{
    assert_int_equal(json_integer_value(json_object_get(result, "variables")), 12);
    assert_int_equal(json_integer_value(json_object_get(result, "samples")), 3000);
    assert_int_equal(json_integer_value(json_object_get(result, "shd")), 0);
    assert_int_equal(json_integer_value(json_object_get(result, "skeleton_missing")), 0);
    assert_int_equal(json_integer_value(json_object_get(result, "skeleton_extra")), 0);
    assert_int_equal(json_array_size(json_object_get(result, "edges")), 14);
}

TEST(every_mode_finds_the_same_network)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    write_files(rank);
    json_t *alone = search("--sched=static", MPI_COMM_SELF);
    check_known(alone);
    for (int i = 0; i < pool_case_count(true); i++) {
        if (strstr(pool_case_find(i, true), "owner"))
            continue; /* no process owns a set of parents */
        json_t *result = search(pool_case_find(i, true), MPI_COMM_WORLD);
        if (rank == 0)
            assert_true(json_equal(result, alone));
        json_decref(result);
    }
    json_decref(alone);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        unlink(data_path);
        unlink(network_path);
    }
}
