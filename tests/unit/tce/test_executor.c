/* SPDX-License-Identifier: BSD-3-Clause */
/* A running plan: intermediates are created and freed with the steps, a plan can be run again and
 * from a later step on, and its cost is added up. */
#include "sched/lab/profiles/profile.h"
#include "tce/execution/finite_check.h"
#include "tce/execution/program_instance.h"
#include "tce/execution/verification.h"
#include "tests/cases/darray_case.h"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct contraction_settings settings = {.cache_bytes = 1000000, .prefetch = true};
static const struct taskpool_settings pool = {
    .mode = "static", .poll_every = 8, .keep_history = true};

static void begin_with_pairs(const char *text, enum plan_pairs pairs,
                             struct program_instance *instance)
{
    const struct program_source source = {
        .text = text, .length = strlen(text), .file = "test.tce", .pairs = pairs};
    check_ok(program_instance_init(&source, MPI_COMM_WORLD, instance));
    check_ok(program_instance_start(instance, &settings));
    for (int t = 0; t < instance->program.n_tensors; t++)
        check_ok(program_instance_fill(instance, t));
    check_ok(executor_start(instance->executor, &pool));
}

static void begin(const char *text, struct program_instance *instance)
{
    begin_with_pairs(text, PLAN_PAIRS_AUTO, instance);
}

static int number_of(const struct program_instance *instance, const char *name)
{
    int t = 0;
    while (strcmp(instance->program.tensors[t].name, name) != 0)
        t++;
    return t;
}

static struct tensor *tensor_of(const struct program_instance *instance, const char *name)
{
    return executor_tensor(instance->executor, number_of(instance, name));
}

/* The first block: all of it in these tests, where spaces have one tile. */
static void get(const struct program_instance *instance, const char *name, double *values)
{
    darray_sync();
    darray_get(tensor_of(instance, name)->data, 0, values);
    darray_sync();
}

static void put(const struct program_instance *instance, const char *name, const double *values)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    darray_sync();
    if (rank == 0)
        darray_put(tensor_of(instance, name)->data, 0, values);
    darray_sync();
}

static const char chains[] = "space s = 9 irrep 0, 4 irrep 1 tile 3\nindex i, j, k, l, m : s\n"
                             "tensor A[i,j] = random(1)\ntensor B[i,j] = random(2)\n"
                             "tensor C[i,j]\ntensor D[i,j]\nscalar E\n"
                             "C[i,l] = A[i,j] * B[j,k] * A[k,l]\n"
                             "D[i,m] = A[i,j] * B[j,k] * A[k,l] * B[l,m] - C[m,i]\n"
                             "E = C[i,j] * D[i,j] + A[i,j] * B[j,k] * C[k,i]\n";

/* Intermediates that later steps read exist; together they are no larger than planned. */
static void check_intermediates(const struct program_instance *instance, int next_step)
{
    const struct plan *plan = instance->plan;
    double elements = 0;
    for (int t = 0; t < plan->n_tensors; t++) {
        const struct plan_tensor *planned = &plan->tensors[t];
        bool exists = executor_tensor(instance->executor, t) != NULL;
        bool made = t < plan->n_program_tensors || planned->first_step < next_step;
        bool needed = t < plan->n_program_tensors || planned->last_step >= next_step;
        assert_true(exists || !made || !needed);
        assert_true(!exists || made);
        elements += exists ? planned->elements : 0;
    }
    assert_true(elements <= plan->peak_elements);
}

TEST(intermediates_come_and_go)
{
    struct program_instance instance;
    begin(chains, &instance);
    const struct plan *plan = instance.plan;
    assert_true(plan->n_tensors > plan->n_program_tensors);
    check_intermediates(&instance, 0);
    for (int k = 0; k < plan->n_stages; k++) {
        check_ok(executor_run(instance.executor, k, k + 1, NULL));
        check_intermediates(&instance, plan->stage_begin[k + 1]);
    }
    program_instance_fini(&instance);
}

static double find_scalar(const struct program_instance *instance, const char *name)
{
    double value;
    get(instance, name, &value);
    return value;
}

TEST(a_plan_can_be_run_again)
{
    struct program_instance instance;
    begin(chains, &instance);
    check_ok(executor_run(instance.executor, 0, instance.plan->n_stages, NULL));
    double first = find_scalar(&instance, "E");
    assert_true(first != 0);
    for (int i = 0; i < 3; i++) {
        /* New pools, or the old ones. */
        if (i == 1)
            check_ok(executor_start(instance.executor, &pool));
        check_ok(executor_run(instance.executor, 0, instance.plan->n_stages, NULL));
        check_close(find_scalar(&instance, "E"), first, 0);
    }
    program_instance_fini(&instance);
}

TEST(an_executor_can_be_left_in_the_middle)
{
    struct program_instance instance;
    begin(chains, &instance);
    check_ok(executor_run(instance.executor, 0, 1, NULL));
    program_instance_fini(&instance);
}

TEST(what_it_costs_is_added_up)
{
    struct program_instance instance;
    struct executor_record all, sum = {0};
    int n_processes;
    MPI_Comm_size(MPI_COMM_WORLD, &n_processes);
    begin(chains, &instance);
    const struct plan *plan = instance.plan;
    check_ok(executor_run(instance.executor, 0, plan->n_stages, &all));
    for (int k = 0; k < plan->n_stages; k++) {
        struct executor_record one;
        double flops = 0;
        for (int s = plan->stage_begin[k]; s < plan->stage_begin[k + 1]; s++)
            flops += plan->steps[s].B.tensor >= 0 ? plan->steps[s].flops : 0;
        check_ok(executor_run(instance.executor, k, k + 1, &one));
        check_close(one.flops, flops, 0);
        sum.flops += one.flops;
        sum.statistics.tasks += one.statistics.tasks;
    }
    check_close(all.flops, sum.flops, 0);
    assert_int_equal(all.statistics.tasks, sum.statistics.tasks);
    assert_int_equal(all.statistics.n_workers, n_processes);
    assert_true(all.seconds > 0 && all.seconds >= all.statistics.makespan_s);
    check_ok(executor_run(instance.executor, 0, 0, &all));
    assert_true(all.flops == 0 && all.statistics.tasks == 0);
    program_instance_fini(&instance);
}

/* y = 2 A A x / 3 from x, and x from it: a method's work by hand. */
static const char iterated[] = "space s = 3\nindex i, j, k : s\n"
                               "tensor A[i,j] = wave\ntensor AA[i,j]\ntensor x[i]\ntensor y[i]\n"
                               "scalar E\n"
                               "AA[i,k] = A[i,j] * A[j,k]\n"
                               "iterate x from y, energy E\n"
                               "E = A[i,j] * A[j,k] * x[i] * x[k]\n"
                               "y[i] = 2/3 * AA[i,j] * x[j] + A[i,j] * A[j,k] * A[k,i]\n";

static void multiply(double a[3][3], double b[3][3], double c[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            c[i][k] = 0;
            for (int j = 0; j < 3; j++)
                c[i][k] += a[i][j] * b[j][k];
        }
}

static void check_iteration(const struct program_instance *instance, const double x[3])
{
    double A[3][3], AA[3][3], AAA[3][3], y[3], E = 0;
    get(instance, "A", A[0]);
    multiply(A, A, AA);
    multiply(AA, A, AAA);
    get(instance, "y", y);
    for (int i = 0; i < 3; i++) {
        double expected = AAA[i][i];
        for (int j = 0; j < 3; j++) {
            expected += 2. / 3 * AA[i][j] * x[j];
            E += AA[i][j] * x[i] * x[j];
        }
        check_close(y[i], expected, 1e-13);
    }
    check_close(find_scalar(instance, "E"), E, 1e-13);
}

TEST(later_steps_can_be_repeated)
{
    struct program_instance instance;
    begin(iterated, &instance);
    const struct plan *plan = instance.plan;
    assert_true(plan->first_iterated > 0 && plan->first_iterated < plan->n_steps);
    check_ok(executor_run(instance.executor, 0, plan->first_iterated_stage, NULL));
    for (int iteration = 0; iteration < 4; iteration++) {
        const double x[3] = {1.0 - iteration, 0.5 * iteration, 2};
        put(&instance, "x", x);
        check_ok(executor_run(instance.executor, plan->first_iterated_stage, plan->n_stages, NULL));
        check_iteration(&instance, x);
    }
    program_instance_fini(&instance);
}

/* Intermediates that iterations keep are computed anew, and the old ones are not leaked. */
TEST(all_steps_can_be_repeated_with_what_iterations_keep)
{
    struct program_instance instance;
    begin(iterated, &instance);
    const struct plan *plan = instance.plan;
    int n_kept = 0;
    for (int t = plan->n_program_tensors; t < plan->n_tensors; t++)
        n_kept += plan->tensors[t].last_step == plan->n_steps;
    assert_true(n_kept > 0);
    for (int run = 0; run < 3; run++) {
        const double x[3] = {0.25, run, 1};
        put(&instance, "x", x);
        check_ok(executor_run(instance.executor, 0, plan->n_stages, NULL));
        check_iteration(&instance, x);
    }
    program_instance_fini(&instance);
}

/* Every task has data: it writes a block, unless its sum is a scalar, and its blocks have sizes. */
static void check_task_data(const char *path)
{
    struct profile profile;
    struct taskpool_data *data;
    int64_t n_reads = 0, n_writes = 0;
    check_ok(profile_read(MPI_COMM_SELF, path, &profile));
    check_ok(task_data_read(path, &profile, &data));
    for (int64_t task = 0; task < profile.n; task++) {
        int64_t n;
        const struct taskpool_data_access *access = task_data_of(data, task, &n);
        assert_true(n > 0);
        for (int64_t i = 0; i < n; i++) {
            n_writes += access[i].writes;
            n_reads += !access[i].writes;
            assert_true(i == n - 1 || !access[i].writes);
            int64_t bytes = data->blocks[access[i].block].bytes;
            assert_true(bytes > 0 && bytes % (int64_t)sizeof(double) == 0);
        }
    }
    assert_true(n_reads > profile.n && n_writes > 0);
    task_data_destroy(data);
    profile_fini(&profile);
}

TEST(every_task_is_in_the_profile)
{
    struct program_instance instance;
    struct executor_record record;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    begin(chains, &instance);
    check_ok(executor_run(instance.executor, 0, instance.plan->n_stages, &record));
    const char *path = "test_tce_executor_profile.csv";
    check_ok(executor_write_profile(instance.executor, path));
    if (rank == 0) {
        char line[100];
        FILE *stream = fopen(path, "r");
        assert_non_null(stream);
        assert_non_null(fgets(line, sizeof line, stream));
        assert_string_equal(line, "task,seconds\n");
        for (long long task = 0; task < record.statistics.tasks; task++) {
            assert_non_null(fgets(line, sizeof line, stream));
            assert_int_equal(strtoll(line, NULL, 10), task);
        }
        assert_null(fgets(line, sizeof line, stream));
        fclose(stream);
        check_task_data(path);
        remove(path);
        remove("test_tce_executor_profile.blocks.csv");
        remove("test_tce_executor_profile.sizes.csv");
    }
    program_instance_fini(&instance);
}

/* A program of two spaces' values, after one run; the message, or NULL. */
static void check_finite(const char *statements, const char *message)
{
    char text[1000];
    struct program_instance instance;
    snprintf(text, sizeof text,
             "space s = 5 tile 2\nindex i, j, k : s\ntensor big[i,j] = constant(1e200)\n"
             "tensor one[i,j] = constant\ntensor A[i,j]\ntensor B[i,j]\nscalar E, F\n%s",
             statements);
    begin(text, &instance);
    check_ok(executor_run(instance.executor, 0, instance.plan->n_stages, NULL));
    check_status(message ? STATUS_NUMERIC : STATUS_OK, finite_check_run(&instance));
    if (message && !strstr(status_text(), message))
        fail_msg("'%s' does not say '%s'", status_text(), message);
    program_instance_fini(&instance);
}

/* The statement is the first whose tensor is not finite in the end. */
TEST(numbers_that_are_not_finite_are_found)
{
    check_finite("A[i,j] = big[i,j]\nE = A[i,j] * one[i,j]\n", NULL);
    check_finite("A[i,j] = big[i,k] * big[k,j]\n", "test.tce:8:1: A is not finite from here on");
    check_finite("E = one[i,i]\nA[i,j] = one[i,j]\nA[i,j] += big[i,j] * big[j,i]\n"
                 "F = A[i,i] - A[i,i]\n",
                 "test.tce:9:1: A is not finite from here on");
    check_finite("F = one[i,i]\nE = big[i,j] * big[i,j]\n", "test.tce:9:1: E is not finite");
    check_finite("A[i,j] = one[i,j]\nB[i,j] = A[i,j] + big[i,k] * big[k,j] * one[i,j]\n",
                 "test.tce:9:1: B is not finite");
    check_finite("A[i,j] = big[i,j] * big[j,i]\nA[i,j] = one[i,j]\n", NULL);
}

/* The symmetries of P and Q exchange 45 pairs. */
TEST(products_over_many_pairs_are_right)
{
    struct program_instance instance;
    begin_with_pairs(
        "space s = 2 tile 2\nindex i, j, k, l, m, n, a, b, c, d, e, f : s\n"
        "index A, B, C, D, E, F : s\n"
        "tensor R[i,j,k,l,m,n,a,b,c,d,e,f] = random(1)\n"
        "tensor P[i,j,k,l,m,n,a,b,c,d,e,f] symmetric (i a)(j b)(k c)(l d)(m e)(n f)\n"
        "tensor Q[i,j,k,l,m,n,A,B,C,D,E,F] symmetric (i A)(j B)(k C)(l D)(m E)(n F)\n"
        "tensor X[a,b,c,d,e,f,A,B,C,D,E,F]\n"
        "P[i,j,k,l,m,n,a,b,c,d,e,f] = sym(i a, j b, k c, l d, m e, n f) "
        "R[i,j,k,l,m,n,a,b,c,d,e,f]\n"
        "Q[i,j,k,l,m,n,A,B,C,D,E,F] = P[i,j,k,l,m,n,A,B,C,D,E,F]\n"
        "X[a,b,c,d,e,f,A,B,C,D,E,F] = P[i,j,k,l,m,n,a,b,c,d,e,f] * Q[i,j,k,l,m,n,A,B,C,D,E,F]\n",
        PLAN_PAIRS_ALWAYS, &instance);
    assert_non_null(instance.plan->tensors[instance.plan->n_program_tensors].packing);
    check_ok(executor_run(instance.executor, 0, instance.plan->n_stages, NULL));
    check_ok(verification_run(&instance));
    program_instance_fini(&instance);
}

/* A loop reads matrices as panels, which have no place for a diagonal. */
TEST(a_loop_reads_diagonals)
{
    struct program_instance instance;
    begin("space u = 7\nindex c, i, j, k, a : u\n"
          "tensor T[a,i,j] = random(2)\ntensor Q[a,k] = random(3)\ntensor V[c] = random(4)\n"
          "scalar E\n"
          "for c, i by tile\n"
          "    tensor L[i,k]\n"
          "    L[i,k] = T[a,i,i] * Q[a,k]\n"
          "    E = L[i,k] * V[c]\n"
          "end\n",
          &instance);
    check_ok(executor_run(instance.executor, 0, instance.plan->n_stages, NULL));
    check_ok(verification_run(&instance));
    program_instance_fini(&instance);
}

TEST(what_does_not_fit_is_refused)
{
    static const char text[] = "space s = 1000000\nindex i, j, k : s\ntensor A[i] = wave\n"
                               "tensor giant[i,j,k]\ngiant[i,j,k] = A[i] * A[j] * A[k]\n";
    struct program_instance instance;
    const struct program_source source = {.text = text, .length = strlen(text), .file = "test.tce"};
    check_ok(program_instance_init(&source, MPI_COMM_WORLD, &instance));
    check_status(STATUS_NO_MEMORY, program_instance_start(&instance, &settings));
    assert_non_null(strstr(status_text(), "tensor giant of"));
    assert_null(instance.executor);
    program_instance_fini(&instance);
}

TEST_SETUP(darray_case_start)

TEST_TEARDOWN(darray_case_stop)
