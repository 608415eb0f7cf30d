/* SPDX-License-Identifier: BSD-3-Clause */
/* Under every mode, on any number of processes, sweeps of Jacobi's relaxation give the
 * bits of plain loops over one array. */
#include "sched/lab/workloads/workload.h"
#include "support/base/sha256.h"
#include "tests/cases/pool_cases.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

/* The last has fewer planes than there are processes. */
static const int sizes[][3] = {{5, 13, 19}, {1, 40, 7}, {33, 2, 8}};

enum { n_sizes = sizeof sizes / sizeof sizes[0], n_sweeps = 6 };

static const char *const hybrid_cases[] = {
    "--sched=hybrid --static-fraction=0 --no-locality",
    "--sched=hybrid --static-fraction=0",
    "--sched=hybrid --static-fraction=0.5 --tasklets=2",
    "--sched=hybrid --static-fraction=0.5 --skew",
};

enum { n_hybrid_cases = sizeof hybrid_cases / sizeof hybrid_cases[0] };

struct outcome {
    double residual;
    char sha256[SHA256_HEX_SIZE];
};

/* --- plain loops over u[nx + 2][ny + 2][nz + 2] --- */

static double sine(int i, int n)
{
    return sin(M_PI * i / (n + 1));
}

static double wave(int n)
{
    return 2 - 2 * cos(3.141592653589793 / (n + 1));
}

static double source(const int n[3], int x, int y, int z)
{
    double e = (wave(n[0]) + wave(n[1])) + wave(n[2]);
    return ((e * sine(y, n[1])) * sine(x, n[0])) * sine(z, n[2]);
}

static size_t at(const int n[3], int x, int y, int z)
{
    return ((size_t)x * (size_t)(n[1] + 2) + (size_t)y) * (size_t)(n[2] + 2) + (size_t)z;
}

static void begin(const int n[3], double *u)
{
    for (int x = 0; x <= n[0] + 1; x++)
        for (int y = 0; y <= n[1] + 1; y++)
            for (int z = 0; z <= n[2] + 1; z++)
                u[at(n, x, y, z)] =
                    (double)x / (n[0] + 1) + 2.0 * y / (n[1] + 1) + 3.0 * z / (n[2] + 1);
}

/* The largest change. */
static double sweep(const int n[3], const double *u, double *v)
{
    double largest = 0;
    for (int x = 1; x <= n[0]; x++)
        for (int y = 1; y <= n[1]; y++)
            for (int z = 1; z <= n[2]; z++) {
                double sum = u[at(n, x, y - 1, z)];
                sum += u[at(n, x, y + 1, z)];
                sum += u[at(n, x - 1, y, z)];
                sum += u[at(n, x + 1, y, z)];
                sum += u[at(n, x, y, z - 1)];
                sum += u[at(n, x, y, z + 1)];
                sum += source(n, x, y, z);
                v[at(n, x, y, z)] = sum * (1.0 / 6);
                largest = fmax(largest, fabs(v[at(n, x, y, z)] - u[at(n, x, y, z)]));
            }
    return largest;
}

static void find_digest(const int n[3], const double *u, char hex[SHA256_HEX_SIZE])
{
    struct sha256 *sha256;
    check_ok(sha256_create(&sha256));
    for (int x = 1; x <= n[0]; x++)
        for (int y = 1; y <= n[1]; y++)
            sha256_add(sha256, u + at(n, x, y, 1), (size_t)n[2] * sizeof *u);
    sha256_finish(sha256, hex);
    sha256_destroy(sha256);
}

static struct outcome plain_outcome(const int n[3])
{
    struct outcome outcome = {0};
    size_t size = at(n, n[0] + 2, 0, 0);
    double *u = malloc(size * sizeof *u), *v = malloc(size * sizeof *v);
    assert_non_null(u);
    assert_non_null(v);
    begin(n, u);
    begin(n, v);
    for (int i = 0; i < n_sweeps; i++) {
        outcome.residual = sweep(n, u, v);
        double *other = u;
        u = v;
        v = other;
    }
    find_digest(n, u, outcome.sha256);
    free(u);
    free(v);
    return outcome;
}

/* --- the task pool --- */

static struct outcome pool_outcome(const int n[3], const char *mode)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    struct taskpool_settings settings = pool_case_settings(mode);
    struct workload *workload;
    char text[64];
    snprintf(text, sizeof text, "%d,%d,%d", n[0], n[1], n[2]);
    check_ok(workload_create(&(struct workload_settings){.jacobi = text, .n_sweeps = n_sweeps},
                             comm, &workload));
    check_ok(taskpool_create(comm, &workload->problem, &settings, &workload->pool));
    for (int i = 0; i < n_sweeps; i++) {
        if (i > 0)
            check_ok(taskpool_restore(workload->pool));
        check_ok(taskpool_run(workload->pool));
        check_ok(workload->end_iteration(workload, comm));
    }
    json_t *result = json_object();
    workload->add_result(workload, result);
    struct outcome outcome = {.residual = json_real_value(json_object_get(result, "residual"))};
    snprintf(outcome.sha256, sizeof outcome.sha256, "%s",
             json_string_value(json_object_get(result, "jacobi_sha256")));
    json_decref(result);
    taskpool_destroy(workload->pool);
    workload_destroy(workload);
    return outcome;
}

static void check_case(const int n[3], const char *mode)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct outcome expected = plain_outcome(n), outcome = pool_outcome(n, mode);
    if (outcome.residual != expected.residual || strcmp(outcome.sha256, expected.sha256) != 0)
        print_message("%s, %d x %d x %d\n", mode, n[0], n[1], n[2]);
    assert_true(outcome.residual == expected.residual);
    if (rank == 0)
        assert_string_equal(outcome.sha256, expected.sha256);
}

TEST(every_mode_gives_the_bits_of_plain_loops)
{
    for (int size = 0; size < n_sizes; size++)
        for (int i = 0; i < pool_case_count(true); i++)
            check_case(sizes[size], pool_case_find(i, true));
}

TEST(every_hybrid_gives_the_bits_of_plain_loops)
{
    for (int size = 0; size < n_sizes; size++)
        for (int i = 0; i < n_hybrid_cases; i++)
            check_case(sizes[size], hybrid_cases[i]);
}
