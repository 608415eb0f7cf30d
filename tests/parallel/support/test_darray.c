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

/* Element i of a block. */
static uint64_t element(int64_t block, int64_t i)
{
    return mix((uint64_t)(block * 4096 + i));
}

/* Every process gets the elements plus a number, or zeros, one block after another and two at a time, ended in
 * either order, and nothing after them. */
static void check_got(const struct darray *array, int64_t n_blocks, const int64_t *size,
                      uint64_t added, bool zeros)
{
    static uint64_t buffer[3][2002];
    struct darray_request request[2];
    darray_sync();
    for (int64_t block = 0; block < n_blocks; block++) {
        int64_t other = (block + 1) % n_blocks;
        buffer[0][size[block]] = 42;
        darray_get(array, block, buffer[0]);
        assert_true(buffer[0][size[block]] == 42);
        darray_get_begin(array, block, buffer[1], &request[0]);
        darray_get_begin(array, other, buffer[2], &request[1]);
        for (int i = 0; i < 2; i++)
            darray_get_end(&request[(block + i) % 2]);
        for (int64_t i = 0; i < size[block]; i++)
            assert_true(buffer[0][i] == (zeros ? 0 : element(block, i) + added));
        assert_memory_equal(buffer[1], buffer[0], (size_t)size[block] * 8);
        for (int64_t i = 0; i < size[other]; i++)
            assert_true(buffer[2][i] == (zeros ? 0 : element(other, i) + added));
    }
    darray_sync();
}

/* The owner reads and writes its blocks in place. A vector of a block lies in one line of the cache. */
static void change_own_blocks(struct darray *array, int64_t n_blocks, const int64_t *size)
{
    for (int64_t block = 0; block < n_blocks; block++) {
        uint64_t *own = darray_local(array, block);
        assert_true((own != NULL) == (darray_owner(array, block) == rank));
        assert_true(size[block] < DARRAY_LEAST_IN_LINES || (uintptr_t)own % 64 == 0);
        for (int64_t i = 0; own && i < size[block]; i++)
            assert_true(own[i]++ == element(block, i));
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

/* A process adds to the blocks of the one before it, where they lie; returns whether it can. */
static bool change_near_blocks(struct darray *array, int64_t n_blocks, const int64_t *size)
{
    bool sees_others = sees_blocks_of_others(array, n_blocks);
    for (int64_t block = 0; block < n_blocks; block++) {
        const uint64_t *near = darray_near(array, block);
        assert_int_equal(near != NULL, sees_others || darray_owner(array, block) == rank);
        for (int64_t i = 0; near && i < size[block]; i++)
            assert_true(near[i] == element(block, i) + 1);
    }
    darray_sync();
    for (int64_t block = 0; block < n_blocks; block++) {
        uint64_t *near = darray_near(array, block);
        bool adds = (darray_owner(array, block) + 1) % n_processes == rank;
        for (int64_t i = 0; adds && near && i < size[block]; i++)
            near[i]++;
    }
    return sees_others || n_processes == 1;
}

/* An array is zero at first, whatever was in that memory before, and again. Each block is written by a process that
 * mostly does not hold it. */
static void check_round_trip(enum darray_type type, int64_t n_blocks, int seed)
{
    int64_t *size = calloc((size_t)n_blocks + 1, sizeof *size);
    for (int64_t block = 0; block < n_blocks; block++)
        size[block] = made_up_size(seed, block);
    struct darray *array;
    check_ok(darray_create("round trip", type, n_blocks, size, &array));
    check_got(array, n_blocks, size, 0, true);
    for (int64_t block = 0; block < n_blocks; block++) {
        uint64_t buffer[2001];
        assert_int_equal(darray_block_size(array, block), size[block]);
        assert_int_equal(darray_owner(array, block), block % n_processes);
        for (int64_t i = 0; i < size[block]; i++)
            buffer[i] = element(block, i);
        if ((int)(mix((uint64_t)block) % (uint64_t)n_processes) == rank)
            darray_put(array, block, buffer);
    }
    check_got(array, n_blocks, size, 0, false);
    change_own_blocks(array, n_blocks, size);
    check_got(array, n_blocks, size, 1, false);
    check_got(array, n_blocks, size, change_near_blocks(array, n_blocks, size) ? 2 : 1, false);
    darray_zero(array);
    check_got(array, n_blocks, size, 0, true);
    for (int64_t block = rank; block < n_blocks; block += n_processes)
        memset(darray_local(array, block), -1, (size_t)size[block] * 8);
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

/* All processes add to the same blocks at the same time, often enough that their transfers meet: integers, which wrap
 * around, and reals. */
TEST(concurrent_accumulation_is_the_sum)
{
    enum { N_BLOCKS = 4, N = 1600, N_ROUNDS = 150 };
    const int64_t size[N_BLOCKS] = {N, 1, 777, N};
    struct darray *integers, *reals;
    int64_t integer[N];
    double real[N];
    check_ok(darray_create("integers", DARRAY_INT64, N_BLOCKS, size, &integers));
    check_ok(darray_create("reals", DARRAY_DOUBLE, N_BLOCKS, size, &reals));
    for (int round = 0; round < N_ROUNDS; round++)
        for (int block = 0; block < N_BLOCKS; block++) {
            for (int64_t i = 0; i < size[block]; i++) {
                integer[i] = (int64_t)mix((uint64_t)(i + N * (round + N_ROUNDS * rank)));
                real[i] = (block + 1) * ((double)i + 0.25) * (rank + 1);
            }
            darray_acc(integers, block, integer);
            darray_acc(reals, block, real);
        }
    darray_sync();
    for (int block = 0; block < N_BLOCKS; block++) {
        darray_get(integers, block, integer);
        darray_get(reals, block, real);
        for (int64_t i = 0; i < size[block]; i++) {
            uint64_t sum = 0;
            for (int term = 0; term < N_ROUNDS * n_processes; term++)
                sum += mix((uint64_t)(i + N * term));
            assert_true((uint64_t)integer[i] == sum);
            assert_true(real[i] == N_ROUNDS * (block + 1) * ((double)i + 0.25) * n_processes *
                                       (n_processes + 1) / 2);
        }
    }
    darray_destroy(integers);
    darray_destroy(reals);
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
