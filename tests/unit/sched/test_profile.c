/* SPDX-License-Identifier: BSD-3-Clause */
/* Histories grow as far as asked and are written as CSV and as NumPy arrays. */
#include "sched/lab/profiles/profile.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

TEST(history_keeps_the_order)
{
    enum { n = 100000 };
    struct taskpool_history history = {0};
    for (int round = 0; round < 2; round++) {
        for (int64_t i = 0; i < n; i++)
            check_ok(history_add(&history, n - i, 0.5 * (double)i, (int)(i % 7)));
        assert_int_equal(history.n_entries, n);
        for (int64_t i = 0; i < n; i++) {
            assert_int_equal(history.entries[i].task, n - i);
            assert_int_equal(history.entries[i].worker, i % 7);
            check_close(history.entries[i].time_s, 0.5 * (double)i, 0);
        }
        history_clear(&history);
        assert_int_equal(history.n_entries, 0);
    }
    history_fini(&history);
}

static size_t read_bytes(const char *path, char *bytes, size_t size)
{
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    size_t length = fread(bytes, 1, size, stream);
    fclose(stream);
    remove(path);
    return length;
}

static void fill(struct taskpool_history *history)
{
    check_ok(history_add(history, INT64_C(1) << 40, 4, 0));
    check_ok(history_add(history, 7, 0.125, 0));
    check_ok(history_add(history, 2, 1.5, 0));
    check_ok(history_add(history, 3, 0.25, 0));
}

TEST(csv)
{
    struct taskpool_history history = {0};
    char bytes[256] = {0};
    fill(&history);
    check_ok(profile_write(MPI_COMM_SELF, &history, "test_sched_profile.csv"));
    read_bytes("test_sched_profile.csv", bytes, sizeof bytes - 1);
    assert_string_equal(bytes, "task,seconds\n2,1.5\n3,0.25\n7,0.125\n1099511627776,4\n");
    history_fini(&history);
}

TEST(iterations_are_printed)
{
    struct taskpool_history history = {0};
    char bytes[256] = {0};
    FILE *stream = fmemopen(bytes, sizeof bytes, "w");
    check_ok(history_add(&history, 7, 0.125, 3));
    check_ok(history_add(&history, 2, 1.5, 0));
    for (int64_t i = 0; i < 2; i++)
        check_ok(profile_print_iteration(MPI_COMM_SELF, &history, i, stream));
    fclose(stream);
    assert_string_equal(bytes, "task,seconds,iteration,worker\n2,1.5,0,0\n7,0.125,0,3\n"
                               "2,1.5,1,0\n7,0.125,1,3\n");
    history_fini(&history);
}

TEST(npy)
{
    const char *header = "{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }";
    const double expected[] = {1.5, 0.25, 0.125, 4};
    struct taskpool_history history = {0};
    char bytes[512] = {0};
    fill(&history);
    check_ok(profile_write(MPI_COMM_SELF, &history, "test_sched_profile.npy"));
    size_t length = read_bytes("test_sched_profile.npy", bytes, sizeof bytes);
    assert_int_equal(length, 128 + sizeof expected);
    assert_memory_equal(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    assert_memory_equal(bytes + 10, header, strlen(header));
    assert_int_equal(bytes[127], '\n');
    assert_memory_equal(bytes + 128, expected, sizeof expected);
    history_fini(&history);
}

TEST(bad_path)
{
    struct taskpool_history history = {0};
    check_status(STATUS_IO, profile_write(MPI_COMM_SELF, &history, "no_such_folder/profile.csv"));
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
