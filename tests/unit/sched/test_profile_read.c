/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles are read as they were written, and broken ones are refused. */
#include "sched/lab/profiles/profile.h"
#include "sched/lab/profiles/profile_read.h"
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

static void test_written_profiles_are_read_back(void **state)
{
    (void)state;
    const char *const paths[] = {"test_profile_read.csv", "test_profile_read.npy"};
    struct taskpool_history history = {0};
    for (int64_t task = 9; task >= 0; task--)
        check_ok(history_add(&history, 7 * task, 0.125 * (double)task, 0));
    for (int i = 0; i < 2; i++) {
        struct profile profile;
        check_ok(profile_write(MPI_COMM_WORLD, &history, paths[i]));
        check_ok(profile_read(MPI_COMM_WORLD, paths[i], false, &profile));
        assert_int_equal(profile.n, 10);
        assert_null(profile.tasks);
        for (int64_t task = 0; task < profile.n; task++)
            assert_true(profile.seconds[task] == 0.125 * (double)task);
        profile_fini(&profile);
        unlink(paths[i]);
    }
    history_fini(&history);
}

static void test_numbers_of_tasks_are_kept(void **state)
{
    (void)state;
    static const char text[] = "task,seconds\n3,0.5\n5,0.25\n9000000000,1\n";
    struct profile profile;
    write_text("test_profile_numbers.csv", text, sizeof text - 1);
    check_ok(profile_read(MPI_COMM_WORLD, "test_profile_numbers.csv", true, &profile));
    assert_int_equal(profile.n, 3);
    assert_int_equal(profile.tasks[1], 5);
    assert_int_equal(profile.tasks[2], 9000000000);
    assert_true(profile.seconds[1] == 0.25);
    profile_fini(&profile);
    static const char turned[] = "task,seconds\n3,0.5\n3,0.25\n";
    write_text("test_profile_numbers.csv", turned, sizeof turned - 1);
    check_status(STATUS_INPUT,
                 profile_read(MPI_COMM_WORLD, "test_profile_numbers.csv", true, &profile));
    assert_non_null(strstr(status_text(), ".csv:3:"));
    unlink("test_profile_numbers.csv");
}

static void check_refused(const char *path, const char *text, size_t size, const char *word)
{
    struct profile profile;
    write_text(path, text, size);
    check_status(STATUS_INPUT, profile_read(MPI_COMM_WORLD, path, false, &profile));
    assert_non_null(strstr(status_text(), word));
    unlink(path);
}

static void test_bad_tables_are_refused(void **state)
{
    (void)state;
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
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_refused("test_profile_read.csv", cases[i].text, strlen(cases[i].text), cases[i].word);
}

/* A NumPy file of this header and so many bytes of zeros. */
static void check_array_refused(const char *header, size_t n_bytes, const char *word)
{
    char text[256] = "\x93NUMPY\x01";
    size_t length = strlen(header);
    text[8] = (char)length;
    memcpy(text + 10, header, length);
    check_refused("test_profile_read.npy", text, 10 + length + n_bytes, word);
}

static void test_bad_arrays_are_refused(void **state)
{
    (void)state;
    check_refused("test_profile_read.npy", "", 0, "not a one-dimensional");
    check_refused("test_profile_read.npy", "task,seconds\n0,1\n", 17, "not a one-dimensional");
    check_array_refused("{'descr': '<f4', 'shape': (2,), }", 8, "not a one-dimensional");
    check_array_refused("{'descr': '<f8', 'shape': (), }", 8, "not a one-dimensional");
    check_array_refused("{'descr': '<f8', 'shape': (1, 2), }", 16, "not a one-dimensional");
    check_array_refused("{'descr': '<f8', 'shape': (-1,), }", 8, "not a one-dimensional");
    check_array_refused("{'descr': '<f8', 'shape': (2,), }", 8, "2 numbers, the file has 1");
    check_array_refused("{'descr': '<f8', 'shape': (2,), }", 24, "2 numbers, the file has 3");
    check_array_refused("{'descr': '<f8', 'shape': (2,), }", 17, "1 bytes after the last of its 2");
    check_array_refused("{'descr': '<f8', 'shape': (2,), }", 23, "7 bytes after the last of its 2");
    check_array_refused("{'descr': '<f8', 'shape': (0,), }", 0, "without tasks");
}

static void test_a_missing_file_is_refused(void **state)
{
    (void)state;
    struct profile profile;
    check_status(STATUS_IO, profile_read(MPI_COMM_WORLD, "test_no_such_file", false, &profile));
    check_status(STATUS_IO, profile_read(MPI_COMM_WORLD, "/", false, &profile));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_profiles_are_read_back),
        cmocka_unit_test(test_numbers_of_tasks_are_kept),
        cmocka_unit_test(test_bad_tables_are_refused),
        cmocka_unit_test(test_bad_arrays_are_refused),
        cmocka_unit_test(test_a_missing_file_is_refused),
    };
    MPI_Init(NULL, NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
