/* SPDX-License-Identifier: BSD-3-Clause */
/* Histories, profiles and the blocks that tasks access are read back as they were written; broken files
 * are refused with the line at fault. */
#include "sched/lab/profiles/profile.h"
#include "tests/cases/file_bytes.h"

#include <string.h>
#include <unistd.h>

static const char csv[] = "test_profile.csv", npy[] = "test_profile.npy",
                  blocks[] = "test_profile.blocks.csv", sizes[] = "test_profile.sizes.csv";

/* The bytes of both formats. Task numbers are only in the table. */
TEST(written_profiles_are_read_back)
{
    static const int64_t tasks[] = {INT64_C(1) << 40, 7, 2, 3};
    static const double seconds[] = {4, 0.125, 1.5, 0.25}, sorted[] = {1.5, 0.25, 0.125, 4};
    static const char header[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }";
    const char *const paths[] = {csv, npy};
    struct taskpool_history history = {0};
    for (int64_t i = 0; i < 100000; i++)
        check_ok(history_add(&history, -i, 0.5, 7));
    assert_true(history.n_entries == 100000 && history.entries[99999].task == -99999);
    history_clear(&history);
    for (int i = 0; i < 4; i++)
        check_ok(history_add(&history, tasks[i], seconds[i], 0));
    for (int i = 0; i < 2; i++) {
        struct profile profile;
        size_t length;
        check_ok(profile_write(MPI_COMM_WORLD, &history, paths[i]));
        char *bytes = file_bytes_read(paths[i], &length);
        if (i == 0) {
            assert_string_equal(bytes, "task,seconds\n2,1.5\n3,0.25\n7,0.125\n1099511627776,4\n");
        } else {
            assert_int_equal(length, 128 + sizeof sorted);
            assert_memory_equal(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
            assert_memory_equal(bytes + 10, header, strlen(header));
            assert_int_equal(bytes[127], '\n');
            assert_memory_equal(bytes + 128, sorted, sizeof sorted);
        }
        free(bytes);
        check_ok(profile_read(MPI_COMM_WORLD, paths[i], &profile));
        assert_int_equal(profile.n, 4);
        assert_int_equal(profile.n_iterations, 1);
        assert_null(profile.workers);
        for (int64_t task = 0; task < 4; task++) {
            assert_int_equal(profile.tasks[task], i == 1      ? task
                                                  : task == 3 ? tasks[0]
                                                              : "\2\3\7"[task]);
            assert_true(profile_seconds(&profile, 3, task) == sorted[task]);
        }
        profile_fini(&profile);
        unlink(paths[i]);
    }
    check_status(STATUS_IO, profile_write(MPI_COMM_SELF, &history, "no_such_folder/profile.csv"));
    history_fini(&history);
}

/* Task 7 is not in iteration 1, task 4 not in iteration 0; later iterations repeat the last. Rows stand in
 * any order. */
TEST(iterations_and_workers_are_read)
{
    static const char text[] = "task,seconds,iteration,worker\n9000000000,0.5,0,3\n2,0.25,0,0\n"
                               "2,0.75,1,5\n4,1,1,6\n";
    static const double expected[2][3] = {{0.25, 0, 0.5}, {0.75, 1, 0}};
    static const int64_t workers[] = {0, 6, 3}, tasks[] = {2, 4, 9000000000};
    struct profile profile;
    file_bytes_write(csv, text, strlen(text));
    check_ok(profile_read(MPI_COMM_WORLD, csv, &profile));
    assert_int_equal(profile.n, 3);
    assert_int_equal(profile.n_iterations, 2);
    for (int64_t task = 0; task < 3; task++) {
        assert_int_equal(profile.tasks[task], tasks[task]);
        assert_int_equal(profile.workers[task], workers[task]);
        for (int64_t i = 0; i < 4; i++)
            assert_true(profile_seconds(&profile, i, task) == expected[i > 0][task]);
    }
    profile_fini(&profile);
    unlink(csv);
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
    history_fini(&history);
    assert_string_equal(bytes, "task,seconds,iteration,worker\n2,1.5,0,0\n7,0.125,0,3\n"
                               "2,1.5,1,0\n7,0.125,1,3\n");
}

static void check_refused(const char *path, const char *text, size_t size, const char *word)
{
    struct profile profile;
    file_bytes_write(path, text, size);
    check_status(STATUS_INPUT, profile_read(MPI_COMM_WORLD, path, &profile));
    if (!strstr(status_text(), word))
        fail_msg("%s: no '%s'", status_text(), word);
    unlink(path);
}

#define LONG "task,seconds,iteration,worker\n"

TEST(bad_tables_are_refused)
{
    static const char *const rows[][2] = {
        {"", "empty"},
        {"\n\n", ".csv:2:"},
        {"0,1\n", ".csv:1:"},
        {"task,seconds,worker\n0,1\n", ".csv:1:"},
        {"task,seconds\n", "without tasks"},
        {"task,seconds\n0,1\n1,-1\n", ".csv:3:"},
        {"task,seconds\n0,1\n1,nan\n", ".csv:3:"},
        {"task,seconds\n0,1e999\n", ".csv:2:"},
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
        {LONG "0,1,1,0\n", ".csv:2:"},
        {LONG "0,1,0,0\n0,1,1,0\n0,1,3,0\n", ".csv:4:"},
        {LONG "0,1,0,0\n0,1,1,0\n1,1,0,2\n0,2,1,3\n", ".csv:5: task 0 has two rows in this"},
        {LONG "0,-1,0,0\n", ".csv:2:"},
    };
    struct profile profile;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_refused(csv, rows[i][0], strlen(rows[i][0]), rows[i][1]);
    check_status(STATUS_IO, profile_read(MPI_COMM_WORLD, "test_no_such_file", &profile));
    check_status(STATUS_IO, profile_read(MPI_COMM_WORLD, "/", &profile));
}

/* NumPy files with this header and a number of zero bytes. */
TEST(bad_arrays_are_refused)
{
    static const struct {
        const char *descr, *shape;
        size_t n_bytes;
        const char *word;
    } rows[] = {
        {"<f4", "(2,)", 8, "not a one-dimensional"},
        {"<f8", "()", 8, "not a one-dimensional"},
        {"<f8", "(1, 2)", 16, "not a one-dimensional"},
        {"<f8", "(-1,)", 8, "not a one-dimensional"},
        {"<f8", "(2,)", 8, "2 numbers, the file has 1"},
        {"<f8", "(2,)", 24, "2 numbers, the file has 3"},
        {"<f8", "(2,)", 17, "the file has 2 and 1 bytes"},
        {"<f8", "(0,)", 0, "without tasks"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256] = "\x93NUMPY\x01";
        int n = snprintf(text + 10, sizeof text - 10, "{'descr': '%s', 'shape': %s, }\n",
                         rows[i].descr, rows[i].shape);
        text[8] = (char)n;
        check_refused(npy, text, 10 + (size_t)n + rows[i].n_bytes, rows[i].word);
    }
    check_refused(npy, "", 0, "not a one-dimensional");
    check_refused(npy, "task,seconds\n0,1\n", 17, "not a one-dimensional");
}

/* --- blocks of data --- */

static int64_t numbers[] = {3, 5, 9};
static double seconds_each[] = {1, 1, 1};
static const struct profile three = {.n = 3, .seconds = seconds_each, .tasks = numbers};

/* The accesses of a task: "r20:800 w0:8 ", mode, block and bytes. */
static void check_accesses(const struct taskpool_data *data, int64_t task, const char *expected)
{
    char text[128] = "";
    int64_t n;
    const struct taskpool_data_access *access = task_data_of(data, task, &n);
    for (int64_t i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%c%d:%d ",
                 access[i].writes ? 'w' : 'r', (int)data->numbers[access[i].block],
                 (int)data->blocks[access[i].block].bytes);
    assert_string_equal(text, expected);
}

/* Tasks are added in any order; an access that repeats counts once, where it was first. */
TEST(written_data_are_read_back)
{
    static const struct {
        int64_t task;
        bool writes;
        int64_t block;
    } accesses[] = {{9, false, 20}, {9, false, 0}, {9, false, 20}, {9, true, 20},
                    {9, true, 0},   {3, true, 0},  {3, true, 0}};
    static const char of_9[] = "r20:800 r0:8 w20:800 w0:8 ";
    const struct taskpool_data_block large = {.bytes = 800, .owner = 4},
                                     small = {.bytes = 8, .owner = 7};
    struct data_records records = {0};
    for (int i = 0; i < 7; i++) {
        if (i == 0 || accesses[i].task != accesses[i - 1].task)
            data_records_begin_task(&records);
        check_ok(data_records_add(&records, accesses[i].task, accesses[i].writes, accesses[i].block,
                                  accesses[i].block == 20 ? large : small));
    }
    check_ok(task_data_write(MPI_COMM_WORLD, &records, csv));
    data_records_fini(&records);

    struct taskpool_data *data;
    assert_true(task_data_is_beside(csv) && !task_data_is_beside(npy));
    check_ok(task_data_read(csv, &three, &data));
    assert_int_equal(data->n_blocks, 2);
    assert_int_equal(data->n_tasks, 3);
    assert_int_equal(data->first[3], 5);
    check_accesses(data, 0, "w0:8 ");
    check_accesses(data, 1, "");
    check_accesses(data, 2, of_9);
    /* The first block that is written decides; a task without data has its number. */
    assert_int_equal(task_data_owner(data, 0, 5), 2);
    assert_int_equal(task_data_owner(data, 1, 5), 1);
    assert_int_equal(task_data_owner(data, 2, 3), 1);
    check_ok(task_data_number(data, numbers));
    check_accesses(data, 9, of_9);
    check_accesses(data, 2, "");
    task_data_destroy(data);
    unlink(blocks);
    unlink(sizes);
    assert_false(task_data_is_beside(csv));
}

#define SIZES  "block,bytes,owner\n"
#define BLOCKS "task,access,block\n"

TEST(bad_data_are_refused)
{
    static const struct {
        const char *sizes, *blocks, *word;
    } cases[] = {
        {"", BLOCKS, "empty"},
        {"1,8,0\n", BLOCKS, ".sizes.csv:1:"},
        {"block,owner,bytes\n1,8,0\n", BLOCKS, ".sizes.csv:1:"},
        {SIZES "1,8\n", BLOCKS, ".sizes.csv:2:"},
        {SIZES "1,8,0\n1,8,0\n", BLOCKS, ".sizes.csv:3:"},
        {SIZES "2,8,0\n1,8,0\n", BLOCKS, ".sizes.csv:3:"},
        {SIZES "-1,8,0\n", BLOCKS, ".sizes.csv:2:"},
        {SIZES "1,-8,0\n", BLOCKS, ".sizes.csv:2:"},
        {SIZES "1,9000000000000,0\n", BLOCKS, ".sizes.csv:2:"},
        {SIZES "1,8,-1\n", BLOCKS, ".sizes.csv:2:"},
        {SIZES "1,8.5,0\n", BLOCKS, ".sizes.csv:2:"},
        {SIZES "1,99999999999999999999,0\n", BLOCKS, ".sizes.csv:2:"},
        {SIZES "1,8,0\n", "", "empty"},
        {SIZES "1,8,0\n", "3,r,1\n", ".blocks.csv:1:"},
        {SIZES "1,8,0\n", BLOCKS "3,x,1\n", ".blocks.csv:2:"},
        {SIZES "1,8,0\n", BLOCKS "3,r\n", ".blocks.csv:2:"},
        {SIZES "1,8,0\n", BLOCKS "3,r,2\n", "block 2 has no size"},
        {SIZES "1,8,0\n", BLOCKS "4,r,1\n", "task 4"},
        {SIZES "1,8,0\n", BLOCKS "5,r,1\n3,r,1\n", ".blocks.csv:3:"},
    };
    struct taskpool_data *data;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        file_bytes_write(sizes, cases[i].sizes, strlen(cases[i].sizes));
        file_bytes_write(blocks, cases[i].blocks, strlen(cases[i].blocks));
        check_status(STATUS_INPUT, task_data_read(csv, &three, &data));
        assert_null(data);
        if (!strstr(status_text(), cases[i].word))
            fail_msg("%s: no '%s'", status_text(), cases[i].word);
    }
    unlink(sizes);
    check_status(STATUS_IO, task_data_read(csv, &three, &data));
    assert_non_null(strstr(status_text(), ".sizes.csv is missing"));
    unlink(blocks);
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
