/* SPDX-License-Identifier: BSD-3-Clause */
/* A running plan: intermediates are created and freed with the steps, a plan can be run again and
 * from a later step on, and its cost is added up. */
#include "sched/lab/profiles/profile.h"
#include "tce/execution/finite_check.h"
#include "tce/execution/verification.h"
#include "tests/cases/program_case.h"

#include <stdio.h>

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

/* Stage after stage: what exists, and the record of each. */
TEST(stages_add_up_to_the_plan)
{
    struct program_instance instance;
    struct executor_record all, sum = {0};
    int n_processes;
    MPI_Comm_size(MPI_COMM_WORLD, &n_processes);
    program_case_begin(chains, PLAN_PAIRS_AUTO, &instance);
    const struct plan *plan = instance.plan;
    assert_true(plan->n_tensors > plan->n_program_tensors);
    check_intermediates(&instance, 0);
    for (int k = 0; k < plan->n_stages; k++) {
        struct executor_record one;
        double flops = 0;
        for (int s = plan->stage_begin[k]; s < plan->stage_begin[k + 1]; s++)
            flops += plan->steps[s].B.tensor >= 0 ? plan->steps[s].flops : 0;
        check_ok(executor_run(instance.executor, k, k + 1, &one));
        check_intermediates(&instance, plan->stage_begin[k + 1]);
        check_close(one.flops, flops, 0);
        sum.flops += one.flops;
        sum.statistics.tasks += one.statistics.tasks;
    }
    check_ok(verification_run(&instance));
    check_ok(executor_run(instance.executor, 0, plan->n_stages, &all));
    check_ok(verification_run(&instance));
    check_close(all.flops, sum.flops, 0);
    assert_int_equal(all.statistics.tasks, sum.statistics.tasks);
    assert_int_equal(all.statistics.n_workers, n_processes);
    assert_true(all.seconds > 0 && all.seconds >= all.statistics.makespan_s);
    check_ok(executor_run(instance.executor, 0, 0, &all));
    assert_true(all.flops == 0 && all.statistics.tasks == 0);
    /* Left in the middle. */
    check_ok(executor_run(instance.executor, 0, 1, NULL));
    program_instance_fini(&instance);
}

/* All steps again, which computes anew what iterations keep; then later ones alone with another x. */
TEST(a_plan_can_be_run_again_from_any_part_on)
{
    static const struct taskpool_settings pool = {.mode = "static", .poll_every = 8};
    struct program_instance instance;
    int n_kept = 0;
    program_case_begin("space s = 3\nindex i, j, k : s\n"
                       "tensor A[i,j] = wave\ntensor AA[i,j]\ntensor x[i]\ntensor y[i]\n"
                       "scalar E, u = constant(1)\n"
                       "AA[i,k] = A[i,j] * A[j,k]\nx[i] = 2 * A[i,j] * A[j,k] * A[k,k]\n"
                       "iterate x from y, energy E\n"
                       "E = A[i,j] * A[j,k] * x[i] * x[k]\n"
                       "y[i] = 2/3 * AA[i,j] * x[j] + A[i,j] * A[j,k] * A[k,i] * x[i]\n",
                       PLAN_PAIRS_AUTO, &instance);
    const struct plan *plan = instance.plan;
    assert_true(plan->first_iterated > 0 && plan->first_iterated < plan->n_steps);
    for (int t = plan->n_program_tensors; t < plan->n_tensors; t++)
        n_kept += plan->tensors[t].last_step == plan->n_steps;
    assert_true(n_kept > 0);
    for (int run = 0; run < 3; run++) {
        program_case_run(&instance, 0);
        check_ok(verification_run(&instance));
        if (run == 1) /* new pools */
            check_ok(executor_start(instance.executor, &pool));
    }
    double x[3], y[3], scaled[3], E = program_case_scalar(&instance, "E");
    program_case_get(&instance, "x", x);
    program_case_get(&instance, "y", y);
    for (int scale = 0; scale < 4; scale++) {
        struct darray *data = program_case_tensor(&instance, "x")->data;
        for (int i = 0; i < 3; i++)
            scaled[i] = scale * x[i];
        if (darray_local(data, 0))
            darray_put(data, 0, scaled);
        darray_sync();
        program_case_run(&instance, plan->first_iterated_stage);
        check_close(program_case_scalar(&instance, "E"), scale * scale * E, 1e-12 * fabs(E));
        program_case_get(&instance, "y", scaled);
        for (int i = 0; i < 3; i++)
            check_close(scaled[i], scale * y[i], 1e-12 * fabs(y[i]));
    }
    program_instance_fini(&instance);
}

/* Every task is in the profile and has data: it writes a block, unless its sum is a scalar, and its blocks
 * have sizes. */
TEST(every_task_is_in_the_profile)
{
    static const char path[] = "test_tce_executor_profile.csv";
    struct program_instance instance;
    struct executor_record record;
    struct profile profile;
    struct taskpool_data *data;
    int64_t n_reads = 0, n_writes = 0;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    program_case_begin(chains, PLAN_PAIRS_AUTO, &instance);
    check_ok(executor_run(instance.executor, 0, instance.plan->n_stages, &record));
    check_ok(executor_write_profile(instance.executor, path));
    if (rank == 0) {
        check_ok(profile_read(MPI_COMM_SELF, path, &profile));
        check_ok(task_data_read(path, &profile, &data));
        assert_int_equal(profile.n, record.statistics.tasks);
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
        remove(path);
        remove("test_tce_executor_profile.blocks.csv");
        remove("test_tce_executor_profile.sizes.csv");
    }
    program_instance_fini(&instance);
}

/* The statement is the first whose tensor is not finite in the end. */
TEST(numbers_that_are_not_finite_are_found)
{
    static const struct {
        const char *statements, *message;
    } cases[] = {
        {"A[i,j] = big[i,j]\nE = A[i,j] * one[i,j]\n", NULL},
        {"A[i,j] = big[i,k] * big[k,j]\n", "test.tce:8:1: A is not finite from here on"},
        {"E = one[i,i]\nA[i,j] = one[i,j]\nA[i,j] += big[i,j] * big[j,i]\nF = A[i,i] - A[i,i]\n",
         "test.tce:9:1: A is not finite from here on"},
        {"F = one[i,i]\nE = big[i,j] * big[i,j]\n", "test.tce:9:1: E is not finite"},
        {"A[i,j] = one[i,j]\nB[i,j] = A[i,j] + big[i,k] * big[k,j] * one[i,j]\n",
         "test.tce:9:1: B is not finite"},
        {"A[i,j] = big[i,j] * big[j,i]\nA[i,j] = one[i,j]\n", NULL},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const char *message = cases[c].message;
        char text[1000];
        struct program_instance instance;
        snprintf(text, sizeof text,
                 "space s = 5 tile 2\nindex i, j, k : s\ntensor big[i,j] = constant(1e200)\n"
                 "tensor one[i,j] = constant\ntensor A[i,j]\ntensor B[i,j]\nscalar E, F\n%s",
                 cases[c].statements);
        program_case_begin(text, PLAN_PAIRS_AUTO, &instance);
        program_case_run(&instance, 0);
        check_refusal(message ? STATUS_NUMERIC : STATUS_OK, finite_check_run(&instance),
                      message ? message : "");
        program_instance_fini(&instance);
    }
}

/* Other programs: test_random_programs.py. */
TEST(programs_agree_with_plain_loops)
{
    static const char *const programs[] = {
        /* The symmetries of P and Q exchange 45 pairs. */
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
        /* Sums of products over pairs and of others; each first term replaces what the run before left. */
        "space o = 5 tile 3\nspace v = 6 irrep 0, 3 irrep 1 tile 4\nindex i, j, k, l : o\n"
        "index a, b, c, d : v\ntensor RV[a,b,c,d] = random(1)\ntensor RW[i,j,k,l] = random(2)\n"
        "tensor Rt[i,j,a,b] = random(3)\ntensor V[a,b,c,d] symmetric (a c)(b d)\n"
        "tensor W[i,j,k,l] symmetric (i k)(j l)\ntensor t[i,j,a,b] symmetric (i a)(j b)\n"
        "tensor s[i,j,a,b] antisymmetric i j, a b\ntensor n[i,j,a,b] symmetric (i a)(j b)\n"
        "tensor r[i,j,a,b]\ntensor q[i,j,a,b]\ntensor p[i,j,a,b]\ntensor x[a,i]\nscalar E\n"
        "V[a,b,c,d] = sym(a c, b d) RV[a,b,c,d]\nW[i,j,k,l] = sym(i k, j l) RW[i,j,k,l]\n"
        "t[i,j,a,b] = sym(i a, j b) Rt[i,j,a,b]\ns[i,j,a,b] = antisym(i, j) antisym(a, b) "
        "Rt[i,j,a,b]\n"
        "n[i,j,a,b] = V[a,b,c,d] * t[i,j,c,d] + W[i,j,k,l] * t[k,l,a,b]\n"
        "r[i,j,a,b] = V[a,b,c,d] * t[i,j,d,c] + 2 * t[j,i,a,b] - V[a,b,c,d] * s[i,j,c,d]\n"
        "q[i,j,a,b] = RV[a,b,c,d] * s[i,j,c,d]\nq[i,j,a,b] += t[j,i,a,b]\n"
        "p[i,j,a,b] = t[i,j,a,b]\np[i,j,a,b] = 1/2 * V[a,b,c,d] * t[i,j,c,d]\n"
        "x[a,i] = s[i,j,c,d] * RV[a,b,c,d] * Rt[j,j,a,a]\nE = t[i,j,a,b] * n[i,j,a,b]\n",
        /* A loop reads matrices as panels, which have no place for a diagonal. */
        "space u = 7\nindex c, i, j, k, a : u\n"
        "tensor T[a,i,j] = random(2)\ntensor Q[a,k] = random(3)\ntensor V[c] = random(4)\n"
        "scalar E\nfor c, i by tile\n    tensor L[i,k]\n    L[i,k] = T[a,i,i] * Q[a,k]\n"
        "    E = L[i,k] * V[c]\nend\n",
        /* Labels, local tensors that are filled, intermediates. */
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
        "end\n",
    };
    for (size_t p = 0; p < sizeof programs / sizeof programs[0]; p++) {
        struct program_instance instance;
        program_case_begin(programs[p], PLAN_PAIRS_ALWAYS, &instance);
        assert_true(p > 0 || instance.plan->tensors[instance.plan->n_program_tensors].packing);
        for (int run = 0; run < 2; run++)
            program_case_run(&instance, 0);
        check_ok(verification_run(&instance));
        program_instance_fini(&instance);
    }
}

TEST(what_does_not_fit_is_refused)
{
    const struct contraction_settings settings = {.cache_bytes = 1000000};
    struct program_instance instance;
    check_ok(program_case_init("space s = 1000000\nindex i, j, k : s\ntensor A[i] = wave\n"
                               "tensor giant[i,j,k]\ngiant[i,j,k] = A[i] * A[j] * A[k]\n",
                               PLAN_PAIRS_AUTO, 0, NULL, &instance));
    check_refusal(STATUS_NO_MEMORY, program_instance_start(&instance, &settings),
                  "tensor giant of");
    assert_null(instance.executor);
    program_instance_fini(&instance);
}

TEST_SETUP(darray_case_start)

TEST_TEARDOWN(darray_case_stop)
