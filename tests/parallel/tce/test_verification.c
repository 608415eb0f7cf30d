/* SPDX-License-Identifier: BSD-3-Clause */
/* The verification of programs accepts right results and refuses wrong ones, with the tensor's name. */
#include "tce/execution/verification.h"
#include "tests/cases/darray_case.h"
#include "tests/cases/pool_cases.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

/* Labels, an index that is repeated, a scalar, a symmetry, a loop over tiles. */
static const char text[] = "tile 2\n"
                           "space s = 2 alpha, 3 irrep 1 beta\nspace u = 4, 2 irrep 1\n"
                           "index i, j, k : s\nindex a, b, c : u\n"
                           "tensor A[i|j] irrep 1 spin 2 = random(1)\n"
                           "tensor B[i,a|j,b] = random(2)\ntensor C[i,a|j] irrep 1 spin 2\n"
                           "tensor D[a,b]\ntensor S[a,b] symmetric a b\nscalar E, F\n"
                           "C[i,a|j] = A[i|k] * B[k,a|j,a] - 1/2 * A[k|j] * B[i,a|k,b]\n"
                           "D[a,b] = B[i,a|i,b]\nS[a,b] = D[a,c] * D[b,c]\n"
                           "E = S[a,a] + C[i,a|j] * C[i,a|j]\n"
                           "for a >= b by tile\n    F = S[a,b] * S[a,b]\nend\n";

/* Where products cancel rounding is left, which is no mistake. */
static const char cancelling[] = "space s = 13, 11\nindex i, j, k, l : s\n"
                                 "tensor A[i,j] = random(1)\ntensor B[i,j] = random(2)\n"
                                 "tensor C[i,j] = random(3)\ntensor D[i,j]\ntensor AB[i,j]\n"
                                 "AB[i,j] = A[i,k] * B[k,j]\n"
                                 "D[i,l] = AB[i,k] * C[k,l] - A[i,j] * B[j,k] * C[k,l]\n";

static void run_text(const char *program, struct program_instance *instance)
{
    const struct contraction_settings settings = {.cache_bytes = 100000};
    const struct program_source source = {
        .text = program, .length = strlen(program), .file = "x.tce"};
    struct taskpool_settings pool = pool_case_settings("--sched=counter");
    check_ok(program_instance_init(&source, MPI_COMM_WORLD, instance));
    check_ok(program_instance_start(instance, &settings));
    for (int t = 0; t < instance->program.n_tensors; t++)
        check_ok(program_instance_fill(instance, t));
    check_ok(executor_start(instance->executor, &pool));
    check_ok(executor_run(instance->executor, 0, instance->plan->n_stages, NULL));
}

/* Adds to the first element of a tensor. */
static void disturb_tensor(const struct tensor *tensor, double amount)
{
    double *block = malloc((size_t)tensor->max_block * sizeof *block);
    assert_non_null(block);
    darray_get(tensor->data, 0, block);
    darray_sync();
    block[0] += amount;
    if (darray_local(tensor->data, 0))
        darray_put(tensor->data, 0, block);
    darray_sync();
    free(block);
}

TEST(wrong_tensors_are_named)
{
    static const char *const names[] = {"C", "D", "S", "E", "F"};
    for (size_t n = 0; n < 2 * sizeof names / sizeof names[0]; n++) {
        struct program_instance instance;
        char message[40];
        int t = 0;
        run_text(text, &instance);
        check_ok(verification_run(&instance));
        while (strcmp(instance.program.tensors[t].name, names[n / 2]) != 0)
            t++;
        disturb_tensor(executor_tensor(instance.executor, t), n % 2 ? NAN : 1e-6);
        check_status(STATUS_NUMERIC, verification_run(&instance));
        snprintf(message, sizeof message, "tensor %s is wrong", names[n / 2]);
        assert_non_null(strstr(status_text(), message));
        program_instance_fini(&instance);
    }
}

TEST(rounding_that_cancellation_leaves_is_right)
{
    struct program_instance instance;
    run_text(cancelling, &instance);
    check_ok(verification_run(&instance));
    program_instance_fini(&instance);
}

TEST_SETUP(darray_case_start)

TEST_TEARDOWN(darray_case_stop)
