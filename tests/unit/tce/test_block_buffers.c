/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers are big enough, aligned, used again, and not more than were once in use. */
#include "tce/tensor/block_buffers.h"
#include "tests/check.h"

#include <string.h>

static struct block_buffers *buffers;

static void create(void)
{
    check_ok(block_buffers_create(&buffers));
}

static void destroy(void)
{
    block_buffers_destroy(buffers);
}

static double *take(int64_t n)
{
    double *buffer = block_buffers_take(buffers, n);
    assert_non_null(buffer);
    assert_int_equal((uintptr_t)buffer % 64, 0);
    /* The sanitizers see whether there is room. */
    memset(buffer, 1, (size_t)n * sizeof *buffer);
    return buffer;
}

TEST(buffers_of_any_size_are_big_enough)
{
    for (int64_t n = 0; n < 100000; n = n < 200 ? n + 1 : n + n / 7) {
        block_buffers_give_back(buffers, take(n));
        int64_t bytes = block_buffers_bytes(n);
        assert_true(bytes >= n * 8 && bytes <= 320 + n * 8 + n * 2);
        assert_true(bytes <= block_buffers_bytes(n + 1));
    }
}

TEST(what_was_given_back_is_used_again)
{
    double *first = take(1000), *second = take(1000);
    assert_ptr_not_equal(first, second);
    block_buffers_give_back(buffers, first);
    assert_ptr_equal(take(1000), first);
    block_buffers_give_back(buffers, first);
    block_buffers_give_back(buffers, second);
    block_buffers_give_back(buffers, NULL);
}

/* Many small ones, then a large one: the small ones make room for it. */
TEST(sizes_may_change)
{
    double *small[100];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 100; i++)
            small[i] = take(500 + i);
        for (int i = 0; i < 100; i++)
            block_buffers_give_back(buffers, small[i]);
        block_buffers_give_back(buffers, take(40000));
    }
}

TEST_SETUP(create)
TEST_TEARDOWN(destroy)
