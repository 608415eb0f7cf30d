/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweeps of Jacobi's relaxation give the known solution of every sweep; on a simulated machine the
 * tasks are numbered by the blocks of its nodes. */
#include "sched/lab/workloads/jacobi.h"
#include "sched/lab/workloads/workload.h"
#include "tests/check.h"

/* --- the equation --- */

static double sine(int64_t i, int64_t n)
{
    return sin(M_PI * (double)i / (double)(n + 1));
}

/* Largest |u - g - (1 - (1 - e / 6)^k) s_x s_y s_z|, the boundary included. */
static double largest_error(const struct jacobi *jacobi, const double *u, int k)
{
    const int64_t *n = jacobi->n;
    double fraction = 1 - pow(1 - jacobi->eigenvalue / 6, k), error = 0;
    for (int64_t y = 0; y < n[1] + 2; y++)
        for (int64_t x = 0; x < n[0] + 2; x++)
            for (int64_t z = 0; z < n[2] + 2; z++) {
                double expected = (double)x / (double)(n[0] + 1) +
                                  2 * (double)y / (double)(n[1] + 1) +
                                  3 * (double)z / (double)(n[2] + 1) +
                                  fraction * sine(x, n[0]) * sine(y, n[1]) * sine(z, n[2]);
                double value = u[y * jacobi_plane_size(jacobi) + x * (n[2] + 2) + z];
                error = fmax(error, fabs(value - expected));
            }
    return error;
}

static void check_sweeps(const char *points, int n_sweeps)
{
    struct jacobi jacobi;
    check_ok(jacobi_init(points, &jacobi));
    const int64_t plane = jacobi_plane_size(&jacobi), ny = jacobi.n[1];
    size_t n = (size_t)(plane * (ny + 2));
    double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v);
    assert_non_null(u);
    assert_non_null(v);
    for (int64_t y = 0; y < ny + 2; y++) {
        jacobi_fill_plane(&jacobi, y, u + y * plane);
        jacobi_fill_plane(&jacobi, y, v + y * plane);
    }
    for (int k = 1; k <= n_sweeps; k++) {
        double change = 0;
        for (int64_t y = 1; y <= ny; y++)
            change =
                fmax(change, jacobi_update_plane(&jacobi, y, u + y * plane, plane, v + y * plane));
        check_close(largest_error(&jacobi, v, k), 0, 1e-13);
        /* Near the middle of the box the sines are nearly 1. */
        double largest = jacobi.eigenvalue / 6 * pow(1 - jacobi.eigenvalue / 6, k - 1);
        assert_true(change <= largest + 1e-14);
        assert_true(change >= 0.9 * largest - 1e-14);
        double *other = u;
        u = v;
        v = other;
    }
    free(u);
    free(v);
    jacobi_fini(&jacobi);
}

TEST(sweeps_give_the_known_solution)
{
    check_sweeps("1,1,1", 3);
    check_sweeps("5,12,9", 40);
    check_sweeps("16,3,31", 40);
}

TEST(sizes_are_read_and_bad_ones_refused)
{
    const char *const wrong[] = {"",         "64",      "64,512", "64,512,0",
                                 "64,-1,64", "1,2,3,4", "1,2,x",  "1,2,1000001"};
    struct jacobi jacobi;
    check_ok(jacobi_init("64,512,65", &jacobi));
    assert_true(jacobi.n[0] == 64 && jacobi.n[1] == 512 && jacobi.n[2] == 65);
    jacobi_fini(&jacobi);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        check_status(STATUS_USAGE, jacobi_init(wrong[i], &jacobi));
}

/* --- the numbers of simulated tasks --- */

static enum status simulated(const char *size, int64_t n_workers, int64_t node_size,
                             struct workload **workload)
{
    return workload_create(&(struct workload_settings){.jacobi = size,
                                                       .n_sweeps = 1,
                                                       .time_scale = 2,
                                                       .n_simulated = n_workers,
                                                       .node_size = node_size},
                           MPI_COMM_SELF, workload);
}

/* Owners rise with the tasks and are of the node of the task's block. Owners of a node have equally many
 * tasks, to one, so that seeding by blocks gives owned tasks. Durations are in proportion to the points, of
 * which each node has as many, to one plane. */
static void check_tasks(const struct workload *workload, int n_workers, int node_size, const int *n)
{
    const struct taskpool_problem *problem = &workload->problem;
    int n_owned[128] = {0}, last = 0, n_nodes = (n_workers + node_size - 1) / node_size;
    double n_points = 0;
    assert_int_equal(problem->n_tasks, n_nodes * n[1]);
    for (int64_t task = 0; task < problem->n_tasks; task++) {
        int owner = problem->owner(task, n_workers, problem->context);
        double cost = problem->cost(task, problem->context);
        assert_in_range(owner, last, n_workers - 1);
        assert_int_equal(owner / node_size, task / n[1]);
        assert_true(cost == n[0] / n_nodes * n[2] || cost == (n[0] + n_nodes - 1) / n_nodes * n[2]);
        check_close(workload->time(task, NULL, workload), 2 * JACOBI_POINT_S * cost, 1e-20);
        n_owned[owner]++;
        n_points += cost;
        last = owner;
    }
    check_close(n_points, n[0] * n[1] * n[2], 0);
    for (int worker = 0; worker < n_workers; worker++) {
        int first = worker / node_size * node_size;
        int n_here = n_workers - first < node_size ? n_workers - first : node_size;
        assert_in_range(n_owned[worker], n[1] / n_here, (n[1] + n_here - 1) / n_here);
    }
}

TEST(tasks_are_numbered_by_the_blocks_of_nodes)
{
    static const int cases[][5] = {/* workers, of a node, points */
                                   {64, 16, 100, 512, 64}, {64, 16, 100, 50, 64},
                                   {40, 16, 100, 37, 64},  {3, 16, 100, 7, 64},
                                   {7, 1, 100, 5, 64},     {20, 8, 100, 3, 64},
                                   {9, 3, 10, 6, 7},       {128, 16, 512, 64, 64}};
    struct workload *workload;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int *n = cases[i] + 2;
        char size[64];
        snprintf(size, sizeof size, "%d,%d,%d", n[0], n[1], n[2]);
        check_ok(simulated(size, cases[i][0], cases[i][1], &workload));
        check_tasks(workload, cases[i][0], cases[i][1], n);
        workload_destroy(workload);
    }
    /* More nodes than points. */
    check_status(STATUS_USAGE, simulated("3,9,9", 49, 16, &workload));
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
