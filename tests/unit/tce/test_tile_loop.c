/* SPDX-License-Identifier: BSD-3-Clause */
/* A loop over tiles gives the sums of plain loops; with labels, local tensors that are filled, and
 * intermediates. Other programs: test_random_programs. */
#include "tce/execution/program_instance.h"
#include "tce/execution/verification.h"
#include "tce/run/tuple_parts.h"
#include "tests/cases/darray_case.h"
#include "tests/check.h"

#include <math.h>
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
    "tensor u[i,j|a,b] symmetric (i a)(j b)\n"
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

static double scalar_of(const struct program_instance *instance, const char *name)
{
    double value;
    int t = 0;
    while (strcmp(instance->program.tensors[t].name, name) != 0)
        t++;
    darray_get(executor_tensor(instance->executor, t)->data, 0, &value);
    return value;
}

TEST(a_loop_gives_the_sums_of_plain_loops)
{
    const struct program_source source = {
        .text = text, .length = sizeof text - 1, .file = "loop.tce"};
    const struct contraction_settings settings = {.cache_bytes = 100000};
    struct program_instance instance;
    struct taskpool_settings pool;
    taskpool_settings_default(&pool);
    check_ok(program_instance_init(&source, MPI_COMM_WORLD, &instance));
    check_ok(program_instance_start(&instance, &settings));
    for (int t = 0; t < instance.program.n_tensors; t++)
        check_ok(program_instance_fill(&instance, t));
    check_ok(executor_start(instance.executor, &pool));
    check_ok(executor_run(instance.executor, 0, instance.plan->n_stages, NULL));
    double E = scalar_of(&instance, "E");
    assert_true(E > 1 && fabs(scalar_of(&instance, "G")) > 1e-3);
    check_close(scalar_of(&instance, "F"), 2 * E, 1e-9 * E);
    check_close(scalar_of(&instance, "H"), 3 * E, 1e-9 * E);
    check_ok(verification_run(&instance));
    program_instance_fini(&instance);
}

TEST(a_tuple_is_finished_with_all_its_parts)
{
    double parts[] = {1, NAN, NAN, 1, 0, -2};
    const struct tuple_table table = {.n_tuples = 3, .n_scalars = 2, .parts = parts};
    assert_false(tuple_table_is_finished(&table, 0));
    assert_false(tuple_table_is_finished(&table, 1));
    assert_true(tuple_table_is_finished(&table, 2));
}

TEST_SETUP(darray_case_start)
TEST_TEARDOWN(darray_case_stop)
