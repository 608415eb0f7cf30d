/* SPDX-License-Identifier: BSD-3-Clause */
/* Workloads have the same results, bit for bit, under every mode, on any number of processes and in every
 * iteration, trees also simulated. A structure search finds a known network again; Jacobi's relaxation has
 * the known residual. */
#include "sched/lab/workloads/workload.h"
#include "support/base/random.h"
#include "tests/cases/pool_cases.h"

#include <unistd.h>

/* Of two iterations, or all sweeps: over comm, or on 16 simulated workers. */
static json_t *result_of(const struct workload_settings *workload_settings, const char *mode,
                         MPI_Comm comm, bool is_simulated)
{
    struct taskpool_settings settings = pool_case_settings(mode);
    struct workload *workload;
    json_t *result = json_object();
    check_ok(workload_create(workload_settings, comm, &workload));
    const struct taskpool_machine machine = {.n_workers = 16,
                                             .latency_s = 2e-6,
                                             .overhead_s = 5e-7,
                                             .time = workload->time,
                                             .context = workload};
    if (is_simulated)
        check_ok(taskpool_simulate(&workload->problem, &settings, &machine, &workload->pool));
    else
        check_ok(taskpool_create(comm, &workload->problem, &settings, &workload->pool));
    if (workload->begin)
        check_ok(workload->begin(workload, comm));
    for (int i = 0; i < (workload_settings->n_sweeps > 0 ? workload_settings->n_sweeps : 2); i++) {
        if (i > 0)
            check_ok(taskpool_restore(workload->pool));
        check_ok(taskpool_run(workload->pool));
        check_ok(workload->end_iteration(workload, comm));
    }
    workload->add_result(workload, result);
    taskpool_destroy(workload->pool);
    workload_destroy(workload);
    return result;
}

/* Every mode that can run the workload has the expected result. Frees it. */
static void check_modes(const struct workload_settings *settings, json_t *expected)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < pool_case_count(true); i++) {
        const char *mode = pool_case_find(i, true);
        struct taskpool_settings parsed = pool_case_settings(mode);
        if ((settings->bnsl || settings->uts) && parsed.seeding == TASKPOOL_SEEDING_OWNER)
            continue;
        if (settings->uts && !mode_find(parsed.mode)->add)
            continue;
        for (int is_simulated = 0; is_simulated < 1 + (settings->uts != NULL); is_simulated++) {
            json_t *result = result_of(settings, mode, MPI_COMM_WORLD, is_simulated);
            if (rank == 0 && !json_equal(result, expected))
                fail_msg("%s: %s", mode, json_dumps(result, 0));
            json_decref(result);
        }
    }
    json_decref(expected);
}

/* --- structure search --- */

enum { N = 12, N_SAMPLES = 3000 };

/* Two parents that are both 1, or one, make a 1 likelier. */
static void write_known_network(const char *data_path, const char *network_path)
{
    FILE *data = fopen(data_path, "w"), *network = fopen(network_path, "w");
    struct random_stream random;
    assert_non_null(data);
    assert_non_null(network);
    random_stream_init(&random, 1, 0);
    fprintf(network, "parent,child\n");
    for (int i = 0; i < N; i++) {
        fprintf(data, "X%d%c", i, i == N - 1 ? '\n' : ',');
        if (i % 3 == 2)
            fprintf(network, "X%d,X%d\nX%d,X%d\n", i - 2, i, i - 1, i);
        else if (i >= 3)
            fprintf(network, "X%d,X%d\n", i - i % 3 - 1, i);
    }
    for (int s = 0; s < N_SAMPLES; s++) {
        int x[N];
        for (int i = 0; i < N; i++) {
            double p = i < 3 ? 0.5 : x[i - i % 3 - 1] ? 0.8 : 0.25;
            if (i % 3 == 2)
                p = x[i - 2] && x[i - 1] ? 0.9 : 0.1;
            x[i] = random_unit(&random) < p;
            fprintf(data, "%d%c", x[i], i == N - 1 ? '\n' : ',');
        }
    }
    fclose(data);
    fclose(network);
}

TEST(every_mode_finds_the_known_network)
{
    int rank, size;
    char data_path[64], network_path[64];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(data_path, sizeof data_path, "test_workload_results.%d.csv", size);
    snprintf(network_path, sizeof network_path, "test_workload_results.%d.network.csv", size);
    if (rank == 0)
        write_known_network(data_path, network_path);
    MPI_Barrier(MPI_COMM_WORLD);
    const struct workload_settings settings = {.bnsl = data_path,
                                               .bnsl_network = network_path,
                                               .bnsl_candidates = 9,
                                               .bnsl_hypercube = 2,
                                               .bnsl_kicks = 200,
                                               .time_scale = 1,
                                               .seed = 1};
    json_t *alone = result_of(&settings, "--sched=static", MPI_COMM_SELF, false);
    int variables, samples, shd, missing, extra;
    const json_t *edges;
    assert_int_equal(json_unpack(alone, "{si si si si si so}", "variables", &variables, "samples",
                                 &samples, "shd", &shd, "skeleton_missing", &missing,
                                 "skeleton_extra", &extra, "edges", &edges),
                     0);
    assert_true(variables == N && samples == N_SAMPLES && !shd && !missing && !extra);
    assert_int_equal(json_array_size(edges), 14);
    check_modes(&settings, alone);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        unlink(data_path);
        unlink(network_path);
    }
}

/* --- relaxation --- */

enum { N_SWEEPS = 6 };

static double factor(int n)
{
    return 2 - 2 * cos(M_PI / (n + 1));
}

/* Sweep k changes the solution by e (1 - e)^(k - 1) times a product of sines, which is 1 in the middle of odd numbers
 * of points. The last box has fewer planes than there are processes. */
TEST(every_mode_gives_the_bits_of_one_process)
{
    static const int sizes[][3] = {{5, 13, 19}, {1, 41, 7}, {33, 3, 9}};
    static const char *const hybrids[] = {"--sched=hybrid --static-fraction=0 --no-locality",
                                          "--sched=hybrid --static-fraction=0",
                                          "--sched=hybrid --static-fraction=0.5 --tasklets=2",
                                          "--sched=hybrid --static-fraction=0.5 --skew"};
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++) {
        char text[64];
        const int *n = sizes[i];
        double e = (factor(n[0]) + factor(n[1]) + factor(n[2])) / 6;
        snprintf(text, sizeof text, "%d,%d,%d", n[0], n[1], n[2]);
        const struct workload_settings settings = {.jacobi = text, .n_sweeps = N_SWEEPS};
        json_t *alone = result_of(&settings, "--sched=static", MPI_COMM_SELF, false);
        check_close(json_real_value(json_object_get(alone, "residual")),
                    e * pow(1 - e, N_SWEEPS - 1), 1e-13);
        for (int h = 0; h < 4; h++) {
            json_t *result = result_of(&settings, hybrids[h], MPI_COMM_WORLD, false);
            assert_true(rank > 0 || json_equal(result, alone));
            json_decref(result);
        }
        check_modes(&settings, alone);
    }
}

/* --- trees --- */

/* A broad tree and a deep one. */
TEST(every_mode_counts_the_nodes)
{
    const char *const trees[] = {"-t 1 -a 3 -d 6 -b 4 -r 19", "-t 0 -b 500 -q 0.12 -m 8 -r 42"};
    for (int i = 0; i < 2; i++) {
        struct workload_settings settings = {.uts = trees[i], .time_scale = 1};
        json_t *alone = result_of(&settings, "--sched=steal", MPI_COMM_SELF, false);
        assert_in_range(json_integer_value(json_object_get(alone, "nodes")), 5000, 50000);
        check_modes(&settings, alone);
    }
}
