/* SPDX-License-Identifier: BSD-3-Clause */
/* A loop over tiles gives the same sums in slices of any size as without slices; with labels, local
 * tensors that are filled, and intermediates. Of products that are images of each other one is computed.
 * Programs against plain loops: test_random_programs. */
#include "tce/execution/program_instance.h"
#include "tce/plan/plan_loops.h"
#include "tce/tile_loop/loop_sums.h"
#include "tce/tile_loop/tuple_parts.h"
#include "tests/cases/darray_case.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
    "tile 3\n"
    "space o = 3 alpha, 2 irrep 1 beta\n"
    "space v = 7 irrep 1 alpha, 3 beta\n"
    "index i, j, k, l : o\n"
    "index a, b, c, d : v\n"
    "tensor t[i,j|a,b] = random(3)\n"
    "tensor g[a,b|d,i] irrep 1 = random(5)\n"
    "tensor s[i|a] irrep 1 = random(7)\n"
    "tensor u[i,j|a,b]\n"
    "scalar E, F, G, H\n"
    "u[i,j|a,b] = sym(i a, j b) t[i,j|a,b]\n"
    "for a >= b >= c by tile\n"
    "    tensor W[a,b,c|i,j,k] irrep 1\n"
    "    tensor D[a,b,c|i,j,k] irrep 1 = constant(2)\n"
    "    tensor N[a,b,c|i,j,k] irrep 1\n"
    "    W[a,b,c|i,j,k] = sym(a i, b j, c k) g[a,b|d,i] * u[j,k|d,c]\n"
    "    N[a,b,c|i,j,k] = W[a,b,c|i,j,k] * D[a,b,c|i,j,k]\n"
    "    E = W[a,b,c|i,j,k] * W[a,b,c|i,j,k]\n"
    "    F = W[a,b,c|i,j,k] * N[a,b,c|i,j,k]\n"
    "    G = s[i|a] * u[j,k|b,c] * N[a,b,c|i,j,k] + s[j|b] * u[i,k|a,c] * N[a,b,c|i,j,k]\n"
    "    G += s[k|c] * u[i,j|a,b] * N[a,b,c|i,j,k]\n"
    "    H = N[a,b,c|i,j,k] * N[a,b,c|i,j,k]\n"
    "    H = 3 * W[a,b,c|i,j,k] * W[a,b,c|i,j,k]\n"
    "end\n";

enum { N_SCALARS = 4 };

static enum status fill_constant(int rank, const int64_t first[], const int64_t extent[],
                                 double *block, void *context)
{
    int64_t n = 1;
    (void)first;
    for (int d = 0; d < rank; d++)
        n *= extent[d];
    for (int64_t i = 0; i < n; i++)
        block[i] = *(double *)context;
    return STATUS_OK;
}

static int find_tensor(const struct program *program, const char *name)
{
    int t = 0;
    while (strcmp(program->tensors[t].name, name) != 0)
        t++;
    return t;
}

/* Runs the loop with slices of this tile; 0: without slices. */
static void run_sliced(const struct program_instance *instance, int64_t slice_tile,
                       double sums[N_SCALARS])
{
    static const char *const names[N_SCALARS] = {"E", "F", "G", "H"};
    double two = 2;
    struct plan_loop_problem made;
    struct tile_loop *loop;
    struct block_buffers *buffers;
    struct taskpool_settings pool;
    check_ok(plan_loop_problem_init(instance->plan, 0, &made));
    struct tile_loop_problem *problem = &made.problem;
    assert_true(problem->first_sliced > 0 && problem->first_sliced < problem->n_steps);
    for (int i = 0; i < problem->tuples.n; i++)
        problem->slice[i] = slice_tile + (slice_tile > 3 && i == 1 ? 2 : 0);
    for (int t = 0; slice_tile == 0 && t < problem->n_tensors; t++)
        problem->tensors[t].of_slice = false;
    problem->first_sliced = slice_tile == 0 ? problem->n_steps : problem->first_sliced;
    check_ok(block_buffers_create(&buffers));
    check_ok(tile_loop_create(problem, &(struct contraction_settings){.buffers = buffers}, &loop));
    for (int t = 0; t < problem->n_tensors; t++) {
        if (problem->tensors[t].local)
            tile_loop_set_fill(loop, t, &(struct tile_fill){0});
        else
            tile_loop_bind(loop, t, executor_tensor(instance->executor, made.tensor[t]));
        if (strcmp(problem->tensors[t].name, "D") == 0)
            tile_loop_set_fill(loop, t, &(struct tile_fill){fill_constant, &two});
    }
    taskpool_settings_default(&pool);
    check_ok(tile_loop_start(loop, &pool, MPI_COMM_WORLD));
    check_ok(tile_loop_run(loop));
    for (int i = 0; i < N_SCALARS; i++)
        darray_get(
            executor_tensor(instance->executor, find_tensor(&instance->program, names[i]))->data, 0,
            &sums[i]);
    tile_loop_destroy(loop);
    block_buffers_destroy(buffers);
    plan_loop_problem_fini(&made);
}

static void test_slices_change_nothing(void **state)
{
    (void)state;
    const struct program_source source = {
        .text = text, .length = sizeof text - 1, .file = "loop.tce"};
    const struct contraction_settings settings = {.cache_bytes = 100000};
    struct program_instance instance;
    struct taskpool_settings pool;
    double whole[N_SCALARS], sliced[N_SCALARS];
    taskpool_settings_default(&pool);
    check_ok(program_instance_init(&source, MPI_COMM_WORLD, &instance));
    check_ok(program_instance_start(&instance, &settings));
    for (int t = 0; t < instance.program.n_tensors; t++)
        check_ok(program_instance_fill(&instance, t));
    check_ok(executor_start(instance.executor, &pool));
    check_ok(executor_run(instance.executor, 0, instance.plan->n_stages, NULL));
    run_sliced(&instance, 0, whole);
    assert_true(whole[0] > 1 && whole[1] > 1 && fabs(whole[2]) > 1e-3 && whole[3] > 1);
    check_close(whole[1], 2 * whole[0], 1e-9 * whole[0]);
    check_close(whole[3], 3 * whole[0], 1e-9 * whole[0]);
    for (int64_t slice_tile = 1; slice_tile <= 9; slice_tile++) {
        run_sliced(&instance, slice_tile, sliced);
        for (int i = 0; i < N_SCALARS; i++)
            check_close(sliced[i], whole[i], 1e-12 * whole[0]);
    }
    program_instance_fini(&instance);
}

static void test_a_tuple_is_finished_with_all_its_parts(void **state)
{
    (void)state;
    double parts[] = {1, NAN, NAN, 1, 0, -2};
    const struct tuple_table table = {.n_tuples = 3, .n_scalars = 2, .parts = parts};
    assert_false(tuple_table_is_finished(&table, 0));
    assert_false(tuple_table_is_finished(&table, 1));
    assert_true(tuple_table_is_finished(&table, 2));
}

/* How many products of a tuple are images of others, and by how many permutations. */
static void check_images(const struct tile_loop_problem *problem, const struct loop_sum *sum,
                         const int32_t tuple[], int n_kept_expected, int n_images_expected)
{
    int kept[5], n_kept, n_images = 0;
    bool is_image[6];
    assert_int_equal(sum->end - sum->first, 6);
    assert_int_equal(sum->n_permutations, 5);
    loop_sum_choose(problem, sum, tuple, &n_kept, kept, is_image);
    for (int s = 0; s < 6; s++)
        n_images += is_image[s];
    assert_int_equal(n_kept, n_kept_expected);
    assert_int_equal(n_images, n_images_expected);
}

static void test_images_of_equal_tiles_are_left_out(void **state)
{
    (void)state;
    const struct program_source source = {
        .text = text, .length = sizeof text - 1, .file = "loop.tce"};
    struct program_instance instance;
    struct plan_loop_problem made;
    struct loop_sums *sums;
    check_ok(program_instance_init(&source, MPI_COMM_WORLD, &instance));
    check_ok(plan_loop_problem_init(instance.plan, 0, &made));
    const struct tile_loop_problem *problem = &made.problem;
    struct loop_step_tasks *steps = calloc((size_t)problem->n_steps, sizeof *steps);
    for (int s = 0; s < problem->n_steps; s++)
        check_ok(loop_step_tasks_init(problem, s, &steps[s]));
    check_ok(loop_sums_create(problem, steps, &sums));
    const struct loop_sum *W = loop_sums_find(sums, 0);
    check_images(problem, W, (const int32_t[]){2, 1, 0}, 0, 0);
    check_images(problem, W, (const int32_t[]){1, 1, 0}, 1, 3);
    check_images(problem, W, (const int32_t[]){2, 0, 0}, 1, 3);
    check_images(problem, W, (const int32_t[]){1, 1, 1}, 5, 5);
    loop_sums_destroy(sums);
    for (int s = 0; s < problem->n_steps; s++)
        loop_step_tasks_fini(&steps[s]);
    free(steps);
    plan_loop_problem_fini(&made);
    program_instance_fini(&instance);
}

/* All tiles have one size and one label, so that tuples differ by the images alone. */
static const char even_text[] = "tile 4\n"
                                "space o = 4\n"
                                "space v = 12\n"
                                "space w = 200\n"
                                "index i, j, k : o\n"
                                "index a, b, c : v\n"
                                "index d : w\n"
                                "tensor t[i,j|d,c] = random(3)\n"
                                "tensor g[a,b|d,i] = random(5)\n"
                                "scalar E\n"
                                "for a >= b >= c by tile 4\n"
                                "    tensor W[a,b,c|i,j,k]\n"
                                "    W[a,b,c|i,j,k] = sym(a i, b j, c k) g[a,b|d,i] * t[j,k|d,c]\n"
                                "    E = W[a,b,c|i,j,k] * W[a,b,c|i,j,k]\n"
                                "end\n";

/* The predicted seconds of a tuple of the loop, found among all its tasks. */
static double predict_tuple_seconds(const struct tile_loop_problem *problem, struct tile_loop *loop,
                                    const int32_t tuple[3])
{
    for (int64_t task = 0; task < tile_loop_n_tasks(loop); task++) {
        int32_t tile[TILE_LOOP_MAX_INDICES];
        tile_tuples_get(&problem->tuples, task, tile);
        if (memcmp(tile, tuple, 3 * sizeof tile[0]) == 0)
            return tile_loop_task_seconds(loop, task);
    }
    fail_msg("no such tuple");
    return 0;
}

static void test_predicted_costs_leave_images_out(void **state)
{
    (void)state;
    const struct program_source source = {
        .text = even_text, .length = sizeof even_text - 1, .file = "even.tce"};
    struct program_instance instance;
    struct plan_loop_problem made;
    struct tile_loop *loop;
    check_ok(program_instance_init(&source, MPI_COMM_WORLD, &instance));
    check_ok(plan_loop_problem_init(instance.plan, 0, &made));
    check_ok(tile_loop_create(&made.problem, &(struct contraction_settings){0}, &loop));
    double different = predict_tuple_seconds(&made.problem, loop, (const int32_t[]){2, 1, 0});
    double two = predict_tuple_seconds(&made.problem, loop, (const int32_t[]){1, 1, 0});
    double three = predict_tuple_seconds(&made.problem, loop, (const int32_t[]){1, 1, 1});
    /* Three of six products, and one, but for what follows them. */
    assert_true(two > 0.4 * different && two < 0.75 * different);
    assert_true(three > 0.1 * different && three < 0.5 * different);
    tile_loop_destroy(loop);
    plan_loop_problem_fini(&made);
    program_instance_fini(&instance);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_predicted_costs_leave_images_out, darray_case_start,
                                        darray_case_stop),
        cmocka_unit_test_setup_teardown(test_images_of_equal_tiles_are_left_out, darray_case_start,
                                        darray_case_stop),
        cmocka_unit_test_setup_teardown(test_slices_change_nothing, darray_case_start,
                                        darray_case_stop),
        cmocka_unit_test(test_a_tuple_is_finished_with_all_its_parts),
    };
    return check_run_parallel(tests, &argc, &argv);
}
