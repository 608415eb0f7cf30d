/* SPDX-License-Identifier: BSD-3-Clause */
/* Many distributed arrays: few windows, and nothing is left when they
 * are destroyed. An argument is the number of arrays. */
#include "support/arrays/darray.h"
#include "tests/load/load_case.h"

#include <stdlib.h>

enum { N_BLOCKS = 10, MAX_WINDOWS = 10 };

static int64_t n_arrays = 1000;

struct arrays {
    struct darray **list; /* n_made */
    int64_t n_made;
};

static void create_one(void *context)
{
    struct arrays *arrays = context;
    int64_t size[N_BLOCKS];
    for (int b = 0; b < N_BLOCKS; b++)
        size[b] = 1 + (arrays->n_made * 7 + b) % 100;
    check_ok(darray_create("load", DARRAY_DOUBLE, N_BLOCKS, size, &arrays->list[arrays->n_made]));
    double value = (double)arrays->n_made;
    darray_put(arrays->list[arrays->n_made], 0, &(double[100]){value});
    darray_sync();
    arrays->n_made++;
}

static void destroy_all(struct arrays *arrays)
{
    while (arrays->n_made > 0)
        darray_destroy(arrays->list[--arrays->n_made]);
}

static void make_and_destroy(void *context)
{
    struct arrays *arrays = context;
    for (int64_t i = 0; i < n_arrays; i++)
        create_one(arrays);
    destroy_all(arrays);
}

static struct arrays made;

TEST(many_arrays_take_few_windows)
{
    struct arrays *arrays = &made;
    struct load_counts before = load_counts_now();
    double first_s = load_run(create_one, arrays, n_arrays / 2);
    double second_s = load_run(create_one, arrays, n_arrays - n_arrays / 2);
    struct load_counts after = load_counts_now();
    printf("%lld arrays: %.3f + %.3f s, %lld windows\n", (long long)n_arrays, first_s, second_s,
           (long long)(after.windows_made - before.windows_made));
    assert_true(after.windows_made - before.windows_made <= MAX_WINDOWS + n_arrays / 1000);
    for (int64_t i = 0; i < arrays->n_made; i++) {
        double block[100];
        darray_get(arrays->list[i], 0, block);
        assert_true(block[0] == (double)i);
    }
    darray_sync();
    destroy_all(arrays);
}

TEST(destroyed_arrays_leave_nothing)
{
    assert_int_equal(made.n_made, 0);
    load_check("rounds of arrays", make_and_destroy, &made, 10);
}

static void start(void)
{
    if (check_argc > 1)
        n_arrays = atoll(check_argv[1]);
    made.list = calloc((size_t)n_arrays, sizeof(struct darray *));
    check_ok(darray_start());
}

static void stop(void)
{
    free(made.list);
    darray_stop();
}

TEST_SETUP(start)
TEST_TEARDOWN(stop)
