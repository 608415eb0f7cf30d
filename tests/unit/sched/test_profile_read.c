/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles are read as they were written, and broken ones are refused. */
#include "sched/lab/profiles/profile.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_text(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

TEST(written_profiles_are_read_back)
{
    const char *const paths[] = {"test_profile_read.csv", "test_profile_read.npy"};
    struct taskpool_history history = {0};
    for (int64_t task = 9; task >= 0; task--)
        check_ok(history_add(&history, 7 * task, 0.125 * (double)task, 0));
    for (int i = 0; i < 2; i++) {
        struct profile profile;
        check_ok(profile_write(MPI_COMM_WORLD, &history, paths[i]));
        check_ok(profile_read(MPI_COMM_WORLD, paths[i], &profile));
        assert_int_equal(profile.n, 10);
        assert_int_equal(profile.n_iterations, 1);
        assert_null(profile.workers);
        for (int64_t task = 0; task < profile.n; task++) {
            assert_int_equal(profile.tasks[task], i == 0 ? 7 * task : task);
            assert_true(profile_seconds(&profile, 3, task) == 0.125 * (double)task);
        }
        profile_fini(&profile);
        unlink(paths[i]);
    }
    history_fini(&history);
}

/* Rows stand in any order. */
TEST(tasks_go_by_their_numbers)
{
    static const char text[] = "task,seconds\n9000000000,1\n3,0.5\n5,0.25\n";
    struct profile profile;
    write_text("test_profile_numbers.csv", text, sizeof text - 1);
    check_ok(profile_read(MPI_COMM_WORLD, "test_profile_numbers.csv", &profile));
    assert_int_equal(profile.n, 3);
    assert_int_equal(profile.tasks[1], 5);
    assert_int_equal(profile.tasks[2], 9000000000);
    assert_true(profile.seconds[0] == 0.5 && profile.seconds[1] == 0.25);
    profile_fini(&profile);
    unlink("test_profile_numbers.csv");
}

/* Task 7 is not in iteration 1, task 4 not in iteration 0; later iterations repeat the last. */
TEST(iterations_and_workers_are_read)
{
    static const char text[] = "task,seconds,iteration,worker\n7,0.5,0,3\n2,0.25,0,0\n2,0.75,1,5\n"
                               "4,1,1,6\n2,2,0\n";
    static const double expected[2][3] = {{0.25, 0, 0.5}, {0.75, 1, 0}};
    static const int64_t workers[] = {0, 6, 3};
    struct profile profile;
    const char *path = "test_profile_iterations.csv";
    write_text(path, text, strlen(text) - strlen("2,2,0\n"));
    check_ok(profile_read(MPI_COMM_WORLD, path, &profile));
    assert_int_equal(profile.n, 3);
    assert_int_equal(profile.n_iterations, 2);
    for (int64_t task = 0; task < 3; task++) {
        assert_int_equal(profile.workers[task], workers[task]);
        for (int64_t i = 0; i < 4; i++)
            assert_true(profile_seconds(&profile, i, task) == expected[i > 0][task]);
    }
    profile_fini(&profile);
    write_text(path, text, strlen(text));
    check_status(STATUS_INPUT, profile_read(MPI_COMM_WORLD, path, &profile));
    assert_non_null(strstr(status_text(), ".csv:6:"));
    unlink(path);
}

static void check_refused(const char *path, const char *text, size_t size, const char *word)
{
    struct profile profile;
    write_text(path, text, size);
    check_status(STATUS_INPUT, profile_read(MPI_COMM_WORLD, path, &profile));
    assert_non_null(strstr(status_text(), word));
    unlink(path);
}

#define LONG "task,seconds,iteration,worker\n"

TEST(bad_tables_are_refused)
{
    static const struct {
        const char *text, *word;
    } cases[] = {
        {"", "empty"},
        {"\n\n", ".csv:2:"},
        {"0,1\n", ".csv:1:"},
        {"task,seconds,worker\n0,1\n", ".csv:1:"},
        {"task,seconds\n", "without tasks"},
        {"task,seconds\n0,1\n1,-1\n", ".csv:3:"},
        {"task,seconds\n0,1\n1,nan\n", ".csv:3:"},
        {"task,seconds\n0,1e999\n", ".csv:2:"},
        {"task,seconds\n0,1 s\n", ".csv:2:"},
        {"task,seconds\n0\n", ".csv:2:"},
        {"task,seconds\n,1\n", ".csv:2:"},
        {"task,seconds\n0,\n", ".csv:2:"},
        {"task,seconds\n\n0,1,2\n", ".csv:3:"},
        {"task,seconds\n0,1\n0,1\n", ".csv:3: task 0 has two rows"},
        {"task,seconds\n7,1\n\n2,1\n9,1\n2,3\n", ".csv:6: task 2 has two rows"},
        {"task,seconds\n-1,1\n", ".csv:2:"},
        {LONG "0,1,0\n", ".csv:2:"},
        {LONG "0,1,0,0\n0,1,-1,0\n", ".csv:3:"},
        {LONG "0,1,0,0\n0,1,1,-1\n", ".csv:3:"},
        {LONG "0,1,0,x\n", ".csv:2:"},
        {LONG "0,1,1,0\n", ".csv:2:"},
        {LONG "0,1,0,0\n0,1,1,0\n0,1,3,0\n", ".csv:4:"},
        {LONG "0,1,0,0\n0,1,1,0\n1,1,0,2\n0,2,1,3\n", ".csv:5: task 0 has two rows in this"},
        {LONG "0,-1,0,0\n", ".csv:2:"},
        {LONG, "without tasks"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_refused("test_profile_read.csv", cases[i].text, strlen(cases[i].text), cases[i].word);
}

/* A NumPy file of this header and so many bytes of zeros. */
static void check_array_refused(const char *header, size_t n_bytes, const char *word)
{
    char text[256] = "\x93NUMPY\x01";
    size_t length = strlen(header) + 1;
    text[8] = (char)length;
    snprintf(text + 10, sizeof text - 10, "%s\n", header);
    check_refused("test_profile_read.npy", text, 10 + length + n_bytes, word);
}

TEST(bad_arrays_are_refused)
{
    check_refused("test_profile_read.npy", "", 0, "not a one-dimensional");
    check_refused("test_profile_read.npy", "task,seconds\n0,1\n", 17, "not a one-dimensional");
    check_array_refused("{'descr': '<f4', 'shape': (2,), }", 8, "not a one-dimensional");
    check_array_refused("{'descr': '<f8', 'shape': (), }", 8, "not a one-dimensional");
    check_array_refused("{'descr': '<f8', 'shape': (1, 2), }", 16, "not a one-dimensional");
    check_array_refused("{'descr': '<f8', 'shape': (-1,), }", 8, "not a one-dimensional");
    check_array_refused("{'descr': '<f8', 'shape': (2,), }", 8, "2 numbers, the file has 1");
    check_array_refused("{'descr': '<f8', 'shape': (2,), }", 24, "2 numbers, the file has 3");
    check_array_refused("{'descr': '<f8', 'shape': (2,), }", 17, "the file has 2 and 1 bytes");
    check_array_refused("{'descr': '<f8', 'shape': (2,), }", 23, "the file has 2 and 7 bytes");
    check_array_refused("{'descr': '<f8', 'shape': (0,), }", 0, "without tasks");
}

TEST(a_missing_file_is_refused)
{
    struct profile profile;
    check_status(STATUS_IO, profile_read(MPI_COMM_WORLD, "test_no_such_file", &profile));
    check_status(STATUS_IO, profile_read(MPI_COMM_WORLD, "/", &profile));
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
