/* SPDX-License-Identifier: BSD-3-Clause */
/* Distributed arrays: what one process puts, every process gets; what all add
 * is the sum. */
#include "support/arrays/darray.h"
#include "support/base/memory.h"
#include "tests/check.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, n_processes;

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Sizes from 0 to 2000, a third of them 0. */
static int64_t made_up_size(int seed, int64_t block)
{
    uint64_t random = mix((uint64_t)seed * 1000003u + (uint64_t)block);
    return random % 3 == 0 ? 0 : (int64_t)(random % 2001);
}

/* Two at a time, ended in either order. */
static void check_gets_in_two_parts(const struct darray *array, int64_t n_blocks,
                                    const int64_t *size)
{
    static uint64_t buffer[2][2001];
    struct darray_request request[2];
    for (int64_t block = 0; block + 1 < n_blocks; block++) {
        for (int i = 0; i < 2; i++)
            darray_get_begin(array, block + i, buffer[i], &request[i]);
        for (int i = 0; i < 2; i++)
            darray_get_end(&request[(block + i) % 2]);
        for (int i = 0; i < 2; i++)
            for (int64_t e = 0; e < size[block + i]; e++)
                assert_true(buffer[i][e] == mix((uint64_t)((block + i) * 4096 + e)));
    }
}

/* A vector of a block in place lies in one line of the cache. */
static void check_lines(const void *place, int64_t size)
{
    assert_true(size < DARRAY_LEAST_IN_LINES || (uintptr_t)place % 64 == 0);
}

/* The owner reads and writes its blocks in place; every process gets the new elements. */
static void check_own_blocks(struct darray *array, int64_t n_blocks, const int64_t *size)
{
    uint64_t buffer[2001];
    for (int64_t block = 0; block < n_blocks; block++) {
        uint64_t *own = darray_local(array, block);
        assert_true((own != NULL) == (darray_owner(array, block) == rank));
        check_lines(own, size[block]);
        for (int64_t i = 0; own && i < size[block]; i++) {
            assert_true(own[i] == mix((uint64_t)(block * 4096 + i)));
            own[i]++;
        }
    }
    darray_sync();
    for (int64_t block = 0; block < n_blocks; block++) {
        darray_get(array, block, buffer);
        for (int64_t i = 0; i < size[block]; i++)
            assert_true(buffer[i] == mix((uint64_t)(block * 4096 + i)) + 1);
    }
}

/* Whether processes see each other's blocks. As MPI comes they do; where the environment names a transport, which
 * may have no memory in common, it is all of them or none. Collective. */
static bool sees_blocks_of_others(const struct darray *array, int64_t n_blocks)
{
    bool refused = getenv("BERYL_NEAR_MEMORY") != NULL, chosen = getenv("OMPI_MCA_osc") != NULL;
    if (refused || !chosen)
        return !refused;
    int sees = true;
    for (int64_t block = 0; block < n_blocks; block++)
        sees = sees && darray_near(array, block);
    MPI_Allreduce(MPI_IN_PLACE, &sees, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    static bool reported;
    if (!sees && !reported)
        printf("MPI's transport has no memory in common: blocks of others are not accessed in "
               "place\n");
    reported = reported || !sees;
    return sees;
}

/* A process adds to the blocks of the one before it, where they lie; every process gets the new elements. */
static void check_near_blocks(struct darray *array, int64_t n_blocks, const int64_t *size)
{
    uint64_t buffer[2001];
    bool sees_others = sees_blocks_of_others(array, n_blocks);
    for (int64_t block = 0; block < n_blocks; block++) {
        int owner = darray_owner(array, block);
        uint64_t *near = darray_near(array, block);
        assert_int_equal(near != NULL, sees_others || owner == rank);
        for (int64_t i = 0; near && i < size[block]; i++)
            assert_true(near[i] == mix((uint64_t)(block * 4096 + i)) + 1);
    }
    darray_sync();
    for (int64_t block = 0; block < n_blocks; block++) {
        uint64_t *near = darray_near(array, block);
        bool adds = (darray_owner(array, block) + 1) % n_processes == rank;
        for (int64_t i = 0; adds && near && i < size[block]; i++)
            near[i]++;
    }
    darray_sync();
    for (int64_t block = 0; block < n_blocks; block++) {
        uint64_t added = sees_others || n_processes == 1 ? 2 : 1;
        darray_get(array, block, buffer);
        for (int64_t i = 0; i < size[block]; i++)
            assert_true(buffer[i] == mix((uint64_t)(block * 4096 + i)) + added);
    }
}

static void check_round_trip(enum darray_type type, int64_t n_blocks, int seed)
{
    int64_t *size = calloc((size_t)n_blocks + 1, sizeof *size);
    for (int64_t block = 0; block < n_blocks; block++)
        size[block] = made_up_size(seed, block);
    struct darray *array;
    check_ok(darray_create("round trip", type, n_blocks, size, &array));

    /* Each block is written by a process that mostly does not hold it. */
    uint64_t buffer[2001];
    for (int64_t block = 0; block < n_blocks; block++) {
        assert_int_equal(darray_block_size(array, block), size[block]);
        assert_int_equal(darray_owner(array, block), block % n_processes);
        if ((int)(mix((uint64_t)block) % (uint64_t)n_processes) != rank)
            continue;
        for (int64_t i = 0; i < size[block]; i++)
            buffer[i] = mix((uint64_t)(block * 4096 + i));
        darray_put(array, block, buffer);
    }
    darray_sync();
    for (int64_t block = 0; block < n_blocks; block++) {
        buffer[size[block]] = 42;
        darray_get(array, block, buffer);
        for (int64_t i = 0; i < size[block]; i++)
            assert_true(buffer[i] == mix((uint64_t)(block * 4096 + i)));
        assert_true(buffer[size[block]] == 42);
    }
    check_gets_in_two_parts(array, n_blocks, size);
    darray_sync();
    check_own_blocks(array, n_blocks, size);
    darray_sync();
    check_near_blocks(array, n_blocks, size);
    darray_sync();
    darray_zero(array);
    darray_sync();
    for (int64_t block = 0; block < n_blocks; block++) {
        darray_get(array, block, buffer);
        for (int64_t i = 0; i < size[block]; i++)
            assert_true(buffer[i] == 0);
    }
    darray_destroy(array);
    free(size);
}

TEST(what_is_put_is_got)
{
    const int64_t counts[] = {0, 1, 2, 5, 100};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        check_round_trip(DARRAY_DOUBLE, counts[c], (int)c);
        check_round_trip(DARRAY_INT64, counts[c], 10 + (int)c);
    }
}

TEST(new_arrays_are_zero_whatever_was_there_before)
{
    const int64_t size[] = {1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000};
    for (int round = 0; round < 3; round++) {
        struct darray *array;
        double buffer[1000];
        check_ok(darray_create("zero", DARRAY_DOUBLE, 8, size, &array));
        for (int block = 0; block < 8; block++) {
            darray_get(array, block, buffer);
            for (int i = 0; i < 1000; i++)
                assert_true(buffer[i] == 0);
        }
        darray_sync();
        for (int i = 0; i < 1000; i++)
            buffer[i] = round + 1;
        for (int block = rank; block < 8; block += n_processes)
            darray_put(array, block, buffer);
        darray_destroy(array);
    }
}

/* All processes add to the same blocks at the same time, often enough that
 * their transfers meet. */
TEST(concurrent_integer_accumulation_wraps_and_loses_nothing)
{
    enum { n_blocks = 3, n = 1600, n_rounds = 200 };
    const int64_t size[n_blocks] = {n, 1, n};
    struct darray *array;
    check_ok(darray_create("integers", DARRAY_INT64, n_blocks, size, &array));
    int64_t buffer[n];
    for (int round = 0; round < n_rounds; round++)
        for (int block = 0; block < n_blocks; block++) {
            for (int64_t i = 0; i < size[block]; i++)
                buffer[i] = (int64_t)mix((uint64_t)(i + n * (round + n_rounds * rank)));
            darray_acc(array, block, buffer);
        }
    darray_sync();
    for (int block = 0; block < n_blocks; block++) {
        darray_get(array, block, buffer);
        for (int64_t i = 0; i < size[block]; i++) {
            uint64_t sum = 0;
            for (int term = 0; term < n_rounds * n_processes; term++)
                sum += mix((uint64_t)(i + n * term));
            assert_true((uint64_t)buffer[i] == sum);
        }
    }
    darray_destroy(array);
}

TEST(integers_wrap_around_at_the_limits)
{
    const int64_t size[] = {2};
    struct darray *array;
    check_ok(darray_create("limits", DARRAY_INT64, 1, size, &array));
    int64_t buffer[2] = {INT64_MAX, INT64_MIN}, step[2] = {1, -1};
    if (rank == 0)
        darray_put(array, 0, buffer);
    darray_sync();
    if (rank == n_processes - 1)
        darray_acc(array, 0, step);
    darray_sync();
    darray_get(array, 0, buffer);
    assert_true(buffer[0] == INT64_MIN);
    assert_true(buffer[1] == INT64_MAX);
    darray_destroy(array);
}

TEST(concurrent_real_accumulation_is_the_sum)
{
    enum { n_blocks = 5, n = 777, n_rounds = 100 };
    const int64_t size[n_blocks] = {n, n, n, n, n};
    struct darray *array;
    check_ok(darray_create("reals", DARRAY_DOUBLE, n_blocks, size, &array));
    double buffer[n];
    for (int round = 0; round < n_rounds; round++)
        for (int block = 0; block < n_blocks; block++) {
            for (int i = 0; i < n; i++)
                buffer[i] = (block + 1) * (i + 0.25) * (rank + 1);
            darray_acc(array, block, buffer);
        }
    darray_sync();
    for (int block = 0; block < n_blocks; block++) {
        darray_get(array, block, buffer);
        for (int i = 0; i < n; i++)
            assert_true(buffer[i] ==
                        n_rounds * (block + 1) * (i + 0.25) * n_processes * (n_processes + 1) / 2);
    }
    darray_destroy(array);
}

TEST(memory_is_asked_for_before)
{
    enum { n_blocks = 70 };
    int64_t size[n_blocks];
    for (int block = 0; block < n_blocks; block++)
        size[block] = 100;
    struct darray *array;
    size[0] = INT64_C(1) << 50;
    check_status(STATUS_NO_MEMORY, darray_create("giant", DARRAY_DOUBLE, n_blocks, size, &array));
    assert_null(array);
    assert_non_null(strstr(status_text(), "giant"));
    darray_destroy(NULL);
}

/* Else more than there is could be promised. */
TEST(reserved_memory_is_in_use)
{
    const int64_t bytes = 16 << 20;
    int64_t unused = darray_unused_bytes(), before = memory_part_bytes();
    darray_reserve((double)bytes * n_processes);
    bool reserved = darray_unused_bytes() >= unused + bytes;
    assert_true(reserved || n_processes > 1); /* /dev/shm may be small */
    if (reserved && before > 0)
        assert_true(memory_part_bytes() - before > bytes / 2);
}

static void start(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_processes);
    check_ok(darray_start());
}

static void stop(void)
{
    darray_stop();
}

TEST_SETUP(start)

TEST_TEARDOWN(stop)
