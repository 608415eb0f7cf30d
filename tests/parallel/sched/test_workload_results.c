/* SPDX-License-Identifier: BSD-3-Clause */
/* Workloads have the same results, bit for bit, under every mode, on any number of processes and in every
 * iteration, trees also simulated. A structure search finds a known network again; Jacobi's relaxation is
 * that of plain loops over one array. */
#include "sched/lab/workloads/workload.h"
#include "support/base/random.h"
#include "support/base/sha256.h"
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

/* --- relaxation: plain loops over u[nx + 2][ny + 2][nz + 2] --- */

enum { N_SWEEPS = 6 };

static double wave(int n)
{
    return 2 - 2 * cos(3.141592653589793 / (n + 1));
}

static double sine(int i, int n)
{
    return sin(M_PI * i / (n + 1));
}

/* Sums in the order of jacobi.h, to its last bit. Returns the largest change. */
static double sweep(const int n[3], const double *u, double *v)
{
    double largest = 0, e = (wave(n[0]) + wave(n[1])) + wave(n[2]);
    const int64_t sy = n[2] + 2, sx = (n[1] + 2) * sy;
    for (int x = 1; x <= n[0]; x++)
        for (int y = 1; y <= n[1]; y++)
            for (int z = 1; z <= n[2]; z++) {
                const double *p = u + x * sx + y * sy + z;
                double sum = p[-sy] + p[sy] + p[-sx] + p[sx] + p[-1] + p[1] +
                             ((e * sine(y, n[1])) * sine(x, n[0])) * sine(z, n[2]);
                v[p - u] = sum * (1.0 / 6);
                largest = fmax(largest, fabs(v[p - u] - *p));
            }
    return largest;
}

static void check_plain_loops(const int n[3], const json_t *result)
{
    const int64_t sy = n[2] + 2, sx = (n[1] + 2) * sy;
    double *u[2], residual = 0;
    for (int i = 0; i < 2; i++) {
        u[i] = malloc((size_t)((n[0] + 2) * sx) * sizeof **u);
        assert_non_null(u[i]);
        for (int x = 0; x <= n[0] + 1; x++)
            for (int y = 0; y <= n[1] + 1; y++)
                for (int z = 0; z <= n[2] + 1; z++)
                    u[i][x * sx + y * sy + z] =
                        (double)x / (n[0] + 1) + 2.0 * y / (n[1] + 1) + 3.0 * z / (n[2] + 1);
    }
    for (int i = 0; i < N_SWEEPS; i++)
        residual = sweep(n, u[i % 2], u[(i + 1) % 2]);
    struct sha256 *sha256;
    char hex[SHA256_HEX_SIZE];
    check_ok(sha256_create(&sha256));
    for (int x = 1; x <= n[0]; x++)
        for (int y = 1; y <= n[1]; y++)
            sha256_add(sha256, u[N_SWEEPS % 2] + x * sx + y * sy + 1, (size_t)n[2] * sizeof **u);
    sha256_finish(sha256, hex);
    sha256_destroy(sha256);
    assert_true(json_real_value(json_object_get(result, "residual")) == residual);
    assert_string_equal(json_string_value(json_object_get(result, "jacobi_sha256")), hex);
    free(u[0]);
    free(u[1]);
}

/* The last has fewer planes than there are processes. */
TEST(every_mode_gives_the_bits_of_plain_loops)
{
    static const int sizes[][3] = {{5, 13, 19}, {1, 40, 7}, {33, 2, 8}};
    static const char *const hybrids[] = {"--sched=hybrid --static-fraction=0 --no-locality",
                                          "--sched=hybrid --static-fraction=0",
                                          "--sched=hybrid --static-fraction=0.5 --tasklets=2",
                                          "--sched=hybrid --static-fraction=0.5 --skew"};
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++) {
        char text[64];
        snprintf(text, sizeof text, "%d,%d,%d", sizes[i][0], sizes[i][1], sizes[i][2]);
        const struct workload_settings settings = {.jacobi = text, .n_sweeps = N_SWEEPS};
        for (int h = 0; h < 4; h++) {
            json_t *result = result_of(&settings, hybrids[h], MPI_COMM_WORLD, false);
            if (rank == 0)
                check_plain_loops(sizes[i], result);
            json_decref(result);
        }
        json_t *alone = result_of(&settings, "--sched=static", MPI_COMM_SELF, false);
        check_plain_loops(sizes[i], alone);
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
